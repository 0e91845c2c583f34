//! Searches stored prompts: by words, by meaning, by both, and by similarity to a prompt.
//!
//! The store does text and vector search, including filters. This module embeds queries
//! ([`embedding`] embeds stored prompts), fuses rankings ([`fuse`]), and returns prompts in the
//! requested form, with an excerpt and near-duplicates (`shown`). [`space`] decides which vectors
//! are comparable. Without vectors, semantic search is a `conflict` that says what to do.
//!
//! Prompts without a vector are found only by words, and a warning counts them. Scans run on a
//! blocking thread if there is a runtime, so that a server stays responsive.

mod beyond;
pub mod embedding;
mod fuse;
mod shown;
pub mod space;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::domain::{Filter, MatchKind, ModelMetadata, Prompt, PromptFields, SearchResult};
use crate::error::{Error, Result};
use crate::ledger::Account;
use crate::provider::embedding::{Embedder, Purpose};
use crate::store::{FindStore, Lexical, Nearest, Pending, PromptForm, SearchHits, Space, SpaceUse};
use crate::text::query::TextQuery;

pub use fuse::FORMULA;
use shown::Row;
pub use shown::listed;

/// Which part of the results to return.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchPage {
    /// Which prompts to search.
    pub filter: Filter,
    /// Maximum number of results, 1..=1000.
    pub limit: u32,
    /// How many of the best results to skip.
    pub offset: u64,
    /// Which fields, if the form has a choice.
    pub fields: PromptFields,
}

/// An embedder and the account that pays for it.
pub struct EmbeddingContext {
    /// Makes vectors of texts.
    pub embedder: Arc<dyn Embedder>,
    /// Pays for it.
    pub account: Account,
}

/// The prompts with these words, best first.
///
/// # Errors
/// `storage`.
pub async fn text<P: PromptForm>(
    store: &Arc<dyn FindStore>,
    query: &str,
    wanted: SearchPage,
) -> Result<SearchResult<P>> {
    let query = TextQuery::parse(query);
    let found = by_words(store, &query, &wanted.filter, wanted.limit, wanted.offset).await?;
    let rows = found
        .hits
        .into_iter()
        .map(|hit| Row { id: hit.id, score: hit.score, kind: MatchKind::Text, is_far: false })
        .collect();
    Ok(SearchResult {
        prompts: shown::shown(store, rows, &query, wanted.fields).await?,
        total: found.total,
        warnings: no_words_warning(&query).into_iter().collect(),
        model_metadata: ModelMetadata::sum([]),
    })
}

/// The prompts nearest in meaning to this text, nearest first.
///
/// # Errors
/// `conflict` if there are no comparable vectors; the embedder's error; `storage`.
pub async fn semantic<P: PromptForm>(
    store: &Arc<dyn FindStore>,
    meaning: &EmbeddingContext,
    query: &str,
    wanted: SearchPage,
) -> Result<SearchResult<P>> {
    let asked = EmbeddedQuery::of(store, meaning, query).await?;
    let SearchPage { filter, limit, offset, fields } = wanted;
    let found = asked.nearest(store, filter, limit, offset).await?;
    let near_from = meaning.embedder.near_from();
    let row = |hit: crate::store::Hit| {
        let is_far = near_from.is_some_and(|least| hit.score < least);
        Row { id: hit.id, score: hit.score, kind: MatchKind::Semantic, is_far }
    };
    let rows = found.hits.into_iter().map(row).collect();
    Ok(SearchResult {
        prompts: shown::shown(store, rows, &TextQuery::default(), fields).await?,
        total: found.total,
        warnings: unembedded_warning(store, &asked.vectors.space).await?.into_iter().collect(),
        model_metadata: asked.metadata,
    })
}

/// Text and semantic search, fused, best first: see [`FORMULA`].
///
/// # Errors
/// As [`semantic`]: a `conflict` without vectors, not a text search.
pub async fn hybrid<P: PromptForm>(
    store: &Arc<dyn FindStore>,
    meaning: &EmbeddingContext,
    query: &str,
    wanted: SearchPage,
) -> Result<SearchResult<P>> {
    let asked = EmbeddedQuery::of(store, meaning, query).await?;
    let words = TextQuery::parse(query);
    let depth = fuse::depth(wanted.offset, wanted.limit);
    let by_words = by_words(store, &words, &wanted.filter, depth, 0).await?;
    let near = asked.nearest(store, wanted.filter, depth, 0).await?;
    let fused = fuse::fuse(&by_words.hits, &near.hits);
    let (offset, limit) = (usize::try_from(wanted.offset).unwrap_or(usize::MAX), wanted.limit as usize);
    let rows = fused.into_iter().skip(offset).take(limit).collect();
    let warnings = no_words_warning(&words).into_iter().chain(unembedded_warning(store, &asked.vectors.space).await?);
    Ok(SearchResult {
        prompts: shown::shown(store, rows, &words, wanted.fields).await?,
        total: near.total,
        warnings: warnings.collect(),
        model_metadata: asked.metadata,
    })
}

