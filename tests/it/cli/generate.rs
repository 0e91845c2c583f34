//! Generating: from an idea to ranked, stored prompts; each option has its effect.

use serde_json::{Value, json};

use crate::support::{CommandOutput, Home};

const PRIMES: &str = "Write a python function that finds prime numbers";

/// Runs `generate` for primes with more options and returns the result.
fn generated(home: &Home, options: &[&str]) -> Value {
    let arguments: Vec<&str> =
        ["generate", PRIMES, "--format", "json"].into_iter().chain(options.iter().copied()).collect();
    home.run(&arguments).quietly_done().json()
}

/// Every prompt of a result, in its order.
fn prompts(result: &Value) -> &Vec<Value> {
    result["prompts"].as_array().expect("prompts")
}

/// The same member of every prompt.
fn each<'a>(result: &'a Value, member: &str) -> Vec<&'a Value> {
    prompts(result).iter().map(|prompt| &prompt[member]).collect()
}

fn listed(home: &Home) -> usize {
    let page = home.run(&["list", "--limit", "1000", "--format", "json"]).quietly_done().json();
    page["prompts"].as_array().map_or(0, Vec::len)
}

#[test]
fn an_idea_becomes_three_prompts_on_an_empty_machine() {
    let home = Home::new();
    let result = generated(&home, &[]);
    assert_eq!(prompts(&result).len(), 3);
    for prompt in prompts(&result) {
        assert_eq!(prompt["original_input"], PRIMES);
        assert_eq!(prompt["steps"].as_array().map(Vec::len), Some(3));
        assert_eq!(prompt["content"], prompt["steps"][2]["content"]);
        assert!(prompt["score"].is_number());
    }
    assert!(home.database().exists());
    assert_eq!(listed(&home), 3);
}

#[test]
fn the_result_has_every_member_of_the_contract() {
    let result = generated(&Home::new(), &[]);
    let members: Vec<&String> = result.as_object().expect("an object").keys().collect();
    assert_eq!(members, ["session_id", "prompts", "rankings", "selected", "failures", "warnings", "model_metadata"]);
    let prompt: Vec<&String> = prompts(&result)[0].as_object().expect("an object").keys().collect();
    assert_eq!(
        prompt,
        [
            "id",
            "session_id",
            "variant",
            "content",
            "original_input",
            "phase",
            "persona",
            "provider",
            "model",
            "temperature",
            "max_tokens",
            "tags",
            "context",
            "notes",
            "parent_id",
            "source",
            "strategy",
            "revision",
            "score",
            "score_formula",
            "steps",
            "model_metadata",
            "created_at",
            "updated_at"
        ]
    );
    let metadata: Vec<&String> = result["model_metadata"].as_object().expect("an object").keys().collect();
    assert_eq!(
        metadata,
        [
            "provider",
            "model",
            "input_tokens",
            "output_tokens",
            "total_tokens",
            "cost_usd",
            "latency_ms",
            "first_token_ms",
            "calls",
            "retries",
            "cached",
            "fallback_from",
            "estimated",
            "embedding_provider",
            "embedding_model"
        ]
    );
}

#[test]
fn rankings_are_in_the_order_of_the_prompts_and_add_up() {
    let result = generated(&Home::new(), &["--count", "5"]);
    let rankings = result["rankings"].as_array().expect("rankings");
    assert_eq!(rankings.len(), 5);
    for (position, (ranking, prompt)) in rankings.iter().zip(prompts(&result)).enumerate() {
        assert_eq!(ranking["prompt_id"], prompt["id"]);
        assert_eq!(ranking["rank"], position + 1);
        assert_eq!(ranking["score"], prompt["score"]);
        let components = ranking["components"].as_object().expect("components");
        let weights = ranking["weights"].as_object().expect("weights");
        let number = |value: &Value| value.as_f64().expect("a number");
        let sum: f64 = components.iter().map(|(name, value)| number(value) * number(&weights[name])).sum();
        let total: f64 = weights.values().map(number).sum();
        assert!((sum / total - number(&ranking["score"])).abs() < 1e-6, "{ranking}");
    }
}

