//! Search over a small in-memory store and an embedder that knows four subjects.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::embedding::{Texts, embed_prompts, own_space};
use super::*;
use crate::domain::{PromptFields, PromptId, PromptSummary};
use crate::error::{Code, ProviderError, ProviderFailure};
use crate::provider::embedding::{Embedded, Embedding};
use crate::store::{Hit, Part, PromptVectors, Unembedded, nearness, samples};
use crate::text::terms::terms;

/// Words of one meaning.
const SUBJECTS: [&[&str]; 4] =
    [&["sea", "ocean", "waves"], &["bread", "loaf", "bakery"], &["prime", "divisor"], &["letter", "note"]];

struct Subjects {
    dimensions: Option<usize>,
    calls: Mutex<Vec<Vec<String>>>,
    is_down: bool,
}

impl Subjects {
    fn new() -> Self {
        Self { dimensions: Some(SUBJECTS.len()), calls: Mutex::default(), is_down: false }
    }

    fn calls(&self) -> Vec<Vec<String>> {
        self.calls.lock().unwrap().clone()
    }
}

fn vector_of(text: &str) -> Vec<f32> {
    let text = text.to_lowercase();
    let mut vector: Vec<f32> = SUBJECTS
        .iter()
        .map(|words| 0.01 + words.iter().map(|word| text.matches(word).count() as f32).sum::<f32>())
        .collect();
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    for value in &mut vector {
        *value /= length;
    }
    vector
}

impl Embedder for Subjects {
    fn provider(&self) -> &'static str {
        "lab"
    }

    fn model(&self) -> &'static str {
        "subjects"
    }

    fn dimensions(&self) -> Option<usize> {
        self.dimensions
    }

    fn embed(&self, texts: Vec<String>, _: Purpose, _: Account) -> Embedding<'_> {
        let answer = if self.is_down {
            Err(ProviderError::new("lab", ProviderFailure::Unavailable, "it is down"))
        } else {
            let vectors = texts.iter().map(|text| vector_of(text)).collect();
            self.calls.lock().unwrap().push(texts);
            Ok(Embedded { vectors, metadata: ModelMetadata { calls: 1, ..ModelMetadata::default() } })
        };
        Box::pin(async move { answer })
    }
}

type VectorsById = BTreeMap<PromptId, Vec<(Part, Vec<f32>)>>;

#[derive(Default)]
struct Memory {
    prompts: Vec<Prompt>,
    vectors: Mutex<BTreeMap<Space, VectorsById>>,
    scans: AtomicUsize,
}

impl Memory {
    fn passing<'a>(&'a self, filter: &'a Filter) -> impl Iterator<Item = &'a Prompt> {
        self.prompts.iter().filter(|prompt| filter.tags.iter().all(|tag| prompt.tags.contains(tag)))
    }

    fn part(mut hits: Vec<Hit>, total: usize, offset: u64, limit: u32) -> Pending<SearchHits> {
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.id.cmp(&a.id)));
        let hits = hits.into_iter().skip(usize::try_from(offset).unwrap()).take(limit as usize).collect();
        Pending::ready(Ok(SearchHits { hits, total: total as u64 }))
    }
}

impl FindStore for Memory {
    fn lexical(&self, Lexical { query, filter, limit, offset }: Lexical) -> Pending<SearchHits> {
        self.scans.fetch_add(1, Ordering::Relaxed);
        let score = |prompt: &Prompt| {
            let held = terms(&format!("{} {}", prompt.content, prompt.original_input));
            let counts = query.clauses.iter().map(|clause| {
                held.iter().filter(|term| clause.any.iter().any(|phrase| phrase.terms.contains(term))).count()
            });
            counts.map(|count| (count > 0).then_some(count)).sum::<Option<usize>>()
        };
        let hits: Vec<Hit> = self
            .passing(&filter)
            .filter_map(|prompt| Some(Hit { id: prompt.id, score: score(prompt)? as f64 }))
            .collect();
        let total = hits.len();
        Self::part(hits, total, offset, limit)
    }

    fn nearest(&self, Nearest { space, vector, filter, limit, offset, .. }: Nearest) -> Pending<SearchHits> {
        self.scans.fetch_add(1, Ordering::Relaxed);
        let vectors = self.vectors.lock().unwrap();
        let of_space = vectors.get(&space).cloned().unwrap_or_default();
        let cosine = |other: &[f32]| other.iter().zip(&vector).map(|(a, b)| f64::from(a * b)).sum::<f64>();
        let nearest = |id: &PromptId| {
            let parts = of_space.get(id)?;
            let of = |part| parts.iter().find(|(own, _)| *own == part).map(|(_, own)| cosine(own));
            nearness(of(Part::Input), of(Part::Content))
        };
        let hits = self.passing(&filter).filter_map(|prompt| Some(Hit { id: prompt.id, score: nearest(&prompt.id)? }));
        Self::part(hits.collect(), self.passing(&filter).count(), offset, limit)
    }

