//! Checks every answer: not empty, complete, and bounded in size.
//!
//! The innermost layer, right above every transport, so no codec repeats these checks and no layer
//! above sees a partial answer without an error: a stream that just ends fails, as does an answer
//! without text or past [`MAX_ANSWER_BYTES`]. A reported model name that is not a valid name is
//! replaced by the requested one.

use std::sync::Arc;

use async_stream::stream;
use futures_util::StreamExt;

use super::{ChatRequest, Chunk, ChunkStream, Completion, Provider};
use crate::domain::limits;
use crate::error::{ProviderError, ProviderFailure};
use crate::text::shown;

/// The maximum size of an answer, in bytes.
pub const MAX_ANSWER_BYTES: usize = 4 * 1024 * 1024;

/// Turns empty, incomplete and oversized answers of the inner provider into errors.
pub struct Checked {
    inner: Arc<dyn Provider>,
}

impl Checked {
    /// Wraps `inner`.
    pub fn new(inner: Arc<dyn Provider>) -> Self {
        Self { inner }
    }
}

impl Provider for Checked {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn default_model(&self) -> &str {
        self.inner.default_model()
    }

    fn stream(&self, request: ChatRequest) -> ChunkStream {
        let inner = Arc::clone(&self.inner);
        Box::pin(stream! {
            let asked = request.model.clone().unwrap_or_else(|| inner.default_model().to_owned());
            let mut answer = inner.stream(request);
            let mut bytes = 0_usize;
            let mut is_blank = true;
            while let Some(chunk) = answer.next().await {
                match &chunk {
                    Ok(Chunk::Text(text)) => {
                        bytes = bytes.saturating_add(text.len());
                        is_blank &= text.trim().is_empty();
                        if bytes > MAX_ANSWER_BYTES {
                            yield Err(endless(inner.name()));
                            return;
                        }
                    }
                    Ok(Chunk::Retrying { .. }) => (bytes, is_blank) = (0, true),
                    Ok(Chunk::Done(_)) if is_blank => {
                        yield Err(empty(inner.name()));
                        return;
                    }
                    Ok(Chunk::Warning(_) | Chunk::Thinking(_) | Chunk::Done(_)) | Err(_) => {}
                }
                let chunk = match chunk {
                    Ok(Chunk::Done(completion)) if !is_name(&completion.model) => {
                        yield Ok(Chunk::Warning(misnamed(inner.name(), &asked)));
                        Ok(Chunk::Done(Completion { model: asked.clone(), ..completion }))
                    }
                    chunk => chunk,
                };
                let is_last = matches!(chunk, Ok(Chunk::Done(_)) | Err(_));
                yield chunk;
                if is_last {
                    return;
                }
            }
            yield Err(ended_early(inner.name()));
        })
    }
}

/// True if the string can be recorded as a model name.
pub(super) fn is_name(model: &str) -> bool {
    model.chars().nth(limits::NAME_CHARS).is_none() && shown::unfit_for_a_name(model).is_none()
}

fn misnamed(provider: &str, asked: &str) -> String {
    format!(
        "`{provider}` reported an invalid model name (over {} characters, or with control or invisible ones); \
         `{asked}` is recorded",
        limits::NAME_CHARS
    )
}

/// The error for a stream that ended without being marked complete.
pub(super) fn ended_early(provider: &str) -> ProviderError {
    ProviderError::new(provider, ProviderFailure::Unavailable, "the answer ended before it was complete")
}

fn empty(provider: &str) -> ProviderError {
    ProviderError::new(provider, ProviderFailure::Rejected, "it answered with no text at all; rephrase the input")
}

fn endless(provider: &str) -> ProviderError {
    let limit = MAX_ANSWER_BYTES / (1024 * 1024);
    let message = format!("the answer exceeded {limit} MiB, the maximum");
    ProviderError::new(provider, ProviderFailure::Unavailable, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::complete;
    use crate::provider::sim::testing::{request, sim};

    async fn failure(script: &str) -> ProviderError {
        complete(&Checked::new(Arc::new(sim(script))), request(0)).await.unwrap_err()
    }

    #[tokio::test]
    async fn a_stream_that_just_ends_is_an_error() {
        let mut answer = Checked::new(Arc::new(sim("rules: [{fault: cut}]"))).stream(request(0));
        assert!(matches!(answer.next().await, Some(Ok(Chunk::Text(_)))));
        assert_eq!(answer.next().await.unwrap().unwrap_err().failure, ProviderFailure::Unavailable);
        assert!(answer.next().await.is_none());
    }

    #[tokio::test]
    async fn an_empty_and_a_blank_answer_are_rejected() {
        assert_eq!(failure("rules: [{fault: empty}]").await.failure, ProviderFailure::Rejected);
        assert_eq!(failure(r#"answer: {text: "  \n "}"#).await.failure, ProviderFailure::Rejected);
    }

    #[tokio::test]
    async fn an_endless_answer_is_stopped_at_the_limit() {
        let error = failure("{answer: {words: 2000}, pacing: {chunk_chars: 4000}, rules: [{fault: endless}]}").await;
        assert_eq!(error.failure, ProviderFailure::Unavailable);
        assert!(error.message.contains("4 MiB"), "{error}");
    }

    /// Answers `hello` under a model name of its choice.
    struct Misnamed(String);

    impl Provider for Misnamed {
        fn name(&self) -> &'static str {
            "acme"
        }

        fn default_model(&self) -> &'static str {
            "asked"
        }

        fn stream(&self, request: ChatRequest) -> ChunkStream {
            let (inner, model) = (sim("answer: {text: hello}"), self.0.clone());
            Box::pin(inner.stream(request).map(move |chunk| {
                chunk.map(|chunk| match chunk {
                    Chunk::Done(completion) => Chunk::Done(Completion { model: model.clone(), ..completion }),
                    chunk => chunk,
                })
            }))
        }
    }

    #[tokio::test]
    async fn a_model_cannot_call_itself_by_what_drives_a_terminal() {
        let unfit = ["\u{1b}]0;PWN\u{7}\u{1b}[2J", "a\nb", "\u{202e}gpt", "x\u{e0041}", &"m".repeat(201)];
        for name in unfit {
            let provider = Checked::new(Arc::new(Misnamed(name.to_owned())));
            let request = ChatRequest { model: None, ..request(0) };
            let chunks: Vec<Chunk> = provider.stream(request).map(Result::unwrap).collect().await;
            let [.., Chunk::Warning(warning), Chunk::Done(completion)] = chunks.as_slice() else {
                panic!("{chunks:?}")
            };
            assert_eq!(completion.model, "asked", "{name:?}");
            assert!(warning.contains("`asked` is recorded") && shown::unfit_for_a_name(warning).is_none(), "{warning}");
        }
        let fit =
            complete(&Checked::new(Arc::new(Misnamed("vendor/model-1:free (é)".into()))), request(0)).await.unwrap();
        assert_eq!(fit.1.model, "vendor/model-1:free (é)");
    }

    #[tokio::test]
    async fn a_whole_answer_passes_untouched() {
        let (text, completion) =
            complete(&Checked::new(Arc::new(sim("answer: {text: hello}"))), request(0)).await.unwrap();
        assert_eq!((text.as_str(), completion.retries), ("hello", 0));
    }
}
