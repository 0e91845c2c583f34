//! Recall of search by meaning, for paraphrases of the idea and for details in the prompt alone.
//!
//! The ideas and their paraphrases are in `tests/fixtures/paraphrases`; `prompts.jsonl` has a
//! recorded prompt for each, so that only the search is measured. `content.tsv` has queries for a
//! line in the prompts of one kind: a hit is right if it contains that line.

use super::*;
use crate::api::{ReindexRequest, SearchRequest};
use crate::domain::FoundPrompt;

const PAIRS: &str = include_str!("../../../../tests/fixtures/paraphrases/pairs.tsv");
const PROMPTS: &str = include_str!("../../../../tests/fixtures/paraphrases/prompts.jsonl");
const CONTENT: &str = include_str!("../../../../tests/fixtures/paraphrases/content.tsv");

fn lines(file: &'static str) -> Vec<Vec<&'static str>> {
    file.lines().map(|line| line.split('\t').collect()).collect()
}

/// The share of queries with a first hit that `is_right` accepts.
async fn recall(
    engine: &Engine,
    name: &str,
    queries: &[(&str, &str)],
    first: usize,
    is_right: fn(&FoundPrompt, &str) -> bool,
) -> f64 {
    let mut right = 0;
    for (query, wanted) in queries {
        let request: SearchRequest =
            engine.decode(json!({ "query": query, "semantic": true, "limit": first })).unwrap();
        let found = engine.search(request).await.unwrap().prompts;
        if found.iter().any(|found| is_right(found, wanted)) {
            right += 1;
        } else {
            println!("  {query:?} found {:?}", found[0].prompt.original_input);
        }
    }
    let recall = f64::from(right) / queries.len() as f64;
    println!("{name}: recall@{first} of {} is {recall:.3}", queries.len());
    recall
}

#[tokio::test]
async fn prompts_are_found_by_their_idea_and_by_what_they_alone_say() {
    let home = Home::new();
    let engine = home.engine();
    let pairs = lines(PAIRS);
    let input =
        crate::transfer::Input { name: "prompts".into(), source: std::io::Cursor::new(PROMPTS.as_bytes().to_vec()) };
    imported(engine.import(engine.decode(json!({ "format": "jsonl" })).unwrap(), input)).await.unwrap();
    let request: ReindexRequest = engine.decode(json!({ "vectors": true })).unwrap();
    assert_eq!(reindexed(engine.reindex(request)).await.unwrap().vectors, pairs.len() as u64);

    let by_idea: fn(&FoundPrompt, &str) -> bool = |found, idea| found.prompt.original_input == idea;
    let by_line: fn(&FoundPrompt, &str) -> bool = |found, line| found.prompt.content.contains(line);
    let column = |at: usize| pairs.iter().map(|pair| (pair[at], pair[0])).collect::<Vec<_>>();
    let content: Vec<(&str, &str)> = lines(CONTENT).iter().map(|line| (line[0], line[1])).collect();
    assert!(pairs.len() >= 120 && content.len() >= 40);
    let found = [
        recall(&engine, "few words", &column(1), 1, by_idea).await,
        recall(&engine, "described", &column(2), 1, by_idea).await,
        recall(&engine, "content", &content, 1, by_line).await,
        recall(&engine, "content", &content, 3, by_line).await,
    ];
    for (found, floor) in found.into_iter().zip(FLOORS) {
        assert!(found >= floor, "{found} is below {floor}");
    }
}

/// The required recall of each kind: two of the 155 queries below the measured one, or one of 44.
const FLOORS: [f64; 4] = [0.929, 0.896, 0.636, 0.818];
