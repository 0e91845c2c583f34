//! The built-in sentence-embedding model: texts to vectors without a key or the network.
//!
//! Owns reading the asset (`asset`), tokenising (`wordpiece`), the model (`model`, `forward`,
//! `kernels`) and parallelism (`bulk`). It does not own where vectors are stored or searched, nor
//! when a text is embedded.
//!
//! The model is all-MiniLM-L6-v2 (Apache-2.0) with 4-bit weights; `assets/embedding/make.py` makes
//! and describes the file. What always holds: a vector has 384 dimensions and length one; it
//! depends only on its text, not on the batch or order; texts are truncated at 256 tokens; the
//! first text loads the model. No provider is called, so nothing is booked. See [`embedder`].

mod asset;
mod bulk;
mod forward;
mod kernels;
mod model;
mod wordpiece;

#[cfg(test)]
mod paraphrase_tests;
#[cfg(test)]
mod tests;

use std::sync::{Arc, LazyLock};
use std::time::Instant;

use tokio_util::sync::CancellationToken;

use crate::domain::{BUILTIN, ModelMetadata};
use crate::error::{ProviderError, ProviderFailure};
use crate::ledger::Account;
use crate::provider::embedding::{Embedded, Embedder, Embedding, Purpose};
use asset::AssetError;
use model::Model;

/// The model's name in configurations, in metadata and with stored vectors.
pub const MODEL: &str = "all-minilm-l6-v2";

/// Dimensions of the vectors.
pub const DIMENSIONS: usize = 384;

/// Maximum tokens of a text; the rest is ignored.
pub const MAX_TOKENS: usize = 256;

static ASSET: &[u8] = include_bytes!("../../../assets/embedding/minilm-l6-v2.bin");

/// The model, loaded with the first text: 42 MB, some 40 ms for a short one (measured 2026-11-22).
static LOADED: LazyLock<Result<Model, AssetError>> = LazyLock::new(|| Model::read(ASSET));

/// The built-in embedder. Creating it is free; the first text loads the model.
pub fn embedder() -> Arc<dyn Embedder> {
    Arc::new(EmbeddedModel)
}

/// Embeds synchronously on every core, without a runtime. One vector per text, in order.
///
/// # Errors
/// `provider_rejected` for a blank text, `provider_unavailable` if the embedded model is damaged.
pub fn embed_now(texts: &[&str]) -> Result<Embedded, ProviderError> {
    embed_until(texts, &CancellationToken::new())
}

/// The cosine from which a query and a stored text are near. On the paraphrase sets
/// (`paraphrase_tests`, 430 queries of all kinds) 2.3 % of the right answers are below it, and 43 %
/// of the nearest wrong ones if the right one is not stored. A higher one separates them better but
/// calls more right answers far: at 0.35 it is 8 % and 71 %.
pub(crate) const NEAR_FROM: f64 = 0.30;

struct EmbeddedModel;

impl Embedder for EmbeddedModel {
    fn provider(&self) -> &str {
        BUILTIN
    }

    fn model(&self) -> &str {
        MODEL
    }

    fn dimensions(&self) -> Option<usize> {
        Some(DIMENSIONS)
    }

    fn near_from(&self) -> Option<f64> {
        Some(NEAR_FROM)
    }

    /// Computes on a blocking thread if there is a runtime. Dropping the future stops it soon.
    fn embed(&self, texts: Vec<String>, _purpose: Purpose, _account: Account) -> Embedding<'_> {
        Box::pin(async move {
            let cancelled = CancellationToken::new();
            let _cancel_when_dropped = cancelled.clone().drop_guard();
            let compute = move || {
                let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                embed_until(&texts, &cancelled)
            };
            match tokio::runtime::Handle::try_current() {
                Ok(runtime) => runtime.spawn_blocking(compute).await.unwrap_or_else(|_| Err(stopped())),
                Err(_) => compute(),
            }
        })
    }
}

fn embed_until(texts: &[&str], cancelled: &CancellationToken) -> Result<Embedded, ProviderError> {
    if let Some(blank) = texts.iter().position(|text| text.trim().is_empty()) {
        let message = format!("text {} of {} is blank and has no vector", blank + 1, texts.len());
        return Err(failed(ProviderFailure::Rejected, message));
    }
    let began = Instant::now();
    let done = if texts.is_empty() {
        bulk::EmbeddedTexts::default()
    } else {
        let model = LOADED.as_ref().map_err(|damage| {
            let message = format!("its model cannot be read: {damage}; the program file is damaged, install it anew");
            failed(ProviderFailure::Unavailable, message)
        })?;
        bulk::embed(model, texts, cancelled).ok_or_else(stopped)?
    };
    let metadata = ModelMetadata {
        provider: BUILTIN.to_owned(),
        model: MODEL.to_owned(),
        input_tokens: done.tokens,
        total_tokens: done.tokens,
        cost_usd: Some(0.0),
        latency_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        embedding_provider: Some(BUILTIN.to_owned()),
        embedding_model: Some(MODEL.to_owned()),
        ..ModelMetadata::default()
    };
    Ok(Embedded { vectors: done.vectors, metadata })
}

fn stopped() -> ProviderError {
    failed(ProviderFailure::Unavailable, "it was stopped before the vectors were done".to_owned())
}

fn failed(failure: ProviderFailure, message: String) -> ProviderError {
    ProviderError::new(BUILTIN, failure, message).before_sending()
}
