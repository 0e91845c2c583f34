//! Some of the faults as users of the program meet them: exit code, messages, output, storage.

use aludel_core::domain::Phase;
use aludel_core::provider::transport::testing::Script;
use serde_json::Value;

use super::fault::Fault;
use super::house::House;
use super::lab::KEY;
use super::stage::{Actor, ReceivedCall, good_text};
use super::vendors::Vendor;
use crate::support::CommandOutput;

/// A house with one provider that has this fault for the requests selected by `meets_it`.
fn house(vendor: Vendor, fault: Fault, max_retries: u32, meets_it: fn(&ReceivedCall) -> bool) -> House {
    House::open("", |elsewhere| {
        let script = fault.script(vendor, KEY, elsewhere).expect("a fault of this vendor");
        let mut actor = Actor::new(vendor.name(), vendor)
            .playing(move |asked| (meets_it(asked) && !is_cured(fault, asked)).then(|| script.clone()));
        actor.place = fault.place();
        actor.timeout_s = fault.timeout_s();
        actor.max_retries = max_retries;
        vec![actor]
    })
}

fn is_cured(fault: Fault, asked: &ReceivedCall) -> bool {
    fault == Fault::RefusedTemperature && !asked.has_temperature
}

fn generate(house: &House, options: &[&str]) -> CommandOutput {
    house.run(&[&["generate", "Distil something", "--phases", "solutio,coagulatio"], options].concat())
}

fn stored(house: &House) -> Vec<Value> {
    house.run(&["list", "--format", "json"]).done().json()["prompts"].as_array().expect("prompts").clone()
}

#[test]
fn what_nothing_came_of_exits_with_the_contracts_code_and_problem() {
    let cases = [
        (Vendor::OpenAi, Fault::BadKey, "provider_auth", 502, Some(401)),
        (Vendor::Google, Fault::BadKey, "provider_auth", 502, Some(400)),
        (Vendor::Anthropic, Fault::QuotaUsedUp, "provider_rate_limited", 503, Some(429)),
        (Vendor::OpenRouter, Fault::OutOfCredit, "provider_rate_limited", 503, Some(402)),
        (Vendor::Ollama, Fault::UnknownModel, "provider_rejected", 502, Some(404)),
        (Vendor::Google, Fault::RefusalFirst, "provider_rejected", 502, None),
        (Vendor::Ollama, Fault::NobodyListens, "provider_unavailable", 502, None),
        (Vendor::OpenAi, Fault::GatewayPage, "provider_unavailable", 502, Some(502)),
        (Vendor::Anthropic, Fault::UntrustedCertificate, "provider_unavailable", 502, None),
        (Vendor::OpenRouter, Fault::RedirectTemporary, "provider_unavailable", 502, Some(307)),
        (Vendor::OpenAi, Fault::HangsBeforeHead, "provider_timeout", 504, None),
    ];
    for (vendor, fault, code, status, upstream) in cases {
        let house = house(vendor, fault, 0, |_| true);
        let problem = generate(&house, &["--count", "1", "--format", "json"]).failed(6).problem();
        assert_eq!(problem["code"], code, "{fault:?} of {vendor:?}: {problem}");
        assert_eq!(problem["status"], status, "{problem}");
        assert_eq!(problem["provider"], vendor.name(), "{problem}");
        if upstream.is_some() {
            assert_eq!(problem["upstream_status"].as_u64(), upstream, "{problem}");
        }
        assert!(stored(&house).is_empty());
        assert_eq!(house.stage.elsewhere_asked(), 0);
    }
}

#[test]
fn a_person_is_told_what_happened_and_what_to_do() {
    let cases = [
        (Vendor::OpenAi, Fault::BadKey, "providers.openai.api_key"),
        (Vendor::Ollama, Fault::NobodyListens, "base_url"),
        (Vendor::Anthropic, Fault::HangsAfterToken, "providers.anthropic.timeout_s"),
        (Vendor::Google, Fault::UnknownModel, "aludel providers"),
    ];
    for (vendor, fault, hint) in cases {
        let house = house(vendor, fault, 0, |_| true);
        let said = generate(&house, &["--count", "1"]).failed(6);
        assert!(said.stderr.contains(hint) && said.stderr.contains(vendor.name()), "{}", said.stderr);
        assert!(!said.stderr.contains(KEY), "{}", said.stderr);
    }
}

