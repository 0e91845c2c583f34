//! Tests of the facade: every operation end to end, over a real database and `builtin`.

mod batch;
mod batch_rows;
mod changes;
mod jobs;
mod labels;
mod metrics;
mod offered;
mod recall;
mod remote_embedding;
mod search;
mod select;
mod spend;
mod statistics;
mod trash;

use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::api::ValidateRequest;
use crate::config::{self, Environment, Flags};
use crate::domain::{GenerationResult, HealthStatus, ImportReport, JudgeAudit, Reindexed, Source};
use crate::error::{Code, Error, Problem};
use crate::event::run::Run;
use crate::event::{EventKind, Outcome, RunView, laws};
use crate::ids::SeededIds;
use crate::time::FixedClock;

pub(super) struct Home {
    pub(super) folder: tempfile::TempDir,
}

impl Home {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        // With the mode that the program would give it.
        #[cfg(unix)]
        std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
        Self { folder }
    }

    pub(super) fn with_config(text: &str) -> Self {
        let home = Self::new();
        std::fs::write(home.folder.path().join("config.yaml"), text).unwrap();
        home
    }

    /// An engine that does not embed prompts.
    pub(super) fn engine(&self) -> Engine {
        let engine = self.indexing_engine();
        engine.stop_indexing();
        engine
    }

    /// An engine that embeds stored prompts.
    pub(super) fn indexing_engine(&self) -> Engine {
        let environment = Environment::from_pairs([("ALUDEL_HOME", self.folder.path().to_str().unwrap())]);
        let loaded = config::load(&Flags::default(), &environment).unwrap();
        let clock = Arc::new(FixedClock::ticking_from(1_700_000_000_000));
        Engine::open_with(loaded, clock, Arc::new(SeededIds::new(1)))
    }
}

async fn generate(engine: &Engine, raw: Value) -> Result<GenerationResult, Error> {
    let mut run = engine.generate(engine.decode(raw)?)?;
    let (mut events, mut view) = (Vec::new(), RunView::default());
    while let Some(event) = run.next().await {
        view.apply(&event);
        events.push(event);
    }
    laws::check(&events).unwrap();
    match &events.last().unwrap().kind {
        EventKind::Finished { outcome } => Ok(outcome.generation().expect("a generation").clone()),
        other => panic!("the run ended with {other:?}"),
    }
}

async fn show(engine: &Engine, key: &str) -> Result<crate::domain::Prompt, Error> {
    engine.show(engine.decode(json!({ "prompt_id": key }))?).await
}

#[tokio::test]
async fn with_no_configuration_an_idea_becomes_three_stored_prompts() {
    let home = Home::new();
    let engine = home.engine();
    let result =
        generate(&engine, json!({ "input": "Write a python function that finds prime numbers" })).await.unwrap();
    assert_eq!((result.prompts.len(), result.rankings.len()), (3, 3));
    assert!(result.failures.is_empty() && result.warnings.is_empty(), "{:?}", result.warnings);
    assert_eq!(result.model_metadata.cost_usd, Some(0.0));
    let best = &result.prompts[0];
    assert_eq!(&show(&engine, &best.id.to_string()).await.unwrap(), best);
    assert_eq!(&show(&engine, &best.id.short()).await.unwrap(), best);
    let distinct: std::collections::BTreeSet<_> = result.prompts.iter().map(|prompt| &prompt.content).collect();
    assert_eq!(distinct.len(), 3, "variants differ");
}

#[tokio::test]
async fn auto_select_gives_a_choice_with_its_comparisons() {
    let home = Home::new();
    let engine = home.engine();
    let raw = json!({ "input": "Write a letter to a landlord about 2 broken windows", "auto_select": true });
    let result = generate(&engine, raw).await.unwrap();
    let selected = result.selected.expect("a choice");
    assert_eq!(selected.ranking.len(), 3);
    assert!((0.0..=1.0).contains(&selected.confidence));
    assert!(result.prompts.iter().any(|prompt| prompt.id == selected.prompt.id));
}

#[tokio::test]
async fn a_subset_of_phases_runs_in_the_order_given() {
    let home = Home::new();
    let engine = home.engine();
    let raw = json!({ "input": "Plan a trip to Rome", "phases": ["coagulatio", "prima-materia"], "count": 1 });
    let result = generate(&engine, raw).await.unwrap();
    let phases: Vec<_> = result.prompts[0].steps.iter().map(|step| step.phase.as_str()).collect();
    assert_eq!(phases, ["coagulatio", "prima-materia"]);
}

