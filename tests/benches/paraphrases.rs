//! Finding an idea by other words: the program's model, its original, and plain words in a table.
//!
//! The sets are in `tests/fixtures/paraphrases`. Words use `Engine::search` over a real database:
//! as a user types them, where a prompt must have all, and with OR between them, which is fairer.
//! The original is one of the bench's yardsticks.

use aludel_core::api::{ImportRequest, SearchRequest};
use aludel_core::config::{self, Environment, Flags};
use aludel_core::domain::Operation;
use aludel_core::embed::embed_now;
use aludel_core::engine::Engine;
use aludel_core::event::Outcome;
use aludel_core::transfer::Input;
use serde_json::json;

use super::Yardstick;

const NATURAL: &str = include_str!("../fixtures/paraphrases/natural.tsv");
const PAIRS: &str = include_str!("../fixtures/paraphrases/pairs.tsv");

/// The sets: the kind of query, the file, and its column.
const SETS: [(&str, &str, usize); 3] =
    [("whole sentences", NATURAL, 1), ("a few words", PAIRS, 1), ("described", PAIRS, 2)];

/// How many ideas rank above each query's own, for one kind of search.
type RanksAhead = Vec<usize>;

/// Prints the table.
pub(crate) fn table(yardsticks: &mut [Yardstick]) {
    println!("recall@1 and recall@3 of paraphrases:");
    for (name, file, column) in SETS {
        let field = |at: usize| file.lines().map(move |line| line.split('\t').nth(at).expect("a column").to_owned());
        let (ideas, queries): (Vec<String>, Vec<String>) = (field(0).collect(), field(column).collect());
        println!("  {name}, {} queries", queries.len());
        row("the model in the program, 4 bits", &by_meaning(&ideas, &queries));
        for yardstick in &mut *yardsticks {
            row(&format!("the original, 32 bits, {}", yardstick.name), &yardstick.ahead(&ideas, &queries));
        }
        let words = Words::of(&ideas);
        row("words with OR between them (FTS5)", &words.ahead(&ideas, &queries, " OR "));
        row("words as typed (FTS5)", &words.ahead(&ideas, &queries, " "));
    }
}

fn row(name: &str, ahead: &RanksAhead) {
    let recall = |first: usize| ahead.iter().filter(|ahead| **ahead < first).count() as f64 / ahead.len() as f64;
    println!("    {name:<36} {:.3}  {:.3}", recall(1), recall(3));
}

fn by_meaning(ideas: &[String], queries: &[String]) -> RanksAhead {
    let embed =
        |texts: &[String]| embed_now(&texts.iter().map(String::as_str).collect::<Vec<_>>()).expect("vectors").vectors;
    let (ideas, queries) = (embed(ideas), embed(queries));
    let cosine = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let ahead = |(own, query): (usize, &Vec<f32>)| {
        let score = cosine(query, &ideas[own]);
        // A tie ranks above it.
        ideas.iter().enumerate().filter(|(at, idea)| *at != own && cosine(query, idea) >= score).count()
    };
    queries.iter().enumerate().map(ahead).collect()
}

/// A store of ideas for text search.
struct Words {
    runtime: tokio::runtime::Runtime,
    engine: Engine,
    _folder: tempfile::TempDir,
}

impl Words {
    fn of(ideas: &[String]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let environment = Environment::from_pairs([("ALUDEL_HOME", folder.path().to_str().expect("UTF-8"))]);
        let engine = Engine::open(config::load(&Flags::default(), &environment).expect("a configuration"));
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let lines: Vec<String> = ideas.iter().map(|idea| format!("{}\n", json!({ "content": idea }))).collect();
        let request: ImportRequest =
            engine.decode(json!({ "format": "jsonl", "no_vectors": true })).expect("a request");
        let input = Input { name: "ideas".into(), source: std::io::Cursor::new(lines.concat().into_bytes()) };
        match runtime.block_on(async { engine.import(request, input).outcome().await }).expect("an import") {
            Outcome::Import(report) => assert_eq!(report.imported, ideas.len() as u64),
            other => assert_eq!(other.operation(), Operation::Import),
        }
        Self { runtime, engine, _folder: folder }
    }

    fn ahead(&self, ideas: &[String], queries: &[String], between: &str) -> RanksAhead {
        let ahead = |(idea, query): (&String, &String)| {
            let words: Vec<&str> =
                query.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
            let raw = json!({ "query": words.join(between), "limit": 3 });
            let request: SearchRequest = self.engine.decode(raw).expect("a request");
            let found = self.runtime.block_on(self.engine.search(request)).expect("a search").prompts;
            found.iter().position(|found| found.prompt.content == *idea).unwrap_or(usize::MAX)
        };
        ideas.iter().zip(queries).map(ahead).collect()
    }
}
