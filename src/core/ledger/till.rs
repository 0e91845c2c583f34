//! The till of one run: how many calls and how much money its caps still allow.
//!
//! All of it is one small state under a lock that is never held across a wait. A call that fits is let through; one that
//! would fit if calls under way turned out cheaper than their worst case waits in a queue, first come first served;
//! one that cannot fit whatever becomes of the others is refused. When nothing is under way nobody waits, so
//! the queue cannot stall, and whoever stops waiting leaves it without a trace.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use super::account::Caps;
use super::money::Money;
use super::refusal::Refusal;

/// What a run has taken so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Calls that went out.
    pub calls: u64,
    /// What the ended ones count as.
    pub spent: Money,
    /// The worst case of those under way.
    pub reserved: Money,
}

/// Keeps the caps of one run.
#[derive(Debug, Default)]
pub(super) struct Till {
    caps: Caps,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    tally: Tally,
    under_way: usize,
    queue: VecDeque<Waiter>,
    /// The number of the next one to wait.
    next: u64,
}

/// A call that waits for money to come free.
#[derive(Debug)]
struct Waiter {
    number: u64,
    worst: Money,
    answer: oneshot::Sender<Result<(), Refusal>>,
}

/// What a call is told when it asks.
enum Verdict {
    Fits,
    Later,
    Never(Refusal),
}

impl Till {
    pub(super) fn new(caps: Caps) -> Self {
        Self { caps, state: Mutex::default() }
    }

    pub(super) fn caps(&self) -> &Caps {
        &self.caps
    }

    pub(super) fn tally(&self) -> Tally {
        self.lock().tally
    }

    /// Sets `worst` aside, waiting where that may help. Dropping the future leaves everything as it was.
    pub(super) async fn reserve(self: &Arc<Self>, worst: Money) -> Result<Hold, Refusal> {
        let waiting = {
            let mut state = self.lock();
            let verdict = match state.judge(&self.caps, worst) {
                // Those that came before go first.
                Verdict::Fits if !state.queue.is_empty() => Verdict::Later,
                verdict => verdict,
            };
            match verdict {
                Verdict::Fits => {
                    state.take(worst);
                    return Ok(Hold::new(Arc::clone(self), worst));
                }
                Verdict::Never(refusal) => return Err(refusal),
                Verdict::Later => {
                    let (number, answer) = state.enqueue(worst);
                    Waiting { till: Arc::clone(self), number, worst, answer, is_over: false }
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
    fn judge(&self, caps: &Caps, worst: Money) -> Verdict {
        let Tally { calls, spent, reserved } = self.tally;
        if let Some(cap) = caps.calls.filter(|cap| calls >= *cap) {
            return Verdict::Never(Refusal::Calls { cap });
        }
        let Some(cap) = caps.budget else { return Verdict::Fits };
        if spent + reserved + worst <= cap {
            return Verdict::Fits;
        }
        // Even if all that is under way turned out to cost nothing.
        if self.under_way == 0 || spent + worst > cap {
            return Verdict::Never(Refusal::Budget { cap, spent, reserved, wanted: worst });
        }
        Verdict::Later
    }

    fn take(&mut self, worst: Money) {
        self.tally.calls += 1;
        self.tally.reserved = self.tally.reserved + worst;
        self.under_way += 1;
    }

    /// Undoes [`State::take`]: the call never went out.
    fn withdraw(&mut self, worst: Money) {
        self.tally.calls -= 1;
        self.tally.reserved = self.tally.reserved.saturating_sub(worst);
        self.under_way -= 1;
    }

    fn settle(&mut self, worst: Money, counted: Money) {
        self.tally.reserved = self.tally.reserved.saturating_sub(worst);
        self.tally.spent = self.tally.spent + counted;
        self.under_way -= 1;
    }

    fn enqueue(&mut self, worst: Money) -> (u64, oneshot::Receiver<Result<(), Refusal>>) {
        let (sender, receiver) = oneshot::channel();
        let number = self.next;
        self.next += 1;
        self.queue.push_back(Waiter { number, worst, answer: sender });
        (number, receiver)
    }

    /// Answers those at the head of the queue that can be answered now.
    fn serve(&mut self, caps: &Caps) {
        while let Some(first) = self.queue.front() {
            let verdict = match self.judge(caps, first.worst) {
                Verdict::Later => return,
                Verdict::Fits => Ok(()),
                Verdict::Never(refusal) => Err(refusal),
            };
            let Some(Waiter { worst, answer, .. }) = self.queue.pop_front() else { return };
            let is_let_through = verdict.is_ok();
            if is_let_through {
                self.take(worst);
            }
            if answer.send(verdict).is_err() && is_let_through {
                self.withdraw(worst);
            }
        }
    }
}

/// A place in the queue. Dropping it gives the place up, and what came with it.
struct Waiting {
    till: Arc<Till>,
    number: u64,
    worst: Money,
    answer: oneshot::Receiver<Result<(), Refusal>>,
    is_over: bool,
}

impl Waiting {
    async fn answer(mut self) -> Result<Hold, Refusal> {
        // The sender is in the queue of the till that we hold, and leaves it with an answer alone.
        let answer = (&mut self.answer).await.unwrap_or(Err(Refusal::Gone));
        self.is_over = true;
        answer.map(|()| Hold::new(Arc::clone(&self.till), self.worst))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let mut state = self.till.lock();
        // Answers are given under the lock, so this is the last word.
        match self.answer.try_recv() {
            Ok(Ok(())) => state.withdraw(self.worst),
            Ok(Err(_)) => {}
            Err(_) => state.queue.retain(|waiter| waiter.number != self.number),
        }
        state.serve(&self.till.caps);
    }
}

/// Money set aside for one call. Dropped before the call goes out it is as if nobody had asked; dropped after, the
/// call counts as its worst case.
#[derive(Debug)]
pub(super) struct Hold {
    till: Arc<Till>,
    worst: Money,
    is_out: bool,
    is_settled: bool,
}

impl Hold {
    fn new(till: Arc<Till>, worst: Money) -> Self {
        Self { till, worst, is_out: false, is_settled: false }
    }

    /// The call goes out: from now on it counts.
    pub(super) fn goes_out(&mut self) {
        self.is_out = true;
    }

    /// The call is over and counts as so much.
    pub(super) fn settle(mut self, counted: Money) {
        self.is_settled = true;
        let mut state = self.till.lock();
        state.settle(self.worst, counted);
        state.serve(&self.till.caps);
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        if self.is_settled {
            return;
        }
        let mut state = self.till.lock();
        if self.is_out {
            state.settle(self.worst, self.worst);
        } else {
            state.withdraw(self.worst);
        }
        state.serve(&self.till.caps);
    }
}

#[cfg(test)]
#[path = "till_tests.rs"]
mod tests;
