//! The ledger's layer: reserves the worst-case cost of every call, and settles it afterwards.
//!
//! Below permit and retry and above the timeouts, so that every outgoing call is counted once,
//! retries and fallbacks included. It sees the request exactly as it will be sent.
//!
//! The worst case rests on upper bounds, never on estimates. No token is shorter than a byte, so a
//! request has at most as many tokens as bytes, plus what the vendor's format adds ([`OVERHEAD`],
//! [`MESSAGE_OVERHEAD`], [`SCHEMA_OVERHEAD`]). An answer has at most `max_tokens`, reasoning
//! included, else the model's limit; a longer one is paid for as it streams, or cut
//! ([`overrun`](super::overrun)). Calls that are not billed are released: those that never arrived,
//! or were refused with a status before any text.

use std::sync::Arc;

use async_stream::stream;
use futures_util::StreamExt;

use super::catalog::ModelCard;
use super::overrun::CostMeter;
use super::{Brief, ChatRequest, Chunk, ChunkStream, Completion, Provider};
use crate::error::{ProviderError, ProviderFailure};
use crate::ledger::{Account, Call, CallUsage, Money, Price, Reservation, WorstCase};

/// Tokens that a vendor's format adds to a request: markers of its beginning and end.
const OVERHEAD: u64 = 64;
/// Tokens that it adds to each message: its role and its markers.
const MESSAGE_OVERHEAD: u64 = 16;
/// Tokens that it adds for a schema: a system prompt of its own, some hundred tokens long.
const SCHEMA_OVERHEAD: u64 = 1024;

/// What bounds the cost of a model's calls.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CostBounds {
    /// The price; `None` when unknown.
    pub price: Option<Price>,
    /// The model's output limit in tokens; `None` when unknown.
    pub max_output: Option<u64>,
    /// Tokens that may be added to a requested `max_tokens` for reasoning.
    pub reasoning_headroom: u32,
    /// True for a model embedded in this program: free, and not logged.
    pub is_embedded: bool,
}

/// Looks up the cost bounds of a model by name.
pub type CostBoundsOf = Arc<dyn Fn(&str) -> CostBounds + Send + Sync>;

impl CostBounds {
    /// The bounds of a provider embedded in this program.
    pub const EMBEDDED: Self =
        Self { price: Some(Price::FREE), max_output: None, reasoning_headroom: 0, is_embedded: true };

    /// The bounds of a model in the catalogue.
    pub fn of_card(card: &ModelCard) -> Self {
        Self {
            price: card.price,
            // The context window, which input and output share, bounds the output.
            max_output: card.max_output.or(card.context),
            reasoning_headroom: card.reasoning_headroom,
            is_embedded: false,
        }
    }

    /// Returns the same bounds with `assumed` in place of an unknown price.
    #[must_use]
    pub fn assuming(self, assumed: Option<Price>) -> Self {
        Self { price: self.price.or(assumed), ..self }
    }

    /// The most tokens an answer can have, with or without `max_tokens`; `None` when unbounded.
    fn most_output(&self, max_tokens: Option<u32>) -> Option<u64> {
        [max_tokens.map(u64::from), self.max_output].into_iter().flatten().min()
    }

    /// The most a call with this many input tokens can cost, with or without `max_tokens`.
    pub fn worst_case(&self, input_tokens: u64, max_tokens: Option<u32>) -> WorstCase {
        let Some(price) = self.price else { return WorstCase::UnknownPrice };
        let Some(output_tokens) = self.most_output(max_tokens) else {
            // A free model needs no bound.
            return if price.most(0, u64::MAX) > 0.0 { WorstCase::Unbounded } else { most_of(&price, input_tokens, 0) };
        };
        most_of(&price, input_tokens, output_tokens)
    }
}

/// The most tokens a request's messages and schema can have.
pub fn most_input_tokens(request: &ChatRequest) -> u64 {
    let messages: u64 = request.messages.iter().map(|message| message.content.len() as u64 + MESSAGE_OVERHEAD).sum();
    let schema = request.response_schema.as_ref().map_or(0, |schema| schema.to_string().len() as u64 + SCHEMA_OVERHEAD);
    OVERHEAD + messages + schema
}

/// The most tokens these texts can have.
pub(super) fn most_embedding_tokens(texts: &[String]) -> u64 {
    OVERHEAD + texts.iter().map(|text| text.len() as u64 + MESSAGE_OVERHEAD).sum::<u64>()
}

/// Charges every call of the inner provider to the account of its request.
pub struct Metered {
    inner: Arc<dyn Provider>,
    cost_bounds_of: CostBoundsOf,
}

