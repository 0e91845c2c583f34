//! The budget of one run: admits, queues or refuses calls and chains of calls within its caps.
//!
//! One small state under a lock that is never held across an await; the arithmetic is in
//! [`super::balance`]. What fits is admitted; what would fit if others cost less than their worst
//! case waits, first come first served; what cannot fit in any case is refused.
//!
//! Calls wait only for calls under way, which end by themselves, because a call can hold a permit
//! that another chain needs. Chains hold nothing yet, so they wait for calls and other chains, and
//! are served after calls. So no request waits for one that waits; one that gives up has no effect.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use super::account::{Caps, Need};
use super::balance::{Admissibility, AdmissionRequest, AllotmentId, Balance, Grant, Source};
use super::money::Money;
use super::refusal::Refusal;
use super::reservation::CallUsage;
use crate::domain::ModelMetadata;

pub use super::balance::Tally;

/// Enforces the caps of one run.
#[derive(Debug, Default)]
pub(super) struct RunBudget {
    caps: Caps,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    balance: Balance,
    unseen: UnseenCalls,
    answered: AnsweredUsage,
    /// The queue of waiting calls.
    calls: VecDeque<Waiter>,
    /// The queue of waiting chains.
    chains: VecDeque<Waiter>,
    /// The number of the next waiter.
    next: u64,
}

/// The total usage of a run's answered calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AnsweredUsage {
    calls: u32,
    input_tokens: u64,
    output_tokens: u64,
    cost: Money,
    unpriced: u32,
}

impl AnsweredUsage {
    fn add(&mut self, actual: CallUsage) {
        self.calls += 1;
        self.input_tokens += actual.input_tokens;
        self.output_tokens += actual.output_tokens;
        self.cost = self.cost + actual.cost.unwrap_or_default();
        self.unpriced += u32::from(actual.cost.is_none());
    }

    /// The part added since `earlier` was taken.
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

    /// The total as metadata without a provider; `None` without a call.
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

/// The calls of a run that were cut off before their cost was known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnseenCalls {
    /// Their number.
    pub calls: u64,
    /// The most they may have cost together, as far as prices are known.
    pub most: Money,
    /// True if the price of one is unknown.
    pub has_unknown_price: bool,
}

impl UnseenCalls {
    fn add(&mut self, most: Option<Money>) {
        self.calls += 1;
        self.most = self.most + most.unwrap_or_default();
        self.has_unknown_price |= most.is_none();
    }

    /// True if one of them may have been billed.
    pub fn may_have_cost(self) -> bool {
        self.has_unknown_price || self.most > Money::ZERO
    }

    /// The metadata of a run whose answered calls took `answered`.
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

/// The calls of one part of a run.
#[derive(Debug, Default)]
pub(super) struct UsageScope(Mutex<(AnsweredUsage, UnseenCalls)>);

impl UsageScope {
    pub(super) fn answered(&self) -> AnsweredUsage {
        self.lock().0
    }

    pub(super) fn unseen(&self) -> UnseenCalls {
        self.lock().1
    }

    fn lock(&self) -> MutexGuard<'_, (AnsweredUsage, UnseenCalls)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request that waits for room.
#[derive(Debug)]
struct Waiter {
    number: u64,
    want: AdmissionRequest,
    answer: oneshot::Sender<Result<Grant, Refusal>>,
}

impl RunBudget {
    pub(super) fn new(caps: Caps) -> Self {
        Self { caps, state: Mutex::default() }
    }

    /// A budget of which an earlier attempt took `taken`.
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

    /// The calls whose end was not seen.
    pub(super) fn unseen(&self) -> UnseenCalls {
        self.lock().unseen
    }

    /// The usage of the answered calls.
    pub(super) fn answered(&self) -> AnsweredUsage {
        self.lock().answered
    }

    /// What is left of the caps; the maximum for what is not capped.
    pub(super) fn left(&self) -> Need {
        self.lock().balance.left(&self.caps)
    }

