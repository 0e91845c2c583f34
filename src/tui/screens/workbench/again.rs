//! Repeats the run on the screen: the failed variants, all of it, or with another provider.
//!
//! Each starts a new run with the same request, changed as needed; the core does not continue a
//! finished run. What the earlier run finished is stored and in the History.

use serde_json::{Value, json};

use super::starting::start;
use crate::tui::action::Action;
use crate::tui::effect::{CoreEffect, Effect};
use crate::tui::model::{LiveRun, Model, Overlay, Tone};

/// Why `action` cannot be done now; `None` when it can.
pub(super) fn refusal(model: &Model, action: Action) -> Option<&'static str> {
    match &model.run {
        None => Some("no run yet"),
        Some(run) if run.is_live() => Some("a run is live; {stop-or-quit} stops it"),
        Some(run) if run.refusal.is_some() => Some("it was refused; fix the request, then {run} runs it"),
        Some(run) if action == Action::Retry && failed(run) == 0 => Some("no variant failed"),
        Some(_) => None,
    }
}

/// Runs the failed variants again.
pub(super) fn retry(model: &mut Model) -> Vec<Effect> {
    let Some(run) = &model.run else { return Vec::new() };
    let (failed, finished) = (failed(run), run.finished() - run.unsaved_count());
    let raw = with(&run.raw, "count", json!(failed));
    let effects = start(model, raw);
    if finished > 0 {
        let kept = if finished == 1 { "the finished one is" } else { "the finished ones are" };
        model.say_long(Tone::Done, format!("{} again, in a new run; {kept} in the History", variants(failed)));
    }
    effects
}

/// Runs the same request again.
pub(super) fn rerun(model: &mut Model) -> Vec<Effect> {
    let raw = model.run.as_ref().map(|run| run.raw.clone());
    raw.map_or_else(Vec::new, |raw| start(model, raw))
}

/// Opens the choice of a provider for the failed variants, or for one more variant.
pub(super) fn choose_provider(model: &mut Model) -> Vec<Effect> {
    model.overlay = Some(Overlay::Providers { marked: None });
    vec![CoreEffect::LoadNames.into()]
}

/// Runs the failed variants with `provider`, or one more variant if none failed.
pub(crate) fn run_with(model: &mut Model, provider: &str) -> Vec<Effect> {
    let Some(run) = &model.run else { return Vec::new() };
    let raw = with(&with(&run.raw, "count", json!(wanted(run))), "provider", json!(provider));
    start(model, raw)
}

/// The index of the provider offered first: one with which nothing failed, if there is one.
pub(crate) fn offered_first(model: &Model) -> usize {
    let is_other = |name: &String| model.run.as_ref().is_none_or(|run| !has_failed_with(run, name));
    model.settings.providers().iter().position(is_other).unwrap_or(0)
}

/// True if a variant failed while this provider was writing it.
fn has_failed_with(run: &LiveRun, provider: &str) -> bool {
    let wrote = |variant: u32| {
        let last = run.view.variants.get(&variant).and_then(|variant| variant.phases.last());
        last.is_some_and(|begun| begun.provider == provider)
    };
    (0..run.variants()).any(|variant| run.failure(variant).is_some() && wrote(variant))
}

/// How many variants another provider is asked for.
pub(crate) fn wanted(run: &LiveRun) -> usize {
    failed(run).max(1)
}

/// How many variants failed, without those that the user stopped.
pub(crate) fn failed(run: &LiveRun) -> usize {
    (0..run.variants()).filter(|variant| run.failure(*variant).is_some()).count()
}

/// `1 variant`, `2 variants`.
pub(crate) fn variants(count: usize) -> String {
    if count == 1 { "1 variant".to_owned() } else { format!("{count} variants") }
}

