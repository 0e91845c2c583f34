//! The account of one run: its caps, its labels and its call log.
//!
//! [`Account::set_aside`] reserves the worst cases of a whole chain of calls at once. The
//! [`Allotment`] it returns has an account for each step, whose calls draw on it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::balance::Source;
use super::call_log::{CallLog, CallLogDraw, CallLogReservation, LoggedCall};
use super::caller::Caller;
use super::money::Money;
use super::price::Price;
use super::refusal::Refusal;
use super::reservation::Reservation;
use super::run_budget::{AllotmentGuard, AnsweredUsage, RunBudget, Tally, UnseenCalls, UsageScope};
use crate::domain::{SessionId, TraceContext};
use crate::error::ProviderError;

/// The account of the calls of one run. Cheap to clone; clones share the account.
///
/// The default account has no caps and no call log.
#[derive(Clone, Default)]
pub struct Account {
    run_budget: Arc<RunBudget>,
    labels: Arc<Labels>,
    call_log: Option<Arc<dyn CallLog>>,
    /// Set for a part of a run.
    scope: Option<Arc<UsageScope>>,
    /// Set for a step of a chain, and for the judge.
    source: Option<Source>,
    /// Set for a step of a chain under a daily cap.
    draw: Option<CallLogDraw>,
    /// For how long a call waits where the provider refuses it as too many.
    patience: Duration,
    /// What complete chains left reserved in the call log for the judge.
    kept: Arc<Mutex<Vec<Arc<dyn CallLogReservation>>>>,
}

/// The caps of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Caps {
    /// Money.
    pub budget: Option<Money>,
    /// Calls sent, retries included.
    pub calls: Option<u64>,
    /// The price to assume for models whose price is unknown.
    pub assumed_price: Option<Price>,
}

/// The most that future calls can take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Need {
    /// Calls.
    pub calls: u64,
    /// The sum of their worst cases.
    pub money: Money,
}

impl Need {
    /// The need of a chain with one call for each step.
    pub fn of_steps(steps: &[Money]) -> Self {
        Self { calls: steps.len() as u64, money: steps.iter().copied().sum() }
    }

    /// This need `number` times, saturating.
    #[must_use]
    pub const fn times(self, number: u64) -> Self {
        Self { calls: self.calls.saturating_mul(number), money: self.money.times(number) }
    }

    /// The difference, each part at least zero.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self { calls: self.calls.saturating_sub(other.calls), money: self.money.saturating_sub(other.money) }
    }

    /// True if both parts fit into `left`.
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

/// The labels under which the calls of a run are recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Labels {
    /// The run.
    pub session: Option<SessionId>,
    /// The operation: `generate`.
    pub command: &'static str,
    /// The tags of its prompts.
    pub tags: Vec<String>,
    /// The client of a server that it is charged to.
    pub caller: Option<Arc<Caller>>,
    /// The distributed trace that it belongs to.
    pub trace: Option<Arc<TraceContext>>,
}

/// A call to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The provider's name in the configuration.
    pub provider: String,
    /// The model.
    pub model: String,
    /// Its purpose: a phase's name, `judge`, `embedding`.
    pub purpose: &'static str,
    /// False for free calls inside this program, which are counted but not recorded.
    pub is_logged: bool,
}

/// The most a call can cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorstCase {
    /// A known amount.
    Most(Money),
    /// The price is unknown, and none is assumed.
    UnknownPrice,
    /// The length of the answer is unbounded.
    Unbounded,
}

impl WorstCase {
    /// The amount, if known.
    pub const fn amount(self) -> Option<Money> {
        match self {
            Self::Most(amount) => Some(amount),
            Self::UnknownPrice | Self::Unbounded => None,
        }
    }
}

impl Account {
    /// Opens the account of a run.
    pub fn open(caps: Caps, labels: Labels, call_log: Option<Arc<dyn CallLog>>) -> Self {
        Self { run_budget: Arc::new(RunBudget::new(caps)), labels: Arc::new(labels), call_log, ..Self::default() }
    }

    /// Opens the account of a resumed run, with what it took before.
    pub fn reopen(caps: Caps, labels: Labels, call_log: Option<Arc<dyn CallLog>>, taken: Need) -> Self {
        Self { run_budget: Arc::new(RunBudget::reopened(caps, taken)), ..Self::open(caps, labels, call_log) }
    }

