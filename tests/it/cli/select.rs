//! `select` and `why`, end to end: output in every format, standard error, exit code.

use serde_json::{Value, json};

use crate::support::Home;

const FAIR: &str = "seed: 3\nanswer: echo\njudge: {quality_spread: 2}\n";

/// A home with three prompts of one input, and their ids.
fn filled(script: &str) -> (Home, Vec<String>) {
    let home = Home::new();
    home.sim("lab", script);
    let made = home.run(&["generate", "Name a boat", "--format", "json"]).done().json();
    let ids = made["prompts"].as_array().expect("prompts").iter();
    (home, ids.map(|prompt| prompt["id"].as_str().expect("an id").to_owned()).collect())
}

fn short(id: &str) -> &str {
    &id[id.len() - 8..]
}

#[test]
fn a_choice_is_put_out_in_every_format() {
    let (home, ids) = filled(FAIR);
    let select = |options: &[&str]| home.run(&[&["select", short(&ids[0]), &ids[1], &ids[2]], options].concat());
    let said = select(&["--format", "json"]).done();
    assert!(said.stderr.contains("warning: the judge `lab/sim-1` is of the model family"), "{}", said.stderr);
    let result = said.json();
    let winner = result["prompt"]["id"].as_str().expect("an id").to_owned();
    assert!(ids.contains(&winner));
    assert_eq!(result["ranking"].as_array().expect("a ranking").len(), 3);

    let text = select(&[]).done().stdout;
    assert!(text.starts_with(&format!("── best of 3 · {}", short(&winner))), "{text}");
    for part in ["by this judge", "win prob.", "90 % interval", "●", "Against ", "criteria: ", "never tested", "tokens"]
    {
        assert!(text.contains(part), "no {part} in {text}");
    }
    let alone = select(&["--quiet"]).quietly_done().stdout;
    assert_eq!(alone.trim_end(), result["prompt"]["content"].as_str().expect("a text").trim_end());
    let lines = select(&["--format", "jsonl"]).done().json_lines();
    let names: Vec<&str> = lines.iter().map(|line| line["type"].as_str().expect("a type")).collect();
    assert_eq!(names, ["started", "warning", "judged", "judged", "judged", "finished"]);
    assert_eq!(lines[5]["result"]["prompt"]["id"], winner.as_str());
    assert!(select(&["--format", "yaml"]).done().stdout.contains("swap_consistency:"));
    let document = select(&["--format", "markdown"]).done().stdout;
    assert!(document.starts_with("# Best of 3: ") && document.contains("| id | win prob. |"), "{document}");
}

#[test]
fn a_choice_that_cannot_be_made_ends_with_the_code_of_its_reason() {
    let (home, ids) = filled(FAIR);
    let other = home.run(&["generate", "Name a cat", "--count", "1", "--format", "json"]).done().json();
    let other = other["prompts"][0]["id"].as_str().expect("an id");
    let nobody = "01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21";
    let pair = [ids[0].as_str(), ids[1].as_str()];
    let cap = [&pair[..], &["--max-calls", "1"]].concat();
    let field = |arguments: &[&str], code: i32| {
        let arguments = [&["select", "--format", "json"], arguments].concat();
        let problem = home.run(&arguments).failed(code).problem();
        (problem["code"].clone(), problem["errors"][0]["field"].clone())
    };
    let named = |name: &str| (json!("validation_failed"), json!(name));
    assert_eq!(field(&[&ids[0]], 2), named("prompt_ids"));
    assert_eq!(field(&[&ids[0], short(&ids[0])], 2), named("prompt_ids[1]"));
    assert_eq!(field(&[&ids[0], other], 2), named("task_description"));
    assert_eq!(field(&[&pair[..], &["--task", " "]].concat(), 2), named("task_description"));
    assert_eq!(field(&[&pair[..], &["--criteria", "beauty"]].concat(), 2), named("criteria"));
    assert_eq!(field(&[&pair[..], &["--judge-provider", "nobody"]].concat(), 2), named("judge_provider[0]"));
    assert_eq!(field(&[&pair[..], &["--criteria", "./none.yaml"]].concat(), 1).0, "file");
    assert_eq!(field(&[&ids[0], nobody], 5).0, "not_found");
    assert_eq!(field(&cap, 7).0, "budget_exceeded");
    let (home, ids) = filled("answer: echo\nrules:\n  - when: {role: judge}\n    answer: {text: no JSON}\n");
    let problem = home.run(&["select", &ids[0], &ids[1], "--format", "json"]).failed(6).problem();
    assert_eq!(problem["code"], "judge_unreliable");
}

