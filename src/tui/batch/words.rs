//! The sentences about an offered batch, and about one under way. Pure.

use std::time::Duration;

use aludel_core::domain::{BatchRow, BatchSummary, Job, JobDetails, Prompt, RowStatus, Timestamp};
use serde_json::Value;

use super::BatchOffer;
use crate::figures::{rate, span, thousands};
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
        Some(seconds) => format!("About {}, as its models took so far.", span(milliseconds(*seconds))),
        None => "How long it takes is unknown until its models have made prompts here.".to_owned(),
    });
    if budget_usd.is_some() {
        lines.push("That is more than spend.preflight_usd allows unasked; going on makes it the budget.".to_owned());
    }
    lines
}

fn milliseconds(seconds: f64) -> u64 {
    let duration = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
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

#[cfg(test)]
mod tests {
    use aludel_core::domain::JobState;
    use aludel_core::time::from_millis;
    use serde_json::json;

    use super::*;
    use crate::tui::testing::batches::{batch_job, failed_row, fine_row, offer, rows_page};

    #[test]
    fn an_offer_says_what_it_can_take_and_what_is_unknown() {
        let lines = offered(&offer(Some(0.0), None));
        assert_eq!(lines[0], "1,000 rows of rows.csv: 6,000 calls.");
        assert_eq!(lines[3..], ["It costs nothing.", "About 12 min 34 s, as its models took so far."]);
        let lines = offered(&BatchOffer { seconds: None, settings: Vec::new(), ..*offer(None, None) });
        assert_eq!(lines[2], "What it costs is unknown: so is the price of my-model.");
        assert!(lines[3].starts_with("How long it takes is unknown"), "{lines:?}");
        assert!(offered(&offer(Some(43.0), Some(43.0)))[5].contains("makes it the budget"));
    }

    #[test]
    fn what_is_left_and_what_failed_is_said_only_where_there_is_any() {
        assert_eq!(done(&batch_job(JobState::Running, 12, 3)), "12 of 1,000 done, 3 failed, 988 left");
        assert_eq!(done(&batch_job(JobState::Finished, 1_000, 0)), "1,000 of 1,000 done");
        assert_eq!(done(&Job { total: None, ..batch_job(JobState::Running, 7, 0) }), "7 done");
    }

    #[test]
    fn the_rate_tells_the_time_that_is_left_while_the_batch_is_under_way() {
        let job = batch_job(JobState::Running, 400, 0);
        assert_eq!(pace(&job, 400, 100_000).unwrap(), "4 a second, about 2 min 30 s left");
        assert_eq!(pace(&batch_job(JobState::Cancelled, 400, 0), 400, 100_000).unwrap(), "4 a second");
        assert_eq!((pace(&job, 0, 9), pace(&job, 9, 0)), (None, None));
        let later = from_millis(job.created_at.as_millisecond() + 5_000);
        assert_eq!(since_begun(&job, later), Some((400, 5_000)));
        assert_eq!(since_begun(&Job { attempt: 2, ..job }, later), None);
    }

    #[test]
    fn the_cost_is_a_bound_until_the_batch_has_finished() {
        let page = |state| rows_page(batch_job(state, 12, 3), Vec::new(), None).details;
        assert_eq!(spent(&page(JobState::Running), 36, 0.05), "36 calls, at most $0.0500 so far");
        assert_eq!(spent(&page(JobState::Running), 1, 0.0), "1 call");
        assert_eq!(spent(&page(JobState::Finished), 36, 0.05), "36 calls, $2.16");
        let mut unpriced = page(JobState::Finished);
        unpriced.result.as_mut().unwrap()["model_metadata"]["cost_usd"] = Value::Null;
        assert_eq!(spent(&unpriced, 36, 0.0), "36 calls, price unknown");
    }

    #[test]
    fn a_row_is_one_safe_line_however_long_its_text() {
        let hostile = format!("the\n server \u{1b}[2Janswered: {}", "x".repeat(9_000));
        let line = row(&failed_row(3, &hostile));
        assert!(line.starts_with("the server ") && line.chars().count() <= SHOWN, "{line}");
        assert!(!line.contains(char::is_control));
        assert_eq!(row(&fine_row(1, "# Role\n\nYou name boats.")), "0.97 # Role You name boats.");
        assert_eq!(heading(7, "7", RowStatus::Ok), "row 7: ok");
        assert_eq!(heading(1_204, "boat\u{7}", RowStatus::Failed), "row 1,204, boat: failed");
    }

    #[test]
    fn only_what_a_request_sets_is_told() {
        let request = json!({ "format": null, "fail_fast": false, "max_calls": 9, "target_models": ["a", "b"],
            "defaults": { "tags": ["x", "y"], "save": false } });
        assert_eq!(settings(&request), ["max_calls: 9", "target_models: a, b", "tags: x, y", "save: false"]);
        assert_eq!(settings(&json!("odd")), Vec::<String>::new());
    }
}