/// The prompts nearest to a stored one by its own vectors, without itself, nearest first: similar
/// in input or in content. Each of its vectors is a separate query by the usual rule
/// ([`nearness`](crate::store::nearness)), and the better score counts.
///
/// # Errors
/// `conflict` if it has no vector of this model; `storage`.
pub async fn similar<P: PromptForm>(
    store: &Arc<dyn FindStore>,
    embedder: &dyn Embedder,
    prompt: &Prompt,
    wanted: SearchPage,
) -> Result<SearchResult<P>> {
    let vectors = space::searchable(store, embedder).await?;
    let parts = store.vectors_of(vectors.space.clone(), prompt.id).await?;
    if parts.is_empty() {
        return Err(space::lacks_a_vector(prompt.id, &vectors.space));
    }
    // One extra, because it is its own nearest neighbour.
    let depth = u64::from(wanted.limit).saturating_add(wanted.offset).saturating_add(1).min(vectors.prompts);
    let depth = u32::try_from(depth).unwrap_or(u32::MAX);
    let mut lists = Vec::with_capacity(parts.len());
    for (_, vector) in parts {
        let asked = EmbeddedQuery { vectors: vectors.clone(), vector, metadata: ModelMetadata::default() };
        lists.push(asked.nearest(store, wanted.filter.clone(), depth, 0).await?);
    }
    let total = lists.iter().map(|found| found.total).max().unwrap_or(0);
    let hits = fuse::nearest_of(lists.into_iter().flat_map(|found| found.hits));
    let is_itself_among = hits.iter().any(|hit| hit.id == prompt.id);
    let others = hits.into_iter().filter(|hit| hit.id != prompt.id);
    let (offset, limit) = (usize::try_from(wanted.offset).unwrap_or(usize::MAX), wanted.limit as usize);
    let rows = others
        .skip(offset)
        .take(limit)
        // The distance threshold was measured for queries, which differ from prompts.
        .map(|hit| Row { id: hit.id, score: hit.score, kind: MatchKind::Semantic, is_far: false })
        .collect();
    Ok(SearchResult {
        prompts: shown::shown(store, rows, &TextQuery::default(), wanted.fields).await?,
        total: total.saturating_sub(u64::from(is_itself_among)),
        warnings: unembedded_warning(store, &vectors.space).await?.into_iter().collect(),
        model_metadata: ModelMetadata::sum([]),
    })
}

/// An embedded query and the vectors to compare it with.
struct EmbeddedQuery {
    vectors: SpaceUse,
    vector: Vec<f32>,
    metadata: ModelMetadata,
}

impl EmbeddedQuery {
    /// Checks for vectors first, so that an unanswerable query costs nothing.
    async fn of(store: &Arc<dyn FindStore>, meaning: &EmbeddingContext, query: &str) -> Result<Self> {
        let EmbeddingContext { embedder, account } = meaning;
        let vectors = space::searchable(store, &**embedder).await?;
        let embedded =
            embedder.embed(vec![embedding::beginning(query).to_owned()], Purpose::Query, account.clone()).await?;
        let Some(vector) = embedded.vectors.into_iter().next() else {
            return Err(Error::Internal("a query was embedded to nothing".into()));
        };
        let vectors = if vector.len() == vectors.space.dimensions as usize {
            vectors
        } else {
            // Its dimensions were unknown before the first vector.
            space::searchable(store, &**embedder).await?
        };
        Ok(Self { vectors, vector, metadata: embedded.metadata })
    }

    async fn nearest(&self, store: &Arc<dyn FindStore>, filter: Filter, limit: u32, offset: u64) -> Result<SearchHits> {
        let most = u32::try_from(self.vectors.prompts).unwrap_or(u32::MAX).max(1);
        let nearest = Nearest {
            space: self.vectors.space.clone(),
            vector: self.vector.clone(),
            filter,
            limit: limit.min(most),
            offset: offset.min(self.vectors.prompts),
            exact: false,
        };
        on_blocking_thread(store, |store| store.nearest(nearest)).await
    }
}

async fn by_words(
    store: &Arc<dyn FindStore>,
    query: &TextQuery,
    filter: &Filter,
    limit: u32,
    offset: u64,
) -> Result<SearchHits> {
    if query.is_empty() {
        return Ok(SearchHits::default());
    }
    let lexical = Lexical { query: query.clone(), filter: filter.clone(), limit, offset };
    on_blocking_thread(store, |store| store.lexical(lexical)).await
}

/// A warning that the query has no searchable words.
fn no_words_warning(query: &TextQuery) -> Option<String> {
    query.is_empty().then(|| {
        "the query holds no word to look for, so nothing matches by words: write one that must be there".to_owned()
    })
}

/// A warning that counts the prompts without vectors.
async fn unembedded_warning(store: &Arc<dyn FindStore>, space: &Space) -> Result<Option<String>> {
    let space_asked = space.clone();
    let missing = on_blocking_thread(store, |store| store.count_unembedded(space_asked)).await?;
    Ok((missing > 0).then(|| {
        let (verb, they) = if missing == 1 { ("prompt has", "it was") } else { ("prompts have", "they were") };
        let model = space::name(space);
        format!(
            "{missing} {verb} no vector of {model} yet, so {they} not looked at by meaning: `aludel reindex --vectors` \
             makes them"
        )
    }))
}

/// Queries the store on a blocking thread if there is a runtime, else on this one.
async fn on_blocking_thread<T: Send + 'static>(
    store: &Arc<dyn FindStore>,
    ask: impl FnOnce(&dyn FindStore) -> Pending<T> + Send + 'static,
) -> Result<T> {
    let Ok(runtime) = tokio::runtime::Handle::try_current() else { return ask(&**store).await };
    let store = Arc::clone(store);
    let answer = runtime.spawn_blocking(move || ask(&*store).wait()).await;
    answer.unwrap_or_else(|defect| Err(Error::Internal(format!("a search ended abnormally: {defect}"))))
}