impl Metered {
    /// Wraps `inner`, whose models have these cost bounds.
    pub fn new(inner: Arc<dyn Provider>, cost_bounds_of: CostBoundsOf) -> Self {
        Self { inner, cost_bounds_of }
    }
}

impl Provider for Metered {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn default_model(&self) -> &str {
        self.inner.default_model()
    }

    fn stream(&self, request: ChatRequest) -> ChunkStream {
        let (inner, cost_bounds_of) = (Arc::clone(&self.inner), Arc::clone(&self.cost_bounds_of));
        Box::pin(stream! {
            let account = request.account.clone();
            let model = request.model.clone().unwrap_or_else(|| inner.default_model().to_owned());
            if model.is_empty() {
                // No call goes out: the layer below reports which models exist.
                let mut answer = inner.stream(request);
                while let Some(chunk) = answer.next().await {
                    yield chunk;
                }
                return;
            }
            let assumed = account.assumed_price();
            let terms = cost_bounds_of(&model).assuming(assumed);
            let worst = terms.worst_case(most_input_tokens(&request), request.max_tokens);
            let limit = terms.most_output(request.max_tokens);
            let mut running = CostMeter::new(inner.name(), &model, &request, terms.price.unwrap_or(Price::FREE), limit);
            let call = Call {
                provider: inner.name().to_owned(),
                model,
                purpose: purpose(&request.brief),
                is_logged: !terms.is_embedded,
            };
            let mut reservation = match account.reserve(call, worst).await {
                Ok(reservation) => reservation,
                Err(error) => {
                    yield Err(error);
                    return;
                }
            };
            let mut answer = inner.stream(request);
            let mut has_begun = false;
            while let Some(chunk) = answer.next().await {
                match &chunk {
                    Ok(Chunk::Done(completion)) => reservation.settle(actual(completion, assumed)),
                    Err(error) if is_unpaid(error, has_begun) => unpaid(reservation, error, &account),
                    Err(_) => drop(reservation),
                    Ok(piece) => {
                        has_begun |= matches!(piece, Chunk::Text(_));
                        has_begun |= matches!(piece, Chunk::Thinking(thought) if !thought.is_empty());
                        if let Chunk::Text(text) | Chunk::Thinking(text) = piece
                            && let Err(error) = running.take(text, &mut reservation).await
                        {
                            drop(answer);
                            reservation.cut(running.cost());
                            yield Err(error);
                            return;
                        }
                        yield chunk;
                        continue;
                    }
                }
                // The call ends, and is counted, before the caller sees how it ended.
                drop(answer);
                yield chunk;
                return;
            }
        })
    }
}

/// The purpose a call is logged under.
fn purpose(brief: &Brief) -> &'static str {
    match brief {
        Brief::Phase(brief) => brief.phase.as_str(),
        Brief::Judge(_) => "judge",
    }
}

fn actual(completion: &Completion, assumed: Option<Price>) -> CallUsage {
    let usage = completion.usage;
    CallUsage {
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cost: completion.cost_usd.map(Money::from_dollars_up),
        // A refund needs counts reported by the provider, not our own estimate.
        assumed: assumed
            .filter(|_| !usage.estimated)
            .map(|price| most(&price, usage.input_tokens, usage.output_tokens)),
    }
}

fn most_of(price: &Price, input_tokens: u64, output_tokens: u64) -> WorstCase {
    WorstCase::Most(most(price, input_tokens, output_tokens))
}

/// The most this many tokens can cost.
fn most(price: &Price, input_tokens: u64, output_tokens: u64) -> Money {
    Money::from_dollars_up(price.most(input_tokens, output_tokens))
}

/// True if a call with this error is not billed: it never arrived, or was refused before any text.
pub(super) fn is_unpaid(error: &ProviderError, has_begun: bool) -> bool {
    let is_refused = match error.failure {
        ProviderFailure::Auth | ProviderFailure::RateLimited | ProviderFailure::QuotaExhausted => true,
        _ => error.upstream_status.is_some_and(|status| status >= 400),
    };
    error.never_sent || (is_refused && !has_begun)
}

/// Ends the reservation of a call with such an error.
pub(super) fn unpaid(reservation: Reservation, error: &ProviderError, account: &Account) {
    if error.failure == ProviderFailure::RateLimited && !account.patience().is_zero() {
        reservation.take_back();
    } else {
        reservation.release();
    }
}

#[cfg(test)]
#[path = "metered_tests.rs"]
mod tests;
