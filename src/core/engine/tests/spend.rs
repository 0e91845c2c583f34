//! Spend: the caps of a request and of a day, and what is recorded.

use super::*;
use crate::domain::SpendBy;
use crate::ledger::Money;
use crate::store::{SpendQuery, SpendRow};

const PRICED: &str =
    "answer: {words: 40}\nprice: {input: 1.0, output: 10.0}\nusage: {input_tokens: 500, output_tokens: 40}\n";
/// The cost of a call of [`PRICED`] in US dollars.
const A_CALL: f64 = 0.0009;

impl Home {
    /// A home that runs all phases with a script, one variant at a time.
    fn scripted(script: &str, more: &str) -> Self {
        let home = Self::new();
        std::fs::write(home.folder.path().join("lab.yaml"), script).unwrap();
        let config = format!(
            "providers:\n  lab: {{kind: sim, script: lab.yaml, max_retries: 0}}\ngeneration: {{use_parallel: false}}\n{more}"
        );
        std::fs::write(home.folder.path().join("config.yaml"), config).unwrap();
        home
    }
}

async fn failure(engine: &Engine, raw: Value) -> crate::error::Problem {
    let mut run = engine.generate(engine.decode(raw).unwrap()).unwrap();
    let mut last = None;
    while let Some(event) = run.next().await {
        last = Some(event.kind);
    }
    match last {
        Some(EventKind::Failed { error }) => *error,
        other => panic!("the run ended with {other:?}"),
    }
}

async fn written(engine: &Engine) -> SpendRow {
    // The store does this after everything requested before.
    engine.store().withdraw_call(uuid::Uuid::nil()).await.unwrap();
    engine.store().spend(SpendQuery::default()).await.unwrap().remove(0)
}

#[tokio::test]
async fn a_cap_of_calls_keeps_what_was_finished_and_names_itself_in_the_failures() {
    let home = Home::scripted(PRICED, "");
    let engine = home.engine();
    let result = generate(&engine, json!({ "input": "Name a boat", "count": 3, "max_calls": 4 })).await.unwrap();
    assert_eq!(result.prompts.len(), 1);
    assert_eq!(&show(&engine, "@last").await.unwrap(), &result.prompts[0], "stored and ranked");
    assert!(result.prompts[0].score.is_some());
    let failed: Vec<_> = result.failures.iter().map(|failure| (failure.variant, failure.error.code)).collect();
    assert_eq!(failed, [(1, Code::BudgetExceeded), (2, Code::BudgetExceeded)]);
    assert!(result.failures[0].error.detail.contains("cap of 4 calls"), "{}", result.failures[0].error.detail);
    assert_eq!(written(&engine).await.calls, 3, "the fourth would have bought nothing");
    assert_eq!(result.warnings.len(), 1);
    assert!(result.warnings[0].starts_with("the cap buys 1 of 3 variants"), "{:?}", result.warnings);
    assert!(result.warnings[0].contains("`max_calls` of at least 9"), "{:?}", result.warnings);
}

#[tokio::test]
async fn a_cap_of_dollars_is_never_passed_and_leaves_nothing_unspent_that_fits() {
    let home = Home::scripted(PRICED, "");
    let engine = home.engine();
    // The worst case is a token for each byte of the messages, and 40 tokens: about 0.4 cents.
    let raw = json!({ "input": "Name a boat", "count": 4, "budget_usd": 0.012, "max_tokens": 40 });
    let result = generate(&engine, raw).await.unwrap();
    assert!(result.failures.iter().all(|failure| failure.error.code == Code::BudgetExceeded));
    let spent = written(&engine).await;
    assert!((4..12).contains(&spent.calls), "{spent:?}");
    assert_eq!(spent.cost, Money::from_nanos(900_000 * spent.calls));
    assert!(spent.cost.dollars() <= 0.012);
}

#[tokio::test]
async fn a_run_that_no_cap_lets_begin_fails_with_the_cap() {
    let home = Home::scripted(PRICED, "");
    let engine = home.engine();
    let problem = failure(&engine, json!({ "input": "Name a boat", "budget_usd": A_CALL })).await;
    assert_eq!((problem.code, problem.status), (Code::BudgetExceeded, 422));
    assert!(
        problem.detail.contains("budget of $0.0009") && problem.detail.contains("`budget_usd`"),
        "{}",
        problem.detail
    );
    assert_eq!(written(&engine).await.calls, 0);
}

