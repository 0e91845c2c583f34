//! Vectors: storing, prompts without one, and the nearest, against a naive scan over all rows.

use super::{Check, assert_fails, store_samples, stored};
use crate::domain::{Filter, Prompt, PromptId};
use crate::error::Code;
use crate::store::{
    CONTENT_SHARE, Mutation, Nearest, Part, PromptVectors, SearchHits, Space, SpaceUse, Store, nearness, samples,
};

pub(super) const CHECKS: &[Check] = &[
    Check { name: "where no vectors are, nothing is near", run: where_no_vectors_are_nothing_is_near },
    Check { name: "vectors are read back, each part its own", run: vectors_are_read_back },
    Check { name: "new vectors take the place of all old ones", run: new_vectors_take_the_place_of_old_ones },
    Check { name: "vectors of another shape are refused, all of them", run: vectors_of_another_shape_are_refused },
    Check { name: "a query of another shape is refused", run: a_query_of_another_shape_is_refused },
    Check { name: "vectors of unknown prompts are passed over", run: vectors_of_unknown_prompts_are_passed_over },
    Check { name: "the content counts for its share", run: the_content_counts_for_its_share },
    Check { name: "the nearest are those of a naive scan", run: the_nearest_are_those_of_a_naive_scan },
    Check { name: "of equals the one stored last comes first", run: of_equals_the_one_stored_last_comes_first },
    Check { name: "spaces never mix", run: spaces_never_mix },
    Check { name: "the space written to last comes first", run: the_space_written_to_last_comes_first },
    Check { name: "a deleted prompt is near to nothing", run: a_deleted_prompt_is_near_to_nothing },
    Check { name: "what has no vector is told in pages", run: what_has_no_vector_is_told_in_pages },
    Check { name: "a forgotten space is as if it had never been", run: a_forgotten_space_is_gone },
    Check { name: "a prompt tells what embedded it last", run: a_prompt_tells_what_embedded_it_last },
];

/// The checks of this file.
pub fn checks() -> Vec<Check> {
    CHECKS.to_vec()
}

/// Tolerance of a stored vector's cosine: backends may store half precision.
const ROUNDING: f64 = 2e-3;

const DIMENSIONS: u32 = 40;

/// Prompts with the vectors of input and content, or of one part: the rows of the naive scan.
pub type Vectors = Vec<(Prompt, Vec<Vec<f32>>)>;

/// The space of the samples.
pub fn space() -> Space {
    Space { provider: "builtin".into(), model: "model-v".into(), dimensions: DIMENSIONS }
}

fn both(id: PromptId, seed: u64) -> PromptVectors {
    let parts = [(Part::Input, seed), (Part::Content, seed + 1_000_000)];
    PromptVectors { id, parts: parts.map(|(part, seed)| (part, samples::vector(seed, DIMENSIONS))).to_vec() }
}

fn content(id: PromptId, vector: Vec<f32>) -> PromptVectors {
    PromptVectors { id, parts: vec![(Part::Content, vector)] }
}

/// An approximate search without a filter.
pub fn near(space: Space, vector: Vec<f32>, limit: u32) -> Nearest {
    Nearest { space, vector, filter: Filter::default(), limit, offset: 0, exact: false }
}

