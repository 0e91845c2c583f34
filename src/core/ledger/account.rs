//! The account of one run: its caps, its labels, its book.
//!
//! [`Account::set_aside`] takes the worst cases of a whole chain of calls at once; the [`Allotment`] it gives has an
//! account of its own for each step, whose calls draw on it.

use std::sync::{Arc, Mutex, PoisonError};

use super::balance::Source;
use super::call_log::{BookDraw, BookHold, BookedCall, CallLog};
use super::money::Money;
use super::refusal::Refusal;
use super::reservation::Reservation;
use super::run_budget::{Answered, RunBudget, Share, Tally, Unseen};
use crate::domain::SessionId;
use crate::error::ProviderError;
use crate::provider::catalog::Price;

/// Who pays for the calls of one run. Cheap to clone; all clones are one account.
///
/// The default account has no caps and no book.
#[derive(Clone, Default)]
pub struct Account {
    run_budget: Arc<RunBudget>,
    labels: Arc<Labels>,
    call_log: Option<Arc<dyn CallLog>>,
    /// Set for a step of a chain, and for the judge.
    source: Option<Source>,
    /// Set for a step of a chain under the cap of a day.
    draw: Option<BookDraw>,
    /// What complete chains have left in the book for the judge.
    kept: Arc<Mutex<Vec<Arc<dyn BookHold>>>>,
}

/// What a run may take.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Caps {
    /// Money.
    pub budget: Option<Money>,
    /// Calls that go out, retries included.
    pub calls: Option<u64>,
    /// The price of a model whose own is unknown.
    pub assumed_price: Option<Price>,
}

/// What calls to come may take at most.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Need {
    /// Calls.
    pub calls: u64,
    /// Their worst cases together.
    pub money: Money,
}

impl Need {
    /// A chain of one call for each step.
    pub fn of_steps(steps: &[Money]) -> Self {
        Self { calls: steps.len() as u64, money: steps.iter().copied().sum() }
    }

    /// So many times as much.
    #[must_use]
    pub const fn times(self, number: u64) -> Self {
        Self { calls: self.calls.saturating_mul(number), money: self.money.times(number) }
    }

    /// The difference, each part at least nothing.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self { calls: self.calls.saturating_sub(other.calls), money: self.money.saturating_sub(other.money) }
    }

    /// True when there is as much of both.
    pub fn fits(self, left: Self) -> bool {
        self.calls <= left.calls && self.money <= left.money
    }
}

impl std::ops::Add for Need {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { calls: self.calls.saturating_add(other.calls), money: self.money + other.money }
    }
}

/// Under which names the calls of a run are written down.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Labels {
    /// The run.
    pub session: Option<SessionId>,
    /// The operation: `generate`.
    pub command: &'static str,
    /// The labels of its prompts.
    pub tags: Vec<String>,
}

/// A call that wants to go out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The provider, by its name in the configuration.
    pub provider: String,
    /// The model.
    pub model: String,
    /// What for: a phase's name, `judge`, `embedding`.
    pub purpose: &'static str,
    /// False for what is part of this program and free: it counts as a call and is not written down.
    pub is_booked: bool,
}

/// The most a call can cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorstCase {
    /// So much.
    Most(Money),
    /// The price is unknown, and none was assumed.
    UnknownPrice,
    /// Nothing bounds the length of the answer.
    Unbounded,
}

impl WorstCase {
    /// The amount, where there is one.
    pub const fn amount(self) -> Option<Money> {
        match self {
            Self::Most(amount) => Some(amount),
            Self::UnknownPrice | Self::Unbounded => None,
        }
    }
}

impl Account {
    /// The account of a run.
    pub fn open(caps: Caps, labels: Labels, call_log: Option<Arc<dyn CallLog>>) -> Self {
        Self { run_budget: Arc::new(RunBudget::new(caps)), labels: Arc::new(labels), call_log, ..Self::default() }
    }

    /// The account of a run that is taken up again, with what it has taken before.
    pub fn reopen(caps: Caps, labels: Labels, call_log: Option<Arc<dyn CallLog>>, taken: Need) -> Self {
        Self { run_budget: Arc::new(RunBudget::reopened(caps, taken)), ..Self::open(caps, labels, call_log) }
    }

    /// The price of a model whose own is unknown.
    pub fn assumed_price(&self) -> Option<Price> {
        self.run_budget.caps().assumed_price
    }

    /// The caps of the run.
    pub fn caps(&self) -> &Caps {
        self.run_budget.caps()
    }

    /// True when a sum of dollars caps the calls of this account: the run's budget, or that of the day.
    pub fn is_capped_in_dollars(&self) -> bool {
        self.run_budget.caps().budget.is_some() || self.daily_cap().is_some()
    }

    /// True when anything caps the calls of this account.
    pub fn is_capped(&self) -> bool {
        self.run_budget.caps().calls.is_some() || self.is_capped_in_dollars()
    }

    /// The most that may be spent a day.
    pub fn daily_cap(&self) -> Option<Money> {
        self.call_log.as_ref().and_then(|call_log| call_log.daily_cap())
    }

    /// What the cap of the day leaves, those under way taken at their worst case; endless without one.
    ///
    /// # Errors
    /// Why the book cannot be asked.
    pub async fn left_today(&self) -> Result<Money, Refusal> {
        match &self.call_log {
            Some(call_log) => match call_log.daily_cap() {
                Some(cap) => Ok(cap.saturating_sub(call_log.counted_today().await?)),
                None => Ok(Money::MAX),
            },
            None => Ok(Money::MAX),
        }
    }

