//! A store whose writes fail on demand, wrapped around any other: for tests of a full disk.
//!
//! Writes are counted from 1 in the order they are requested. A failing write never reaches the
//! wrapped store; reads always do. Every write's purpose is recorded for the tests.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use uuid::Uuid;

use super::{
    Admitted, Applied, ClaimedJob, Draw, FindStore, Held, HeldKey, IdempotencyStore, JobClaim, JobEnd, JobEvents,
    JobProgress, JobStore, JobUnit, JudgementStore, KeyClaim, KeyedAnswer, LeaseRenewal, Lexical, MeasureStore,
    MeasureWatch, Mutation, Nearest, NewJob, NewKeyClaim, Page, PageSpec, Part, Pending, PromptTotals, PromptVectors,
    Relations, ReservationReply, SearchHits, Session, SessionWithPrompts, Space, SpaceUse, SpendCall, SpendQuery,
    SpendReservation, SpendRow, SpendStore, Store, TrashedPage, Unembedded, Worker,
};
use crate::domain::{
    Filter, Job, JobState, JudgeName, JudgeProfile, Judgement, JudgementId, Order, Prompt, PromptId, PromptOutline,
    PromptSummary, SessionId, StatsBy, Timestamp,
};
use crate::error::Error;
use crate::ledger::{CallEnd, Caller, Money, Need};

/// Which writes fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Faults {
    /// None.
    Never,
    /// Only this write: a lock that was held for a while.
    Once(usize),
    /// This write and all later ones: a full disk.
    From(usize),
}

impl Faults {
    fn hits(self, write: usize) -> bool {
        match self {
            Self::Never => false,
            Self::Once(at) => write == at,
            Self::From(at) => write >= at,
        }
    }
}

/// The message of a failing write.
pub const FAULT: &str = "no space is left for the database (a fault of the test)";

/// A store whose writes fail on demand.
pub struct FaultyStore {
    below: Arc<dyn Store>,
    faults: Faults,
    writes: Mutex<Vec<&'static str>>,
}

impl FaultyStore {
    /// Wraps `below` with these faults.
    pub fn over(below: Arc<dyn Store>, faults: Faults) -> Self {
        Self { below, faults, writes: Mutex::default() }
    }

    /// The writes so far, in order, including the failed ones.
    pub fn writes(&self) -> Vec<&'static str> {
        self.writes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn write<T>(&self, what: &'static str, through: impl FnOnce(&dyn Store) -> Pending<T>) -> Pending<T> {
        let mut writes = self.writes.lock().unwrap_or_else(PoisonError::into_inner);
        writes.push(what);
        if self.faults.hits(writes.len()) {
            return Pending::ready(Err(Error::Storage(FAULT.to_owned())));
        }
        through(self.below.as_ref())
    }
}

impl Store for FaultyStore {
    fn begin_session(&self, session: Session) -> Pending<()> {
        self.write("session", |store| store.begin_session(session))
    }

    fn append_with_sessions(&self, prompts: Vec<Prompt>, sessions: Vec<Session>) -> Pending<()> {
        self.write("prompts", |store| store.append_with_sessions(prompts, sessions))
    }

    fn apply(&self, mutation: Mutation) -> Pending<Applied> {
        let what = match &mutation {
            Mutation::Rank { .. } => "ranking",
            Mutation::Edit { .. } => "edit",
            Mutation::Delete { .. }
            | Mutation::DeleteWhere { .. }
            | Mutation::Trash { .. }
            | Mutation::TrashWhere { .. }
            | Mutation::EmptyTrash { .. } => "deletion",
            Mutation::Restore { .. } => "restoring",
        };
        self.write(what, |store| store.apply(mutation))
    }

    fn get(&self, id: PromptId) -> Pending<Option<Prompt>> {
        self.below.get(id)
    }

    fn resolve(&self, fragment: String, limit: usize) -> Pending<Vec<PromptId>> {
        self.below.resolve(fragment, limit)
    }

    fn trashed(&self, since: Timestamp, limit: u32, offset: u64) -> Pending<TrashedPage> {
        self.below.trashed(since, limit, offset)
    }

    fn resolve_trashed(&self, fragment: String, limit: usize) -> Pending<Vec<PromptId>> {
        self.below.resolve_trashed(fragment, limit)
    }

    fn page(&self, filter: Filter, order: Order, page: PageSpec) -> Pending<Page<Prompt>> {
        self.below.page(filter, order, page)
    }