#[test]
fn a_rubric_may_be_a_file_of_the_users() {
    let (home, ids) = filled(FAIR);
    let rubric = "name: tone\ndescription: d\ncriteria:\n  - {name: wit, weight: 2, question: Is it witty?}\n";
    home.write("tone.yaml", rubric);
    let criteria = |given: &str| {
        home.run(&["select", &ids[0], &ids[1], "--criteria", given, "--format", "json"]).done().json()["criteria"]
            .clone()
    };
    assert_eq!(criteria("tone.yaml"), json!({ "wit": 1.0 }));
    assert!(criteria("code").as_object().expect("criteria").len() > 1);
    home.write("tone.yaml", rubric.replace("weight: 2", "weight: 0"));
    let said = home.run(&["select", &ids[0], &ids[1], "--criteria", "tone.yaml"]).failed(1);
    assert!(said.stderr.contains("line 4") && said.stderr.contains("above 0"), "{}", said.stderr);
}

#[test]
fn why_tells_what_was_said_and_asks_nobody() {
    let (home, ids) = filled(FAIR);
    let fresh = home.run(&["why", &ids[0]]).quietly_done().stdout;
    assert!(fresh.contains("came to be") && fresh.contains("never judged"), "{fresh}");
    home.run(&["select", &ids[0], &ids[1], &ids[2], "--quiet"]).quietly_done();
    let calls = || home.run(&["spend", "--format", "json"]).done().json()["total"]["calls"].clone();
    let before = calls();
    let told: Value = home.run(&["why", short(&ids[0]), "--format", "json"]).quietly_done().json();
    assert_eq!((&told["prompt_id"], &told["rank"], &told["ranked"]), (&json!(ids[0]), &json!(1), &json!(3)));
    let judgement = &told["judgements"][0];
    assert_eq!((&judgement["operation"], &judgement["winner_changed"]), (&json!("select"), &json!(false)));
    assert_eq!(judgement["opponents"].as_array().expect("opponents").len(), 2);
    let text = home.run(&["why", &ids[0]]).quietly_done().stdout;
    for part in [
        "its rank",
        "component",
        "judged by select",
        "never tested",
        "Place ",
        "by this judge",
        "shown first: ",
        "shown second: ",
    ] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    assert_eq!(calls(), before);
    assert_eq!(
        home.run(&["why", "@last", "--limit", "0", "--format", "json"]).failed(2).problem()["errors"][0]["field"],
        "limit"
    );
    home.run(&["delete", "--all", "--yes"]).done();
    home.run(&["why", "@last"]).failed(5);
}

#[test]
fn a_cap_is_answered_with_advice_that_fits_a_choice() {
    let (home, ids) = filled(FAIR);
    let detail = |arguments: &[&str]| {
        let said = home.run(arguments);
        assert_eq!(said.code, 7, "{}", said.stderr);
        let problem = said.problem();
        assert_eq!(problem["code"], "budget_exceeded", "{problem}");
        problem["detail"].as_str().expect("a detail").to_owned()
    };
    let too_low = detail(&["select", &ids[0], &ids[1], "--max-calls", "1", "--format", "json"]);
    assert!(too_low.ends_with("raise `max_calls` to at least 2"), "{too_low}");
    let all = [&ids[0][..], &ids[1], &ids[2], "--max-calls", "3", "--format", "json"];
    let select = detail(&[&["select"], &all[..]].concat());
    let compare = detail(&[&["compare", "--task", "x"], &all[..]].concat());
    for said in [&select, &compare] {
        assert!(said.contains("name fewer prompts or a cheaper judge"), "{said}");
        assert!(said.contains("The choice rests on what was answered until then"), "{said}");
    }
    let audit = detail(&["judge", "audit", "--max-calls", "1", "--format", "json"]);
    assert!(audit.contains("a cheaper judge") && !audit.contains("prompts"), "{audit}");
    for said in [select, compare, audit] {
        assert!(!said.contains("variants") && !said.contains("phases") && !said.contains("max_tokens"), "{said}");
    }
    // Partial results are printed. The task differs, as an answer for the first is cached.
    let ended = home.run(&["select", &ids[0], &ids[1], &ids[2], "--task", "another", "--max-calls", "3"]);
    assert_eq!(ended.code, 7, "{}", ended.stderr);
    assert!(ended.stderr.contains("fewer prompts") && !ended.stderr.contains("--count"), "{}", ended.stderr);
    assert!(ended.stdout.contains("The cap ended the selection after 3 of 6 calls."), "{}", ended.stdout);
}

