//! A job of a thousand units that is killed at random points, resumed by other processes, followed
//! from two places, stopped, and finished.
//!
//! A child is this test binary running only [`child`], with its task on standard input. Each child
//! also writes what it does to a plain file, line by line, so that it can be counted without the
//! journal.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use serde_json::json;

use super::{JobFollower, Journal};
use crate::domain::{GenerationResult, JobState, ModelMetadata, Operation, SessionId};
use crate::error::Error;
use crate::event::run::RunControl;
use crate::event::{Event, EventKind, Outcome};
use crate::store::sqlite::SqliteStore;
use crate::store::{JobClaim, JobProgress, JobStore, JobUnit, NewJob, Store, Worker};

const UNITS: u64 = 1_000;
/// How many units a child does concurrently.
const SIDE_BY_SIDE: usize = 8;
const LEASE: Duration = Duration::from_millis(600);

fn id() -> SessionId {
    SessionId(uuid::Uuid::from_u128(0x0193_2c07_7d1c_7c3e_8a51_0e4b_7a3f_9c21))
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

fn new_job() -> NewJob {
    let started =
        EventKind::Started { operation: Operation::Generate, total: Some(UNITS), variants: 0, phases: Vec::new() };
    NewJob {
        id: id(),
        operation: Operation::Generate,
        about: "a thousand units".to_owned(),
        request: json!({}),
        kept: false,
        total: Some(UNITS),
        started,
        caller: None,
    }
}

/// Starts or resumes the job, and does all units that are not in the journal.
#[test]
#[ignore = "a child process of the tests below"]
fn child() {
    let mut task = String::new();
    if std::io::stdin().is_terminal() || std::io::stdin().read_line(&mut task).unwrap() == 0 {
        return;
    }
    let folder = Path::new(task.trim_end());
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(folder.join("aludel.db")));
    let worker = Worker { name: format!("child {}", std::process::id()), lease: LEASE };
    runtime().block_on(async {
        let journal = match store.take_job(id(), worker.clone()).await.unwrap() {
            None => Journal::new(Arc::clone(&store), worker, new_job()),
            Some(JobClaim::ClaimedJob(taken)) => Journal::resumed(Arc::clone(&store), worker, &taken).await.unwrap(),
            Some(JobClaim::Refused(job)) => panic!("refused: {job:?}"),
        };
        journal.begin().await.unwrap();
        let control = RunControl::new(0);
        let done = journal.run_with_lease(&control, work(folder, &journal, &control)).await;
        let end = EventKind::end_of(done.map(Outcome::Generate));
        journal.end(&end).await;
        store.close().await.unwrap();
    });
}

async fn work(folder: &Path, journal: &Journal, control: &RunControl) -> Result<GenerationResult, Error> {
    let did = OpenOptions::new().append(true).create(true).open(folder.join("did")).unwrap();
    let lacking = (0..UNITS).filter(|unit| journal.result_of(&unit.to_string()).is_none());
    let units =
        futures_util::stream::iter(lacking).map(|unit| do_one(&did, journal, unit)).buffer_unordered(SIDE_BY_SIDE);
    let all = units.for_each(|()| async {});
    tokio::select! {
        () = control.token().cancelled() => Err(Error::Cancelled),
        () = all => Ok(GenerationResult {
            session_id: id(),
            prompts: Vec::new(),
            rankings: Vec::new(),
            selected: None,
            failures: Vec::new(),
            warnings: Vec::new(),
            model_metadata: ModelMetadata::default(),
        }),
    }
}

async fn do_one(mut did: &File, journal: &Journal, unit: u64) {
    // One write for each line, so that lines of several children do not mix.
    did.write_all(format!("{unit}\n").as_bytes()).unwrap();
    tokio::time::sleep(Duration::from_millis(4)).await;
    let unit = unit.to_string();
    let event = EventKind::Warning { variant: None, phase: None, message: format!("unit {unit}"), code: None };
    let units = vec![JobUnit { unit: unit.clone(), is_whole: true, result: json!({ "of": unit }) }];
    journal.record(JobProgress { units, events: vec![event], done: 1, ..JobProgress::default() }).await.unwrap();
}

fn start(folder: &Path) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "job::process_tests::child", "--ignored", "--nocapture", "--test-threads=1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    writeln!(child.stdin.take().unwrap(), "{}", folder.display()).unwrap();
    child
}

