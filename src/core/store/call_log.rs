//! The call log over a store: records what calls cost and enforces the daily cap.
//!
//! Without a daily cap a call is written after it has ended, without waiting: the store commits
//! queued calls together, and closing the log waits for the rest. With a cap, the store is asked
//! before each call goes out, because other processes share the day's cap. Requests run
//! concurrently while there is room. A call that does not fit waits for this process's calls in
//! flight, whose end may make room; later calls queue behind it. It waits for no other process.
//!
//! A chain of calls reserves its whole amount before its first call. It waits for the calls and
//! chains of this process, which end by themselves, and for reservations of other processes as long
//! as the total changes at least every [`RESERVATION_TIMEOUT`]. Calls of a chain skip the queue, because they
//! draw on their own reservation.
//!
//! A caller with caps of its own is asked for in the same way, call by call. When its caps have no
//! room, it waits for its own calls under way in this process and for no others ([`CallerLanes`]).

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{RwLock, watch};
use tokio::time::Instant;
use uuid::Uuid;

use super::caller_lanes::{CallerCalls, CallerLane, CallerLanes};
use super::{Admitted, Draw, ReservationReply, SpendCall, SpendReservation, Store};
use crate::domain::Timestamp;
use crate::error::Error;
use crate::ids::IdSource;
use crate::ledger::{
    Admission, CallEnd, CallLog, CallLogDraw, CallLogEntry, CallLogReservation, Caller, CallerRefusal, CapPeriod,
    Counted, Extension, LeftToCaller, LoggedCall, Money, Need, Refusal, SettingAside,
};
use crate::time::Clock;

/// How long to wait for other processes' reservations while the total does not change.
const RESERVATION_TIMEOUT: Duration = Duration::from_secs(20);

/// How often the total is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Writes calls into a store and reserves room for them under the daily cap.
pub struct StoreCallLog {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    daily_cap: Option<Money>,
    /// Read-locked while there is room; write-locked by the first call that found none.
    turn: RwLock<()>,
    ours: Arc<watch::Sender<InFlightCalls>>,
    lanes: CallerLanes,
    unwritten: Arc<Mutex<UnrecordedCalls>>,
}

/// Why the store has no room for a call.
enum NoRoom {
    /// The day's counted total.
    Day(Money),
    /// What counts against the caps of the caller.
    Caller(Need),
}

/// Calls whose end the store failed to record.
#[derive(Debug, Default)]
struct UnrecordedCalls {
    calls: u64,
    first: Option<Error>,
}

/// The calls of this process. A single value, so that readers always see a consistent state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct InFlightCalls {
    under_way: usize,
    /// Chains that hold a reservation.
    chains: usize,
    /// Requests to the store that are not answered yet.
    asked: usize,
    /// True once no more calls are accepted.
    is_closed: bool,
    /// Number of calls and chains that have ended.
    ended: u64,
}

