//! Cached answers: across runs, as configured, as requested, and never a reason to fail.

use serde_json::Value;

use crate::support::{CommandOutput, Home};

const SCRIPT: &str = "seed: 3\nprice: {input: 3, output: 15}\nanswer: echo\n";

/// A home with a scripted provider, and the cache of generations on.
fn caching() -> Home {
    let home = Home::new();
    let script = home.write("model.yaml", SCRIPT);
    home.config(&format!(
        "providers:\n  model: {{kind: sim, script: {}}}\ncache:\n  enabled: true\n",
        script.display()
    ));
    home
}

fn run(home: &Home, options: &[&str]) -> CommandOutput {
    let arguments = ["generate", "Name a boat", "--format", "json"];
    home.run(&arguments.into_iter().chain(options.iter().copied()).collect::<Vec<_>>())
}

fn generated(home: &Home, options: &[&str]) -> Value {
    run(home, options).quietly_done().json()
}

/// The texts of the prompts, sorted.
fn texts(result: &Value) -> Vec<&str> {
    let prompts = result["prompts"].as_array().expect("prompts");
    let mut texts: Vec<_> = prompts.iter().map(|prompt| prompt["content"].as_str().expect("a text")).collect();
    texts.sort_unstable();
    texts
}

/// Whether the run, its prompts and their steps came from the cache: all or none.
#[track_caller]
fn all_cached(result: &Value) -> bool {
    let prompts = result["prompts"].as_array().expect("prompts");
    let steps = prompts.iter().flat_map(|prompt| prompt["steps"].as_array().expect("steps"));
    let parts = prompts.iter().chain(steps).map(|part| part["model_metadata"]["cached"].as_bool().expect("a flag"));
    let whole = result["model_metadata"]["cached"].as_bool().expect("a flag");
    for part in parts {
        assert_eq!(part, whole);
    }
    whole
}

#[test]
fn the_second_run_is_answered_from_the_cache_and_costs_nothing() {
    let home = caching();
    let first = generated(&home, &[]);
    assert!(!all_cached(&first));
    assert_eq!(first["model_metadata"]["calls"], 9);
    let second = generated(&home, &[]);
    assert!(all_cached(&second));
    assert_eq!(texts(&second), texts(&first));
    let (before, now) = (&first["model_metadata"], &second["model_metadata"]);
    assert_eq!((&now["calls"], &now["retries"], now["cost_usd"].as_f64()), (&0.into(), &0.into(), Some(0.0)));
    assert_eq!(now["total_tokens"], before["total_tokens"]);
    let shown = home.run(&["show", "@last", "--format", "json"]).quietly_done().json();
    assert_eq!(shown["model_metadata"]["cached"], true);
}

#[test]
fn variants_that_ask_the_same_stay_samples_of_their_own() {
    let home = caching();
    home.write("model.yaml", "answer: {text: 'You name a boat. {strategy}'}\n");
    let template = "---\nname: solutio\ndescription: asks for one thing\ntask: Name it.\n---\nName a boat.\n";
    home.write(".aludel/phases/solutio.md", template);
    let first = run(&home, &["--phases", "solutio", "--count", "6"]).done().json();
    assert_eq!(first["model_metadata"]["calls"], 6, "none was answered by another's");
}

#[test]
fn another_request_is_asked_for_itself() {
    let home = caching();
    generated(&home, &[]);
    for options in [["--temperature", "0.9"], ["--max-tokens", "900"], ["--persona", "writing"]] {
        assert!(!all_cached(&generated(&home, &options)), "{options:?}");
    }
    let more = generated(&home, &["--count", "4"]);
    assert_eq!((&more["model_metadata"]["calls"], &more["model_metadata"]["cached"]), (&3.into(), &false.into()));
    home.write("model.yaml", "answer: {text: 'You name a ship.'}\n");
    assert!(!all_cached(&generated(&home, &[])), "the script is another");
}

#[test]
fn without_configuration_generations_are_not_kept_and_nothing_is_written() {
    let home = Home::new();
    home.sim("model", SCRIPT);
    for _ in 0..2 {
        assert!(!all_cached(&generated(&home, &[])));
    }
    assert!(!home.data().join("cache.db").exists());
    // Where no other provider could judge its output.
    let home = Home::new();
    generated(&home, &["--provider", "builtin", "--auto-select"]);
    assert!(!home.data().join("cache.db").exists(), "the embedded writer needs no cache, as a judge neither");
}

