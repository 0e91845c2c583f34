//! Made-up prompts and runs, for tests of code that stores, lists or shows them.
//!
//! The same seed gives the same value. Every field is filled; neighbouring seeds differ in what
//! lists filter and sort by. To vary a field: `Prompt { tags: vec![…], ..samples::prompt(7) }`.

use uuid::Uuid;

use super::Session;
use crate::domain::{
    Agreement, AgreementBin, Calibration, Candidate, Conclusion, JudgeName, JudgeProfile, Judgement, JudgementId,
    LabelledMargin, ModelMetadata, PairVerdict, Phase, Prompt, PromptId, Ranking, Rating, SessionId, Source, Step,
    Timestamp,
};
use crate::time::from_millis;

/// When the sample of seed 0 was made: 2026-01-01T00:00:00Z.
pub const EPOCH_MS: i64 = 1_767_225_600_000;

/// Milliseconds between the samples of neighbouring seeds: a minute.
pub const STEP_MS: i64 = 60_000;

/// When the sample of this seed was made; later for greater seeds.
pub fn moment(seed: u32) -> Timestamp {
    from_millis(EPOCH_MS + i64::from(seed) * STEP_MS)
}

/// A version 7 id with that timestamp.
pub fn id(seed: u32) -> Uuid {
    let random = xxhash_rust::xxh3::xxh3_128_with_seed(&seed.to_le_bytes(), 0xA1).to_be_bytes();
    let mut tail = [0; 10];
    tail.copy_from_slice(&random[..10]);
    let millis = u64::try_from(moment(seed).as_millisecond()).unwrap_or_default();
    uuid::Builder::from_unix_timestamp_millis(millis, &tail).into_uuid()
}

/// The run of a sample prompt; three successive seeds (0, 1, 2) share one.
pub fn session_id(seed: u32) -> SessionId {
    SessionId(Uuid::from_u128(id(seed / 3 * 3).as_u128() ^ 1))
}

/// The run of a sample prompt.
pub fn session(seed: u32) -> Session {
    let first = seed / 3 * 3;
    Session {
        id: session_id(seed),
        operation: "generate".into(),
        original_input: prompt(first).original_input,
        phases: Phase::ALL.to_vec(),
        persona: prompt(first).persona,
        count: 3,
        created_at: moment(first),
    }
}

/// A finished variant with three steps, two tags, and an account.
pub fn prompt(seed: u32) -> Prompt {
    let content =
        format!("You are a careful editor.\n\n# Task {seed}\nWrite a haiku about the sea — über das Meer, 海.");
    let provider = ["builtin", "openai", "ollama"][seed as usize % 3];
    let steps: Vec<Step> = Phase::ALL
        .into_iter()
        .map(|phase| Step {
            phase,
            provider: provider.into(),
            model: format!("model-{}", seed % 4),
            content: if phase == Phase::Coagulatio { content.clone() } else { format!("{phase} of {seed}") },
            model_metadata: account(provider, seed),
        })
        .collect();
    Prompt {
        id: PromptId(id(seed)),
        session_id: session_id(seed),
        variant: seed % 3,
        content,
        original_input: format!("a haiku about the sea, number {}", seed / 3),
        phase: Phase::Coagulatio,
        persona: ["writing", "code"][seed as usize % 2].into(),
        provider: provider.into(),
        model: format!("model-{}", seed % 4),
        temperature: 0.7,
        max_tokens: 2000,
        tags: vec!["sea".into(), format!("tag-{}", seed % 5)],
        context: vec!["for a calendar".into()],
        notes: Some(format!("note {seed}")),
        parent_id: None,
        source: Source::Generated,
        strategy: "direct".into(),
        revision: 1,
        score: None,
        score_formula: None,
        model_metadata: ModelMetadata::sum(steps.iter().map(|step| &step.model_metadata)),
        steps,
        created_at: moment(seed),
        updated_at: moment(seed),
    }
}

/// The samples of seeds 0 to `count`.
pub fn prompts(count: u32) -> Vec<Prompt> {
    (0..count).map(prompt).collect()
}

fn account(provider: &str, seed: u32) -> ModelMetadata {
    ModelMetadata {
        provider: provider.into(),
        model: format!("model-{}", seed % 4),
        input_tokens: 100,
        output_tokens: 50 + u64::from(seed),
        total_tokens: 150 + u64::from(seed),
        cost_usd: Some(0.1 * f64::from(seed) / 3.0),
        latency_ms: 321,
        first_token_ms: Some(45),
        calls: 1,
        ..ModelMetadata::default()
    }
}

