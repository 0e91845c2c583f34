//! Measuring a judge against a person's labels: what is read, asked, refused and stored.

use std::path::PathBuf;

use super::*;
use crate::api::JudgeAuditRequest;
use crate::domain::{JudgeName, Prompt, PromptId};
use crate::engine::{Better, LabelledPairs, Preflight};
use crate::event::part;
use crate::store::samples;

/// A judge that recognises the good text and has no bias.
const SEEING: &str = "seed: 3\nmodel: judge-1\njudge: {quality_spread: 0, markers: {\"[bad]\": -1.6}}\n";

fn judged_by(script: &str, more: &str) -> Home {
    let home = Home::new();
    std::fs::write(home.folder.path().join("lab.yaml"), script).unwrap();
    let config = "providers:\n  lab: {kind: sim, script: lab.yaml, max_retries: 0}\njudge: {provider: lab}\n";
    std::fs::write(home.folder.path().join("config.yaml"), format!("{config}{more}")).unwrap();
    home
}

/// Stores prompts with these texts and inputs.
async fn stored(engine: &Engine, prompts: &[(&str, &str)]) -> Vec<PromptId> {
    let made = prompts.iter().zip(0_u32..).map(|((content, input), seed)| Prompt {
        content: (*content).to_owned(),
        original_input: (*input).to_owned(),
        ..samples::prompt(seed)
    });
    let made: Vec<Prompt> = made.collect();
    engine.store().append(made.clone()).await.unwrap();
    made.iter().map(|prompt| prompt.id).collect()
}

fn file(home: &Home, text: &str) -> PathBuf {
    let path = home.folder.path().join("labels.jsonl");
    std::fs::write(&path, text).unwrap();
    path
}

fn by_id(a: PromptId, b: PromptId, choice: &str) -> String {
    json!({ "a": a, "b": b, "choice": choice }).to_string() + "\n"
}

fn by_text(number: usize, choice: &str) -> String {
    let (a, b) = (format!("text {number}"), format!("text {number} [bad]"));
    json!({ "a_text": a, "b_text": b, "choice": choice, "task": "a note" }).to_string() + "\n"
}

fn asking() -> JudgeAuditRequest {
    JudgeAuditRequest::default()
}

async fn prepared(engine: &Engine, request: JudgeAuditRequest, pairs: &LabelledPairs) -> Result<Prepared> {
    engine.prepare_labels_audit(request, pairs.clone()).await
}

async fn audit_labels(
    engine: &Engine,
    request: JudgeAuditRequest,
    pairs: &LabelledPairs,
) -> (Result<JudgeAudit, Box<Problem>>, Vec<EventKind>) {
    audited(prepared(engine, request, pairs).await).await
}

#[tokio::test]
async fn labels_are_asked_and_kept_beside_the_test_which_is_made_once() {
    let home = judged_by(SEEING, "");
    let engine = home.engine();
    let ids = stored(&engine, &[("one", "a haiku"), ("two [bad]", "a haiku"), ("three", "a haiku")]).await;
    let text = [by_id(ids[0], ids[1], "a"), by_id(ids[1], ids[2], "a"), by_text(1, "a")].concat();
    let pairs = engine.labels(&file(&home, &text)).await.unwrap();
    assert_eq!(pairs.count(), 3);
    let (first, heard) = audit_labels(&engine, asking(), &pairs).await;
    let first = first.unwrap();
    assert!(first.tested);
    assert!(first.warnings[0].contains("fewer than 10 labelled pairs were answered (3)"), "{:?}", first.warnings);
    let warned = |kind: &EventKind| matches!(kind, EventKind::Warning { message, code: None, .. } if *message == first.warnings[0]);
    assert!(heard.iter().any(warned), "{heard:?}");
    let ends = |part: &str, all| EventKind::Progress { part: Some(part.into()), done: all, total: Some(all) };
    assert!(heard.contains(&ends(part::TEST, 90)) && heard.contains(&ends(part::LABELS, 6)), "{heard:?}");
    let agreement = first.profile.labels.clone().unwrap();
    assert_eq!((agreement.pairs, agreement.model_metadata.calls), (3, 6));
    assert!((agreement.agreement - 2.0 / 3.0).abs() < 1e-9, "{agreement:?}");
    // The audit is not repeated, and the earlier labels are replaced.
    let pairs = engine.labels(&file(&home, &by_text(2, "a"))).await.unwrap();
    let second = audit_labels(&engine, asking(), &pairs).await.0.unwrap();
    assert!(!second.tested && second.profile.audited_at == first.profile.audited_at);
    assert_eq!(second.profile.labels.as_ref().unwrap().pairs, 1);
    let name = JudgeName { provider: "lab".into(), model: "judge-1".into() };
    assert_eq!(engine.store().profile(name).await.unwrap(), Some(second.profile.clone()));
    // A new audit keeps the labels.
    let tested = audited(engine.prepare_audit(asking())).await.0.unwrap();
    assert_eq!(tested.profile.labels, second.profile.labels);
}