#[test]
fn what_has_finished_is_printed_and_stored_when_the_others_fail() {
    for (vendor, fault) in [
        (Vendor::OpenAi, Fault::CutInCharacter),
        (Vendor::Anthropic, Fault::StreamOverloaded),
        (Vendor::Google, Fault::RefusalSecond),
        (Vendor::OpenRouter, Fault::StreamInternal),
        (Vendor::Ollama, Fault::EndsEarly),
    ] {
        let house = house(vendor, fault, 0, |asked| asked.is(Phase::Coagulatio, 1));
        let said = generate(&house, &["--count", "3", "--format", "json"]).done();
        let result = said.json();
        let mut variants: Vec<u64> =
            result["prompts"].as_array().expect("prompts").iter().filter_map(|p| p["variant"].as_u64()).collect();
        variants.sort_unstable();
        assert_eq!(variants, [0, 2], "{vendor:?}");
        assert_eq!(result["failures"][0]["variant"], 1);
        assert_eq!(result["failures"][0]["phase"], "coagulatio");
        let stored = stored(&house);
        assert_eq!(stored.len(), 2);
        for prompt in &stored {
            let variant = u32::try_from(prompt["variant"].as_u64().expect("a number")).expect("a small one");
            assert_eq!(prompt["content"], good_text(Phase::Coagulatio, variant));
        }
        let told = generate(&house, &["--count", "3"]).done();
        assert!(told.stderr.contains("variant 2") || told.stdout.contains("variant 2"), "{told:?}");
    }
}

#[test]
fn a_provider_that_dies_midway_costs_only_what_had_not_finished() {
    // From the second variant on, the server hangs up: the closest to a server that is gone.
    let house = House::open("run: {max_concurrency: 1}\n", |_| {
        let mut actor =
            Actor::new("local", Vendor::Ollama).playing(|asked| (asked.nth >= 3).then(|| Script::nothing().reset()));
        actor.max_retries = 1;
        vec![actor]
    });
    let result = generate(&house, &["--count", "3", "--format", "json"]).done().json();
    assert_eq!(result["prompts"].as_array().map(Vec::len), Some(1), "{result}");
    assert_eq!(result["failures"].as_array().map(Vec::len), Some(2), "{result}");
    assert_eq!(result["failures"][0]["error"]["code"], "provider_unavailable");
    assert_eq!(stored(&house).len(), 1);
}

#[test]
fn a_retry_is_seen_and_the_answer_is_that_of_the_second_call_alone() {
    let house = house(Vendor::OpenAi, Fault::CutInToken, 1, |asked| asked.nth == 0);
    let said = generate(&house, &["--count", "1", "--format", "jsonl"]).done();
    let events = said.json_lines();
    let retrying = events.iter().find(|event| event["type"] == "retrying").expect("a retry that is told");
    assert_eq!((&retrying["attempt"], &retrying["provider"]), (&2.into(), &"openai".into()));
    let finished = events.iter().find(|event| event["type"] == "variant_finished").expect("a variant");
    assert_eq!(finished["prompt"]["content"], good_text(Phase::Coagulatio, 0));
    assert_eq!(finished["prompt"]["model_metadata"]["retries"], 1);
    let streamed = generate(&house, &["--count", "1", "--stream"]).done();
    assert!(streamed.stdout.contains("Keep the receiver cool."), "{streamed:?}");
}

#[test]
fn a_parameter_that_is_refused_is_left_out_with_a_warning() {
    let house = house(Vendor::Google, Fault::RefusedTemperature, 0, |_| true);
    let said = generate(&house, &["--count", "1", "--temperature", "0.4"]).done();
    assert!(
        said.stderr.contains("warning: `alembic-1` refuses temperature 0.4") && !said.stdout.contains("warning"),
        "{said:?}"
    );
    let asked = house.stage.asked("google");
    let with: Vec<bool> = asked.iter().map(|asked| asked.has_temperature).collect();
    assert_eq!(with, [true, false, false], "refused once, remembered for the next phase");
}
