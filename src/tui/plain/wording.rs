//! The sentences of the plain workbench, about events, prompts, differences and verdicts.
//!
//! Pure. One line reports one finished thing, never progress, because a line read aloud cannot be
//! taken back. Positions are worded `2 of 3`; the first number is the one that commands take.

use aludel_core::domain::{
    CompareResult, Comparison, DiffOp, DiffPart, Job, ModelMetadata, Operation, Prompt, PromptId, PromptSummary,
    SelectResult, Timestamp, with_names,
};
use aludel_core::error::{Code, Problem};
use aludel_core::event::{EventKind, RunView};

use crate::tui::widgets::figures::{age, cost, letter, score, thousands};

/// Characters of a request that a row shows.
const SHOWN: usize = 70;
/// Words that locate a difference.
const BEFORE: usize = 4;

/// The sentence for an event that `view` has already applied. `rows` are the numbered prompts.
pub(super) fn event(kind: &EventKind, view: &RunView, rows: &[PromptId]) -> Option<String> {
    Some(match kind {
        EventKind::Started { operation: Operation::Select | Operation::Compare, .. } => {
            "The judge compares.".to_owned()
        }
        EventKind::Started { operation, variants: 0, .. } => format!("{operation} has begun. Ctrl-C stops."),
        EventKind::Started { variants, phases, .. } => {
            let phases: Vec<&str> = phases.iter().map(|phase| phase.as_str()).collect();
            format!("{}: {}. Ctrl-C stops.", count(u64::from(*variants), "variant"), phases.join(", then "))
        }
        EventKind::PhaseFinished { variant, phase, model_metadata, .. } => {
            let (tokens, time) = (tokens(model_metadata), seconds(model_metadata.latency_ms));
            format!("{} {phase} done, {tokens}, {time}", letter(*variant))
        }
        EventKind::Retrying { variant, phase, attempt, delay_ms, error, .. } => {
            let (letter, wait) = (letter(*variant), seconds(*delay_ms));
            format!("{letter} {phase} failed, attempt {attempt} in {wait}: {}", error.detail)
        }
        EventKind::VariantFinished { variant, prompt, .. } => {
            let (done, all) = (view.finished_prompts().count(), view.variants.len());
            format!("{} is finished: {}, {done} of {all}", letter(*variant), prompt.id.short())
        }
        EventKind::VariantFailed { variant, phase, error } => {
            let phase = phase.map_or_else(String::new, |phase| format!(" in {phase}"));
            format!("{} failed{phase}: {}", letter(*variant), error.detail)
        }
        EventKind::Warning { variant: Some(variant), code: Some(Code::Storage), message, .. } => {
            format!("{} is not stored: {message}", letter(*variant))
        }
        EventKind::Warning { message, .. } => format!("Note: {message}"),
        EventKind::Judged { comparison } => judged(comparison, view.comparisons.len(), rows),
        EventKind::Failed { error } if view.spent.is_some() => format!("{}{}.", refused(error), of_price(view)),
        EventKind::Failed { error } => refused(error),
        EventKind::Cancelled {} => {
            let finished = view.finished_prompts().count();
            let all = view.variants.len();
            match view.unsaved().count() {
                _ if all == 0 => format!("Stopped{}.", of_price(view)),
                0 => format!("Stopped. {finished} of {all} finished and kept{}.", of_price(view)),
                unsaved => {
                    format!("Stopped. {finished} of {all} finished, {unsaved} of them not stored{}.", of_price(view))
                }
            }
        }
        EventKind::Progress { part, done, total: Some(total) } => {
            let part = part.as_ref().map(|part| format!("{part} ")).unwrap_or_default();
            format!("{part}{done} of {total}")
        }
        EventKind::UnitFinished { unit, .. } => format!("{unit} is done"),
        EventKind::RowFinished { row } => format!("row {} is {}", row.id, row.status.as_str()),
        EventKind::PhaseStarted { .. }
        | EventKind::Progress { .. }
        | EventKind::UnitStarted { .. }
        | EventKind::Delta { .. }
        | EventKind::Ranked { .. }
        | EventKind::Spent { .. }
        | EventKind::Finished { .. } => return None,
    })
}

/// Says why something was not done.
pub(super) fn refused(problem: &Problem) -> String {
    format!("Not done, {}: {}", problem.code.row().name, problem.detail)
}

/// A prompt in a row: `2 of 3: 7a3f9c21, score 0.81, stepwise, 198 tokens, tags rust: Review pull requests`.
pub(super) fn row(place: usize, all: usize, prompt: &Prompt) -> String {
    let length = prompt.steps.last().map(|step| tokens(&step.model_metadata));
    line(place, all, &PromptSummary::from(prompt.clone()), length)
}

