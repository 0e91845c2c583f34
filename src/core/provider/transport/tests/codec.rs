//! A minimal protocol, so that these tests are only about the transport: words after `data:`.

use serde_json::{Value, json};

use crate::error::{ProviderError, ProviderFailure};
use crate::ledger::BilledTokens;
use crate::provider::ChatRequest;
use crate::provider::frame::{Frame, Framing};
use crate::provider::wire::{
    AnswerReader, Auth, EmbeddingAnswer, EmbeddingRequest, ErrorAnswer, HttpCall, Method, ModelPage, Piece, Wire,
};

pub(super) struct Plain {
    pub(super) auth: Auth,
    pub(super) framing: Framing,
}

impl Default for Plain {
    fn default() -> Self {
        Self { auth: Auth::Bearer, framing: Framing::Sse }
    }
}

impl Wire for Plain {
    fn default_base_url(&self) -> &'static str {
        "http://vendor.invalid"
    }

    fn auth(&self) -> Auth {
        self.auth
    }

    fn framing(&self) -> Framing {
        self.framing
    }

    fn chat(&self, request: &ChatRequest, model: &str) -> HttpCall {
        let body = json!({"model": model, "last": request.messages.last().map(|message| &message.content)});
        let headers = vec![("x-version", "1".to_owned()), ("X-Team", "codec".to_owned())];
        HttpCall { method: Method::Post, path: "/say?x=1".into(), headers, body: Some(body) }
    }

    fn reader(&self) -> Box<dyn AnswerReader> {
        Box::new(Words)
    }

    fn failure(&self, answer: &ErrorAnswer<'_>) -> ProviderError {
        let failure = match answer.status {
            401 => ProviderFailure::Auth,
            429 => ProviderFailure::RateLimited,
            400..=499 => ProviderFailure::Rejected,
            _ => ProviderFailure::Unavailable,
        };
        let wait = answer.headers.iter().find(|(name, _)| name == "retry-after");
        let wait = wait.and_then(|(_, value)| value.parse().ok()).map(std::time::Duration::from_secs);
        let body = String::from_utf8_lossy(&answer.body[..answer.body.len().min(200)]);
        ProviderError::new("nobody", failure, format!("{} bytes for {}: {body}", answer.body.len(), answer.model))
            .with_status(answer.status)
            .with_retry_after(wait)
    }

    fn models(&self, page: Option<&str>) -> HttpCall {
        let path = page.map_or_else(|| "/models".to_owned(), |page| format!("/models?page={page}"));
        HttpCall { method: Method::Get, path, headers: Vec::new(), body: None }
    }

    fn read_models(&self, body: &[u8]) -> Result<ModelPage, ProviderError> {
        let body = json_of(body)?;
        let models = body["models"].as_array().ok_or_else(unread)?;
        let models = models.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        Ok(ModelPage { models, next: body["next"].as_str().map(str::to_owned) })
    }

    fn embeddings(&self, request: &EmbeddingRequest<'_>) -> Option<HttpCall> {
        let body = json!({"model": request.model, "texts": request.texts, "dimensions": request.dimensions});
        Some(HttpCall { method: Method::Post, path: "/embed".into(), headers: Vec::new(), body: Some(body) })
    }

    fn read_embeddings(&self, body: &[u8]) -> Result<EmbeddingAnswer, ProviderError> {
        let body = json_of(body)?;
        let vectors = serde_json::from_value(body["vectors"].clone()).map_err(|_| unread())?;
        Ok(EmbeddingAnswer {
            vectors,
            usage: BilledTokens { input: body["tokens"].as_u64(), ..BilledTokens::default() },
        })
    }
}

fn json_of(body: &[u8]) -> Result<Value, ProviderError> {
    serde_json::from_slice(body).map_err(|_| unread())
}

fn unread() -> ProviderError {
    ProviderError::new("nobody", ProviderFailure::Unavailable, "it is no list")
}

struct Words;

impl AnswerReader for Words {
    fn read(&mut self, frame: &Frame) -> Result<Vec<Piece>, ProviderError> {
        let Frame::Data { data, .. } = frame else { return Ok(vec![Piece::Thinking(String::new())]) };
        let (word, rest) = data.split_once(' ').unwrap_or((data, ""));
        Ok(vec![match word {
            "text" => Piece::Text(rest.to_owned()),
            "model" => Piece::Model(rest.to_owned()),
            "end" => Piece::End,
            "usage" => {
                let counts: Vec<u64> = rest.split(' ').filter_map(|count| count.parse().ok()).collect();
                Piece::Usage(BilledTokens {
                    input: Some(counts[0]),
                    output: Some(counts[1]),
                    ..BilledTokens::default()
                })
            }
            _ => return Err(ProviderError::new("nobody", ProviderFailure::Unavailable, format!("it said {data}"))),
        }])
    }

    fn at_end(&mut self) -> Result<Vec<Piece>, ProviderError> {
        Ok(Vec::new())
    }
}
