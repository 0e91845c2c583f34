//! Storing prompts and reading them back.

use super::{Check, assert_fails, first_page, store_samples, stored};
use crate::domain::{Filter, ModelMetadata, Order, Prompt, PromptId, Step};
use crate::error::Code;
use crate::store::{Store, samples};

pub(super) const CHECKS: &[Check] = &[
    Check { name: "an empty database answers with nothing", run: an_empty_database_answers_with_nothing },
    Check { name: "a prompt is read back exactly", run: a_prompt_is_read_back_exactly },
    Check { name: "numbers are kept to the last bit", run: numbers_are_kept_to_the_last_bit },
    Check { name: "texts of any kind are kept", run: texts_of_any_kind_are_kept },
    Check { name: "a text of four megabytes is kept", run: a_text_of_four_megabytes_is_kept },
    Check { name: "an id that is taken conflicts", run: an_id_that_is_taken_conflicts },
    Check { name: "prompts are stored all or none", run: prompts_are_stored_all_or_none },
    Check { name: "a number that is none is refused", run: a_number_that_is_none_is_refused },
    Check { name: "a closed store refuses and keeps what was written", run: a_closed_store_refuses },
];

fn an_empty_database_answers_with_nothing(store: &dyn Store) {
    assert_eq!(store.get(samples::prompt(1).id).wait().unwrap(), None);
    assert_eq!(store.count(Filter::default()).wait().unwrap(), 0);
    let page = store.page(Filter::default(), Order::Newest, first_page(10)).wait().unwrap();
    assert_eq!((page.items.len(), page.next_cursor), (0, None));
    assert!(store.sessions(first_page(10)).wait().unwrap().items.is_empty());
    assert!(store.resolve("01".into(), 10).wait().unwrap().is_empty());
    store.append(Vec::new()).wait().unwrap();
    assert_eq!(store.count(Filter::default()).wait().unwrap(), 0);
}

fn a_prompt_is_read_back_exactly(store: &dyn Store) {
    for prompt in store_samples(store, 9) {
        assert_eq!(stored(store, prompt.id), prompt);
    }
    let bare = Prompt {
        tags: Vec::new(),
        context: Vec::new(),
        notes: None,
        steps: Vec::new(),
        score: Some(0.25),
        parent_id: Some(samples::prompt(1).id),
        revision: 7,
        model_metadata: ModelMetadata::default(),
        ..samples::prompt(20)
    };
    let many_tags = Prompt {
        tags: ["z", "a", "Z", "ä", "a b", "0"].map(String::from).to_vec(),
        context: vec!["second".into(), "first".into(), String::new()],
        notes: Some(String::new()),
        ..samples::prompt(21)
    };
    store.append(vec![bare.clone(), many_tags.clone()]).wait().unwrap();
    assert_eq!(stored(store, bare.id), bare);
    assert_eq!(stored(store, many_tags.id), many_tags);
}

fn numbers_are_kept_to_the_last_bit(store: &dyn Store) {
    let numbers = [0.0, 0.1 + 0.2, 1.0 / 3.0, f64::MIN_POSITIVE, 5e-324, 1e300, f64::MAX, 0.000_123_456_789_012_345_6];
    for (seed, number) in (0_u32..).zip(numbers) {
        let mut prompt = Prompt { temperature: number, score: Some(number), ..samples::prompt(seed) };
        prompt.max_tokens = u32::MAX;
        prompt.model_metadata.cost_usd = Some(number);
        prompt.model_metadata.total_tokens = u64::MAX;
        prompt.steps[0].model_metadata.cost_usd = Some(number);
        store.append(vec![prompt.clone()]).wait().unwrap();
        let read = stored(store, prompt.id);
        let bits = |prompt: &Prompt| {
            [prompt.temperature, prompt.score.unwrap(), prompt.model_metadata.cost_usd.unwrap()].map(f64::to_bits)
        };
        assert_eq!(bits(&read), bits(&prompt), "{number:e}");
        assert_eq!(read, prompt);
    }
}

