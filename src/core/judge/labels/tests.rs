//! Tests of labels files and of asking scripted judges about pairs.

use super::parse::{Label, LabelRecord, MOST_LABELS, Side, parse, read};
use super::*;
use crate::api::PromptKey;
use crate::assets::Assets;
use crate::judge::tests::{judging, sim};

fn labels(text: &str) -> Vec<Label> {
    parse(text.as_bytes()).unwrap()
}

fn fault(text: &str) -> String {
    parse(text.as_bytes()).unwrap_err()
}

#[test]
fn json_lines_and_csv_say_the_same() {
    let json = "\n{\"a\": \"7a3f9c21\", \"b_text\": \"two\\nlines\", \"choice\": \"b\"}\n\n{\"a_text\": \"x\", \"b_text\": \"y\", \
                \"choice\": \"=\", \"task\": \"a poem\", \"persona\": \"writing\", \"at\": \"now\"}\r\n";
    let csv = "a,b,choice,a_text,b_text,task,persona\n7a3f9c21,,b,,\"two\nlines\",,\n,,=,x,y,a poem,writing\n";
    let written = |text: &str| labels(text).into_iter().map(|label| Label { line: 0, ..label }).collect::<Vec<_>>();
    assert_eq!(written(json), written(csv));
    let read = labels(json);
    assert_eq!(read[0].a, Side::Stored(PromptKey::Fragment("7a3f9c21".into())));
    assert_eq!(read[0].b, Side::Text("two\nlines".into()));
    assert_eq!((read[0].choice, read[1].choice, read[0].line, read[1].line), (-1, 0, 2, 4));
    assert_eq!((read[1].task.as_deref(), read[1].persona.as_deref()), (Some("a poem"), Some("writing")));
    assert_eq!(labels(csv).iter().map(|label| label.line).collect::<Vec<_>>(), [2, 4]);
    assert_eq!(labels(&csv.replace(',', ";")).len(), 2);
    assert_eq!(labels(&format!("\u{feff}{json}")).len(), 2);
}

#[test]
fn a_text_counts_before_the_id_it_comes_from() {
    let label = &labels("{\"a\": \"7a3f9c21\", \"a_text\": \"x\", \"b_text\": \"y\", \"choice\": \"a\"}")[0];
    assert_eq!((&label.a, label.choice), (&Side::Text("x".into()), 1));
}

#[test]
fn what_is_wrong_is_said_with_line_field_and_fix() {
    let id = "\"7a3f9c21\"";
    for (text, parts) in [
        (String::new(), &["it holds no labels", "\"choice\": \"a\"", "a,b,choice"][..]),
        ("\n \n".into(), &["it holds no labels"]),
        ("a,b,choice\n".into(), &["it holds no labels"]),
        (format!("\n{{\"a\": {id}, \"b\": {id}}}"), &["line 2: choice: is missing; write `a`, `b`, or `=`"]),
        (format!("{{\"a\": {id}, \"b\": {id}, \"choice\": \"left\"}}"), &["line 1: choice: is `left`; write `a`"]),
        (format!("{{\"a\": {id}, \"choice\": \"a\"}}"), &["line 1: b: is missing", "`b_text`"]),
        (format!("{{\"a\": 7, \"b\": {id}, \"choice\": \"a\"}}"), &["line 1: a: invalid type"]),
        (format!("{{\"a\": {id}, \"score\": 1}}"), &["line 1: ", "unknown field `score`, expected one of `a`, `b`"]),
        (format!("{{\"a\": {id}, \"a\": {id}}}"), &["line 1: ", "duplicate field `a`"]),
        ("{\"a\": \"Write a poem\", \"b\": \"x\"".into(), &["line 1: is not JSON", "one whole object"]),
        (
            "{\"a\": \"Write a poem\", \"b_text\": \"x\", \"choice\": \"a\"}".into(),
            &["line 1: a: `Write a poem` is not a prompt id", "a text goes into `a_text`"],
        ),
        ("{\"a\": \"@last\", \"b_text\": \"x\", \"choice\": \"a\"}".into(), &["line 1: a: is `@last`; name the id"]),
        ("{\"a_text\": \" \", \"b_text\": \"x\", \"choice\": \"a\"}".into(), &["line 1: a_text: is blank"]),
        (
            "{\"a_text\": \"y\", \"b_text\": \"x\", \"choice\": \"a\", \"task\": \"\"}".into(),
            &["line 1: task: is blank; fill it in, or leave it out"],
        ),
        ("{} {}".into(), &["line 1: has something after its object"]),
        ("[1]".into(), &["line 1: "]),
        ("a,b,winner\n".into(), &["line 1: `winner` is no column", "a, b, choice, task"]),
        ("a,b,a\n".into(), &["line 1: the column `a` is there twice"]),
        ("a,b,choice\n7a3f9c21,7a3f9c21\n".into(), &["line 2: has 2 cells, and the header has 3"]),
        ("a_text,b_text,choice\nx,y,c\n".into(), &["line 2: choice: is `c`"]),
    ] {
        let fault = fault(&text);
        for part in parts {
            assert!(fault.contains(part), "{text}: no `{part}` in `{fault}`");
        }
    }
    let fault = parse(b"{}\n\xFF").unwrap_err();
    assert!(fault.contains("line 2: is not UTF-8"), "{fault}");
}

