//! Tests a provider with one real, cheap call, which finds most of what can be wrong.
//!
//! One chat call checks that the provider is reachable, accepts the key, has the model and streams:
//! the kind of failure shows how far it got ([`verdict`]). The model list is requested only if the
//! request was refused, to recognise a missing model. A provider that embeds also gets one text to
//! embed. The advice for a failure uses the terms of the user's configuration ([`advice`]).
//!
//! The call goes through the provider's own layers but stops at the first failure that they would
//! retry: a retry would hide the problem and distort the latency.

mod advice;
mod call;
#[cfg(test)]
mod tests;
mod verdict;

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::domain::{ModelMetadata, ProviderCheckStatus, ProviderKind, ProviderTest};
use crate::error::ProviderError;
use crate::ledger::Account;
use crate::provider::Provider;
use crate::provider::embedding::Embedder;
use crate::provider::transport::proxy::ProxyInUse;

pub use advice::{nameless, no_model, set_up};

/// The setup of a provider, known before any call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    /// Its name in the configuration, or the kind's own name.
    pub name: String,
    /// The protocol it speaks.
    pub kind: ProviderKind,
    /// Its address; `None` for embedded ones.
    pub base_url: Option<String>,
    /// True if `base_url` is the user's own and not the vendor's.
    pub has_own_url: bool,
    /// The model to ask; `None` for the provider's default.
    pub model: Option<String>,
    /// True if the model is from the request, and not from the configuration.
    pub model_was_asked_for: bool,
    /// True if an embedding model is configured; the kind's default need not exist.
    pub has_embedding_model: bool,
    /// Where its key comes from.
    pub key: KeySource,
    /// The proxy that its calls go through.
    pub proxy: Option<ProxyInUse>,
}

/// Where a key comes from. Never the key itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// It needs none.
    NotNeeded,
    /// There is none, and it may not need one: a server of the user's own.
    Without {
        /// The variables that could hold one.
        variables: Vec<String>,
    },
    /// There is none, and it needs one.
    Missing {
        /// The variables that could hold it.
        variables: Vec<String>,
    },
    /// `api_key` of the configuration.
    Configured,
    /// `api_key_cmd` of the configuration.
    Command,
    /// This environment variable.
    Variable(String),
}

/// Lists the models a provider has; called at most once.
pub type ModelList = Box<dyn FnOnce() -> Listing + Send>;

/// The future of a [`ModelList`].
pub type Listing = Pin<Box<dyn Future<Output = Result<Vec<String>, ProviderError>> + Send>>;

/// A provider to be tested.
pub struct Subject {
    /// Its setup.
    pub setup: Setup,
    /// The provider with its layers.
    pub provider: Arc<dyn Provider>,
    /// Its embedder, if it embeds with a known model.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// Lists its models.
    pub models: ModelList,
    /// The most tokens of the answer: few, but enough for a model that reasons first.
    pub max_tokens: u32,
}

/// The test result of a provider that cannot be called, for this reason.
pub fn unusable(setup: &Setup, reason: &str) -> ProviderTest {
    report(setup, true, verdict::unusable(setup, reason))
}

/// The test result of a provider that is left out: it is neither set up nor named in the request.
pub fn left_out(setup: &Setup, reason: &str) -> ProviderTest {
    report(setup, false, verdict::left_out(reason))
}

/// Tests one provider within `limit`, on `account`. Dropping the future cancels the calls.
pub async fn probe(subject: Subject, limit: Duration, account: Account) -> ProviderTest {
    let Subject { setup, provider, embedder, models, max_tokens } = subject;
    let deadline = Instant::now() + limit;
    let asked = call::ChatProbe { provider: &*provider, model: setup.model.clone(), max_tokens, limit, deadline };
    let call = asked.call(account.clone()).await;
    let listed = match &call.outcome {
        Err(error) if verdict::needs_the_list(error) => tokio::time::timeout_at(deadline, models()).await.ok(),
        _ => None,
    };
    let facts = verdict::ProbeContext {
        setup: &setup,
        model: setup.model.clone().unwrap_or_else(|| provider.default_model().to_owned()),
        listed: listed.as_ref().map(Result::as_deref),
    };
    let mut checks = verdict::of_call(&facts, &call);
    let mut accounts: Vec<ModelMetadata> = call.outcome.iter().map(crate::provider::Completion::metadata).collect();
    if call.outcome.is_ok()
        && let Some(embedder) = embedder
    {
        let embedding = call::embed(&*embedder, limit, deadline, account).await;
        accounts.extend(embedding.iter().map(|embedded| embedded.metadata.clone()));
        checks.push(verdict::of_embedding(&setup, &*embedder, &embedding));
    } else {
        checks.push(verdict::no_embedding(&setup, call.outcome.is_ok()));
    }
    let mut test = report(&setup, true, checks);
    test.model = Some(facts.model).filter(|model| !model.is_empty());
    if let Ok(completion) = &call.outcome {
        let metadata = completion.metadata();
        let total = ModelMetadata::sum(&accounts);
        test.latency_ms = Some(metadata.latency_ms);
        test.first_token_ms = metadata.first_token_ms;
        test.total_tokens = Some(total.total_tokens);
        test.cost_usd = total.cost_usd;
        test.warnings = call.warnings;
    }
    test
}

fn report(setup: &Setup, tested: bool, checks: Vec<crate::domain::ProviderCheck>) -> ProviderTest {
    let has_failed = checks.iter().any(|check| check.status == ProviderCheckStatus::Failed);
    ProviderTest {
        name: setup.name.clone(),
        kind: setup.kind,
        model: setup.model.clone(),
        base_url: setup.base_url.clone(),
        tested,
        ok: tested && !has_failed,
        latency_ms: None,
        first_token_ms: None,
        total_tokens: None,
        cost_usd: None,
        checks,
        warnings: Vec::new(),
    }
}
