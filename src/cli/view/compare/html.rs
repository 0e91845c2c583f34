//! A comparison as one self-contained HTML page, without scripts, which prints well.
//!
//! The template, `assets/pages/compare.html`, is rendered with escaping. The page follows the
//! reader's light or dark setting, and marks changes as `<del>` and `<ins>`, not by colour alone.

use aludel_core::domain::{CompareResult, DiffOp, Timestamp, with_names, write_moment};
use aludel_core::error::{Error, Result};
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment};
use serde::Serialize;

use super::{label, score, score_names, summary};
use crate::cli::view::prompt::by;
use crate::cli::view::words::{money, one_line, thousands};

/// The page.
const TEMPLATE: &str = include_str!("../../../../assets/pages/compare.html");

/// The variables of the template.
#[derive(Serialize)]
struct Values<'a> {
    summary: String,
    made: String,
    names: Vec<&'a str>,
    prompts: Vec<Column>,
    /// The two sides of the diff, if there is one.
    first: Option<Vec<Piece<'a>>>,
    second: Option<Vec<Piece<'a>>>,
    selection: Option<JudgeChoice>,
}

/// A prompt as the page shows it.
#[derive(Serialize)]
struct Column {
    label: String,
    id: String,
    short: String,
    by: String,
    persona: String,
    input: String,
    content: String,
    words: String,
    tokens: String,
    cost: String,
    /// For each kind of score: its text, and its share of a bar in percent.
    scores: Vec<(String, f64)>,
}

/// A piece of the diff on one side.
#[derive(Serialize)]
struct Piece<'a> {
    text: &'a str,
    changed: bool,
}

/// The comparison as an HTML page, with `now` as its time.
///
/// # Errors
/// `internal` if the page's template is broken.
pub(crate) fn page_of_comparison(result: &CompareResult, now: Timestamp) -> Result<String> {
    let mut templates = Environment::new();
    templates.set_auto_escape_callback(|_| AutoEscape::Html);
    let names = score_names(result);
    let side = |own: DiffOp| -> Option<Vec<Piece<'_>>> {
        let parts = result.diff.as_ref()?;
        let kept = parts.iter().filter(|part| part.op == DiffOp::Equal || part.op == own);
        Some(kept.map(|part| Piece { text: &part.text, changed: part.op == own }).collect())
    };
    let values = Values {
        summary: summary(result),
        made: write_moment(now),
        prompts: columns(result, &names),
        first: side(DiffOp::Delete),
        second: side(DiffOp::Insert),
        selection: result.selection.as_ref().map(|selected| JudgeChoice::of(result, selected)),
        names,
    };
    templates
        .render_str(TEMPLATE, Serde(&values))
        .map_err(|error| Error::Internal(format!("the page of the comparison cannot be made: {error}")))
}

fn columns(result: &CompareResult, names: &[&str]) -> Vec<Column> {
    let share = |name: &str, at: usize| {
        let value = result.scores.get(name).and_then(|values| values.get(at)).copied().flatten();
        (value.unwrap_or(0.0) * 100.0).round()
    };
    let column = |(at, prompt): (usize, &aludel_core::domain::Prompt)| {
        let size = result.sizes.get(at).copied().unwrap_or_default();
        Column {
            label: label(at),
            id: prompt.id.to_string(),
            short: prompt.id.short(),
            by: one_line(&by(&prompt.provider, &prompt.model)),
            persona: prompt.persona.clone(),
            input: prompt.original_input.clone(),
            content: prompt.content.clone(),
            words: thousands(size.words),
            tokens: thousands(size.tokens),
            cost: money(prompt.model_metadata.cost_usd),
            scores: names.iter().map(|name| (score(result, name, at), share(name, at))).collect(),
        }
    };
    result.prompts.iter().enumerate().map(column).collect()
}

/// The judge's choice, as the page shows it.
#[derive(Serialize)]
struct JudgeChoice {
    sureness: String,
    reasoning: String,
    ranking: Vec<CandidateStanding>,
}

/// The standing of a candidate.
#[derive(Serialize)]
struct CandidateStanding {
    label: String,
    score: f64,
    low: f64,
    high: f64,
    wins: u32,
    losses: u32,
    ties: u32,
}

impl JudgeChoice {
    fn of(result: &CompareResult, selected: &aludel_core::domain::SelectResult) -> Self {
        let name = |id| result.prompts.iter().position(|prompt| prompt.id == id).map_or_else(String::new, label);
        let called = |word: &str| result.prompts.iter().position(|prompt| prompt.id.short() == word).map(label);
        let percent = |share: f64| (share * 1000.0).round() / 10.0;
        let place = |standing: &aludel_core::domain::RankedCandidate| CandidateStanding {
            label: name(standing.prompt_id),
            score: percent(standing.score),
            low: percent(standing.interval[0]),
            high: percent(standing.interval[1]),
            wins: standing.wins,
            losses: standing.losses,
            ties: standing.ties,
        };
        Self {
            sureness: selected.sureness(name),
            reasoning: with_names(&selected.reasoning, called),
            ranking: selected.ranking.iter().map(place).collect(),
        }
    }
}