#[tokio::test]
async fn a_line_that_cannot_be_used_is_named_with_what_to_do() {
    let home = judged_by(SEEING, "");
    let engine = home.engine();
    let ids = stored(&engine, &[("one", "a haiku"), ("two", "a letter"), ("one", "a haiku")]).await;
    let nobody = PromptId(samples::id(77));
    for (text, parts) in [
        (by_id(ids[0], nobody, "a"), vec!["line 1: b: no stored prompt matches", "`b_text`"]),
        (by_text(1, "b") + &by_id(ids[0], ids[1], "a"), vec!["line 2: task: is needed here", "say what they are for"]),
        (by_id(ids[0], ids[0], "a"), vec!["line 1: a and b are the same text"]),
        (by_id(ids[0], ids[2], "a"), vec!["line 1: a and b are the same text"]),
        ("{\"a\": \"000000\", \"b_text\": \"x\", \"choice\": \"a\"}".into(), vec!["line 1: a: "]),
        ("{\"a_text\": \"y\", \"b_text\": \"x\", \"choice\": \"a\"}".into(), vec!["line 1: task: is needed here"]),
    ] {
        let error = engine.labels(&file(&home, &text)).await.unwrap_err();
        assert_eq!(error.code(), Code::File, "{error}");
        for part in parts.into_iter().chain(["labels.jsonl"]) {
            assert!(error.to_string().contains(part), "{text}: no `{part}` in `{error}`");
        }
    }
    // A person can contradict themselves, in either order.
    let task = format!(
        "{{\"a\": \"{0}\", \"b\": \"{1}\", \"choice\": \"a\", \"task\": \"x\"}}\n{{\"a\": \"{1}\", \"b\": \"{0}\", \"choice\": \"a\", \"task\": \"x\"}}",
        ids[0], ids[1]
    );
    assert_eq!(engine.labels(&file(&home, &task)).await.unwrap().count(), 2);
}

#[tokio::test]
async fn a_cap_that_is_reached_keeps_no_labels() {
    let home = judged_by(SEEING, "");
    let engine = home.engine();
    audited(engine.prepare_audit(asking())).await.0.unwrap();
    let pairs =
        engine.labels(&file(&home, &(0..5).map(|number| by_text(number, "a")).collect::<String>())).await.unwrap();
    let capped = JudgeAuditRequest { max_calls: Some(9), ..asking() };
    let error = audit_labels(&engine, capped, &pairs).await.0.unwrap_err();
    assert_eq!(error.code, Code::BudgetExceeded);
    assert_eq!(engine.judge_profiles().await.unwrap()[0].labels, None);
    let enough = JudgeAuditRequest { max_calls: Some(10), ..asking() };
    audit_labels(&engine, enough, &pairs).await.0.unwrap();
}