#[test]
fn the_reasons_name_the_prompts_by_their_ids() {
    let home = Home::new();
    let made = home.run(&["generate", "Write an email to Bob about 7 late boxes", "--format", "json"]).done().json();
    let ids: Vec<&str> = made["prompts"]
        .as_array()
        .expect("prompts")
        .iter()
        .map(|prompt| prompt["id"].as_str().expect("an id"))
        .collect();
    let result = home.run(&[&["select", "--format", "json"], &ids[..]].concat()).done().json();
    let told = home.run(&["why", ids[0], "--format", "json"]).done().json();
    let opponents = told["judgements"][0]["opponents"].as_array().expect("opponents");
    let orders = opponents.iter().flat_map(|opponent| opponent["verdicts"].as_array().expect("verdicts"));
    let reasons: Vec<&Value> = result["comparisons"]
        .as_array()
        .expect("comparisons")
        .iter()
        .chain(orders)
        .map(|told| &told["reasoning"])
        .chain([&result["reasoning"], &told["judgements"][0]["reasoning"]])
        .collect();
    assert!(reasons.len() > 8, "{reasons:?}");
    for reason in reasons {
        let reason = reason.as_str().expect("a reason");
        assert!(ids.iter().any(|id| reason.contains(short(id))), "{reason}");
        let letters = reason.split(|c: char| !c.is_alphanumeric()).find(|word| matches!(*word, "A" | "B"));
        assert!(letters.is_none() && !reason.contains("asked the other way round"), "{reason}");
    }
}

#[test]
fn pairs_asked_about_in_one_order_have_no_consistency() {
    let (home, ids) = filled(FAIR);
    let arguments = ["select", &ids[0], &ids[1], "--format", "json"];
    assert!(home.run(&arguments).done().json()["swap_consistency"].is_number());
    let config = std::fs::read_to_string(home.data().join("config.yaml")).expect("a configuration");
    home.config(&format!("{config}\njudge: {{order_swaps: false}}\n"));
    let result = home.run(&arguments).done().json();
    assert!(
        result.as_object().expect("a result").contains_key("swap_consistency") && result["swap_consistency"].is_null()
    );
    let why = home.run(&["why", &ids[0], "--format", "json"]).done().json();
    assert!(why["judgements"][0]["swap_consistency"].is_null(), "{why}");
    for format in ["text", "markdown"] {
        let text = home.run(&["select", &ids[0], &ids[1], "--format", format]).done().stdout;
        assert!(text.contains("each pair was judged in one order") && !text.contains("of a pair agreed"), "{text}");
    }
}

#[test]
fn criteria_may_be_named_in_any_script() {
    let (home, ids) = filled(FAIR);
    let rubric = "name: eigen\ndescription: d\ncriteria:\n  - {name: Klarheit, weight: 1, question: Klar?}\n  - {name: обзор, weight: 1, question: q}\n";
    home.write("eigen.yaml", rubric);
    let select = |criteria: &str| home.run(&["select", &ids[0], &ids[1], "--criteria", criteria, "--format", "json"]);
    assert_eq!(select("eigen.yaml").done().json()["criteria"], json!({ "Klarheit": 0.5, "обзор": 0.5 }));
    home.write("eigen.yaml", rubric.replace("обзор", "Klarheit"));
    let said = select("eigen.yaml").failed(1).problem()["detail"].to_string();
    assert!(said.contains("line 5") && said.contains("there twice"), "{said}");
}