#[test]
fn phases_run_as_named_and_in_that_order() {
    let result = generated(&Home::new(), &["--phases", "prima-materia,coagulatio", "--count", "1"]);
    let steps = prompts(&result)[0]["steps"].as_array().expect("steps");
    let phases: Vec<&Value> = steps.iter().map(|step| &step["phase"]).collect();
    assert_eq!(phases, ["prima-materia", "coagulatio"]);
    let repeated = generated(&Home::new(), &["--phases", "solutio", "--phases", "prima-materia", "--count", "1"]);
    assert_eq!(prompts(&repeated)[0]["phase"], "prima-materia");
}

#[test]
fn count_persona_tags_and_settings_reach_the_prompts() {
    let home = Home::new();
    let options = [
        "--count",
        "8",
        "--persona",
        "writing",
        "--tags",
        "a, b",
        "--tags",
        "c,a",
        "--temperature",
        "0.2",
        "--max-tokens",
        "900",
    ];
    let result = generated(&home, &options);
    assert_eq!(prompts(&result).len(), 8);
    assert_eq!(each(&result, "persona"), ["writing"; 8]);
    assert!(each(&result, "tags").iter().all(|tags| **tags == json!(["a", "b", "c"])));
    assert!(each(&result, "temperature").iter().all(|value| **value == 0.2));
    assert!(each(&result, "max_tokens").iter().all(|value| **value == 900));
    let mut strategies = each(&result, "strategy");
    strategies.sort_by_key(ToString::to_string);
    strategies.dedup();
    assert!(strategies.len() > 1, "the variants are asked for in different ways: {strategies:?}");
    let mut texts = each(&result, "content");
    texts.sort_by_key(ToString::to_string);
    texts.dedup();
    let told = result["warnings"].to_string();
    assert_eq!(told.contains(&format!("has {} different prompts", texts.len())), texts.len() < 8, "{told}");
}

#[test]
fn context_is_text_or_a_file_and_reaches_the_prompt() {
    let home = Home::new();
    home.write("notes.txt", "\u{feff}The limit is 4711 widgets.\r\n");
    let options = ["--context", "@notes.txt", "--context", "@@home is a word", "--count", "1"];
    let result = generated(&home, &options);
    let expected = json!(["The limit is 4711 widgets.", "@home is a word"]);
    assert_eq!(prompts(&result)[0]["context"], expected);
    assert!(prompts(&result)[0]["content"].as_str().expect("text").contains("4711"));
}

