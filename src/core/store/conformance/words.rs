//! Text search: finds what the query matches in the rows, for any filter, limit and history.

use std::collections::BTreeSet;

use super::{Check, expected, ids, read_all};
use crate::domain::{Filter, Order, Phase, Prompt, PromptId};
use crate::store::{Edit, Lexical, Mutation, SearchHits, Store, samples};
use crate::text::query::{TextQuery, fields};

pub(super) const CHECKS: &[Check] = &[
    Check { name: "a search finds what the query says of all rows", run: finds_what_the_query_says },
    Check { name: "a search filters inside", run: filters_inside },
    Check { name: "a search in parts is the whole search", run: in_parts_is_the_whole },
    Check { name: "a search follows edits and deletions", run: follows_edits_and_deletions },
    Check { name: "a search ranks by how much matches", run: ranks_by_how_much_matches },
    Check { name: "of equal matches the one stored last comes first", run: equals_come_newest_first },
    Check { name: "a query that only excludes finds nothing", run: excluding_finds_nothing },
    Check { name: "a text index made anew finds the same", run: made_anew_finds_the_same },
    Check { name: "an empty database has no words", run: nothing_in_nothing },
];

const WORDS: [&str; 28] = [
    "haiku",
    "sea",
    "Sea",
    "the",
    "the",
    "write",
    "writing",
    "generation",
    "generate",
    "prompts",
    "os.path",
    "parseHttpUrl",
    "http",
    "url",
    "don't",
    "café",
    "Cafe",
    "提示词",
    "词",
    "好的提示",
    "のモデル",
    "1,000",
    "3.5",
    "C++",
    "a_b",
    "NEAR",
    "“quoted”",
    "e\u{301}te\u{301}",
];

const QUERIES: [&str; 42] = [
    "haiku",
    "SEAS",
    "the",
    "the sea",
    "\"the sea\"",
    "\"sea the\" -write",
    "write -haiku",
    "-haiku",
    "haiku OR sea",
    "haiku OR \"the write\" -url",
    "generat*",
    "generati*",
    "gen* wri*",
    "h*",
    "\"the h*\"",
    "os.path",
    "path os",
    "url",
    "parseHttp*",
    "\"http url\"",
    "don't",
    "dont",
    "cafe",
    "CAFÉ -the",
    "提示",
    "提示词",
    "词",
    "提",
    "示词 OR 好",
    "モデル",
    "の",
    "1000",
    "1,0*",
    "3.5",
    "c++",
    "a b",
    "\"a b\"",
    "near",
    "NEAR(the sea)",
    "été",
    "nowhere",
    "\"tag 3\" sea",
];

/// A deterministic random generator.
struct SeededRandom(u64);

impl SeededRandom {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = xxhash_rust::xxh3::xxh3_64_with_seed(&self.0.to_le_bytes(), 7);
        usize::try_from(self.0 % bound.max(1) as u64).unwrap_or_default()
    }

    fn text(&mut self, most: usize) -> String {
        let count = self.below(most + 1);
        let words: Vec<&str> = (0..count).map(|_| WORDS[self.below(WORDS.len())]).collect();
        words.join([" ", ", ", "\n"][self.below(3)])
    }
}

/// Stores prompts of random words and returns them in the order of storing.
fn corpus(store: &dyn Store, count: u32) -> Vec<Prompt> {
    let mut chance = SeededRandom(u64::from(count));
    let mut prompts = samples::prompts(count);
    for prompt in &mut prompts {
        prompt.content = chance.text(30);
        prompt.original_input = chance.text(6);
        prompt.notes = (chance.below(3) == 0).then(|| chance.text(4));
        prompt.phase = Phase::ALL[chance.below(3)];
        if chance.below(2) == 0 {
            prompt.tags.push(chance.text(2).replace(',', ""));
        }
    }
    for some in prompts.chunks(17) {
        store.append(some.to_vec()).wait().unwrap();
    }
    prompts
}

fn search(store: &dyn Store, typed: &str, filter: &Filter, limit: u32, offset: u64) -> SearchHits {
    let query = TextQuery::parse(typed);
    store.lexical(Lexical { query, filter: filter.clone(), limit, offset }).wait().unwrap()
}

/// The stored prompts, in the order of storing, and the text each is found by.
struct Rows {
    prompts: Vec<Prompt>,
    fields: Vec<Vec<Vec<Vec<String>>>>,
}

impl Rows {
    fn of(prompts: &[Prompt]) -> Self {
        Self { prompts: prompts.to_vec(), fields: prompts.iter().map(fields).collect() }
    }
}

