//! Tests of comparisons on terminals of several widths, as a document and as an HTML page.

use aludel_core::compare::{CompareContext, compare};
use aludel_core::domain::SelectResult;
use aludel_core::rank::Weights;
use serde_json::json;

use super::*;
use crate::cli::view::{Paint, samples};

const FIRST: &str =
    "# Role\nSenior Rust reviewer.\n\n# Task\nReview the diff. List at most 7 findings, ranked by severity.\n";
const SECOND: &str = "# Role\nSenior Rust reviewer for a library team.\n\n# Task\nReview the diff. List at most 5 findings, ranked by risk to callers.\n";

fn of(contents: &[&str]) -> CompareResult {
    let ends = ["7a3f9c21", "5e0b44d9", "0a0b0c0d"];
    let prompts: Vec<Prompt> =
        contents.iter().zip(ends).map(|(content, end)| samples::prompt(end, 0, "direct", content, 0.8)).collect();
    compare(prompts, &CompareContext { task: Some("Review Rust"), gaps: Vec::new(), weights: &Weights::default() })
}

fn with_selection() -> CompareResult {
    let mut result = of(&[FIRST, SECOND]);
    let [first, second] = [result.prompts[0].clone(), result.prompts[1].clone()];
    let standing = |id, score: f64, wins: u32| json!({ "prompt_id": id, "score": score, "interval": [score - 0.1, score + 0.1], "wins": wins, "losses": 1 - wins, "ties": 0 });
    let selection: SelectResult = serde_json::from_value(json!({
        "prompt": second, "reasoning": "It names <whom> it is for.", "confidence": 0.87, "confident": true, "tied": [],
        "ranking": [standing(second.id, 0.66, 1), standing(first.id, 0.34, 0)],
        "comparisons": [{ "a": first.id, "b": second.id, "winner": second.id, "margin": -0.5, "agreed": true, "reasoning": "r" }],
        "swap_consistency": 1.0, "missing": 0, "audit_age_days": null, "criteria": { "clarity": 1.0 },
        "model_metadata": first.model_metadata
    }))
    .unwrap();
    result.selection = Some(selection);
    result
}

fn page(result: &CompareResult, width: usize) -> String {
    let mut page = Page::new(Paint::Plain, width, true);
    comparison(&mut page, result);
    page.finish().into()
}

#[test]
fn two_prompts_stand_beside_each_other() {
    insta::assert_snapshot!(page(&of(&[FIRST, SECOND]), 100));
}

#[test]
fn three_prompts_are_a_table() {
    let shown = page(&of(&[FIRST, SECOND, "Cook rice."]), 100);
    assert!(shown.starts_with("3 prompts; on average two of them have "), "{shown}");
    assert!(shown.contains("\nC  0a0b0c0d") && !shown.contains("word by word"), "{shown}");
}

#[test]
fn a_narrow_terminal_gets_one_text_with_the_changes_in_it() {
    let shown = page(&of(&["at most 7", "at most 5"]), 30);
    assert!(shown.contains("at most [-7-]{+5+}"), "{shown}");
}

#[test]
fn equal_contents_are_called_the_same() {
    assert!(page(&of(&["same", "same"]), 80).starts_with("2 prompts with the same content\n"));
}

#[test]
fn a_document_keeps_a_prompts_own_fences_inside_its_block() {
    let document = document_of_comparison(&of(&["a\n```\nx\n```\n", "a\n```\ny\n```\n"]));
    assert!(document.contains("\n````diff\n@@") && document.contains("\n-x\n+y\n"), "{document}");
}

#[test]
fn a_page_of_html_is_whole_and_escapes_every_text() {
    let mut result = with_selection();
    result.prompts[0].original_input = "<script>alert(1)</script> & more".into();
    let html = page_of_comparison(&result, "2026-11-21T12:00:00Z".parse().unwrap()).unwrap();
    assert!(html.starts_with("<!doctype html>") && html.trim_end().ends_with("</html>"));
    assert!(html.contains("&lt;script&gt;alert(1)&lt;&#x2f;script&gt; &amp; more"), "{html}");
    assert!(html.contains("It names &lt;whom&gt; it is for."));
    assert!(html.contains("<del>7</del>") && html.contains("<ins>5</ins>"));
    assert!(!html.contains("<script") && !html.contains("http://") && !html.contains("https://"));
    let text = |html: &str| html.replace("<del>", "").replace("</del>", "").replace("<ins>", "").replace("</ins>", "");
    assert!(text(&html).contains(&format!("<pre>{FIRST}</pre>")), "the first text is whole");
    assert!(text(&html).contains(&format!("<pre>{SECOND}</pre>")), "the second text is whole");
}

#[test]
fn a_prompt_without_a_score_has_a_dash() {
    let mut result = of(&[FIRST, SECOND]);
    result.scores.insert("persona".into(), vec![Some(0.5), None]);
    assert!(page(&result, 140).lines().any(|line| line.starts_with('B') && line.contains(" - ")));
}
