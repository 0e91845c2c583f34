//! Asks a judge for the sound prompts in its own words, to test for self-preference.

use futures_util::StreamExt;

use super::{Case, Failures};
use crate::domain::{ModelMetadata, Phase, TargetFamily};
use crate::error::{Error, Result};
use crate::judge::ask::AnswerError;
use crate::judge::{Judge, Judging};
use crate::provider::{Brief, ChatRequest, Message, PhaseBrief, Role, complete};

/// The instruction to restate a prompt.
const RESTATE: &str = "Say the prompt that you are given in your own words. Keep every demand, limit, name and format, add \
                       none, and stay at about its length. Answer with the prompt alone.";
/// The token limit of a restated prompt.
const OWN_TOKENS: u32 = 1000;
/// The most bytes of a restated prompt, at four a token.
pub const OWN_BYTES: u64 = 4 * OWN_TOKENS as u64;

/// Adds the judge's own words to the cases, where it gives them, with the metadata of the calls.
///
/// # Errors
/// `budget_exceeded`; after too many `failures` in a row as [`super::audit`].
pub async fn in_own_words(
    judging: &Judging,
    judge: &Judge,
    cases: Vec<Case>,
    failures: &mut Failures,
) -> Result<(Vec<Case>, Vec<ModelMetadata>)> {
    let asked = cases.into_iter().map(|case| async {
        let answer = complete(&*judge.provider, restating(judging, judge, &case)).await;
        (case, answer)
    });
    let mut answers = futures_util::stream::iter(asked).buffered(judging.max_concurrency.max(1));
    let (mut told, mut spent) = (Vec::new(), Vec::new());
    while let Some((mut case, answer)) = answers.next().await {
        match answer {
            Ok((text, completion)) => {
                spent.push(completion.metadata());
                if text.trim().is_empty() {
                    failures.add(judge, AnswerError::Unreadable("it is empty".to_owned()))?;
                } else {
                    failures.end();
                    case.own = Some(text);
                }
            }
            Err(error) => {
                let error = Error::from(error);
                tracing::debug!(%error, "the judge gave no text of its own");
                failures.add(judge, AnswerError::Failed(error))?;
            }
        }
        told.push(case);
    }
    Ok((told, spent))
}

fn restating(judging: &Judging, judge: &Judge, case: &Case) -> ChatRequest {
    ChatRequest {
        messages: vec![
            Message { role: Role::System, content: RESTATE.to_owned() },
            Message { role: Role::User, content: case.good.clone() },
        ],
        model: judge.model.clone(),
        temperature: None,
        max_tokens: Some(OWN_TOKENS),
        response_schema: None,
        brief: Brief::Phase(PhaseBrief {
            phase: Phase::Solutio,
            phases: vec![Phase::Solutio],
            persona: judging.persona.clone(),
            strategy: "direct".to_owned(),
            target: TargetFamily::Generic,
            variant: 0,
            original_input: case.good.clone(),
            input: case.good.clone(),
            context: Vec::new(),
        }),
        account: judging.account.clone(),
    }
}