/// Searches for everything and compares with the rows.
fn assert_finds(store: &dyn Store, all: &Rows, typed: &str, filter: &Filter) -> Vec<PromptId> {
    let query = TextQuery::parse(typed);
    let passing: BTreeSet<PromptId> = expected(&all.prompts, filter, Order::Newest).into_iter().collect();
    let rows = all.prompts.iter().zip(&all.fields);
    let matching = rows.filter(|(prompt, fields)| passing.contains(&prompt.id) && query.matches(fields));
    let wanted: BTreeSet<PromptId> = matching.map(|(prompt, _)| prompt.id).collect();
    let found = search(store, typed, filter, 1000, 0);
    let ids: Vec<PromptId> = found.hits.iter().map(|hit| hit.id).collect();
    assert_eq!(ids.iter().copied().collect::<BTreeSet<_>>(), wanted, "`{typed}` {filter:?}");
    assert_eq!(ids.len(), wanted.len(), "`{typed}` finds one twice");
    assert_eq!(found.total, wanted.len() as u64, "`{typed}` {filter:?}");
    assert!(found.hits.iter().all(|hit| hit.score > 0.0 && hit.score.is_finite()), "`{typed}`: {found:?}");
    assert!(found.hits.is_sorted_by(|a, b| a.score >= b.score), "`{typed}` is not in order: {found:?}");
    let place = |id: PromptId| all.prompts.iter().position(|prompt| prompt.id == id);
    for pair in found.hits.windows(2).filter(|pair| pair[0].score.total_cmp(&pair[1].score).is_eq()) {
        assert!(place(pair[0].id) > place(pair[1].id), "`{typed}`: of equals the newest stored comes first");
    }
    ids
}

fn finds_what_the_query_says(store: &dyn Store) {
    let all = Rows::of(&corpus(store, 150));
    let mut hits = 0;
    for typed in QUERIES {
        hits += assert_finds(store, &all, typed, &Filter::default()).len();
    }
    assert!(hits > 500, "the queries hardly find anything: {hits}");
}

fn filters_inside(store: &dyn Store) {
    let all = Rows::of(&corpus(store, 150));
    let mut chance = SeededRandom(9);
    let mut hits = 0;
    for _ in 0..120 {
        let mut pick = |values: &[&str]| (chance.below(2) == 0).then(|| values[chance.below(values.len())].to_owned());
        let filter = Filter {
            tags: [pick(&["sea"]), pick(&["tag-1", "tag-2"])].into_iter().flatten().collect(),
            phase: pick(&["coagulatio", "solutio"]).and_then(|phase| phase.parse().ok()),
            provider: pick(&["openai", "builtin"]),
            model: pick(&["model-0", "model-1", "model-2"]),
            persona: pick(&["code"]),
            session_id: pick(&["", "", ""]).filter(|_| chance.below(8) == 0).map(|_| samples::session_id(12)),
            since: (chance.below(3) == 0).then(|| samples::moment(20)),
            until: (chance.below(3) == 0).then(|| samples::moment(120)),
        };
        hits += assert_finds(store, &all, QUERIES[chance.below(20)], &filter).len();
    }
    assert!(hits > 100, "the filters hardly pass anything: {hits}");
}

fn in_parts_is_the_whole(store: &dyn Store) {
    let all = Rows::of(&corpus(store, 80));
    for typed in ["the", "haiku OR sea", "nowhere", "gen*"] {
        for filter in [Filter::default(), Filter { tags: vec!["tag-3".into()], ..Filter::default() }] {
            let whole = search(store, typed, &filter, 1000, 0);
            assert_finds(store, &all, typed, &filter);
            for limit in [1, 3, 7, 1000] {
                let mut parts = Vec::new();
                for offset in (0..whole.total + 2 * u64::from(limit)).step_by(limit as usize) {
                    let part = search(store, typed, &filter, limit, offset);
                    assert_eq!(part.total, whole.total, "`{typed}` {limit} {offset}");
                    assert!(part.hits.len() <= limit as usize);
                    parts.extend(part.hits);
                }
                assert_eq!(parts, whole.hits, "`{typed}` in parts of {limit}");
            }
            let none = search(store, typed, &filter, 0, 0);
            assert_eq!((none.hits.len(), none.total), (0, whole.total));
            assert_eq!(search(store, typed, &filter, 5, u64::MAX).total, whole.total);
        }
    }
}

