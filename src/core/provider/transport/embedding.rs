//! Embeddings over HTTP, with the same limits, retries and accounting as chats.
//!
//! Texts go out in batches that every vendor accepts and come back in order. Each call waits for a
//! permit, is reserved in the account at its worst case, and is retried if that may help. Vectors
//! are checked and normalised to length one; one without a direction is an error.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::time::Instant;

use super::answer::CostOf;
use super::link::{LONGEST_ANSWER, ProviderClient};
use super::trace::traced;
use crate::domain::ModelMetadata;
use crate::error::{ProviderError, ProviderFailure};
use crate::ledger::{Account, BilledTokens, Call, CallUsage, Money};
use crate::provider::embedding::{Embedded, Embedder, Embedding, Purpose};
use crate::provider::metered::{self, CostBoundsOf};
use crate::provider::permit::Permits;
use crate::provider::retry::{Attempts, Jitter, RetryPolicy, Step};
use crate::provider::timeout::Timeouts;
use crate::provider::wire::{EmbeddingRequest, MAX_EMBEDDING_BATCH};
use crate::text::tokens;

/// Characters per call (a single text can be longer): far below the lowest limit, 300,000 tokens.
const MAX_BATCH_CHARACTERS: usize = 250_000;

/// Concurrent batches of one request.
const CONCURRENT_BATCHES: usize = 4;

/// How calls to a provider are made, chats and embeddings alike.
#[derive(Clone)]
pub struct CallPolicy {
    /// When and how a call is retried.
    pub policy: RetryPolicy,
    /// Spreads the retries.
    pub jitter: Arc<Jitter>,
    /// The provider's permits, shared with its chats.
    pub permits: Permits,
    /// The timeouts of a call.
    pub patience: Timeouts,
    /// Bounds the cost of a call.
    pub cost_bounds_of: CostBoundsOf,
    /// Computes the actual cost of a call.
    pub cost_of: CostOf,
}

/// Embeds with one model of a provider.
pub struct HttpEmbedder {
    link: Arc<ProviderClient>,
    model: String,
    wanted: Option<usize>,
    dimensions: OnceLock<usize>,
    call_policy: CallPolicy,
}

impl HttpEmbedder {
    /// Embeds with `model`. Requests `wanted` dimensions; else `known` are the model's, if known.
    pub fn new(
        link: Arc<ProviderClient>,
        model: impl Into<String>,
        wanted: Option<NonZeroUsize>,
        known: Option<usize>,
        call_policy: CallPolicy,
    ) -> Self {
        let wanted = wanted.map(NonZeroUsize::get);
        let dimensions = wanted.or(known).map_or_else(OnceLock::new, OnceLock::from);
        Self { link, model: model.into(), wanted, dimensions, call_policy }
    }

    async fn all(&self, texts: &[String], purpose: Purpose, account: &Account) -> Result<Embedded, ProviderError> {
        if let Some(blank) = texts.iter().position(|text| text.trim().is_empty()) {
            let message = format!("text {} of {} is blank and has no vector", blank + 1, texts.len());
            return Err(self.link.failed(ProviderFailure::Rejected, message).before_sending());
        }
        let calls = batches(texts).map(|batch| self.batch(&texts[batch], purpose, account));
        let answers: Vec<(Vec<Vec<f32>>, ModelMetadata)> =
            stream::iter(calls).buffered(CONCURRENT_BATCHES).try_collect().await?;
        let metadata = ModelMetadata {
            embedding_provider: Some(self.link.name.clone()),
            embedding_model: Some(self.model.clone()),
            ..ModelMetadata::sum(answers.iter().map(|(_, metadata)| metadata))
        };
        Ok(Embedded { vectors: answers.into_iter().flat_map(|(vectors, _)| vectors).collect(), metadata })
    }

    /// Embeds one batch, with retries.
    async fn batch(
        &self,
        texts: &[String],
        purpose: Purpose,
        account: &Account,
    ) -> Result<(Vec<Vec<f32>>, ModelMetadata), ProviderError> {
        let mut attempts = Attempts::of(account);
        loop {
            let error = match self.once(texts, purpose, account).await {
                Ok((vectors, metadata)) => return Ok((vectors, ModelMetadata { retries: attempts.made, ..metadata })),
                Err(error) => error,
            };
            match attempts.after(error, &self.call_policy.policy, &self.call_policy.jitter) {
                Step::GiveUp(error) => return Err(error),
                Step::Wait(delay, _) => tokio::time::sleep(delay).await,
            }
        }
    }