#[tokio::test]
async fn an_unknown_price_needs_an_assumed_one_under_a_budget() {
    let home = Home::scripted("answer: {words: 40}\n", "");
    let engine = home.engine();
    let raw = json!({ "input": "Name a boat", "count": 1, "budget_usd": 1 });
    let problem = failure(&engine, raw.clone()).await;
    assert!(problem.code == Code::BudgetExceeded && problem.detail.contains("assume_price"), "{}", problem.detail);
    let mut assuming = raw;
    assuming["assume_price"] = json!(5);
    let result = generate(&engine, assuming).await.unwrap();
    assert_eq!(result.model_metadata.cost_usd, None, "what is assumed is not told as a cost");
    let spent = written(&engine).await;
    assert_eq!((spent.calls, spent.unpriced, spent.cost), (3, 3, Money::ZERO));
}

/// The second call of the first variant and every call of the second are never answered.
const PRICED_AND_HANGING: &str = "
answer: {words: 40}
price: {input: 1.0, output: 10.0}
usage: {input_tokens: 500, output_tokens: 40}
rules:
  - {when: {variant: 0, phase: solutio}, fault: hang}
";

#[tokio::test]
async fn a_run_that_is_stopped_tells_what_the_calls_under_way_may_have_cost() {
    // The second call has streamed a first chunk, so it is certainly under way.
    let begun = PRICED_AND_HANGING.replace("fault: hang", "fault: {kind: hang, after_chunks: 1}");
    let home = Home::scripted(&begun, "spend: {daily_budget_usd: 10}\n");
    let engine = home.engine();
    let request = engine.decode(json!({ "input": "Name a boat", "count": 1, "max_tokens": 40 })).unwrap();
    let mut run = engine.generate(request).unwrap();
    let mut view = crate::event::RunView::default();
    while let Some(event) = run.next().await {
        if matches!(&event.kind, EventKind::Delta { phase, .. } if *phase == crate::domain::Phase::Solutio) {
            run.control().cancel_all();
        }
        view.apply(&event);
    }
    assert_eq!(view.state, crate::event::RunState::Cancelled);
    let account = view.account();
    assert_eq!((account.calls, account.cost_usd), (1, Some(A_CALL)), "what is known to be paid");
    let most = account.most_usd.expect("the other call may have been paid for");
    let booked = written(&engine).await;
    assert!((most - (booked.cost + booked.unseen_cost).dollars()).abs() < 1e-9, "{most} {booked:?}");
    assert!(most > A_CALL + 0.0004, "40 tokens alone cost as much: {most}");
}

#[tokio::test]
async fn a_result_tells_what_calls_that_were_cut_off_may_have_cost() {
    let cut = PRICED_AND_HANGING.replace("hang", "cut");
    let home = Home::scripted(&cut, "");
    let engine = home.engine();
    let result = generate(&engine, json!({ "input": "Name a boat", "count": 2, "max_tokens": 40 })).await.unwrap();
    let (cost, most) = (result.model_metadata.cost_usd.unwrap(), result.model_metadata.most_usd.unwrap());
    assert!((cost - 4.0 * A_CALL).abs() < 1e-9 && most > cost, "{cost} {most}");
    let whole = Home::scripted(PRICED, "");
    let result = generate(&whole.engine(), json!({ "input": "Name a boat", "count": 1 })).await.unwrap();
    assert_eq!(result.model_metadata.most_usd, None, "every call was seen to its end");
    assert!(!serde_json::to_string(&result).unwrap().contains("most_usd"), "and nothing is added to the answer");
}

#[tokio::test]
async fn what_may_have_cost_is_unknown_where_a_price_is() {
    let home = Home::scripted("rules:\n  - {when: {variant: 1}, fault: cut}\nanswer: {words: 40}\n", "");
    let result = generate(&home.engine(), json!({ "input": "Name a boat", "count": 2 })).await.unwrap();
    assert_eq!((result.model_metadata.cost_usd, result.model_metadata.most_usd), (None, None));
}

