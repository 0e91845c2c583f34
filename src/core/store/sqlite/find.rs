//! The finding side of the store: by words in `prompt_terms`, by nearness in `vectors`.

use super::SqliteStore;
use super::prompts;
use crate::domain::{Prompt, PromptId};
use crate::error::{Error, Result};
use crate::store::{FindStore, Found, Lexical, Nearest, Part, Pending, PromptVectors, Space, SpaceUse, Unembedded};

fn unfinished<T>() -> Result<T> {
    Err(Error::Internal("this search is being built".into()))
}

impl FindStore for SqliteStore {
    fn lexical(&self, _query: Lexical) -> Pending<Found> {
        Pending::ready(unfinished())
    }

    fn nearest(&self, _query: Nearest) -> Pending<Found> {
        Pending::ready(unfinished())
    }

    fn fetch(&self, ids: Vec<PromptId>) -> Pending<Vec<Prompt>> {
        self.read("reading prompts", Vec::new(), |connection| {
            let keys = ids.iter().filter_map(|id| prompts::key_of(connection, *id).transpose());
            prompts::load(connection, &keys.collect::<super::Outcome<Vec<i64>>>()?)
        })
    }

    fn spaces(&self) -> Pending<Vec<SpaceUse>> {
        Pending::ready(unfinished())
    }

    fn unembedded(&self, _space: Space, _after: Option<u64>, _limit: u32) -> Pending<Vec<Unembedded>> {
        Pending::ready(unfinished())
    }

    fn count_unembedded(&self, _space: Space) -> Pending<u64> {
        Pending::ready(unfinished())
    }

    fn put_vectors(&self, _space: Space, _vectors: Vec<PromptVectors>) -> Pending<u64> {
        Pending::ready(unfinished())
    }

    fn vectors_of(&self, _space: Space, _id: PromptId) -> Pending<Vec<(Part, Vec<f32>)>> {
        Pending::ready(unfinished())
    }

    fn forget_space(&self, _space: Space) -> Pending<u64> {
        Pending::ready(unfinished())
    }

    fn reindex_text(&self, _after: Option<u64>, _limit: u32) -> Pending<Option<u64>> {
        Pending::ready(unfinished())
    }
}
