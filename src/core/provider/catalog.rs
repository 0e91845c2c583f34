//! What is known of models: context, prices, accepted parameters. Unknown means unknown, never a guess.
//!
//! Rows come from `assets/models.yaml`, each with its source and the day it was read, and from the user's own
//! `models.yaml`, whose rows win. Reading the files is [`crate::assets`]' business.

/// What is known of one model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelCard {
    /// Tokens it reads and writes at most, together.
    pub context: Option<u64>,
    /// Tokens it writes at most.
    pub max_output: Option<u64>,
    /// What it costs.
    pub price: Option<Price>,
    /// Whether it takes a temperature, and how high.
    pub temperature: Sampling,
    /// Tokens it may need for reasoning on top of the answer; 0 for models that do not reason by default.
    pub reasoning_headroom: u32,
    /// For embedding models: dimensions of its vectors.
    pub dimensions: Option<usize>,
}

/// Whether a model takes a temperature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sampling {
    /// Up to this much.
    UpTo(f64),
    /// Refused or ignored: not sent.
    Fixed,
    /// Not known: sent, and left out once it is refused.
    Unknown,
}

/// US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// Tokens sent.
    pub input: f64,
    /// Tokens received, reasoning included.
    pub output: f64,
    /// Tokens sent that the provider had cached; the full price where it gives no discount.
    pub cached_input: f64,
    /// Tokens sent that the provider then caches; the full price where it takes no surcharge.
    pub cache_write: f64,
    /// Another price once a request sends more than so many tokens.
    pub above: Option<(u64, Tier)>,
}

/// The price of long requests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tier {
    /// Tokens sent.
    pub input: f64,
    /// Tokens received.
    pub output: f64,
}
