//! Recognises errors for a prompt that exceeds the model's context, by the servers' phrases.
//!
//! Only some use a specific code, and a proxy may change the status but keeps the message. Phrases
//! are matched in lower case, anywhere in the message. Limits on tokens per minute are worded alike
//! but excluded: the same prompt passes later.
//!
//! Sources, read on 2026-11-22: the servers' issue trackers, for vLLM `xorbitsai/inference#3785` and
//! `EleutherAI/lm-evaluation-harness#2880`, for llama.cpp `ggml-org/llama.cpp#15780`, for LM Studio
//! `lmstudio-ai/lmstudio-bug-tracker#546` and `anomalyco/opencode#2259`, for llama-cpp-python
//! `abetlen/llama-cpp-python#416`, for Qwen's `max_seq_len` `sjzar/chatlog#30`; and the list of wordings that
//! `openxjarvis/pi-mono-python` keeps (`packages/ai/src/pi_ai/utils/overflow.py`).

/// Phrases that are sufficient alone.
const PHRASES: [&str; 24] = [
    // OpenAI, OpenRouter, DeepSeek, Mistral, vLLM, LM Studio, Ollama, llama.cpp and most that follow them.
    "context length",
    "context_length_exceeded",
    "context window",
    "context_window_exceeded",
    "context size",
    "maximum context",
    "max context",
    "context overflow",
    // Anthropic.
    "prompt is too long",
    "exceed context limit",
    "exceeds the context limit",
    // Ollama.
    "prompt too long",
    // Google.
    "exceeds the maximum number of tokens",
    "input context is too long",
    // vLLM.
    "maximum model length",
    // xAI.
    "maximum prompt length",
    // Groq, Cerebras.
    "reduce the length of the messages",
    // Amazon Bedrock.
    "input is too long",
    "too many input tokens",
    // GitHub Copilot.
    "prompt token count",
    // Kimi.
    "exceeded model token limit",
    // Qwen, by vLLM's older server and by its own.
    "must be less than max_seq_len",
    "range of input length should be",
    // Text Generation Inference.
    "`max_new_tokens` must be <=",
];

/// Phrases of a rate limit.
const RATES: [&str; 6] = ["per min", "per day", "(tpm)", "rate limit", "rate_limit", "throttl"];

/// True if the message says that the prompt, or prompt and answer, exceed the context.
pub(super) fn says_too_long(said: &str) -> bool {
    let said = said.to_ascii_lowercase();
    PHRASES.iter().any(|phrase| said.contains(phrase)) && !RATES.iter().any(|rate| said.contains(rate))
}

