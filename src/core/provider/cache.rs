//! The cache: a request that was answered before is answered again without asking.
//!
//! The outermost layer, above the route, so that a hit costs nothing: no call, no money, no permit. What is kept is a
//! whole answer of the provider that was asked for; never an error, a cut answer, a fallback's, or one that the
//! asker could not read (`accepts`). A hit tells the warnings the answer came with, then the text in one piece, then
//! [`Completion::cached`] with the tokens as they were counted then.
//!
//! [`AnswerKey`] says what makes two requests equal. [`Answers`] is what all layers of a process share: a memory bounded
//! in entries and bytes, the requests in flight (two equal ones at once are one call), and behind both an
//! [`AnswerStore`] that outlives the process. Which requests come through here at all is decided where routes are made.

mod answer;
mod answers;
mod flight;
mod key;
mod memory;

use std::sync::Arc;

use async_stream::stream;
use futures_util::StreamExt;
use tokio::time::Instant;

pub use answer::{Answer, AnswerStore, CacheNamespace, LONGEST_TEXT, NamespaceLimits};
pub use answers::Answers;
use answers::Found;
pub use key::{AnswerKey, Source};

use super::{Brief, ChatRequest, Chunk, ChunkStream, Completion, Provider};

/// Which answers are kept, where, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct Keeping {
    /// What they are answers to.
    pub shelf: CacheNamespace,
    /// How many and how long.
    pub limits: NamespaceLimits,
    /// True for an answer that whoever asks can make use of: what it would have to ask again is not kept.
    pub accepts: fn(&Brief, &str) -> bool,
}

/// Answers from what is kept, else asks the inner provider and keeps its answer.
pub struct Cache {
    inner: Arc<dyn Provider>,
    source: Arc<Source>,
    keeping: Keeping,
    answers: Arc<Answers>,
}

impl Cache {
    /// A cache before `inner`, whose answers are those of `source`.
    pub fn new(inner: Arc<dyn Provider>, source: Source, keeping: Keeping, answers: Arc<Answers>) -> Self {
        Self { inner, source: Arc::new(source), keeping, answers }
    }
}

impl Provider for Cache {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn default_model(&self) -> &str {
        self.inner.default_model()
    }

    fn stream(&self, request: ChatRequest) -> ChunkStream {
        let (inner, source, answers) = (Arc::clone(&self.inner), Arc::clone(&self.source), Arc::clone(&self.answers));
        let keeping = self.keeping;
        Box::pin(stream! {
            let begun = Instant::now();
            let key = AnswerKey::of(&source, &request, inner.default_model());
            let leading = match answers.find(key, &keeping).await {
                Found::Kept(answer) => {
                    tracing::debug!(provider = inner.name(), %key, "answered from the cache");
                    for chunk in retold(&answer, begun) {
                        yield Ok(chunk);
                    }
                    return;
                }
                Found::Nothing(leading) => leading,
            };
            let mut recording = Recording::of(request.brief.clone());
            let mut asked = inner.stream(request);
            while let Some(chunk) = asked.next().await {
                if let Some(leading) = &leading {
                    leading.report_progress();
                }
                match &chunk {
                    Ok(Chunk::Done(completion)) => {
                        let answer = recording.whole(completion, &keeping, &answers);
                        let answer = answer.map(|answer| answers.keep(key, answer, &keeping));
                        if let (Some(leading), Some(answer)) = (leading, answer) {
                            leading.complete(answer);
                        }
                        yield chunk;
                        return;
                    }
                    Ok(more) => recording.add(more),
                    Err(_) => {
                        drop(leading);
                        yield chunk;
                        return;
                    }
                }
                yield chunk;
            }
        })
    }
}

/// An answer as the chunks of a call that took no time but the look-up's.
fn retold(answer: &Answer, begun: Instant) -> Vec<Chunk> {
    let warnings = answer.warnings.iter().cloned().map(Chunk::Warning);
    let done = Chunk::Done(Completion {
        provider: answer.provider.clone(),
        model: answer.model.clone(),
        usage: answer.usage,
        cost_usd: Some(0.0),
        latency: begun.elapsed(),
        first_token: Some(begun.elapsed()),
        retries: 0,
        fallback_from: None,
        truncated: false,
        cached: true,
    });
    warnings.chain([Chunk::Text(answer.text.clone()), done]).collect()
}

/// An answer as it comes in.
struct Recording {
    brief: Brief,
    text: String,
    warnings: Vec<String>,
    is_too_long: bool,
}

impl Recording {
    fn of(brief: Brief) -> Self {
        Self { brief, text: String::new(), warnings: Vec::new(), is_too_long: false }
    }

    fn add(&mut self, chunk: &Chunk) {
        match chunk {
            Chunk::Text(more) if self.text.len() + more.len() > LONGEST_TEXT => {
                (self.text, self.is_too_long) = (String::new(), true);
            }
            Chunk::Text(more) => self.text.push_str(more),
            Chunk::Retrying { .. } => (self.text, self.is_too_long) = (String::new(), false),
            Chunk::Warning(warning) if !self.warnings.contains(warning) => self.warnings.push(warning.clone()),
            Chunk::Warning(_) | Chunk::Thinking(_) | Chunk::Done(_) => {}
        }
    }

    /// The answer, if it is one to keep.
    fn whole(self, completion: &Completion, keeping: &Keeping, answers: &Answers) -> Option<Answer> {
        let Self { brief, text, warnings, is_too_long } = self;
        let is_own = completion.fallback_from.is_none() && !completion.cached;
        let is_whole = !completion.truncated && !is_too_long;
        (is_own && is_whole && (keeping.accepts)(&brief, &text)).then(|| Answer {
            text,
            warnings,
            provider: completion.provider.clone(),
            model: completion.model.clone(),
            usage: completion.usage,
            made_at: answers.now(),
        })
    }
}

#[cfg(test)]
mod tests;
