//! The arithmetic of one run's caps: what is spent, reserved and left. No locks, no waiting.
//!
//! There are two kinds of reservation: the worst case of a call under way, and an *allotment*, the
//! worst cases of a whole chain of calls before its first one is sent. A call of a chain draws on
//! its allotment: first its own call and money, then what the caps leave, then the money planned
//! for the later steps (which gets back what the call does not use). What a step did not need is
//! released when the next step's call is sent, and the rest when the chain ends.
//!
//! A run with a judge holds back the least the judge needs for as many candidates as there are
//! chains, so a chain is admitted only with its judge share.
//!
//! Invariants: `spent + reserved` never exceeds the budget and `calls + promised` never exceeds the
//! cap of calls, except that a charge above its reservation is recorded as it is.

use std::collections::BTreeMap;

use super::account::{Caps, Need};
use super::money::Money;
use super::refusal::Refusal;

/// What a run took so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Calls sent.
    pub calls: u64,
    /// The amount counted for ended calls.
    pub spent: Money,
    /// The worst case of calls under way, and the reservations for later calls.
    pub reserved: Money,
}

/// The id of an allotment.
pub(super) type AllotmentId = u64;

/// The allotment that a call draws on, and its step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) allotment: AllotmentId,
    pub(super) step: usize,
}

/// A request for admission.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum AdmissionRequest {
    /// One call.
    Call { worst: Money, source: Option<Source> },
    /// All steps of a chain, one call each.
    Chain { steps: Vec<Money> },
    /// Calls in any order, any of which can draw on all of it.
    Calls { need: Need },
}

/// A granted request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grant {
    /// The call may be sent. `owns_call` is true if its allotment paid for the call.
    Call { owns_call: bool },
    /// The chain is reserved as this allotment.
    Chain(AllotmentId),
}

/// Whether a request fits the caps.
pub(super) enum Admissibility {
    /// It fits now.
    Fits,
    /// It could fit once others have ended.
    Later,
    /// It can never fit.
    Never(Refusal),
}

/// The state of one run's caps.
#[derive(Debug, Default)]
pub(super) struct Balance {
    pub(super) tally: Tally,
    /// Calls still held by allotments and the judge's reserve.
    promised: u64,
    /// Calls sent and not ended.
    under_way: usize,
    /// Their worst cases.
    out: Money,
    allotments: BTreeMap<AllotmentId, AllotmentState>,
    next: AllotmentId,
    judge: JudgeReserve,
}

/// What an allotment still holds.
#[derive(Debug)]
struct AllotmentState {
    calls: u64,
    money: Money,
    /// The worst case of each step; empty if any call may draw on all of it.
    plan: Vec<Money>,
}

/// What is held back for the judge.
#[derive(Debug, Default)]
struct JudgeReserve {
    /// The least that the judge needs, by number of candidates. Never decreases.
    needs: Vec<Need>,
    /// Chains that are running or complete.
    candidates: usize,
}

/// How a call is paid.
struct Payment {
    owns_call: bool,
    /// Taken from what the caps leave.
    more: Money,
    /// What the allotment holds afterwards, and what it releases.
    kept: Money,
    returned: Money,
}

impl AllotmentState {
    /// The need of the steps after this one.
    fn later(&self, step: usize) -> Need {
        let later = self.plan.get(step + 1..).unwrap_or_default();
        Need { calls: later.len() as u64, money: later.iter().copied().sum() }
    }
}

impl JudgeReserve {
    fn need_of(&self, candidates: usize) -> Need {
        self.needs.get(candidates).or(self.needs.last()).copied().unwrap_or_default()
    }

    fn kept(&self) -> Need {
        self.need_of(self.candidates)
    }

    /// The additional need of one more candidate.
    fn share(&self) -> Need {
        self.need_of(self.candidates + 1).saturating_sub(self.kept())
    }
}

impl Balance {
    /// What is left of the caps; the maximum for what is not capped.
    pub(super) fn left(&self, caps: &Caps) -> Need {
        let Tally { calls, spent, reserved } = self.tally;
        Need {
            calls: caps.calls.map_or(u64::MAX, |cap| cap.saturating_sub(calls).saturating_sub(self.promised)),
            money: caps.budget.map_or(Money::MAX, |cap| cap.saturating_sub(spent + reserved)),
        }
    }

    /// Whether this could be granted now. `may_take_more` is false while earlier requests wait; a
    /// call can use its own allotment even then.
    pub(super) fn judge(&self, caps: &Caps, want: &AdmissionRequest, may_take_more: bool) -> Admissibility {
        match want {
            AdmissionRequest::Call { worst, source } => self.judge_call(caps, *worst, *source, may_take_more),
            AdmissionRequest::Chain { steps } => self.judge_chain(caps, Need::of_steps(steps), may_take_more),
            AdmissionRequest::Calls { need } => self.judge_chain(caps, *need, may_take_more),
        }
    }