    fn summaries(&self, filter: Filter, order: Order, page: PageSpec) -> Pending<Page<PromptSummary>> {
        self.below.summaries(filter, order, page)
    }

    fn outlines(&self, filter: Filter, page: PageSpec) -> Pending<Page<PromptOutline>> {
        self.below.outlines(filter, page)
    }

    fn sessions_with_summaries(&self, page: PageSpec) -> Pending<Page<SessionWithPrompts<PromptSummary>>> {
        self.below.sessions_with_summaries(page)
    }

    fn sessions(&self, page: PageSpec) -> Pending<Page<SessionWithPrompts>> {
        self.below.sessions(page)
    }

    fn fetch_sessions(&self, ids: Vec<SessionId>) -> Pending<Vec<Session>> {
        self.below.fetch_sessions(ids)
    }

    fn count(&self, filter: Filter) -> Pending<u64> {
        self.below.count(filter)
    }

    fn change_count(&self) -> Pending<u64> {
        self.below.change_count()
    }

    fn close(&self) -> Pending<()> {
        self.below.close()
    }
}

impl SpendStore for FaultyStore {
    fn admit_call(&self, call: SpendCall, cap: Money) -> Pending<Admitted> {
        self.write("admission", |store| store.admit_call(call, cap))
    }

    fn set_aside(&self, amount: SpendReservation, cap: Money) -> Pending<ReservationReply> {
        self.write("admission", |store| store.set_aside(amount, cap))
    }

    fn admit_call_from(&self, call: SpendCall, draw: Draw, cap: Money) -> Pending<Admitted> {
        self.write("admission", |store| store.admit_call_from(call, draw, cap))
    }

    fn extend_call(&self, id: Uuid, by: Money, cap: Money, caller: Option<Arc<Caller>>) -> Pending<Admitted> {
        self.write("admission", |store| store.extend_call(id, by, cap, caller))
    }

    fn withdraw_call(&self, id: Uuid) -> Pending<()> {
        self.write("withdrawal", |store| store.withdraw_call(id))
    }

    fn end_call(&self, id: Uuid, end: CallEnd) -> Pending<()> {
        self.write("call", |store| store.end_call(id, end))
    }

    fn record_call(&self, call: SpendCall, end: CallEnd) -> Pending<()> {
        self.write("call", |store| store.record_call(call, end))
    }

    fn spend(&self, query: SpendQuery) -> Pending<Vec<SpendRow>> {
        self.below.spend(query)
    }

    fn counted_on(&self, moment: Timestamp) -> Pending<Money> {
        self.below.counted_on(moment)
    }

    fn counted_to(&self, caller: Arc<Caller>, moment: Timestamp) -> Pending<Need> {
        self.below.counted_to(caller, moment)
    }

    fn counted_for(&self, session: SessionId) -> Pending<Need> {
        self.below.counted_for(session)
    }
}

impl FindStore for FaultyStore {
    fn lexical(&self, query: Lexical) -> Pending<SearchHits> {
        self.below.lexical(query)
    }

    fn nearest(&self, query: Nearest) -> Pending<SearchHits> {
        self.below.nearest(query)
    }

    fn fetch(&self, ids: Vec<PromptId>) -> Pending<Vec<Prompt>> {
        self.below.fetch(ids)
    }

    fn fetch_summaries(&self, ids: Vec<PromptId>) -> Pending<Vec<PromptSummary>> {
        self.below.fetch_summaries(ids)
    }

    fn spaces(&self) -> Pending<Vec<SpaceUse>> {
        self.below.spaces()
    }

    fn unembedded(&self, space: Space, after: Option<u64>, limit: u32) -> Pending<Vec<Unembedded>> {
        self.below.unembedded(space, after, limit)
    }

    fn count_unembedded(&self, space: Space) -> Pending<u64> {
        self.below.count_unembedded(space)
    }

    fn put_vectors(&self, space: Space, vectors: Vec<PromptVectors>) -> Pending<u64> {
        self.write("vectors", |store| store.put_vectors(space, vectors))
    }

    fn vectors_of(&self, space: Space, id: PromptId) -> Pending<Vec<(Part, Vec<f32>)>> {
        self.below.vectors_of(space, id)
    }

    fn forget_space(&self, space: Space) -> Pending<u64> {
        self.write("vectors", |store| store.forget_space(space))
    }

    fn maintain_index(&self) -> Pending<()> {
        self.below.maintain_index()
    }