impl StoreCallLog {
    /// Creates a log over `store`, with at most `daily_cap` a day.
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, ids: Arc<dyn IdSource>, daily_cap: Option<Money>) -> Self {
        let (ours, lanes, unwritten) = (Arc::default(), CallerLanes::default(), Arc::default());
        Self { store, clock, ids, daily_cap, turn: RwLock::new(()), ours, lanes, unwritten }
    }

    fn call(&self, booked: LoggedCall) -> SpendCall {
        let LoggedCall { labels, provider, model, purpose, worst, draw: _ } = booked;
        SpendCall {
            id: self.ids.next(),
            at: self.clock.now(),
            session_id: labels.session,
            command: labels.command.to_owned(),
            phase: purpose.to_owned(),
            provider,
            model,
            tags: labels.tags.clone(),
            worst,
            caller: labels.caller.clone(),
        }
    }

    /// Applies `count`, unless the log is closed.
    fn enter(&self, count: impl FnOnce(&mut InFlightCalls)) -> Result<(), Refusal> {
        let is_open = self.ours.send_if_modified(|ours| {
            if !ours.is_closed {
                count(ours);
            }
            !ours.is_closed
        });
        if is_open { Ok(()) } else { Err(Refusal::Closed) }
    }

    /// The entry of a call that has been counted.
    fn entry(&self, kind: OpenKind, lane: Option<CallerLane>) -> Box<dyn CallLogEntry> {
        let (store, ours) = (Arc::clone(&self.store), Arc::clone(&self.ours));
        let (clock, unwritten) = (Arc::clone(&self.clock), Arc::clone(&self.unwritten));
        Box::new(OpenCall { store, clock, ours, lane, cap: self.daily_cap, unwritten, kind: Some(kind) })
    }

    /// Admits a call under the daily cap and the caps of its caller.
    async fn admit_capped(&self, call: SpendCall, draw: Option<Draw>) -> Result<Box<dyn CallLogEntry>, Refusal> {
        let cap = self.daily_cap.unwrap_or(Money::MAX);
        let lane = self.lanes.of(call.caller.as_ref());
        let mut own = lane.as_ref().map(|lane| lane.subscribe());
        loop {
            let before = own.as_mut().map(|own| *own.borrow_and_update());
            let reply = match draw {
                // Skips the queue: the call draws on its own reservation.
                Some(_) => self.admit_when_free(cap, &call, draw).await?,
                None => self.admit_under(cap, &call).await?,
            };
            let used = match reply {
                Ok(entry) => return Ok(entry),
                Err(used) => used,
            };
            let wanted = Need { calls: 1, money: call.worst.unwrap_or_default() };
            let refusal = || refusal_of_caller(call.caller.as_ref(), used, wanted, call.at).map(Refusal::Caller);
            wait_for_own(own.as_mut(), before, |own| own.under_way > 0, refusal).await?;
        }
    }

    /// Admits a call in its turn. Returns what counts against the caps of the caller, if those are
    /// in the way.
    async fn admit_under(&self, cap: Money, call: &SpendCall) -> Result<Result<Box<dyn CallLogEntry>, Need>, Refusal> {
        {
            let _among_others = self.turn.read().await;
            match self.ask(cap, call, None).await? {
                Ok(entry) => return Ok(Ok(entry)),
                Err(NoRoom::Caller(used)) => return Ok(Err(used)),
                Err(NoRoom::Day(_)) => {}
            }
        }
        let _alone = self.turn.write().await;
        self.admit_when_free(cap, call, None).await
    }

    /// Admits a call once the calls in flight leave room for it, drawing on `draw` if given. Returns
    /// what counts against the caps of the caller, if those are in the way.
    async fn admit_when_free(
        &self,
        cap: Money,
        call: &SpendCall,
        draw: Option<Draw>,
    ) -> Result<Result<Box<dyn CallLogEntry>, Need>, Refusal> {
        let mut ours = self.ours.subscribe();
        loop {
            let before = *ours.borrow_and_update();
            let counted = match self.ask(cap, call, draw).await? {
                Ok(entry) => return Ok(Ok(entry)),
                Err(NoRoom::Caller(used)) => return Ok(Err(used)),
                Err(NoRoom::Day(counted)) => counted,
            };
            let now = *ours.borrow();
            if now.ended == before.ended {
                if now.under_way == 0 {
                    return Err(Refusal::Day { cap, counted, wanted: call.worst.unwrap_or_default() });
                }
                // Cannot fail: the sender is owned by `self`.
                drop(ours.changed().await);
            }
        }
    }

    async fn set_aside_under(
        &self,
        cap: Money,
        need: Need,
        caller: Option<Arc<Caller>>,
    ) -> Result<Box<dyn CallLogReservation>, Refusal> {
        let amount = need.money;
        let lane = self.lanes.of(caller.as_ref());
        let mut own = lane.as_ref().map(|lane| lane.subscribe());
        let mut ours = self.ours.subscribe();
        // Withdrawn on drop if the caller stops waiting.
        let mut hold = OpenReservation {
            store: Arc::clone(&self.store),
            ours: Arc::clone(&self.ours),
            lane,
            id: self.ids.next(),
            is_in: false,
        };
        let mut last_change = (Money::ZERO, Instant::now());
        loop {
            let before = *ours.borrow_and_update();
            let own_before = own.as_mut().map(|own| *own.borrow_and_update());
            if before.is_closed {
                return Err(Refusal::Closed);
            }
            let at = self.clock.now();
            let wanted = SpendReservation { id: hold.id, at, amount, calls: need.calls, caller: caller.clone() };
            let (counted, chains) = match self.store.set_aside(wanted, cap).await {
                Ok(ReservationReply::NoneForCaller { used }) => {
                    let refusal = || refusal_of_caller(caller.as_ref(), used, need, at).map(Refusal::ChainCaller);
                    // More than an empty day has room for.
                    if caller.as_ref().is_some_and(|caller| !caller.has_room(Need::default(), need)) {
                        return Err(refusal()?);
                    }
                    wait_for_own(own.as_mut(), own_before, |own| own.under_way > 0 || own.chains > 0, refusal).await?;
                    continue;
                }
                Ok(ReservationReply::Yes) => {
                    self.ours.send_modify(|ours| ours.chains += 1);
                    update(hold.lane.as_ref(), |own| own.chains += 1);
                    hold.is_in = true;
                    return Ok(Box::new(hold));
                }
                Ok(ReservationReply::No { counted, chains }) => (counted, chains),
                Err(error) => return Err(refusal(&error)),
            };
            let now = *ours.borrow();
            if now.ended != before.ended {
                continue;
            }
            let never = Refusal::ChainDay { cap, left: cap.saturating_sub(counted), wanted: amount };
            if amount > cap {
                return Err(never);
            }
            if now.under_way > 0 || now.chains > 0 {
                drop(ours.changed().await);
                continue;
            }
            if counted != last_change.0 {
                last_change = (counted, Instant::now());
            }
            // Without calls of our own, only other processes' chains can still make room.
            if chains == 0 || last_change.1.elapsed() > RESERVATION_TIMEOUT {
                return Err(never);
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Asks once.
    async fn ask(
        &self,
        cap: Money,
        call: &SpendCall,
        draw: Option<Draw>,
    ) -> Result<Result<Box<dyn CallLogEntry>, NoRoom>, Refusal> {
        self.enter(|ours| ours.asked += 1)?;
        let lane = self.lanes.of(call.caller.as_ref());
        let asking = PendingAdmission { call_log: self, id: Some(call.id) };
        let admitted = match draw {
            Some(draw) => self.store.admit_call_from(call.clone(), draw, cap).await,
            None => self.store.admit_call(call.clone(), cap).await,
        };
        let is_in = matches!(admitted, Ok(Admitted::Yes));
        if is_in {
            update(lane.as_ref(), |own| own.under_way += 1);
        }
        asking.answered(is_in);
        match admitted {
            Ok(Admitted::Yes) => Ok(Ok(self.entry(OpenKind::Admitted(call.id, call.caller.clone()), lane))),
            Ok(Admitted::No { counted }) => Ok(Err(NoRoom::Day(counted))),
            Ok(Admitted::NoneForCaller { used }) => Ok(Err(NoRoom::Caller(used))),
            Err(error) => Err(refusal(&error)),
        }
    }
}

fn refusal(error: &Error) -> Refusal {
    Refusal::CallLogFailed(error.to_string())
}

/// Changes what a caller has under way, and wakes those that wait for it.
fn update(lane: Option<&CallerLane>, change: impl FnOnce(&mut CallerCalls)) {
    if let Some(lane) = lane {
        lane.send_modify(change);
    }
}

/// Waits until a call or a chain of the caller has ended since `before`.
///
/// # Errors
/// The refusal, if none is under way that could leave room.
async fn wait_for_own(
    own: Option<&mut watch::Receiver<CallerCalls>>,
    before: Option<CallerCalls>,
    may_leave_room: impl Fn(&CallerCalls) -> bool,
    refusal: impl FnOnce() -> Result<Refusal, Refusal>,
) -> Result<(), Refusal> {
    let (Some(own), Some(before)) = (own, before) else { return Err(refusal()?) };
    let now = *own.borrow();
    if now.ended == before.ended {
        if !may_leave_room(&now) {
            return Err(refusal()?);
        }
        // Fails only when the caller has nothing under way any more, and then there is room to ask for.
        drop(own.changed().await);
    }
    Ok(())
}

/// The refusal of a call at `at` by the caps of its caller.
///
/// # Errors
/// [`Refusal::Gone`] without a caller, whom no cap can refuse.
fn refusal_of_caller(
    caller: Option<&Arc<Caller>>,
    used: Need,
    wanted: Need,
    at: Timestamp,
) -> Result<Box<CallerRefusal>, Refusal> {
    let caller = Arc::clone(caller.ok_or(Refusal::Gone)?);
    let resets_at = (caller.period == CapPeriod::Day).then(|| next_midnight(at));
    Ok(Box::new(CallerRefusal { caller, used, wanted, resets_at }))
}

/// The first moment of the next day, UTC.
fn next_midnight(at: Timestamp) -> Timestamp {
    const DAY_MS: i64 = 86_400_000;
    crate::time::from_millis((at.as_millisecond().div_euclid(DAY_MS) + 1).saturating_mul(DAY_MS))
}

impl CallLog for StoreCallLog {
    fn daily_cap(&self) -> Option<Money> {
        self.daily_cap
    }

    fn counted_today(&self) -> Counted<'_> {
        Box::pin(async move { self.store.counted_on(self.clock.now()).await.map_err(|error| refusal(&error)) })
    }

    fn left_to(&self, caller: Arc<Caller>) -> LeftToCaller<'_> {
        Box::pin(async move {
            let used = self.store.counted_to(Arc::clone(&caller), self.clock.now()).await;
            used.map(|used| caller.left(used)).map_err(|error| refusal(&error))
        })
    }

    fn set_aside(&self, need: Need, caller: Option<Arc<Caller>>) -> SettingAside<'_> {
        Box::pin(async move {
            if self.daily_cap.is_none() && caller.is_none() {
                return Ok(None);
            }
            let cap = self.daily_cap.unwrap_or(Money::MAX);
            self.set_aside_under(cap, need, caller).await.map(Some)
        })
    }

    fn admit(&self, booked: LoggedCall) -> Admission<'_> {
        let draw = booked.draw.map(|CallLogDraw { id, keep }| Draw { id, keep });
        let call = self.call(booked);
        Box::pin(async move {
            let is_capped = self.daily_cap.is_some() || call.caller.as_ref().is_some_and(|caller| caller.is_capped());
            if is_capped {
                return self.admit_capped(call, draw).await;
            }
            self.enter(|ours| ours.under_way += 1)?;
            Ok(self.entry(OpenKind::Uncapped(Box::new(call)), None))
        })
    }

    fn unwritten(&self) -> Option<Error> {
        let unwritten = self.unwritten.lock().unwrap_or_else(PoisonError::into_inner);
        let first = unwritten.first.as_ref()?;
        let calls = match unwritten.calls {
            1 => "one call".to_owned(),
            calls => format!("{calls} calls"),
        };
        let counts = match self.daily_cap {
            Some(_) => {
                "they count as the most they could cost today, and `aludel spend` shows them with an unknown outcome"
            }
            None => "`aludel spend` and a daily budget set today do not include them",
        };
        Some(Error::Storage(format!("what {calls} cost could not be recorded: {first}; {counts}")))
    }

    fn close(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            self.ours.send_modify(|ours| ours.is_closed = true);
            let mut ours = self.ours.subscribe();
            // Cannot fail: the sender is owned by `self`.
            let _rest = ours.wait_for(|ours| ours.under_way == 0 && ours.asked == 0).await;
        })
    }
}

