//! The judge's choice for people: the winner, how sure it is, the standings, the reasons.

use aludel_core::domain::{RankedCandidate, SelectResult};
use aludel_core::text::markdown::fenced;

use super::page::{Page, Role};
use super::prompt::{account, by};
use super::table::{Column, Table};
use super::words::{count_of, lines, one_line, span};
use crate::cli::view::symbols::{DOT, drawn};
use crate::figures::interval;

/// Columns of a plot of an interval.
const PLOT: usize = 20;

/// Writes a selection; `elapsed_ms` is its wall-clock time.
pub(crate) fn selection(page: &mut Page, result: &SelectResult, elapsed_ms: u64) {
    page.rule(&format!("best of {}{DOT}{}", result.ranking.len(), result.prompt.id.short()));
    page.gap();
    page.text(&result.prompt.content);
    page.gap();
    judged(page, result);
    let metadata = &result.model_metadata;
    let judge = by(&metadata.provider, &metadata.model);
    page.paragraph(Role::Faint, &format!("{judge}{DOT}{}{DOT}{} in all", account(metadata), span(elapsed_ms)), 2);
}

/// Writes the judge's result: how sure it is, the standings, the reasons.
pub(super) fn judged(page: &mut Page, result: &SelectResult) {
    page.rule("how sure");
    let role = if result.confident { Role::Good } else { Role::Warning };
    page.paragraph(role, &sureness(result), 0);
    page.gap();
    standings(&result.ranking).write(page);
    page.gap();
    page.rule("why");
    for line in result.reasoning.lines() {
        page.paragraph(Role::Body, &one_line(line), 2);
    }
    page.gap();
    for fact in facts(result) {
        page.paragraph(Role::Faint, &fact, 2);
    }
}

/// The selection as a Markdown document.
pub(crate) fn document_of_selection(result: &SelectResult) -> String {
    format!(
        "# Best of {}: {}\n\n{}\n\n## The prompt\n\n{}\n{}",
        result.ranking.len(),
        result.prompt.id.short(),
        sureness(result),
        fenced(&result.prompt.content),
        document_of_judged(result),
    )
}

/// The judge's result as a part of a document.
pub(super) fn document_of_judged(result: &SelectResult) -> String {
    let standings = standings(&result.ranking).document();
    let reasons = lines(result.reasoning.lines().map(|line| format!("- {}", one_line(line))));
    let facts = lines(facts(result).iter().map(|fact| format!("- {fact}")));
    format!(
        "## Standings\n\n{standings}\n## Why\n\n{reasons}\n## How it was judged\n\n{facts}- {}{DOT}{}\n",
        by(&result.model_metadata.provider, &result.model_metadata.model),
        account(&result.model_metadata),
    )
}

/// How sure the choice is, in a sentence.
pub(super) fn sureness(result: &SelectResult) -> String {
    result.sureness(|id| id.short())
}

/// A row for each candidate, best first.
pub(super) fn standings(ranking: &[RankedCandidate]) -> Table {
    let mut table = Table::new(vec![
        Column::words("id").painted(Role::Handle),
        Column::numbers("win prob.").painted(Role::Heading),
        Column::words(format!("0{DOT}90 % interval{DOT}1")),
        Column::words("from to"),
        Column::numbers("wins"),
        Column::numbers("losses"),
        Column::numbers("ties"),
    ]);
    for standing in ranking {
        let [low, high] = standing.interval;
        table.row(vec![
            standing.prompt_id.short(),
            format!("{:.2}", standing.score),
            drawn(interval(low, standing.score, high, PLOT)),
            format!("{low:.2} {high:.2}"),
            standing.wins.to_string(),
            standing.losses.to_string(),
            standing.ties.to_string(),
        ]);
    }
    table
}

