//! Tests of the run rules, with the scripted provider, a real database and paused time.

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::assets::Assets;
use crate::domain::{Filter, GenerationResult, Order, Phase, TargetFamily};
use crate::error::Code;
use crate::event::run::Run;
use crate::event::{Event, EventKind, RunState, RunView, laws};
use crate::ids::SeededIds;
use crate::judge::Judge;
use crate::provider::Provider;
use crate::provider::sim::Sim;
use crate::rank::Weights;
use crate::store::sqlite::SqliteStore;
use crate::store::{PageSpec, Store};
use crate::time::FixedClock;

mod long_texts;

pub(super) struct World {
    _folder: tempfile::TempDir,
    store: Arc<dyn Store>,
    pub(super) ports: Ports,
}

impl World {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open(folder.path().join("aludel.db")));
        let ports = Ports {
            store: Arc::clone(&store),
            assets: Arc::new(Assets::new(None)),
            clock: Arc::new(FixedClock::ticking_from(1_700_000_000_000)),
            ids: Arc::new(SeededIds::new(1)),
            afterwards: Arc::new(|_, _| Box::new(|| {})),
            save_aside: Arc::new(|_, _| panic!("the store takes every prompt")),
        };
        Self { _folder: folder, store, ports }
    }

    pub(super) fn start(&self, plan: Plan) -> Run {
        start(plan, self.ports.clone())
    }

    pub(super) async fn stored(&self) -> Vec<crate::domain::Prompt> {
        let spec = PageSpec { limit: 1000, offset: 0, cursor: None };
        self.store.page(Filter::default(), Order::Oldest, spec).await.unwrap().items
    }

    pub(super) fn plan(&self, script: &str, count: u32) -> Plan {
        let provider: Arc<dyn Provider> = Arc::new(Sim::from_yaml("sim", script).unwrap());
        let bind = |phase| PhaseBinding {
            phase,
            provider: Arc::clone(&provider),
            model: None,
            temperature: 0.7,
            max_tokens: 2000,
        };
        Plan {
            session_id: self.ports.ids.session(),
            begun_at: self.ports.clock.now(),
            input: "Write a note about 3 rivers".into(),
            count,
            phases: Phase::ALL.map(bind).to_vec(),
            strategies: crate::assets::STRATEGIES.map(str::to_owned).to_vec(),
            gaps: 0,
            persona: "generic".into(),
            parent: None,
            tags: vec!["rivers".into()],
            context: Vec::new(),
            target: TargetFamily::Generic,
            save: true,
            judge: None,
            timeout: None,
            slots: None,
            concurrency: 16,
            ranking_weights: Weights::default(),
            warnings: Vec::new(),
            account: crate::ledger::Account::default(),
            allowance: None,
            journal: None,
            earlier: Vec::new(),
            taken: crate::ledger::Need::default(),
        }
    }
}

pub(super) async fn drain(mut run: Run) -> Vec<Event> {
    let mut events = Vec::new();
    while let Some(event) = run.next().await {
        events.push(event);
    }
    laws::check(&events).unwrap();
    events
}

pub(super) fn result(events: &[Event]) -> &GenerationResult {
    match &events.last().unwrap().kind {
        EventKind::Finished { outcome } => outcome.generation().expect("a generation"),
        other => panic!("the run ended with {other:?}"),
    }
}

pub(super) const HEALTHY: &str = "seed: 1\nanswer: echo\npacing: {first_token_ms: 20, chunk_chars: 16, chunk_ms: 2}\n";
const SECOND_FAILS: &str = "
seed: 1
answer: echo
pacing: {chunk_chars: 16, chunk_ms: 2}
rules:
  - when: {variant: 1, phase: solutio}
    fault: auth
";

