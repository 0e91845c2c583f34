//! Answers the queries of the Providers, Spend and Jobs screens, the settings and the labelling.

use std::collections::BTreeMap;

use aludel_core::api::{JobKey, JobRequest, JobsRequest, SpendRequest, StatsRequest, TestProvidersRequest};
use aludel_core::config::edit::Setting;
use aludel_core::config::{Origin, keys};
use aludel_core::domain::{ProviderTest, SessionId, SpendBy, SpendLine};
use aludel_core::engine::Engine;
use aludel_core::error::{Error, Problem, Result};
use aludel_core::event::Outcome;
use aludel_core::time::{Clock, SystemClock};
use aludel_core::trace;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{Duration, sleep};

use super::batching;
use crate::tui::effect::{CoreResult, Query};
use crate::tui::message::{Message, QueryReply};
use crate::tui::model::jobs::JobListing;
use crate::tui::model::listing::SettingRow;
use crate::tui::model::spend::{Day, Spent};
use crate::tui::range::Range;

/// Interval between checks for new lines of the log.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Answers a query.
pub(super) async fn answer(engine: &Engine, inquiry: Query) -> QueryReply {
    match inquiry {
        Query::Providers => QueryReply::Providers(engine.provider_details().await),
        Query::TestProvider(name) => QueryReply::Tested(test(engine, name).await.map(Box::new)),
        Query::Spend { range, by } => QueryReply::Spent(told(spent(engine, range, by).await.map(Box::new))),
        Query::Jobs { all } => QueryReply::Jobs(told(jobs(engine, all).await.map(Box::new))),
        Query::Job(id) => QueryReply::Job(told(engine.job(named(id)).await.map(Box::new))),
        Query::StopJob(id) => QueryReply::JobStopped(told(engine.stop_job(named(id)).await.map(Box::new))),
        Query::Batch(id, from) => QueryReply::Batch(told(batching::page(engine, id, from).await.map(Box::new))),
        Query::BatchRow(id, row) => {
            QueryReply::BatchRow(told(engine.batch_row(JobKey::Id(id), row).await.map(Box::new)))
        }
        Query::Settings => QueryReply::Settings(told(settings(engine))),
        Query::Pairs(among) => QueryReply::Pairs(told(engine.labelling(&among).await.map(Box::new))),
        Query::KeepLabel(pair, better) => {
            let engine = engine.clone();
            let kept = on_disk(move || engine.keep_label(&pair, better)).await;
            QueryReply::LabelKept(told(kept.map(Box::new)))
        }
        Query::TakeLabelBack(kept) => {
            let engine = engine.clone();
            QueryReply::LabelTakenBack(told(on_disk(move || engine.take_label_back(&kept)).await))
        }
    }
}

/// The jobs, and when they were read.
async fn jobs(engine: &Engine, all: bool) -> Result<JobListing> {
    let list = engine.jobs(JobsRequest { all, ..JobsRequest::default() }).await?;
    Ok(JobListing { jobs: list.jobs, at: SystemClock.now() })
}

/// The request for one job.
pub(super) const fn named(id: SessionId) -> JobRequest {
    JobRequest { job_id: JobKey::Id(id) }
}

/// Writes a file without blocking the runtime.
async fn on_disk<T: Send + 'static>(write: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let written = tokio::task::spawn_blocking(write).await;
    written.map_err(|error| Error::Internal(format!("a label was not written: {error}")))?
}

fn told<T>(outcome: Result<T>) -> CoreResult<T> {
    outcome.map_err(|error| Box::new(Problem::from(error)))
}

/// Sends the newest lines of the log whenever there are new ones.
pub(super) async fn watch_log(answers: mpsc::Sender<Message>) {
    let mut seen = 0;
    loop {
        if let Some((count, lines)) = trace::recent(seen) {
            seen = count;
            if answers.send(Message::Log(lines)).await.is_err() {
                break;
            }
        }
        sleep(POLL_INTERVAL).await;
    }
}

/// Every setting, formatted for display: paths shortened, lists with commas.
fn settings(engine: &Engine) -> Result<Vec<SettingRow>> {
    let origin = |origin: &Origin| match origin {
        Origin::File { path, line } => format!("{}:{line}", engine.paths().shown(path).display()),
        other => other.to_string(),
    };
    let row = |setting: Setting| SettingRow {
        value: in_words(&setting.value),
        origin: origin(&setting.origin),
        takes: takes(engine, &setting.key),
        is_set: setting.origin != Origin::Default,
        key: setting.key,
    };
    Ok(engine.settings()?.into_iter().map(row).collect())
}

/// The values a setting accepts.
fn takes(engine: &Engine, key: &str) -> String {
    match key {
        "tui.theme" => format!("one of {}", engine.theme_names().join(", ")),
        _ => keys::find(key).map(|known| known.kind.expected()).unwrap_or_default(),
    }
}

fn in_words(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(in_words).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// Makes a real call to the provider of this name.
async fn test(engine: &Engine, name: String) -> CoreResult<ProviderTest> {
    let decoded = engine.decode::<TestProvidersRequest>(json!({ "providers": [name] }));
    let request = decoded.map_err(|error| Box::new(Problem::from(error)))?;
    let first = match engine.test_providers(request).outcome().await? {
        Outcome::TestProviders(tests) => tests.providers.into_iter().next(),
        _ => None,
    };
    first.ok_or_else(|| Box::new(Problem::from(Error::Internal(format!("{name} was not tested")))))
}

async fn spent(engine: &Engine, range: Range, by: SpendBy) -> Result<Spent> {
    let request: SpendRequest = engine.decode(range.request(by))?;
    let by_day: SpendRequest = engine.decode(range.request(SpendBy::Day))?;
    let stats: StatsRequest = engine.decode(Value::Object(range.filter()))?;
    let report = engine.spend(request).await?;
    let lines = engine.spend(by_day).await?.lines;
    let stored = engine.stats(stats).await?.total;
    let today = SystemClock.now().to_zoned(TimeZone::UTC).date();
    Ok(Spent { report, days: days(&lines, today, range.days()), stored })
}

/// The last `count` days up to `today`, the oldest first, including those without a call.
fn days(lines: &[SpendLine], today: Date, count: usize) -> Vec<Day> {
    let known: BTreeMap<&str, &SpendLine> = lines.iter().map(|line| (line.key.as_str(), line)).collect();
    let mut dates: Vec<Date> = std::iter::successors(Some(today), |day| day.yesterday().ok()).take(count).collect();
    dates.reverse();
    let days = dates.into_iter().map(|date| {
        let line = known.get(date.to_string().as_str()).map(|line| &line.totals);
        Day {
            name: date.strftime("%m-%d").to_string(),
            cost_usd: line.map_or(0.0, |totals| totals.known_cost_usd),
            tokens: line.map_or(0, |totals| totals.input_tokens + totals.output_tokens),
        }
    });
    days.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use aludel_core::domain::SpendTotals;

    #[test]
    fn days_without_a_call_are_there_too() {
        let totals = SpendTotals { input_tokens: 4, output_tokens: 5, known_cost_usd: 0.5, ..SpendTotals::default() };
        let lines = [SpendLine { key: "2026-10-31".into(), totals }];
        let days = days(&lines, Date::constant(2026, 11, 2), 4);
        let told: Vec<(&str, u64)> = days.iter().map(|day| (day.name.as_str(), day.tokens)).collect();
        assert_eq!(told, [("10-30", 0), ("10-31", 9), ("11-01", 0), ("11-02", 0)]);
    }
}
