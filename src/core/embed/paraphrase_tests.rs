//! Search by meaning, held against paraphrases: an idea for a prompt, and queries that share no word of substance with it.
//!
//! Each idea of `tests/fixtures/paraphrases/pairs.tsv` has two: one that describes what is looked for, and one of a few
//! words. Each is to find its own idea before all the others. Beside it, what words alone find: BM25 over the same terms
//! that the store indexes. `original.py` beside the pairs tells what the original model makes of them.

use std::collections::{HashMap, HashSet};

use super::embed_now;
use crate::text::terms::terms;

/// Recall at 1 and at 3 of the original model in 32 bits (`original.py`).
const ORIGINAL_TERSE: (f32, f32) = (0.916, 0.987);
const ORIGINAL_DESCRIBED: (f32, f32) = (0.916, 0.981);
/// How far the model in the program may stay behind: three of the 155 queries.
const TOLERANCE: f32 = 0.02;

/// Words that carry no substance of their own.
const FUNCTION_WORDS: &str = "a about above after against all alone already also am amid among an and another any are \
    around as at away be because been before being below beside between both but by can could did do does doing down \
    during each either for from had has have he her here hers him his how i if in into is it its itself let like may me \
    might mine more most must my no nor not of off on one ones onto or other our out over own per shall she should so \
    some somebody someone something such than that the their them themselves then there these they this those through \
    to too toward under until up upon us was we were what when where whether which while who whom whose why will with \
    within without would you your yours";

/// An idea for a prompt, and two queries for it.
struct Pair {
    idea: &'static str,
    terse: &'static str,
    described: &'static str,
}

fn pairs() -> Vec<Pair> {
    let file = include_str!("../../../tests/fixtures/paraphrases/pairs.tsv");
    let pair = |line: &'static str| {
        let mut fields = line.split('\t');
        let mut next = || fields.next().expect("an idea and two queries between tabs");
        Pair { idea: next(), terse: next(), described: next() }
    };
    file.lines().map(pair).collect()
}

/// How many other ideas each query ranks before its own; one that is level stands before it.
fn ahead(count: usize, score: impl Fn(usize, usize) -> f32) -> Vec<Vec<usize>> {
    let is_ahead = |query: usize, other: usize| other != query && score(query, other) >= score(query, query);
    (0..count).map(|query| (0..count).filter(|other| is_ahead(query, *other)).collect()).collect()
}

/// The share of queries whose own idea is among the first `k`.
fn recall(k: usize, ahead: &[Vec<usize>]) -> f32 {
    ahead.iter().filter(|others| others.len() < k).count() as f32 / ahead.len() as f32
}

/// Ranks by meaning; prints what is missed. Recall at 1 and at 3.
fn recall_by_meaning(what: &str, query_of: impl Fn(&Pair) -> &'static str) -> (f32, f32) {
    let pairs = pairs();
    let stored = embed_now(&pairs.iter().map(|pair| pair.idea).collect::<Vec<_>>()).unwrap().vectors;
    let asked = embed_now(&pairs.iter().map(&query_of).collect::<Vec<_>>()).unwrap().vectors;
    let similarity = |query: usize, idea: usize| asked[query].iter().zip(&stored[idea]).map(|(a, b)| a * b).sum();
    let ahead = ahead(pairs.len(), similarity);
    let (first, third) = (recall(1, &ahead), recall(3, &ahead));
    println!("{what} queries by meaning: recall@1 of {} is {first:.3}, recall@3 {third:.3}", pairs.len());
    for (pair, others) in pairs.iter().zip(&ahead).filter(|(_, others)| !others.is_empty()) {
        println!("  {:?} found {:?} before {:?}", query_of(pair), pairs[others[0]].idea, pair.idea);
    }
    (first, third)
}

#[test]
fn no_query_shares_a_word_of_substance_with_its_idea() {
    let function_words: HashSet<String> = terms(FUNCTION_WORDS).into_iter().collect();
    let mut sharing = Vec::new();
    for Pair { idea, terse, described } in pairs() {
        let of_idea: HashSet<String> = terms(idea).into_iter().collect();
        for query in [terse, described] {
            let mut shared = terms(query);
            shared.retain(|term| of_idea.contains(term) && !function_words.contains(term));
            if !shared.is_empty() {
                sharing.push(format!("{shared:?}: {idea} | {query}"));
            }
        }
    }
    assert!(sharing.is_empty(), "{}", sharing.join("\n"));
    assert!(pairs().len() >= 120);
}

#[test]
fn a_few_words_find_their_idea_as_often_as_with_the_original_model() {
    let (first, third) = recall_by_meaning("terse", |pair| pair.terse);
    assert!(first >= ORIGINAL_TERSE.0 - TOLERANCE, "recall@1 is {first}");
    assert!(third >= ORIGINAL_TERSE.1 - TOLERANCE, "recall@3 is {third}");
}

#[test]
fn a_description_finds_its_idea_as_often_as_with_the_original_model() {
    let (first, third) = recall_by_meaning("described", |pair| pair.described);
    assert!(first >= ORIGINAL_DESCRIBED.0 - TOLERANCE, "recall@1 is {first}");
    assert!(third >= ORIGINAL_DESCRIBED.1 - TOLERANCE, "recall@3 is {third}");
}

#[test]
fn words_alone_do_not_find_them() {
    let pairs = pairs();
    let texts: Vec<Vec<String>> = pairs.iter().map(|pair| terms(pair.idea)).collect();
    let terse: Vec<Vec<String>> = pairs.iter().map(|pair| terms(pair.terse)).collect();
    let described: Vec<Vec<String>> = pairs.iter().map(|pair| terms(pair.described)).collect();
    let mut containing: HashMap<&str, f32> = HashMap::new();
    for text in &texts {
        for term in text.iter().collect::<HashSet<_>>() {
            *containing.entry(term).or_default() += 1.0;
        }
    }
    let count = texts.len() as f32;
    let mean_length = texts.iter().map(Vec::len).sum::<usize>() as f32 / count;
    // BM25 as FTS5 has it: k1 = 1.2, b = 0.75; a query is its words with `or` between them.
    let bm25 = |query: &[String], idea: usize| -> f32 {
        let text = &texts[idea];
        let of_term = |term: &String| {
            let times = text.iter().filter(|other| *other == term).count() as f32;
            let rarity = containing.get(term.as_str()).map_or(0.0, |n| ((count - n + 0.5) / (n + 0.5)).ln().max(1e-6));
            rarity * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * text.len() as f32 / mean_length))
        };
        query.iter().map(of_term).sum()
    };
    for (what, queries) in [("terse", terse), ("described", described)] {
        let recall = recall(1, &ahead(pairs.len(), |query, idea| bm25(&queries[query], idea)));
        println!("{what} queries by words: recall@1 of {} is {recall:.3}", pairs.len());
        assert!(recall <= 0.2, "the set is too easy: words alone find {recall}");
    }
}
