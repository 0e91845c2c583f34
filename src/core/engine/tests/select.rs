//! Selection among stored prompts: which judge is chosen, what is refused before anything is sent,
//! what is stored, and what `why` reports later.

use super::*;
use crate::domain::{JudgeName, JudgeProfile, Operation, Prompt, PromptId, SelectResult, SpendBy, Why};
use crate::event::Event;
use crate::store::samples;

const FAIR: &str = "seed: 3\nmodel: judge-1\njudge: {quality_spread: 1.5}\n";
const INPUT: &str = "a haiku about the sea";

/// A home whose configuration has these providers, each a script, and `more`.
fn home(providers: &[(&str, &str)], more: &str) -> Home {
    let home = Home::new();
    let mut config = String::from("providers:\n");
    for (name, script) in providers {
        std::fs::write(home.folder.path().join(format!("{name}.yaml")), script).unwrap();
        config.extend(["  ", name, ": {kind: sim, script: ", name, ".yaml, max_retries: 0}\n"]);
    }
    std::fs::write(home.folder.path().join("config.yaml"), config + more).unwrap();
    home
}

fn judged_by(script: &str) -> Home {
    home(&[("lab", script)], "judge: {provider: lab}\n")
}

/// Stores this many prompts of one input, each with a text of its own.
async fn candidates(engine: &Engine, count: u32) -> Vec<PromptId> {
    let prompts: Vec<Prompt> = (0..count)
        .map(|seed| Prompt {
            original_input: INPUT.into(),
            persona: "writing".into(),
            provider: "builtin".into(),
            ..samples::prompt(seed)
        })
        .collect();
    engine.store().append(prompts.clone()).await.unwrap();
    prompts.iter().map(|prompt| prompt.id).collect()
}

fn asking(ids: &[PromptId], more: Value) -> Value {
    let mut raw = json!({ "prompt_ids": ids });
    if let (Value::Object(raw), Value::Object(more)) = (&mut raw, more) {
        raw.extend(more);
    }
    raw
}

async fn events(engine: &Engine, raw: Value) -> Result<Vec<Event>, Error> {
    let mut run = engine.select(engine.decode(raw)?).await?;
    let mut events = Vec::new();
    while let Some(event) = run.next().await {
        events.push(event);
    }
    laws::check(&events).unwrap();
    Ok(events)
}

/// The result of a selection and its warnings.
async fn select(engine: &Engine, raw: Value) -> Result<(SelectResult, Vec<String>), crate::error::Problem> {
    let mut view = RunView::default();
    let mut failed = None;
    for event in &events(engine, raw).await? {
        view.apply(event);
        if let EventKind::Failed { error } = &event.kind {
            failed = Some(crate::error::Problem::clone(error));
        }
    }
    match failed {
        Some(problem) => Err(problem),
        None => Ok((view.selection().expect("a choice").clone(), view.warnings)),
    }
}

async fn why(engine: &Engine, id: PromptId) -> Why {
    engine.why(engine.decode(json!({ "prompt_id": id })).unwrap()).await.unwrap()
}

#[tokio::test]
async fn with_failures_in_a_tenth_of_the_calls_the_result_is_as_the_contract_has_it() {
    let script = format!("{FAIR}rules:\n  - when: {{role: judge}}\n    probability: 0.1\n    fault: malformed\n");
    let home = judged_by(&script);
    let engine = home.engine();
    let ids = candidates(&engine, 64).await;
    for count in [2, 3, 5, 16, 64] {
        let (result, warnings) = select(&engine, asking(&ids[..count], json!({}))).await.unwrap();
        assert!(warnings.is_empty(), "{warnings:?}");
        let value = serde_json::to_value(&result).unwrap();
        let keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(
            keys,
            [
                "prompt",
                "reasoning",
                "confidence",
                "confident",
                "tied",
                "ranking",
                "comparisons",
                "swap_consistency",
                "missing",
                "audit_age_days",
                "criteria",
                "model_metadata"
            ]
        );
        let keys = |of: &Value| of.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(&value["ranking"][0]), ["prompt_id", "score", "interval", "wins", "losses", "ties"]);
        assert_eq!(keys(&value["comparisons"][0]), ["a", "b", "winner", "margin", "agreed", "reasoning"]);
        assert_eq!((result.ranking.len(), result.ranking[0].prompt_id), (count, result.prompt.id));
        assert!((result.criteria.values().sum::<f64>() - 1.0).abs() < 1e-9 && !result.criteria.is_empty());
        assert!((0.0..=1.0).contains(&result.confidence) && result.audit_age_days.is_none());
        assert_eq!(result.confident, result.tied.is_empty());
    }
}

