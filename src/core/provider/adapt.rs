//! Fits a request to what its model accepts.
//!
//! Layers below this one send `temperature`, `max_tokens` and `response_schema` as they are. Every
//! change is reported as a [`Chunk::Warning`] in fixed words, so a run can show it once.
//!
//! | requested | known about the model | sent |
//! |---|---|---|
//! | temperature | accepts none | nothing |
//! | | lower maximum | the maximum |
//! | max_tokens | lower maximum | the maximum |
//! | | reasons by default | raised by the reasoning headroom, up to the maximum |
//! | anything | refuses it, before or now | nothing; a schema moves into the system message as text |
//! | the model | shut down | sent anyway: the vendor's error says more than ours could |
//!
//! A refusal arrives before any text and names the parameter
//! ([`ProviderError::refused_parameter`]). The call is repeated at once without it. The process
//! remembers it for this provider and model.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use async_stream::stream;
use futures_util::StreamExt;
use jiff::tz::Offset;

use super::catalog::{Catalog, ModelCard, Sampling};
use super::checked::ended_early;
use super::{ChatRequest, Chunk, ChunkStream, Message, Provider, Role};
use crate::domain::ProviderKind;
use crate::error::ProviderError;
use crate::time::Clock;

/// Fits requests to what the models of the inner provider accept.
pub struct Adapt {
    inner: Arc<dyn Provider>,
    kind: ProviderKind,
    catalog: Arc<Catalog>,
    clock: Arc<dyn Clock>,
    refusals: Arc<Refusals>,
}

impl Adapt {
    /// Wraps `inner`, a provider of this kind. The clock decides which models have been shut down.
    pub fn new(inner: Arc<dyn Provider>, kind: ProviderKind, catalog: Arc<Catalog>, clock: Arc<dyn Clock>) -> Self {
        Self { inner, kind, catalog, clock, refusals: Arc::default() }
    }

    /// Returns the request to send first, and a warning for each change.
    fn fit(&self, mut request: ChatRequest, model: &str) -> (ChatRequest, Vec<String>) {
        let card = self.catalog.card(self.kind, self.inner.name(), model).unwrap_or(&ModelCard::UNKNOWN);
        let mut warnings = Vec::new();
        let today = Offset::UTC.to_datetime(self.clock.now()).date();
        if let Some(ends) = card.ends.filter(|_| !card.is_served_on(today)) {
            warnings.push(format!("`{model}` was shut down by its vendor on {ends}; name another model"));
        }
        for parameter in Parameter::ALL {
            if self.refusals.holds(model, parameter) {
                warnings.extend(parameter.leave_out(&mut request, model));
            }
        }
        warnings.extend(fit_temperature(&mut request, model, card.temperature));
        warnings.extend(fit_max_tokens(&mut request, model, card));
        (request, warnings)
    }
}

impl Provider for Adapt {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn default_model(&self) -> &str {
        self.inner.default_model()
    }

    fn stream(&self, request: ChatRequest) -> ChunkStream {
        let model = request.model.clone().unwrap_or_else(|| self.inner.default_model().to_owned());
        let wanted = RequestedNumbers::of(&request);
        let (mut request, warnings) = self.fit(request, &model);
        let (inner, refusals) = (Arc::clone(&self.inner), Arc::clone(&self.refusals));
        Box::pin(stream! {
            for warning in warnings {
                yield Ok(Chunk::Warning(warning));
            }
            loop {
                let mut answer = inner.stream(request.clone());
                let mut has_begun = false;
                let error = loop {
                    match answer.next().await {
                        Some(Err(error)) => break error,
                        Some(Ok(chunk @ Chunk::Done(_))) => {
                            drop(answer);
                            yield Ok(chunk);
                            return;
                        }
                        Some(Ok(chunk)) => {
                            has_begun |= matches!(&chunk, Chunk::Text(text) | Chunk::Thinking(text) if !text.is_empty());
                            yield Ok(chunk);
                        }
                        None => break ended_early(inner.name()),
                    }
                };
                drop(answer);
                let refused = Parameter::refused(&error).filter(|_| !has_begun);
                let Some((parameter, warning)) = refused.and_then(|refused| {
                    // The warning names the requested value, not the fitted one.
                    wanted.restore(refused, &mut request);
                    Some((refused, refused.leave_out(&mut request, &model)?))
                }) else {
                    yield Err(error);
                    return;
                };
                refusals.remember(&model, parameter);
                yield Ok(Chunk::Warning(warning));
            }
        })
    }
}