#[test]
fn there_may_be_ten_thousand_labels_of_ten_megabytes() {
    let line = "{\"a_text\": \"x\", \"b_text\": \"y\", \"choice\": \"a\"}\n";
    assert_eq!(labels(&line.repeat(MOST_LABELS)).len(), MOST_LABELS);
    assert!(fault(&line.repeat(MOST_LABELS + 1)).contains("line 10001: there are more than 10000 labels"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("labels.jsonl");
    std::fs::write(&path, vec![b' '; 10_000_001]).unwrap();
    let error = read(&path).unwrap_err();
    assert!(error.to_string().contains("it is larger than 10 MB, the maximum; split it"), "{error}");
    let error = read(&folder.path().join("none.jsonl")).unwrap_err();
    assert!(error.code() == Code::File && error.to_string().contains("none.jsonl"), "{error}");
}

#[test]
fn a_record_that_is_written_is_read_back() {
    let record = LabelRecord {
        a_text: Some("say \"x\"\nand {y}".into()),
        b_text: Some("=1".into()),
        choice: Some("b".into()),
        task: Some("t".into()),
        at: Some("2026-11-21T10:00:00Z".into()),
        ..LabelRecord::default()
    };
    let line = serde_json::to_string(&record).unwrap();
    assert!(!line.contains('\n') && !line.contains("persona"), "{line}");
    let label = &labels(&line)[0];
    assert_eq!(label.a, Side::Text("say \"x\"\nand {y}".into()));
}

/// Pairs of numbered texts, each with this choice.
fn pairs(choices: &[i8]) -> Vec<LabelledPair> {
    let rubric = Assets::new(None).rubric_for("generic").unwrap();
    let pair = |(number, choice): (usize, &i8)| LabelledPair {
        task: format!("task {number}"),
        persona: "generic".into(),
        rubric: Arc::clone(&rubric),
        a: format!("candidate {number} [good]"),
        b: format!("candidate {number} [bad]"),
        choice: *choice,
    };
    choices.iter().enumerate().map(pair).collect()
}

async fn asked(script: &str, pairs: &[LabelledPair]) -> Result<Agreement> {
    let judging = judging(&[sim(script)]);
    ask_pairs(&judging, &judging.judges[0], pairs, |_, _| {}).await
}

/// Always recognises the good text, and has a position bias, which both orders cancel.
const SEEING: &str = "judge: {quality_spread: 0, position_bias: 0.2, markers: {\"[bad]\": -1.6}}";

#[tokio::test]
async fn a_judge_is_held_against_the_choices_in_both_orders() {
    let found = asked(SEEING, &pairs(&[1, 1, 1, -1, 0])).await.unwrap();
    assert_eq!((found.pairs, found.missing, found.model_metadata.calls), (5, 0, 10));
    assert!((found.agreement - 0.7).abs() < 1e-9, "{found:?}");
    assert!(found.observations.iter().all(|one| one.margin > 0.5), "{found:?}");
    assert_eq!(found.observations.iter().map(|one| one.choice).collect::<Vec<_>>(), [1, 1, 1, -1, 0]);
}

#[tokio::test]
async fn a_judge_that_always_takes_the_first_sees_no_difference() {
    let found = asked("judge: {always: first}\n", &pairs(&[1, -1, 0])).await.unwrap();
    assert!(found.observations.iter().all(|one| one.margin.abs() < 1e-9), "{found:?}");
    assert!((found.agreement - 2.0 / 3.0).abs() < 1e-9, "{found:?}");
}

#[tokio::test]
async fn a_pair_without_an_answer_in_both_orders_is_missing() {
    let script = format!("{SEEING}\nrules: [{{when: {{role: judge}}, nth: 3, fault: refusal}}]");
    let judging = Judging { max_concurrency: 1, ..judging(&[sim(&script)]) };
    let told = std::cell::RefCell::new(Vec::new());
    let found = ask_pairs(&judging, &judging.judges[0], &pairs(&[1, 1, -1]), |done, total| {
        told.borrow_mut().push((done, total));
    })
    .await
    .unwrap();
    assert_eq!((found.pairs, found.missing), (2, 1));
    assert_eq!(found.observations.iter().map(|one| one.choice).collect::<Vec<_>>(), [1, -1], "the second is gone");
    assert_eq!(*told.borrow(), (0..=6).map(|done| (done, 6)).collect::<Vec<_>>());
}

#[tokio::test]
async fn without_any_answer_the_judge_is_unreliable_or_its_own_error_is_told() {
    let error = asked("rules: [{when: {role: judge}, answer: {text: no}}]", &pairs(&[1, 1])).await.unwrap_err();
    assert_eq!(error.code(), Code::JudgeUnreliable);
    let error = asked("rules: [{fault: auth}]", &pairs(&[1, 1])).await.unwrap_err();
    assert_eq!(error.code(), Code::ProviderAuth);
}

#[tokio::test]
async fn eight_failures_in_a_row_end_it() {
    let refusing = sim("rules: [{when: {role: judge}, fault: refusal}]");
    let judging = Judging { max_concurrency: 1, ..judging(std::slice::from_ref(&refusing)) };
    let done = std::cell::Cell::new(0);
    let all = pairs(&[1; 40]);
    ask_pairs(&judging, &judging.judges[0], &all, |so_far, _| done.set(so_far)).await.unwrap_err();
    assert_eq!(done.get(), 8);
    // A reply in between resets the count.
    let script =
        format!("{SEEING}\nrules: [{{when: {{role: judge}}, nth: [1, 2, 3, 4, 5, 6, 7, 9, 10, 11], fault: refusal}}]");
    let judging = Judging { max_concurrency: 1, ..self::judging(&[sim(&script)]) };
    let found = ask_pairs(&judging, &judging.judges[0], &all, |_, _| {}).await.unwrap();
    assert_eq!((found.pairs, found.missing), (34, 6));
}