#[tokio::test]
async fn the_judge_is_paid_by_the_same_account() {
    let home = Home::scripted(PRICED, "judge: {provider: builtin}\n");
    let engine = home.engine();
    let raw = json!({ "input": "Name a boat", "count": 2, "auto_select": true, "max_calls": 8 });
    let result = generate(&engine, raw).await.unwrap();
    assert_eq!((result.prompts.len(), result.failures.len()), (2, 0));
    assert!(result.selected.is_some() && result.model_metadata.calls == 8, "{:?}", result.model_metadata);
    assert_eq!(written(&engine).await.calls, 6, "what is part of the program is not written down");
}

#[tokio::test]
async fn what_the_judge_needs_at_least_is_kept_back_from_the_variants() {
    let home = Home::scripted(PRICED, "judge: {provider: builtin}\n");
    let engine = home.engine();
    // Two variants and a comparison in both orders take 8 calls; three and their six take 15.
    for (max_calls, made, asked) in [(7, 1, 3), (8, 2, 8), (14, 2, 8), (15, 3, 15)] {
        let raw = json!({ "input": "Name a boat", "count": 3, "auto_select": true, "max_calls": max_calls });
        let result = generate(&engine, raw).await.unwrap();
        assert_eq!((result.prompts.len(), result.failures.len()), (made, 3 - made), "{max_calls}");
        assert!(result.selected.is_some(), "{max_calls}: the judge could not choose");
        assert_eq!(result.model_metadata.calls, asked, "{max_calls}");
    }
}

#[tokio::test]
async fn the_daily_budget_holds_for_all_runs_together() {
    let home = Home::scripted(PRICED, "spend: {daily_budget_usd: 0.01}\n");
    let raw = json!({ "input": "Name a boat", "count": 1, "max_tokens": 40 });
    for run in 0.. {
        assert!(run < 4, "the cap lets everything out");
        // Each in its own engine, as if in its own process.
        let clock = Arc::new(FixedClock::ticking_from(1_700_000_000_000));
        let engine = Engine::open_with(home.engine().inner.loaded.clone(), clock, Arc::new(crate::ids::SystemIds));
        let mut run = engine.generate(engine.decode(raw.clone()).unwrap()).unwrap();
        let mut view = RunView::default();
        while let Some(event) = run.next().await {
            view.apply(&event);
        }
        let spent = written(&engine).await;
        assert!(spent.cost.dollars() <= 0.01);
        if let crate::event::RunState::Failed(problem) = view.state {
            assert!(problem.detail.contains("daily budget of $0.01"), "{}", problem.detail);
            assert!(spent.calls >= 3, "{spent:?}");
            break;
        }
    }
}

#[tokio::test]
async fn every_call_is_written_down_with_what_it_was_for_and_survives_its_prompts() {
    let home = Home::scripted(PRICED, "");
    let engine = home.engine();
    generate(&engine, json!({ "input": "Name a boat", "count": 1, "tags": ["sea"], "auto_select": true }))
        .await
        .unwrap();
    engine.delete(engine.decode(json!({ "all": true })).unwrap()).await.unwrap();
    let keys = |by| {
        let query = SpendQuery { by: Some(by), ..SpendQuery::default() };
        let rows = engine.store().spend(query).wait().unwrap();
        rows.into_iter().map(|row| (row.key, row.calls)).collect::<std::collections::BTreeMap<_, _>>()
    };
    let expected = |rows: &[(&str, u64)]| rows.iter().map(|(key, calls)| ((*key).to_owned(), *calls)).collect();
    assert_eq!(keys(SpendBy::Phase), expected(&[("coagulatio", 1), ("prima-materia", 1), ("solutio", 1)]));
    assert_eq!(keys(SpendBy::Tag), expected(&[("sea", 3)]));
    assert_eq!(keys(SpendBy::Command), expected(&[("generate", 3)]));
    assert_eq!(keys(SpendBy::Provider), expected(&[("lab", 3)]));
}

#[tokio::test]
async fn the_embedded_writer_counts_as_calls_and_is_not_written_down() {
    let home = Home::new();
    let engine = home.engine();
    let raw = json!({ "input": "Name a boat", "count": 2, "max_calls": 5, "budget_usd": 0.000_001, "save": false });
    let result = generate(&engine, raw).await.unwrap();
    assert_eq!((result.prompts.len(), result.failures.len()), (1, 1));
    engine.close().await.unwrap();
    assert_eq!(std::fs::read_dir(home.folder.path()).unwrap().count(), 0, "no disk for what is free");
}