#[tokio::test]
async fn an_unknown_id_is_not_found_and_a_bad_one_is_refused() {
    let home = Home::new();
    let engine = home.engine();
    assert_eq!(show(&engine, "01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21").await.unwrap_err().code(), Code::NotFound);
    assert_eq!(show(&engine, "@last").await.unwrap_err().code(), Code::NotFound);
    assert_eq!(show(&engine, "zz").await.unwrap_err().code(), Code::ValidationFailed);
}

#[tokio::test]
async fn an_ambiguous_id_lists_what_it_could_mean() {
    let home = Home::new();
    let engine = home.engine();
    let result = generate(&engine, json!({ "input": "Name a boat", "count": 2 })).await.unwrap();
    let beginning: String = result.prompts[0].id.to_string().chars().take(8).collect();
    let error = show(&engine, &beginning).await.unwrap_err();
    assert_eq!(error.code(), Code::ValidationFailed);
    assert!(result.prompts.iter().all(|prompt| error.to_string().contains(&prompt.id.to_string())), "{error}");
}

#[tokio::test]
async fn tags_and_notes_change_in_place_and_raise_the_revision() {
    let home = Home::new();
    let engine = home.engine();
    generate(&engine, json!({ "input": "Name a boat", "count": 1, "tags": ["sea"] })).await.unwrap();
    let raw = json!({ "prompt_id": "@last", "add_tags": ["boat"], "remove_tags": ["sea"], "notes": "keep" });
    let changed = engine.update(engine.decode(raw).unwrap()).await.unwrap();
    assert_eq!((changed.revision, changed.tags.as_slice()), (2, &["boat".to_owned()][..]));
    let stale = json!({ "prompt_id": "@last", "notes": null, "revision": 1 });
    assert_eq!(engine.update(engine.decode(stale).unwrap()).await.unwrap_err().code(), Code::Conflict);
}

#[tokio::test]
async fn new_content_makes_a_new_prompt_and_leaves_the_old_one() {
    let home = Home::new();
    let engine = home.engine();
    let old = generate(&engine, json!({ "input": "Name a boat", "count": 1 })).await.unwrap().prompts.remove(0);
    let raw = json!({ "prompt_id": old.id.to_string(), "content": "You name boats." });
    let new = engine.update(engine.decode(raw).unwrap()).await.unwrap();
    assert_eq!((new.parent_id, new.source, new.revision), (Some(old.id), Source::Manual, 1));
    assert_eq!(show(&engine, &old.id.to_string()).await.unwrap(), old);
    assert_eq!(show(&engine, "@last").await.unwrap(), new);
}

#[tokio::test]
async fn a_deletion_with_one_unknown_id_deletes_nothing() {
    let home = Home::new();
    let engine = home.engine();
    let prompt = generate(&engine, json!({ "input": "Name a boat", "count": 1 })).await.unwrap().prompts.remove(0);
    let ids = json!({ "prompt_ids": [prompt.id.to_string(), "01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21"] });
    assert_eq!(engine.delete(engine.decode(ids).unwrap()).await.unwrap_err().code(), Code::NotFound);
    assert!(show(&engine, "@last").await.is_ok());
    let all = engine.delete(engine.decode(json!({ "all": true })).unwrap()).await.unwrap();
    assert_eq!(all.deleted, [prompt.id]);
}

#[tokio::test]
async fn history_shows_a_run_with_its_variants_best_first() {
    let home = Home::new();
    let engine = home.engine();
    let first = generate(&engine, json!({ "input": "Name a boat", "count": 2 })).await.unwrap();
    let second = generate(&engine, json!({ "input": "Name a cat", "count": 3 })).await.unwrap();
    let page = engine.history(engine.decode(json!({})).unwrap()).await.unwrap();
    let sessions: Vec<_> = page.sessions.iter().map(|row| row.session.id).collect();
    assert_eq!(sessions, [second.session_id, first.session_id]);
    assert_eq!(page.sessions[0].prompts, second.prompts);
}

#[tokio::test]
async fn a_phase_takes_the_binding_of_the_configuration_and_a_request_overrides_it() {
    let home = Home::new();
    let script = home.folder.path().join("fixed.yaml");
    std::fs::write(&script, "seed: 1\nmodel: fixed-1\nanswer: {text: 'You answer {phase}.'}\n").unwrap();
    let text = format!(
        "providers:\n  fixed: {{kind: sim, script: {}}}\nphases:\n  solutio: {{provider: builtin}}\n",
        script.display()
    );
    std::fs::write(home.folder.path().join("config.yaml"), text).unwrap();
    let engine = home.engine();
    let result = generate(&engine, json!({ "input": "Name a boat", "count": 1 })).await.unwrap();
    let providers: Vec<_> = result.prompts[0].steps.iter().map(|step| step.provider.as_str()).collect();
    assert_eq!(providers, ["fixed", "builtin", "fixed"], "unbound phases take the file's first provider");
    let raw = json!({ "input": "Name a boat", "count": 1, "provider": "builtin" });
    let result = generate(&engine, raw).await.unwrap();
    assert!(result.prompts[0].steps.iter().all(|step| step.provider == "builtin"));
}