#[tokio::test]
async fn with_failures_in_half_of_the_calls_the_judge_is_unreliable() {
    let odd: Vec<String> = (0..50).map(|number| (2 * number + 1).to_string()).collect();
    let script =
        format!("{FAIR}rules:\n  - when: {{role: judge}}\n    nth: [{}]\n    fault: refusal\n", odd.join(", "));
    for count in [2, 3, 5, 16, 64] {
        let home = judged_by(&script);
        let engine = home.engine();
        let ids = candidates(&engine, count).await;
        let problem = select(&engine, asking(&ids, json!({}))).await.unwrap_err();
        assert_eq!(problem.code, Code::JudgeUnreliable, "{count}: {}", problem.detail);
        assert!(why(&engine, ids[0]).await.judgements.is_empty());
    }
}

#[tokio::test]
async fn a_selection_is_started_compared_and_finished() {
    let home = judged_by(FAIR);
    let engine = home.engine();
    let ids = candidates(&engine, 3).await;
    let names: Vec<&str> =
        events(&engine, asking(&ids, json!({}))).await.unwrap().iter().map(|event| event.kind.name()).collect();
    assert_eq!(names, ["started", "judged", "judged", "judged", "finished"]);
}

#[tokio::test]
async fn every_bad_request_is_refused_in_its_own_words_before_anything_is_sent() {
    let home = judged_by(FAIR);
    let engine = home.engine();
    let ids = candidates(&engine, 3).await;
    let other = Prompt { original_input: "a haiku about a hill".into(), ..samples::prompt(70) };
    let bare =
        [("", 71), (" ", 72)].map(|(input, seed)| Prompt { original_input: input.into(), ..samples::prompt(seed) });
    engine.store().append([vec![other.clone()], bare.to_vec()].concat()).await.unwrap();
    let nobody = "01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21";
    let pair = &ids[..2];
    for (raw, code, says) in [
        (json!({ "prompt_ids": [ids[0], nobody] }), Code::NotFound, nobody.to_owned()),
        (json!({ "prompt_ids": [ids[0], ids[0].short()] }), Code::ValidationFailed, "the same prompt".into()),
        (
            json!({ "prompt_ids": [ids[0], other.id] }),
            Code::ValidationFailed,
            format!(
                "task_description: is needed here: the prompts were made from different inputs (`{INPUT}`, `a haiku about a hill`)"
            ),
        ),
        (
            json!({ "prompt_ids": bare.iter().map(|it| it.id).collect::<Vec<_>>() }),
            Code::ValidationFailed,
            "nothing is stored".into(),
        ),
        (
            asking(pair, json!({ "task_description": "\t" })),
            Code::ValidationFailed,
            "task_description: is empty".into(),
        ),
        (
            asking(pair, json!({ "criteria": "beauty" })),
            Code::ValidationFailed,
            "there is no rubric `beauty`; there are default".into(),
        ),
        (
            asking(pair, json!({ "criteria": { "beauty": 1 } })),
            Code::ValidationFailed,
            "has no criterion `beauty`; it has".into(),
        ),
        (
            asking(pair, json!({ "judge_provider": "nobody" })),
            Code::ValidationFailed,
            "there is no provider `nobody`".into(),
        ),
        (asking(pair, json!({ "judge_provider": "openai" })), Code::ProviderAuth, "OPENAI_API_KEY".into()),
    ] {
        let error = events(&engine, raw.clone()).await.unwrap_err();
        assert_eq!(error.code(), code, "{raw}: {error}");
        assert!(error.to_string().contains(&says), "{raw}: {error}");
    }
    let spent = engine.spend(engine.decode(json!({})).unwrap()).await.unwrap();
    assert_eq!(spent.total.calls, 0);
    let (result, _) =
        select(&engine, asking(&[ids[0], other.id], json!({ "task_description": "A haiku." }))).await.unwrap();
    assert_eq!(why(&engine, result.prompt.id).await.judgements[0].task, "A haiku.");
}

