//! The scripted provider: a model that does what a YAML script says, for tests and CI suites.
//!
//! Answers are a function of the seed, the role and the request, or come from a cassette. Failures,
//! delays, token counts and prices are configurable; no socket is opened. Randomness depends only
//! on seed and request, so a suite gives the same results everywhere and in any order, unless a
//! rule counts calls. As a transport it hangs, cuts and ends like one; the layers above
//! ([`checked`](super::checked), [`timeout`](super::timeout), [`retry`](super::retry)) turn that
//! into errors. Each part of the format has a file: `script`, `rule`, `answer`, `template`,
//! `fault`, `limit`, `pacing`, `judge`, `cassette`.
#![doc = include_str!("format.md")]

mod answer;
mod cassette;
mod draw;
mod fault;
mod journal;
mod judge;
mod limit;
mod pacing;
mod rule;
mod script;
mod strict;
mod template;
#[cfg(any(test, feature = "test-support"))]
pub mod testing;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_stream::stream;
use tokio::time::Instant;

use answer::{AnswerInputs, AnswerSpec};
pub use cassette::MOST_SCRIPT_BYTES;
use cassette::Recording;
pub use draw::Fingerprint;
use fault::{Fault, Kind};
use journal::OpenCall;
pub use journal::{CallEnd, JournalEntry, KEPT};
use limit::Bucket;
use pacing::Pacing;
use rule::Call;
use script::{Script, Usage};
use template::Filling;

use super::{Brief, ChatRequest, Chunk, ChunkStream, Completion, Provider};
use crate::domain::TokenUsage;
use crate::error::{Error, ProviderError};
use crate::ledger::Price;
use crate::text::tokens;

/// A provider that runs a script. Clones share the journal and the rule counts.
#[derive(Debug, Clone)]
pub struct Sim {
    name: Arc<str>,
    model: Arc<str>,
    script: Arc<Script>,
    journal: journal::Shared,
    bucket: Bucket,
}

impl Sim {
    /// Creates a provider with the script `text`; cassettes are relative to the working directory.
    ///
    /// # Errors
    /// `config_invalid` for a malformed script; `file` for an unreadable cassette.
    pub fn from_yaml(name: &str, text: &str) -> Result<Self, Error> {
        Self::build(name, text, Path::new(name), Path::new(""))
    }

    /// Creates a provider that plays the script at `path`; cassettes are relative to its folder.
    ///
    /// # Errors
    /// As [`Sim::from_yaml`]; also `file` when the script cannot be read.
    pub fn from_file(name: &str, path: &Path) -> Result<Self, Error> {
        let text = cassette::read_file(path)?;
        Self::build(name, &text, path, path.parent().unwrap_or(Path::new("")))
    }

    fn build(name: &str, text: &str, origin: &Path, folder: &Path) -> Result<Self, Error> {
        let mut script = script::read(text, origin)?;
        if let Some(cassette) = &script.cassette {
            let more = cassette::load(&folder.join(cassette))?;
            script.recorded.get_or_insert_default().extend(more);
        }
        let model = script.model.as_str().into();
        Ok(Self {
            name: name.into(),
            model,
            script: Arc::new(script),
            journal: journal::Shared::default(),
            bucket: Bucket::default(),
        })
    }

    /// Overrides the script's default model.
    #[must_use]
    pub fn with_model(mut self, model: &str) -> Self {
        self.model = model.into();
        self
    }

    /// The script's price, the same for every model.
    pub fn price(&self) -> Option<Price> {
        self.script.price.map(|script::Price { input, output }| Price {
            input,
            output,
            cached_input: input,
            cache_write: input,
            above: None,
        })
    }

    /// The newest calls, oldest first.
    pub fn journal(&self) -> Vec<JournalEntry> {
        journal::lock(&self.journal).entries()
    }

    /// The number of calls so far.
    pub fn asked(&self) -> u64 {
        journal::lock(&self.journal).asked()
    }

    /// The number of calls refused by the script's limit; the journal and the rules do not see them.
    pub fn refused(&self) -> u64 {
        self.bucket.refused()
    }

    /// The number of calls in flight.
    pub fn in_flight(&self) -> usize {
        journal::lock(&self.journal).in_flight()
    }

    /// The highest number of calls in flight so far.
    pub fn peak_in_flight(&self) -> usize {
        journal::lock(&self.journal).peak_in_flight()
    }

    /// The hidden quality of `text`, without noise and biases: the truth a selection should find.
    pub fn hidden_quality(&self, text: &str) -> f64 {
        self.script.judge.hidden_quality(self.script.seed, text)
    }

    /// Settles everything about a call before it begins.
    fn plan(&self, request: &ChatRequest, open: &OpenCall, fingerprint: Fingerprint, model: &str) -> Plan {
        let script = &*self.script;
        let rule = open.rule.and_then(|number| script.rules.get(number));
        let call = Call { request, model, fingerprint, attempt: open.attempt };
        let ruled = rule.and_then(|rule| rule.answer.as_ref());
        let recorded = script.recorded.as_deref();
        let played = if ruled.is_none() { recorded.and_then(|all| cassette::find(all, &call)) } else { None };
        let own = if matches!(request.brief, Brief::Judge(_)) { None } else { script.answer.as_ref() };
        let is_missing = recorded.is_some() && ruled.is_none() && played.is_none() && script.answer.is_none();
        let text = match played {
            Some(recording) => recording.text.clone(),
            None => ruled.or(own).unwrap_or(&AnswerSpec::Echo).make(&AnswerInputs {
                seed: script.seed,
                judge: &script.judge,
                fingerprint,
                filling: Filling { request, model, attempt: open.attempt },
            }),
        };
        Plan {
            text,
            fault: rule.and_then(|rule| rule.fault.clone()),
            missing: is_missing.then(|| cassette::missing(&self.name, &call)),
            pacing: rule.and_then(|rule| rule.pacing).unwrap_or(script.pacing),
            usage: rule.and_then(|rule| rule.usage).or_else(|| played.and_then(|p| p.usage)).or(script.usage),
            model: played.and_then(|recording| recording.model.clone()).unwrap_or_else(|| model.to_owned()),
            cost_usd: played.and_then(|recording: &Recording| recording.cost_usd),
        }
    }

