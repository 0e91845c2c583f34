//! The result of a run for people: the best prompt first and in full, why it is best, the figures.
//!
//! On a terminal the other variants are lines of the ranking, and `aludel show` prints them;
//! elsewhere every variant is printed in full.

use aludel_core::domain::{GenerationResult, ModelMetadata, Prompt, Ranking, VariantFailure};
use aludel_core::error::{Code, Error, Problem};
use aludel_core::rank::ABOUT_EQUAL;

use super::page::{Page, Role};
use super::prompt::{account, by};
use super::select::sureness;
use super::table::{Column, Table};
use super::words::{count_of, one_line};
use crate::cli::view::symbols::{DOT, NEAR, NONE};

/// A result with what only the command line knows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Summary<'a> {
    /// The result.
    pub result: &'a GenerationResult,
    /// Wall-clock milliseconds of the run.
    pub elapsed_ms: u64,
}

impl<'a> Summary<'a> {
    /// The prompt to use: the judge's choice, else the best ranked.
    pub(crate) fn best(&self) -> Option<&'a Prompt> {
        self.result.selected.as_ref().map(|selected| &selected.prompt).or(self.result.prompts.first())
    }
}

/// Writes a result.
pub(crate) fn generation(page: &mut Page, summary: Summary<'_>) {
    let result = summary.result;
    let total = result.prompts.len();
    let best = summary.best();
    if let Some(prompt) = best {
        page.rule(&title(prompt, &format!("best of {total}")));
        page.gap();
        page.text(&prompt.content);
        page.gap();
    }
    if !page.is_terminal() {
        let others = result.prompts.iter().filter(|prompt| best.is_none_or(|best| best.id != prompt.id));
        for (position, prompt) in others.enumerate() {
            page.rule(&title(prompt, &format!("{} of {total}", position + 2)));
            page.gap();
            page.text(&prompt.content);
            page.gap();
        }
    }
    if total > 1 {
        page.rule("ranking");
        ranking(page, result);
        page.gap();
    }
    choice(page, result);
    totals(page, summary);
}

/// Failures and warnings, one line each, for standard error.
pub(crate) fn remarks(result: &GenerationResult) -> Vec<String> {
    let stopped = Problem::from(Error::Cancelled);
    // Whoever stopped the run has reported that already.
    let failures = result.failures.iter().filter(|failure| failure.error.detail != stopped.detail).map(|failure| {
        let place = failure.phase.map(|phase| format!(" in {phase}")).unwrap_or_default();
        let detail = one_line(&failure.error.detail);
        let what = if is_unsaved(failure) { "is not stored".to_owned() } else { format!("failed{place}") };
        format!("variant {} {what}: {detail}", failure.variant + 1)
    });
    failures.chain(warnings(result).map(|warning| format!("warning: {}", one_line(warning)))).collect()
}

/// True for a finished variant that could not be stored.
fn is_unsaved(failure: &VariantFailure) -> bool {
    failure.phase.is_none() && failure.error.code == Code::Storage
}

/// The warnings that no failure repeats.
pub(super) fn warnings(result: &GenerationResult) -> impl Iterator<Item = &String> {
    let is_said = |warning: &str| result.failures.iter().any(|failure| failure.error.detail.starts_with(warning));
    result.warnings.iter().filter(move |warning| !is_said(warning))
}

fn title(prompt: &Prompt, place: &str) -> String {
    let mut parts = vec![place.to_owned(), prompt.id.short()];
    parts.extend(prompt.score.map(|score| format!("score {score:.2}")));
    if !prompt.strategy.is_empty() {
        parts.push(prompt.strategy.clone());
    }
    parts.join(DOT.as_str())
}