/// A judgement of the samples of these seeds, each worse than the one before it, in both orders.
pub fn judgement(seed: u32, candidates: &[u32]) -> Judgement {
    let ids: Vec<PromptId> = candidates.iter().map(|seed| PromptId(id(*seed))).collect();
    let pairs = (0..ids.len()).flat_map(|a| (0..ids.len()).filter(move |b| a != *b).map(move |b| (a, b)));
    let verdicts = pairs.map(|(a, b)| PairVerdict {
        judge: 0,
        first: ids[a],
        second: ids[b],
        margin: if a < b { 0.5 } else { -1.0 },
        criteria: [("clarity".to_owned(), 0.5)].into(),
        reasoning: format!("number {a} beside number {b}: über, 海\0"),
    });
    Judgement {
        id: JudgementId(Uuid::from_u128(id(seed).as_u128() ^ 2)),
        created_at: moment(seed),
        operation: "select".into(),
        task: format!("task {seed}"),
        persona: "writing".into(),
        rubric: "default".into(),
        criteria: [("clarity".to_owned(), 1.0)].into(),
        thorough: false,
        wanted_confidence: 0.8,
        judges: vec![judge(seed)],
        candidates: candidates
            .iter()
            .map(|seed| Candidate {
                prompt_id: PromptId(id(*seed)),
                cost_usd: Some(0.1 * f64::from(*seed) / 3.0),
                total_tokens: 150 + u64::from(*seed),
                content_hash: u64::MAX - u64::from(*seed),
                characters: 80,
            })
            .collect(),
        ratings: ids
            .iter()
            .map(|id| Rating { judge: 0, prompt_id: *id, score: 7.5, reasoning: "good".into() })
            .collect(),
        verdicts: verdicts.collect(),
        missing: 1,
        conclusion: Conclusion {
            winner: ids.first().copied().unwrap_or(PromptId(id(seed))),
            confidence: 0.1 + 0.2,
            confident: false,
            order: ids,
        },
        model_metadata: account("openai", seed),
    }
}

/// The judge of that judgement.
pub fn judge(seed: u32) -> JudgeName {
    JudgeName { provider: ["openai", "builtin"][seed as usize % 2].into(), model: format!("judge-{}", seed % 3) }
}

/// The profile of that judge.
pub fn profile(seed: u32) -> JudgeProfile {
    JudgeProfile {
        judge: judge(seed),
        audited_at: moment(seed),
        position_bias: Some(0.1 + 0.2),
        swap_consistency: (!seed.is_multiple_of(3)).then_some(0.75),
        length_slope: Some(0.25),
        self_preference: seed.is_multiple_of(2).then_some(0.125),
        stability: Some(1.0),
        sensitivity: Some(0.9),
        robustness: Some(1.0),
        missing: 0,
        asked: 40,
        usable: true,
        faults: vec!["likes length".into()],
        labels: seed.is_multiple_of(2).then(|| agreement(seed)),
        calibration: seed.is_multiple_of(2).then(calibration),
        model_metadata: account("openai", seed),
    }
}

/// A sample calibration.
pub fn calibration() -> Calibration {
    Calibration {
        signal: 0.7,
        signal_error: 0.1 + 0.02,
        pair_scatter: 2.5,
        rating_scatter: 1.5,
        joint_scatter: -0.25,
        degrees: 20.0,
        length_error: 0.0625,
    }
}

/// How a judge agrees with a person.
pub fn agreement(seed: u32) -> Agreement {
    Agreement {
        asked_at: moment(seed),
        pairs: 2,
        missing: 1,
        agreement: 0.75,
        interval: [0.25, 0.9],
        expected_by_chance: 0.1 + 0.2,
        kappa: Some(0.5),
        kappa_error: None,
        slope: 1.5,
        slope_error: 0.75,
        bins: vec![AgreementBin {
            from: 0.25,
            to: 0.5,
            pairs: 2,
            agreed: 0.75,
            interval: [0.25, 0.9],
            expected: Some(0.625),
        }],
        observations: vec![LabelledMargin { margin: 0.5, choice: 1 }, LabelledMargin { margin: -0.375, choice: 0 }],
        model_metadata: account("openai", seed),
    }
}

/// A vector of length one, in a different direction for every seed.
pub fn vector(seed: u64, dimensions: u32) -> Vec<f32> {
    let number = |place: u32| {
        let hash = xxhash_rust::xxh3::xxh3_64_with_seed(&place.to_le_bytes(), seed);
        f64::from(u32::try_from(hash >> 32).unwrap_or_default()) / f64::from(u32::MAX) - 0.5
    };
    let numbers: Vec<f64> = (0..dimensions).map(number).collect();
    let length = numbers.iter().map(|number| number * number).sum::<f64>().sqrt();
    #[expect(clippy::cast_possible_truncation, reason = "at most one")]
    numbers.into_iter().map(|number| (number / length) as f32).collect()
}

/// A ranking with no components.
pub fn ranking(prompt_id: PromptId, rank: u32, score: f64) -> Ranking {
    let (components, weights) = Default::default();
    Ranking { prompt_id, rank, level: rank, score, components, weights, checks: Vec::new(), formula: 1 }
}