    async fn once(
        &self,
        texts: &[String],
        purpose: Purpose,
        account: &Account,
    ) -> Result<(Vec<Vec<f32>>, ModelMetadata), ProviderError> {
        let request = EmbeddingRequest { model: &self.model, texts, purpose, dimensions: self.wanted };
        let Some(call) = self.link.wire.embeddings(&request) else {
            return Err(self.link.failed(ProviderFailure::Rejected, "its protocol has no embeddings").before_sending());
        };
        let Some(_permit) = self.call_policy.permits.enter().await else {
            return Err(self.link.failed(ProviderFailure::Unavailable, "it is shutting down").before_sending());
        };
        let assumed = account.assumed_price();
        let terms = (self.call_policy.cost_bounds_of)(&self.model).assuming(assumed);
        let worst = terms.worst_case(metered::most_embedding_tokens(texts), Some(0));
        let reservation = account
            .reserve(
                Call {
                    provider: self.link.name.clone(),
                    model: self.model.clone(),
                    purpose: "embedding",
                    is_logged: !terms.is_embedded,
                },
                worst,
            )
            .await?;
        let call = traced(call, account);
        let sent = self.call_policy.permits.turn().await;
        let start = Instant::now();
        let answer = match self.link.fetch(call, &self.model, self.call_policy.patience, LONGEST_ANSWER).await {
            Ok(body) => {
                self.link.wire.read_embeddings(&body).map_err(|error| self.link.unread(&body, &self.model, error))
            }
            Err(error) => Err(error),
        };
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => {
                sent.ended(Some(&error));
                if metered::is_unpaid(&error, false) {
                    metered::unpaid(reservation, &error, account);
                }
                return Err(error);
            }
        };
        let counted = answer.usage.input;
        let input_tokens = counted.unwrap_or_else(|| texts.iter().map(|text| tokens::estimate(text)).sum());
        let usage = BilledTokens { input: Some(input_tokens), output: Some(0), ..answer.usage };
        // Estimated counts have no price, unless the model is free.
        let cost_usd = (self.call_policy.cost_of)(&self.model, &usage).filter(|cost| counted.is_some() || *cost <= 0.0);
        sent.used(input_tokens, 0, cost_usd);
        sent.ended(None);
        reservation.settle(CallUsage {
            input_tokens,
            output_tokens: 0,
            cost: cost_usd.map(Money::from_dollars_up),
            assumed: assumed.zip(counted).map(|(price, tokens)| Money::from_dollars_up(price.most(tokens, 0))),
        });
        let vectors = self.checked(answer.vectors, texts.len())?;
        let metadata = ModelMetadata {
            provider: self.link.name.clone(),
            model: self.model.clone(),
            input_tokens,
            total_tokens: input_tokens,
            cost_usd,
            latency_ms: millis(start.elapsed()),
            calls: 1,
            estimated: counted.is_none(),
            ..ModelMetadata::default()
        };
        Ok((vectors, metadata))
    }

    /// Checks for one vector per text, all of the same dimensions, and normalises them.
    fn checked(&self, mut vectors: Vec<Vec<f32>>, texts: usize) -> Result<Vec<Vec<f32>>, ProviderError> {
        let unusable = |what: String| Err(self.link.failed(ProviderFailure::Unavailable, what));
        if vectors.len() != texts {
            return unusable(format!("it answered {texts} texts with {} vectors", vectors.len()));
        }
        for vector in &mut vectors {
            let dimensions = *self.dimensions.get_or_init(|| vector.len());
            if vector.len() != dimensions {
                let came = vector.len();
                let message = match self.wanted {
                    Some(wanted) => format!(
                        "`{}` answered with {came} dimensions where {wanted} were asked for; unset `generation.default_embedding_dimensions`, or set it to {came}",
                        self.model
                    ),
                    None => format!("`{}` answered with {came} dimensions where it has {dimensions}", self.model),
                };
                return Err(self.link.failed(ProviderFailure::Rejected, message));
            }
            if !normalise(vector) {
                return unusable("it answered with a zero vector".to_owned());
            }
        }
        Ok(vectors)
    }
}

impl Embedder for HttpEmbedder {
    fn provider(&self) -> &str {
        &self.link.name
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn dimensions(&self) -> Option<usize> {
        self.dimensions.get().copied()
    }

    fn embed(&self, texts: Vec<String>, purpose: Purpose, account: Account) -> Embedding<'_> {
        Box::pin(async move { self.all(&texts, purpose, &account).await })
    }
}

/// Splits texts into batches bounded in number and in characters.
fn batches(texts: &[String]) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let mut characters = 0;
        let mut to = from;
        while to < texts.len() && to - from < MAX_EMBEDDING_BATCH {
            characters += texts[to].chars().count();
            if to > from && characters > MAX_BATCH_CHARACTERS {
                break;
            }
            to += 1;
        }
        let batch = from..to;
        from = to;
        (!batch.is_empty()).then_some(batch)
    })
}

/// Normalises a vector to length one; false for a zero vector or one with non-finite numbers.
#[expect(clippy::cast_possible_truncation, reason = "a quotient of two numbers of single precision, at most one")]
fn normalise(vector: &mut [f32]) -> bool {
    let length = vector.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
    if !length.is_finite() || length <= 0.0 {
        return false;
    }
    for value in vector.iter_mut() {
        *value = (f64::from(*value) / length) as f32;
    }
    true
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn batches_hold_every_text_once_and_keep_the_limits(
            lengths in proptest::collection::vec(prop_oneof![4 => 1usize..2000, 1 => 100_000usize..300_000], 0..230)
        ) {
            let texts: Vec<String> = lengths.iter().map(|length| "é".repeat(*length)).collect();
            let mut next = 0;
            for batch in batches(&texts) {
                prop_assert_eq!(batch.start, next);
                prop_assert!(batch.len() <= MAX_EMBEDDING_BATCH);
                prop_assert!(batch.len() == 1 || lengths[batch.clone()].iter().sum::<usize>() <= MAX_BATCH_CHARACTERS);
                next = batch.end;
            }
            prop_assert_eq!(next, texts.len());
        }

        #[test]
        fn what_is_normalised_has_length_one(mut vector in proptest::collection::vec(-1e30_f32..1e30, 1..20)) {
            if normalise(&mut vector) {
                let length = vector.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
                prop_assert!((length - 1.0).abs() < 1e-5, "{}", length);
            }
        }
    }

    #[test]
    fn a_vector_without_a_direction_is_none() {
        for wrong in [&mut [0.0, 0.0][..], &mut [f32::NAN, 1.0], &mut [f32::INFINITY], &mut []] {
            assert!(!normalise(wrong));
        }
        assert!(normalise(&mut [f32::MIN_POSITIVE, f32::MAX]));
    }
}
