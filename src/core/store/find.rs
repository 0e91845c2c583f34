//! The search part of the storage seam: prompts by their words and by vector similarity.
//!
//! Queries and indexed terms are both made by [`crate::text`], so every database finds the same. A
//! vector belongs to a [`Space`]; vectors of different spaces are never compared. The vectors in
//! the database are the source of truth; sidecar files are derived from them and can be deleted.
//!
//! Filters are applied inside, never after a limit. `core::search` fuses and highlights results.

use super::Pending;
use crate::domain::{Filter, Prompt, PromptId, PromptSummary};
use crate::text::query::TextQuery;

/// Search over a database of prompts.
pub trait FindStore: Send + Sync {
    /// The prompts that match the query, see [`TextQuery::finds`], best first by BM25; ties put the
    /// prompt stored last first. An [empty](TextQuery::is_empty) query finds nothing.
    fn lexical(&self, query: Lexical) -> Pending<SearchHits>;

    /// The prompts nearest to this vector, ranked by [`nearness`](super::nearness()).
    ///
    /// Fails with `validation_failed` for a vector with other dimensions than the space, or with a
    /// number that is not finite.
    fn nearest(&self, query: Nearest) -> Pending<SearchHits>;

    /// Whole prompts by id, in this order; unknown ids are skipped.
    fn fetch(&self, ids: Vec<PromptId>) -> Pending<Vec<Prompt>>;

    /// As [`FindStore::fetch`], returning summaries.
    fn fetch_summaries(&self, ids: Vec<PromptId>) -> Pending<Vec<PromptSummary>>;

    /// The spaces that hold vectors, most recently written first.
    fn spaces(&self) -> Pending<Vec<SpaceUse>>;

    /// Prompts without a vector in this space, in order of storing, at most `limit`. `after` is the
    /// [`Unembedded::place`] of the last prompt of the previous call.
    fn unembedded(&self, space: Space, after: Option<u64>, limit: u32) -> Pending<Vec<Unembedded>>;

    /// How many prompts have no vector in this space.
    fn count_unembedded(&self, space: Space) -> Pending<u64>;

    /// Replaces the vectors of these prompts in this space; all or none. Unknown ids are skipped.
    /// Returns how many prompts were written, after the commit is durable.
    ///
    /// Fails as [`FindStore::nearest`] does.
    fn put_vectors(&self, space: Space, vectors: Vec<PromptVectors>) -> Pending<u64>;

    /// The vectors of a prompt in this space.
    fn vectors_of(&self, space: Space, id: PromptId) -> Pending<Vec<(Part, Vec<f32>)>>;

    /// Deletes all vectors of this space. Returns how many prompts had one.
    fn forget_space(&self, space: Space) -> Pending<u64>;

    /// Rebuilds the sidecar index on the calling thread; a full rebuild can take seconds for a
    /// million vectors. Ends early when the store closes. Optional: searches do it in slices.
    fn maintain_index(&self) -> Pending<()> {
        Pending::ready(Ok(()))
    }

    /// Rebuilds the text index of up to `limit` prompts from `after` on; `None` empties it first.
    /// Returns the position to continue from, `None` at the end. Until then search is incomplete.
    fn reindex_text(&self, after: Option<u64>, limit: u32) -> Pending<Option<u64>>;
}

/// A full-text search.
#[derive(Debug, Clone, PartialEq)]
pub struct Lexical {
    /// What to look for.
    pub query: TextQuery,
    /// Which prompts to search.
    pub filter: Filter,
    /// The maximum number of hits.
    pub limit: u32,
    /// How many of the best hits to skip.
    pub offset: u64,
}

/// A similarity search.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearest {
    /// The space to search in.
    pub space: Space,
    /// The query vector, of length one.
    pub vector: Vec<f32>,
    /// Which prompts to search.
    pub filter: Filter,
    /// The maximum number of hits.
    pub limit: u32,
    /// How many of the nearest hits to skip.
    pub offset: u64,
    /// Compares every vector in full, however long that takes.
    pub exact: bool,
}

/// Search hits, best first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchHits {
    /// The requested page.
    pub hits: Vec<Hit>,
    /// For text: how many prompts pass the filter and match. For vectors: how many pass the filter.
    pub total: u64,
}

/// One prompt that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The prompt.
    pub id: PromptId,
    /// For text: BM25, above zero, comparable only within one search. For vectors: the
    /// [`nearness`](super::nearness()) of the cosines, -1..=1.
    pub score: f64,
}

/// The vectors that can be compared: one model of one provider, at one length.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Space {
    /// The provider's name.
    pub provider: String,
    /// Its model.
    pub model: String,
    /// Dimensions of a vector, 1..=65,536.
    pub dimensions: u32,
}

/// A space and its number of prompts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpaceUse {
    /// The space.
    pub space: Space,
    /// Prompts with a vector in it.
    pub prompts: u64,
}

/// The part of a prompt that a vector embeds. Separate, as models read only the beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// What the user asked for.
    Input,
    /// The prompt itself.
    Content,
}

/// A prompt that has no vector yet, and its texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unembedded {
    /// Position in storage order, for `after` of the next call.
    pub place: u64,
    /// The prompt.
    pub id: PromptId,
    /// What the user asked for.
    pub original_input: String,
    /// The prompt itself.
    pub content: String,
}

/// The vectors of one prompt, each of length one.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptVectors {
    /// The prompt.
    pub id: PromptId,
    /// At most one vector per part.
    pub parts: Vec<(Part, Vec<f32>)>,
}