/// Follows the job from an event number to the terminal event, through all interruptions.
fn watch(folder: &Path, from: u64) -> Vec<Event> {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(folder.join("aludel.db")));
    runtime().block_on(async {
        let mut seen: Vec<Event> = Vec::new();
        loop {
            let next = seen.last().map_or(from, |event| event.seq + 1);
            let Ok(mut following) = JobFollower::of(Arc::clone(&store), id(), next).await else {
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            };
            while let Some(event) = following.next().await.unwrap() {
                seen.push(event);
            }
            match seen.last().map(|event| &event.kind) {
                Some(EventKind::Finished { .. }) => return seen,
                // It was stopped and is resumed by this test, so the next events get the numbers
                // from here on.
                Some(EventKind::Cancelled {}) => _ = seen.pop(),
                _ => {}
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
}

fn done(store: &dyn Store) -> u64 {
    store.job(id()).wait().unwrap().map_or(0, |(job, _)| job.done)
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_mins(2), "waited for long: {what}");
        thread::sleep(Duration::from_millis(3));
    }
}

#[test]
fn a_job_survives_its_processes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let store = SqliteStore::open(folder.join("aludel.db"));
    let state = || store.job(id()).wait().unwrap().unwrap().0.state;
    let (from_the_start, from_the_middle) = thread::scope(|scope| {
        let early = scope.spawn(|| watch(folder, 0));
        let late = scope.spawn(|| watch(folder, 400));
        // Kill at pseudo-random points.
        let mut kills = Vec::new();
        for (round, more) in [37_u64, 5, 113, 1, 88, 60].into_iter().enumerate() {
            let mut child = start(folder);
            let goal = done(&store) + more;
            wait_until("some units", || done(&store) >= goal);
            thread::sleep(Duration::from_micros(round as u64 * 900));
            child.kill().unwrap();
            child.wait().unwrap();
            kills.push(done(&store));
            wait_until("the lease to run out", || state() == JobState::Interrupted);
        }
        assert!(kills.is_sorted() && *kills.last().unwrap() < UNITS, "{kills:?}");

        // Stopped from outside.
        let mut child = start(folder);
        let goal = done(&store) + 20;
        wait_until("some units", || done(&store) >= goal);
        store.stop_job(id()).wait().unwrap();
        assert!(child.wait().unwrap().success());
        assert_eq!(state(), JobState::Cancelled);
        assert!(done(&store) < UNITS);

        let mut child = start(folder);
        assert!(child.wait().unwrap().success());
        (early.join().unwrap(), late.join().unwrap())
    });

    let (job, _) = store.job(id()).wait().unwrap().unwrap();
    assert_eq!((job.state, job.done, job.failed, job.attempt), (JobState::Finished, UNITS, 0, 8));

    // The journal has every unit once.
    let mut journal = BTreeSet::new();
    let mut after = None;
    loop {
        let units = store.job_units(id(), after, 300).wait().unwrap();
        let Some(last) = units.last() else { break };
        after = Some(last.unit.clone());
        for JobUnit { unit, result, .. } in units {
            assert_eq!(result, json!({ "of": unit }));
            assert!(journal.insert(unit.parse::<u64>().unwrap()));
        }
    }
    assert!(journal.into_iter().eq(0..UNITS));

    // Each unit was done at least once, and twice only if it was in flight when a process ended.
    let did = File::open(folder.join("did")).unwrap();
    let mut times: BTreeMap<u64, u64> = BTreeMap::new();
    for line in std::io::BufReader::new(did).lines() {
        *times.entry(line.unwrap().parse().unwrap()).or_default() += 1;
    }
    assert!(times.keys().copied().eq(0..UNITS));
    let again: u64 = times.values().map(|times| times - 1).sum();
    assert!(again <= 7 * SIDE_BY_SIDE as u64, "{again} units were done again after seven ends");

    // Both followers see the same events with the same numbers, each unit once, and one end.
    let numbers: Vec<u64> = from_the_start.iter().map(|event| event.seq).collect();
    assert!(numbers.iter().copied().eq(0..numbers.len() as u64), "a gap: {numbers:?}");
    assert_eq!(from_the_start[400..], from_the_middle[..]);
    let mut told: Vec<u64> = from_the_start
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Warning { message, .. } => message.strip_prefix("unit ")?.parse().ok(),
            _ => None,
        })
        .collect();
    told.sort_unstable();
    assert!(told.into_iter().eq(0..UNITS), "each unit is told once");
    assert!(matches!(from_the_start[0].kind, EventKind::Started { total: Some(UNITS), .. }));
    assert_eq!(from_the_start.iter().filter(|event| event.kind.is_terminal()).count(), 1);
}