fn follows_edits_and_deletions(store: &dyn Store) {
    let mut all = corpus(store, 60);
    let mut chance = SeededRandom(3);
    for round in 0..12 {
        let edit = Edit {
            add_tags: vec![format!("fresh {round}")],
            remove_tags: vec!["sea".into()],
            notes: (round % 2 == 0).then(|| Some(format!("noted {}", chance.text(3)))),
            ..Edit::default()
        };
        let place = chance.below(all.len());
        edit.apply_to(&mut all[place], samples::moment(900)).unwrap();
        let id = all[place].id;
        store.apply(Mutation::Edit { id, expected_revision: None, edit, at: samples::moment(900) }).wait().unwrap();
        let gone = all.remove(chance.below(all.len())).id;
        store.apply(Mutation::Delete { ids: vec![gone], expected_revision: None }).wait().unwrap();
        let rows = Rows::of(&all);
        for typed in ["fresh", "noted", "sea", "the", "\"fresh 3\""] {
            assert_finds(store, &rows, typed, &Filter::default());
        }
    }
    let filter = Filter { provider: Some("openai".into()), ..Filter::default() };
    all.retain(|prompt| prompt.provider != "openai");
    store.apply(Mutation::DeleteWhere { filter }).wait().unwrap();
    let rows = Rows::of(&all);
    for typed in QUERIES {
        assert_finds(store, &rows, typed, &Filter::default());
    }
    assert_eq!(read_all(store, &Filter::default(), Order::Newest, 1000).len(), all.len());
}

fn ranks_by_how_much_matches(store: &dyn Store) {
    let texts = [
        format!("one lighthouse {}", "among many other words ".repeat(30)),
        "a lighthouse, and another lighthouse".to_owned(),
        "nothing of that kind".to_owned(),
        "a lighthouse, and another building".to_owned(),
    ];
    let mut prompts = samples::prompts(4);
    for (prompt, text) in prompts.iter_mut().zip(texts) {
        prompt.content = text;
    }
    prompts[2].notes = None;
    store.append(prompts.clone()).wait().unwrap();
    let found: Vec<PromptId> =
        search(store, "lighthouse", &Filter::default(), 10, 0).hits.iter().map(|hit| hit.id).collect();
    assert_eq!(found, [prompts[1].id, prompts[3].id, prompts[0].id]);
}

fn equals_come_newest_first(store: &dyn Store) {
    let mut prompts = samples::prompts(9);
    for prompt in &mut prompts {
        // Not in order of creation.
        prompt.created_at = samples::moment(50 - u32::try_from(prompt.content.len() % 7).unwrap());
        prompt.content = "the same".into();
        prompt.original_input = "for all".into();
        prompt.tags.clear();
        prompt.notes = None;
    }
    store.append(prompts.clone()).wait().unwrap();
    let mut wanted = ids(&prompts);
    wanted.reverse();
    assert_eq!(assert_finds(store, &Rows::of(&prompts), "same", &Filter::default()), wanted);
}

fn excluding_finds_nothing(store: &dyn Store) {
    corpus(store, 20);
    for typed in ["", "   ", "-haiku", "-haiku -\"the sea\"", "!?", "\"\"", "*", "-*"] {
        assert_eq!(search(store, typed, &Filter::default(), 10, 0), SearchHits::default(), "`{typed}`");
    }
}

fn made_anew_finds_the_same(store: &dyn Store) {
    let all = corpus(store, 50);
    let unchanged = Rows::of(&all);
    let before = search(store, "the", &Filter::default(), 1000, 0);
    for limit in [7, 25, 50, 1000, 0] {
        let mut place = store.reindex_text(None, limit).wait().unwrap();
        let mut steps = 1;
        while place.is_some() {
            place = store.reindex_text(place, limit).wait().unwrap();
            steps += 1;
        }
        let least = if limit == 0 { 50 } else { 50_u32.div_ceil(limit) };
        assert!((least..=least + 1).contains(&steps), "{steps} steps of {limit}");
        assert_eq!(search(store, "the", &Filter::default(), 1000, 0), before);
        assert_finds(store, &unchanged, "haiku", &Filter::default());
    }
    // A change during reindexing is not lost, and no row is duplicated.
    let place = store.reindex_text(None, 20).wait().unwrap();
    let edit = Edit { notes: Some(Some("meanwhile".into())), ..Edit::default() };
    for prompt in [&all[3], &all[40]] {
        let edit =
            Mutation::Edit { id: prompt.id, expected_revision: None, edit: edit.clone(), at: samples::moment(99) };
        store.apply(edit).wait().unwrap();
    }
    assert_eq!(store.reindex_text(place, 1000).wait().unwrap(), None);
    let rows = read_all(store, &Filter::default(), Order::Newest, 1000);
    let rows: Vec<Prompt> = all.iter().filter_map(|old| rows.iter().find(|row| row.id == old.id).cloned()).collect();
    let rows = Rows::of(&rows);
    for typed in ["meanwhile", "the", "sea"] {
        assert_finds(store, &rows, typed, &Filter::default());
    }
}

fn nothing_in_nothing(store: &dyn Store) {
    assert_eq!(search(store, "haiku", &Filter::default(), 10, 0), SearchHits::default());
    assert_eq!(store.reindex_text(None, 10).wait().unwrap(), None);
    assert_eq!(search(store, "haiku", &Filter::default(), 10, 0), SearchHits::default());
}
