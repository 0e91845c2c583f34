//! A store whose k-th write fails, once or from then on, for every k: what was reported as stored
//! is there, what is missing is named, and the exit code would not be 0.
//!
//! The engine runs in this process over a real database behind [`FaultyStore`]. The oracle reads
//! the database with plain SQL and compares it with the events, the result and the end.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use aludel_core::config::{self, Environment, Flags};
use aludel_core::domain::{ImportReport, PromptId};
use aludel_core::engine::Engine;
use aludel_core::error::{Code, Error, Problem};
use aludel_core::event::run::Run;
use aludel_core::event::{Event, EventKind, Outcome, RunState, RunView};
use aludel_core::ids::SeededIds;
use aludel_core::store::Store;
use aludel_core::store::faulty::{Faults, FaultyStore};
use aludel_core::store::sqlite::SqliteStore;
use aludel_core::time::FixedClock;
use aludel_core::transfer::Input;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A scripted provider that has a price, also judges, and answers briefly.
const LAB: &str = "seed: 1\nanswer: {words: 20}\n";
const CONFIG: &str = "providers:\n  lab: {kind: sim, script: lab.yaml, max_retries: 0}\n";

/// An engine over a store with faults, in a folder of its own.
struct StoreFixture {
    folder: TempDir,
    store: Arc<FaultyStore>,
    engine: Engine,
}

/// The outcome of an operation, as its caller sees it.
struct OperationEnd {
    view: RunView,
    closed: Result<(), Error>,
    writes: Vec<&'static str>,
}

impl StoreFixture {
    fn new(config: &str, faults: Faults) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("config.yaml"), config).expect("a configuration");
        std::fs::write(folder.path().join("lab.yaml"), LAB).expect("a script");
        let (store, engine) = open(folder.path(), 7, faults);
        Self { folder, store, engine }
    }

    /// As [`StoreFixture::new`], over a database with two prompts.
    fn with_prompts(faults: Faults) -> (Self, Vec<String>) {
        let world = Self::new(CONFIG, Faults::Never);
        let ended = block_on(world.generate(json!({ "input": "Name a boat", "count": 2 })));
        let ids = ended.view.finished_prompts().map(|prompt| prompt.id.to_string()).collect();
        let (store, engine) = open(world.folder.path(), 8, faults);
        (Self { store, engine, ..world }, ids)
    }

    /// As [`StoreFixture::with_prompts`], but another process holds the database: writers give up.
    fn locked() -> (Self, Vec<String>, rusqlite::Connection) {
        let (world, ids) = Self::with_prompts(Faults::Never);
        std::fs::write(world.folder.path().join("config.yaml"), format!("{CONFIG}run: {{max_concurrency: 1}}\n"))
            .expect("a configuration");
        let path = world.folder.path().join("aludel.db");
        // Slow enough that a prompt is stored before the next one arrives.
        std::fs::write(
            world.folder.path().join("lab.yaml"),
            format!("{LAB}pacing: {{first_token_ms: 30, chunk_chars: 100000}}\n"),
        )
        .expect("a script");
        let moment = Duration::from_millis(50);
        let impatient = SqliteStore::open(&path).waiting(moment, moment);
        let (store, engine) = open_over(impatient, world.folder.path(), 9, Faults::Never);
        #[expect(clippy::disallowed_methods, reason = "another program, which shares nothing with the store")]
        let other = rusqlite::Connection::open(path).expect("the database opens");
        (Self { store, engine, ..world }, ids, other)
    }

    async fn generate(&self, raw: Value) -> OperationEnd {
        let request = self.engine.decode(raw).expect("a valid request");
        self.watch(self.engine.generate(request).expect("it starts")).await
    }

    async fn watch(&self, run: Run) -> OperationEnd {
        self.watch_and(run, |_| {}).await
    }

    async fn watch_and(&self, mut run: Run, mut then: impl FnMut(&Event)) -> OperationEnd {
        let (mut view, mut events) = (RunView::default(), Vec::<Event>::new());
        while let Some(event) = run.next().await {
            then(&event);
            view.apply(&event);
            events.push(event);
        }
        aludel_core::event::laws::check(&events).expect("the laws hold");
        unsaved_are_finished_first(&events);
        let closed = self.engine.close().await;
        OperationEnd { view, closed, writes: self.store.writes() }
    }

    fn sql<T: rusqlite::types::FromSql>(&self, query: &str) -> Vec<T> {
        let path = self.folder.path().join("aludel.db");
        if !path.exists() {
            return Vec::new();
        }
        #[expect(clippy::disallowed_methods, reason = "the oracle shares nothing with the store")]
        let database = rusqlite::Connection::open(path).expect("the database opens");
        let Ok(mut rows) = database.prepare(query) else { return Vec::new() };
        rows.query_map([], |row| row.get(0)).expect("rows").map(|value| value.expect("a value")).collect()
    }

    fn stored(&self) -> BTreeSet<String> {
        self.sql::<String>("SELECT lower(hex(id)) FROM prompts").into_iter().collect()
    }

    fn unsaved_file(&self) -> Option<PathBuf> {
        let entries = std::fs::read_dir(self.folder.path()).expect("the folder");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        paths.into_iter().find(|path| path.file_name().is_some_and(|it| it.to_string_lossy().starts_with("unsaved-")))
    }
}

