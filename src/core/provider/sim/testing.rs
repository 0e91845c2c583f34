//! Requests and scripted providers for tests of the layers above: small, fixed, and the same everywhere.

use super::Sim;
use crate::domain::{Phase, TargetFamily};
use crate::ledger::Account;
use crate::provider::{Brief, ChatRequest, JudgeBrief, JudgeQuestion, Message, PhaseBrief, Role};

/// Creates a provider named `sim` that plays `script`.
///
/// # Panics
/// For a malformed script.
#[expect(clippy::panic, reason = "a broken script is a broken test")]
pub fn sim(script: &str) -> Sim {
    match Sim::from_yaml("sim", script) {
        Ok(sim) => sim,
        Err(error) => panic!("{error}: {error:?}"),
    }
}

/// A request for the second phase of `variant`, to find prime numbers.
pub fn request(variant: u32) -> ChatRequest {
    phase_request(Phase::Solutio, variant)
}

/// A request for one phase of `variant`, to find prime numbers.
pub fn phase_request(phase: Phase, variant: u32) -> ChatRequest {
    let input = "find prime numbers".to_owned();
    ChatRequest {
        messages: vec![
            Message { role: Role::System, content: "be brief".into() },
            Message { role: Role::User, content: input.clone() },
        ],
        model: None,
        temperature: Some(0.7),
        max_tokens: None,
        response_schema: None,
        brief: Brief::Phase(PhaseBrief {
            phase,
            phases: Phase::ALL.to_vec(),
            persona: "code".into(),
            strategy: "direct".into(),
            target: TargetFamily::Generic,
            variant,
            original_input: input.clone(),
            input,
            context: Vec::new(),
        }),
        account: Account::default(),
    }
}

/// A comparison of `a` and `b`, both meant to sort a list.
pub fn judge_request(a: &str, b: &str) -> ChatRequest {
    question(format!("A: {a}\nB: {b}"), JudgeQuestion::Compare { a: a.into(), b: b.into() })
}

/// A rating of `text`, meant to sort a list.
pub fn rate_request(text: &str) -> ChatRequest {
    question(text.into(), JudgeQuestion::Rate { text: text.into() })
}

fn question(content: String, question: JudgeQuestion) -> ChatRequest {
    ChatRequest {
        messages: vec![Message { role: Role::User, content }],
        model: None,
        temperature: Some(0.0),
        max_tokens: None,
        response_schema: None,
        brief: Brief::Judge(JudgeBrief {
            task: "sort a list".into(),
            persona: "code".into(),
            criteria: vec![("clarity".into(), 1.0)],
            question,
        }),
        account: Account::default(),
    }
}
