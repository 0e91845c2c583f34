//! Embeds stored prompts and stores their vectors.
//!
//! The user's input and the prompt's content are embedded separately, because models read only the
//! beginning of a text, and users may remember either; of the content, only what it says beyond the
//! input (`beyond`). Duplicate texts, such as the input of a run's variants, are embedded once. Any
//! number of prompts is one request to the embedder.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::EmbeddingContext;
use super::beyond::beyond;
use crate::domain::{ModelMetadata, Prompt, PromptId};
use crate::error::{Error, Result};
use crate::provider::embedding::{Embedded, Purpose};
use crate::store::{FindStore, Part, PromptVectors, Space, Unembedded};

/// Maximum characters of a text to embed: what the largest models read, and what none refuses even
/// if each character is a token (8,192 tokens; OpenAI, "Embeddings", read 2026-11-21).
pub const MOST_CHARACTERS: usize = 8_000;

/// The texts of one prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Texts {
    /// The prompt.
    pub id: PromptId,
    /// What the user asked for.
    pub original_input: String,
    /// The prompt's text.
    pub content: String,
}

impl From<&Prompt> for Texts {
    fn from(prompt: &Prompt) -> Self {
        let Prompt { id, original_input, content, .. } = prompt;
        Self { id: *id, original_input: original_input.clone(), content: content.clone() }
    }
}

impl From<Unembedded> for Texts {
    fn from(prompt: Unembedded) -> Self {
        let Unembedded { id, original_input, content, .. } = prompt;
        Self { id, original_input, content }
    }
}

/// The result of embedding prompts.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddingReport {
    /// How many prompts now have vectors, not counting those deleted meanwhile.
    pub prompts: u64,
    /// The cost.
    pub metadata: ModelMetadata,
}

/// Embeds these prompts in one request and stores their vectors. A blank text has none.
///
/// # Errors
/// The embedder's error; `storage`.
pub async fn embed_prompts(
    store: &Arc<dyn FindStore>,
    meaning: &EmbeddingContext,
    prompts: &[Texts],
) -> Result<EmbeddingReport> {
    let mut texts: Vec<String> = Vec::new();
    let mut numbers: HashMap<Cow<'_, str>, usize> = HashMap::new();
    let mut wanted: Vec<(PromptId, Vec<(Part, usize)>)> = Vec::with_capacity(prompts.len());
    for prompt in prompts {
        let content = beyond(&prompt.original_input, &prompt.content);
        let parts = [(Part::Input, Cow::Borrowed(prompt.original_input.as_str())), (Part::Content, content)];
        let parts = parts.into_iter().filter(|(_, text)| !text.trim().is_empty()).map(|(part, text)| {
            let text = match text {
                Cow::Borrowed(text) => Cow::Borrowed(beginning(text)),
                Cow::Owned(text) => Cow::Owned(beginning(&text).to_owned()),
            };
            let number = *numbers.entry(text).or_insert_with_key(|text| {
                texts.push(text.clone().into_owned());
                texts.len() - 1
            });
            (part, number)
        });
        wanted.push((prompt.id, parts.collect()));
    }
    wanted.retain(|(_, parts)| !parts.is_empty());
    if texts.is_empty() {
        return Ok(EmbeddingReport { prompts: 0, metadata: ModelMetadata::sum([]) });
    }
    let asked = texts.len();
    let Embedded { vectors, metadata } = embed(meaning, texts).await?;
    if vectors.len() != asked {
        return Err(Error::Internal(format!("{asked} texts were embedded to {} vectors", vectors.len())));
    }
    let space = space_of(meaning, vectors.first().map_or(0, Vec::len))?;
    let with_vectors = |(id, parts): (PromptId, Vec<(Part, usize)>)| PromptVectors {
        id,
        parts: parts.into_iter().map(|(part, number)| (part, vectors[number].clone())).collect(),
    };
    let prompts = store.put_vectors(space, wanted.into_iter().map(with_vectors).collect()).await?;
    Ok(EmbeddingReport { prompts, metadata })
}

/// The space this embedder writes to. If its dimensions are unknown, requests a vector to find out.
///
/// # Errors
/// The embedder's error.
pub async fn own_space(meaning: &EmbeddingContext) -> Result<Space> {
    if let Some(space) = super::space::of(&*meaning.embedder) {
        return Ok(space);
    }
    let Embedded { vectors, .. } = embed(meaning, vec!["dimensions".to_owned()]).await?;
    space_of(meaning, vectors.first().map_or(0, Vec::len))
}

async fn embed(meaning: &EmbeddingContext, texts: Vec<String>) -> Result<Embedded> {
    Ok(meaning.embedder.embed(texts, Purpose::Document, meaning.account.clone()).await?)
}

fn space_of(meaning: &EmbeddingContext, dimensions: usize) -> Result<Space> {
    let embedder = &meaning.embedder;
    let dimensions = u32::try_from(dimensions).ok().filter(|dimensions| *dimensions > 0);
    let dimensions = dimensions.ok_or_else(|| Error::Internal("a text was embedded to nothing".into()))?;
    Ok(Space { provider: embedder.provider().to_owned(), model: embedder.model().to_owned(), dimensions })
}

/// The part of a text that is embedded.
pub(super) fn beginning(text: &str) -> &str {
    // The bytes are an upper bound, so only long texts are counted.
    if text.len() <= MOST_CHARACTERS {
        return text;
    }
    text.char_indices().nth(MOST_CHARACTERS).map_or(text, |(end, _)| &text[..end])
}