#[tokio::test]
async fn criteria_are_the_personas_or_those_asked_for_or_those_of_the_file() {
    let own = "name: tone\ndescription: d\ncriteria:\n  - {name: warmth, weight: 1, question: Is it warm?}\n  - {name: wit, weight: 3, question: Is it witty?}\n";
    let file = home(&[("lab", FAIR)], "judge: {provider: lab, criteria: tone.yaml}\n");
    std::fs::write(file.folder.path().join("tone.yaml"), own).unwrap();
    let (usual, file) = (judged_by(FAIR).engine_and_home(), file.engine_and_home());
    let mut seen = Vec::new();
    for ((engine, _home), more) in [
        (&usual, json!({})),
        (&usual, json!({ "criteria": "code" })),
        (&file, json!({})),
        (&file, json!({ "criteria": { "wit": 1, "warmth": 1 } })),
    ] {
        let ids = match engine.list(engine.decode(json!({})).unwrap()).await.unwrap().prompts.as_slice() {
            [] => candidates(engine, 2).await,
            stored => stored.iter().map(|listed| listed.prompt.id).collect(),
        };
        let (result, _) = select(engine, asking(&ids, more)).await.unwrap();
        seen.push((why(engine, ids[0]).await.judgements[0].rubric.clone(), result.criteria));
    }
    let names: Vec<&str> = seen.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["writing", "code", "tone", "tone"]);
    let weights = |at: usize| seen[at].1.iter().map(|(name, weight)| (name.as_str(), *weight)).collect::<Vec<_>>();
    assert_eq!(weights(2), [("warmth", 0.25), ("wit", 0.75)]);
    assert_eq!(weights(3), [("warmth", 0.5), ("wit", 0.5)]);
}

impl Home {
    fn engine_and_home(self) -> (Engine, Home) {
        (self.engine(), self)
    }
}

/// The judges of the newest judgement.
async fn judges_of(engine: &Engine, id: PromptId) -> Vec<String> {
    why(engine, id).await.judgements[0].judges.iter().map(|judge| judge.name.provider.clone()).collect()
}

#[tokio::test]
async fn unless_named_a_provider_of_another_family_judges() {
    let [own, other] = ["own-1", "other-1"].map(|model| format!("model: {model}\nanswer: echo\n"));
    let home = home(&[("own", &own), ("other", &other)], "");
    let engine = home.engine();
    let made = generate(&engine, json!({ "input": "Name a boat", "count": 2, "auto_select": true })).await.unwrap();
    assert!(made.warnings.is_empty(), "{:?}", made.warnings);
    let ids: Vec<PromptId> = made.prompts.iter().map(|prompt| prompt.id).collect();
    assert_eq!(judges_of(&engine, ids[0]).await, ["other"], "what wrote them is the first of the file");
    let (_, warnings) = select(&engine, asking(&ids, json!({}))).await.unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!(judges_of(&engine, ids[0]).await, ["other"]);
    let (_, warnings) = select(&engine, asking(&ids, json!({ "judge_provider": "own" }))).await.unwrap();
    assert!(warnings.is_empty(), "whoever names a judge has chosen");
    assert_eq!(judges_of(&engine, ids[0]).await, ["own"]);
    let panel = json!({ "judge_provider": ["own", "other/other-1", "builtin"] });
    select(&engine, asking(&ids, panel)).await.unwrap();
    assert_eq!(judges_of(&engine, ids[0]).await, ["own", "other", "builtin"]);
}

#[tokio::test]
async fn a_judge_of_the_same_family_is_warned_of_and_builtin_says_what_it_is() {
    let home = home(&[("own", "model: own-1\nanswer: echo\n"), ("twin", "model: own-2\nanswer: echo\n")], "");
    let engine = home.engine();
    let made = generate(&engine, json!({ "input": "Name a boat", "count": 2, "auto_select": true })).await.unwrap();
    assert_eq!(made.warnings.len(), 1);
    assert!(made.warnings[0].contains("`own/own-1` is of the model family that wrote"), "{}", made.warnings[0]);

    let home = Home::new();
    let engine = home.engine();
    let made = generate(&engine, json!({ "input": "Name a boat", "count": 2, "auto_select": true })).await.unwrap();
    let ids: Vec<PromptId> = made.prompts.iter().map(|prompt| prompt.id).collect();
    let (_, warnings) = select(&engine, asking(&ids, json!({}))).await.unwrap();
    assert_eq!((warnings.len(), &made.warnings), (1, &warnings));
    assert!(warnings[0].contains("not a language model") && !warnings[0].contains("family"), "{}", warnings[0]);
}