#[test]
fn no_cache_takes_nothing_and_keeps_nothing() {
    let home = caching();
    assert!(!all_cached(&generated(&home, &["--no-cache", "--auto-select"])));
    assert!(!home.data().join("cache.db").exists());
    assert!(!all_cached(&generated(&home, &[])));
    assert!(!all_cached(&generated(&home, &["--no-cache"])));
    assert!(all_cached(&generated(&home, &[])));
}

#[test]
fn the_judge_is_always_kept_and_no_cache_passes_it_over_too() {
    let home = Home::new();
    home.sim("model", SCRIPT);
    let judged = |options: &[&str]| {
        let options: Vec<_> = ["--auto-select"].iter().chain(options).copied().collect();
        generated(&home, &options)["selected"].clone()
    };
    let first = judged(&[]);
    assert_eq!((&first["model_metadata"]["cached"], &first["model_metadata"]["calls"]), (&false.into(), &6.into()));
    let second = judged(&[]);
    assert_eq!((&second["model_metadata"]["cached"], &second["model_metadata"]["calls"]), (&true.into(), &0.into()));
    assert_eq!(second["prompt"]["content"], first["prompt"]["content"]);
    assert_eq!(judged(&["--no-cache"])["model_metadata"]["cached"], false);
}

#[test]
fn a_verdict_that_cannot_be_read_is_asked_for_again() {
    let home = Home::new();
    home.sim("model", "seed: 3\nanswer: echo\nrules:\n  - when: {role: judge, attempt: 1}\n    fault: malformed\n");
    let judged = || generated(&home, &["--auto-select", "--count", "2"])["selected"]["model_metadata"].clone();
    assert_eq!(judged()["calls"], 4, "two orders, and a repair of each");
    // The repairs were cached, the replies that needed them were not.
    let again = judged();
    assert_eq!((&again["calls"], &again["cached"]), (&2.into(), &false.into()));
}

#[test]
fn a_broken_cache_is_told_once_and_made_anew() {
    let home = caching();
    let path = home.write(".aludel/cache.db", "no database");
    let said = run(&home, &[]).done();
    assert_eq!(said.stderr.matches("cache of answers").count(), 1, "{}", said.stderr);
    assert!(home.data().join("cache.db.broken").exists());
    assert!(all_cached(&generated(&home, &[])));
    std::fs::remove_file(path).expect("it may be deleted");
    assert!(!all_cached(&generated(&home, &[])));
}

#[test]
fn a_cache_that_cannot_be_used_is_told_once_and_stops_nothing() {
    let home = caching();
    std::fs::create_dir_all(home.data().join("cache.db")).expect("a folder in its place");
    let said = run(&home, &["--count", "5"]).done();
    assert_eq!(said.stderr.matches("cache of answers").count(), 1, "{}", said.stderr);
    assert_eq!(said.json()["prompts"].as_array().map(Vec::len), Some(5));
}

#[test]
fn validate_tells_what_is_kept() {
    let home = caching();
    let kept = || {
        let checks = home.run(&["validate", "--format", "json"]).done().json();
        let checks = checks["checks"].as_array().expect("checks").clone();
        checks.into_iter().find(|check| check["name"] == "cache")
    };
    assert_eq!(kept(), None);
    generated(&home, &["--count", "2"]);
    let check = kept().expect("a check");
    assert_eq!(check["status"], "ok");
    assert!(check["detail"].as_str().expect("words").contains("holds 6 answers"), "{check}");
}

#[cfg(unix)]
#[test]
fn the_cache_is_for_its_owner_alone_and_holds_no_secret() {
    use std::os::unix::fs::PermissionsExt;
    let home = caching();
    let config = std::fs::read_to_string(home.data().join("config.yaml")).expect("a configuration");
    let secret = "canary-4f2a9c";
    home.config(&config.replace("kind: sim,", &format!("kind: sim, api_key: {secret}, headers: {{x-route: plain}},")));
    generated(&home, &[]);
    let path = home.data().join("cache.db");
    assert_eq!(std::fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o600);
    let bytes = std::fs::read(&path).expect("a file");
    let holds = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(!holds(secret) && holds("boat"));
}
