//! The writer as a provider: one model, no cost, text streamed in words.
//!
//! It ignores `max_tokens`: a prompt cut short would lose constraints of the request.

use async_stream::stream;

use super::super::{Brief, ChatRequest, Chunk, ChunkStream, Completion, Provider};
use super::{Writer, judge};
use crate::domain::TokenUsage;
use crate::error::{Error, ProviderError, ProviderFailure};
use crate::offload::offload;
use crate::text::tokens;

/// The one model: the second version of the writer.
pub const MODEL: &str = "builtin-2";

/// Longer lines (in bytes) are streamed whole, not word by word: they are material, not our text.
const WORD_BY_WORD: usize = 600;

/// The embedded prompt writer as a provider.
#[derive(Debug, Clone)]
pub struct Builtin {
    name: String,
    writer: Writer,
}

impl Builtin {
    /// Creates the provider with its configured name and this writer.
    pub fn new(name: impl Into<String>, writer: Writer) -> Self {
        Self { name: name.into(), writer }
    }

    fn answer(&self, request: &ChatRequest) -> Result<String, ProviderError> {
        if let Some(model) = request.model.as_deref().filter(|model| !model.is_empty() && *model != MODEL) {
            let message = format!(
                "there is no model `{model}`; the embedded writer has one, `{MODEL}`: leave the model out or name that"
            );
            return Err(ProviderError::new(&self.name, ProviderFailure::Rejected, message));
        }
        match &request.brief {
            Brief::Phase(brief) => self
                .writer
                .write(brief)
                .map_err(|error| ProviderError::new(&self.name, ProviderFailure::Rejected, error.to_string())),
            Brief::Judge(brief) => Ok(judge::answer(brief)),
        }
    }
}

impl Provider for Builtin {
    fn name(&self) -> &str {
        &self.name
    }

    fn default_model(&self) -> &str {
        MODEL
    }

    fn stream(&self, request: ChatRequest) -> ChunkStream {
        let writer = self.clone();
        Box::pin(stream! {
            let started = tokio::time::Instant::now();
            let (name, bytes) = (writer.name.clone(), texts_read(&request.brief).iter().map(|text| text.len()).sum());
            let written = offload(bytes, move || {
                let read = texts_read(&request.brief).into_iter().map(tokens::estimate).sum();
                writer.answer(&request).map(|text| (tokens::estimate(&text), read, text))
            });
            let stopped = |error: Error| ProviderError::new(&name, ProviderFailure::Unavailable, error.to_string());
            let (output_tokens, input_tokens, text) = match written.await.map_err(stopped).flatten() {
                Ok(written) => written,
                Err(error) => {
                    yield Err(error);
                    return;
                }
            };
            let first_token = started.elapsed();
            for piece in pieces(&text) {
                yield Ok(Chunk::Text(piece.to_owned()));
            }
            yield Ok(Chunk::Done(Completion {
                provider: name.clone(),
                model: MODEL.to_owned(),
                usage: TokenUsage { input_tokens, output_tokens, estimated: true },
                cost_usd: Some(0.0),
                latency: started.elapsed(),
                first_token: Some(first_token),
                retries: 0,
                fallback_from: None,
                truncated: false,
                cached: false,
            }));
        })
    }
}

/// The texts the writer reads: the user's and the draft, never templates, which are for models.
fn texts_read(brief: &Brief) -> Vec<&str> {
    match brief {
        Brief::Phase(brief) => {
            let draft = (brief.input != brief.original_input).then_some(brief.input.as_str());
            let context = brief.context.iter().map(String::as_str);
            context.chain([brief.original_input.as_str()]).chain(draft).collect()
        }
        Brief::Judge(brief) => brief.question.texts().into_iter().chain([brief.task.as_str()]).collect(),
    }
}

/// Splits the text into words with their trailing spaces; long lines stay whole.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    for line in text.split_inclusive('\n') {
        if line.len() > WORD_BY_WORD || text.len() > 20 * WORD_BY_WORD {
            pieces.push(line);
            continue;
        }
        let mut start = 0;
        let mut blank = false;
        for (at, character) in line.char_indices() {
            if blank && !character.is_whitespace() {
                pieces.push(&line[start..at]);
                start = at;
            }
            blank = character.is_whitespace();
        }
        pieces.push(&line[start..]);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Phase;
    use crate::domain::TargetFamily;
    use crate::ledger::Account;
    use crate::provider::{JudgeBrief, JudgeQuestion, Message, PhaseBrief, Role, complete};
    use futures_util::StreamExt;

    fn request(input: &str, model: Option<&str>) -> ChatRequest {
        let brief = PhaseBrief {
            phase: Phase::Coagulatio,
            phases: vec![Phase::Coagulatio],
            persona: "generic".into(),
            strategy: "direct".into(),
            target: TargetFamily::Generic,
            variant: 0,
            original_input: input.into(),
            input: input.into(),
            context: Vec::new(),
        };
        ChatRequest {
            messages: vec![Message { role: Role::User, content: input.into() }],
            model: model.map(Into::into),
            temperature: None,
            max_tokens: None,
            response_schema: None,
            brief: Brief::Phase(brief),
            account: Account::default(),
        }
    }

    #[tokio::test]
    async fn the_pieces_are_words_and_make_up_the_text() {
        let builtin = Builtin::new("builtin", Writer::default());
        let chunks: Vec<_> = builtin.stream(request("Write a haiku about rain", None)).collect().await;
        let texts: Vec<String> = chunks
            .iter()
            .filter_map(|chunk| if let Ok(Chunk::Text(text)) = chunk { Some(text.clone()) } else { None })
            .collect();
        let (whole, done) = complete(&builtin, request("Write a haiku about rain", None)).await.unwrap();
        assert_eq!(texts.concat(), whole);
        assert!(texts.len() > 20, "{} pieces", texts.len());
        assert_eq!((done.cost_usd, done.usage.estimated, done.model.as_str()), (Some(0.0), true, MODEL));
        assert!(done.usage.input_tokens > 0 && done.usage.output_tokens > done.usage.input_tokens);
    }

    #[tokio::test]
    async fn another_model_is_rejected_by_name() {
        let error =
            complete(&Builtin::new("builtin", Writer::default()), request("x", Some("gpt-6"))).await.unwrap_err();
        assert_eq!(error.failure, ProviderFailure::Rejected);
        assert!(error.message.contains("gpt-6") && error.message.contains(MODEL));
    }

    #[tokio::test]
    async fn a_comparison_is_answered_as_the_judge_is_asked_to() {
        let judge = JudgeBrief {
            task: "Write a poem of 4 lines".into(),
            persona: "generic".into(),
            criteria: vec![("coverage".into(), 1.0)],
            question: JudgeQuestion::Compare { a: "Write a poem of 4 lines.".into(), b: "Write.".into() },
        };
        let asked = ChatRequest { brief: Brief::Judge(judge), ..request("x", None) };
        let (text, completion) = complete(&Builtin::new("builtin", Writer::default()), asked).await.unwrap();
        let answer: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&answer["verdict"], &answer["criteria"]["coverage"]), (&"A>>B".into(), &"A>>B".into()));
        assert_eq!(completion.cost_usd, Some(0.0));
    }
}