#[tokio::test]
async fn what_it_may_cost_counts_two_questions_a_pair_and_the_test_where_it_is_made() {
    let script =
        format!("{SEEING}price: {{input: 1.0, output: 10.0}}\nusage: {{input_tokens: 500, output_tokens: 40}}\n");
    let home = judged_by(&script, "spend: {preflight_usd: 0.001}\n");
    let engine = home.engine();
    let pairs =
        engine.labels(&file(&home, &(0..5).map(|number| by_text(number, "a")).collect::<String>())).await.unwrap();
    let calls = async |engine: &Engine| match prepared(engine, asking(), &pairs).await.unwrap().preflight() {
        Preflight::Ask(estimate) => (estimate.calls, estimate.most_usd.unwrap()),
        other => panic!("{other:?}"),
    };
    // Each question can need a repair.
    let (both, both_usd) = calls(&engine).await;
    assert_eq!(both, 2 * (10 + 96));
    let error = audit_labels(&engine, asking(), &pairs).await.0.unwrap_err();
    assert!(error.code == Code::BudgetExceeded && error.detail.contains("fewer labels"), "{error:?}");
    let budget = JudgeAuditRequest { budget_usd: Some(both_usd), ..asking() };
    audited(engine.prepare_audit(budget)).await.0.unwrap();
    let (labels, labels_usd) = calls(&engine).await;
    assert_eq!(labels, 2 * 10);
    assert!(labels_usd < both_usd);
}

#[tokio::test]
async fn pairs_are_labelled_kept_and_read_back_as_labels() {
    let home = judged_by(SEEING, "");
    let engine = home.engine();
    let error = engine.labelling(&[]).await.unwrap_err();
    assert!(error.to_string().contains("generate two or more variants first"), "{error}");
    generate(&engine, json!({ "input": "Write a note about boats to Ann", "count": 3, "provider": "builtin" }))
        .await
        .unwrap();
    let sitting = engine.labelling(&[]).await.unwrap();
    assert_eq!((sitting.pairs.len(), sitting.known), (3, 0));
    assert_eq!(sitting.pairs[0].task, "Write a note about boats to Ann");
    let first = engine.keep_label(&sitting.pairs[0], Better::Left).unwrap();
    let second = engine.keep_label(&sitting.pairs[1], Better::Neither).unwrap();
    assert_eq!(engine.take_label_back(&first).unwrap_err().code(), Code::Conflict);
    engine.take_label_back(&second).unwrap();
    // Labelled pairs come last the next time.
    let again = engine.labelling(&[]).await.unwrap();
    assert_eq!((again.known, again.pairs.last()), (1, Some(&sitting.pairs[0])));
    // The labels outlive the prompts.
    engine.delete(engine.decode(json!({ "all": true })).unwrap()).await.unwrap();
    let pairs = engine.labels(&sitting.path).await.unwrap();
    let audit = audit_labels(&engine, asking(), &pairs).await.0.unwrap();
    assert_eq!(audit.profile.labels.unwrap().observations[0].choice, 1);
}

#[tokio::test]
async fn marked_prompts_are_paired_within_an_idea() {
    let home = judged_by(SEEING, "");
    let engine = home.engine();
    let ids = stored(&engine, &[("one", "a haiku"), ("two", "a letter"), ("three", "a haiku")]).await;
    let sitting = engine.labelling(&ids).await.unwrap();
    assert_eq!((sitting.pairs.len(), sitting.pairs[0].task.as_str()), (1, "a haiku"));
    let error = engine.labelling(&ids[..2]).await.unwrap_err();
    assert!(error.to_string().contains("no two of the marked prompts come from one request"), "{error}");
    std::fs::write(&sitting.path, "nonsense\n").unwrap();
    let error = engine.labelling(&ids).await.unwrap_err();
    assert!(error.code() == Code::File && error.to_string().contains("labels.jsonl"), "{error}");
}