/// Stores the samples of seeds 0 to `count`, each with two vectors.
fn store_with_vectors(store: &dyn Store, count: u32) -> Vectors {
    let prompts = store_samples(store, count);
    let vectors: Vec<PromptVectors> = (0..).zip(&prompts).map(|(seed, prompt)| both(prompt.id, seed)).collect();
    assert_eq!(store.put_vectors(space(), vectors.clone()).wait().unwrap(), u64::from(count));
    let parts = vectors.into_iter().map(|of| of.parts.into_iter().map(|(_, vector)| vector).collect());
    prompts.into_iter().zip(parts).collect()
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

/// Compares a result with a naive scan over all rows.
///
/// `prompts` are all that are stored; `vectors` those of the space.
///
/// # Panics
/// When the two differ.
pub fn assert_nearest(query: &Nearest, found: &SearchHits, prompts: &[Prompt], vectors: &Vectors) {
    let passing = prompts.iter().filter(|prompt| super::passes(prompt, &query.filter)).count();
    assert_eq!(found.total, passing as u64, "how many pass {:?}", query.filter);
    let scores = vectors.iter().filter(|(prompt, _)| super::passes(prompt, &query.filter)).map(|(prompt, parts)| {
        let mut cosines = parts.iter().map(|part| cosine(&query.vector, part));
        (prompt.id, nearness(cosines.next(), cosines.next()).unwrap())
    });
    let mut scores: Vec<(PromptId, f64)> = scores.collect();
    scores.sort_by(|a, b| b.1.total_cmp(&a.1));
    let expected: Vec<(PromptId, f64)> =
        scores.iter().skip(usize::try_from(query.offset).unwrap()).take(query.limit as usize).copied().collect();
    assert_eq!(found.hits.len(), expected.len(), "{} of {} passing", query.limit, passing);
    for (place, (hit, (_, score))) in found.hits.iter().zip(&expected).enumerate() {
        let (_, own) = scores.iter().find(|(id, _)| *id == hit.id).unwrap();
        assert!((hit.score - own).abs() < ROUNDING, "place {place}: {} for {own}", hit.score);
        assert!((hit.score - score).abs() < ROUNDING, "place {place}: {} where {score} belongs", hit.score);
        assert!((-1.0..=1.0).contains(&hit.score));
    }
    assert!(found.hits.is_sorted_by(|a, b| a.score >= b.score), "nearest first");
    let mut ids: Vec<PromptId> = found.hits.iter().map(|hit| hit.id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), found.hits.len(), "a prompt is found twice");
}

/// Searches exactly and approximately, and compares both with a naive scan.
fn assert_finds(store: &dyn Store, query: &Nearest, prompts: &[Prompt], vectors: &Vectors) {
    for exact in [true, false] {
        let query = Nearest { exact, ..query.clone() };
        assert_nearest(&query, &store.nearest(query.clone()).wait().unwrap(), prompts, vectors);
    }
}

fn ids(found: &SearchHits) -> Vec<PromptId> {
    found.hits.iter().map(|hit| hit.id).collect()
}

fn where_no_vectors_are_nothing_is_near(store: &dyn Store) {
    let query = near(space(), samples::vector(1, DIMENSIONS), 10);
    assert_eq!(store.nearest(query.clone()).wait().unwrap(), SearchHits::default());
    assert!(store.spaces().wait().unwrap().is_empty());
    assert_eq!(store.count_unembedded(space()).wait().unwrap(), 0);
    assert!(store.unembedded(space(), None, 10).wait().unwrap().is_empty());
    let prompts = store_samples(store, 3);
    assert_eq!(store.nearest(query).wait().unwrap(), SearchHits { hits: Vec::new(), total: 3 });
    assert!(store.vectors_of(space(), prompts[0].id).wait().unwrap().is_empty());
    assert_eq!(store.put_vectors(space(), Vec::new()).wait().unwrap(), 0);
    assert_eq!(store.forget_space(space()).wait().unwrap(), 0);
    assert!(store.spaces().wait().unwrap().is_empty());
}

fn vectors_are_read_back(store: &dyn Store) {
    let prompts = store_samples(store, 2);
    let given = both(prompts[0].id, 7);
    // Longer than one: only the direction counts.
    let long = content(prompts[1].id, given.parts[0].1.iter().map(|number| number * 12.0).collect());
    assert_eq!(store.put_vectors(space(), vec![given.clone(), long]).wait().unwrap(), 2);
    let read = store.vectors_of(space(), prompts[0].id).wait().unwrap();
    assert_eq!(read.len(), 2);
    for ((part, vector), (given_part, given)) in read.iter().zip(&given.parts) {
        assert_eq!(part, given_part);
        assert!(cosine(vector, given) > 1.0 - ROUNDING);
        assert!((cosine(vector, vector) - 1.0).abs() < ROUNDING);
    }
    let read = store.vectors_of(space(), prompts[1].id).wait().unwrap();
    assert_eq!(read.len(), 1);
    assert_eq!(read[0].0, Part::Content);
    let length = read[0].1.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
    assert!((length - 1.0).abs() < ROUNDING, "{length}");
}

