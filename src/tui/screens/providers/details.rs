//! The details of the marked provider: availability, key source, phases, price, test result; and
//! what to do if something is missing.

use aludel_core::domain::{Phase, ProviderCheckStatus, ProviderTest};
use aludel_core::engine::ProviderDetails;
use aludel_core::probe::KeySource;
use ratatui::text::Line;

use crate::tui::model::Model;
use crate::tui::model::providers::Test;
use crate::tui::screens::chrome::spinner;
use crate::tui::screens::facts::FactRows;
use crate::tui::theme::{Theme, glyph};
use crate::tui::widgets::figures::{dollars, duration, tokens};
use crate::tui::widgets::safe::safe_line;

/// All details of the marked provider, in rows of at most `width` columns.
pub(super) fn lines(model: &Model, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let Some(facts) = model.providers.marked() else { return Vec::new() };
    let mut rows = FactRows::new(width, theme);
    let info = &facts.info;
    match (&info.reason, info.available) {
        (_, true) => rows.say("state", &format!("{} can be used", glyph::DONE), theme.good),
        (Some(reason), false) => {
            rows.say("state", &format!("{} cannot be used: {reason}", glyph::FAILED), theme.warning);
        }
        (None, false) => rows.say("state", &format!("{} cannot be used", glyph::FAILED), theme.warning),
    }
    if let Some(todo) = to_do(facts) {
        rows.say("to do", &todo, theme.text);
    }
    rows.say("kind", info.kind.as_str(), theme.text);
    if let Some(url) = &info.base_url {
        rows.say("at", url, theme.text);
    }
    rows.say("key", &key(&facts.key), theme.text);
    rows.say("used for", &bound(facts), theme.text);
    rows.say("price", &price(facts), theme.text);
    rows.say("embeddings", if info.supports_embeddings { "yes" } else { "no" }, theme.text);
    test(&mut rows, model, theme);
    if !info.models.is_empty() {
        rows.say("models", &info.models.join(", "), theme.text);
    }
    rows.into_lines()
}

/// How to make it usable, if something is missing.
fn to_do(facts: &ProviderDetails) -> Option<String> {
    let name = &facts.info.name;
    match &facts.key {
        KeySource::Missing { variables } => {
            let variable = variables.first()?;
            Some(format!(
                "export {variable}=… and start again; or `aludel config set providers.{name}.api_key_cmd 'COMMAND'` \
                 with a command that prints the key"
            ))
        }
        _ if facts.info.available && !facts.is_configured && facts.phases.is_empty() => Some(format!(
            "no phase uses it; the run settings of the Workbench select it, or `aludel config set \
             phases.solutio.provider {name}` binds a phase"
        )),
        _ => None,
    }
}

/// The source of its key in full, never the key.
fn key(source: &KeySource) -> String {
    match source {
        KeySource::NotNeeded => "not needed".to_owned(),
        KeySource::Without { variables } => {
            format!("not set, and may not be needed; read from {}", variables.join(", "))
        }
        KeySource::Missing { variables } => format!("not set; read from {}", variables.join(", ")),
        KeySource::Configured => "in the configuration (`api_key`)".to_owned(),
        KeySource::Command => "from the command of the configuration (`api_key_cmd`)".to_owned(),
        KeySource::Variable(variable) => format!("in the variable {variable}"),
    }
}

/// The phases it serves.
fn bound(facts: &ProviderDetails) -> String {
    let names = |phases: &[Phase]| phases.iter().map(|phase| phase.as_str()).collect::<Vec<_>>().join(", ");
    match (facts.phases.is_empty(), facts.fallback_of.is_empty()) {
        (true, true) => "no phase".to_owned(),
        (false, true) => names(&facts.phases),
        (true, false) => format!("no phase; fallback for {}", names(&facts.fallback_of)),
        (false, false) => format!("{}; fallback for {}", names(&facts.phases), names(&facts.fallback_of)),
    }
}

/// The price of a million tokens.
fn price(facts: &ProviderDetails) -> String {
    match (facts.price, &facts.info.default_model) {
        (Some(price), _) if price.input <= 0.0 && price.output <= 0.0 => "free".to_owned(),
        (Some(price), _) => format!("${:.2} in, ${:.2} out, a million tokens", price.input, price.output),
        (None, Some(model)) => format!("not known for {}", safe_line(model)),
        (None, None) => "no model is set".to_owned(),
    }
}

/// The result of the test call.
fn test(rows: &mut FactRows<'_>, model: &Model, theme: &Theme) {
    match model.providers.test() {
        None => {}
        Some(Test::Waiting(_)) => {
            rows.say("test", &format!("{} waiting for the first token", spinner(model)), theme.live);
        }
        Some(Test::Refused(problem)) => {
            rows.say("test", &format!("{} {}", glyph::FAILED, problem.detail), theme.bad);
        }
        Some(Test::Done(test)) => {
            rows.say("test", &summary(test), if test.ok { theme.good } else { theme.bad });
            for check in &test.checks {
                let (sign, style) = match check.status {
                    ProviderCheckStatus::Ok => (glyph::DONE, theme.text),
                    ProviderCheckStatus::Failed => (glyph::FAILED, theme.bad),
                    ProviderCheckStatus::Skipped => (glyph::NOT_REACHED, theme.muted),
                };
                rows.say("", &format!("{sign} {}: {}", check.name.as_str(), check.detail), style);
            }
            for warning in &test.warnings {
                rows.say("", &format!("{} {warning}", glyph::WARNING), theme.warning);
            }
        }
    }
}

/// `✓ works · first 180ms · 2.1s · 40 tok · $0.0001`.
fn summary(test: &ProviderTest) -> String {
    let mut parts =
        vec![if test.ok { format!("{} works", glyph::DONE) } else { format!("{} failed its test", glyph::FAILED) }];
    parts.extend(test.first_token_ms.map(|first| format!("first {}", duration(first))));
    parts.extend(test.latency_ms.map(duration));
    parts.extend(test.total_tokens.map(|count| tokens(count, false)));
    if test.ok {
        parts.push(dollars(test.cost_usd));
    }
    parts.join(" · ")
}
