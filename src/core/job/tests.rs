//! Tests of what a process records about its jobs, and what others see of them.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::time::timeout;

use super::{BeginOutcome, JobFollower, Journal, Keeper};
use crate::domain::{JobState, Operation, SessionId};
use crate::error::{Code, Error};
use crate::event::EventKind;
use crate::event::run::{Run, RunControl};
use crate::pipeline::{WorkEnd, start_work};
use crate::store::sqlite::SqliteStore;
use crate::store::{JobClaim, JobProgress, JobUnit, NewJob, Store, Worker};

struct World {
    store: Arc<dyn Store>,
    _folder: tempfile::TempDir,
}

const ID: SessionId = SessionId(uuid::Uuid::from_u128(7));

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { store: Arc::new(SqliteStore::open(folder.path().join("aludel.db"))), _folder: folder }
    }

    fn journal(&self, kept: bool, lease: Duration) -> Journal {
        let started =
            EventKind::Started { operation: Operation::Select, total: Some(2), variants: 0, phases: Vec::new() };
        let new = NewJob {
            id: ID,
            operation: Operation::Select,
            about: "two units".to_owned(),
            request: json!({}),
            kept,
            total: Some(2),
            started,
            caller: None,
        };
        Journal::new(Arc::clone(&self.store), Worker { name: "this".to_owned(), lease }, new)
    }

    fn state(&self) -> JobState {
        self.store.job(ID).wait().unwrap().unwrap().0.state
    }

    async fn follow(&self, from: u64) -> JobFollower {
        JobFollower::of(Arc::clone(&self.store), ID, from).await.unwrap()
    }
}

fn unit(name: &str) -> JobProgress {
    let units = vec![JobUnit { unit: name.to_owned(), is_whole: true, result: json!(name) }];
    JobProgress { units, done: 1, ..JobProgress::default() }
}

async fn forever() -> WorkEnd {
    std::future::pending().await
}

/// Work that runs until it is cancelled.
fn until_cancelled(journal: &Journal) -> crate::event::run::Run {
    let journal = journal.clone();
    start_work(ID, 0, Some(journal.clone()), move |_, control| async move {
        journal.begin().await.unwrap();
        control.token().cancelled().await;
        WorkEnd { result: Err(Error::Cancelled), afterwards: None }
    })
}

#[tokio::test]
async fn a_job_begins_once() {
    let world = World::new();
    let journal = world.journal(true, super::LEASE);
    assert!(world.store.job(ID).wait().unwrap().is_none(), "not before it begins");
    assert_eq!(journal.begin().await.unwrap(), BeginOutcome::Now);
    assert_eq!(journal.begin().await.unwrap(), BeginOutcome::Before);
    assert_eq!(world.state(), JobState::Running);
}