#[tokio::test]
async fn a_fallback_is_used_and_said() {
    let home = Home::new();
    let script = home.folder.path().join("down.yaml");
    std::fs::write(&script, "seed: 1\nanswer: echo\nrules:\n  - fault: auth\n").unwrap();
    let text = format!(
        "providers:\n  down: {{kind: sim, script: {}}}\nphases:\n  solutio: {{provider: down, fallback: [builtin]}}\n  \
         prima-materia: {{provider: builtin}}\n  coagulatio: {{provider: builtin}}\n",
        script.display()
    );
    std::fs::write(home.folder.path().join("config.yaml"), text).unwrap();
    let engine = home.engine();
    let result = generate(&engine, json!({ "input": "Name a boat", "count": 1 })).await.unwrap();
    assert_eq!(result.prompts[0].steps[1].model_metadata.fallback_from.as_deref(), Some("down"));
    assert!(result.warnings.iter().any(|warning| warning.contains("down")), "{:?}", result.warnings);
}

/// A home with this `models.yaml` whose only configured provider is the script `suite`.
fn home_with_models(rows: &str) -> Home {
    let home = Home::new();
    let script = home.folder.path().join("suite.yaml");
    std::fs::write(&script, "seed: 1\nmodel: picky\nanswer: echo\n").unwrap();
    let text = format!("providers:\n  suite: {{kind: sim, script: {}}}\n", script.display());
    std::fs::write(home.folder.path().join("config.yaml"), text).unwrap();
    std::fs::write(home.folder.path().join("models.yaml"), rows).unwrap();
    home
}

#[tokio::test]
async fn what_a_model_does_not_take_is_told_once_a_run() {
    let home = home_with_models("suite: {models: {picky: {temperature: false, max_output: 1000}}}\n");
    let result = generate(&home.engine(), json!({ "input": "Name a boat", "count": 3 })).await.unwrap();
    assert_eq!(result.model_metadata.calls, 9);
    let told = [
        "`picky` takes no temperature; 0.7 was left out",
        "`picky` writes at most 1000 tokens; max_tokens 2000 was lowered to that",
    ];
    assert_eq!(result.warnings, told);
}

#[tokio::test]
async fn a_broken_catalogue_fails_what_needs_it_and_nothing_else() {
    let home = home_with_models("suite:\n  models: {picky: {temprature: false}}\n");
    let engine = home.engine();
    let validation = engine.validate(ValidateRequest::default()).await;
    let failed = validation.checks.iter().filter(|check| check.status == CheckStatus::Failed);
    assert!(failed.into_iter().any(|check| check.detail.contains("line 2") && check.detail.contains("`temperature`")));
    let raw = |provider| json!({ "input": "Name a boat", "count": 1, "provider": provider });
    assert_eq!(generate(&engine, raw("suite")).await.unwrap_err().code(), Code::File);
    assert!(generate(&engine, raw("builtin")).await.is_ok());
}

#[tokio::test]
async fn a_process_answers_from_what_it_kept_and_asks_anew_when_told_to() {
    let home = Home::new();
    let script = home.folder.path().join("model.yaml");
    std::fs::write(&script, "answer: echo\n").unwrap();
    let text = format!("providers:\n  model: {{kind: sim, script: {}}}\ncache: {{enabled: true}}\n", script.display());
    std::fs::write(home.folder.path().join("config.yaml"), text).unwrap();
    let engine = home.engine();
    for (no_cache, cached) in [(true, false), (false, false), (false, true), (true, false)] {
        let raw = json!({ "input": "Name a boat", "auto_select": true, "no_cache": no_cache });
        let result = generate(&engine, raw).await.unwrap();
        assert_eq!((result.model_metadata.cached, result.selected.unwrap().model_metadata.cached), (cached, cached));
    }
}

#[tokio::test]
async fn validate_names_a_weight_that_is_none() {
    let home = Home::with_config("ranking:\n  weights: {beauty: 1}\n");
    let validation = home.engine().validate(ValidateRequest::default()).await;
    assert!(!validation.valid);
    let failed: Vec<_> = validation.checks.iter().filter(|check| check.status == CheckStatus::Failed).collect();
    assert_eq!(failed.len(), 1);
    assert!(failed[0].detail.contains("beauty"));
}

