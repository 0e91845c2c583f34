//! The search half of the store: text in `ranking`, vectors in `vectors`.

use super::{SqliteStore, prompts, ranking, summaries, terms, vectors};
use crate::domain::{Prompt, PromptId, PromptSummary};
use crate::store::{
    FindStore, Lexical, Nearest, Part, Pending, PromptVectors, SearchHits, Space, SpaceUse, Unembedded,
};

impl FindStore for SqliteStore {
    fn lexical(&self, query: Lexical) -> Pending<SearchHits> {
        self.read("searching by words", SearchHits::default(), |connection| ranking::search(connection, &query))
    }

    fn nearest(&self, query: Nearest) -> Pending<SearchHits> {
        vectors::nearest(self, query)
    }

    fn fetch(&self, ids: Vec<PromptId>) -> Pending<Vec<Prompt>> {
        self.read("reading prompts", Vec::new(), |connection| {
            let keys = ids.iter().filter_map(|id| prompts::key_of(connection, *id).transpose());
            prompts::load(connection, &keys.collect::<super::SqliteResult<Vec<i64>>>()?)
        })
    }

    fn fetch_summaries(&self, ids: Vec<PromptId>) -> Pending<Vec<PromptSummary>> {
        self.read("reading prompts", Vec::new(), |connection| summaries::fetch(connection, &ids))
    }

    fn spaces(&self) -> Pending<Vec<SpaceUse>> {
        self.read("listing spaces of vectors", Vec::new(), vectors::spaces)
    }

    fn unembedded(&self, space: Space, after: Option<u64>, limit: u32) -> Pending<Vec<Unembedded>> {
        self.read("listing prompts without vectors", Vec::new(), |connection| {
            vectors::unembedded(connection, &space, after, limit)
        })
    }

    fn count_unembedded(&self, space: Space) -> Pending<u64> {
        self.read("counting prompts without vectors", 0, |connection| vectors::count_unembedded(connection, &space))
    }

    fn put_vectors(&self, space: Space, vectors: Vec<PromptVectors>) -> Pending<u64> {
        vectors::put(self, space, &vectors)
    }

    fn vectors_of(&self, space: Space, id: PromptId) -> Pending<Vec<(Part, Vec<f32>)>> {
        self.read("reading vectors", Vec::new(), |connection| vectors::of_prompt(connection, &space, id))
    }

    fn forget_space(&self, space: Space) -> Pending<u64> {
        vectors::forget(self, space)
    }

    fn maintain_index(&self) -> Pending<()> {
        vectors::maintain_index(self)
    }

    fn reindex_text(&self, after: Option<u64>, limit: u32) -> Pending<Option<u64>> {
        self.write("indexing words", move |connection| terms::index_from(connection, after, limit))
    }
}