#[test]
fn the_idea_comes_from_standard_input_or_a_file() {
    let home = Home::new();
    let input = |said: CommandOutput| prompts(&said.quietly_done().json())[0]["original_input"].clone();
    let tail = ["--count", "1", "--format", "json"];
    let with = |head: &[&'static str]| [head, &tail].concat();
    assert_eq!(input(home.run_with_stdin(&with(&["generate", "-"]), b"Plan a trip\n")), "Plan a trip");
    assert_eq!(input(home.run_with_stdin(&with(&["generate"]), "naïve café".as_bytes())), "naïve café");
    home.write("idea.txt", "From a file\n\n");
    assert_eq!(input(home.run(&with(&["generate", "--input-file", "idea.txt"]))), "From a file\n");
    assert_eq!(input(home.run_with_stdin(&with(&["generate", "--input-file", "-"]), b"dash")), "dash");
}

#[test]
fn auto_select_names_a_winner_and_it_is_the_one_shown() {
    let home = Home::new();
    let result = generated(&home, &["--auto-select"]);
    let winner = &result["selected"]["prompt"];
    assert!(each(&result, "id").contains(&&winner["id"]));
    assert!(generated(&home, &[])["selected"].is_null());
}

#[test]
fn no_save_stores_nothing_and_the_last_of_two_switches_wins() {
    let home = Home::new();
    assert_eq!(prompts(&generated(&home, &["--no-save"])).len(), 3);
    assert!(!home.database().exists());
    generated(&home, &["--no-save", "--save", "--count", "1"]);
    assert_eq!(listed(&home), 1);
}

#[test]
fn target_model_changes_the_form() {
    let home = Home::new();
    let content = |model: &str| {
        let result = generated(&home, &["--count", "1", "--target-model", model]);
        prompts(&result)[0]["content"].as_str().expect("text").to_owned()
    };
    let (claude, gpt) = (content("claude-sonnet-5-5"), content("gpt-6"));
    assert!(claude.contains("<notes>") && !claude.contains('#'), "no XML sections for Claude: {claude}");
    assert!(!gpt.contains("<notes>") && gpt.contains("# Notes"), "no Markdown for GPT: {gpt}");
}

#[test]
fn a_target_model_that_is_not_known_is_warned_of_and_the_run_goes_on() {
    let home = Home::new();
    let warnings = |model: &str| generated(&home, &["--count", "1", "--target-model", model])["warnings"].clone();
    let told = warnings("nosuchmodel");
    assert!(told[0].as_str().is_some_and(|text| text.contains("`nosuchmodel` is not known")), "{told}");
    assert!(warnings("claude-nosuch")[0].as_str().is_some_and(|text| text.contains("for claude models")));
    for known in ["claude-sonnet-5-5", "anthropic/claude-sonnet-5-5", "claude"] {
        assert_eq!(warnings(known), json!([]), "{known}");
    }
    let said = home.run(&["generate", PRIMES, "--target-model", "nosuchmodel"]).done();
    assert!(said.stderr.contains("`nosuchmodel` is not known"), "{}", said.stderr);
    home.config("generation: {default_target_model: nosuchmodel}\n");
    assert!(home.run(&["validate"]).done().stdout.contains("`nosuchmodel` is not known"));
}

#[test]
fn a_provider_can_be_named_with_a_model() {
    let home = Home::new();
    home.sim("first", "answer: {text: 'from the first about {input}'}");
    let by_default = generated(&home, &["--count", "1"]);
    assert_eq!(prompts(&by_default)[0]["provider"], "first");
    let named = generated(&home, &["--count", "1", "--provider", "builtin"]);
    assert_eq!(prompts(&named)[0]["provider"], "builtin");
    let modelled = generated(&home, &["--count", "1", "--provider", "first/other"]);
    assert_eq!(prompts(&modelled)[0]["model"], "other");
}

#[test]
fn some_variants_fail_and_the_run_succeeds() {
    let home = Home::new();
    home.sim_fixture("one_variant_fails");
    let result = generated(&home, &[]);
    assert_eq!(prompts(&result).len(), 2);
    let failures = result["failures"].as_array().expect("failures");
    assert_eq!(failures.len(), 1);
    assert_eq!((&failures[0]["variant"], &failures[0]["phase"]), (&json!(1), &json!("solutio")));
    assert_eq!(failures[0]["error"]["code"], "provider_rejected");
    // It is not part of the data.
    let said = home.run(&["generate", PRIMES]).done();
    assert!(said.stderr.contains("variant 2 failed in solutio: "), "{}", said.stderr);
    assert!(!said.stdout.contains("failed"), "{}", said.stdout);
}

#[test]
fn all_variants_fail_and_the_first_cause_is_named() {
    let home = Home::new();
    home.sim_fixture("all_fail");
    let said = home.run(&["generate", PRIMES]).failed(6);
    assert!(said.stderr.starts_with("error: "), "{}", said.stderr);
    assert!(said.stderr.contains("the key was refused"), "{}", said.stderr);
    let problem = home.run(&["generate", PRIMES, "--format", "json"]).failed(6).problem();
    assert_eq!((&problem["code"], &problem["status"]), (&json!("provider_auth"), &json!(502)));
    assert_eq!(listed(&home), 0);
}

#[test]
fn a_timeout_keeps_what_has_finished() {
    let home = Home::new();
    home.sim("slow", "answer: {text: done}\nrules:\n  - when: {variant: [1, 2]}\n    fault: hang\n");
    let result = generated(&home, &["--timeout", "1"]);
    assert_eq!(each(&result, "variant"), [&json!(0)]);
    assert_eq!(result["failures"].as_array().map(Vec::len), Some(2));
    assert_eq!(listed(&home), 1);
}
