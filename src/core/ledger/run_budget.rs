//! The budget of one run: admits calls and chains as its caps allow, and makes them wait where that may help.
//!
//! All of it is one small state under a lock that is never held across a wait; the arithmetic is [`super::balance`].
//! What fits is let through; what would fit if others turned out cheaper than their worst case waits, first come first
//! served; what cannot fit whatever becomes of the others is refused.
//!
//! Calls wait for calls that are under way, which end by themselves, and for nothing else: a call may hold a permit that
//! another chain needs in order to go on. Chains hold nothing yet, so they wait for calls and for other chains, and
//! stand behind the calls. So nobody waits for somebody who waits, and whoever stops waiting leaves without a trace.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use super::account::{Caps, Need};
use super::balance::{AllotmentId, Balance, Granted, Source, Verdict, Want};
use super::money::Money;
use super::refusal::Refusal;
use super::reservation::Actual;
use crate::domain::ModelMetadata;

pub use super::balance::Tally;

/// Keeps the caps of one run.
#[derive(Debug, Default)]
pub(super) struct RunBudget {
    caps: Caps,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    balance: Balance,
    unseen: Unseen,
    answered: Answered,
    /// Calls that wait, in their order.
    calls: VecDeque<Waiter>,
    /// Chains that wait, in their order.
    chains: VecDeque<Waiter>,
    /// The number of the next one to wait.
    next: u64,
}

/// Calls of a run that were answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Answered {
    calls: u32,
    input_tokens: u64,
    output_tokens: u64,
    cost: Money,
    unpriced: u32,
}

impl Answered {
    fn add(&mut self, actual: Actual) {
        self.calls += 1;
        self.input_tokens += actual.input_tokens;
        self.output_tokens += actual.output_tokens;
        self.cost = self.cost + actual.cost.unwrap_or_default();
        self.unpriced += u32::from(actual.cost.is_none());
    }

    /// Those that were answered after `earlier` was taken.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            calls: self.calls - earlier.calls,
            input_tokens: self.input_tokens - earlier.input_tokens,
            output_tokens: self.output_tokens - earlier.output_tokens,
            cost: self.cost.saturating_sub(earlier.cost),
            unpriced: self.unpriced - earlier.unpriced,
        }
    }

    /// Their account, which names no provider; none where there was no call.
    pub fn account(self) -> Option<ModelMetadata> {
        (self.calls > 0).then(|| ModelMetadata {
            input_tokens: self.input_tokens,
            output_tokens: self.output_tokens,
            total_tokens: self.input_tokens + self.output_tokens,
            cost_usd: (self.unpriced == 0).then(|| self.cost.dollars()),
            calls: self.calls,
            ..ModelMetadata::default()
        })
    }
}

/// Calls of a run that were cut off before it was known what they cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unseen {
    /// How many.
    pub calls: u64,
    /// The most they may have cost together, as far as their prices are known.
    pub most: Money,
    /// True when the price of one is unknown.
    pub has_unknown_price: bool,
}

impl Unseen {
    fn add(&mut self, most: Option<Money>) {
        self.calls += 1;
        self.most = self.most + most.unwrap_or_default();
        self.has_unknown_price |= most.is_none();
    }

    /// True when one of them may have been paid for.
    pub fn may_have_cost(self) -> bool {
        self.has_unknown_price || self.most > Money::ZERO
    }

    /// The account of a run whose answered calls took `answered`.
    #[must_use]
    pub fn added_to(self, answered: ModelMetadata) -> ModelMetadata {
        if self.has_unknown_price {
            return ModelMetadata { cost_usd: None, most_usd: None, ..answered };
        }
        if self.most == Money::ZERO {
            return answered;
        }
        let most_usd = answered.cost_usd.map(|cost| cost + self.most.dollars());
        ModelMetadata { most_usd, ..answered }
    }
}

/// One who waits for room to come free.
#[derive(Debug)]
struct Waiter {
    number: u64,
    want: Want,
    answer: oneshot::Sender<Result<Granted, Refusal>>,
}

impl RunBudget {
    pub(super) fn new(caps: Caps) -> Self {
        Self { caps, state: Mutex::default() }
    }

    /// With what was taken under these caps before.
    pub(super) fn reopened(caps: Caps, taken: Need) -> Self {
        let mut balance = Balance::default();
        balance.tally = Tally { calls: taken.calls, spent: taken.money, ..Tally::default() };
        Self { caps, state: Mutex::new(State { balance, ..State::default() }) }
    }

    pub(super) fn caps(&self) -> &Caps {
        &self.caps
    }