    fn fetch(&self, ids: Vec<PromptId>) -> Pending<Vec<Prompt>> {
        let find = |id: PromptId| self.prompts.iter().find(|prompt| prompt.id == id).cloned();
        Pending::ready(Ok(ids.into_iter().filter_map(find).collect()))
    }

    fn fetch_summaries(&self, ids: Vec<PromptId>) -> Pending<Vec<PromptSummary>> {
        Pending::ready(self.fetch(ids).wait().map(|found| found.into_iter().map(PromptSummary::from).collect()))
    }

    fn spaces(&self) -> Pending<Vec<SpaceUse>> {
        let vectors = self.vectors.lock().unwrap();
        let used = vectors.iter().map(|(space, of)| SpaceUse { space: space.clone(), prompts: of.len() as u64 });
        Pending::ready(Ok(used.collect()))
    }

    fn unembedded(&self, _: Space, _: Option<u64>, _: u32) -> Pending<Vec<Unembedded>> {
        Pending::ready(Ok(Vec::new()))
    }

    fn count_unembedded(&self, space: Space) -> Pending<u64> {
        let have = self.vectors.lock().unwrap().get(&space).map_or(0, BTreeMap::len);
        Pending::ready(Ok((self.prompts.len() - have) as u64))
    }

    fn put_vectors(&self, space: Space, given: Vec<PromptVectors>) -> Pending<u64> {
        let mut vectors = self.vectors.lock().unwrap();
        let count = given.len() as u64;
        vectors.entry(space).or_default().extend(given.into_iter().map(|it| (it.id, it.parts)));
        Pending::ready(Ok(count))
    }

    fn vectors_of(&self, space: Space, id: PromptId) -> Pending<Vec<(Part, Vec<f32>)>> {
        let vectors = self.vectors.lock().unwrap();
        Pending::ready(Ok(vectors.get(&space).and_then(|of| of.get(&id)).cloned().unwrap_or_default()))
    }

    fn forget_space(&self, _: Space) -> Pending<u64> {
        Pending::ready(Ok(0))
    }

    fn reindex_text(&self, _: Option<u64>, _: u32) -> Pending<Option<u64>> {
        Pending::ready(Ok(None))
    }
}

const TEXTS: [&str; 5] = [
    "Write a haiku about the sea.",
    "Describe waves that break at night.",
    "Explain how to bake a loaf.",
    "Find every prime below a limit.",
    "Draft a letter to a bakery about bread.",
];

fn prompts() -> Vec<Prompt> {
    let of = |(seed, text): (u32, &&str)| Prompt {
        content: (*text).to_owned(),
        original_input: "an idea".into(),
        notes: None,
        tags: vec![format!("tag-{}", seed % 2)],
        ..samples::prompt(seed)
    };
    (0..).zip(&TEXTS).map(of).collect()
}

fn meaning_of(embedder: Subjects) -> (Arc<Subjects>, EmbeddingContext) {
    let embedder = Arc::new(embedder);
    let meaning =
        EmbeddingContext { embedder: Arc::clone(&embedder) as Arc<dyn Embedder>, account: Account::default() };
    (embedder, meaning)
}

fn empty() -> (Arc<Memory>, Arc<dyn FindStore>) {
    let memory = Arc::new(Memory { prompts: prompts(), ..Memory::default() });
    (Arc::clone(&memory), memory)
}

/// A store with vectors for the first `count` prompts.
async fn filled(count: usize) -> (Arc<Memory>, Arc<dyn FindStore>, EmbeddingContext) {
    let (memory, store) = empty();
    let (_, meaning) = meaning_of(Subjects::new());
    let texts: Vec<Texts> = memory.prompts.iter().take(count).map(Texts::from).collect();
    embed_prompts(&store, &meaning, &texts).await.unwrap();
    (memory, store, meaning)
}

fn wanted(limit: u32, offset: u64) -> SearchPage {
    SearchPage { filter: Filter::default(), limit, offset, fields: PromptFields::ALL }
}

/// The sample indices found, and how each matched.
fn numbers(result: &SearchResult) -> Vec<(usize, MatchKind)> {
    let number = |found: &crate::domain::FoundPrompt| {
        let number = TEXTS.iter().position(|text| *text == found.prompt.content).unwrap();
        (number, found.matched.kind)
    };
    result.prompts.iter().map(number).collect()
}

