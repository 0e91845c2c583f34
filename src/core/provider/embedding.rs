//! The embedding seam: anything that turns texts into vectors.
//!
//! Vectors always have length one, so a dot product is their cosine similarity.

use std::pin::Pin;

use crate::domain::ModelMetadata;
use crate::error::ProviderError;
use crate::ledger::Account;

/// Embeds texts.
pub trait Embedder: Send + Sync {
    /// The provider's name in the configuration.
    fn provider(&self) -> &str;

    /// The model. Vectors of different models are never compared.
    fn model(&self) -> &str;

    /// Dimensions of its vectors; for an unknown model `None` until the first answer.
    fn dimensions(&self) -> Option<usize>;

    /// The cosine from which a query and a text count as near; `None` if not measured.
    fn near_from(&self) -> Option<f64> {
        None
    }

    /// One vector per text, in order. Takes any number of texts and batches them itself. Dropping
    /// the future cancels the calls.
    fn embed(&self, texts: Vec<String>, purpose: Purpose, account: Account) -> Embedding<'_>;
}

/// A pending embedding call.
pub type Embedding<'a> = Pin<Box<dyn Future<Output = Result<Embedded, ProviderError>> + Send + 'a>>;

/// What a text is embedded for; some models treat the two differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Stored, to be found by queries.
    Document,
    /// A search query.
    Query,
}

/// Vectors and the metadata of the calls that made them.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedded {
    /// One vector per text, in order, each of length one.
    pub vectors: Vec<Vec<f32>>,
    /// The sum over all calls.
    pub metadata: ModelMetadata,
}
