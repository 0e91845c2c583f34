//! The worst case of a run's variants, and how many of them its caps buy.
//!
//! Under a cap a variant starts only if the worst cases of all its phases fit what is left, so a
//! budget buys whole prompts. This module computes, before anything is sent, how many variants are
//! certain, warns the user, and refuses a run that cannot make even one. Variants usually cost less
//! than their worst case, so more than that number can be made.

use std::sync::Arc;

use super::plan::Plan;
use crate::error::Error;
use crate::ledger::{Account, Caller, CapPeriod, Money, Need, Refusal};

/// The most that the variants can take, and the least that their judge needs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Allowance {
    /// For each variant, the worst case of each phase.
    pub variants: Vec<Vec<Money>>,
    /// The least that the judge needs, by number of candidates from 0; empty without a judge.
    pub judge: Vec<Need>,
    /// Why a cap in dollars cannot be enforced, if it cannot.
    pub obstacle: Option<Refusal>,
}

/// The caps of a run before it starts.
struct RemainingCaps {
    calls: Option<u64>,
    budget: Option<Money>,
    /// The daily cap, and what is left of it.
    day: Option<(Money, Money)>,
    /// The client of a server that is charged, and what is left today of its caps.
    caller: Option<(Arc<Caller>, Need)>,
}

impl Allowance {
    /// The warning if the caps do not buy all variants.
    ///
    /// # Errors
    /// `budget_exceeded` when the caps do not buy one variant, with the least caps that would;
    /// `storage` when the daily budget cannot be read.
    pub(super) async fn outlook(&self, account: &Account) -> Result<Option<String>, Error> {
        if let Some(refusal) = &self.obstacle {
            return Err(error_of(refusal));
        }
        let caps = account.caps();
        let costs = self.variants.iter().flatten().any(|step| *step > Money::ZERO);
        let day = match account.daily_cap().filter(|_| costs) {
            Some(cap) => Some((cap, account.left_today().await.map_err(|refusal| error_of(&refusal))?)),
            None => None,
        };
        let left = match account.caller().filter(|_| costs) {
            Some(_) => account.left_to_caller().await.map_err(|refusal| error_of(&refusal))?,
            None => None,
        };
        let caller = account.caller().cloned().zip(left);
        let standing = RemainingCaps { calls: caps.calls, budget: caps.budget, day, caller };
        let bought = self.bought(&standing.left());
        if bought == self.variants.len() {
            return Ok(None);
        }
        if bought == 0 {
            return Err(Error::Budget(self.nothing(&standing)));
        }
        Ok(Some(self.some(bought, &standing)))
    }

    /// The number of variants that fit at their worst case, taken in order.
    fn bought(&self, left: &Need) -> usize {
        let (mut taken, mut count) = (Need::default(), 0);
        for steps in &self.variants {
            let with = taken + Need::of_steps(steps);
            if (with + self.judging(count + 1)).fits(*left) {
                (taken, count) = (with, count + 1);
            }
        }
        count
    }

    fn judging(&self, candidates: usize) -> Need {
        self.judge.get(candidates).or(self.judge.last()).copied().unwrap_or_default()
    }

    /// The least that one variant needs.
    fn least(&self) -> Need {
        let one = self.variants.iter().map(|steps| Need::of_steps(steps)).min_by_key(|need| need.money);
        one.unwrap_or_default() + self.judging(1)
    }

    /// What is enough for all variants.
    fn all(&self) -> Need {
        let chains = self.variants.iter().map(|steps| Need::of_steps(steps)).fold(Need::default(), |sum, of| sum + of);
        chains + self.judging(self.variants.len())
    }

    fn nothing(&self, standing: &RemainingCaps) -> String {
        let (least, all, count) = (self.least(), self.all(), self.variants.len());
        let mut short = Vec::new();
        let mut advice = Vec::new();
        let for_all = |number: String| if count == 1 { String::new() } else { format!(" ({number} for all {count})") };
        if let Some(cap) = standing.calls.filter(|cap| least.calls > *cap) {
            short.push(format!("takes {}, more than the cap of {}", calls(least.calls), calls(cap)));
            advice.push(format!("`max_calls` to at least {}{}", least.calls, for_all(all.calls.to_string())));
        }
        if let Some(cap) = standing.budget.filter(|cap| least.money > *cap) {
            short.push(format!("may cost up to {}, more than the budget of {cap}", least.money.advised()));
            let enough = for_all(all.money.advised().to_string());
            advice.push(format!("`budget_usd` to at least {}{enough}", least.money.advised()));
        }
        if let Some((cap, left)) = standing.day.filter(|(_, left)| least.money > *left) {
            let (most, used) = (least.money.advised(), cap.saturating_sub(left));
            short
                .push(format!("may cost up to {most}, and the daily budget of {cap} leaves {left} until midnight UTC"));
            let enough = for_all((used + all.money).advised().to_string());
            let least = (used + least.money).advised();
            advice.push(format!("`spend.daily_budget_usd` to at least {least}{enough}"));
        }
        if let Some((caller, left)) = &standing.caller {
            let (who, period) = caller.period.in_words();
            let until = if caller.period == CapPeriod::Day { " until midnight UTC" } else { "" };
            if let Some(cap) = caller.max_calls.filter(|_| least.calls > left.calls) {
                let (most, used) = (calls(least.calls), cap.saturating_sub(left.calls));
                short.push(format!(
                    "takes {most}, and {who} allows {}{period} ({used} used or reserved){until}",
                    calls(cap)
                ));
                advice.push(format!("`max_calls` of {who}"));
            }
            if let Some(cap) = caller.budget.filter(|_| least.money > left.money) {
                let (most, used) = (least.money.advised(), cap.saturating_sub(left.money));
                short.push(format!(
                    "may cost up to {most}, and {who} allows {cap}{period} ({used} used or reserved){until}"
                ));
                advice.push(match caller.period {
                    CapPeriod::Day => "`budget_usd` of the token".to_owned(),
                    CapPeriod::Session => "`--budget-usd` of the server".to_owned(),
                });
            }
        }
        format!(
            "nothing was sent, because a whole variant {}; raise {}, lower `max_tokens`, or ask for fewer phases",
            short.join(", and "),
            advice.join(" and ")
        )
    }