    /// Reserves a call's worst case, waiting if that can help. Dropping the future changes nothing.
    pub(super) async fn reserve(
        self: &Arc<Self>,
        worst: Money,
        source: Option<Source>,
        scope: Option<Arc<UsageScope>>,
    ) -> Result<BudgetGuard, Refusal> {
        let want = AdmissionRequest::Call { worst, source };
        let granted = self.ask(want).await?;
        let owns_call = matches!(granted, Grant::Call { owns_call: true });
        let run_budget = Arc::clone(self);
        Ok(BudgetGuard { run_budget, scope, worst, source, owns_call, is_out: false, is_settled: false })
    }

    /// Reserves a whole chain, waiting if that can help. Dropping the future changes nothing.
    pub(super) async fn allot(self: &Arc<Self>, steps: Vec<Money>) -> Result<AllotmentGuard, Refusal> {
        match self.ask(AdmissionRequest::Chain { steps }).await? {
            Grant::Chain(id) => Ok(AllotmentGuard::new(self, id, true)),
            // Cannot happen: a chain is granted as a chain.
            Grant::Call { .. } => Err(Refusal::Gone),
        }
    }

    /// As [`RunBudget::allot`], for calls in any order. The run must not hold back for a judge.
    pub(super) async fn allot_calls(self: &Arc<Self>, need: Need) -> Result<AllotmentGuard, Refusal> {
        match self.ask(AdmissionRequest::Calls { need }).await? {
            Grant::Chain(id) => Ok(AllotmentGuard::new(self, id, false)),
            Grant::Call { .. } => Err(Refusal::Gone),
        }
    }

    /// Holds back the least that the judge needs, by number of candidates.
    pub(super) fn keep_for_judge(&self, needs: Vec<Need>) {
        self.lock().balance.keep_for_judge(needs);
    }

    /// The judge's additional need for one more candidate.
    pub(super) fn judge_share(&self) -> Need {
        self.lock().balance.judge_share()
    }

    /// The share held back for the judge.
    pub(super) fn allot_to_judge(self: &Arc<Self>) -> AllotmentGuard {
        let id = self.lock().balance.allot_to_judge();
        AllotmentGuard::new(self, id, false)
    }

    async fn ask(self: &Arc<Self>, want: AdmissionRequest) -> Result<Grant, Refusal> {
        let waiting = {
            let mut state = self.lock();
            // Earlier requests go first.
            let may_take_more = state.is_first(&want);
            match state.balance.judge(&self.caps, &want, may_take_more) {
                Admissibility::Fits => return Ok(state.balance.grant(&self.caps, &want, may_take_more)),
                Admissibility::Never(refusal) => return Err(refusal),
                Admissibility::Later => {
                    let (number, answer) = state.enqueue(want.clone());
                    QueueGuard { run_budget: Arc::clone(self), number, want, answer, is_over: false }
                }
            }
        };
        waiting.answer().await
    }

    /// Ignores poisoning: no code under the lock leaves the state inconsistent.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// True if nothing waits before this request.
    fn is_first(&self, want: &AdmissionRequest) -> bool {
        self.calls.is_empty() && (matches!(want, AdmissionRequest::Call { .. }) || self.chains.is_empty())
    }

    fn enqueue(&mut self, want: AdmissionRequest) -> (u64, oneshot::Receiver<Result<Grant, Refusal>>) {
        let (sender, receiver) = oneshot::channel();
        let number = self.next;
        self.next += 1;
        let queue = if matches!(want, AdmissionRequest::Call { .. }) { &mut self.calls } else { &mut self.chains };
        queue.push_back(Waiter { number, want, answer: sender });
        (number, receiver)
    }

    /// Answers the requests at the heads of the queues that can be answered now.
    fn serve(&mut self, caps: &Caps) {
        while self.serve_one(caps) {}
    }