    fn completion(&self, plan: &Plan, request: &ChatRequest, sent: &Sent) -> Completion {
        let usage = match plan.usage {
            Some(Usage { input_tokens, output_tokens }) => TokenUsage { input_tokens, output_tokens, estimated: false },
            None => TokenUsage {
                input_tokens: request.messages.iter().map(|message| tokens::estimate(&message.content)).sum(),
                output_tokens: sent.tokens,
                estimated: true,
            },
        };
        let priced = self
            .script
            .price
            .map(|price| (usage.input_tokens as f64 * price.input + usage.output_tokens as f64 * price.output) / 1e6);
        Completion {
            provider: self.name.to_string(),
            model: plan.model.clone(),
            usage,
            cost_usd: plan.cost_usd.or(priced),
            latency: sent.latency,
            first_token: sent.first_token,
            retries: 0,
            fallback_from: None,
            truncated: sent.truncated,
            cached: false,
        }
    }
}

/// The settings of one call.
struct Plan {
    text: String,
    fault: Option<Fault>,
    missing: Option<ProviderError>,
    pacing: Pacing,
    usage: Option<Usage>,
    model: String,
    cost_usd: Option<f64>,
}

/// What was sent by the end.
struct Sent {
    tokens: u64,
    latency: Duration,
    first_token: Option<Duration>,
    truncated: bool,
}

impl Provider for Sim {
    fn name(&self) -> &str {
        &self.name
    }

    fn default_model(&self) -> &str {
        &self.model
    }

    fn stream(&self, request: ChatRequest) -> ChunkStream {
        let sim = self.clone();
        Box::pin(stream! {
            let start = Instant::now();
            if let Some(limit) = sim.script.limit
                && let Err(error) = sim.bucket.take(limit, &sim.name)
            {
                yield Err(error);
                return;
            }
            let model = request.model.clone().unwrap_or_else(|| sim.model.to_string());
            let fingerprint = Fingerprint::of(&request, &model);
            let open = OpenCall::enter(&sim.journal, &request, &model, fingerprint, sim.script.seed, &sim.script.rules);
            let plan = sim.plan(&request, &open, fingerprint, &model);
            if let Some(error) = plan.missing {
                open.end(CallEnd::Failed);
                yield Err(error);
                return;
            }
            let kind = plan.fault.as_ref().map(|fault| fault.kind);
            let whole = match kind {
                Some(Kind::Malformed) => fault::broken_json(&plan.text),
                Some(Kind::Empty) => String::new(),
                _ => plan.text.clone(),
            };
            let limit = request.max_tokens.filter(|_| !matches!(kind, Some(Kind::Endless | Kind::Overlong)));
            let text = limit.map_or(whole.as_str(), |limit| tokens::prefix(&whole, u64::from(limit)));
            // Where the answer stops: at once, after some pieces, or at the latest at its end.
            let stops_after = plan.fault.as_ref().filter(|fault| fault.stops()).map(|fault| fault.after_chunks);
            let mut first_token = None;
            let mut sent = 0_usize;
            let pieces = plan.pacing.pieces(text);
            let mut round_begins = start;
            'answer: loop {
                for piece in &pieces {
                    if stops_after.is_some_and(|after| sent >= after) {
                        break 'answer;
                    }
                    wait_until(round_begins, piece.due).await;
                    first_token.get_or_insert_with(|| start.elapsed());
                    sent += 1;
                    yield Ok(Chunk::Text(piece.text.to_owned()));
                }
                if kind != Some(Kind::Endless) || pieces.is_empty() {
                    break;
                }
                round_begins = Instant::now();
            }
            if sent == 0 {
                wait_until(start, plan.pacing.first_token()).await;
            }
            match &plan.fault {
                Some(fault) if fault.stops() => {
                    if fault.kind == Kind::Hang {
                        std::future::pending::<()>().await;
                    }
                    open.end(CallEnd::Failed);
                    if let Some(error) = fault.error(&sim.name) {
                        yield Err(error);
                    }
                }
                _ => {
                    let sent = Sent {
                        tokens: tokens::estimate(text),
                        latency: start.elapsed(),
                        first_token,
                        truncated: text.len() < whole.len(),
                    };
                    let completion = sim.completion(&plan, &request, &sent);
                    open.end(CallEnd::Answered);
                    yield Ok(Chunk::Done(completion));
                }
            }
        })
    }
}

/// Waits until `due` after `start`; without a wait it needs no timer and no runtime.
async fn wait_until(start: Instant, due: Duration) {
    if !due.is_zero() {
        tokio::time::sleep_until(start + due).await;
    }
}

#[cfg(test)]
mod fixtures_tests;
#[cfg(test)]
mod tests;