/// True for the statuses such errors come with; in a stream there is none.
pub(super) fn may_be_too_long(status: Option<u16>) -> bool {
    status.is_none_or(|status| matches!(status, 200..300 | 400 | 413 | 422 | 500))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::error::{ProviderError, ProviderFailure};
    use crate::provider::frame::Frame;
    use crate::provider::wire::Wire;
    use crate::provider::wire::anthropic::Anthropic;
    use crate::provider::wire::google::Google;
    use crate::provider::wire::messages::failure;
    use crate::provider::wire::ollama::Ollama;
    use crate::provider::wire::openai::OpenAi;
    use crate::provider::wire::openrouter::OpenRouter;

    /// Messages as quoted by the sources.
    const MESSAGES: [(&str, &str); 27] = [
        (
            "OpenAI",
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 8545 tokens.",
        ),
        ("OpenAI", "Your input exceeds the context window of this model. Please adjust your input and try again."),
        ("Anthropic", "prompt is too long: 213462 tokens > 200000 maximum"),
        ("Anthropic", "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"),
        ("Google", "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."),
        ("Google", "The input token count exceeds the maximum number of tokens allowed 32768."),
        (
            "OpenRouter",
            "This endpoint's maximum context length is 32768 tokens. However, you requested about 90000 tokens.",
        ),
        ("Ollama", "the input length exceeds the context length"),
        ("Ollama", "prompt too long; exceeded max context length by 100918 tokens"),
        (
            "Ollama over llama.cpp",
            "request (5010 tokens) exceeds the available context size (4096 tokens), try increasing it",
        ),
        ("vLLM", "The decoder prompt (length 21535) is longer than the maximum model length of 16384."),
        ("vLLM", "Prompt length of 5016 is longer than the maximum model length of 4096."),
        (
            "llama.cpp",
            "the request exceeds the available context size. try increasing the context size or enable context shift",
        ),
        ("llama.cpp", "Context size has been exceeded."),
        ("llama-cpp-python", "Requested tokens (2285) exceed context window of 2048"),
        (
            "LM Studio",
            "Trying to keep the first 10136 tokens when context the overflows. However, the model is loaded with context length of only 7866 tokens, which is not enough.",
        ),
        ("LM Studio", "The number of tokens to keep from the initial prompt is greater than the context length."),
        ("SGLang", "The input (516368 tokens) is longer than the model's context length (262144 tokens)."),
        (
            "TGI",
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens",
        ),
        ("xAI", "This model's maximum prompt length is 131072 but the request contains 537812 tokens."),
        ("Groq", "Please reduce the length of the messages or completion."),
        (
            "Mistral",
            "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
        ),
        ("Bedrock", "Input is too long for requested model."),
        ("Copilot", "prompt token count of 135000 exceeds the limit of 128000"),
        ("Kimi", "Your request exceeded model token limit: 262144 (requested: 300000)"),
        ("Qwen", "length of prompt_tokens (163280) must be less than max_seq_len (32768)."),
        ("MiniMax", "invalid params, context window exceeds limit"),
    ];

    fn wires() -> [(&'static str, Box<dyn Wire>); 5] {
        [
            ("openai", Box::new(OpenAi::new("p", false))),
            ("anthropic", Box::new(Anthropic::new("p"))),
            ("google", Box::new(Google::new("p"))),
            ("openrouter", Box::new(OpenRouter::new("p"))),
            ("ollama", Box::new(Ollama::new("p"))),
        ]
    }

    /// A vendor's error body for this status.
    fn body(wire: &str, status: u16, message: &str) -> String {
        match wire {
            "anthropic" => json!({"type": "error", "error": {"type": "invalid_request_error", "message": message}}),
            "google" => json!({"error": {"code": status, "status": "INVALID_ARGUMENT", "message": message}}),
            "openrouter" => json!({"error": {"code": status, "message": message}}),
            "ollama" => json!({"error": message}),
            _ => json!({"error": {"message": message, "type": "invalid_request_error", "param": null, "code": null}}),
        }
        .to_string()
    }

    fn check(error: &ProviderError, of: &str) {
        assert_eq!(error.failure, ProviderFailure::Rejected, "{of}: {error}");
        assert!(error.message.contains("longer than the model's context"), "{of}: {error}");
        assert_eq!(error.refused_parameter, None, "{of}: asking again without a parameter mends nothing");
    }

    #[test]
    fn every_vendors_words_are_known_at_every_protocol() {
        for (wire_name, wire) in wires() {
            for (server, said) in MESSAGES {
                for status in [400, 500] {
                    let error = failure(&*wire, status, &[], &body(wire_name, status, said));
                    check(&error, &format!("{server} by {wire_name}, {status}: {said}"));
                }
            }
        }
    }

    #[test]
    fn they_are_known_in_the_middle_of_a_stream() {
        for (wire_name, wire) in wires() {
            for (server, said) in MESSAGES {
                let event = if wire_name == "anthropic" { "error" } else { "" };
                let frame = Frame::Data { event: event.to_owned(), data: body(wire_name, 400, said) };
                let error = wire.reader().read(&frame).unwrap_err();
                check(&error, &format!("{server} by {wire_name}: {said}"));
            }
        }
    }

    #[test]
    fn a_limit_of_tokens_in_a_time_and_other_refusals_are_something_else() {
        for said in [
            "Request too large for gpt-6-sol on tokens per min (TPM): Limit 30000, Requested 40000. The input is too long.",
            "This request would exceed your organization's rate limit of 30,000 input tokens per minute",
            "max_tokens: 9 > 8, which is the maximum allowed number of output tokens",
            "Unsupported parameter: 'temperature'",
            "model 'long-context' not found",
            "",
        ] {
            assert!(!says_too_long(said), "{said}");
        }
        assert!(may_be_too_long(None) && !may_be_too_long(Some(429)) && !may_be_too_long(Some(401)));
    }
}
