//! Sample replies of the core for the Providers, Spend and Jobs screens.

use aludel_core::domain::{
    Job, JobDetails, JobState, Operation, Phase, ProviderCheck, ProviderCheckName, ProviderCheckStatus, ProviderInfo,
    ProviderKind, ProviderTest, SpendBy, SpendCaps, SpendLine, SpendReport, SpendTotals, Spread, StatsTotals,
};
use aludel_core::engine::ProviderDetails;
use aludel_core::ledger::Price;
use aludel_core::probe::KeySource;
use aludel_core::time::from_millis;
use serde_json::json;

use crate::tui::model::jobs::JobListing;
use crate::tui::model::spend::{Day, Spent};

/// A usable provider, one without a key, and the embedded one.
pub(crate) fn provider_details() -> Vec<ProviderDetails> {
    let price = Price { input: 1.25, output: 10.0, cached_input: 0.1, cache_write: 1.25, above: None };
    let missing = || KeySource::Missing { variables: vec!["ANTHROPIC_API_KEY".into()] };
    vec![
        ProviderDetails {
            is_configured: true,
            phases: Phase::ALL.to_vec(),
            price: Some(price),
            ..provider(ProviderKind::OpenAi, KeySource::Variable("OPENAI_API_KEY".into()), None)
        },
        ProviderDetails {
            fallback_of: vec![Phase::Solutio],
            ..provider(ProviderKind::Anthropic, missing(), Some("it has no key; set ANTHROPIC_API_KEY"))
        },
        ProviderDetails { price: Some(Price::FREE), ..provider(ProviderKind::Builtin, KeySource::NotNeeded, None) },
    ]
}

/// A provider of this kind; `reason` says why it cannot be used.
pub(crate) fn provider(kind: ProviderKind, key: KeySource, reason: Option<&str>) -> ProviderDetails {
    let networked = kind != ProviderKind::Builtin;
    let info = ProviderInfo {
        name: kind.as_str().to_owned(),
        available: reason.is_none(),
        supports_embeddings: kind != ProviderKind::Anthropic,
        models: if networked { vec!["large-1".into(), "small-1".into()] } else { vec!["builtin-1".into()] },
        kind,
        default_model: Some(if networked { "small-1".into() } else { "builtin-1".into() }),
        base_url: networked.then(|| format!("https://api.{kind}.example/v1")),
        reason: reason.map(str::to_owned),
    };
    ProviderDetails { info, is_configured: false, key, phases: Vec::new(), fallback_of: Vec::new(), price: None }
}

/// The result of a test call.
pub(crate) fn provider_test(ok: bool) -> ProviderTest {
    let check = |name, status, detail: &str| ProviderCheck { name, status, detail: detail.into() };
    let streaming = if ok { ProviderCheckStatus::Ok } else { ProviderCheckStatus::Failed };
    ProviderTest {
        name: "openai".into(),
        kind: ProviderKind::OpenAi,
        model: Some("small-1".into()),
        base_url: None,
        tested: true,
        ok,
        latency_ms: Some(2_100),
        first_token_ms: Some(180),
        total_tokens: Some(40),
        cost_usd: Some(0.000_4),
        checks: vec![
            check(ProviderCheckName::Key, ProviderCheckStatus::Ok, "accepted"),
            check(ProviderCheckName::Streaming, streaming, "text came in 7 pieces"),
            check(ProviderCheckName::Embeddings, ProviderCheckStatus::Skipped, "no model is set"),
        ],
        warnings: vec!["the model takes no temperature".into()],
    }
}

/// A month of spending.
pub(crate) fn spent(by: SpendBy) -> Spent {
    let keys: [(&str, f64); 4] =
        [("gpt-6-luna", 2.11), ("claude-haiku-5-5", 0.71), ("gemini-3.8-flash", 0.34), ("builtin-1", 0.0)];
    let lines = keys
        .iter()
        .zip([398, 377, 122, 960])
        .map(|((key, cost), calls)| SpendLine { key: (*key).to_owned(), totals: totals(calls, *cost) });
    let total =
        SpendTotals { unpriced: 2, cost_usd: None, unseen: 1, unseen_usd: 0.004, failed: 3, ..totals(1_857, 3.16) };
    let caps = SpendCaps {
        daily_budget_usd: Some(5.0),
        used_today_usd: 1.254_2,
        left_today_usd: Some(3.745_8),
        preflight_usd: Some(1.0),
    };
    let report = SpendReport { by, since: None, until: None, lines: lines.collect(), total, caps };
    let days = (1..=31_u32).map(|day| Day {
        name: format!("10-{day:02}"),
        cost_usd: f64::from(day * 7 % 11) / 20.0,
        tokens: u64::from(day * 7 % 11) * 1_000,
    });
    Spent { report, days: days.collect(), stored: stored() }
}