/// A request in flight to the store. Dropped before the answer, it withdraws the call.
struct PendingAdmission<'a> {
    call_log: &'a StoreCallLog,
    id: Option<Uuid>,
}

impl PendingAdmission<'_> {
    /// Counts an admitted call as in flight before the request is uncounted.
    fn answered(mut self, is_in: bool) {
        self.id = None;
        self.call_log.ours.send_modify(|ours| ours.under_way += usize::from(is_in));
    }
}

impl Drop for PendingAdmission<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            self.call_log.store.withdraw_call(id).unattended();
        }
        self.call_log.ours.send_modify(|ours| ours.asked -= 1);
    }
}

/// The reservation of a chain.
struct OpenReservation {
    store: Arc<dyn Store>,
    ours: Arc<watch::Sender<InFlightCalls>>,
    lane: Option<CallerLane>,
    id: Uuid,
    /// True once the store has granted it.
    is_in: bool,
}

impl CallLogReservation for OpenReservation {
    fn id(&self) -> Uuid {
        self.id
    }
}

impl Drop for OpenReservation {
    fn drop(&mut self) {
        self.store.withdraw_call(self.id).unattended();
        if self.is_in {
            // After the store has been updated: woken waiters ask it and find the room.
            self.ours.send_modify(|ours| {
                ours.chains -= 1;
                ours.ended += 1;
            });
            update(self.lane.as_ref(), |own| {
                own.chains -= 1;
                own.ended += 1;
            });
        }
    }
}