/// A listed prompt, like [`row`] but without its length, which lists do not read.
pub(super) fn stored(place: usize, all: usize, prompt: &PromptSummary) -> String {
    line(place, all, prompt, None)
}

fn line(place: usize, all: usize, prompt: &PromptSummary, length: Option<String>) -> String {
    let mut parts = vec![prompt.id.short()];
    parts.extend(prompt.score.map(|value| format!("score {}", score(value))));
    parts.push(prompt.strategy.clone());
    parts.extend(length);
    if !prompt.tags.is_empty() {
        parts.push(format!("tags {}", prompt.tags.join(" and ")));
    }
    parts.retain(|part| !part.is_empty());
    format!("{place} of {all}: {}: {}", parts.join(", "), shortened(&prompt.original_input))
}

/// A job: `Job 7a3f9c21, running, generate, 1 of 3 done, begun 5 min ago: Review pull requests`.
pub(super) fn job(job: &Job, now: Timestamp) -> String {
    let Job { state, operation, done, .. } = job;
    let total = job.total.map_or_else(String::new, |total| format!(" of {total}"));
    let failed = if job.failed > 0 { format!(", {} failed", job.failed) } else { String::new() };
    let begun = match age(job.created_at, now) {
        now if now == "now" => "just now".to_owned(),
        date if date.contains('-') => format!("on {date}"),
        ago => format!("{ago} ago"),
    };
    let about = shortened(&job.about);
    format!("Job {}, {state}, {operation}, {done}{total} done{failed}, begun {begun}: {about}", job.id.short())
}

/// The facts of a prompt, as lines; its text follows.
pub(super) fn known(place: usize, all: usize, prompt: &Prompt) -> Vec<String> {
    let account = &prompt.model_metadata;
    let mut lines = vec![
        row(place, all, prompt),
        format!(
            "by {} of {}, for the persona {}; {} in all, {}",
            prompt.model,
            prompt.provider,
            prompt.persona,
            tokens(account),
            price(account)
        ),
    ];
    lines.extend(prompt.notes.as_ref().map(|notes| format!("notes: {notes}")));
    lines
}

/// The end of a run with a result.
pub(super) fn ending(finished: usize, all: usize, account: &ModelMetadata) -> String {
    format!("Done: {finished} of {all} finished, {} in all, {}", tokens(account), price(account))
}

/// The differences between the prompts with these numbers.
pub(super) fn difference(places: &[usize], result: &CompareResult) -> Vec<String> {
    let sizes =
        places.iter().zip(&result.sizes).map(|(place, size)| format!("{place} has {}", count(size.words, "word")));
    let stay = (result.similarity * 100.0).round();
    let mut lines = vec![format!("{}; {stay} percent unchanged", sizes.collect::<Vec<_>>().join(", "))];
    for (name, values) in &result.scores {
        let of = places.iter().zip(values).map(|(place, value)| match value {
            Some(value) => format!("{} of {place}", score(*value)),
            None => format!("none of {place}"),
        });
        lines.push(format!("{name}: {}", of.collect::<Vec<_>>().join(", ")));
    }
    let changes = result.diff.as_deref().map(changes).unwrap_or_default();
    let all = changes.len();
    lines.extend(changes.into_iter().zip(1..).map(|(change, place)| format!("Change {place} of {all}: {change}")));
    if result.diff.is_some() && all == 0 {
        lines.push("The texts are the same.".to_owned());
    }
    lines
}

/// Each change from the first text to the second, with the words before it.
fn changes(parts: &[DiffPart]) -> Vec<String> {
    let (mut changes, mut before) = (Vec::new(), String::new());
    let (mut gone, mut new) = (String::new(), String::new());
    let mut close = |gone: &mut String, new: &mut String, before: &str| {
        let (from, to) = (words(gone), words(new));
        let what = match (from.is_empty(), to.is_empty()) {
            (true, true) => None,
            (true, false) => Some(format!("added \"{to}\"")),
            (false, true) => Some(format!("removed \"{from}\"")),
            (false, false) => Some(format!("\"{from}\" becomes \"{to}\"")),
        };
        let place = if before.is_empty() { "at the beginning".to_owned() } else { format!("after \"{before}\"") };
        changes.extend(what.map(|what| format!("{place}: {what}")));
        gone.clear();
        new.clear();
    };
    for part in parts {
        match part.op {
            DiffOp::Delete => gone.push_str(&part.text),
            DiffOp::Insert => new.push_str(&part.text),
            DiffOp::Equal => {
                close(&mut gone, &mut new, &before);
                let same: Vec<&str> = part.text.split_whitespace().collect();
                before = same[same.len().saturating_sub(BEFORE)..].join(" ");
            }
        }
    }
    close(&mut gone, &mut new, &before);
    changes
}

