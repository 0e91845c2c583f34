//! The cost of retries and failures: caps count every request, and failures are never cached.

use aludel_core::error::Code;
use serde_json::json;

use super::fault::Fault;
use super::house::House;
use super::lab::{KEY, Lab};
use super::stage::Actor;
use super::vendors::{Complaint, Vendor, Wait};

/// A provider that fails two of three requests, which can be retried at once.
fn flaky(vendor: Vendor) -> Actor {
    let complaint = vendor.complaint(Complaint::RateLimited(Wait::Seconds(0))).expect("all limit their rate");
    let mut actor =
        Actor::new(vendor.name(), vendor).playing(move |asked| (asked.nth % 3 != 0).then(|| complaint.script(KEY)));
    actor.max_retries = 8;
    actor
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_goes_out_past_the_cap_however_many_are_under_way() {
    const CAP: usize = 9;
    let runs = [1, 4, 16, 64].map(|concurrency| async move {
        let more = format!("run: {{max_concurrency: {concurrency}}}\n");
        let lab = Lab::open(&more, |_| Vendor::ALL.map(flaky).into()).await;
        for vendor in Vendor::ALL {
            let request = json!({"provider": vendor.name(), "count": 12, "phases": ["coagulatio"], "max_calls": CAP});
            let ran = lab.run(request).await.expect("a lawful run");
            let asked = lab.stage.asked(vendor.name()).len();
            assert_eq!(asked, CAP, "{vendor:?} with {concurrency} at once");
            // Every third request succeeded, and its result is kept.
            let result = ran.result().expect("a result");
            assert_eq!((result.prompts.len(), result.failures.len()), (CAP.div_ceil(3), 12 - CAP.div_ceil(3)));
            assert!(result.failures.iter().all(|failure| failure.error.code == Code::BudgetExceeded), "{result:?}");
            for prompt in &result.prompts {
                lab.stored(prompt).await.expect("stored");
            }
        }
    });
    futures_util::future::join_all(runs).await;
}

#[test]
fn what_was_made_before_the_cap_is_printed_and_the_exit_code_says_why() {
    let house = House::open("", |_| vec![flaky(Vendor::OpenRouter)]);
    let options = ["--count", "6", "--phases", "coagulatio", "--max-calls", "5", "--format", "json"];
    let said = house.run(&[&["generate", "Distil"][..], &options].concat());
    assert_eq!((said.code, house.stage.asked("openrouter").len()), (7, 5), "{said:?}");
    assert_eq!(said.json()["prompts"].as_array().map(Vec::len), Some(2));
    assert_eq!(said.problem()["code"], "budget_exceeded");
    let spent = house.run(&["spend", "--format", "json"]).done().stdout;
    assert!(spent.contains('5'), "{spent}");
}

#[tokio::test]
async fn a_failure_is_never_answered_from_the_cache_and_an_answer_is() {
    let faults = [Fault::Internal, Fault::CutInCharacter, Fault::Empty, Fault::BadKey, Fault::GarbageJson];
    let actors = |_: &str| {
        let actor = |(fault, vendor): (Fault, Vendor)| {
            let script = fault.script(vendor, KEY, "").expect("a fault of this vendor");
            let mut actor =
                Actor::new(vendor.name(), vendor).playing(move |asked| (asked.nth == 0).then(|| script.clone()));
            actor.max_retries = 0;
            actor
        };
        faults.into_iter().zip(Vendor::ALL).map(actor).collect()
    };
    let lab = Lab::open("cache: {enabled: true}\n", actors).await;
    for vendor in Vendor::ALL {
        let request = json!({"provider": vendor.name(), "count": 1, "phases": ["coagulatio"]});
        lab.run(request.clone()).await.expect("a lawful run").failure().expect("a failure");
        let mut answers = Vec::new();
        for _ in 0..2 {
            let ran = lab.run(request.clone()).await.expect("a lawful run");
            let prompt = ran.result().expect("a result").prompts[0].clone();
            answers.push((prompt.content, prompt.model_metadata.cached));
        }
        assert_eq!(answers[0].0, answers[1].0);
        assert_eq!((answers[0].1, answers[1].1), (false, true), "{vendor:?}");
        assert_eq!(lab.stage.asked(vendor.name()).len(), 2, "{vendor:?}");
    }
}