fn open(folder: &Path, seed: u64, faults: Faults) -> (Arc<FaultyStore>, Engine) {
    open_over(SqliteStore::open(folder.join("aludel.db")), folder, seed, faults)
}

fn open_over(database: SqliteStore, folder: &Path, seed: u64, faults: Faults) -> (Arc<FaultyStore>, Engine) {
    let flags = Flags { data_dir: Some(folder.to_owned()), ..Flags::default() };
    let loaded = config::load(&flags, &Environment::default()).expect("a valid configuration");
    let store = Arc::new(FaultyStore::over(Arc::new(database), faults));
    let clock = Arc::new(FixedClock::ticking_from(1_790_000_000_000));
    let seen: Arc<dyn Store> = Arc::<FaultyStore>::clone(&store);
    (store, Engine::open_over(loaded, clock, Arc::new(SeededIds::new(seed)), seen))
}

/// The result of an import.
async fn imported(run: Run) -> Result<ImportReport, Box<Problem>> {
    match run.outcome().await? {
        Outcome::Import(report) => Ok(report),
        other => panic!("{other:?}"),
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(future)
}

fn plain(id: PromptId) -> String {
    id.to_string().replace('-', "")
}

/// A variant that is not stored is finished first, then warned of.
fn unsaved_are_finished_first(events: &[Event]) {
    let mut finished = BTreeSet::new();
    for event in events {
        match &event.kind {
            EventKind::VariantFinished { variant, .. } => drop(finished.insert(*variant)),
            EventKind::Warning { variant: Some(variant), code: Some(Code::Storage), .. } => {
                assert!(finished.contains(variant), "variant {variant} is warned of before it is finished");
            }
            _ => {}
        }
    }
}

/// Runs `check` for every write of a clean run, failing once and from then on.
fn for_every_write(clean: usize, mut check: impl FnMut(Faults)) {
    assert!(clean > 0, "nothing was written");
    for at in 1..=clean {
        check(Faults::Once(at));
        check(Faults::From(at));
    }
}

/// True if only expendable writes failed: progress for resuming, or a release that expires anyway.
fn is_minor(faults: Faults, writes: &[&str]) -> bool {
    let failed = |at: usize| match faults {
        Faults::Never => false,
        Faults::Once(first) => at == first,
        Faults::From(first) => at >= first,
    };
    let failed: Vec<&str> = (1..).zip(writes).filter(|(at, _)| failed(*at)).map(|(_, write)| *write).collect();
    failed.iter().all(|write| ["job", "progress", "lease", "withdrawal"].contains(write))
}

/// Checks that the database has what a generate run reported; returns whether it would exit 0.
fn generation_is_truthful(world: &StoreFixture, ended: &OperationEnd, what: &str) -> bool {
    let view = &ended.view;
    let named: BTreeSet<u32> = view.unsaved().map(|(variant, _)| variant).collect();
    let (mut said_stored, mut said_unsaved) = (BTreeSet::new(), BTreeSet::new());
    for prompt in view.finished_prompts() {
        let to = if named.contains(&prompt.variant) { &mut said_unsaved } else { &mut said_stored };
        to.insert(plain(prompt.id));
    }
    assert_eq!(world.stored(), said_stored, "{what}");
    if let Some(result) = view.generation() {
        let failed = result.failures.iter().filter(|it| it.phase.is_none() && it.error.code == Code::Storage);
        assert_eq!(failed.map(|failure| failure.variant).collect::<BTreeSet<_>>(), named, "{what}");
        assert_eq!(result.prompts.len(), view.finished_prompts().count(), "{what}");
    }

    // What is missing in the database is in the file, complete.
    let lines = world.unsaved_file().map(|path| std::fs::read_to_string(path).expect("the file")).unwrap_or_default();
    let saved: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("a record")).collect();
    let ids: BTreeSet<String> =
        saved.iter().map(|record| record["id"].as_str().expect("an id").replace('-', "")).collect();
    assert_eq!(ids, said_unsaved, "{what}");

    let has_warning = |text: &str| view.storage_warnings.iter().any(|warning| warning.contains(text));
    let unscored = world.sql::<i64>("SELECT count(*) FROM prompts WHERE score IS NULL")[..] != [0];
    assert_eq!(unscored && !said_stored.is_empty(), has_warning("scores of the prompts"), "{what}");
    if view.generation().is_some_and(|result| result.selected.is_some()) {
        let is_kept = world.sql::<i64>("SELECT count(*) FROM judgements") == [1];
        // No judgement of unstored prompts is kept, or missed.
        let is_said = has_warning("the judge's answers could not be stored");
        assert!(if is_said { !is_kept } else { is_kept || said_stored.is_empty() }, "{what}");
    }
    let calls: i64 = world.sql::<i64>("SELECT count(*) FROM calls").first().copied().unwrap_or_default();
    let failed_calls = ended.closed.as_ref().err().is_some_and(|error| error.to_string().contains("cost could not be"));
    let made = ended.writes.iter().filter(|write| **write == "call").count();
    assert_eq!(usize::try_from(calls).expect("few") < made, failed_calls, "{what}: {calls} of {made} calls");

    let is_failed = matches!(view.state, RunState::Failed(_));
    !is_failed && view.not_stored().is_none() && ended.closed.is_ok()
}

