//! One real, cheap call that tells most of what can be wrong with a provider.
//!
//! Whether it is reachable, takes the key, knows the model and streams is read off one chat call: the kind of its
//! failure tells how far it came ([`verdict`]). The list of models is asked for only when the request was refused, to
//! tell a model that is not there from all else. A provider that embeds is given one text more. What to do about a
//! failure is told in words of the user's configuration ([`advice`]).
//!
//! It goes through the provider's own layers, but stops at the first failure that they would repeat: a retry would
//! hide what is wrong and blur the latency.

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

/// What is known of a provider before it is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    /// Its name in the configuration, or the kind's own name.
    pub name: String,
    /// The protocol it speaks.
    pub kind: ProviderKind,
    /// Where it is reached; `None` for embedded ones.
    pub base_url: Option<String>,
    /// True when `base_url` is the user's own and not the vendor's.
    pub has_own_url: bool,
    /// The model to ask; `None`: the provider's default.
    pub model: Option<String>,
    /// True when the request named the model, so that the configuration is not to blame for it.
    pub model_was_asked_for: bool,
    /// True when the configuration names a model for embeddings; the kind's usual one need not be there.
    pub has_embedding_model: bool,
    /// Where its key comes from.
    pub key: KeySource,
    /// The proxy that its calls go through.
    pub proxy: Option<ProxyInUse>,
}

/// Where a key comes from. Never the key itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// It takes none.
    NotNeeded,
    /// There is none, and it may do without: a server of the user's own.
    Without {
        /// The variables that could hold one.
        variables: Vec<String>,
    },
    /// There is none, and it cannot do without.
    Missing {
        /// The variables that could hold it.
        variables: Vec<String>,
    },
    /// `api_key` of the configuration.
    Configured,
    /// `api_key_cmd` of the configuration.
    Command,
    /// This variable of the environment.
    Variable(String),
}

/// Lists the models a provider has; called at most once.
pub type ModelList = Box<dyn FnOnce() -> Listing + Send>;

/// The list of models to come.
pub type Listing = Pin<Box<dyn Future<Output = Result<Vec<String>, ProviderError>> + Send>>;

/// A provider to be tested.
pub struct Subject {
    /// What is known of it.
    pub setup: Setup,
    /// The provider, in its layers.
    pub provider: Arc<dyn Provider>,
    /// What embeds, where it does and a model for it is known.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// Its models.
    pub models: ModelList,
    /// Most tokens of the answer: few, but enough for a model that reasons first.
    pub max_tokens: u32,
}

/// The test of a provider that cannot be asked, for this reason.
pub fn unusable(setup: &Setup, reason: &str) -> ProviderTest {
    report(setup, true, verdict::unusable(setup, reason))
}

/// A provider that is left out: it is not set up and nobody named it.
pub fn left_out(setup: &Setup, reason: &str) -> ProviderTest {
    report(setup, false, verdict::left_out(reason))
}

/// Tests one provider within `limit`, at the cost of `account`. Dropping the future cancels the calls.
pub async fn probe(subject: Subject, limit: Duration, account: Account) -> ProviderTest {
    let Subject { setup, provider, embedder, models, max_tokens } = subject;
    let deadline = Instant::now() + limit;
    let asked = call::Asked { provider: &*provider, model: setup.model.clone(), max_tokens, limit, deadline };
    let call = asked.call(account.clone()).await;
    let listed = match &call.outcome {
        Err(error) if verdict::needs_the_list(error) => tokio::time::timeout_at(deadline, models()).await.ok(),
        _ => None,
    };
    let facts = verdict::Facts {
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
