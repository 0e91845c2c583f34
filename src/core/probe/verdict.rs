//! Derives the five checks from the result of a call. Pure.
//!
//! Each check depends on the one before: the key on a reachable provider, the model on an accepted
//! key. So a failure fails one check; those before it pass, and those after it are skipped.

use crate::domain::{ProviderCheck, ProviderCheckName as Name, ProviderCheckStatus as Status, ProviderKind};
use crate::error::{ProviderError, ProviderFailure};
use crate::provider::embedding::{Embedded, Embedder};
use crate::provider::transport::proxy::ProxyInUse;

use super::advice;
use super::call::ChatResult;
use super::{KeySource, Setup};

/// What a verdict depends on besides the call.
pub(super) struct ProbeContext<'a> {
    pub(super) setup: &'a Setup,
    /// The requested model.
    pub(super) model: String,
    /// The models it lists, if they were requested.
    pub(super) listed: Option<Result<&'a [String], &'a ProviderError>>,
}

impl ProbeContext<'_> {
    /// Whether the model is in the list; `None` without a list.
    fn lists_the_model(&self) -> Option<bool> {
        let models = self.listed?.ok()?;
        // For Ollama a name without a tag means the tag `latest`.
        let latest = format!("{}:latest", self.model);
        Some(models.iter().any(|known| *known == self.model || *known == latest))
    }
}

/// True for a failure that the model list can explain.
pub(super) fn needs_the_list(error: &ProviderError) -> bool {
    error.failure == ProviderFailure::Rejected
}

/// The checks of a chat call: all except embeddings.
pub(super) fn of_call(facts: &ProbeContext<'_>, call: &ChatResult) -> Vec<ProviderCheck> {
    match &call.outcome {
        Ok(completion) => {
            let as_what = match completion.model.as_str() {
                answered if answered == facts.model || answered.is_empty() => format!("`{}` answers", facts.model),
                answered => format!("`{}` answers, as `{answered}`", facts.model),
            };
            vec![
                check(Name::Reachable, Status::Ok, reached(facts.setup)),
                key_accepted(facts.setup),
                check(Name::Model, Status::Ok, as_what),
                check(Name::Streaming, Status::Ok, pieces(call.pieces)),
            ]
        }
        Err(error) => {
            let stage = stage(facts, call, error);
            let advice = advice::of_failure(facts, stage, error);
            let said = match facts.lists_the_model() {
                Some(false) => advice,
                _ if error.failure == ProviderFailure::Auth => advice::sentence_about_key(&error.message, &advice),
                _ => advice::sentence(&error.message, &advice),
            };
            let model = match (call.pieces, facts.lists_the_model(), error.failure) {
                (0, Some(true), _) => check(Name::Model, Status::Ok, format!("`{}` is listed", facts.model)),
                (1.., ..) | (_, _, ProviderFailure::Refused) => {
                    check(Name::Model, Status::Ok, format!("`{}` answers", facts.model))
                }
                _ => check(Name::Model, Status::Skipped, NOT_REACHED),
            };
            failed(facts.setup, stage, said, model)
        }
    }
}

/// The check that a failure belongs to.
fn stage(facts: &ProbeContext<'_>, call: &ChatResult, error: &ProviderError) -> Name {
    match error.failure {
        ProviderFailure::Budget | ProviderFailure::CallLogFailed => Name::Reachable,
        ProviderFailure::Unavailable | ProviderFailure::Timeout => {
            if call.pieces > 0 {
                Name::Streaming
            } else {
                Name::Reachable
            }
        }
        ProviderFailure::Auth | ProviderFailure::QuotaExhausted => Name::Key,
        ProviderFailure::RateLimited | ProviderFailure::Refused => Name::Streaming,
        ProviderFailure::Rejected => match (facts.lists_the_model(), error.upstream_status) {
            // Neither chat nor the model list is served, so this is not the protocol's server.
            (None, Some(404)) if facts.setup.has_own_url => Name::Reachable,
            (Some(false), _) | (None, Some(404)) => Name::Model,
            _ => Name::Streaming,
        },
    }
}