    fn reindex_text(&self, after: Option<u64>, limit: u32) -> Pending<Option<u64>> {
        self.write("text index", |store| store.reindex_text(after, limit))
    }
}

impl MeasureStore for FaultyStore {
    fn measure_watched(&self, filter: Filter, by: Vec<StatsBy>, watch: MeasureWatch) -> Pending<PromptTotals> {
        self.below.measure_watched(filter, by, watch)
    }

    fn relations(&self, ids: Vec<PromptId>) -> Pending<Vec<Relations>> {
        self.below.relations(ids)
    }
}

impl JobStore for FaultyStore {
    fn begin_job(&self, job: NewJob, worker: Worker) -> Pending<()> {
        self.write("job", |store| store.begin_job(job, worker))
    }

    fn take_job(&self, id: SessionId, worker: Worker) -> Pending<Option<JobClaim>> {
        self.write("job", |store| store.take_job(id, worker))
    }

    fn take_abandoned_job(&self, worker: Worker) -> Pending<Option<ClaimedJob>> {
        self.write("job", |store| store.take_abandoned_job(worker))
    }

    fn renew_job(&self, held: Held, lease: Duration) -> Pending<LeaseRenewal> {
        self.write("lease", |store| store.renew_job(held, lease))
    }

    fn record_progress(&self, held: Held, progress: JobProgress) -> Pending<()> {
        let what = if progress.prompts.is_empty() { "progress" } else { "prompts" };
        self.write(what, |store| store.record_progress(held, progress))
    }

    fn end_job(&self, held: Held, end: JobEnd) -> Pending<()> {
        self.write("job", |store| store.end_job(held, end))
    }

    fn release_job(&self, held: Held) -> Pending<()> {
        self.write("job", |store| store.release_job(held))
    }

    fn stop_job(&self, id: SessionId) -> Pending<Option<Job>> {
        self.write("job", |store| store.stop_job(id))
    }

    fn job(&self, id: SessionId) -> Pending<Option<(Job, serde_json::Value)>> {
        self.below.job(id)
    }

    fn jobs(&self, states: Vec<JobState>, limit: u32) -> Pending<Vec<Job>> {
        self.below.jobs(states, limit)
    }

    fn resolve_job(&self, fragment: String, limit: usize) -> Pending<Vec<SessionId>> {
        self.below.resolve_job(fragment, limit)
    }

    fn job_units(&self, id: SessionId, after: Option<String>, limit: u32) -> Pending<Vec<JobUnit>> {
        self.below.job_units(id, after, limit)
    }

    fn job_events(&self, id: SessionId, from: u64, limit: u32) -> Pending<Option<JobEvents>> {
        self.below.job_events(id, from, limit)
    }
}

impl IdempotencyStore for FaultyStore {
    fn claim_key(&self, claim: NewKeyClaim) -> Pending<KeyClaim> {
        self.write("key", |store| store.claim_key(claim))
    }

    fn renew_key(&self, held: HeldKey, lease: Duration) -> Pending<bool> {
        self.write("lease", |store| store.renew_key(held, lease))
    }

    fn answer_key(&self, held: HeldKey, answer: KeyedAnswer, stored_for: Duration) -> Pending<()> {
        self.write("answer", |store| store.answer_key(held, answer, stored_for))
    }

    fn release_key(&self, held: HeldKey) -> Pending<()> {
        self.write("key", |store| store.release_key(held))
    }

    fn delete_expired_keys(&self) -> Pending<u64> {
        self.write("key", |store| store.delete_expired_keys())
    }
}

impl JudgementStore for FaultyStore {
    fn record(&self, judgement: Judgement) -> Pending<bool> {
        self.write("judgement", |store| store.record(judgement))
    }

    fn judgements_of(&self, id: PromptId, limit: u32) -> Pending<Vec<Judgement>> {
        self.below.judgements_of(id, limit)
    }

    fn judgement(&self, id: JudgementId) -> Pending<Option<Judgement>> {
        self.below.judgement(id)
    }

    fn put_profile(&self, profile: JudgeProfile) -> Pending<()> {
        self.write("profile", |store| store.put_profile(profile))
    }

    fn profile(&self, judge: JudgeName) -> Pending<Option<JudgeProfile>> {
        self.below.profile(judge)
    }

    fn profiles(&self) -> Pending<Vec<JudgeProfile>> {
        self.below.profiles()
    }
}
