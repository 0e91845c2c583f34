//! The details of the marked job: state, owner, error; on request its request and result.

use aludel_core::domain::{Job, JobDetails, JobState, Operation, PromptId, Timestamp};
use ratatui::text::Line;
use serde_json::Value;

use crate::tui::model::Model;
use crate::tui::screens::chrome::spinner;
use crate::tui::screens::facts::FactRows;
use crate::tui::theme::{Theme, glyph};
use crate::tui::widgets::figures::{age, dollars, score, thousands};

/// Most characters of one value of a request or a result.
const SHOWN: usize = 2_000;

/// All details of the marked job, in rows of at most `width` columns.
pub(super) fn lines(model: &Model, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let Some(job) = model.jobs.marked() else { return Vec::new() };
    let mut facts = FactRows::new(width, theme);
    if let Some((_, problem)) = model.jobs.refused.as_ref().filter(|(id, _)| *id == job.id) {
        facts.say("not done", &format!("{} {} ({})", glyph::FAILED, problem.detail, problem.code), theme.bad);
    }
    state(&mut facts, model, job, theme);
    if let Some(Ok(details)) = model.jobs.whole() {
        error(&mut facts, details, theme);
    }
    if model.jobs.is_whole {
        whole(&mut facts, model, theme);
        facts.gap();
    }
    facts.say("done", &format!("{} · attempt {}", done(job), thousands(job.attempt.into())), theme.text);
    facts.say("owner", job.owner.as_deref().unwrap_or("nobody"), theme.text);
    facts.say("about", &job.about, theme.text);
    times(&mut facts, job, model.jobs.moment(model.now), theme);
    let lives = if job.kept { KEPT } else { ATTACHED };
    facts.say("operation", &format!("{}, {lives}", job.operation), theme.text);
    facts.say("id", &job.id.to_string(), theme.muted);
    facts.into_lines()
}

const KEPT: &str = "runs to its end without being watched";
const ATTACHED: &str = "ends with the command or connection that started it";

/// Its state, and what can be done.
fn state(facts: &mut FactRows<'_>, model: &Model, job: &Job, theme: &Theme) {
    let (sign, says, style) = match job.state {
        JobState::Running => (spinner(model), "{stop-job} stops it", theme.live),
        JobState::Stopping => (spinner(model), "what is finished is kept", theme.live),
        JobState::Interrupted => (glyph::WARNING, "its process is gone; {resume-job} resumes it", theme.warning),
        JobState::Finished if model.jobs.is_whole => (glyph::DONE, "{back} shows less", theme.good),
        JobState::Finished if job.operation == Operation::Batch => {
            (glyph::DONE, "{show-job} shows its rows", theme.good)
        }
        JobState::Finished => (glyph::DONE, "{show-job} shows the result", theme.good),
        JobState::Failed => (glyph::FAILED, "{resume-job} resumes it", theme.bad),
        JobState::Cancelled => (glyph::STOPPED, "{resume-job} resumes it", theme.warning),
    };
    facts.say("state", &format!("{sign} {}: {}", job.state, model.spell(says)), style);
}

/// Why it failed.
fn error(facts: &mut FactRows<'_>, details: &JobDetails, theme: &Theme) {
    let Some(error) = &details.error else { return };
    let detail = error["detail"].as_str().or_else(|| error["title"].as_str()).unwrap_or("no reason was given");
    let code = error["code"].as_str().map_or_else(String::new, |code| format!(" ({code})"));
    facts.say("error", &format!("{}{code}", cut(detail)), theme.bad);
}

/// `2 of 3, 1 of them failed`.
fn done(job: &Job) -> String {
    let failed = if job.failed > 0 { format!(", {} failed", thousands(job.failed)) } else { String::new() };
    format!("{}{failed}", count(job))
}

/// `2 of 3`; only the number done if the total is unknown.
pub(super) fn count(job: &Job) -> String {
    let done = thousands(job.done);
    job.total.map_or_else(|| done.clone(), |total| format!("{done} of {}", thousands(total)))
}

/// When it began and last changed, or when it ended.
fn times(facts: &mut FactRows<'_>, job: &Job, now: Timestamp, theme: &Theme) {
    let last = job.ended_at.map_or(("changed", job.updated_at), |ended| ("ended", ended));
    for (name, moment) in [("begun", job.created_at), last] {
        let when = moment.strftime("%Y-%m-%d %H:%M:%S UTC");
        let ago = match age(moment, now) {
            now if now == "now" => "less than a minute ago, ".to_owned(),
            // The date follows anyway.
            date if date.contains('-') => String::new(),
            ago => format!("{ago} ago, "),
        };
        facts.say(name, &format!("{ago}{when}"), theme.text);
    }
}

/// The request field by field, and the result.
fn whole(facts: &mut FactRows<'_>, model: &Model, theme: &Theme) {
    let details = match model.jobs.whole() {
        None => return facts.say("request", "reading it", theme.muted),
        Some(Err(problem)) => {
            return facts.say("request", &format!("{} {}", glyph::FAILED, problem.detail), theme.bad);
        }
        Some(Ok(details)) => details,
    };
    let mut title = "request";
    for (name, value) in details.request.as_object().into_iter().flatten() {
        if let Some(said) = in_words(value) {
            facts.say(title, &format!("{name}: {}", cut(&said)), theme.text);
            title = "";
        }
    }
    match &details.result {
        Some(result) => add_result(facts, result, theme),
        None => facts.say("result", "none yet", theme.muted),
    }
}

/// A value of a request; `None` if it was not given.
fn in_words(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Array(items) if items.is_empty() => None,
        Value::Array(items) => Some(items.iter().filter_map(in_words).collect::<Vec<_>>().join(", ")),
        Value::Bool(is_so) => Some(if *is_so { "yes" } else { "no" }.to_owned()),
        Value::String(text) => Some(cut(text)),
        other => Some(other.to_string()),
    }
}

/// The prompts of a generation, best first, or the judge's choice; and what that cost.
fn add_result(facts: &mut FactRows<'_>, result: &Value, theme: &Theme) {
    let mut said = Vec::new();
    for (place, prompt) in (1..).zip(result["prompts"].as_array().into_iter().flatten()) {
        said.push(format!("{place}. {}", prompt_in_words(prompt)));
    }
    if result["prompt"].is_object() {
        said.push(format!("the best: {}", prompt_in_words(&result["prompt"])));
    }
    said.extend(result["reasoning"].as_str().map(cut));
    if let Some(tokens) = result["model_metadata"]["total_tokens"].as_u64() {
        let cost = dollars(result["model_metadata"]["cost_usd"].as_f64());
        said.push(format!("{} tokens, {cost}", thousands(tokens)));
    }
    for (at, text) in said.iter().enumerate() {
        facts.say(if at == 0 { "result" } else { "" }, text, theme.text);
    }
}

/// `7a3f9c21, score 0.87: You are reviewing …`.
fn prompt_in_words(prompt: &Value) -> String {
    let id = prompt["id"].as_str().unwrap_or_default();
    let id = id.parse::<PromptId>().map_or_else(|_| id.to_owned(), |id| id.short());
    let points = prompt["score"].as_f64().map_or_else(String::new, |points| format!(", score {}", score(points)));
    let content = prompt["content"].as_str().unwrap_or_default();
    let begins = content.split_whitespace().take(12).collect::<Vec<_>>().join(" ");
    let more = if content.split_whitespace().nth(12).is_some() { " …" } else { "" };
    format!("{id}{points}: {begins}{more}")
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