    fn some(&self, bought: usize, standing: &RemainingCaps) -> String {
        let (least, count) = (self.least(), self.variants.len());
        let token = standing.caller.as_ref().map(|(caller, _)| caller);
        let has_dollars =
            standing.budget.is_some() || standing.day.is_some() || token.is_some_and(|caller| caller.budget.is_some());
        let mut each = Vec::new();
        if standing.calls.is_some() || token.is_some_and(|caller| caller.max_calls.is_some()) {
            each.push(format!("take {}", calls(least.calls)));
        }
        if has_dollars {
            each.push(format!("cost up to {}", least.money.advised()));
        }
        let judge = if self.judging(bought) == Need::default() { "" } else { ", beside what the judge needs" };
        let hope = if has_dollars { "; what remains is used for more" } else { "" };
        format!(
            "the cap buys {bought} of {count} variants for certain, because a whole one may {}{judge}{hope}; all are \
             certain with {}",
            each.join(" and "),
            self.enough_for_all(standing)
        )
    }

    /// The caps that are too low for all variants, each with the amount that is enough.
    fn enough_for_all(&self, standing: &RemainingCaps) -> String {
        let all = self.all();
        let mut enough = Vec::new();
        if standing.calls.is_some_and(|cap| all.calls > cap) {
            enough.push(format!("`max_calls` of at least {}", all.calls));
        }
        if standing.budget.is_some_and(|cap| all.money > cap) {
            enough.push(format!("`budget_usd` of at least {}", all.money.advised()));
        }
        if let Some((cap, left)) = standing.day.filter(|(_, left)| all.money > *left) {
            let wanted = (cap.saturating_sub(left) + all.money).advised();
            enough.push(format!("`spend.daily_budget_usd` of at least {wanted}"));
        }
        if let Some((_, left)) = &standing.caller {
            if all.calls > left.calls {
                enough.push(format!("a token that has {} left today", calls(all.calls)));
            }
            if all.money > left.money {
                enough.push(format!("a token that has {} left today", all.money.advised()));
            }
        }
        enough.join(" and ")
    }
}

impl RemainingCaps {
    fn left(&self) -> Need {
        let day = self.day.map_or(Money::MAX, |(_, left)| left);
        let all = Need { calls: u64::MAX, money: Money::MAX };
        let caller = self.caller.as_ref().map_or(all, |(_, left)| *left);
        Need {
            calls: self.calls.unwrap_or(u64::MAX).min(caller.calls),
            money: self.budget.unwrap_or(Money::MAX).min(day).min(caller.money),
        }
    }
}

/// The error of a variant that was not started.
pub(super) fn not_started(plan: &Plan, refusal: &Refusal) -> Error {
    let all = plan.allowance.as_ref().map(Allowance::all).unwrap_or_default() + plan.taken;
    let raise = match refusal {
        Refusal::ChainCalls { .. } => format!("`max_calls` to at least {}", all.calls),
        Refusal::ChainBudget { .. } => format!("`budget_usd` to at least {}", all.money.advised()),
        Refusal::ChainDay { cap, left, .. } => {
            let wanted = (cap.saturating_sub(*left) + all.money.saturating_sub(plan.taken.money)).advised();
            format!("`spend.daily_budget_usd` to at least {wanted}")
        }
        _ => return error_of(refusal),
    };
    let count = plan.count;
    Error::Budget(format!("it was not started: {refusal}; raise {raise} to be sure of all {count}, or ask for fewer"))
}

/// The error of what a cap refused.
pub(super) fn error_of(refusal: &Refusal) -> Error {
    match refusal {
        Refusal::CallLogFailed(_) => Error::Storage(refusal.to_string()),
        _ => Error::Budget(refusal.to_string()),
    }
}

fn calls(number: u64) -> String {
    format!("{number} {}", if number == 1 { "call" } else { "calls" })
}
