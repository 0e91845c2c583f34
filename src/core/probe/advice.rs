//! Advice for a failure, in terms of the user's configuration. Pure; never contains a key.
//!
//! The provider's own message comes first, then the advice, unless the message already has some.

use crate::domain::{ProviderCheckName as Name, ProviderKind};
use crate::error::{ProviderError, ProviderFailure};

use super::verdict::ProbeContext;
use super::{KeySource, Setup};

/// The most similar models that are named.
const MOST_NEAR: usize = 3;
/// The longest list that is named in full if no model is similar.
const MOST_LISTED: usize = 6;

/// A message about a key, then the advice, which replaces less specific advice in the message.
pub(super) fn sentence_about_key(message: &str, advice: &str) -> String {
    let said = message.rsplit_once("; ").filter(|(_, advised)| advised.starts_with("check `providers."));
    sentence(said.map_or(message, |(said, _)| said), advice)
}

/// The message, then the advice; only the message if it already names what to change or to run.
pub(super) fn sentence(message: &str, advice: &str) -> String {
    let message = message.trim().trim_end_matches(['.', ';']);
    let is_advised = ["`providers.", "`ollama "].iter().any(|beginning| message.contains(beginning));
    if advice.is_empty() || is_advised { message.to_owned() } else { format!("{message}; {advice}") }
}

/// The advice for a chat call that failed at `stage`.
pub(super) fn of_failure(facts: &ProbeContext<'_>, stage: Name, error: &ProviderError) -> String {
    let setup = facts.setup;
    match (error.failure, stage) {
        (ProviderFailure::Budget | ProviderFailure::CallLogFailed, _) => "nothing was sent".to_owned(),
        (ProviderFailure::Auth, _) => mend_key(setup),
        (ProviderFailure::QuotaExhausted, _) => {
            "the key is accepted, but the account has no credit left: add credit, or use another provider".to_owned()
        }
        (ProviderFailure::RateLimited, _) => match error.retry_after {
            Some(wait) => format!("test again in {} s", wait.as_secs_f64().ceil()),
            None => "test again later".to_owned(),
        },
        (ProviderFailure::Unavailable, Name::Reachable)
            if error.upstream_status.is_some_and(|status| status >= 500) =>
        {
            "it is reachable but failing: test again later".to_owned()
        }
        (ProviderFailure::Timeout, Name::Reachable) if setup.kind == ProviderKind::Ollama => {
            "a large model takes long to load: test again with a longer timeout".to_owned()
        }
        (ProviderFailure::Unavailable | ProviderFailure::Timeout | ProviderFailure::Rejected, Name::Reachable) => {
            reach(setup)
        }
        (ProviderFailure::Rejected, Name::Model) => no_such_model(facts),
        _ => String::new(),
    }
}

/// The advice for a failed embedding.
pub(super) fn of_embedding(setup: &Setup, model: &str, error: &ProviderError) -> String {
    let name = &setup.name;
    match (error.failure, setup.kind) {
        (ProviderFailure::Rejected, ProviderKind::Ollama) => {
            format!("`ollama pull {model}`, or name another in `providers.{name}.embedding_model`")
        }
        (ProviderFailure::Rejected, _) => format!("name another model in `providers.{name}.embedding_model`"),
        (ProviderFailure::Auth, _) => mend_key(setup),
        _ => String::new(),
    }
}

/// The message for a missing model, with alternatives.
pub(super) fn no_such_model(facts: &ProbeContext<'_>) -> String {
    let (setup, model) = (facts.setup, &facts.model);
    let name = &setup.name;
    let listed: &[String] = match facts.listed {
        Some(Ok(models)) => models,
        _ => &[],
    };
    let near = nearest(model, listed);
    let other = match near[..] {
        [] => String::new(),
        _ => format!("; it has {}", near.iter().map(|near| format!("`{near}`")).collect::<Vec<_>>().join(", ")),
    };
    let place = if setup.model_was_asked_for {
        "name another model".to_owned()
    } else {
        format!("correct `providers.{name}.model`")
    };
    match setup.kind {
        ProviderKind::Ollama => format!("there is no model `{model}`: `ollama pull {model}`, or {place}{other}"),
        _ => format!("there is no model `{model}`: {place}{other}"),
    }
}

/// The models most similar to `model`, best first; if none is similar, all of a short list.
fn nearest<'a>(model: &str, listed: &'a [String]) -> Vec<&'a str> {
    const LIKE_ENOUGH: f64 = 0.8;
    let mut near: Vec<(f64, &str)> =
        listed.iter().map(|known| (strsim::jaro_winkler(model, known), known.as_str())).collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    let like: Vec<&str> =
        near.iter().filter(|(likeness, _)| *likeness > LIKE_ENOUGH).take(MOST_NEAR).map(|(_, known)| *known).collect();
    if like.is_empty() && listed.len() <= MOST_LISTED {
        near.into_iter().map(|(_, known)| known).collect()
    } else {
        like
    }
}

/// How to set up a provider.
pub fn set_up(setup: &Setup) -> String {
    match (&setup.key, setup.kind) {
        (KeySource::Missing { .. }, _) => format!("no key: {}", put_key(setup)),
        (_, ProviderKind::Ollama) => reach(setup),
        (_, ProviderKind::Sim) => format!("name a script in `providers.{}.script`", setup.name),
        _ => String::new(),
    }
}

/// The warning that the test chose a model and a run would not; `None` without a model.
pub fn nameless(setup: &Setup) -> Option<String> {
    let Setup { name, .. } = setup;
    let model = setup.model.as_ref()?;
    Some(format!("no model is set, so one it has was asked; a run needs `{name}/{model}`, or `providers.{name}.model`"))
}

/// The advice for a provider without a model.
pub fn no_model(setup: &Setup) -> String {
    let name = &setup.name;
    match setup.kind {
        ProviderKind::Ollama => {
            format!("it has no chat model: `ollama pull gemma3`, or name one in `providers.{name}.model`")
        }
        _ => format!("no model is known: name one in `providers.{name}.model`"),
    }
}

/// The advice for a key that is refused or missing.
fn mend_key(setup: &Setup) -> String {
    let name = &setup.name;
    match &setup.key {
        KeySource::Variable(variable) => format!("put a valid key into {variable}"),
        KeySource::Configured => format!("correct `providers.{name}.api_key`"),
        KeySource::Command => format!("see what the command in `providers.{name}.api_key_cmd` prints"),
        KeySource::NotNeeded | KeySource::Without { .. } | KeySource::Missing { .. } => put_key(setup),
    }
}

/// Where to put a key.
fn put_key(setup: &Setup) -> String {
    let name = &setup.name;
    let variables = match &setup.key {
        KeySource::Without { variables } | KeySource::Missing { variables } => variables.join(" or "),
        _ => String::new(),
    };
    if variables.is_empty() {
        return format!("set `providers.{name}.api_key`");
    }
    format!("set {variables} in the environment, or `providers.{name}.api_key`")
}

/// How to make the provider reachable.
fn reach(setup: &Setup) -> String {
    let Setup { name, kind, base_url, has_own_url, .. } = setup;
    match (kind, base_url) {
        (ProviderKind::Builtin | ProviderKind::Sim, _) => String::new(),
        (ProviderKind::Ollama, _) => format!("start it with `ollama serve`, or correct `providers.{name}.base_url`"),
        (_, Some(url)) if *has_own_url => {
            format!("start the server at {url}, or correct `providers.{name}.base_url`")
        }
        _ => "check the network, and HTTPS_PROXY where there is a proxy".to_owned(),
    }
}