    fn judge_call(&self, caps: &Caps, worst: Money, source: Option<Source>, may_take_more: bool) -> Admissibility {
        let Tally { calls, spent, reserved } = self.tally;
        let left = self.left(caps);
        let payment = self.payment(worst, source, if may_take_more { left.money } else { Money::ZERO });
        let own = source.and_then(|source| self.allotments.get(&source.allotment));
        let is_short_of_calls = !payment.owns_call && left.calls == 0;
        if let Some(cap) = caps.calls.filter(|_| is_short_of_calls) {
            // Cannot fit even if every other chain released what it holds.
            let held = own.map_or(0, |own| own.calls);
            if self.under_way == 0 || calls + held >= cap {
                return Admissibility::Never(Refusal::Calls { cap, wanted: calls + self.promised + 1 });
            }
        }
        // A charge above its reservation takes money that was promised to others.
        let is_overdrawn = caps.budget.is_some_and(|cap| spent + self.out + worst > cap);
        let is_short_of_money = payment.more > left.money || is_overdrawn;
        if let Some(cap) = caps.budget.filter(|_| is_short_of_money) {
            let held = own.map_or(Money::ZERO, |own| own.money);
            let wanted = if is_overdrawn { worst } else { payment.more };
            // Cannot fit even if all calls under way turned out to cost nothing.
            if self.under_way == 0 || spent + worst.max(held + payment.more) > cap {
                return Admissibility::Never(Refusal::Budget { cap, spent, reserved, wanted });
            }
        }
        let needs_more = !payment.owns_call || payment.more > Money::ZERO;
        if is_short_of_calls || is_short_of_money || (needs_more && !may_take_more) {
            return Admissibility::Later;
        }
        Admissibility::Fits
    }

    fn judge_chain(&self, caps: &Caps, chain: Need, may_take_more: bool) -> Admissibility {
        let left = self.left(caps);
        let wanted = chain + self.judge.share();
        let is_judged = self.judge.share() != Need::default();
        let is_idle = self.under_way == 0 && self.allotments.is_empty();
        // The need if every other chain were undone and the judge had only this candidate.
        let at_least = chain + self.judge.need_of(1);
        if let Some(cap) = caps.calls.filter(|_| wanted.calls > left.calls)
            && (is_idle || self.tally.calls + at_least.calls > cap)
        {
            return Admissibility::Never(Refusal::ChainCalls {
                cap,
                left: left.calls,
                wanted: wanted.calls,
                is_judged,
            });
        }
        if let Some(cap) = caps.budget.filter(|_| wanted.money > left.money)
            && (is_idle || self.tally.spent + at_least.money > cap)
        {
            return Admissibility::Never(Refusal::ChainBudget {
                cap,
                left: left.money,
                wanted: wanted.money,
                is_judged,
            });
        }
        if !may_take_more || wanted.calls > left.calls || wanted.money > left.money {
            return Admissibility::Later;
        }
        Admissibility::Fits
    }

    /// How a call would be paid with this much left outside the allotments.
    fn payment(&self, worst: Money, source: Option<Source>, left: Money) -> Payment {
        let own = source.and_then(|source| Some((self.allotments.get(&source.allotment)?, source.step)));
        let Some((own, step)) = own else {
            return Payment { owns_call: false, more: worst, kept: Money::ZERO, returned: Money::ZERO };
        };
        let later = own.later(step);
        let owns_call = own.calls > later.calls;
        let whole = worst + later.money;
        let is_planned = !own.plan.is_empty();
        if own.money >= whole {
            let rest = own.money.saturating_sub(worst);
            let kept = if is_planned { later.money } else { rest };
            return Payment { owns_call, more: Money::ZERO, kept, returned: rest.saturating_sub(kept) };
        }
        let lacking = whole.saturating_sub(own.money);
        let (more, kept) = if lacking <= left {
            (lacking, later.money)
        } else {
            (worst.saturating_sub(own.money), own.money.saturating_sub(worst))
        };
        Payment { owns_call, more, kept, returned: Money::ZERO }
    }