fn new_vectors_take_the_place_of_old_ones(store: &dyn Store) {
    let prompts = store_samples(store, 2);
    store.put_vectors(space(), vec![both(prompts[0].id, 1), both(prompts[1].id, 2)]).wait().unwrap();
    let new = samples::vector(50, DIMENSIONS);
    assert_eq!(store.put_vectors(space(), vec![content(prompts[0].id, new.clone())]).wait().unwrap(), 1);
    let read = store.vectors_of(space(), prompts[0].id).wait().unwrap();
    assert_eq!(read.len(), 1, "the old vector of the other part is gone");
    assert!(cosine(&read[0].1, &new) > 1.0 - ROUNDING);
    assert_eq!(store.spaces().wait().unwrap(), [SpaceUse { space: space(), prompts: 2 }]);
    let found = store.nearest(near(space(), samples::vector(1, DIMENSIONS), 1)).wait().unwrap();
    assert!(found.hits[0].score < 0.9, "the old vector is still found: {found:?}");
}

fn vectors_of_another_shape_are_refused(store: &dyn Store) {
    let prompts = store_samples(store, 2);
    let good = both(prompts[0].id, 1);
    let mut not_finite = samples::vector(1, DIMENSIONS);
    not_finite[3] = f32::NAN;
    for bad in [samples::vector(1, DIMENSIONS + 1), Vec::new(), vec![0.0; DIMENSIONS as usize], not_finite] {
        let bad = content(prompts[1].id, bad);
        assert_fails(store.put_vectors(space(), vec![good.clone(), bad]).wait(), Code::ValidationFailed);
    }
    let twice = PromptVectors { id: prompts[1].id, parts: [good.parts.clone(), good.parts.clone()].concat() };
    assert_fails(store.put_vectors(space(), vec![good.clone(), twice]).wait(), Code::ValidationFailed);
    for dimensions in [0, 65_537] {
        let bad = content(prompts[1].id, vec![1.0; dimensions as usize]);
        assert_fails(store.put_vectors(Space { dimensions, ..space() }, vec![bad]).wait(), Code::ValidationFailed);
    }
    assert!(store.spaces().wait().unwrap().is_empty(), "the good ones were refused along");
}

fn a_query_of_another_shape_is_refused(store: &dyn Store) {
    store_with_vectors(store, 2);
    for bad in [vec![1.0; 3], Vec::new(), vec![0.0; DIMENSIONS as usize], vec![f32::INFINITY; DIMENSIONS as usize]] {
        assert_fails(store.nearest(near(space(), bad, 3)).wait(), Code::ValidationFailed);
    }
}

fn vectors_of_unknown_prompts_are_passed_over(store: &dyn Store) {
    let prompts = store_samples(store, 1);
    let unknown = samples::prompt(9).id;
    assert_eq!(store.put_vectors(space(), vec![both(unknown, 1)]).wait().unwrap(), 0);
    assert!(store.spaces().wait().unwrap().is_empty());
    assert_eq!(store.put_vectors(space(), vec![both(unknown, 1), both(prompts[0].id, 2)]).wait().unwrap(), 1);
    let found = store.nearest(near(space(), samples::vector(1, DIMENSIONS), 9)).wait().unwrap();
    assert_eq!(ids(&found), [prompts[0].id]);
}

fn the_content_counts_for_its_share(store: &dyn Store) {
    let rows = store_with_vectors(store, 30);
    for (part, share) in [(0, 1.0), (1, CONTENT_SHARE)] {
        for (prompt, parts) in &rows {
            let found = store.nearest(near(space(), parts[part].clone(), 1)).wait().unwrap();
            assert_eq!(ids(&found), [prompt.id]);
            assert!((found.hits[0].score - share).abs() < ROUNDING, "{}", found.hits[0].score);
        }
    }
}