fn totals(calls: u64, cost: f64) -> SpendTotals {
    SpendTotals {
        calls,
        failed: 0,
        unseen: 0,
        unpriced: 0,
        input_tokens: calls * 1_400,
        output_tokens: calls * 520,
        cost_usd: Some(cost),
        known_cost_usd: cost,
        unseen_usd: 0.0,
    }
}

/// Totals of stored prompts.
pub(crate) fn stored() -> StatsTotals {
    let spread =
        Spread { count: 9, min: 90, p50: 2_100, p90: 7_000, p95: 9_400, p99: 12_000, max: 12_000, mean: 3_000.0 };
    StatsTotals {
        prompts: 1_204,
        steps: 3_612,
        calls: 3_600,
        retries: 4,
        cached: 12,
        fallbacks: 1,
        estimated: 0,
        input_tokens: 1_000_000,
        output_tokens: 345_678,
        total_tokens: 1_345_678,
        unpriced: 0,
        cost_usd: Some(3.1),
        known_cost_usd: 3.1,
        latency_ms: Some(spread),
        first_token_ms: None,
        output_tokens_per_s: None,
    }
}

/// When the sample jobs are viewed: an hour past midnight.
const LOOKED_AT_MS: i64 = 1_795_568_400_000;

/// A job in this state, begun this many seconds before it is viewed.
pub(crate) fn job(number: u32, state: JobState, operation: Operation, ago_s: i64) -> Job {
    let begun = from_millis(LOOKED_AT_MS - ago_s * 1_000);
    let total = if operation == Operation::Select { None } else { Some(3) };
    Job {
        id: format!("01932c07-7d1c-7c3e-8a51-0e4b{number:08x}").parse().unwrap(),
        operation,
        state,
        about: "Write a prompt that makes a model review Rust pull requests like a senior engi…".into(),
        done: if state == JobState::Finished { 3 } else { u64::from(number % 3) },
        failed: u64::from(state == JobState::Failed),
        total,
        kept: operation == Operation::Generate,
        attempt: 1 + number % 2,
        owner: state.is_active().then(|| "process 4242".to_owned()),
        created_at: begun,
        updated_at: begun,
        ended_at: state.has_ended().then(|| from_millis(LOOKED_AT_MS - ago_s * 500)),
    }
}

/// A job of each state, generations and selections, the newest first.
pub(crate) fn jobs() -> JobListing {
    let operation = |number: u32| if number % 3 == 2 { Operation::Select } else { Operation::Generate };
    let one = |(number, state)| job(number, state, operation(number), 40 * 17_i64.pow(number - 1));
    JobListing { jobs: (1..).zip(JobState::ALL).map(one).collect(), at: from_millis(LOOKED_AT_MS) }
}

/// The same job with its request and result.
pub(crate) fn job_details(job: Job) -> JobDetails {
    let prompts = [super::prompt(1, super::TEXTS[1], Some(0.87)), super::prompt(0, super::TEXTS[0], Some(0.81))];
    let request = match job.operation {
        Operation::Select => json!({ "prompt_ids": [prompts[0].id, prompts[1].id], "task_description": "to review" }),
        _ => json!({ "input": "Write a prompt", "count": 3, "tags": [], "persona": null, "auto_select": false }),
    };
    let result = json!({ "prompts": prompts, "model_metadata": super::metadata(540) });
    let error = json!({ "code": "provider_unavailable", "detail": "the server answered 529, overloaded" });
    JobDetails {
        request,
        result: (job.state == JobState::Finished).then_some(result),
        error: (job.state == JobState::Failed).then_some(error),
        job,
    }
}