#[test]
fn generate_says_what_is_stored_whichever_write_fails() {
    let raw = || json!({ "input": "Name a river", "count": 3, "auto_select": true });
    let clean = {
        let world = StoreFixture::new(CONFIG, Faults::Never);
        let ended = block_on(world.generate(raw()));
        assert!(generation_is_truthful(&world, &ended, "no fault"), "{:?}", ended.view.warnings);
        ended.writes
    };
    for kind in ["session", "prompts", "ranking", "judgement", "call", "vectors"] {
        assert!(clean.contains(&kind), "a clean run writes no {kind}: {clean:?}");
    }
    for_every_write(clean.len(), |faults| {
        let world = StoreFixture::new(CONFIG, faults);
        let ended = block_on(world.generate(raw()));
        let what = format!("{faults:?} of {:?}", ended.writes);
        let is_exit_0 = generation_is_truthful(&world, &ended, &what);
        assert_eq!(is_exit_0, is_minor(faults, &ended.writes), "{what}");
    });
}

#[test]
fn a_daily_budget_that_cannot_be_kept_is_no_success() {
    let config = format!("{CONFIG}spend: {{daily_budget_usd: 1.0}}\n");
    let raw = || json!({ "input": "Name a river", "count": 2, "assume_price": 1.0 });
    let clean = block_on(StoreFixture::new(&config, Faults::Never).generate(raw())).writes;
    assert!(clean.contains(&"admission"), "{clean:?}");
    for_every_write(clean.len(), |faults| {
        let world = StoreFixture::new(&config, faults);
        let ended = block_on(world.generate(raw()));
        let named: BTreeSet<u32> = ended.view.unsaved().map(|(variant, _)| variant).collect();
        let prompts = ended.view.finished_prompts().filter(|prompt| !named.contains(&prompt.variant));
        assert_eq!(world.stored(), prompts.map(|prompt| plain(prompt.id)).collect(), "{faults:?}");
        let is_failed = matches!(ended.view.state, RunState::Failed(_));
        let is_said =
            is_minor(faults, &ended.writes) || is_failed || ended.view.not_stored().is_some() || ended.closed.is_err();
        assert!(is_said, "{faults:?} of {:?}: the exit is 0", ended.writes);
    });
}