fn fit_temperature(request: &mut ChatRequest, model: &str, takes: Sampling) -> Option<String> {
    let wanted = request.temperature?;
    match takes {
        Sampling::Fixed => {
            request.temperature = None;
            Some(format!("`{model}` takes no temperature; {wanted} was left out"))
        }
        Sampling::UpTo(most) if wanted > most => {
            request.temperature = Some(most);
            Some(format!("`{model}` takes a temperature up to {most}; {wanted} was lowered to that"))
        }
        Sampling::UpTo(_) | Sampling::Unknown => None,
    }
}

fn fit_max_tokens(request: &mut ChatRequest, model: &str, card: &ModelCard) -> Option<String> {
    let wanted = request.max_tokens?;
    let most = card.max_output.map_or(u32::MAX, |most| u32::try_from(most).unwrap_or(u32::MAX));
    request.max_tokens = Some(wanted.saturating_add(card.reasoning_headroom).min(most));
    (wanted > most).then(|| format!("`{model}` writes at most {most} tokens; max_tokens {wanted} was lowered to that"))
}

/// A parameter that can be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Parameter {
    Temperature,
    MaxTokens,
    ResponseSchema,
}

impl Parameter {
    const ALL: [Self; 3] = [Self::Temperature, Self::MaxTokens, Self::ResponseSchema];

    /// The parameter that an error says the model does not accept.
    fn refused(error: &ProviderError) -> Option<Self> {
        match error.refused_parameter? {
            "temperature" => Some(Self::Temperature),
            "max_tokens" => Some(Self::MaxTokens),
            "response_schema" => Some(Self::ResponseSchema),
            _ => None,
        }
    }

    /// Removes the parameter and returns a warning; `None` if the request does not have it.
    fn leave_out(self, request: &mut ChatRequest, model: &str) -> Option<String> {
        match self {
            Self::Temperature => {
                let wanted = request.temperature.take()?;
                Some(format!("`{model}` refuses temperature {wanted}; it was left out"))
            }
            Self::MaxTokens => {
                let wanted = request.max_tokens.take()?;
                Some(format!("`{model}` refuses max_tokens {wanted}; it was left out"))
            }
            Self::ResponseSchema => {
                let schema = request.response_schema.take()?;
                add_schema_text(&mut request.messages, &schema);
                Some(format!("`{model}` refuses a schema for its answer; it was told the schema in words"))
            }
        }
    }
}

/// Asks for JSON in the system message, since a caller that sent a schema can read nothing else.
fn add_schema_text(messages: &mut Vec<Message>, schema: &serde_json::Value) {
    let words = format!(
        "Answer with one JSON value and nothing else: no other text, no code fence. It must satisfy this JSON Schema:\n{schema}"
    );
    match messages.iter_mut().rfind(|message| message.role == Role::System) {
        Some(system) => {
            system.content.push_str("\n\n");
            system.content.push_str(&words);
        }
        None => messages.insert(0, Message { role: Role::System, content: words }),
    }
}

/// The numbers as requested, before fitting.
#[derive(Clone, Copy)]
struct RequestedNumbers {
    temperature: Option<f64>,
    max_tokens: Option<u32>,
}

impl RequestedNumbers {
    fn of(request: &ChatRequest) -> Self {
        Self { temperature: request.temperature, max_tokens: request.max_tokens }
    }

    /// Resets a number that is still in the request to its requested value.
    fn restore(self, parameter: Parameter, request: &mut ChatRequest) {
        match parameter {
            Parameter::Temperature if request.temperature.is_some() => request.temperature = self.temperature,
            Parameter::MaxTokens if request.max_tokens.is_some() => request.max_tokens = self.max_tokens,
            _ => {}
        }
    }
}

/// Parameters that models of this provider have refused; bounded by the number of models.
#[derive(Default)]
struct Refusals {
    known: Mutex<HashSet<(String, Parameter)>>,
}

impl Refusals {
    fn holds(&self, model: &str, parameter: Parameter) -> bool {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        !known.is_empty() && known.contains(&(model.to_owned(), parameter))
    }

    fn remember(&self, model: &str, parameter: Parameter) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert((model.to_owned(), parameter));
    }
}

#[cfg(test)]
mod tests;