#[tokio::test]
async fn caps_hold_and_the_preflight_asks() {
    let priced = format!("{FAIR}price: {{input: 1.0, output: 10.0}}\n");
    let home = home(&[("lab", &priced)], "judge: {provider: lab}\nspend: {preflight_usd: 0.001}\n");
    let engine = home.engine();
    let ids = candidates(&engine, 3).await;
    let error = events(&engine, asking(&ids, json!({}))).await.unwrap_err();
    assert_eq!(error.code(), Code::BudgetExceeded);
    assert!(error.to_string().contains("(12 calls)") && error.to_string().contains("fewer prompts"), "{error}");
    let estimate = engine.estimate_selection(&engine.decode(asking(&ids, json!({}))).unwrap()).await.unwrap();
    let most = estimate.most_usd.unwrap();
    let too_low = json!({ "max_calls": 1, "budget_usd": most });
    let error = events(&engine, asking(&ids, too_low)).await.unwrap_err();
    assert!(error.code() == Code::BudgetExceeded && error.to_string().contains("2 times at least"), "{error}");
    let capped = json!({ "max_calls": 3, "budget_usd": most });
    let (result, warnings) = select(&engine, asking(&ids, capped)).await.unwrap();
    assert_eq!((result.model_metadata.calls, warnings.len()), (3, 1), "what was answered until then counts");
    assert!(result.reasoning.contains("The cap ended the selection after 3 of 6 calls."), "{}", result.reasoning);
    let (result, _) = select(&engine, asking(&ids, json!({ "budget_usd": most }))).await.unwrap();
    assert!(result.model_metadata.cost_usd.unwrap() < most);
    let spent = engine.spend(engine.decode(json!({ "by": "command" })).unwrap()).await.unwrap();
    assert_eq!((spent.by, spent.lines[0].key.as_str()), (SpendBy::Command, "select"));
    let panel = json!({ "judge_provider": ["lab", "lab/judge-2"], "thorough": true });
    let estimate = engine.estimate_selection(&engine.decode(asking(&ids, panel)).unwrap()).await.unwrap();
    assert_eq!(estimate.calls, 24);
}

#[tokio::test]
async fn the_same_selection_again_is_answered_from_what_was_kept() {
    let home = judged_by(FAIR);
    let engine = home.engine();
    let ids = candidates(&engine, 3).await;
    let mut seen = Vec::new();
    for more in [json!({}), json!({}), json!({ "no_cache": true })] {
        let (result, _) = select(&engine, asking(&ids, more)).await.unwrap();
        seen.push((result.model_metadata.cached, result.prompt.id, result.confidence));
    }
    assert_eq!(seen.iter().map(|it| it.0).collect::<Vec<_>>(), [false, true, false]);
    assert!(seen.iter().all(|it| (it.1, it.2) == (seen[0].1, seen[0].2)));
    assert_eq!(why(&engine, ids[0]).await.judgements.len(), 3);
}

#[tokio::test]
async fn a_selection_that_hangs_ends_by_its_limit_or_with_its_run() {
    let home = judged_by("model: judge-1\nrules:\n  - fault: hang\n");
    let engine = home.engine();
    let ids = candidates(&engine, 2).await;
    let problem = select(&engine, asking(&ids, json!({ "timeout_s": 0.01 }))).await.unwrap_err();
    assert_eq!(problem.code, Code::ProviderTimeout);
    let mut run = engine.select(engine.decode(asking(&ids, json!({}))).unwrap()).await.unwrap();
    assert_eq!(run.next().await.unwrap().kind.name(), "started");
    run.control().cancel_all();
    let mut rest = Vec::new();
    while let Some(event) = run.next().await {
        rest.push(event.kind);
    }
    // A call with an unknown price may have been sent by then.
    assert_eq!(rest.pop(), Some(EventKind::Cancelled {}));
    assert!(rest.iter().all(|kind| matches!(kind, EventKind::Spent { .. })), "{rest:?}");
}

#[tokio::test]
async fn the_embedded_writers_own_strategies_are_recorded_and_none_fails() {
    let home = Home::new();
    let made = generate(&home.engine(), json!({ "input": "Write a letter", "count": 3 })).await.unwrap();
    assert!(made.failures.is_empty(), "{:?}", made.failures);
    let mut strategies: Vec<&str> = made.prompts.iter().map(|prompt| prompt.strategy.as_str()).collect();
    strategies.sort_unstable();
    assert_eq!(strategies, ["clarify", "direct", "structured"]);
}