fn the_nearest_are_those_of_a_naive_scan(store: &dyn Store) {
    let rows = store_with_vectors(store, 150);
    let prompts: Vec<Prompt> = rows.iter().map(|(prompt, _)| prompt.clone()).collect();
    // The last ones have none.
    let mut all = prompts.clone();
    all.extend((150..170).map(samples::prompt));
    store.append(all[150..].to_vec()).wait().unwrap();
    let filters = [
        Filter::default(),
        Filter { tags: vec!["tag-2".into()], ..Filter::default() },
        Filter { tags: vec!["sea".into(), "tag-3".into()], provider: Some("ollama".into()), ..Filter::default() },
        Filter { persona: Some("code".into()), since: Some(samples::moment(40)), ..Filter::default() },
        Filter { session_id: Some(samples::session_id(7)), ..Filter::default() },
        Filter { until: Some(samples::moment(165)), since: Some(samples::moment(100)), ..Filter::default() },
        Filter { tags: vec!["absent".into()], ..Filter::default() },
    ];
    for (seed, filter) in (0..).zip(filters) {
        for (limit, offset) in [(10, 0), (1, 3), (1000, 0), (7, 145), (5, 10_000), (0, 0)] {
            let vector = samples::vector(77_000 + seed, DIMENSIONS);
            let query = Nearest { filter: filter.clone(), offset, ..near(space(), vector, limit) };
            assert_finds(store, &query, &all, &rows);
        }
    }
}

fn of_equals_the_one_stored_last_comes_first(store: &dyn Store) {
    let prompts = store_samples(store, 40);
    let same = samples::vector(3, DIMENSIONS);
    let vectors = prompts.iter().map(|prompt| content(prompt.id, same.clone())).collect();
    store.put_vectors(space(), vectors).wait().unwrap();
    let expected: Vec<PromptId> = prompts.iter().rev().map(|prompt| prompt.id).collect();
    for exact in [true, false] {
        let query = Nearest { exact, ..near(space(), same.clone(), 40) };
        assert_eq!(ids(&store.nearest(query.clone()).wait().unwrap()), expected);
        let page = Nearest { limit: 5, offset: 7, ..query };
        assert_eq!(ids(&store.nearest(page).wait().unwrap()), expected[7..12]);
    }
}

fn spaces_never_mix(store: &dyn Store) {
    let rows = store_with_vectors(store, 20);
    let prompts: Vec<Prompt> = rows.iter().map(|(prompt, _)| prompt.clone()).collect();
    let others = [
        Space { model: "model-w".into(), ..space() },
        Space { provider: "openai".into(), ..space() },
        Space { dimensions: 8, ..space() },
    ];
    for (seed, other) in (500_u64..).step_by(100).zip(&others) {
        // For every second prompt only.
        let theirs: Vectors = (seed..)
            .zip(prompts.iter().step_by(2))
            .map(|(seed, prompt)| (prompt.clone(), vec![samples::vector(seed, other.dimensions)]))
            .collect();
        let put = theirs.iter().map(|(prompt, parts)| content(prompt.id, parts[0].clone())).collect();
        assert_eq!(store.put_vectors(other.clone(), put).wait().unwrap(), 10);
        assert_finds(store, &near(other.clone(), theirs[3].1[0].clone(), 50), &prompts, &theirs);
        assert_eq!(store.count_unembedded(other.clone()).wait().unwrap(), 10);
        assert!(store.vectors_of(other.clone(), prompts[1].id).wait().unwrap().is_empty());
    }
    assert_finds(store, &near(space(), rows[3].1[0].clone(), 50), &prompts, &rows);
    assert_eq!(store.forget_space(others[0].clone()).wait().unwrap(), 10);
    assert_finds(store, &near(space(), rows[4].1[1].clone(), 50), &prompts, &rows);
}

fn the_space_written_to_last_comes_first(store: &dyn Store) {
    let prompts = store_samples(store, 3);
    let other = Space { model: "model-w".into(), ..space() };
    let used = |space: &Space, prompts| SpaceUse { space: space.clone(), prompts };
    store.put_vectors(space(), vec![both(prompts[0].id, 1), both(prompts[1].id, 2)]).wait().unwrap();
    store.put_vectors(other.clone(), vec![both(prompts[2].id, 3)]).wait().unwrap();
    assert_eq!(store.spaces().wait().unwrap(), [used(&other, 1), used(&space(), 2)]);
    store.put_vectors(space(), vec![both(prompts[0].id, 1)]).wait().unwrap();
    assert_eq!(store.spaces().wait().unwrap(), [used(&space(), 2), used(&other, 1)]);
}