/// A row for each prompt: its score and the components that make it up.
fn ranking(page: &mut Page, result: &GenerationResult) {
    let Some(first) = result.rankings.first() else { return };
    let has_room = !page.is_terminal() || page.width() >= widest_ranking(first);
    let names: Vec<&String> = first.components.keys().filter(|_| has_room).collect();
    let are_equal = |level: u32| result.rankings.iter().filter(|ranking| ranking.level == level).count() > 1;
    let mut columns = vec![Column::words("id").painted(Role::Handle), Column::numbers("score").painted(Role::Heading)];
    columns.extend(names.iter().map(|name| Column::numbers(name.as_str())));
    columns.push(Column::words("strategy").painted(Role::Faint));
    let mut table = Table::new(columns);
    for ranking in &result.rankings {
        let prompt = result.prompts.iter().find(|prompt| prompt.id == ranking.prompt_id);
        let equal = if are_equal(ranking.level) { NEAR.to_string() } else { String::new() };
        let mut cells = vec![ranking.prompt_id.short(), format!("{equal}{:.2}", ranking.score)];
        let value = |name: &&String| ranking.components.get(*name).map(|value| format!("{value:.2}"));
        cells.extend(names.iter().map(|name| value(name).unwrap_or_else(|| NONE.to_string())));
        cells.push(prompt.map(|prompt| prompt.strategy.clone()).unwrap_or_default());
        table.row(cells);
    }
    table.write(page);
    page.paragraph(Role::Faint, &formula(first), FORMULA_INDENT);
    if result.rankings.iter().any(|ranking| are_equal(ranking.level)) {
        page.paragraph(Role::Faint, &equal(&NEAR.to_string()), 2);
    }
}

/// The explanation of the mark before a score.
pub(super) fn equal(mark: &str) -> String {
    format!(
        "{mark} about equal: no difference that the score can tell (up to {ABOUT_EQUAL}), so what meets more of the persona's checks stands \
         first. It knows what was lost, invented or padded, not what is useful: `aludel select` asks a judge."
    )
}

/// Columns of the ranking with its components; if it is too wide, only the score is shown.
fn widest_ranking(ranking: &Ranking) -> usize {
    const ID_SCORE_AND_STRATEGY: usize = 34;
    ID_SCORE_AND_STRATEGY + ranking.components.keys().map(|name| name.chars().count() + 1).sum::<usize>()
}

/// Columns before the first term in `score = `.
const FORMULA_INDENT: usize = 8;

/// The formula of the score: `score = 0.35 coverage + 0.25 structure + …`.
fn formula(ranking: &Ranking) -> String {
    let mut weights: Vec<(&String, &f64)> = ranking.weights.iter().filter(|(_, weight)| **weight > 0.0).collect();
    weights.sort_by(|a, b| b.1.total_cmp(a.1));
    let terms: Vec<String> = weights.iter().map(|(name, weight)| format!("{weight:.2} {name}")).collect();
    format!("score = {}", terms.join(" + "))
}

/// Columns before the judge's text.
const JUDGE_INDENT: usize = 9;

/// The judge's choice and reasons.
fn choice(page: &mut Page, result: &GenerationResult) {
    let Some(selected) = &result.selected else { return };
    page.paragraph(Role::Body, &format!("judge    {}", sureness(selected)), JUDGE_INDENT);
    if !selected.reasoning.is_empty() {
        page.paragraph(Role::Faint, &format!("         {}", one_line(&selected.reasoning)), JUDGE_INDENT);
    }
    page.gap();
}

