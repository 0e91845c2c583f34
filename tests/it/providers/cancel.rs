//! Stopping: however a run is stopped, the provider's sockets are closed within a second, and
//! finished variants are kept.
//!
//! Before the first token and amid a call; a dropped run, one variant of several, a signal.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::Duration;

use aludel_core::domain::Phase;
use aludel_core::event::EventKind;
use aludel_core::event::run::Run;
use serde_json::{Value, json};

use super::fault::Fault;
use super::house::{House, signal};
use super::lab::{KEY, Lab};
use super::stage::{Actor, ReceivedCall, Stage};
use super::vendors::Vendor;

const A_SECOND: Duration = Duration::from_secs(1);

/// A provider that hangs for the variants selected by `hangs`, and answers the others.
fn hanging(vendor: Vendor, fault: Fault, hangs: fn(&ReceivedCall) -> bool) -> Actor {
    let script = fault.script(vendor, KEY, "").expect("every vendor can hang");
    Actor::new(vendor.name(), vendor).playing(move |asked| hangs(asked).then(|| script.clone()))
}

/// Asserts that the sockets of these requests are closed within a second.
async fn close_within_a_second(stage: &Stage, asked: &[ReceivedCall]) {
    for asked in asked {
        let closed = tokio::time::timeout(A_SECOND, stage.server().until_closed(asked.connection)).await;
        assert_eq!(closed, Ok(true), "still open: {asked:?}");
    }
}

fn started(lab: &Lab, vendor: Vendor, count: u32) -> Run {
    let request = json!({"input": "Distil", "provider": vendor.name(), "count": count, "phases": ["coagulatio"]});
    lab.engine.generate(lab.engine.decode(request).expect("a request")).expect("a run")
}

async fn until(run: &mut Run, mut reached: impl FnMut(&EventKind) -> bool) {
    while !reached(&run.next().await.expect("an event").kind) {}
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dropping_a_run_closes_every_socket_within_a_second() {
    for fault in [Fault::HangsBeforeHead, Fault::HangsBeforeToken, Fault::HangsAfterToken] {
        let actors = |_: &str| Vendor::ALL.map(|vendor| hanging(vendor, fault, |_| true)).into();
        let lab = Lab::open("", actors).await;
        let mut runs = Vendor::ALL.map(|vendor| started(&lab, vendor, 2));
        assert!(lab.stage.server().until_asked(2 * Vendor::ALL.len()).await);
        if fault == Fault::HangsAfterToken {
            for run in &mut runs {
                until(run, |event| matches!(event, EventKind::Delta { .. })).await;
            }
        }
        drop(runs);
        for vendor in Vendor::ALL {
            let asked = lab.stage.asked(vendor.name());
            assert_eq!(asked.len(), 2, "{vendor:?}");
            close_within_a_second(&lab.stage, &asked).await;
        }
        // There are no further calls.
        assert_eq!(lab.stage.server().requests().len(), 2 * Vendor::ALL.len());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopping_one_variant_closes_its_socket_and_no_other() {
    let lab =
        Lab::open("", |_| vec![hanging(Vendor::Anthropic, Fault::HangsAfterToken, |asked| asked.variant == 1)]).await;
    let mut run = started(&lab, Vendor::Anthropic, 3);
    until(&mut run, |event| matches!(event, EventKind::Delta { variant: 1, .. })).await;
    run.control().cancel_variant(1);
    let mut kinds = Vec::new();
    while let Some(event) = run.next().await {
        kinds.push(event.kind);
    }
    let hung: Vec<ReceivedCall> =
        lab.stage.asked("anthropic").into_iter().filter(|asked| asked.is(Phase::Coagulatio, 1)).collect();
    assert_eq!(hung.len(), 1);
    close_within_a_second(&lab.stage, &hung).await;
    let Some(EventKind::Finished { outcome }) = kinds.last() else { panic!("{kinds:?}") };
    let result: Value = serde_json::to_value(outcome.result()).expect("JSON");
    assert_eq!(result["prompts"].as_array().map(Vec::len), Some(2), "{result}");
    assert_eq!(result["failures"][0]["variant"], 1);
}

#[test]
fn a_signal_to_the_program_closes_the_sockets_and_keeps_what_has_finished() {
    for fault in [Fault::HangsBeforeToken, Fault::HangsAfterToken] {
        let house = House::open("", |_| vec![hanging(Vendor::OpenRouter, fault, |asked| asked.variant > 0)]);
        let mut command = house.home.command();
        command.args(["generate", "Distil", "--count", "3", "--phases", "coagulatio", "--format", "jsonl"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let mut next = || -> Value {
            let line = lines.next().expect("another line").expect("UTF-8");
            serde_json::from_str(&line).expect("JSON")
        };
        while next()["type"] != "variant_finished" {}
        assert!(house.wait(house.stage.server().until_asked(3)));
        signal(child.id(), "INT");
        let hung: Vec<ReceivedCall> =
            house.stage.asked("openrouter").into_iter().filter(|asked| asked.variant > 0).collect();
        assert_eq!(hung.len(), 2);
        house.wait(close_within_a_second(&house.stage, &hung));
        while next()["type"] != "cancelled" {}
        assert_eq!(child.wait_with_output().expect("it ends").status.code(), Some(130));
        let listed = house.run(&["list", "--format", "json"]).done().json();
        assert_eq!(listed["prompts"].as_array().map(Vec::len), Some(1), "{listed}");
    }
}
