//! The embedding seam: anything that turns texts into vectors.
//!
//! Vectors come out with length one, whatever the vendor gives, so that a dot product is their similarity.

use std::pin::Pin;

use crate::domain::ModelMetadata;
use crate::error::ProviderError;
use crate::ledger::Account;

/// Embeds texts.
pub trait Embedder: Send + Sync {
    /// The provider's name in the configuration.
    fn provider(&self) -> &str;

    /// The model; vectors of different models never meet.
    fn model(&self) -> &str;

    /// Dimensions of its vectors; `None` until the first answer, where the model is not known.
    fn dimensions(&self) -> Option<usize>;

    /// The cosine from which a query and a stored text are near; `None` where that was not measured for this model.
    fn near_from(&self) -> Option<f64> {
        None
    }

    /// One vector a text, in order. Any number of texts; batches are the implementation's business. Dropping the future
    /// cancels the calls.
    fn embed(&self, texts: Vec<String>, purpose: Purpose, account: Account) -> Embedding<'_>;
}

/// The answer to come.
pub type Embedding<'a> = Pin<Box<dyn Future<Output = Result<Embedded, ProviderError>> + Send + 'a>>;

/// What a text is embedded for; some models tell the two apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To be found.
    Document,
    /// To find.
    Query,
}

/// Vectors and what they took.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedded {
    /// One a text, in order, each of length one.
    pub vectors: Vec<Vec<f32>>,
    /// The calls added up.
    pub metadata: ModelMetadata,
}