    /// The account of a part of the run: under the same caps, with its own totals of answered and
    /// unseen calls.
    #[must_use]
    pub fn scoped(&self) -> Self {
        Self { scope: Some(Arc::default()), ..self.clone() }
    }

    /// The same account for work that can wait: for so long, a call that its provider refuses as too
    /// many is repeated, and uses up neither a retry nor a call of the cap.
    #[must_use]
    pub fn patient(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// For how long a call waits where the provider refuses it as too many; zero by default.
    pub const fn patience(&self) -> Duration {
        self.patience
    }

    /// The price to assume for models whose price is unknown.
    pub fn assumed_price(&self) -> Option<Price> {
        self.run_budget.caps().assumed_price
    }

    /// The distributed trace that the calls of this account belong to.
    pub fn trace(&self) -> Option<&TraceContext> {
        self.labels.trace.as_deref()
    }

    /// The caps of the run.
    pub fn caps(&self) -> &Caps {
        self.run_budget.caps()
    }

    /// True if the run's budget or the daily budget caps the calls of this account.
    pub fn is_capped_in_dollars(&self) -> bool {
        let caller = self.caller().and_then(|caller| caller.budget);
        self.run_budget.caps().budget.is_some() || self.daily_cap().is_some() || caller.is_some()
    }

    /// True if any cap applies to the calls of this account.
    pub fn is_capped(&self) -> bool {
        let caller = self.caller().and_then(|caller| caller.max_calls);
        self.run_budget.caps().calls.is_some() || caller.is_some() || self.is_capped_in_dollars()
    }

    /// The daily cap.
    pub fn daily_cap(&self) -> Option<Money> {
        self.call_log.as_ref().and_then(|call_log| call_log.daily_cap())
    }

    /// What is left of the daily cap, calls under way at their worst case; the maximum without one.
    ///
    /// # Errors
    /// Why the call log cannot be read.
    pub async fn left_today(&self) -> Result<Money, Refusal> {
        match &self.call_log {
            Some(call_log) => match call_log.daily_cap() {
                Some(cap) => Ok(cap.saturating_sub(call_log.counted_today().await?)),
                None => Ok(Money::MAX),
            },
            None => Ok(Money::MAX),
        }
    }

    /// The client of a server that its calls are charged to.
    pub fn caller(&self) -> Option<&Arc<Caller>> {
        self.labels.caller.as_ref()
    }

    /// What is left today to the caller, calls under way at their worst case; `None` without a
    /// caller that has caps.
    ///
    /// # Errors
    /// Why the call log cannot be read.
    pub async fn left_to_caller(&self) -> Result<Option<Need>, Refusal> {
        match (&self.call_log, self.capped_caller()) {
            (Some(call_log), Some(caller)) => call_log.left_to(caller).await.map(Some),
            _ => Ok(None),
        }
    }

    fn capped_caller(&self) -> Option<Arc<Caller>> {
        self.caller().filter(|caller| caller.is_capped()).cloned()
    }

    /// What is left of the run's own caps; the maximum for what is not capped.
    pub fn left(&self) -> Need {
        self.run_budget.left()
    }

    /// Reserves the worst cases of a chain of calls, one for each step. Waits while others could
    /// leave room for it. Dropping the future before it completes changes nothing.
    ///
    /// # Errors
    /// Why the whole chain cannot be made.
    pub async fn set_aside(&self, steps: Vec<Money>) -> Result<Allotment, Refusal> {
        let for_judge = self.run_budget.judge_share();
        let share = self.run_budget.allot(steps.clone()).await?;
        let need = Need::of_steps(&steps);
        let hold = match self.call_log.as_ref().filter(|_| need.money > Money::ZERO) {
            Some(call_log) => call_log.set_aside(need + for_judge, self.capped_caller()).await?.map(Arc::from),
            None => None,
        };
        Ok(Allotment { share, account: self.clone(), steps, for_judge, hold })
    }

    /// As [`Account::set_aside`], for calls in any order, such as those of a whole run that is part of
    /// other work.
    ///
    /// # Errors
    /// Why they cannot all be made.
    pub async fn set_aside_all(&self, need: Need) -> Result<Allotment, Refusal> {
        let share = self.run_budget.allot_calls(need).await?;
        let hold = match self.call_log.as_ref().filter(|_| need.money > Money::ZERO) {
            Some(call_log) => call_log.set_aside(need, self.capped_caller()).await?.map(Arc::from),
            None => None,
        };
        Ok(Allotment { share, account: self.clone(), steps: Vec::new(), for_judge: Need::default(), hold })
    }

    /// Holds back the least that a judge needs, by number of candidates, as chains are reserved.
    /// Call it before the first one.
    pub fn keep_for_judge(&self, needs: Vec<Need>) {
        self.run_budget.keep_for_judge(needs);
    }

    /// The allotment held back for the judge. Nothing more is held back after this.
    pub fn judge_allotment(&self) -> Allotment {
        // This releases room under the daily cap, for which the judge's calls ask.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let share = self.run_budget.allot_to_judge();
        Allotment { share, account: self.clone(), steps: Vec::new(), for_judge: Need::default(), hold: None }
    }

    /// What the run took so far.
    pub fn tally(&self) -> Tally {
        self.run_budget.tally()
    }

    /// The answered calls of the run, or of this part of it, so far.
    pub fn answered(&self) -> AnsweredUsage {
        self.scope.as_ref().map_or_else(|| self.run_budget.answered(), |scope| scope.answered())
    }

    /// Those that were cut off before their cost was known.
    pub fn unseen(&self) -> UnseenCalls {
        self.scope.as_ref().map_or_else(|| self.run_budget.unseen(), |scope| scope.unseen())
    }

    /// Reserves the worst case of a call. Call it right before sending the request, and settle the
    /// reservation afterwards. Waits while calls under way could leave room for it. Dropping the
    /// future before it completes changes nothing.
    ///
    /// # Errors
    /// `budget_exceeded` when the call could exceed a cap, or has an unknown worst case under a cap
    /// in dollars; `storage` when the daily cap cannot be read. Nothing may be sent then.
    pub async fn reserve(&self, call: Call, worst: WorstCase) -> Result<Reservation, ProviderError> {
        self.admit(&call, worst).await.map_err(|refusal| refusal.of(&call.provider, self.labels.command))
    }

    async fn admit(&self, call: &Call, worst: WorstCase) -> Result<Reservation, Refusal> {
        let call_log = self.call_log.as_ref().filter(|_| call.is_logged);
        let caller_budget = self.caller().and_then(|caller| caller.budget);
        let is_capped = self.run_budget.caps().budget.is_some()
            || call_log.is_some_and(|call_log| call_log.daily_cap().is_some() || caller_budget.is_some());
        if is_capped {
            match worst {
                WorstCase::Most(_) => {}
                WorstCase::UnknownPrice => return Err(Refusal::UnknownPrice { model: call.model.clone() }),
                WorstCase::Unbounded => return Err(Refusal::UnboundedAnswer { model: call.model.clone() }),
            }
        }
        let mut hold =
            self.run_budget.reserve(worst.amount().unwrap_or_default(), self.source, self.scope.clone()).await?;
        let entry = match call_log {
            Some(call_log) => {
                let booked = LoggedCall {
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
        hold.mark_sent();
        Ok(Reservation::new(hold, entry, worst.amount(), is_capped))
    }
}

/// The reservation of a chain of calls. Dropping it before [`Allotment::complete`] means that the
/// chain failed. Either way the rest of it is released.
pub struct Allotment {
    share: AllotmentGuard,
    account: Account,
    steps: Vec<Money>,
    for_judge: Need,
    hold: Option<Arc<dyn CallLogReservation>>,
}

impl Allotment {
    /// The account of the calls of this step, from 0; for the judge any step.
    pub fn account(&self, step: usize) -> Account {
        let later = Need::of_steps(self.steps.get(step + 1..).unwrap_or_default());
        let draw = self.hold.as_ref().map(|hold| CallLogDraw { id: hold.id(), keep: later + self.for_judge });
        Account { source: Some(self.share.source(step)), draw, ..self.account.clone() }
    }

    /// Ends the chain as complete: its prompt is a candidate for the judge.
    pub fn complete(self) {
        if let Some(hold) = self.hold.filter(|_| self.for_judge.money > Money::ZERO) {
            self.account.kept.lock().unwrap_or_else(PoisonError::into_inner).push(hold);
        }
        self.share.complete();
    }
}

/// Equal if they are the same account.
impl PartialEq for Account {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.run_budget, &other.run_budget)
    }
}

impl std::fmt::Debug for Account {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Account")
            .field("run_budget", &self.run_budget)
            .field("labels", &self.labels)
            .finish_non_exhaustive()
    }
}