/// The embeddings check.
pub(super) fn of_embedding(
    setup: &Setup,
    embedder: &dyn Embedder,
    embedding: &Result<Embedded, ProviderError>,
) -> ProviderCheck {
    match embedding {
        Ok(embedded) => {
            let dimensions = embedded.vectors.first().map_or(0, Vec::len);
            check(Name::Embeddings, Status::Ok, format!("`{}` gives {dimensions} dimensions", embedder.model()))
        }
        Err(error) => {
            let is_expected = setup.has_embedding_model || error.failure != ProviderFailure::Rejected;
            let status = if is_expected { Status::Failed } else { Status::Skipped };
            let fix = advice::of_embedding(setup, embedder.model(), error);
            check(Name::Embeddings, status, advice::sentence(&error.message, &fix))
        }
    }
}

/// The embeddings check if none were requested.
pub(super) fn no_embedding(setup: &Setup, call_succeeded: bool) -> ProviderCheck {
    let Setup { name, kind, .. } = setup;
    let reason = match kind {
        _ if !call_succeeded => NOT_REACHED.to_owned(),
        ProviderKind::OpenAi | ProviderKind::Google | ProviderKind::Ollama => {
            format!("no model for embeddings is known; `providers.{name}.embedding_model` names one")
        }
        _ => "it makes none".to_owned(),
    };
    check(Name::Embeddings, Status::Skipped, reason)
}

/// The checks of a provider that cannot be called.
pub(super) fn unusable(setup: &Setup, reason: &str) -> Vec<ProviderCheck> {
    let stage = match setup.key {
        KeySource::Missing { .. } => Name::Key,
        _ => Name::Reachable,
    };
    let of = |name: Name| {
        if name == stage {
            check(name, Status::Failed, reason)
        } else {
            check(name, Status::Skipped, "nothing was sent")
        }
    };
    Name::ALL.map(of).to_vec()
}

/// The checks of a provider that is left out.
pub(super) fn left_out(reason: &str) -> Vec<ProviderCheck> {
    let of = |name: Name| check(name, Status::Skipped, if name == Name::Key { reason } else { "nothing was sent" });
    Name::ALL.map(of).to_vec()
}

const NOT_REACHED: &str = "not reached";

/// All checks except embeddings: `stage` failed, those before it passed, `model` as given.
fn failed(setup: &Setup, stage: Name, said: String, model: ProviderCheck) -> Vec<ProviderCheck> {
    let said = match &setup.proxy {
        Some(proxy) if stage == Name::Reachable => format!("{said}; it is asked {}", by_way_of(proxy)),
        _ => said,
    };
    let failure = check(stage, Status::Failed, said);
    let before = [check(Name::Reachable, Status::Ok, reached(setup)), key_accepted(setup), model];
    let mut checks: Vec<ProviderCheck> = before.into_iter().take_while(|check| check.name != stage).collect();
    checks.push(failure);
    let after = Name::ALL.into_iter().skip(checks.len()).filter(|name| *name != Name::Embeddings);
    let after: Vec<ProviderCheck> = after.map(|name| check(name, Status::Skipped, NOT_REACHED)).collect();
    checks.extend(after);
    checks
}

fn reached(setup: &Setup) -> String {
    match &setup.base_url {
        Some(url) => match &setup.proxy {
            Some(proxy) => format!("{url} answers, {}", by_way_of(proxy)),
            None => format!("{url} answers"),
        },
        None if setup.kind == ProviderKind::Sim => "it runs a script".to_owned(),
        None => "it is inside this program".to_owned(),
    }
}

fn by_way_of(proxy: &ProxyInUse) -> String {
    format!("through the proxy {} from {}", proxy.address, proxy.variable)
}

fn key_accepted(setup: &Setup) -> ProviderCheck {
    let name = &setup.name;
    match &setup.key {
        KeySource::NotNeeded => check(Name::Key, Status::Skipped, "it needs none"),
        KeySource::Without { .. } | KeySource::Missing { .. } => {
            check(Name::Key, Status::Skipped, "none is set, and none was asked for")
        }
        KeySource::Configured => check(Name::Key, Status::Ok, format!("`providers.{name}.api_key` is accepted")),
        KeySource::Command => {
            check(Name::Key, Status::Ok, format!("what `providers.{name}.api_key_cmd` prints is accepted"))
        }
        KeySource::Variable(variable) => check(Name::Key, Status::Ok, format!("{variable} is accepted")),
    }
}

fn pieces(pieces: usize) -> String {
    match pieces {
        0 | 1 => "the answer came in one piece, as a short one may".to_owned(),
        pieces => format!("the answer came in {pieces} pieces"),
    }
}

fn check(name: Name, status: Status, detail: impl Into<String>) -> ProviderCheck {
    ProviderCheck { name, status, detail: detail.into() }
}