#[tokio::test]
async fn a_run_that_stores_nothing_keeps_nothing_of_its_judge_either() {
    let home = Home::new();
    let engine = home.engine();
    let raw = json!({ "input": "Name a boat", "count": 2, "auto_select": true, "save": false });
    assert!(generate(&engine, raw).await.unwrap().selected.is_some());
    assert!(!home.folder.path().join("aludel.db").exists());
}

#[tokio::test]
async fn why_tells_the_way_of_a_prompt_and_every_judgement_it_stood_in() {
    let home = Home::new();
    let engine = home.engine();
    let made = generate(&engine, json!({ "input": "Write a letter", "count": 3, "auto_select": true })).await.unwrap();
    let (winner, others) = (made.selected.as_ref().unwrap().prompt.id, &made.prompts[1..]);
    let told = why(&engine, winner).await;
    let stored = made.rankings.iter().find(|ranking| ranking.prompt_id == winner).unwrap();
    assert_eq!((&told.ranking, told.rank, told.ranked), (stored, Some(stored.rank), 3));
    assert_eq!((told.score, told.steps.len(), told.ancestors.len()), (Some(stored.score), 3, 0));
    let judgement = &told.judgements[0];
    assert_eq!((judgement.operation.as_str(), judgement.place, judgement.candidates), ("generate", 1, 3));
    assert_eq!((judgement.opponents.len(), judgement.winner_changed), (2, false));
    assert_eq!((&judgement.recorded, judgement.recorded.winner), (&judgement.recomputed, winner));
    for opponent in &judgement.opponents {
        let orders: Vec<bool> = opponent.verdicts.iter().map(|verdict| verdict.shown_first).collect();
        assert!(orders.contains(&true) && orders.contains(&false));
        let mean = opponent.verdicts.iter().map(|verdict| verdict.margin).sum::<f64>() / orders.len() as f64;
        assert!((mean - opponent.margin).abs() < 1e-9, "no profile, no offset: {opponent:?}");
        let seen_from_there = why(&engine, opponent.prompt_id).await;
        let back = seen_from_there.judgements[0].opponents.iter().find(|back| back.prompt_id == winner).unwrap();
        assert!((back.margin + opponent.margin).abs() < 1e-9);
    }
    let raw = json!({ "prompt_id": others[0].id, "content": "You name boats." });
    let derived = engine.update(engine.decode(raw).unwrap()).await.unwrap();
    engine.delete(engine.decode(json!({ "prompt_ids": [others[0].id] })).unwrap()).await.unwrap();
    let told = why(&engine, derived.id).await;
    assert_eq!((told.ancestors[0].prompt_id, told.ancestors[0].source), (others[0].id, None));
    assert!(told.judgements.is_empty() && told.score.is_none() && !told.ranking.components.is_empty());
}

#[tokio::test]
async fn a_test_made_since_counts_and_a_winner_it_changes_is_told() {
    // It judges by length only, so it needs texts of different length.
    let home = judged_by("model: judge-1\njudge: {quality_spread: 0, length_bias: 0.4, markers: {Better: 0.3}}\n");
    let engine = home.engine();
    let short = Prompt { content: "Better.".into(), original_input: INPUT.into(), ..samples::prompt(0) };
    let long = Prompt { content: "padding ".repeat(40), original_input: INPUT.into(), ..samples::prompt(1) };
    engine.store().append(vec![short.clone(), long.clone()]).await.unwrap();
    let (result, _) = select(&engine, asking(&[short.id, long.id], json!({}))).await.unwrap();
    assert_eq!(result.prompt.id, long.id, "length wins");
    let judge = JudgeName { provider: "lab".into(), model: "judge-1".into() };
    let audited_at = engine.inner.clock.now();
    let profile =
        JudgeProfile { judge, audited_at, length_slope: Some(0.5), position_bias: Some(0.0), ..samples::profile(0) };
    engine.store().put_profile(profile).await.unwrap();
    let told = why(&engine, short.id).await;
    let judgement = &told.judgements[0];
    assert_eq!((judgement.recorded.winner, judgement.recomputed.winner), (long.id, short.id));
    assert!(judgement.winner_changed && judgement.judges[0].audit_age_days.is_some());
    let (result, _) = select(&engine, asking(&[short.id, long.id], json!({}))).await.unwrap();
    assert_eq!(result.prompt.id, short.id, "the next selection knows");
    assert!(result.audit_age_days.is_some());
}

