//! The answer cache: returns the stored answer to a request that was answered before.
//!
//! The outermost layer, above the route, so a hit costs no call, no money and no permit. Only
//! complete answers of the primary provider are stored: never an error, a truncated answer, a
//! fallback's answer, or one the caller could not parse (`accepts`). A hit replays the warnings,
//! then the text in one chunk, then [`Completion::cached`] with the original token counts.
//!
//! [`AnswerKey`] defines when two requests are equal. [`AnswerCache`], shared by the process, is a
//! memory bounded in entries and bytes, the requests in flight (equal concurrent ones make one
//! call), and an [`AnswerStore`] beyond the process. Routes decide which requests come here.

mod answer;
mod answers;
mod flight;
mod key;
mod memory;

use std::sync::Arc;

use async_stream::stream;
use futures_util::StreamExt;
use tokio::time::Instant;

pub use answer::{AnswerStore, CacheNamespace, CachedAnswer, LONGEST_TEXT, NamespaceLimits};
pub use answers::AnswerCache;
use answers::Found;
pub use key::{AnswerKey, Source};

use super::{Brief, ChatRequest, Chunk, ChunkStream, Completion, Provider};

/// Which answers are cached, where, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct CachePolicy {
    /// The cache namespace.
    pub namespace: CacheNamespace,
    /// Limits on the number of entries and their age.
    pub limits: NamespaceLimits,
    /// True if the caller can use the answer; one it would request again is not cached.
    pub accepts: fn(&Brief, &str) -> bool,
}

/// Returns cached answers, else calls the inner provider and caches its answer.
pub struct Cache {
    inner: Arc<dyn Provider>,
    source: Arc<Source>,
    policy: CachePolicy,
    answers: Arc<AnswerCache>,
}

impl Cache {
    /// Wraps `inner`; `source` identifies where its answers come from.
    pub fn new(inner: Arc<dyn Provider>, source: Source, policy: CachePolicy, answers: Arc<AnswerCache>) -> Self {
        Self { inner, source: Arc::new(source), policy, answers }
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
        let policy = self.policy;
        Box::pin(stream! {
            let begun = Instant::now();
            let key = AnswerKey::of(&source, &request, inner.default_model());
            let leader = match answers.find(key, &policy).await {
                Found::Kept(answer) => {
                    tracing::debug!(provider = inner.name(), %key, "answered from the cache");
                    for chunk in replay(&answer, begun) {
                        yield Ok(chunk);
                    }
                    return;
                }
                Found::Nothing(leader) => leader,
            };
            let mut recording = Recording::of(request.brief.clone());
            let mut asked = inner.stream(request);
            while let Some(chunk) = asked.next().await {
                if let Some(leader) = &leader {
                    leader.report_progress();
                }
                match &chunk {
                    Ok(Chunk::Done(completion)) => {
                        let answer = recording.whole(completion, &policy, &answers);
                        let answer = answer.map(|answer| answers.keep(key, answer, &policy));
                        if let (Some(leader), Some(answer)) = (leader, answer) {
                            leader.complete(answer);
                        }
                        yield chunk;
                        return;
                    }
                    Ok(more) => recording.add(more),
                    Err(_) => {
                        drop(leader);
                        yield chunk;
                        return;
                    }
                }
                yield chunk;
            }
        })
    }
}

/// Replays a cached answer. The only latency is the look-up.
fn replay(answer: &CachedAnswer, begun: Instant) -> Vec<Chunk> {
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

/// Collects an answer as it streams in.
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

    /// The finished answer, if it is to be cached.
    fn whole(self, completion: &Completion, policy: &CachePolicy, answers: &AnswerCache) -> Option<CachedAnswer> {
        let Self { brief, text, warnings, is_too_long } = self;
        let is_own = completion.fallback_from.is_none() && !completion.cached;
        let is_whole = !completion.truncated && !is_too_long;
        (is_own && is_whole && (policy.accepts)(&brief, &text)).then(|| CachedAnswer {
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
