//! The sentences about an offered batch, and about one under way. Pure.

use aludel_core::domain::{BatchRow, BatchSummary, Job, JobDetails, Prompt, RowStatus, Timestamp};
use serde_json::Value;

use super::BatchOffer;
use crate::figures::{rate, span, span_of_seconds, thousands};
use crate::tui::widgets::figures::{cost, dollars, score};
use crate::tui::widgets::safe::safe_line;

/// Most characters of a row's text in a list.
const SHOWN: usize = 300;

/// What an offer is and can take, a line for each fact.
pub(crate) fn offered(offer: &BatchOffer) -> Vec<String> {
    let BatchOffer { path, rows, settings, estimate, seconds, budget_usd } = offer;
    let mut lines = vec![format!("{} of {path}: {}.", count(*rows, "row"), count(estimate.calls, "call"))];
    if !settings.is_empty() {
        let each = settings.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", ");
        lines.push(format!("Rows that do not say otherwise have {each}."));
    }
    let (sent, received) = (thousands(estimate.input_tokens), thousands(estimate.output_tokens));
    lines.push(format!("Up to {sent} tokens sent and {received} received."));
    lines.push(match estimate.most_usd {
        Some(0.0) => "It costs nothing.".to_owned(),
        Some(most) => format!("It may cost up to ${most}."),
        None => format!("What it costs is unknown: so is the price of {}.", estimate.unpriced.join(", ")),
    });
    lines.push(match seconds {
        Some(seconds) => format!("About {}, as its models took so far.", span_of_seconds(*seconds)),
        None => "How long it takes is unknown until its models have made prompts here.".to_owned(),
    });
    if budget_usd.is_some() {
        lines.push("That is more than spend.preflight_usd allows unasked; going on makes it the budget.".to_owned());
    }
    lines
}

/// `1,204 of 10,000 done, 3 failed, 8,796 left`.
pub(crate) fn done(job: &Job) -> String {
    let done = thousands(job.done);
    let failed = if job.failed > 0 { format!(", {} failed", thousands(job.failed)) } else { String::new() };
    match job.total {
        Some(total) => {
            let left = total.saturating_sub(job.done);
            let left = if left > 0 { format!(", {} left", thousands(left)) } else { String::new() };
            format!("{done} of {} done{failed}{left}", thousands(total))
        }
        None => format!("{done} done{failed}"),
    }
}

/// `12 a second, about 3 min 5 s left`, for rows that took these milliseconds; `None` for no rows.
pub(crate) fn pace(job: &Job, rows: u64, elapsed_ms: u64) -> Option<String> {
    if rows == 0 || elapsed_ms == 0 {
        return None;
    }
    let left = job.total.unwrap_or_default().saturating_sub(job.done);
    let time = span(elapsed_ms.saturating_mul(left) / rows);
    let left = if left > 0 && job.state.is_active() { format!(", about {time} left") } else { String::new() };
    Some(format!("{}{left}", rate(rows, elapsed_ms)))
}

/// Rows that a batch has done by `now`, and the milliseconds they took. `None` for one that was
/// resumed: when its present attempt began is not recorded.
pub(crate) fn since_begun(job: &Job, now: Timestamp) -> Option<(u64, u64)> {
    let until = job.ended_at.unwrap_or(now);
    let elapsed = until.as_millisecond().saturating_sub(job.created_at.as_millisecond());
    (job.attempt == 1).then(|| (job.done, u64::try_from(elapsed).unwrap_or(0)))
}

/// `3,612 calls, $0.1234`, or what they count as while the exact amount is unknown.
pub(crate) fn spent(details: &JobDetails, calls: u64, most_usd: f64) -> String {
    let calls = count(calls, "call");
    if let Some(summary) = summary(details) {
        let account = &summary.model_metadata;
        let price = account.cost_usd.map_or_else(|| "price unknown".to_owned(), |_| cost(account));
        return format!("{calls}, {price}");
    }
    if most_usd > 0.0 { format!("{calls}, at most {} so far", dollars(Some(most_usd))) } else { calls }
}

/// The end of a batch that has finished.
fn summary(details: &JobDetails) -> Option<BatchSummary> {
    details.result.clone().and_then(|result| serde_json::from_value(result).ok())
}

/// Why a job failed, with its code; `None` unless it did.
pub(crate) fn error(details: &JobDetails) -> Option<String> {
    let error = details.error.as_ref()?;
    let detail = error["detail"].as_str().or_else(|| error["title"].as_str()).unwrap_or("no reason was given");
    let code = error["code"].as_str().map_or_else(String::new, |code| format!(" ({code})"));
    Some(format!("{detail}{code}"))
}

/// What came of a row, in one line: its error, or the score and the beginning of its best prompt.
pub(crate) fn row(row: &BatchRow) -> String {
    let text = match (&row.error, winner(row)) {
        (Some(problem), _) => problem.detail.clone(),
        (None, Some(prompt)) => {
            let points = prompt.score.map_or_else(String::new, |points| format!("{} ", score(points)));
            format!("{points}{}", prompt.content)
        }
        (None, None) => "no prompt".to_owned(),
    };
    let text: String = text.chars().take(SHOWN).collect();
    safe_line(text.split_whitespace().collect::<Vec<_>>().join(" ").as_str())
}

/// The best prompt of a row.
pub(crate) fn winner(row: &BatchRow) -> Option<&Prompt> {
    row.result.as_ref()?.prompts.first()
}

/// A row with its number, its id where that says more, and its status: `row 7, "boat": failed`.
pub(crate) fn heading(row: u64, id: &str, status: RowStatus) -> String {
    let id = if id == row.to_string() { String::new() } else { format!(", {}", safe_line(id)) };
    format!("row {}{id}: {}", thousands(row), status.as_str())
}

/// The settings in a job's request that were given: `count: 2`.
pub(crate) fn settings(request: &Value) -> Vec<String> {
    let is_open = |value: &Value| match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    };
    let fields = request.as_object().into_iter().flatten().filter(|(_, value)| !is_open(value));
    let of = |(name, value): (&String, &Value)| match value {
        Value::Object(fields) if name == "defaults" => {
            fields.iter().map(|(name, value)| format!("{name}: {}", super::in_words(value))).collect()
        }
        value => vec![format!("{name}: {}", super::in_words(value))],
    };
    fields.flat_map(of).collect()
}

/// `1 row`, `3 rows`.
pub(crate) fn count(number: u64, what: &str) -> String {
    format!("{} {what}{}", thousands(number), if number == 1 { "" } else { "s" })
}
