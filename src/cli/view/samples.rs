//! Sample results for the tests of the views.

use aludel_core::domain::{GenerationResult, Prompt};
use serde_json::{Value, json};

/// A prompt whose id ends in `end`.
pub(crate) fn prompt(end: &str, variant: u32, strategy: &str, content: &str, score: f64) -> Prompt {
    serde_json::from_value(raw_prompt(end, variant, strategy, content, score)).unwrap()
}

fn raw_prompt(end: &str, variant: u32, strategy: &str, content: &str, score: f64) -> Value {
    json!({
        "id": format!("01932c07-7d1c-7c3e-8a51-0e4b{end}"),
        "session_id": "01932c07-0000-7000-8000-000000000000",
        "variant": variant, "content": content, "original_input": "Announce our move\nto Lyon", "phase": "solutio",
        "persona": "writing", "provider": "openai", "model": "gpt-6", "temperature": 0.7, "max_tokens": 2000,
        "tags": ["move", "mail"], "context": [], "notes": "Sent on Monday", "parent_id": null, "source": "generated",
        "strategy": strategy, "revision": 2, "score": score,
        "steps": [
            { "phase": "prima-materia", "provider": "openai", "model": "gpt-6", "content": "Task: announce.",
              "model_metadata": metadata(300) },
            { "phase": "solutio", "provider": "openai", "model": "gpt-6", "content": content,
              "model_metadata": metadata(700) }
        ],
        "model_metadata": metadata(1000),
        "created_at": "2026-11-21T08:30:00Z", "updated_at": "2026-11-21T09:00:00Z"
    })
}

fn metadata(tokens: u64) -> Value {
    json!({
        "provider": "openai", "model": "gpt-6", "input_tokens": tokens / 2, "output_tokens": tokens / 2,
        "total_tokens": tokens, "cost_usd": 0.0021, "latency_ms": 850, "first_token_ms": 90, "calls": 2, "retries": 1,
        "cached": false, "fallback_from": null, "estimated": false, "embedding_provider": null,
        "embedding_model": null
    })
}

/// A result of two prompts, a failure and a warning.
pub(crate) fn result() -> GenerationResult {
    let best = "You write for our customers.\n\n- Say that we move to Lyon, when, and what changes for them; keep it under 150 words.\n\n```text\nSubject: We are moving, and this line of an example stays as long as it is\n```";
    let prompts = vec![
        prompt("7a3f9c21", 2, "structured", best, 0.91),
        prompt("5e0b44d9", 0, "direct", "Announce the move.", 0.74),
    ];
    let ranking = |prompt: &Prompt, rank: u32, coverage: f64, clarity: f64| {
        json!({
            "prompt_id": prompt.id, "rank": rank, "level": rank, "score": prompt.score,
            "components": { "coverage": coverage, "clarity": clarity },
            "weights": { "coverage": 0.6, "clarity": 0.4 }
        })
    };
    let rankings = json!([ranking(&prompts[0], 1, 0.95, 0.85), ranking(&prompts[1], 2, 0.7, 0.8)]);
    serde_json::from_value(json!({
        "session_id": "01932c07-0000-7000-8000-000000000000",
        "prompts": prompts,
        "rankings": rankings,
        "selected": null,
        "failures": [{
            "variant": 1, "phase": "solutio",
            "error": {
                "type": "urn:aludel:error:provider_timeout", "title": "The provider did not answer in time",
                "status": 504, "detail": "provider `openai`: no answer for 120 s; try again, or raise `timeout_s`",
                "code": "provider_timeout"
            }
        }],
        "warnings": ["`gpt-6` takes no temperature; it was left out"],
        "model_metadata": metadata(12_345)
    }))
    .unwrap()
}