/// A call in flight.
struct OpenCall {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    ours: Arc<watch::Sender<InFlightCalls>>,
    lane: Option<CallerLane>,
    cap: Option<Money>,
    unwritten: Arc<Mutex<UnrecordedCalls>>,
    /// `None` once it has ended.
    kind: Option<OpenKind>,
}

enum OpenKind {
    /// Admitted by the store.
    Admitted(Uuid, Option<Arc<Caller>>),
    /// Recorded only when it has ended.
    Uncapped(Box<SpendCall>),
}

impl OpenCall {
    fn end(&mut self, end: CallEnd) {
        let written = match self.kind.take() {
            None => return,
            Some(OpenKind::Admitted(id, _)) => self.store.end_call(id, end),
            Some(OpenKind::Uncapped(call)) => self.store.record_call(*call, end),
        };
        let unwritten = Arc::clone(&self.unwritten);
        written.unattended_but(move |error| {
            let mut unwritten = unwritten.lock().unwrap_or_else(PoisonError::into_inner);
            unwritten.calls += 1;
            unwritten.first.get_or_insert_with(|| error.clone());
        });
        // After the store has been updated: woken waiters ask it and find the room.
        self.ours.send_modify(|ours| {
            ours.under_way -= 1;
            ours.ended += 1;
        });
        update(self.lane.as_ref(), |own| {
            own.under_way -= 1;
            own.ended += 1;
        });
    }
}

