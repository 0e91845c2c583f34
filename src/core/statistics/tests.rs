//! Tests of the order and length of groups, and of measures of one and of several prompts.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::domain::StatsTotals;
use crate::store::samples;

fn line(key: &str, total_tokens: u64) -> StatsLine {
    StatsLine { key: key.into(), totals: StatsTotals { total_tokens, ..StatsTotals::default() } }
}

fn keys(by: StatsBy, lines: Vec<StatsLine>, limit: Option<u32>) -> (u64, Vec<String>) {
    let group = groups(&[by], vec![lines], limit).remove(0);
    (group.keys, group.lines.into_iter().map(|line| line.key).collect())
}

#[test]
fn days_come_newest_first_phases_in_their_order_and_all_else_by_tokens() {
    let days = vec![line("2026-11-20", 9), line("2026-11-21", 1), line("2025-12-31", 5)];
    assert_eq!(keys(StatsBy::Day, days, None).1, ["2026-11-21", "2026-11-20", "2025-12-31"]);
    let phases = vec![line("coagulatio", 9), line("prima-materia", 1), line("solutio", 5)];
    assert_eq!(keys(StatsBy::Phase, phases, None).1, ["prima-materia", "solutio", "coagulatio"]);
    let models = vec![line("b", 1), line("c", 9), line("a", 1)];
    assert_eq!(keys(StatsBy::Model, models, None).1, ["c", "a", "b"]);
}

#[test]
fn a_group_is_cut_and_says_how_many_there_are() {
    let many = || (0..50).map(|number| line(&format!("{number:02}"), number)).collect::<Vec<_>>();
    let (all, shown) = keys(StatsBy::Tag, many(), None);
    assert_eq!((all, shown.len(), shown[0].as_str()), (50, 10, "49"));
    assert_eq!(keys(StatsBy::Day, many(), None).1.len(), 30);
    assert_eq!(keys(StatsBy::Day, many(), Some(2)), (50, vec!["49".into(), "48".into()]));
}

#[test]
fn a_prompt_is_measured_by_its_text_and_its_account() {
    let prompt = samples::prompt(4);
    let relations = Relations { rank: Some(2), ranked: 3, children: vec![samples::prompt(9).id] };
    let report = metrics(std::slice::from_ref(&prompt), vec![relations.clone()], 7);
    let one = &report.prompts[0];
    assert_eq!((one.prompt_id, one.rank, one.ranked, &one.children), (prompt.id, Some(2), 3, &relations.children));
    assert_eq!(one.model_metadata, prompt.model_metadata);
    assert_eq!(one.steps.len(), 3);
    assert_eq!(one.content.characters, prompt.content.chars().count() as u64);
    assert_eq!((one.content.lines, one.original_input.lines), (4, 1));
    // a haiku about the sea number 1
    assert_eq!(one.original_input.words, 7);
    assert!(one.content.tokens > one.original_input.tokens);
    let names: Vec<&str> = one.measures.keys().map(String::as_str).collect();
    assert_eq!(names, ["additions", "clarity", "concision", "coverage", "structure"]);
    assert!(one.measures.values().all(|value| (0.0..=1.0).contains(value)));
    assert_eq!((report.summary.matched, report.summary.measured, report.summary.total.steps), (7, 1, 3));
}

#[test]
fn figures_tell_of_those_that_have_them() {
    let mut prompts = samples::prompts(4);
    prompts[0].score = Some(0.5);
    prompts[1].score = Some(0.7);
    prompts[2].model_metadata.cost_usd = None;
    prompts[3].model_metadata.calls = 0;
    let relations = vec![Relations::default(); 4];
    let summary = metrics(&prompts, relations, 4).summary;
    let of = |name: &str| summary.figures.iter().find(|figure| figure.name == name).cloned();
    assert_eq!(of("score").map(|it| (it.count, it.min, it.median, it.max)), Some((2, 0.5, 0.5, 0.7)));
    assert_eq!((of("cost_usd").unwrap().count, of("latency_ms").unwrap().count), (3, 3));
    assert_eq!(summary.groups.iter().map(|group| group.by).collect::<Vec<_>>(), BY);
    let nothing = metrics(&[], Vec::new(), 0);
    assert_eq!((nothing.summary.figures, nothing.summary.total.cost_usd), (Vec::new(), Some(0.0)));
}

proptest! {
    #[test]
    fn a_figure_is_that_of_a_sorted_list(numbers in vec(-1e9..1e9_f64, 1..60)) {
        let figure = figure("x", numbers.clone()).unwrap();
        let below = |limit: f64| numbers.iter().filter(|number| **number <= limit).count();
        prop_assert_eq!((below(figure.max) as u64, figure.count), (numbers.len() as u64, numbers.len() as u64));
        prop_assert!(numbers.contains(&figure.min) && numbers.contains(&figure.median));
        prop_assert!(below(figure.median) * 2 >= numbers.len());
        prop_assert!(numbers.iter().filter(|number| **number < figure.median).count() * 2 < numbers.len());
        prop_assert!((figure.min..=figure.max).contains(&figure.median));
    }
}