    /// What the run's own caps leave; what is not capped is endless.
    pub fn left(&self) -> Need {
        self.run_budget.left()
    }

    /// Sets aside the worst cases of a chain of calls, one for each step. Waits while others may leave room for it.
    /// Dropping the future before it answers leaves everything as it was.
    ///
    /// # Errors
    /// What keeps it from being made whole.
    pub async fn set_aside(&self, steps: Vec<Money>) -> Result<Allotment, Refusal> {
        let for_judge = self.run_budget.judge_share();
        let share = self.run_budget.allot(steps.clone()).await?;
        let money = Need::of_steps(&steps).money;
        let hold = match self.call_log.as_ref().filter(|_| money > Money::ZERO) {
            Some(call_log) => call_log.set_aside(money + for_judge.money).await?.map(Arc::from),
            None => None,
        };
        Ok(Allotment { share, account: self.clone(), steps, for_judge: for_judge.money, hold })
    }

    /// Keeps back what a judge needs at least, by number of candidates, as chains are set aside. To be said before the
    /// first one.
    pub fn keep_for_judge(&self, needs: Vec<Need>) {
        self.run_budget.keep_for_judge(needs);
    }

    /// What was kept back for the judge. No more is kept back after this.
    pub fn judge_allotment(&self) -> Allotment {
        // The judge's calls ask for what is free with this.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let share = self.run_budget.allot_to_judge();
        Allotment { share, account: self.clone(), steps: Vec::new(), for_judge: Money::ZERO, hold: None }
    }

    /// What the run has taken so far.
    pub fn tally(&self) -> Tally {
        self.run_budget.tally()
    }

    /// The calls of the run so far that were answered.
    pub fn answered(&self) -> Answered {
        self.run_budget.answered()
    }

    /// The calls of the run so far that were cut off before it was known what they cost.
    pub fn unseen(&self) -> Unseen {
        self.run_budget.unseen()
    }

    /// Sets the worst case of a call aside. Call it right before the request goes out, and settle what comes back.
    ///
    /// Waits while calls under way may leave room for it. Dropping the future before it answers leaves everything
    /// as it was.
    ///
    /// # Errors
    /// `budget_exceeded` when the call could pass a cap, or a cap in dollars cannot be kept because its worst case is
    /// unknown; `storage` when the daily cap cannot be asked for. Nothing may be sent then.
    pub async fn reserve(&self, call: Call, worst: WorstCase) -> Result<Reservation, ProviderError> {
        self.admit(&call, worst).await.map_err(|refusal| refusal.of(&call.provider, self.labels.command))
    }

    async fn admit(&self, call: &Call, worst: WorstCase) -> Result<Reservation, Refusal> {
        let call_log = self.call_log.as_ref().filter(|_| call.is_booked);
        let is_capped =
            self.run_budget.caps().budget.is_some() || call_log.is_some_and(|call_log| call_log.daily_cap().is_some());
        if is_capped {
            match worst {
                WorstCase::Most(_) => {}
                WorstCase::UnknownPrice => return Err(Refusal::UnknownPrice { model: call.model.clone() }),
                WorstCase::Unbounded => return Err(Refusal::UnboundedAnswer { model: call.model.clone() }),
            }
        }
        let mut hold = self.run_budget.reserve(worst.amount().unwrap_or_default(), self.source).await?;
        let entry = match call_log {
            Some(call_log) => {
                let booked = BookedCall {
                    labels: Arc::clone(&self.labels),
                    provider: call.provider.clone(),
                    model: call.model.clone(),
                    purpose: call.purpose,
                    worst: worst.amount(),
                    draw: self.draw,
                };
                Some(call_log.admit(booked).await?)
            }
            None => None,
        };
        hold.goes_out();
        Ok(Reservation::new(hold, entry, worst.amount(), is_capped))
    }
}

/// What is set aside for a chain of calls. Dropped before [`Allotment::complete`] the chain came to nothing; either way
/// what is left of it is free again.
pub struct Allotment {
    share: Share,
    account: Account,
    steps: Vec<Money>,
    for_judge: Money,
    hold: Option<Arc<dyn BookHold>>,
}

impl Allotment {
    /// The account of the calls of this step, from 0; for the judge any step will do.
    pub fn account(&self, step: usize) -> Account {
        let later: Money = self.steps.iter().skip(step + 1).copied().sum();
        let draw = self.hold.as_ref().map(|hold| BookDraw { id: hold.id(), keep: later + self.for_judge });
        Account { source: Some(self.share.source(step)), draw, ..self.account.clone() }
    }

    /// The chain has come to its end, and there is something for the judge.
    pub fn complete(self) {
        if let Some(hold) = self.hold.filter(|_| self.for_judge > Money::ZERO) {
            self.account.kept.lock().unwrap_or_else(PoisonError::into_inner).push(hold);
        }
        self.share.complete();
    }
}

/// Equal when they are the same account.
impl PartialEq for Account {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.run_budget, &other.run_budget)
    }
}

impl std::fmt::Debug for Account {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Account").field("till", &self.run_budget).field("labels", &self.labels).finish_non_exhaustive()
    }
}