#[tokio::test]
async fn work_that_is_asked_to_stop_stops_and_is_told_as_cancelled() {
    let world = World::new();
    let mut run = until_cancelled(&world.journal(false, super::LEASE));
    while world.store.job(ID).wait().unwrap().is_none() {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    world.store.stop_job(ID).await.unwrap();
    let event = timeout(Duration::from_secs(20), run.next()).await.unwrap().unwrap();
    assert!(matches!(event.kind, EventKind::Cancelled {}));
    assert_eq!(world.state(), JobState::Cancelled);
}

#[tokio::test]
async fn work_whose_job_was_taken_up_elsewhere_stops_and_writes_no_more() {
    let world = World::new();
    let mut run = until_cancelled(&world.journal(true, Duration::from_millis(1)));
    // A lease of a millisecond is sometimes renewed too late.
    let other = Worker { name: "other".to_owned(), lease: super::LEASE };
    loop {
        match world.store.take_job(ID, other.clone()).await.unwrap() {
            Some(JobClaim::ClaimedJob(_)) => break,
            _ => tokio::time::sleep(Duration::from_millis(3)).await,
        }
    }
    let event = timeout(Duration::from_secs(20), run.next()).await.unwrap().unwrap();
    assert!(matches!(event.kind, EventKind::Cancelled {}), "{event:?}");
    let (job, _) = world.store.job(ID).wait().unwrap().unwrap();
    assert_eq!((job.state, job.owner.as_deref()), (JobState::Running, Some("other")));
}

#[tokio::test]
async fn a_lease_is_renewed_while_the_work_goes_on() {
    let world = World::new();
    let journal = world.journal(false, Duration::from_secs(2));
    journal.begin().await.unwrap();
    let inner = journal.clone();
    let _run = start_work(ID, 0, Some(inner), |_, _| forever());
    for _ in 0..25 {
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert_eq!(world.state(), JobState::Running);
    }
}

#[tokio::test]
async fn what_a_keeper_lets_go_of_is_interrupted_at_once() {
    let world = World::new();
    let keeper = Arc::new(Keeper::default());
    let journal = world.journal(true, super::LEASE);
    journal.begin().await.unwrap();
    keeper.keep(until_cancelled(&journal), journal);
    assert_eq!(world.state(), JobState::Running);
    timeout(Duration::from_secs(20), keeper.release()).await.unwrap();
    assert_eq!(world.state(), JobState::Interrupted);
    assert!(!keeper.stop(ID), "it is no longer here");
}

#[tokio::test]
async fn a_keeper_stops_a_job_of_its_own_at_once() {
    let world = World::new();
    let keeper = Arc::new(Keeper::default());
    let journal = world.journal(true, super::LEASE);
    journal.begin().await.unwrap();
    keeper.keep(until_cancelled(&journal), journal);
    let mut following = world.follow(1).await;
    assert!(keeper.stop(ID));
    let event = timeout(Duration::from_secs(20), following.next()).await.unwrap().unwrap().unwrap();
    assert_eq!((event.seq, event.kind), (1, EventKind::Cancelled {}));
    assert_eq!(following.next().await.unwrap(), None);
    assert_eq!(following.job().state, JobState::Cancelled);
}

#[tokio::test]
async fn a_follower_learns_that_nobody_works_on_the_job() {
    let world = World::new();
    let journal = world.journal(false, Duration::from_millis(150));
    journal.begin().await.unwrap();
    let mut following = world.follow(0).await;
    assert!(matches!(following.next().await.unwrap().unwrap().kind, EventKind::Started { .. }));
    journal.record(unit("a")).await.unwrap();
    assert_eq!(timeout(Duration::from_secs(20), following.next()).await.unwrap().unwrap(), None);
    assert_eq!((following.job().state, following.job().done), (JobState::Interrupted, 1));
    let missing = JobFollower::of(Arc::clone(&world.store), SessionId(uuid::Uuid::nil()), 0).await;
    assert_eq!(missing.err().unwrap().code(), Code::NotFound);
}

#[tokio::test]
async fn a_follower_who_comes_late_is_told_everything() {
    const EVENTS: u64 = 700;
    let world = World::new();
    let journal = world.journal(false, super::LEASE);
    journal.begin().await.unwrap();
    for number in 1..EVENTS {
        let event = EventKind::Warning { variant: None, phase: None, message: number.to_string(), code: None };
        journal.note(JobProgress { events: vec![event], ..JobProgress::default() });
    }
    journal.end(&EventKind::Cancelled {}).await;
    for from in [0, 255, 256, 257, EVENTS - 1, EVENTS, EVENTS + 1, EVENTS + 300] {
        let mut following = world.follow(from).await;
        let mut told = Vec::new();
        while let Some(event) = following.next().await.unwrap() {
            told.push(event.seq);
        }
        assert!(told.iter().copied().eq(from..=EVENTS), "from {from}: {}", told.len());
        assert_eq!(following.job().state, JobState::Cancelled);
    }
}

/// The next attempt of the job, whose lease has run out.
async fn next_attempt(world: &World) -> Journal {
    tokio::time::sleep(Duration::from_millis(5)).await;
    let worker = Worker { name: "next".to_owned(), lease: super::LEASE };
    let Some(JobClaim::ClaimedJob(taken)) = world.store.take_job(ID, worker.clone()).await.unwrap() else {
        panic!("nobody works on it")
    };
    Journal::resumed(Arc::clone(&world.store), worker, &taken).await.unwrap()
}

#[tokio::test]
async fn a_job_that_was_lost_and_is_here_again_stays_with_the_keeper() {
    let world = World::new();
    let keeper = Arc::new(Keeper::default());
    let (lost, lost_run) = Run::new(ID, RunControl::new(0));
    let journal = world.journal(true, Duration::ZERO);
    journal.begin().await.unwrap();
    keeper.keep(lost_run, journal);
    let (again, run) = Run::new(ID, RunControl::new(0));
    keeper.keep(run, next_attempt(&world).await);
    lost.send(EventKind::Cancelled {}).await;
    drop(lost);
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert!(keeper.stop(ID), "the second attempt can be stopped");
    again.send(EventKind::Cancelled {}).await;
    timeout(Duration::from_secs(20), keeper.release()).await.unwrap();
    assert!(!keeper.stop(ID));
}

#[tokio::test]
async fn the_next_attempt_knows_what_is_done() {
    let world = World::new();
    let journal = world.journal(false, Duration::ZERO);
    journal.begin().await.unwrap();
    assert!(!journal.is_resumed());
    journal.record(unit("a")).await.unwrap();
    let next = next_attempt(&world).await;
    assert!(next.is_resumed());
    assert_eq!((next.result_of("a"), next.result_of("b")), (Some(&json!("a")), None));
    assert_eq!(journal.record(unit("b")).await.unwrap_err().code(), Code::Conflict);
    next.record(unit("b")).await.unwrap();
}