#[tokio::test(start_paused = true)]
async fn variants_are_stored_ranked_and_given_best_first() {
    let world = World::new();
    let events = drain(world.start(world.plan(HEALTHY, 3))).await;
    let result = result(&events);
    assert_eq!(result.prompts.len(), 3);
    assert!(result.prompts.iter().all(|prompt| prompt.steps.len() == 3 && prompt.content == prompt.steps[2].content));
    let scores: Vec<f64> = result.prompts.iter().map(|prompt| prompt.score.unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    let ranked: Vec<_> = result.rankings.iter().map(|ranking| ranking.prompt_id).collect();
    assert_eq!(ranked, result.prompts.iter().map(|prompt| prompt.id).collect::<Vec<_>>());
    assert_eq!(result.model_metadata.calls, 9);
    let mut stored = world.stored().await;
    let mut shown = result.prompts.clone();
    stored.sort_by_key(|prompt| prompt.id);
    shown.sort_by_key(|prompt| prompt.id);
    assert_eq!(stored, shown);
}

#[tokio::test(start_paused = true)]
async fn variants_run_side_by_side_and_phases_one_after_the_other() {
    let world = World::new();
    let script = "seed: 1\nanswer: {text: 'the text of {phase}'}\npacing: {first_token_ms: 1000}\n";
    let began = tokio::time::Instant::now();
    drain(world.start(world.plan(script, 8))).await;
    let took = began.elapsed();
    assert!((3000..3500).contains(&took.as_millis()), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_concurrency_of_one_runs_variants_one_after_the_other() {
    let world = World::new();
    let script = "seed: 1\nanswer: {text: 'the text of {phase}'}\npacing: {first_token_ms: 1000}\n";
    let began = tokio::time::Instant::now();
    drain(world.start(Plan { concurrency: 1, ..world.plan(script, 4) })).await;
    let took = began.elapsed();
    assert!((12_000..12_500).contains(&took.as_millis()), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn one_failing_variant_leaves_the_others_and_is_named() {
    let world = World::new();
    let events = drain(world.start(world.plan(SECOND_FAILS, 3))).await;
    let result = result(&events);
    assert_eq!(result.prompts.len(), 2);
    let failure = &result.failures[0];
    assert_eq!((failure.variant, failure.phase, failure.error.code), (1, Some(Phase::Solutio), Code::ProviderAuth));
    assert_eq!(result.model_metadata.calls, 7, "the failed variant's finished call counts");
}

#[tokio::test(start_paused = true)]
async fn when_all_fail_the_run_fails_with_the_first_cause() {
    let world = World::new();
    let script = "seed: 1\nanswer: echo\nrules:\n  - when: {phase: prima-materia}\n    fault: auth\n";
    let events = drain(world.start(world.plan(script, 3))).await;
    let EventKind::Failed { error } = &events.last().unwrap().kind else { panic!("it did not fail") };
    assert_eq!(error.code, Code::ProviderAuth);
    assert_eq!(error.provider.as_deref(), Some("sim"));
    assert!(world.stored().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_run_keeps_what_had_finished_and_says_so() {
    let world = World::new();
    let script = "
seed: 1
answer: echo
rules:
  - when: {variant: [1, 2]}
    fault: hang
";
    let mut run = world.start(world.plan(script, 3));
    let control = run.control();
    let mut events = Vec::new();
    while let Some(event) = run.next().await {
        if matches!(event.kind, EventKind::VariantFinished { .. }) {
            control.cancel_all();
        }
        events.push(event);
    }
    laws::check(&events).unwrap();
    assert_eq!(events.last().unwrap().kind, EventKind::Cancelled {});
    let stored = world.stored().await;
    assert_eq!(stored.len(), 1);
    assert!(stored[0].score.is_some(), "what had finished is ranked all the same");
}

#[tokio::test(start_paused = true)]
async fn cancelling_one_variant_leaves_the_others() {
    let world = World::new();
    let run = world.start(world.plan(HEALTHY, 3));
    run.control().cancel_variant(1);
    let events = drain(run).await;
    let result = result(&events);
    assert_eq!(result.prompts.len(), 2);
    assert_eq!(result.failures[0].variant, 1);
}

#[tokio::test(start_paused = true)]
async fn dropping_the_run_stops_the_work() {
    let world = World::new();
    let mut run = world.start(world.plan("seed: 1\nanswer: echo\npacing: {first_token_ms: 60000}\n", 2));
    run.next().await;
    drop(run);
    tokio::time::sleep(Duration::from_mins(10)).await;
    assert!(world.stored().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_limit_of_a_run_keeps_what_had_finished() {
    let world = World::new();
    let script = "
seed: 1
answer: echo
rules:
  - when: {variant: 2}
    fault: hang
";
    let plan = Plan { timeout: Some(Duration::from_secs(5)), ..world.plan(script, 3) };
    let events = drain(world.start(plan)).await;
    let result = result(&events);
    assert_eq!((result.prompts.len(), result.failures.len()), (2, 1));
    assert_eq!(result.failures[0].error.code, Code::ProviderTimeout);
}

#[tokio::test(start_paused = true)]
async fn the_limit_of_a_run_holds_for_its_judge_too() {
    let world = World::new();
    let script = "seed: 1\nanswer: echo\nrules:\n  - when: {role: judge}\n    fault: hang\n";
    let plan = world.plan(script, 2);
    let judge = JudgePlan {
        judges: vec![Judge { provider: Arc::clone(&plan.phases[0].provider), model: None, profile: None }],
        rubric: Assets::default().rubric_for("generic").unwrap(),
        thorough: false,
        confidence: 0.8,
        order_swaps: true,
    };
    // Without the database, because its thread runs in real time and the paused clock does not.
    let plan = Plan { timeout: Some(Duration::from_secs(5)), judge: Some(judge), save: false, ..plan };
    let events = tokio::time::timeout(Duration::from_mins(1), drain(world.start(plan))).await.expect("the run ends");
    let result = result(&events);
    assert_eq!(result.prompts.len(), 2);
    assert!(result.selected.is_none());
    assert!(result.warnings.iter().any(|warning| warning.contains("timeout of 5 s")), "{:?}", result.warnings);
}

#[tokio::test(start_paused = true)]
async fn without_save_nothing_is_stored() {
    let world = World::new();
    let events = drain(world.start(Plan { save: false, ..world.plan(HEALTHY, 2) })).await;
    assert_eq!(result(&events).prompts.len(), 2);
    assert!(world.stored().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_database_that_cannot_be_used_is_found_before_anything_is_spent() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aludel.db");
    std::fs::write(&path, "this is no database, whatever its name says; it is long enough to be looked at").unwrap();
    let mut world = World::new();
    world.ports.store = Arc::new(SqliteStore::open(&path));
    let events = drain(world.start(world.plan(HEALTHY, 2))).await;
    let EventKind::Failed { error } = &events.last().unwrap().kind else { panic!("it did not fail") };
    assert_eq!(error.code, Code::Storage);
    assert!(!events.iter().any(|event| matches!(event.kind, EventKind::PhaseStarted { .. })));
}

#[tokio::test(start_paused = true)]
async fn the_events_fold_to_the_result() {
    let world = World::new();
    let events = drain(world.start(world.plan(SECOND_FAILS, 4))).await;
    let mut view = RunView::default();
    for event in &events {
        view.apply(event);
    }
    assert!(matches!(view.state, RunState::Finished(_)));
    let result = result(&events);
    let mut finished: Vec<_> = view.finished_prompts().map(|prompt| prompt.content.clone()).collect();
    let mut prompts: Vec<_> = result.prompts.iter().map(|prompt| prompt.content.clone()).collect();
    finished.sort();
    prompts.sort();
    assert_eq!(finished, prompts);
    assert_eq!(view.rankings, result.rankings);
    assert_eq!(view.generation(), Some(result));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever fails, and however the text is split, the run rules hold for every variant.
    #[test]
    fn the_laws_hold_under_any_faults(
        count in 1_u32..6,
        chunk in 1_usize..40,
        faults in prop::collection::vec((0_u32..6, 0_usize..3, 0_usize..5), 0..5),
        capacity in 1_u32..4,
    ) {
        let kinds = ["auth", "cut", "server_error", "empty", "{kind: refusal, after_chunks: 1}"];
        let rules: Vec<String> = faults
            .iter()
            .map(|(variant, phase, kind)| {
                format!("  - when: {{variant: {variant}, phase: {}}}\n    fault: {}\n", Phase::ALL[*phase], kinds[*kind])
            })
            .collect();
        let rules = rules.concat();
        let script = format!(
            "seed: 1\nanswer: echo\npacing: {{chunk_chars: {chunk}, chunk_ms: {capacity}}}\n{}{rules}",
            if rules.is_empty() { "" } else { "rules:\n" }
        );
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let world = World::new();
            let events = drain(world.start(world.plan(&script, count))).await;
            let finished = events.iter().filter(|event| matches!(event.kind, EventKind::VariantFinished { .. })).count();
            let failed = events.iter().filter(|event| matches!(event.kind, EventKind::VariantFailed { .. })).count();
            assert_eq!(finished + failed, count as usize);
            assert_eq!(world.stored().await.len(), finished);
        });
    }
}

#[tokio::test]
async fn what_is_stored_is_handed_on_after_the_last_event_and_announced_before_it() {
    use std::sync::Mutex;

    let mut world = World::new();
    let told: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = Arc::clone(&told);
    world.ports.afterwards = Arc::new(move |prompts, _| {
        log.lock().unwrap().push(format!("announced {}", prompts.len()));
        let log = Arc::clone(&log);
        Box::new(move || log.lock().unwrap().push("begun".into()))
    });
    let mut run = world.start(world.plan("answer: echo", 2));
    while run.next().await.is_some() {}
    assert_eq!(told.lock().unwrap().first().map(String::as_str), Some("announced 2"), "whoever has seen the end knows");
    while told.lock().unwrap().len() < 2 {
        tokio::task::yield_now().await;
    }
    assert_eq!(*told.lock().unwrap(), ["announced 2", "begun"]);

    told.lock().unwrap().clear();
    let mut run = world.start(Plan { save: false, ..world.plan("answer: echo", 2) });
    while run.next().await.is_some() {}
    tokio::task::yield_now().await;
    assert!(told.lock().unwrap().is_empty(), "nothing was stored");
}