    pub(super) fn tally(&self) -> Tally {
        self.lock().balance.tally
    }

    /// The calls whose end nobody saw.
    pub(super) fn unseen(&self) -> Unseen {
        self.lock().unseen
    }

    /// The calls that were answered.
    pub(super) fn answered(&self) -> Answered {
        self.lock().answered
    }

    /// What the caps leave; what is not capped is endless.
    pub(super) fn left(&self) -> Need {
        self.lock().balance.left(&self.caps)
    }

    /// Sets the worst case of a call aside, waiting where that may help. Dropping the future leaves everything as it was.
    pub(super) async fn reserve(
        self: &Arc<Self>,
        worst: Money,
        source: Option<Source>,
    ) -> Result<BudgetGuard, Refusal> {
        let want = Want::Call { worst, source };
        let granted = self.ask(want).await?;
        let owns_call = matches!(granted, Granted::Call { owns_call: true });
        Ok(BudgetGuard { run_budget: Arc::clone(self), worst, source, owns_call, is_out: false, is_settled: false })
    }

    /// Sets a whole chain aside, waiting where that may help. Dropping the future leaves everything as it was.
    pub(super) async fn allot(self: &Arc<Self>, steps: Vec<Money>) -> Result<Share, Refusal> {
        match self.ask(Want::Chain { steps }).await? {
            Granted::Chain(id) => Ok(Share::new(self, id, true)),
            // A chain is granted as a chain.
            Granted::Call { .. } => Err(Refusal::Gone),
        }
    }

    /// Keeps back what the judge needs at least, by number of candidates.
    pub(super) fn keep_for_judge(&self, needs: Vec<Need>) {
        self.lock().balance.keep_for_judge(needs);
    }

    /// What one candidate more would add to what the judge needs.
    pub(super) fn judge_share(&self) -> Need {
        self.lock().balance.judge_share()
    }

    /// What was kept back for the judge.
    pub(super) fn allot_to_judge(self: &Arc<Self>) -> Share {
        let id = self.lock().balance.allot_to_judge();
        Share::new(self, id, false)
    }

    async fn ask(self: &Arc<Self>, want: Want) -> Result<Granted, Refusal> {
        let waiting = {
            let mut state = self.lock();
            // Those that came before go first.
            let may_take_more = state.is_first(&want);
            match state.balance.judge(&self.caps, &want, may_take_more) {
                Verdict::Fits => return Ok(state.balance.grant(&self.caps, &want, may_take_more)),
                Verdict::Never(refusal) => return Err(refusal),
                Verdict::Later => {
                    let (number, answer) = state.enqueue(want.clone());
                    Waiting { run_budget: Arc::clone(self), number, want, answer, is_over: false }
                }
            }
        };
        waiting.answer().await
    }

    /// A state that a panic left behind is whole: nothing in between can fail.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// True when nobody waits before this one.
    fn is_first(&self, want: &Want) -> bool {
        self.calls.is_empty() && (matches!(want, Want::Call { .. }) || self.chains.is_empty())
    }

    fn enqueue(&mut self, want: Want) -> (u64, oneshot::Receiver<Result<Granted, Refusal>>) {
        let (sender, receiver) = oneshot::channel();
        let number = self.next;
        self.next += 1;
        let queue = if matches!(want, Want::Call { .. }) { &mut self.calls } else { &mut self.chains };
        queue.push_back(Waiter { number, want, answer: sender });
        (number, receiver)
    }

    /// Answers those at the heads of the queues that can be answered now.
    fn serve(&mut self, caps: &Caps) {
        while self.serve_one(caps) {}
    }

    fn serve_one(&mut self, caps: &Caps) -> bool {
        let queue = if self.calls.is_empty() { &mut self.chains } else { &mut self.calls };
        let Some(first) = queue.front() else { return false };
        let refusal = match self.balance.judge(caps, &first.want, true) {
            Verdict::Later => return false,
            Verdict::Fits => None,
            Verdict::Never(refusal) => Some(refusal),
        };
        let Some(Waiter { want, answer, .. }) = queue.pop_front() else { return false };
        match refusal {
            Some(refusal) => _ = answer.send(Err(refusal)),
            None => {
                let granted = self.balance.grant(caps, &want, true);
                if answer.send(Ok(granted)).is_err() {
                    self.undo(&want, granted);
                }
            }
        }
        true
    }