/// The judge's verdict, as lines, with the numbers of `rows`.
pub(super) fn verdict(result: &SelectResult, rows: &[PromptId]) -> Vec<String> {
    let sure = result.sureness(|id| named(id, rows)).replace('%', "percent");
    let mut lines = vec![format!("The judge prefers {}.", named(result.prompt.id, rows)), capitalised(&sure)];
    if !result.reasoning.is_empty() {
        let number = |word: &str| rows.iter().find(|row| row.short() == word).map(|row| named(*row, rows));
        lines.push(format!("Why: {}", with_names(&result.reasoning, number)));
    }
    let all = result.ranking.len();
    lines.extend(result.ranking.iter().zip(1..).map(|(standing, place)| {
        let (won, lost, even) = (standing.wins, standing.losses, standing.ties);
        let (name, strength) = (named(standing.prompt_id, rows), score(standing.score));
        format!("Place {place} of {all}: {name}, win probability {strength}, {won} wins, {lost} losses, {even} ties")
    }));
    lines
}

/// Capitalises a sentence.
fn capitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// One comparison of the judge.
fn judged(comparison: &Comparison, made: usize, rows: &[PromptId]) -> String {
    let (a, b) = (named(comparison.a, rows), named(comparison.b, rows));
    let doubt = if comparison.agreed { "" } else { ", the two orders disagreed" };
    match comparison.winner {
        Some(winner) if winner == comparison.a => format!("Comparison {made}: {a} is better than {b}{doubt}"),
        Some(_) => format!("Comparison {made}: {b} is better than {a}{doubt}"),
        None => format!("Comparison {made}: {a} and {b} tie{doubt}"),
    }
}

/// `number 2`, or the short id of a prompt without a number.
fn named(id: PromptId, rows: &[PromptId]) -> String {
    rows.iter().position(|row| *row == id).map_or_else(|| id.short(), |at| format!("number {}", at + 1))
}

/// `1 token`, `1,204 tokens`, or `about 82 tokens` for an estimate.
fn tokens(account: &ModelMetadata) -> String {
    let about = if account.estimated { "about " } else { "" };
    format!("{about}{}", count(account.output_tokens, "token"))
}

/// `$0.0143`, `at most $0.11`, `free`, or `price unknown`.
fn price(account: &ModelMetadata) -> String {
    account.cost_usd.map_or_else(|| "price unknown".to_owned(), |_| cost(account))
}

/// `, at most $0.11`; empty if no call was made.
fn of_price(view: &RunView) -> String {
    let account = view.account();
    if account.calls == 0 && view.spent.is_none() { String::new() } else { format!(", {}", price(&account)) }
}

/// `1 variant`, `3 variants`.
pub(super) fn count(number: u64, what: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {what}{ending}", thousands(number))
}

/// `2.1 s`.
fn seconds(milliseconds: u64) -> String {
    format!("{}.{} s", thousands(milliseconds / 1_000), milliseconds % 1_000 / 100)
}