/// How it was judged, one sentence each.
fn facts(result: &SelectResult) -> Vec<String> {
    let mut facts = vec![format!("criteria: {}", weights(&result.criteria))];
    let pairs = result.comparisons.len() as u64;
    if pairs > 0 {
        let orders = result.orders().map_or_else(String::new, |orders| format!("; {orders}"));
        facts.push(format!("{}{orders}", count_of(pairs, "pair")));
    }
    if result.missing > 0 {
        facts.push(format!("{} without a valid answer (not counted)", count_of(result.missing.into(), "question")));
    }
    facts.push(match result.audit_age_days {
        Some(days) => format!("the judge was tested {days:.0} days ago"),
        None => "the judge itself was never tested: `aludel judge audit` does that".to_owned(),
    });
    facts
}

/// `0.40 clarity + 0.30 fit`.
pub(super) fn weights(criteria: &std::collections::BTreeMap<String, f64>) -> String {
    let mut weights: Vec<(&String, &f64)> = criteria.iter().collect();
    weights.sort_by(|a, b| b.1.total_cmp(a.1));
    let terms: Vec<String> = weights.iter().map(|(name, weight)| format!("{weight:.2} {name}")).collect();
    terms.join(" + ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cli::view::{Paint, samples};

    fn sample(confident: bool) -> SelectResult {
        let prompts = samples::result().prompts;
        let (a, b) = (prompts[0].id, prompts[1].id);
        serde_json::from_value(json!({
            "prompt": prompts[0], "confident": confident, "confidence": if confident { 0.86 } else { 0.52 },
            "reasoning": "Against 5e0b44d9 (+0.75): 7a3f9c21 names its audience.",
            "tied": if confident { json!([]) } else { json!([b]) },
            "ranking": [
                { "prompt_id": a, "score": 0.71, "interval": [0.55, 0.83], "wins": 1, "losses": 0, "ties": 0 },
                { "prompt_id": b, "score": 0.29, "interval": [0.17, 0.45], "wins": 0, "losses": 1, "ties": 0 }
            ],
            "comparisons": [
                { "a": a, "b": b, "winner": a, "margin": 0.75, "agreed": true, "reasoning": "7a3f9c21 names its audience." }
            ],
            "swap_consistency": 1.0, "missing": 1, "audit_age_days": 3.2, "criteria": { "clarity": 0.6, "fit": 0.4 },
            "model_metadata": {
                "provider": "openai", "model": "gpt-6", "input_tokens": 4000, "output_tokens": 321, "total_tokens": 4321,
                "cost_usd": 0.0123, "latency_ms": 2500, "calls": 3
            }
        }))
        .unwrap()
    }

    fn shown(result: &SelectResult, is_terminal: bool) -> String {
        let mut page = Page::new(Paint::Plain, 80, is_terminal);
        selection(&mut page, result, 1234);
        page.finish().into()
    }

    #[test]
    fn a_choice_reads_well() {
        insta::assert_snapshot!(shown(&sample(true), true));
    }

    #[test]
    fn a_choice_is_a_document() {
        insta::assert_snapshot!(document_of_selection(&sample(true)));
    }

    #[test]
    fn what_is_too_close_to_call_is_said_so_with_names() {
        assert_eq!(
            sureness(&sample(false)),
            "Too close to call between 7a3f9c21 and 5e0b44d9: 7a3f9c21 is ahead, the best with a probability of 52 % by this judge."
        );
        assert_eq!(sureness(&sample(true)), "7a3f9c21 is the best with a probability of 86 % by this judge.");
    }

    #[test]
    fn pairs_that_were_asked_about_in_one_order_have_no_percentage() {
        let mut result = sample(true);
        assert!(facts(&result).contains(&"1 pair; both orders of a pair agreed in 100 %".to_owned()));
        (result.swap_consistency, result.comparisons[0].agreed) = (None, false);
        assert!(facts(&result).contains(&"1 pair; each pair was judged in one order".to_owned()));
        result.comparisons[0].agreed = true;
        assert!(facts(&result).contains(&"1 pair".to_owned()), "one text twice");
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let text = shown(&sample(false), true);
        let fits = |line: &str| textwrap::core::display_width(line) <= 80 || line.starts_with("Subject: ");
        assert!(text.lines().all(fits), "{text}");
    }
}