#[tokio::test]
async fn words_find_what_holds_them() {
    let (_, store) = empty();
    let result = text::<Prompt>(&store, "haiku", wanted(10, 0)).await.unwrap();
    assert_eq!((numbers(&result), result.total), (vec![(0, MatchKind::Text)], 1));
    assert!(result.warnings.is_empty() && result.model_metadata.calls == 0);
    let found = &result.prompts[0];
    assert!(found.matched.score > 0.0 && !found.matched.snippet.is_empty());
    assert_eq!(found.prompt.score, None, "the prompt's own score is left alone");
}

#[tokio::test]
async fn a_query_without_a_word_finds_nothing_and_says_why() {
    let (memory, store) = empty();
    for query in ["???", "-sea", "\u{0}\u{1b}["] {
        let result = text::<Prompt>(&store, query, wanted(10, 0)).await.unwrap();
        assert_eq!((result.prompts.len(), result.total), (0, 0), "{query:?}");
        assert!(result.warnings[0].contains("no word"), "{:?}", result.warnings);
    }
    assert_eq!(memory.scans.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn meaning_finds_what_shares_no_word() {
    let (_, store, meaning) = filled(5).await;
    let result = semantic::<Prompt>(&store, &meaning, "ocean", wanted(2, 0)).await.unwrap();
    let found: Vec<usize> = numbers(&result).into_iter().map(|(number, _)| number).collect();
    assert!(found.contains(&0) && found.contains(&1), "{found:?}");
    assert_eq!((result.total, result.model_metadata.calls), (5, 1));
    assert!(result.prompts.iter().all(|found| found.matched.kind == MatchKind::Semantic));
    assert!(text::<Prompt>(&store, "ocean", wanted(2, 0)).await.unwrap().prompts.is_empty());
}

#[tokio::test]
async fn both_are_fused_and_each_says_by_what_it_was_found() {
    let (_, store, meaning) = filled(5).await;
    let result = hybrid::<Prompt>(&store, &meaning, "sea waves", wanted(5, 0)).await.unwrap();
    assert_eq!(result.prompts.len(), 5, "everything with a vector is somewhere in the list");
    let by_words = hybrid::<Prompt>(&store, &meaning, "letter", wanted(5, 0)).await.unwrap();
    assert_eq!(numbers(&by_words)[0], (4, MatchKind::Hybrid));
    assert!((by_words.prompts[0].matched.score - 2.0 / 61.0).abs() < 1e-9);
    assert!(numbers(&by_words)[1..].iter().all(|(_, kind)| *kind == MatchKind::Semantic));
}

#[tokio::test]
async fn pages_of_a_fused_list_are_the_list() {
    let (_, store, meaning) = filled(5).await;
    let whole = numbers(&hybrid::<Prompt>(&store, &meaning, "bread letter", wanted(5, 0)).await.unwrap());
    let mut parts = Vec::new();
    for offset in 0..5 {
        parts.extend(numbers(&hybrid::<Prompt>(&store, &meaning, "bread letter", wanted(1, offset)).await.unwrap()));
    }
    assert_eq!(parts, whole);
    assert!(hybrid::<Prompt>(&store, &meaning, "bread", wanted(10, u64::MAX)).await.unwrap().prompts.is_empty());
}

#[tokio::test]
async fn a_filter_holds_for_every_way() {
    let (_, store, meaning) = filled(5).await;
    let tagged = || SearchPage { filter: Filter { tags: vec!["tag-1".into()], ..Filter::default() }, ..wanted(9, 0) };
    for result in [
        text::<Prompt>(&store, "waves", tagged()).await.unwrap(),
        semantic::<Prompt>(&store, &meaning, "ocean", tagged()).await.unwrap(),
        hybrid::<Prompt>(&store, &meaning, "waves", tagged()).await.unwrap(),
    ] {
        assert!(result.prompts.iter().all(|found| found.prompt.tags == ["tag-1"]));
        assert_eq!(numbers(&result)[0].0, 1);
    }
}

#[tokio::test]
async fn without_vectors_a_meaning_is_a_conflict_and_nothing_is_asked() {
    let (memory, store) = empty();
    let (embedder, meaning) = meaning_of(Subjects::new());
    let errors = [
        semantic::<Prompt>(&store, &meaning, "sea", wanted(5, 0)).await.unwrap_err(),
        hybrid::<Prompt>(&store, &meaning, "sea", wanted(5, 0)).await.unwrap_err(),
        similar::<Prompt>(&store, &*meaning.embedder, &memory.prompts[0], wanted(5, 0)).await.unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.code(), Code::Conflict);
        let told = error.to_string();
        assert!(told.contains("aludel reindex") && told.contains("lab/subjects"), "{told}");
    }
    assert!(embedder.calls().is_empty() && memory.scans.load(Ordering::Relaxed) == 0);
}

#[tokio::test]
async fn vectors_of_another_model_are_named_and_never_searched() {
    let (_, store) = empty();
    let (_, meaning) = meaning_of(Subjects::new());
    let other = Space { provider: "openai".into(), model: "text-embedding-3-small".into(), dimensions: 4 };
    let vectors = PromptVectors { id: prompts()[0].id, parts: vec![(Part::Content, vector_of("sea"))] };
    store.put_vectors(other, vec![vectors]).await.unwrap();
    let told = semantic::<Prompt>(&store, &meaning, "sea", wanted(5, 0)).await.unwrap_err().to_string();
    assert!(told.contains("openai/text-embedding-3-small") && told.contains("1 prompt"), "{told}");
}

#[tokio::test]
async fn what_has_no_vector_yet_is_counted_in_a_warning() {
    let (_, store, meaning) = filled(3).await;
    let result = semantic::<Prompt>(&store, &meaning, "sea", wanted(5, 0)).await.unwrap();
    assert_eq!((result.prompts.len(), result.warnings.len()), (3, 1));
    assert!(result.warnings[0].starts_with("2 prompts have no vector"), "{}", result.warnings[0]);
    let mixed = hybrid::<Prompt>(&store, &meaning, "letter", wanted(5, 0)).await.unwrap();
    assert!(numbers(&mixed).contains(&(4, MatchKind::Text)), "it is found by its words all the same");
}

#[tokio::test]
async fn a_prompts_neighbours_are_near_and_not_itself() {
    let (memory, store, meaning) = filled(5).await;
    let result = similar::<Prompt>(&store, &*meaning.embedder, &memory.prompts[2], wanted(2, 0)).await.unwrap();
    assert_eq!(result.total, 4);
    // All inputs are the same here, so all are equally near; the prompt itself is left out.
    assert!(result.prompts.iter().all(|found| found.prompt.id != memory.prompts[2].id));
    assert_eq!(result.prompts.len(), 2);
    let (memory, store, meaning) = filled(4).await;
    let error = similar::<Prompt>(&store, &*meaning.embedder, &memory.prompts[4], wanted(2, 0)).await.unwrap_err();
    assert!(error.code() == Code::Conflict && error.to_string().contains("reindex"), "{error}");
}

#[tokio::test]
async fn an_embedder_that_fails_fails_the_search() {
    let (_, store, _) = filled(5).await;
    let (_, meaning) = meaning_of(Subjects { is_down: true, ..Subjects::new() });
    let error = semantic::<Prompt>(&store, &meaning, "sea", wanted(5, 0)).await.unwrap_err();
    assert_eq!(error.code(), Code::ProviderUnavailable);
}

#[tokio::test]
async fn prompts_get_their_vectors_in_one_request_and_equal_texts_once() {
    let (memory, store) = empty();
    let (embedder, meaning) = meaning_of(Subjects::new());
    let mut texts: Vec<Texts> = memory.prompts.iter().map(Texts::from).collect();
    texts[1].content = " \n".into();
    texts[2].original_input = texts[2].content.clone();
    assert_eq!(embed_prompts(&store, &meaning, &texts).await.unwrap().prompts, 5);
    let calls = embedder.calls();
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0], ["an idea", TEXTS[0], TEXTS[2], TEXTS[3], TEXTS[4]]);
    let space = own_space(&meaning).await.unwrap();
    let parts = |number: usize| {
        let vectors = store.vectors_of(space.clone(), memory.prompts[number].id).wait().unwrap();
        vectors.into_iter().map(|(part, _)| part).collect::<Vec<_>>()
    };
    assert_eq!((parts(0), parts(1)), (vec![Part::Input, Part::Content], vec![Part::Input]));
    assert_eq!(embedder.calls().len(), 1, "known dimensions are not asked for");
}

#[tokio::test]
async fn a_very_long_text_is_embedded_by_its_beginning() {
    let (_, store) = empty();
    let (embedder, meaning) = meaning_of(Subjects::new());
    let long = "é".repeat(embedding::MOST_CHARACTERS + 5);
    let texts = Texts { id: prompts()[0].id, original_input: String::new(), content: long };
    embed_prompts(&store, &meaning, &[texts]).await.unwrap();
    assert_eq!(embedder.calls()[0][0].chars().count(), embedding::MOST_CHARACTERS);
}

#[tokio::test]
async fn unknown_dimensions_are_learnt_from_an_answer() {
    let (_, meaning) = meaning_of(Subjects { dimensions: None, ..Subjects::new() });
    assert_eq!(own_space(&meaning).await.unwrap().dimensions, 4);
    let (_, store, _) = filled(5).await;
    let result = semantic::<Prompt>(&store, &meaning, "ocean", wanted(2, 0)).await.unwrap();
    assert_eq!(result.prompts.len(), 2);
}
