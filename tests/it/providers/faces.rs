//! A provider's failure is the same on every face: code, status, message, provider.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use super::fault::{Fault, Verdict};
use super::house::House;
use super::lab::KEY;
use super::rest_server::RestServer;
use super::stage::Actor;
use super::vendors::Vendor;

const CASES: [(Vendor, Fault); 7] = [
    (Vendor::Google, Fault::BadKey),
    (Vendor::Anthropic, Fault::QuotaUsedUp),
    (Vendor::OpenAi, Fault::GatewayPage),
    (Vendor::OpenRouter, Fault::RefusalFirst),
    (Vendor::Ollama, Fault::CutInCharacter),
    (Vendor::Ollama, Fault::UnknownModel),
    (Vendor::OpenAi, Fault::HangsAfterToken),
];

fn name(vendor: Vendor, fault: Fault) -> String {
    let name = Fault::ALL.iter().find(|(known, _)| *known == fault).map(|(_, name)| *name);
    format!("{}-{}", vendor.name(), name.expect("every fault has a name"))
}

fn actor((vendor, fault): (Vendor, Fault), elsewhere: &str) -> Actor {
    let script = fault.script(vendor, KEY, elsewhere).expect("a fault of this vendor");
    let mut actor = Actor::new(name(vendor, fault), vendor).playing(move |_| Some(script.clone()));
    actor.timeout_s = fault.timeout_s();
    actor.max_retries = 0;
    actor
}

/// The program's reply to a host that calls its tool over a pipe.
fn over_mcp(house: &House, provider: &str) -> Value {
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}});
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let arguments = json!({"input": "Distil", "provider": provider, "count": 1, "phases": ["coagulatio"]});
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
                      "params": {"name": "generate_prompts", "arguments": arguments}});
    let mut command = house.home.command();
    command.arg("serve").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(format!("{initialize}\n{initialized}\n{call}\n").as_bytes()).expect("sent");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let lines = String::from_utf8(output.stdout).expect("UTF-8");
    let answers = lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let result = answers.into_iter().find(|answer| answer["id"] == 2).expect("an answer")["result"].clone();
    assert_eq!(result["isError"], true, "{result}");
    serde_json::from_str(result["content"][0]["text"].as_str().expect("a text")).expect("a problem")
}

/// Status and body of a response.
fn split(answer: &[u8]) -> (u64, String) {
    let answer = String::from_utf8_lossy(answer);
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    (status.expect("a status"), body.to_owned())
}

/// The part of a problem that must be the same everywhere.
fn common(mut problem: Value) -> Value {
    problem.as_object_mut().expect("an object").remove("request_id");
    problem
}

#[test]
fn a_failure_is_the_same_on_every_face() {
    let house = House::open("", |elsewhere| CASES.into_iter().map(|case| actor(case, elsewhere)).collect());
    let server = RestServer::start(&house.home, &[], &[]);
    for (vendor, fault) in CASES {
        let provider = name(vendor, fault);
        let Verdict::Fails { code, .. } = fault.expected(vendor).verdict else { panic!("{fault:?} is no failure") };
        let options = ["--provider", &provider, "--count", "1", "--phases", "coagulatio", "--format", "json"];
        let said = house.run(&[&["generate", "Distil"][..], &options].concat()).failed(code.row().exit.into());
        let told = common(said.problem());
        assert_eq!((&told["code"], &told["provider"]), (&code.as_str().into(), &provider.as_str().into()));

        let (status, body) = split(&server.generate(&provider, "application/json"));
        assert_eq!(status, u64::from(code.row().status), "{body}");
        assert_eq!(common(serde_json::from_str(&body).expect("a problem")), told, "over REST");

        let (status, body) = split(&server.generate(&provider, "text/event-stream"));
        let failed =
            body.lines().filter_map(|line| line.strip_prefix("data:")).find(|data| data.contains("\"failed\""));
        let failed: Value = serde_json::from_str(failed.expect("a last event")).expect("JSON");
        assert_eq!((status, common(failed["error"].clone())), (200, told.clone()), "as an event");

        assert_eq!(common(over_mcp(&house, &provider)), told, "over MCP");
    }
    server.stop();
}