    /// Takes back what was granted to one who is gone.
    fn undo(&mut self, want: &Want, granted: Granted) {
        match (want, granted) {
            (Want::Call { worst, source }, Granted::Call { owns_call }) => {
                self.balance.withdraw(*worst, *source, owns_call);
            }
            (_, Granted::Chain(id)) => self.balance.end(id, false, true),
            (Want::Chain { .. }, Granted::Call { .. }) => {}
        }
    }
}

/// A place in a queue. Dropping it gives the place up, and what came with it.
struct Waiting {
    run_budget: Arc<RunBudget>,
    number: u64,
    want: Want,
    answer: oneshot::Receiver<Result<Granted, Refusal>>,
    is_over: bool,
}

impl Waiting {
    async fn answer(mut self) -> Result<Granted, Refusal> {
        // The sender is in a queue of the budget we hold a reference to, and leaves it only with an answer.
        let answer = (&mut self.answer).await.unwrap_or(Err(Refusal::Gone));
        self.is_over = true;
        answer
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let mut state = self.run_budget.lock();
        // Answers are given under the lock, so this is the last word.
        match self.answer.try_recv() {
            Ok(Ok(granted)) => state.undo(&self.want, granted),
            Ok(Err(_)) => {}
            Err(_) => {
                state.calls.retain(|waiter| waiter.number != self.number);
                state.chains.retain(|waiter| waiter.number != self.number);
            }
        }
        state.serve(&self.run_budget.caps);
    }
}

/// Money set aside for one call. Dropped before the call goes out it is as if nobody had asked; dropped after, the
/// call counts as its worst case.
#[derive(Debug)]
pub(super) struct BudgetGuard {
    run_budget: Arc<RunBudget>,
    worst: Money,
    source: Option<Source>,
    owns_call: bool,
    is_out: bool,
    is_settled: bool,
}

impl BudgetGuard {
    /// The call goes out: from now on it counts.
    pub(super) fn goes_out(&mut self) {
        self.is_out = true;
    }

    /// Sets more aside, if the caps leave as much. Never waits: the call is under way.
    pub(super) fn extend(&mut self, by: Money) -> Result<(), Refusal> {
        self.run_budget.lock().balance.extend(&self.run_budget.caps, by)?;
        self.worst = self.worst + by;
        Ok(())
    }

    /// Gives back what [`BudgetGuard::extend`] took.
    pub(super) fn shrink(&mut self, by: Money) {
        self.worst = self.worst.saturating_sub(by);
        let mut state = self.run_budget.lock();
        state.balance.shrink(by);
        state.serve(&self.run_budget.caps);
    }

    /// Nobody saw the end of the call: it may have cost `most`, unknown where its price is. It is still to be settled.
    pub(super) fn lose_sight(&self, most: Option<Money>) {
        self.run_budget.lock().unseen.add(most);
    }

    /// The call was answered. It is still to be settled.
    pub(super) fn see_answer(&self, actual: Actual) {
        self.run_budget.lock().answered.add(actual);
    }

    /// The call is over and counts as so much.
    pub(super) fn settle(mut self, counted: Money) {
        self.is_settled = true;
        let mut state = self.run_budget.lock();
        state.balance.settle(self.worst, counted, self.source);
        state.serve(&self.run_budget.caps);
    }
}

impl Drop for BudgetGuard {
    fn drop(&mut self) {
        if self.is_settled {
            return;
        }
        let mut state = self.run_budget.lock();
        if self.is_out {
            state.balance.settle(self.worst, self.worst, self.source);
        } else {
            state.balance.withdraw(self.worst, self.source, self.owns_call);
        }
        state.serve(&self.run_budget.caps);
    }
}

/// What is set aside for a chain, or for the judge. Dropping it frees what is left of it.
#[derive(Debug)]
pub(super) struct Share {
    run_budget: Arc<RunBudget>,
    id: AllotmentId,
    /// True for a chain, whose prompt the judge is to choose among.
    is_candidate: bool,
    is_complete: bool,
}

impl Share {
    fn new(run_budget: &Arc<RunBudget>, id: AllotmentId, is_candidate: bool) -> Self {
        Self { run_budget: Arc::clone(run_budget), id, is_candidate, is_complete: false }
    }

    /// Where a call of this step draws from.
    pub(super) fn source(&self, step: usize) -> Source {
        Source { allotment: self.id, step }
    }

    /// The chain has come to its end: there is something to judge.
    pub(super) fn complete(mut self) {
        self.is_complete = true;
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut state = self.run_budget.lock();
        state.balance.end(self.id, self.is_complete, self.is_candidate);
        state.serve(&self.run_budget.caps);
    }
}

#[cfg(test)]
#[path = "run_budget_tests.rs"]
mod tests;