/// A home whose variants run concurrently.
fn side_by_side(script: &str) -> Home {
    let home = Home::scripted(script, "");
    let config = home.folder.path().join("config.yaml");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(config, text.replace("use_parallel: false", "use_parallel: true")).unwrap();
    home
}

#[tokio::test]
async fn a_cap_of_calls_buys_whole_prompts_side_by_side() {
    let home = side_by_side(PRICED);
    let engine = home.engine();
    let raw = json!({ "input": "Name a boat", "count": 8, "max_calls": 16 });
    let result = generate(&engine, raw).await.unwrap();
    assert_eq!((result.prompts.len(), result.failures.len()), (5, 3), "{:?}", result.failures);
    assert_eq!(written(&engine).await.calls, 15);
    for failure in &result.failures {
        assert_eq!((failure.phase, failure.error.code), (None, Code::BudgetExceeded));
        let said = &failure.error.detail;
        assert!(said.contains("takes 3 calls") && said.contains("`max_calls` to at least 24"), "{said}");
    }
    assert!(result.warnings[0].contains("buys 5 of 8 variants"), "{:?}", result.warnings);
}

#[tokio::test]
async fn a_cap_of_dollars_buys_whole_prompts_side_by_side() {
    let home = side_by_side(PRICED);
    let engine = home.engine();
    let raw = json!({ "input": "Name a boat", "count": 32, "budget_usd": 0.5 });
    let result = generate(&engine, raw).await.unwrap();
    // A variant can cost 8 cents and costs 0.27: only the worst case of the last few is unspent.
    let spent = written(&engine).await;
    assert_eq!(spent.calls, 3 * result.prompts.len() as u64, "every call is one of a whole prompt");
    assert_eq!(result.prompts.len(), 32, "{:?}", result.failures.first());
    let raw = json!({ "input": "Name a boat", "count": 32, "budget_usd": 0.12 });
    let result = generate(&engine, raw).await.unwrap();
    assert!((4..32).contains(&result.prompts.len()), "{}", result.prompts.len());
    assert_eq!(written(&engine).await.calls, 3 * (32 + result.prompts.len() as u64));
    assert!(result.warnings[0].contains("`budget_usd` of at least $"), "{:?}", result.warnings);
}

#[tokio::test]
async fn caps_that_buy_no_variant_send_nothing_and_name_the_least_that_would() {
    let home = side_by_side(PRICED);
    let engine = home.engine();
    let problem = failure(&engine, json!({ "input": "Name a boat", "count": 8, "max_calls": 2 })).await;
    assert_eq!(problem.code, Code::BudgetExceeded);
    assert!(problem.detail.contains("`max_calls` to at least 3 (24 for all 8)"), "{}", problem.detail);
    let both = json!({ "input": "Name a boat", "count": 1, "max_calls": 2, "budget_usd": 0.01 });
    let problem = failure(&engine, both).await;
    assert!(problem.detail.contains("`max_calls` to at least 3 and `budget_usd` to at least $"), "{}", problem.detail);
    assert_eq!(written(&engine).await.calls, 0);
    // The amount in the message is enough.
    let named = problem.detail.split("`budget_usd` to at least $").nth(1).unwrap();
    let least: f64 = named.split([',', ' ']).next().unwrap().parse().unwrap();
    let raw = json!({ "input": "Name a boat", "count": 1, "max_calls": 3, "budget_usd": least });
    assert_eq!(generate(&engine, raw).await.unwrap().prompts.len(), 1);
}

#[tokio::test]
async fn retries_draw_on_what_is_left() {
    let faulty =
        format!("{PRICED}rules:\n  - {{when: {{variant: 0, phase: solutio, attempt: 1}}, fault: rate_limit}}\n");
    let home = side_by_side(&faulty);
    let config = home.folder.path().join("config.yaml");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(config, text.replace("max_retries: 0", "max_retries: 1")).unwrap();
    for (max_calls, made) in [(6, 1), (7, 2)] {
        let engine = home.engine();
        let raw = json!({ "input": "Name a boat", "count": 2, "max_calls": max_calls, "save": false });
        let result = generate(&engine, raw).await.unwrap();
        assert_eq!(result.prompts.len(), made, "{max_calls}: {:?}", result.failures);
    }
}

fn estimated(engine: &Engine, raw: Value) -> Estimate {
    engine.estimate(&engine.decode(raw).unwrap()).unwrap()
}