impl CallLogEntry for OpenCall {
    fn extend(&mut self, by: Money) -> Extension<'_> {
        Box::pin(async move {
            match &mut self.kind {
                Some(OpenKind::Admitted(id, caller)) => {
                    let cap = self.cap.unwrap_or(Money::MAX);
                    match self.store.extend_call(*id, by, cap, caller.clone()).await {
                        Ok(Admitted::NoneForCaller { used }) => {
                            let wanted = Need { calls: 0, money: by };
                            let refusal = refusal_of_caller(caller.as_ref(), used, wanted, self.clock.now())?;
                            Err(Refusal::Caller(refusal))
                        }
                        Ok(Admitted::Yes) => Ok(()),
                        Ok(Admitted::No { counted }) => Err(Refusal::Day { cap, counted, wanted: by }),
                        Err(error) => Err(refusal(&error)),
                    }
                }
                Some(OpenKind::Uncapped(call)) => {
                    call.worst = call.worst.map(|worst| worst + by);
                    Ok(())
                }
                None => Err(Refusal::Gone),
            }
        })
    }

    fn close(mut self: Box<Self>, end: CallEnd) {
        self.end(end);
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        self.end(CallEnd::Unseen);
    }
}

#[cfg(test)]
#[path = "call_log_tests.rs"]
mod tests;
