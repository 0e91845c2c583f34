//! The sentence-embedding model inside the program: texts to vectors with no key and no network.
//!
//! Owns reading the asset (`asset`), turning text into tokens (`wordpiece`), the model's arithmetic (`model`, `forward`,
//! `kernels`) and spreading many texts over the cores (`bulk`). It does not own where vectors are kept or searched, nor
//! when a text is embedded.
//!
//! The model is all-MiniLM-L6-v2 (Apache-2.0) with its weights in 4 bits; `assets/embedding/make.py` makes the file and
//! describes it. What always holds: a vector has 384 dimensions and length one; it depends on its text alone, not on the
//! company or the order; texts are cut at 256 tokens; nothing is read before the first text is embedded. Nothing goes
//! out, so the ledger counts no call. Begin with [`embedder`].

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

use crate::domain::ModelMetadata;
use crate::error::{ProviderError, ProviderFailure};
use crate::ledger::Account;
use crate::provider::embedding::{Embedded, Embedder, Embedding, Purpose};
use crate::provider::registry::BUILTIN;
use asset::AssetError;
use model::Model;

/// The model's name in configurations, in metadata and beside stored vectors.
pub const MODEL: &str = "all-minilm-l6-v2";

/// Dimensions of its vectors.
pub const DIMENSIONS: usize = 384;

/// Tokens of a text that count; what comes after is not read.
pub const MAX_TOKENS: usize = 256;

static ASSET: &[u8] = include_bytes!("../../../assets/embedding/minilm-l6-v2.bin");

/// The model, read when the first text comes: 42 MB; with a first short text it takes a command some 40 ms (measured 2026-11-22).
static LOADED: LazyLock<Result<Model, AssetError>> = LazyLock::new(|| Model::read(ASSET));

/// The embedded model behind the seam. Making it costs nothing; the first text reads the model.
pub fn embedder() -> Arc<dyn Embedder> {
    Arc::new(EmbeddedModel)
}

/// Embeds here and now, on every core: for callers without a runtime. One vector a text, in order.
///
/// # Errors
/// `provider_rejected` for a blank text, `provider_unavailable` when the model inside the program is damaged.
pub fn embed_now(texts: &[&str]) -> Result<Embedded, ProviderError> {
    embed_until(texts, &CancellationToken::new())
}

/// The cosine from which a query and a stored text are near. Measured on the paraphrase sets (`paraphrase_tests`, 430 queries
/// of all kinds): 2.3 % of the right answers lie below it, and 43 % of the nearest wrong ones where the right one is not
/// stored. A higher one would part them better and call more right answers far: at 0.35 it is 8 % and 71 %.
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

    /// Computes on a thread for blocking work where there is a runtime; dropping the future ends it after the batches
    /// under way.
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
        bulk::Done::default()
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