#[test]
fn select_says_what_is_kept_whichever_write_fails() {
    let select = |faults: Faults| {
        let (world, ids) = StoreFixture::with_prompts(faults);
        let ended = block_on(async {
            let request = world.engine.decode(json!({ "prompt_ids": ids })).expect("a valid request");
            let run = world.engine.select(request).await.expect("it starts");
            world.watch(run).await
        });
        (world, ended)
    };
    let clean = select(Faults::Never).1.writes;
    assert!(clean.contains(&"judgement"), "{clean:?}");
    for_every_write(clean.len(), |faults| {
        let (world, ended) = select(faults);
        let what = format!("{faults:?} of {:?}", ended.writes);
        assert!(ended.view.selection().is_some(), "{what}: the choice is there all the same");
        let is_kept = world.sql::<i64>("SELECT count(*) FROM judgements") == [1];
        assert_eq!(is_kept, ended.view.storage_warnings.is_empty(), "{what}");
        let is_exit_0 = ended.view.not_stored().is_none() && ended.closed.is_ok();
        assert_eq!(is_exit_0, is_minor(faults, &ended.writes), "{what}");
    });
}

#[cfg(feature = "server")]
#[test]
fn the_servers_name_what_is_not_stored_and_give_it() {
    use crate::seeded::Seeded;

    let raw = || json!({ "input": "Name a river", "count": 3 });
    let clean = block_on(StoreFixture::new(CONFIG, Faults::Never).generate(raw())).writes;
    let first = clean.iter().position(|write| *write == "prompts").expect("prompts are written") + 1;
    let check = |world: &StoreFixture, result: &Value| {
        assert_eq!(result["prompts"].as_array().map(Vec::len), Some(3), "{result}");
        let failures = result["failures"].as_array().expect("failures");
        assert!(failures.iter().all(|it| it["phase"].is_null() && it["error"]["code"] == "storage"), "{result}");
        assert_eq!((failures.len(), world.stored().len()), (3, 0));
        let lines = std::fs::read_to_string(world.unsaved_file().expect("a file")).expect("it reads");
        assert_eq!(lines.lines().count(), 3);
    };
    let world = StoreFixture::new(CONFIG, Faults::From(first));
    block_on(async {
        let api = crate::rest::Api::new(Seeded::over(world.engine.clone()));
        check(&world, &api.generate(&raw()).await);
    });
    let world = StoreFixture::new(CONFIG, Faults::From(first));
    block_on(async {
        let mut wire = crate::mcp::Wire::newer(Seeded::over(world.engine.clone()));
        check(&world, &wire.content("generate_prompts", raw()).await);
    });
}

#[test]
fn a_judges_test_is_told_whether_or_not_it_is_kept() {
    let world = StoreFixture::new(CONFIG, Faults::From(1));
    let raw = json!({ "judge_provider": "lab" });
    let ended = block_on(async {
        let request = world.engine.decode(raw).expect("a valid request");
        let prepared = world.engine.prepare_audit(request).expect("a judge that can be used");
        world.watch(prepared.start().expect("it costs nothing")).await
    });
    let RunState::Finished(outcome) = &ended.view.state else { panic!("it was paid for: {:?}", ended.view.state) };
    assert!(matches!(&**outcome, Outcome::JudgeAudit(audit) if audit.profile.judge.provider == "lab"), "{outcome:?}");
    assert_eq!(ended.view.not_stored().map(|problem| problem.code), Some(Code::Storage));
}

#[test]
fn import_says_what_is_stored_whichever_write_fails() {
    const RECORDS: usize = 1200;
    let records: Vec<String> =
        (0..RECORDS).map(|number| json!({ "content": number.to_string() }).to_string()).collect();
    let file = records.join("\n");
    let import = |world: &StoreFixture| {
        let input = Input { name: "all.jsonl".into(), source: std::io::Cursor::new(file.clone().into_bytes()) };
        let request = world.engine.decode(json!({ "no_vectors": true })).expect("a valid request");
        block_on(async {
            let report = imported(world.engine.import(request, input)).await;
            (report, world.engine.close().await)
        })
    };
    let world = StoreFixture::new(CONFIG, Faults::Never);
    let (report, _) = import(&world);
    assert_eq!(report.expect("a report").imported, RECORDS as u64);
    let clean = world.store.writes();
    assert_eq!(clean, ["prompts"; 3], "three batches");
    for_every_write(clean.len(), |faults| {
        let world = StoreFixture::new(CONFIG, faults);
        let (report, _) = import(&world);
        let error = report.expect_err("the exit is not 0");
        assert_eq!(error.code, Code::Storage);
        let there = world.stored().len();
        assert!(error.detail.contains(&format!("{there} prompts were stored before that")), "{faults:?}: {error:?}");
        // The same import adds the rest.
        let (store, engine) = open(world.folder.path(), 9, Faults::Never);
        let again = StoreFixture { store, engine, ..world };
        import(&again).0.expect("a report");
        assert_eq!(again.stored().len(), RECORDS);
    });
}

