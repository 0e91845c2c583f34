//! The built-in model against recordings of the original, and properties of any text.

use std::sync::OnceLock;

use futures_util::FutureExt;
use proptest::prelude::*;
use serde::Deserialize;

use super::*;
use crate::error::Code;

/// The original model's output for one text (tests/fixtures/embedding/record.py).
#[derive(Deserialize)]
struct Recorded {
    text: String,
    ids: Vec<u16>,
    vector: Vec<f32>,
}

fn recorded() -> Vec<Recorded> {
    serde_json::from_str(include_str!("../../../tests/fixtures/embedding/recorded.json")).unwrap()
}

fn model() -> &'static Model {
    LOADED.as_ref().unwrap()
}

fn similarity(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn difference(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

fn vectors(texts: &[&str]) -> Vec<Vec<f32>> {
    embed_now(texts).unwrap().vectors
}

/// The recorded texts that are not blank, embedded in one call.
fn embedded() -> &'static [(String, Vec<f32>)] {
    static EMBEDDED: OnceLock<Vec<(String, Vec<f32>)>> = OnceLock::new();
    EMBEDDED.get_or_init(|| {
        let texts: Vec<String> =
            recorded().into_iter().map(|one| one.text).filter(|text| !text.trim().is_empty()).collect();
        let found = vectors(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        texts.into_iter().zip(found).collect()
    })
}

#[test]
fn tokens_are_those_of_the_original() {
    for one in recorded() {
        assert_eq!(model().vocabulary.tokens(&one.text), one.ids, "{:?}", one.text);
    }
}

#[test]
fn vectors_point_where_those_of_the_original_do() {
    let recorded = recorded();
    let similarities: Vec<f32> = embedded()
        .iter()
        .map(|(text, vector)| {
            let original = recorded.iter().find(|one| one.text == *text).unwrap();
            similarity(vector, &original.vector)
        })
        .collect();
    let mean = similarities.iter().sum::<f32>() / similarities.len() as f32;
    let lowest = similarities.iter().copied().fold(f32::INFINITY, f32::min);
    println!("cosine to the original: mean {mean:.4}, lowest {lowest:.4}");
    assert!(mean >= 0.971, "the mean is {mean}");
    assert!(lowest >= 0.946, "the lowest is {lowest}");
}

#[test]
fn a_text_has_the_same_vector_alone_in_company_and_in_any_order() {
    let mut texts: Vec<&str> = embedded().iter().map(|(text, _)| text.as_str()).collect();
    texts.reverse();
    for (vector, (text, expected)) in vectors(&texts).iter().zip(embedded().iter().rev()) {
        assert!(difference(vector, expected) < 1e-5, "{text:?} in another order");
    }
    for (text, expected) in embedded().iter().step_by(5) {
        assert!(difference(&vectors(&[text])[0], expected) < 1e-5, "{text:?} alone");
    }
}

#[test]
fn embedding_twice_gives_the_same_bits() {
    let texts = ["Plan a birthday party", "Translate this clause", "hello"];
    assert_eq!(vectors(&texts), vectors(&texts));
}

#[test]
fn vectors_have_length_one_and_what_is_told_of_them_is_true() {
    let done = embed_now(&["hello", "Write a haiku"]).unwrap();
    for vector in &done.vectors {
        assert_eq!(vector.len(), DIMENSIONS);
        assert!((similarity(vector, vector) - 1.0).abs() < 1e-5);
    }
    let told = done.metadata;
    let tokens: usize = ["hello", "Write a haiku"].iter().map(|text| model().vocabulary.tokens(text).len()).sum();
    assert_eq!((told.input_tokens, told.total_tokens), (tokens as u64, tokens as u64));
    assert_eq!((told.cost_usd, told.calls, told.estimated), (Some(0.0), 0, false));
    assert_eq!(told.embedding_provider.as_deref(), Some("builtin"));
    assert_eq!(told.embedding_model.as_deref(), Some(MODEL));
}

#[test]
fn no_texts_have_no_vectors_and_a_blank_one_is_refused() {
    assert!(embed_now(&[]).unwrap().vectors.is_empty());
    let error = embed_now(&["a", " \n"]).unwrap_err();
    assert_eq!(error.code(), Code::ProviderRejected);
    assert_eq!(error.message, "text 2 of 2 is blank and has no vector");
}

#[tokio::test]
async fn the_seam_gives_what_the_plain_call_gives() {
    let embedder = embedder();
    assert_eq!((embedder.provider(), embedder.model(), embedder.dimensions()), ("builtin", MODEL, Some(384)));
    let texts = vec!["hello".to_owned(), "Write a haiku".to_owned()];
    for purpose in [Purpose::Document, Purpose::Query] {
        let done = embedder.embed(texts.clone(), purpose, Account::default()).await.unwrap();
        assert_eq!(done.vectors, vectors(&["hello", "Write a haiku"]));
    }
}

#[test]
fn without_a_runtime_the_seam_answers_at_once() {
    let embedder = embedder();
    let answer = embedder.embed(vec!["hello".to_owned()], Purpose::Query, Account::default()).now_or_never();
    assert_eq!(answer.unwrap().unwrap().vectors, vectors(&["hello"]));
}

#[test]
fn nothing_is_embedded_once_cancelled() {
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    let error = embed_until(&["hello"], &cancelled).unwrap_err();
    assert_eq!(error.message, "it was stopped before the vectors were done");
}

/// The asset with some bytes changed, leaked for the test run.
fn damaged(change: impl FnOnce(&mut Vec<u8>)) -> Result<Model, AssetError> {
    let mut bytes = ASSET.to_vec();
    change(&mut bytes);
    Model::read(Vec::leak(bytes))
}

#[test]
fn a_damaged_asset_is_an_error() {
    assert_eq!(damaged(|bytes| bytes[0] = b'X').err(), Some(AssetError::Magic));
    assert_eq!(damaged(|bytes| bytes[4] = 9).err(), Some(AssetError::Version(9)));
    assert_eq!(damaged(|bytes| bytes.truncate(1_000_000)).err(), Some(AssetError::Short(3)));
    assert!(matches!(damaged(|bytes| bytes[8] ^= 1), Err(AssetError::Length { section: 1, .. })));
    assert!(matches!(damaged(|bytes| bytes[12] += 1), Err(AssetError::Rest(1) | AssetError::Short(_))));
    let ends = u64::from_le_bytes(ASSET[32..40].try_into().unwrap());
    let first_end = usize::try_from(ends).unwrap();
    assert_eq!(
        damaged(|bytes| bytes[first_end + 3] = 0xFF).err(),
        Some(AssetError::Content { section: 1, what: "word ends" })
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_has_tokens_and_never_too_many(text in "\\PC{0,600}", other in any::<String>()) {
        for text in [text, other] {
            let tokens = model().vocabulary.tokens(&text);
            prop_assert!((2..=MAX_TOKENS).contains(&tokens.len()));
            prop_assert_eq!((tokens[0], tokens[tokens.len() - 1]), (101, 102));
        }
    }
}

#[test]
fn text_is_cut_into_tokens_in_line_with_its_length() {
    crate::linear_tests::work::assert_linear("tokens", |text| drop(model().vocabulary.tokens(text)));
    crate::linear_tests::work::assert_linear("tokens, after a word", |text| {
        drop(model().vocabulary.tokens(&format!("word{text}")));
    });
}