/// Copies `raw` with another value of `field`.
fn with(raw: &Value, field: &str, value: Value) -> Value {
    let mut raw = raw.clone();
    if let Some(fields) = raw.as_object_mut() {
        fields.insert(field.to_owned(), value);
    }
    raw
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::effect::Ticket;
    use crate::tui::testing::*;
    use aludel_core::domain::VariantFailure;
    use aludel_core::event::EventKind;

    fn generate(ticket: u64, raw: Value) -> Effect {
        CoreEffect::Generate { ticket: Ticket(ticket), raw }.into()
    }

    /// A run of three variants with `code`, of which those in `failed` failed.
    fn bench(failed: &[u32]) -> Bench {
        let mut bench = Bench::new(120, 40);
        bench.type_text("idea");
        bench.send(crate::tui::message::Message::Run(json!({ "input": "idea", "persona": "code", "count": 3 })));
        bench.tell(vec![started(3)]);
        let mut finished = Vec::new();
        for variant in 0..3 {
            if failed.contains(&variant) {
                bench.tell(vec![EventKind::VariantFailed { variant, phase: None, error: overloaded() }]);
            } else {
                bench.tell(whole_variant(variant, "text"));
                finished.push((variant, "text", 0.5));
            }
        }
        let failure = |variant: &u32| VariantFailure { variant: *variant, phase: None, error: *overloaded() };
        bench.tell(ending(&finished, failed.iter().map(failure).collect()));
        bench
    }

    #[test]
    fn what_failed_is_made_again_by_the_same_request() {
        let mut bench = bench(&[1, 2]);
        let raw = json!({ "input": "idea", "persona": "code", "count": 2 });
        assert_eq!(bench.press("r"), [generate(2, raw)]);
        let said = &bench.model.toast.as_ref().unwrap().text;
        assert_eq!(said, "2 variants again, in a new run; the finished one is in the History");
        assert_eq!(bench.press("r"), [], "while it goes on");
    }

    #[test]
    fn nothing_is_made_again_where_nothing_failed() {
        let mut bench = bench(&[]);
        assert_eq!(bench.press("r"), []);
        assert_eq!(bench.model.toast.as_ref().unwrap().text, "no variant failed");
        assert_eq!(bench.press("R"), [generate(2, json!({ "input": "idea", "persona": "code", "count": 3 }))]);
    }

    #[test]
    fn a_variant_that_the_user_stopped_did_not_fail() {
        let mut bench = Bench::new(120, 40);
        bench.run("idea", 1);
        bench.press("x");
        bench.tell(vec![
            EventKind::VariantFailed { variant: 0, phase: None, error: overloaded() },
            EventKind::Cancelled {},
        ]);
        assert_eq!(bench.press("r"), []);
        assert_eq!(bench.press("R").len(), 1);
    }

    #[test]
    fn what_ended_with_the_run_that_the_user_stopped_did_not_fail() {
        let mut bench = Bench::new(120, 40);
        bench.run("idea", 2);
        bench.tell(vec![EventKind::VariantFailed { variant: 0, phase: None, error: overloaded() }]);
        bench.press("Ctrl+C");
        bench.tell(vec![
            EventKind::VariantFailed { variant: 1, phase: None, error: overloaded() },
            EventKind::Cancelled {},
        ]);
        let run = bench.model.run.as_ref().unwrap();
        assert!(run.failure(0).is_some() && run.failure(1).is_none());
        assert!(matches!(run.phase_pane(1, 0), crate::tui::model::PhasePane::Stopped));
        assert_eq!(bench.press("r"), [generate(2, json!({ "input": "idea", "count": 1 }))]);
    }

    #[test]
    fn nothing_is_run_again_before_there_was_a_run_or_while_one_is_live() {
        let mut bench = Bench::new(120, 40);
        bench.press("Esc");
        for key in ["r", "R", "P"] {
            assert_eq!(bench.press(key), []);
            assert_eq!(bench.model.toast.as_ref().unwrap().text, "no run yet");
        }
        bench.press("i");
        bench.run("idea", 2);
        for key in ["r", "R", "P"] {
            assert_eq!(bench.press(key), []);
            assert_eq!(bench.model.toast.as_ref().unwrap().text, "a run is live; ^C stops it");
        }
    }

    #[test]
    fn another_provider_makes_what_failed() {
        let mut bench = bench(&[0]);
        assert_eq!(bench.press("P"), [CoreEffect::LoadNames.into()]);
        assert!(bench.picture().contains("checking availability"), "{}", bench.picture());
        assert_eq!(bench.press("Enter"), [], "there is nothing to choose yet");
        bench.names();
        assert!(bench.picture().contains("1 variant, which failed") && bench.picture().contains("local"));
        let raw = json!({ "input": "idea", "persona": "code", "count": 1, "provider": "local" });
        assert_eq!(bench.press("Down Enter"), [generate(2, raw)]);
        assert_eq!(bench.model.overlay, None);
    }

    #[test]
    fn a_provider_that_did_not_fail_is_offered_first() {
        let mut bench = bench(&[]);
        bench.press("R");
        bench.tell(vec![started(1), phase_started(0, aludel_core::domain::Phase::Solutio)]);
        bench.names();
        let wrote = bench.model.run.as_ref().and_then(|run| run.begun(0, 1)).map(|begun| begun.provider.clone());
        let names = ["sim", "local"].map(String::from).to_vec();
        assert_eq!(wrote.as_deref(), Some("sim"));
        bench.send(crate::tui::message::Message::Names(crate::tui::model::Names {
            personas: Vec::new(),
            providers: names,
        }));
        let failed = EventKind::VariantFailed { variant: 0, phase: None, error: overloaded() };
        bench.tell(vec![failed, EventKind::Failed { error: overloaded() }]);
        let [Effect::Core(CoreEffect::Generate { raw, .. })] = &bench.press("P Enter")[1..] else { panic!() };
        assert_eq!(raw["provider"], "local");
    }

    #[test]
    fn another_provider_makes_one_more_variant_where_nothing_failed() {
        let mut bench = bench(&[]);
        bench.press("P");
        bench.names();
        assert!(bench.picture().contains("1 variant more"), "{}", bench.picture());
        let raw = json!({ "input": "idea", "persona": "code", "count": 1, "provider": "builtin" });
        assert_eq!(bench.press("Enter"), [generate(2, raw)]);
    }
}