fn hold(other: &rusqlite::Connection) {
    other.execute_batch("BEGIN IMMEDIATE").expect("the lock");
}

#[test]
fn what_is_finished_while_another_process_holds_the_database_is_named_and_saved() {
    // From the first call on, and after a prompt is stored.
    for is_first_stored in [false, true] {
        let (world, earlier, other) = StoreFixture::locked();
        let ended = block_on(async {
            let raw = json!({ "input": "Name a river", "count": 8, "phases": ["solutio"], "auto_select": true });
            let run = world.engine.generate(world.engine.decode(raw).expect("a valid request")).expect("it starts");
            let then = |event: &Event| {
                let is_time = match event.kind {
                    EventKind::PhaseStarted { .. } => !is_first_stored,
                    EventKind::VariantFinished { .. } => is_first_stored,
                    _ => false,
                };
                if is_time && other.is_autocommit() {
                    hold(&other);
                }
            };
            world.watch_and(run, then).await
        });
        let view = &ended.view;
        assert_eq!(view.finished_prompts().count(), 8);
        let named: BTreeSet<u32> = view.unsaved().map(|(variant, _)| variant).collect();
        let expected = if is_first_stored { 1..=7 } else { 8..=8 };
        assert!(expected.contains(&named.len()), "{named:?}");
        let said_stored = view.finished_prompts().filter(|prompt| !named.contains(&prompt.variant));
        let earlier = earlier.iter().map(|id| id.replace('-', ""));
        assert_eq!(world.stored(), earlier.chain(said_stored.map(|prompt| plain(prompt.id))).collect());
        assert!(view.not_stored().is_some(), "the exit is 0");

        // Once the lock is released, importing the saved file completes everything.
        other.execute_batch("ROLLBACK").expect("the lock is given up");
        let file = std::fs::read(world.unsaved_file().expect("a file")).expect("it reads");
        let input = Input { name: "unsaved.jsonl".into(), source: std::io::Cursor::new(file) };
        let (_, engine) = open(world.folder.path(), 10, Faults::Never);
        let request = engine.decode(json!({ "no_vectors": true })).expect("a valid request");
        let report = block_on(async { imported(engine.import(request, input)).await }).expect("a report");
        assert_eq!((report.imported, world.stored().len()), (named.len() as u64, 10));
    }
}

#[test]
fn a_run_that_could_store_nothing_is_not_begun() {
    let (world, ids, other) = StoreFixture::locked();
    let calls = || world.sql::<i64>("SELECT count(*) FROM calls");
    let before = calls();
    hold(&other);
    let ended = block_on(world.generate(json!({ "input": "Name a river", "count": 2 })));
    assert!(matches!(&ended.view.state, RunState::Failed(problem) if problem.code == Code::Storage));
    assert_eq!(ended.view.finished_prompts().count(), 0);
    assert_eq!((ended.writes, calls(), world.stored().len()), (vec!["session", "job"], before, ids.len()));
}

#[test]
fn what_cannot_be_kept_while_another_process_holds_the_database_is_no_success() {
    let (world, ids, other) = StoreFixture::locked();
    hold(&other);
    let ended = block_on(async {
        let request = world.engine.decode(json!({ "prompt_ids": ids })).expect("a valid request");
        world.watch(world.engine.select(request).await.expect("it starts")).await
    });
    assert!(ended.view.selection().is_some() && ended.view.not_stored().is_some());
    assert!(world.sql::<i64>("SELECT count(*) FROM judgements") == [0] && !ended.view.storage_warnings.is_empty());

    let input = Input { name: "one.jsonl".into(), source: std::io::Cursor::new(br#"{"content": "x"}"#.to_vec()) };
    let request = world.engine.decode(json!({ "no_vectors": true })).expect("a valid request");
    let error = block_on(async { imported(world.engine.import(request, input)).await }).expect_err("no success");
    assert!(error.code == Code::Storage && world.stored().len() == 2, "{error:?}");
}