/// The figures of the run, the judge included: calls, tokens, cost, wall-clock time.
fn totals(page: &mut Page, summary: Summary<'_>) {
    let metadata = &summary.result.model_metadata;
    let whole = ModelMetadata { latency_ms: summary.elapsed_ms, ..metadata.clone() };
    let parts = [
        count_of(summary.result.prompts.len() as u64, "prompt"),
        by(&metadata.provider, &metadata.model),
        account(&whole),
    ];
    page.paragraph(Role::Faint, &parts.join(DOT.as_str()), 0);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cli::view::Paint;
    use crate::cli::view::samples;

    fn shown(result: &GenerationResult, is_terminal: bool) -> String {
        let mut page = Page::new(Paint::Plain, 80, is_terminal);
        generation(&mut page, Summary { result, elapsed_ms: 1234 });
        page.finish().into()
    }

    #[test]
    fn on_a_terminal_the_best_is_whole_and_the_others_a_line_each() {
        insta::assert_snapshot!(shown(&samples::result(), true));
    }

    #[test]
    fn elsewhere_every_prompt_is_whole() {
        insta::assert_snapshot!(shown(&samples::result(), false));
    }

    #[test]
    fn the_judges_choice_comes_first() {
        let mut result = samples::result();
        let chosen = result.prompts[1].clone();
        result.selected = serde_json::from_value(json!({
            "prompt": chosen, "reasoning": "It names its audience.", "confidence": 0.62, "confident": false,
            "tied": [result.prompts[0].id], "ranking": [], "comparisons": [], "swap_consistency": 1.0, "missing": 0,
            "audit_age_days": null, "criteria": {}, "model_metadata": {}
        }))
        .unwrap();
        let text = shown(&result, true);
        assert!(text.starts_with(&format!("── best of 2 · {}", result.prompts[1].id.short())), "{text}");
        let names = [1, 0].map(|at: usize| result.prompts[at].id.short());
        assert!(text.contains(&format!("judge    {} is probably the best (62 % by this judge);", names[0])), "{text}");
        assert!(text.contains(&names[1]) && text.contains("ruled out."), "{text}");
    }

    #[test]
    fn on_a_narrow_terminal_the_ranking_leaves_its_components_out() {
        let mut page = Page::new(Paint::Plain, 40, true);
        generation(&mut page, Summary { result: &samples::result(), elapsed_ms: 1 });
        let text = String::from(page.finish());
        assert!(text.contains("7a3f9c21   0.91  structured\n"), "{text}");
        let fits = |line: &str| line.chars().count() <= 40 || line.starts_with("Subject: ");
        assert!(text.lines().all(fits), "{text}");
    }

    #[test]
    fn those_that_are_about_equal_are_shown_as_such() {
        let mut result = samples::result();
        assert!(!shown(&result, true).contains("about equal"));
        result.rankings[1].level = 1;
        let text = shown(&result, true).split_whitespace().collect::<Vec<_>>().join(" ");
        for part in
            ["7a3f9c21 ≈0.91", "5e0b44d9 ≈0.74", "≈ about equal: no difference that the score can tell (up to 0.135)"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn what_calls_may_have_cost_that_were_cut_off_is_told() {
        let mut result = samples::result();
        (result.model_metadata.cost_usd, result.model_metadata.most_usd) = (Some(0.0), Some(0.11));
        for is_terminal in [true, false] {
            let text = shown(&result, is_terminal).split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(text.contains(" · at most $0.1100") && !text.contains("free"), "{text}");
        }
    }

    #[test]
    fn a_variant_that_is_not_stored_is_told_once_and_not_as_failed() {
        let mut result = samples::result();
        let why = "prompt 7a3f9c21 is finished but not stored: no space is left".to_owned();
        let error = Problem::from(Error::Storage(why.clone()));
        result.failures = vec![VariantFailure { variant: 0, phase: None, error }];
        result.warnings = vec![why];
        let [remark] = &remarks(&result)[..] else { panic!("{:?}", remarks(&result)) };
        assert!(remark.starts_with("variant 1 is not stored: prompt 7a3f9c21 is finished"), "{remark}");
    }

    #[test]
    fn what_went_wrong_is_no_part_of_the_data() {
        let result = samples::result();
        let said = remarks(&result);
        assert!(said.iter().any(|it| it.contains(" failed in ")) && said.iter().any(|it| it.starts_with("warning: ")));
        for is_terminal in [true, false] {
            let text = shown(&result, is_terminal);
            assert!(!text.contains("failed in") && !text.contains("warning"), "{text}");
        }
    }

    #[test]
    fn variants_that_were_stopped_are_not_told_as_failures() {
        let mut result = samples::result();
        result.failures[0].error = Problem::from(Error::Cancelled);
        assert!(remarks(&result).iter().all(|remark| remark.starts_with("warning: ")), "{:?}", remarks(&result));
    }
}