    fn serve_one(&mut self, caps: &Caps) -> bool {
        let queue = if self.calls.is_empty() { &mut self.chains } else { &mut self.calls };
        let Some(first) = queue.front() else { return false };
        let refusal = match self.balance.judge(caps, &first.want, true) {
            Admissibility::Later => return false,
            Admissibility::Fits => None,
            Admissibility::Never(refusal) => Some(refusal),
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

    /// Takes back a grant whose requester is gone.
    fn undo(&mut self, want: &AdmissionRequest, granted: Grant) {
        match (want, granted) {
            (AdmissionRequest::Call { worst, source }, Grant::Call { owns_call }) => {
                self.balance.withdraw(*worst, *source, owns_call);
            }
            (want, Grant::Chain(id)) => {
                self.balance.end(id, false, matches!(want, AdmissionRequest::Chain { .. }));
            }
            (AdmissionRequest::Chain { .. } | AdmissionRequest::Calls { .. }, Grant::Call { .. }) => {}
        }
    }
}

/// A place in a queue. Dropping it leaves the queue and returns what was granted meanwhile.
struct QueueGuard {
    run_budget: Arc<RunBudget>,
    number: u64,
    want: AdmissionRequest,
    answer: oneshot::Receiver<Result<Grant, Refusal>>,
    is_over: bool,
}

impl QueueGuard {
    async fn answer(mut self) -> Result<Grant, Refusal> {
        // The sender is in a queue of the budget, which we keep alive, and leaves only to answer.
        let answer = (&mut self.answer).await.unwrap_or(Err(Refusal::Gone));
        self.is_over = true;
        answer
    }
}

impl Drop for QueueGuard {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let mut state = self.run_budget.lock();
        // Answers are sent under the lock, so none can follow.
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

/// The money reserved for one call. Dropping it before the call is sent undoes the request;
/// dropping it after counts the call as its worst case.
#[derive(Debug)]
pub(super) struct BudgetGuard {
    run_budget: Arc<RunBudget>,
    /// Counts it as well.
    scope: Option<Arc<UsageScope>>,
    worst: Money,
    source: Option<Source>,
    owns_call: bool,
    is_out: bool,
    is_settled: bool,
}

impl BudgetGuard {
    /// Marks the call as sent: from now on it counts.
    pub(super) fn mark_sent(&mut self) {
        self.is_out = true;
    }

    /// Reserves more, if the caps leave that much. Never waits, because the call is under way.
    pub(super) fn extend(&mut self, by: Money) -> Result<(), Refusal> {
        self.run_budget.lock().balance.extend(&self.run_budget.caps, by)?;
        self.worst = self.worst + by;
        Ok(())
    }

    /// Releases what [`BudgetGuard::extend`] reserved.
    pub(super) fn shrink(&mut self, by: Money) {
        self.worst = self.worst.saturating_sub(by);
        let mut state = self.run_budget.lock();
        state.balance.shrink(by);
        state.serve(&self.run_budget.caps);
    }

    /// Counts the call as unseen: it may have cost `most`, `None` if unknown. Does not settle it.
    pub(super) fn count_unseen(&self, most: Option<Money>) {
        self.run_budget.lock().unseen.add(most);
        if let Some(scope) = &self.scope {
            scope.lock().1.add(most);
        }
    }

    /// Counts the call as answered. Does not settle it.
    pub(super) fn count_answered(&self, actual: CallUsage) {
        self.run_budget.lock().answered.add(actual);
        if let Some(scope) = &self.scope {
            scope.lock().0.add(actual);
        }
    }

    /// Undoes the call.
    pub(super) fn take_back(mut self) {
        self.is_out = false;
    }

    /// Ends the call, which counts as `counted`.
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

/// The reservation of a chain or of the judge. Dropping it releases the rest.
#[derive(Debug)]
pub(super) struct AllotmentGuard {
    run_budget: Arc<RunBudget>,
    id: AllotmentId,
    /// True for a chain, whose prompt is a candidate for the judge.
    is_candidate: bool,
    is_complete: bool,
}

impl AllotmentGuard {
    fn new(run_budget: &Arc<RunBudget>, id: AllotmentId, is_candidate: bool) -> Self {
        Self { run_budget: Arc::clone(run_budget), id, is_candidate, is_complete: false }
    }

    /// The source for a call of this step.
    pub(super) fn source(&self, step: usize) -> Source {
        Source { allotment: self.id, step }
    }

    /// Ends the chain as complete: its prompt can be judged.
    pub(super) fn complete(mut self) {
        self.is_complete = true;
    }
}

impl Drop for AllotmentGuard {
    fn drop(&mut self) {
        let mut state = self.run_budget.lock();
        state.balance.end(self.id, self.is_complete, self.is_candidate);
        state.serve(&self.run_budget.caps);
    }
}

#[cfg(test)]
#[path = "run_budget_tests.rs"]
mod tests;