/// Costs $0.0009 a call.
const PRICED: &str = "price: {input: 1.0, output: 10.0}\nusage: {input_tokens: 500, output_tokens: 40}\n";

#[tokio::test]
async fn a_judging_that_is_stopped_tells_what_it_may_have_cost() {
    let hanging = format!("{FAIR}{PRICED}rules:\n  - {{when: {{role: judge}}, nth: 5, fault: hang}}\n");
    let home = judged_by(&hanging);
    let engine = home.engine();
    let ids = candidates(&engine, 3).await;
    let mut run = engine.select(engine.decode(asking(&ids, json!({}))).unwrap()).await.unwrap();
    let mut told = Vec::new();
    while let Some(event) = run.next().await {
        told.push(event);
        if told.iter().filter(|event| matches!(event.kind, EventKind::Judged { .. })).count() == 2
            && !run.control().token().is_cancelled()
        {
            run.control().cancel_all();
        }
    }
    laws::check(&told).unwrap();
    let [.., Event { kind: EventKind::Spent { model_metadata: account }, .. }, last] = told.as_slice() else {
        panic!("{told:?}")
    };
    assert_eq!(last.kind, EventKind::Cancelled {});
    let cost = account.cost_usd.expect("every price is known");
    assert!(account.calls >= 4 && (cost - f64::from(account.calls) * 0.0009).abs() < 1e-9, "{account:?}");
    assert!(account.most_usd.is_some_and(|most| most > cost), "the call under way may be paid for: {account:?}");
}

#[tokio::test]
async fn a_judging_that_a_cap_ends_tells_what_it_cost() {
    // No reply could be read, so there is no basis for a choice.
    let home = judged_by(&format!("{FAIR}{PRICED}rules:\n  - {{when: {{role: judge}}, answer: {{text: no}}}}\n"));
    let engine = home.engine();
    let ids = candidates(&engine, 3).await;
    let told = events(&engine, asking(&ids, json!({ "max_calls": 3 }))).await.unwrap();
    let [.., Event { kind: EventKind::Spent { model_metadata: account }, .. }, last] = told.as_slice() else {
        panic!("{told:?}")
    };
    assert!(matches!(&last.kind, EventKind::Failed { error } if error.code == Code::BudgetExceeded), "{last:?}");
    assert!(account.calls <= 3 && account.may_have_cost(), "{account:?}");
    // Free calls are not mentioned.
    let home = judged_by(&format!("{FAIR}price: {{input: 0, output: 0}}\n"));
    let engine = home.engine();
    let ids = candidates(&engine, 3).await;
    let told = events(&engine, asking(&ids, json!({ "max_calls": 3 }))).await.unwrap();
    let [.., before, _] = told.as_slice() else { panic!("{told:?}") };
    assert!(!matches!(before.kind, EventKind::Spent { .. }), "{before:?}");
}

#[tokio::test]
async fn what_is_prepared_is_read_once_and_begins_with_consent() {
    let priced = format!("{FAIR}price: {{input: 1.0, output: 10.0}}\n");
    let home = home(&[("lab", &priced)], "judge: {provider: lab}\nspend: {preflight_usd: 0.001}\n");
    let engine = home.engine();
    let ids = candidates(&engine, 3).await;
    let prepare = async || {
        let request = engine.decode(asking(&ids, json!({}))).unwrap();
        engine.prepare_selection(Operation::Select, request).await.unwrap()
    };
    let prepared = prepare().await;
    let Preflight::Ask(estimate) = prepared.preflight().clone() else { panic!("nobody is asked") };
    assert!(estimate.most_usd.is_some_and(|most| most > 0.001) && prepared.budget_usd().is_none());
    assert!(matches!(prepared.start(), Err(Error::Budget(_))));

    let prepared = prepare().await.with_budget(estimate.most_usd);
    // Nothing is read again, even if the prompts are gone by now.
    engine.store().apply(crate::store::Mutation::Delete { ids, expected_revision: None }).await.unwrap();
    let mut run = prepared.start().unwrap();
    let mut view = RunView::default();
    while let Some(event) = run.next().await {
        view.apply(&event);
    }
    assert!(view.selection().is_some(), "{:?}", view.state);
}
