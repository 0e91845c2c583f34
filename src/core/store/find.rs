//! The finding side of the storage seam: prompts by their words, and by the nearness of their vectors.
//!
//! A text query is made of terms that [`crate::text`] made, and a backend indexes terms that it made, so that every
//! database finds the same. A vector belongs to a [`Space`]; vectors of different spaces never meet. Vectors in the
//! database are the truth; whatever lies beside them is made from them and may be deleted.
//!
//! Filters are applied inside, never after a limit. What is fused, marked and shown of it is `core::search`.

use super::{Filter, Pending};
use crate::domain::{Prompt, PromptId, PromptSummary};
use crate::text::query::TextQuery;

/// The searching half of a database of prompts.
pub trait FindStore: Send + Sync {
    /// The prompts whose terms match, as [`TextQuery::finds`] says, best first by BM25; of equals the one stored last comes
    /// first. A query that is [empty](TextQuery::is_empty), which one that only excludes is, finds nothing.
    fn lexical(&self, query: Lexical) -> Pending<Found>;

    /// The prompts with a vector near to this one, nearest first; how near a prompt is, [`nearness`](super::nearness())
    /// says.
    ///
    /// Fails with `validation_failed` for a vector of other dimensions than the space has, or with a number that is not
    /// finite.
    fn nearest(&self, query: Nearest) -> Pending<Found>;

    /// These prompts, whole, in this order; ids that are not there are passed over.
    fn fetch(&self, ids: Vec<PromptId>) -> Pending<Vec<Prompt>>;

    /// As [`FindStore::fetch`], in short.
    fn fetch_summaries(&self, ids: Vec<PromptId>) -> Pending<Vec<PromptSummary>>;

    /// The spaces that hold vectors, the one written to last first.
    fn spaces(&self) -> Pending<Vec<SpaceUse>>;

    /// Prompts without a vector in this space, those stored first coming first, at most `limit`. `after` is the place
    /// where the last call ended.
    fn unembedded(&self, space: Space, after: Option<u64>, limit: u32) -> Pending<Vec<Unembedded>>;

    /// How many prompts have no vector in this space.
    fn count_unembedded(&self, space: Space) -> Pending<u64>;

    /// Gives prompts their vectors, in place of those they had in this space; all or none. Ids that are not there are passed
    /// over. Answers how many prompts got theirs, after the commit is durable.
    ///
    /// Fails as [`FindStore::nearest`] does.
    fn put_vectors(&self, space: Space, vectors: Vec<PromptVectors>) -> Pending<u64>;

    /// The vectors of a prompt in this space.
    fn vectors_of(&self, space: Space, id: PromptId) -> Pending<Vec<(Part, Vec<f32>)>>;

    /// Forgets all vectors of this space. Answers how many prompts had some.
    fn forget_space(&self, space: Space) -> Pending<u64>;

    /// Brings what lies beside the database for faster searches up to date: whole, which can take seconds for a million
    /// vectors, on the caller's thread; until the store is closed. Searches do it by slices, so this is never needed.
    fn maintain_index(&self) -> Pending<()> {
        Pending::ready(Ok(()))
    }

    /// Makes the text index anew for up to `limit` prompts from `after` on; `None` begins by emptying it. Answers the place
    /// to go on from, `None` at the end. Until it has come to the end, text search finds what is indexed so far.
    fn reindex_text(&self, after: Option<u64>, limit: u32) -> Pending<Option<u64>>;
}

/// A search by words.
#[derive(Debug, Clone, PartialEq)]
pub struct Lexical {
    /// What to look for.
    pub query: TextQuery,
    /// Where.
    pub filter: Filter,
    /// At most so many.
    pub limit: u32,
    /// Skips so many of the best.
    pub offset: u64,
}

/// A search by nearness.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearest {
    /// Among which vectors.
    pub space: Space,
    /// Near to this; length one.
    pub vector: Vec<f32>,
    /// Where.
    pub filter: Filter,
    /// At most so many.
    pub limit: u32,
    /// Skips so many of the nearest.
    pub offset: u64,
    /// Compares every vector in full, however long that takes.
    pub exact: bool,
}

/// What was found, best first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// The part that was asked for.
    pub hits: Vec<Hit>,
    /// By words: how many pass the filter and match. By nearness: how many pass the filter.
    pub total: u64,
}

/// One prompt that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Which.
    pub id: PromptId,
    /// By words: BM25, above zero, comparable within one search alone. By nearness: what [`nearness`](super::nearness()) makes
    /// of the cosines, -1..=1.
    pub score: f64,
}

/// Where vectors can be compared: one model of one provider, at one length.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Space {
    /// The provider's name.
    pub provider: String,
    /// Its model.
    pub model: String,
    /// Numbers a vector, 1..=65,536.
    pub dimensions: u32,
}

/// A space and what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpaceUse {
    /// Which.
    pub space: Space,
    /// Prompts with a vector in it.
    pub prompts: u64,
}

/// What of a prompt a vector stands for. Models read the beginning of a text alone, so each is embedded by itself.
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
    /// Where it stands among all: for the next call's `after`.
    pub place: u64,
    /// Which.
    pub id: PromptId,
    /// What the user asked for.
    pub original_input: String,
    /// The prompt itself.
    pub content: String,
}

/// The vectors of one prompt, each of length one.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptVectors {
    /// Whose.
    pub id: PromptId,
    /// At most one a part.
    pub parts: Vec<(Part, Vec<f32>)>,
}
