//! A resumable job, as a stopped process leaves it.

use std::path::Path;
use std::time::Duration;

use aludel_core::domain::{JobState, Operation, Phase, SessionId};
use aludel_core::event::EventKind;
use aludel_core::store::sqlite::SqliteStore;
use aludel_core::store::{Held, JobEnd, JobProgress, JobStore, JobUnit, NewJob, Store, Worker};
use serde_json::{Value, json};

/// Stores a cancelled job of a generation of two variants by `builtin`, with nothing done, and
/// returns its id. `name` fills every name, and `input` is the idea.
pub(crate) fn cancelled_job(database: &Path, name: &str, input: &str) -> SessionId {
    let store = SqliteStore::open(database);
    #[expect(clippy::disallowed_methods, reason = "a new name for each")]
    let id = SessionId(uuid::Uuid::now_v7());
    let started =
        EventKind::Started { operation: Operation::Generate, total: Some(2), variants: 2, phases: Phase::ALL.to_vec() };
    let new = NewJob {
        id,
        operation: Operation::Generate,
        about: input.to_owned(),
        request: json!({ "input": input, "count": 2, "save": true, "provider": "builtin" }),
        kept: false,
        total: Some(2),
        started,
        caller: None,
    };
    store.begin_job(new, Worker { name: name.to_owned(), lease: Duration::from_mins(1) }).wait().expect("it is stored");
    let held = Held { id, attempt: 1 };
    let message = format!("{name}: {input}");
    let warning = EventKind::Warning { variant: None, phase: None, message, code: None };
    let unit = JobUnit { unit: "a step".to_owned(), is_whole: false, result: Value::Null };
    let progress = JobProgress { units: vec![unit], events: vec![warning], ..JobProgress::default() };
    store.record_progress(held, progress).wait().expect("it is stored");
    let stored_for = Duration::from_hours(1);
    let end = JobEnd { state: JobState::Cancelled, event: EventKind::Cancelled {}, stored_for };
    store.end_job(held, end).wait().expect("it is stored");
    store.close().wait().expect("it closes");
    id
}