/// A text on one line.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text on one line, cut where it is long.
pub(super) fn shortened(text: &str) -> String {
    let line = words(text);
    if line.chars().count() <= SHOWN { line } else { line.chars().take(SHOWN).chain(['…']).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::testing::{overloaded, phase_finished, prompt, selection, session, started};
    use aludel_core::domain::{JobState, Phase, TextSize};
    use aludel_core::event::Event;
    use std::collections::BTreeMap;

    fn told(kinds: Vec<EventKind>) -> Vec<String> {
        let mut view = RunView::default();
        let mut lines = Vec::new();
        for (kind, seq) in kinds.into_iter().zip(0..) {
            view.apply(&Event { session_id: session(), seq, kind: kind.clone() });
            lines.extend(event(&kind, &view, &[]));
        }
        lines
    }

    #[test]
    fn a_phase_is_one_line_when_it_finishes() {
        let lines = told(vec![started(2), phase_finished(0, Phase::Solutio, "text", 418)]);
        assert_eq!(
            lines,
            [
                "2 variants: prima-materia, then solutio, then coagulatio. Ctrl-C stops.",
                "A solutio done, 418 tokens, 2.1 s"
            ]
        );
    }

    #[test]
    fn what_is_finished_and_what_failed_is_counted_aloud() {
        let lines = told(vec![
            started(2),
            EventKind::variant_finished(prompt(1, "text", None)),
            EventKind::VariantFailed { variant: 0, phase: Some(Phase::Solutio), error: overloaded() },
            EventKind::Cancelled {},
        ]);
        assert_eq!(lines[1], "B is finished: 000000a1, 1 of 2");
        assert!(lines[2].starts_with("A failed in solutio: "), "{lines:?}");
        assert_eq!(lines[3], "Stopped. 1 of 2 finished and kept.");
    }

    #[test]
    fn what_a_stopped_run_may_have_cost_is_told() {
        let spent = ModelMetadata { cost_usd: Some(0.0), most_usd: Some(0.11), ..ModelMetadata::default() };
        let lines = told(vec![started(1), EventKind::Spent { model_metadata: spent }, EventKind::Cancelled {}]);
        assert_eq!(lines[1], "Stopped. 0 of 1 finished and kept, at most $0.1100.");
    }

    #[test]
    fn what_is_finished_and_not_stored_is_not_told_as_kept() {
        let message = "no space is left".to_owned();
        let lines = told(vec![
            started(2),
            EventKind::variant_finished(prompt(1, "text", None)),
            EventKind::Warning { variant: Some(1), phase: None, message, code: Some(Code::Storage) },
            EventKind::Cancelled {},
        ]);
        assert_eq!(
            lines[2..],
            ["B is not stored: no space is left", "Stopped. 1 of 2 finished, 1 of them not stored."]
        );
    }

    #[test]
    fn a_job_is_told_in_one_line() {
        use crate::tui::testing::samples::{job, jobs};
        let now = jobs().at;
        let told = job(4, JobState::Failed, Operation::Generate, 400);
        assert_eq!(
            super::job(&Job { about: "Name a boat".into(), ..told }, now),
            "Job 00000004, failed, generate, 1 of 3 done, 1 failed, begun 6 min ago: Name a boat"
        );
        let other = job(2, JobState::Running, Operation::Select, 5);
        assert!(super::job(&other, now).starts_with("Job 00000002, running, select, 2 done, begun just now: Write"));
        let old = job(3, JobState::Cancelled, Operation::Generate, 90 * 86_400);
        assert!(super::job(&old, now).contains("begun on 2026-08-27: "), "{}", super::job(&old, now));
    }

    #[test]
    fn a_row_begins_with_its_place() {
        let mut stored = prompt(0, "text", Some(0.8));
        stored.tags = vec!["rust".into(), "review".into()];
        stored.original_input = "Review\npull requests".into();
        assert_eq!(
            row(2, 3, &stored),
            "2 of 3: 000000a0, score 0.80, direct, 90 tokens, tags rust and review: Review pull requests"
        );
    }

    #[test]
    fn a_difference_is_told_change_by_change() {
        let part = |op, text: &str| DiffPart { op, text: text.into() };
        let size = TextSize { characters: 9, words: 7, lines: 1, tokens: 7 };
        let result = CompareResult {
            prompts: Vec::new(),
            diff: Some(vec![
                part(DiffOp::Equal, "List at most "),
                part(DiffOp::Delete, "7 "),
                part(DiffOp::Insert, "5 "),
                part(DiffOp::Equal, "findings "),
                part(DiffOp::Insert, "by risk"),
            ]),
            scores: BTreeMap::from([("clarity".into(), vec![Some(0.5), None])]),
            sizes: vec![size, size],
            similarity: 0.8,
            selection: None,
        };
        assert_eq!(
            difference(&[1, 3], &result),
            [
                "1 has 7 words, 3 has 7 words; 80 percent unchanged",
                "clarity: 0.50 of 1, none of 3",
                "Change 1 of 2: after \"List at most\": \"7\" becomes \"5\"",
                "Change 2 of 2: after \"findings\": added \"by risk\"",
            ]
        );
    }

    #[test]
    fn a_verdict_is_told_by_number_and_names_no_ids() {
        let result = selection(false);
        let rows: Vec<PromptId> = result.ranking.iter().map(|standing| standing.prompt_id).collect();
        let lines = verdict(&result, &rows);
        assert_eq!(lines[0], "The judge prefers number 1.");
        assert_eq!(
            lines[1],
            "Too close to call between number 1 and number 2: number 1 is ahead, the best with a probability of 55 percent \
             by this judge."
        );
        assert_eq!(lines[2], "Why: Against number 2 (+0.75): names its audience.");
        assert!(verdict(&selection(true), &rows)[1].starts_with("Number 1 is the best"));
    }

    #[test]
    fn a_comparison_is_told_by_number() {
        let ids = [prompt(0, "", None).id, prompt(1, "", None).id];
        let mut comparison = Comparison {
            a: ids[0],
            b: ids[1],
            winner: Some(ids[1]),
            margin: -0.4,
            agreed: true,
            reasoning: String::new(),
        };
        assert_eq!(judged(&comparison, 1, &ids), "Comparison 1: number 2 is better than number 1");
        comparison.winner = None;
        comparison.agreed = false;
        assert_eq!(
            judged(&comparison, 2, &ids[..1]),
            "Comparison 2: number 1 and 000000a1 tie, the two orders disagreed"
        );
    }
}