    /// Grants a request that [`Balance::judge`] found to fit.
    pub(super) fn grant(&mut self, caps: &Caps, want: &AdmissionRequest, may_take_more: bool) -> Grant {
        match want {
            AdmissionRequest::Call { worst, source } => {
                let left = if may_take_more { self.left(caps).money } else { Money::ZERO };
                let payment = self.payment(*worst, *source, left);
                self.tally.calls += 1;
                self.tally.reserved = (self.tally.reserved + payment.more).saturating_sub(payment.returned);
                self.under_way += 1;
                self.out = self.out + *worst;
                if payment.owns_call {
                    self.promised -= 1;
                }
                if let Some(own) = source.and_then(|source| self.allotments.get_mut(&source.allotment)) {
                    own.money = payment.kept;
                    own.calls -= u64::from(payment.owns_call);
                }
                Grant::Call { owns_call: payment.owns_call }
            }
            AdmissionRequest::Chain { steps } => {
                let share = self.judge.share();
                self.judge.candidates += 1;
                self.hold(share);
                Grant::Chain(self.allot(Need::of_steps(steps), steps.clone()))
            }
            AdmissionRequest::Calls { need } => Grant::Chain(self.allot(*need, Vec::new())),
        }
    }

    fn allot(&mut self, need: Need, plan: Vec<Money>) -> AllotmentId {
        let id = self.next;
        self.next += 1;
        self.hold(need);
        self.allotments.insert(id, AllotmentState { calls: need.calls, money: need.money, plan });
        id
    }

    fn hold(&mut self, need: Need) {
        self.promised += need.calls;
        self.tally.reserved = self.tally.reserved + need.money;
    }

    fn release(&mut self, need: Need) {
        self.promised = self.promised.saturating_sub(need.calls);
        self.tally.reserved = self.tally.reserved.saturating_sub(need.money);
    }

    /// Undoes a call that was granted but not sent.
    pub(super) fn withdraw(&mut self, worst: Money, source: Option<Source>, owns_call: bool) {
        self.tally.calls -= 1;
        self.under_way -= 1;
        self.out = self.out.saturating_sub(worst);
        match source.and_then(|source| self.allotments.get_mut(&source.allotment)) {
            Some(own) => {
                own.money = own.money + worst;
                own.calls += u64::from(owns_call);
                self.promised += u64::from(owns_call);
            }
            None => self.tally.reserved = self.tally.reserved.saturating_sub(worst),
        }
    }

    /// Ends a call, which counts as `counted`. The rest of `reserved` returns to its allotment, if
    /// that still exists.
    pub(super) fn settle(&mut self, reserved: Money, counted: Money, source: Option<Source>) {
        self.under_way -= 1;
        self.out = self.out.saturating_sub(reserved);
        self.tally.spent = self.tally.spent + counted;
        self.tally.reserved = self.tally.reserved.saturating_sub(reserved);
        if let Some(own) = source.and_then(|source| self.allotments.get_mut(&source.allotment)) {
            let rest = reserved.saturating_sub(counted);
            own.money = own.money + rest;
            self.tally.reserved = self.tally.reserved + rest;
        }
    }

    /// Reserves more for a call under way, if the caps leave that much.
    pub(super) fn extend(&mut self, caps: &Caps, by: Money) -> Result<(), Refusal> {
        let left = self.left(caps);
        match caps.budget.filter(|_| by > left.money) {
            Some(cap) => {
                let Tally { spent, reserved, .. } = self.tally;
                Err(Refusal::Budget { cap, spent, reserved, wanted: by })
            }
            None => {
                self.tally.reserved = self.tally.reserved + by;
                self.out = self.out + by;
                Ok(())
            }
        }
    }

    /// Releases what [`Balance::extend`] reserved.
    pub(super) fn shrink(&mut self, by: Money) {
        self.out = self.out.saturating_sub(by);
        self.tally.reserved = self.tally.reserved.saturating_sub(by);
    }

    /// Ends a chain and releases its allotment. A failed chain is not a candidate.
    pub(super) fn end(&mut self, id: AllotmentId, is_complete: bool, is_candidate: bool) {
        if let Some(AllotmentState { calls, money, .. }) = self.allotments.remove(&id) {
            self.release(Need { calls, money });
        }
        if is_candidate && !is_complete {
            let before = self.judge.kept();
            self.judge.candidates = self.judge.candidates.saturating_sub(1);
            self.release(before.saturating_sub(self.judge.kept()));
        }
    }

    /// Sets the least that the judge needs, by number of candidates. Called before the first chain.
    pub(super) fn keep_for_judge(&mut self, needs: Vec<Need>) {
        self.judge.needs = needs;
    }

    /// The additional need of one more candidate.
    pub(super) fn judge_share(&self) -> Need {
        self.judge.share()
    }

    /// Turns what is held back for the judge into an allotment for all of its calls.
    pub(super) fn allot_to_judge(&mut self) -> AllotmentId {
        let kept = self.judge.kept();
        self.release(kept);
        self.judge = JudgeReserve::default();
        self.allot(kept, Vec::new())
    }
}
