//! Every component of a key counts, and no two requests share an encoding.

use std::collections::HashSet;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::domain::Phase;
use crate::provider::sim::testing::{judge_request, phase_request, request};
use crate::provider::{Message, PhaseBrief};

fn source() -> Source {
    Source {
        provider: "local".into(),
        kind: ProviderKind::OpenAi,
        base_url: None,
        headers: Vec::new(),
        model: None,
        script: None,
    }
}

fn message(role: Role, content: &str) -> Message {
    Message { role, content: content.into() }
}

#[test]
fn each_component_changed_alone_is_another_key() {
    type Change = (&'static str, fn(&mut Source, &mut ChatRequest));
    let changes: &[Change] = &[
        ("nothing", |_, _| {}),
        ("provider", |source, _| source.provider = "other".into()),
        ("kind", |source, _| source.kind = ProviderKind::OpenRouter),
        ("base_url", |source, _| source.base_url = Some("http://127.0.0.1:1/v1".into())),
        ("another base_url", |source, _| source.base_url = Some("http://127.0.0.1:2/v1".into())),
        ("a header", |source, _| source.headers = vec![("x-route".into(), "a".into())]),
        ("its value", |source, _| source.headers = vec![("x-route".into(), "b".into())]),
        ("script", |source, _| source.script = Some("answer: echo".into())),
        ("the binding's model", |source, _| source.model = Some("big".into())),
        ("the request's model", |_, request| request.model = Some("small".into())),
        ("one message more", |_, request| request.messages.push(message(Role::User, ""))),
        ("one message less", |_, request| drop(request.messages.pop())),
        ("their order", |_, request| request.messages.reverse()),
        ("a role", |_, request| request.messages[0].role = Role::Assistant),
        ("a text", |_, request| request.messages[1].content.push(' ')),
        ("temperature", |_, request| request.temperature = Some(0.700_000_1)),
        ("no temperature", |_, request| request.temperature = None),
        ("max_tokens", |_, request| request.max_tokens = Some(2000)),
        ("other max_tokens", |_, request| request.max_tokens = Some(2001)),
        ("schema", |_, request| request.response_schema = Some(json!({"type": "object"}))),
        ("another schema", |_, request| request.response_schema = Some(json!({"type": "array"}))),
        ("phase", |_, request| request.brief = phase_request(Phase::Coagulatio, 0).brief),
        ("variant", |_, request| request.brief = super::tests::request(1).brief),
        ("role", |_, request| request.brief = judge_request("a", "b").brief),
    ];
    let mut keys = HashSet::new();
    for (name, change) in changes {
        let (mut source, mut request) = (source(), request(0));
        change(&mut source, &mut request);
        let key = AnswerKey::of(&source, &request, "default");
        assert!(keys.insert(key), "{name}");
        assert_eq!(key, AnswerKey::of(&source, &request, "default"), "{name}");
    }
    assert!(keys.insert(AnswerKey::of(&source(), &request(0), "another default")));
}

#[test]
fn what_does_not_change_the_answer_is_not_in_the_key() {
    let key = |source: &Source, request: &ChatRequest| AnswerKey::of(source, request, "m");
    let plain = key(&source(), &request(0));
    let Brief::Phase(brief) = request(0).brief else { unreachable!() };
    let brief = Brief::Phase(PhaseBrief { original_input: "something else".into(), ..brief });
    let other = ChatRequest { brief, account: crate::ledger::Account::default(), ..request(0) };
    assert_eq!(key(&source(), &other), plain);
    let named = ChatRequest { model: Some("m".into()), ..request(0) };
    assert_eq!(key(&source(), &named), plain, "the default model by name");
    let bound = Source { model: Some("m".into()), ..source() };
    let overridden = ChatRequest { model: Some("x".into()), ..request(0) };
    assert_eq!(key(&bound, &overridden), plain, "the binding's model wins over the request's");
    let zeros = [0.0, -0.0].map(|zero| key(&source(), &ChatRequest { temperature: Some(zero), ..request(0) }));
    assert_eq!(zeros[0], zeros[1]);
    let headers = |names: [&str; 2]| Source { headers: names.map(|name| (name.into(), "v".into())).into(), ..source() };
    assert_eq!(key(&headers(["a", "b"]), &request(0)), key(&headers(["b", "a"]), &request(0)));
}

#[test]
fn a_key_of_this_version_stays_what_it_is() {
    // A change of the encoding needs a new `VERSION`, and then this changes too.
    assert_eq!(AnswerKey::of(&source(), &request(0), "m").to_string(), "df2a8ffb2e4c744c");
}

/// Texts that look like parts of an encoding.
fn tricky() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("a".to_owned()),
        Just("aa".to_owned()),
        Just("\u{9}\u{1}\0\0\0\0\0\0\0a".to_owned()),
        Just("\u{8}\u{4}\0\0\0\0\0\0\0user".to_owned()),
    ]
}

prop_compose! {
    fn asked()(
        texts in proptest::collection::vec((any::<bool>(), tricky()), 0..3),
        (provider, base_url) in (tricky(), proptest::option::of(tricky())),
        header in proptest::option::of((tricky(), tricky())),
        (bound, model) in (proptest::option::of(tricky()), proptest::option::of(tricky())),
        schema in proptest::option::of(tricky()),
    ) -> (Source, ChatRequest) {
        let source = Source { provider, base_url, headers: header.into_iter().collect(), model: bound, ..source() };
        let role = |user| if user { Role::User } else { Role::System };
        let messages = texts.iter().map(|(user, text)| message(role(*user), text)).collect();
        (source, ChatRequest { messages, model, response_schema: schema.map(Into::into), ..request(0) })
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn two_requests_have_one_encoding_only_when_they_are_equal(a in asked(), b in asked()) {
        let effective = |(source, request): &(Source, ChatRequest)| {
            let model = source.model.clone().or(request.model.clone()).unwrap_or("default".into());
            (Source { model: Some(model), ..source.clone() }, request.messages.clone(), request.response_schema.clone())
        };
        let encoded = |(source, request): &(Source, ChatRequest)| encoding(source, request, "default");
        prop_assert_eq!(encoded(&a) == encoded(&b), effective(&a) == effective(&b));
    }
}