#[tokio::test]
async fn an_estimate_counts_every_phase_of_every_variant_and_the_judge() {
    let home = Home::scripted(PRICED, "");
    let engine = home.engine();
    let of = |raw| estimated(&engine, raw);
    let one = of(json!({ "input": "Name a boat", "count": 1, "phases": ["solutio"] }));
    assert_eq!((one.calls, one.unpriced.len()), (1, 0));
    // 2000 output tokens at $10 a million, and one input token for each byte of the messages at $1.
    let most = one.most_usd.unwrap();
    assert!((0.0205..0.03).contains(&most), "{most}");
    let all = of(json!({ "input": "Name a boat", "count": 20 }));
    assert_eq!(all.calls, 60);
    assert!(all.most_usd.unwrap() > 60.0 * most, "later phases read the draft of the one before");
    let judged = of(json!({ "input": "Name a boat", "count": 20, "auto_select": true }));
    assert_eq!(judged.calls, 60 + (20 + 14) * 2, "twenty ratings, seven pairs in two orders, a repair each");
    assert!(judged.most_usd > all.most_usd);
    let short = of(json!({ "input": "Name a boat", "count": 20, "max_tokens": 100 }));
    assert!(short.most_usd.unwrap() < all.most_usd.unwrap() / 2.0);
}

#[tokio::test]
async fn what_is_part_of_the_program_costs_nothing_and_what_is_not_known_is_named() {
    let empty = Home::new();
    let builtin = estimated(&empty.engine(), json!({ "input": "x", "auto_select": true }));
    assert_eq!((builtin.most_usd, builtin.unpriced.is_empty()), (Some(0.0), true));
    let home = Home::scripted("answer: {words: 40}\n", "");
    let engine = home.engine();
    let unknown = estimated(&engine, json!({ "input": "x" }));
    assert_eq!((unknown.most_usd, unknown.unpriced), (None, vec!["sim-1".to_owned()]));
    assert!(estimated(&engine, json!({ "input": "x", "assume_price": 3 })).most_usd.unwrap() > 0.0);
}

#[tokio::test]
async fn of_a_binding_and_its_fallbacks_the_dearest_counts() {
    let bound = "phases:\n  solutio: {provider: builtin, fallback: [lab]}\n";
    let home = Home::scripted(PRICED, bound);
    let engine = home.engine();
    let raw = json!({ "input": "x", "count": 1, "phases": ["solutio"] });
    assert!(estimated(&engine, raw).most_usd.unwrap() > 0.02);
}

#[tokio::test]
async fn a_run_above_the_preflight_is_refused_until_it_has_a_budget() {
    let home = Home::scripted(PRICED, "spend: {preflight_usd: 0.1}\n");
    let engine = home.engine();
    let raw = json!({ "input": "Name a boat", "count": 3 });
    let most = estimated(&engine, raw.clone()).most_usd.unwrap();
    let error = engine.generate(engine.decode(raw.clone()).unwrap()).err().expect("a refusal");
    assert_eq!(error.code(), Code::BudgetExceeded);
    let said = error.to_string();
    assert!(said.contains(&format!("up to ${most} (9 calls)")) && said.contains("no more than $0.10"), "{said}");
    assert!(said.contains(&format!("`budget_usd` of {most}")) && said.contains("--yes"), "{said}");

    let mut confirmed = raw;
    confirmed["budget_usd"] = json!(most);
    let result = generate(&engine, confirmed).await.unwrap();
    assert_eq!((result.prompts.len(), result.failures.len()), (3, 0), "it is held to the estimate, and that is enough");
    let small = json!({ "input": "Name a boat", "count": 1, "phases": ["solutio"] });
    assert!(generate(&engine, small).await.unwrap().warnings.is_empty());
}

#[tokio::test]
async fn a_run_of_unknown_price_passes_the_preflight_with_a_warning() {
    let home = Home::scripted("answer: {words: 40}\n", "spend: {preflight_usd: 0.1}\n");
    let engine = home.engine();
    let result = generate(&engine, json!({ "input": "Name a boat", "count": 1 })).await.unwrap();
    assert_eq!(result.warnings.len(), 1);
    assert!(
        result.warnings[0].contains("`sim-1`") && result.warnings[0].contains("assume_price"),
        "{:?}",
        result.warnings
    );
}