#[tokio::test]
async fn a_key_without_effect_is_named_by_validate_and_by_a_run_it_would_change() {
    let home = Home::with_config("tui: {mouse: false}\nlearning:\n  enabled: true\n");
    let engine = home.engine();
    let validation = engine.validate(ValidateRequest::default()).await;
    let warned: Vec<_> = validation.checks.iter().filter(|check| check.detail.contains("no effect")).collect();
    assert_eq!(warned.iter().map(|check| check.name.as_str()).collect::<Vec<_>>(), ["learning"]);
    assert!(validation.valid);
    let result = generate(&engine, json!({ "input": "Name a boat", "count": 1 })).await.unwrap();
    assert_eq!(result.warnings, ["`learning` is set (line 2 of the configuration) and has no effect in this version"]);
}

#[tokio::test]
async fn facts_of_a_provider_tell_where_its_key_is_and_never_what_it_is() {
    use crate::domain::Phase;
    use crate::probe::KeySource;
    let home = Home::with_config(
        "providers:\n  lab: {kind: openai, base_url: \"http://127.0.0.1:9/v1\", api_key: canary-of-facts-1234, model: m}\n\
         phases:\n  solutio: {provider: builtin, fallback: [lab]}\n",
    );
    let facts = home.engine().provider_details().await;
    let of = |name: &str| facts.iter().find(|facts| facts.info.name == name).unwrap();
    let lab = of("lab");
    assert_eq!((lab.is_configured, &lab.key), (true, &KeySource::Configured));
    assert_eq!(lab.phases, [Phase::PrimaMateria, Phase::Coagulatio], "the first of the file takes what is not bound");
    assert_eq!(lab.fallback_of, [Phase::Solutio]);
    let builtin = of("builtin");
    assert_eq!((builtin.is_configured, &builtin.key), (false, &KeySource::NotNeeded));
    assert!(builtin.price.is_some_and(|price| price.input == 0.0));
    assert!(matches!(&of("anthropic").key, KeySource::Missing { variables } if variables == &["ANTHROPIC_API_KEY"]));
    assert!(!format!("{facts:?}").contains("canary"));
}

#[test]
fn settings_are_told_with_where_they_are_from_and_without_secrets() {
    let home = Home::with_config("providers:\n  openai: {api_key: canary-of-settings-1234}\ntui:\n  theme: dark\n");
    let settings = home.engine().settings().unwrap();
    let theme = settings.iter().find(|setting| setting.key == "tui.theme").unwrap();
    assert_eq!(theme.value, "dark");
    assert!(matches!(theme.origin, config::Origin::File { line: 4, .. }), "{theme:?}");
    assert!(!format!("{settings:?}").contains("canary"));
}

#[tokio::test]
async fn a_clean_home_is_valid_and_stays_empty() {
    let home = Home::new();
    let engine = home.engine();
    assert!(engine.validate(ValidateRequest::default()).await.valid);
    assert!(engine.list(engine.decode(json!({})).unwrap()).await.unwrap().prompts.is_empty());
    assert_eq!(std::fs::read_dir(home.folder.path()).unwrap().count(), 0, "looking makes no file");
}

/// The outcome of a reindex run.
async fn reindexed(run: Result<Run>) -> Result<Reindexed, Box<Problem>> {
    match run.map_err(|error| Box::new(error.into()))?.outcome().await? {
        Outcome::Reindex(reindexed) => Ok(reindexed),
        other => panic!("{other:?}"),
    }
}

/// The outcome of an import run.
async fn imported(run: Run) -> Result<ImportReport, Box<Problem>> {
    match run.outcome().await? {
        Outcome::Import(report) => Ok(report),
        other => panic!("{other:?}"),
    }
}

/// The outcome of a judge audit and its events, which are checked against the rules for events.
async fn audited(prepared: Result<Prepared>) -> (Result<JudgeAudit, Box<Problem>>, Vec<EventKind>) {
    let mut run = match prepared.and_then(Prepared::start) {
        Ok(run) => run,
        Err(error) => return (Err(Box::new(error.into())), Vec::new()),
    };
    let mut events = Vec::new();
    while let Some(event) = run.next().await {
        events.push(event);
    }
    laws::check(&events).unwrap();
    let mut kinds: Vec<EventKind> = events.into_iter().map(|event| event.kind).collect();
    let result = match kinds.pop() {
        Some(EventKind::Finished { outcome }) => match *outcome {
            Outcome::JudgeAudit(audit) => Ok(*audit),
            other => panic!("{other:?}"),
        },
        Some(EventKind::Failed { error }) => Err(error),
        other => panic!("{other:?}"),
    };
    (result, kinds)
}