fn a_deleted_prompt_is_near_to_nothing(store: &dyn Store) {
    let mut rows = store_with_vectors(store, 30);
    let (gone, parts) = rows.remove(12);
    store.apply(Mutation::Delete { ids: vec![gone.id], expected_revision: None }).wait().unwrap();
    let prompts: Vec<Prompt> = rows.iter().map(|(prompt, _)| prompt.clone()).collect();
    assert_finds(store, &near(space(), parts[0].clone(), 40), &prompts, &rows);
    assert_eq!(store.spaces().wait().unwrap(), [SpaceUse { space: space(), prompts: 29 }]);
    // Stored again, it is a new prompt without vectors.
    store.append(vec![gone.clone()]).wait().unwrap();
    assert!(store.vectors_of(space(), gone.id).wait().unwrap().is_empty());
    assert_eq!(store.count_unembedded(space()).wait().unwrap(), 1);
}

fn what_has_no_vector_is_told_in_pages(store: &dyn Store) {
    let prompts = store_samples(store, 25);
    let embedded = [0, 3, 4, 11, 24];
    let put = embedded.iter().map(|place| both(prompts[*place].id, *place as u64)).collect();
    store.put_vectors(space(), put).wait().unwrap();
    assert_eq!(store.count_unembedded(space()).wait().unwrap(), 20);
    let missing: Vec<&Prompt> =
        prompts.iter().enumerate().filter(|(place, _)| !embedded.contains(place)).map(|(_, prompt)| prompt).collect();
    let (mut told, mut after) = (Vec::new(), None);
    loop {
        let page = store.unembedded(space(), after, 6).wait().unwrap();
        assert!(page.len() <= 6);
        let Some(last) = page.last() else { break };
        after = Some(last.place);
        told.extend(page);
    }
    assert_eq!(told.len(), 20);
    for (told, prompt) in told.iter().zip(&missing) {
        assert_eq!((told.id, &told.content), (prompt.id, &prompt.content), "those stored first come first");
        assert_eq!(told.original_input, prompt.original_input);
    }
    let rest = missing.iter().map(|prompt| both(prompt.id, 900)).collect();
    assert_eq!(store.put_vectors(space(), rest).wait().unwrap(), 20);
    assert_eq!(store.count_unembedded(space()).wait().unwrap(), 0);
    assert!(store.unembedded(space(), None, 6).wait().unwrap().is_empty());
}

fn a_forgotten_space_is_gone(store: &dyn Store) {
    let rows = store_with_vectors(store, 10);
    assert_eq!(store.forget_space(space()).wait().unwrap(), 10);
    assert_eq!(store.forget_space(space()).wait().unwrap(), 0);
    assert!(store.spaces().wait().unwrap().is_empty());
    assert_eq!(store.count_unembedded(space()).wait().unwrap(), 10);
    let query = near(space(), rows[0].1[0].clone(), 5);
    assert_eq!(store.nearest(query).wait().unwrap(), SearchHits { hits: Vec::new(), total: 10 });
    let again = vec![both(rows[2].0.id, 5)];
    assert_eq!(store.put_vectors(space(), again).wait().unwrap(), 1);
    let found = store.nearest(near(space(), samples::vector(5, DIMENSIONS), 5)).wait().unwrap();
    assert_eq!(ids(&found), [rows[2].0.id]);
}

fn a_prompt_tells_what_embedded_it_last(store: &dyn Store) {
    let mut first = samples::prompt(0);
    // The metadata given with a prompt is ignored.
    first.model_metadata.embedding_provider = Some("somebody".into());
    first.model_metadata.embedding_model = Some("else".into());
    store.append(vec![first.clone(), samples::prompt(1)]).wait().unwrap();
    let told = |id| {
        let account = stored(store, id).model_metadata;
        account.embedding_provider.zip(account.embedding_model)
    };
    assert_eq!(told(first.id), None);
    let other = Space { provider: "openai".into(), ..space() };
    store.put_vectors(space(), vec![both(first.id, 1)]).wait().unwrap();
    assert_eq!(told(first.id), Some(("builtin".into(), "model-v".into())));
    store.put_vectors(other.clone(), vec![both(first.id, 1)]).wait().unwrap();
    assert_eq!(told(first.id), Some(("openai".into(), "model-v".into())));
    store.forget_space(other).wait().unwrap();
    assert_eq!(told(first.id), Some(("builtin".into(), "model-v".into())));
    assert_eq!(told(samples::prompt(1).id), None);
}