fn texts_of_any_kind_are_kept(store: &dyn Store) {
    let texts = [
        "",
        " \t\r\n ",
        "before\0after\0",
        "é e\u{301} ß ſ İ 海 👩‍👩‍👧‍👦 \u{200d}\u{feff}\u{10ffff}",
        "'; DROP TABLE prompts; --",
        "{\"json\": [1, null]}",
        "\u{1}\u{8}\u{1b}[31m",
    ];
    for (seed, text) in (0_u32..).zip(texts) {
        let sample = samples::prompt(seed);
        let step = Step { content: text.into(), provider: text.into(), model: text.into(), ..sample.steps[0].clone() };
        let prompt = Prompt {
            content: text.into(),
            original_input: text.into(),
            persona: text.into(),
            provider: text.into(),
            model: text.into(),
            strategy: text.into(),
            notes: Some(text.into()),
            context: vec![text.into()],
            tags: vec![text.into(), format!("{text}{text}x")],
            steps: vec![step, Step { content: format!("{text}."), ..sample.steps[1].clone() }],
            ..sample
        };
        store.append(vec![prompt.clone()]).wait().unwrap();
        assert_eq!(stored(store, prompt.id), prompt);
        let by_text = Filter {
            tags: vec![text.into()],
            provider: Some(text.into()),
            model: Some(text.into()),
            persona: Some(text.into()),
            ..Filter::default()
        };
        let found = store.page(by_text, Order::Newest, first_page(10)).wait().unwrap();
        assert_eq!(found.items, [prompt], "{text:?}");
    }
}

fn a_text_of_four_megabytes_is_kept(store: &dyn Store) {
    let long = "A long line about 海.\n".repeat(200_000);
    assert!(long.len() > 4 << 20);
    let mut prompt = Prompt { content: long.clone(), notes: Some(long.clone()), ..samples::prompt(1) };
    prompt.steps[1].content = long;
    store.append(vec![prompt.clone()]).wait().unwrap();
    assert!(stored(store, prompt.id) == prompt, "the long prompt came back changed");
}

fn an_id_that_is_taken_conflicts(store: &dyn Store) {
    let prompt = samples::prompt(1);
    store.append(vec![prompt.clone()]).wait().unwrap();
    let other = Prompt { content: "another".into(), ..prompt.clone() };
    assert_fails(store.append(vec![other]).wait(), Code::Conflict);
    assert_eq!(stored(store, prompt.id), prompt);
}

fn prompts_are_stored_all_or_none(store: &dyn Store) {
    let taken = samples::prompt(50);
    store.append(vec![taken.clone()]).wait().unwrap();
    let mut last_is_taken = samples::prompts(5);
    last_is_taken.push(taken);
    let mut twice_the_same = samples::prompts(5);
    twice_the_same.push(samples::prompt(2));
    for refused in [last_is_taken, twice_the_same] {
        assert_fails(store.append(refused).wait(), Code::Conflict);
        assert_eq!(store.count(Filter::default()).wait().unwrap(), 1);
        assert_eq!(store.sessions(first_page(10)).wait().unwrap().items.len(), 1);
        let tagged = Filter { tags: vec!["sea".into()], ..Filter::default() };
        assert_eq!(store.count(tagged).wait().unwrap(), 1);
    }
    store.append(samples::prompts(5)).wait().unwrap();
    assert_eq!(store.count(Filter::default()).wait().unwrap(), 6);
}

fn a_number_that_is_none_is_refused(store: &dyn Store) {
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let warm = Prompt { temperature: number, ..samples::prompt(1) };
        assert_fails(store.append(vec![warm]).wait(), Code::ValidationFailed);
        let scored = Prompt { score: Some(number), ..samples::prompt(2) };
        assert_fails(store.append(vec![scored]).wait(), Code::ValidationFailed);
    }
    assert_eq!(store.count(Filter::default()).wait().unwrap(), 0);
}

fn a_closed_store_refuses(store: &dyn Store) {
    let writes: Vec<_> = samples::prompts(20).into_iter().map(|prompt| store.append(vec![prompt])).collect();
    store.close().wait().unwrap();
    for write in writes {
        write.wait().unwrap();
    }
    assert_fails(store.append(samples::prompts(1)).wait(), Code::Storage);
    assert_fails(store.get(PromptId(samples::id(1))).wait(), Code::Storage);
    assert_fails(store.count(Filter::default()).wait(), Code::Storage);
    store.close().wait().unwrap();
}
