//! The model catalogue: limits, prices, accepted parameters. Nothing unknown is guessed.
//!
//! Rows come from `assets/models.yaml`, with source and date, and from the user's own
//! `models.yaml`, whose rows win. [`crate::assets`] reads the files, [`parse`] parses them,
//! [`crate::ledger::Price`] computes costs. A group of rows belongs to a kind of provider, or to one provider.
//!
//! A row matches a name, without a leading `models/`, that is
//! 1. exactly the row's name;
//! 2. the row's name, a dash and a date, `2026-08-01` or `20260801`: a dated snapshot;
//! 3. for `ollama` and `openrouter`, one of these, a colon and a tag: `qwen3:8b`,
//!    `google/gemini-3.8-flash:nitro`.
//!
//! The first of the three that finds a row decides. Nothing else matches: `gpt-6-luna-pro` is not
//! `gpt-6-luna`, and a model without a row is unknown.

mod address;
mod parse;
#[cfg(test)]
mod tests;

use indexmap::IndexMap;
use jiff::civil::Date;

use crate::domain::ProviderKind;
use crate::ledger::Price;
use crate::text::yaml::{Fault, Faults};

/// The reasoning headroom in tokens for rows that give none of a model that reasons.
pub const DEFAULT_HEADROOM: u32 = 8_000;

/// What is known about one model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelCard {
    /// The context window in tokens; without `max_output` it covers input and output together.
    pub context: Option<u64>,
    /// The output limit in tokens, reasoning included.
    pub max_output: Option<u64>,
    /// Its price.
    pub price: Option<Price>,
    /// Whether it accepts a temperature, and the maximum.
    pub temperature: Sampling,
    /// Extra tokens it may need for reasoning; 0 for models that do not reason by default.
    pub reasoning_headroom: u32,
    /// Vector dimensions; set for embedding models only.
    pub dimensions: Option<usize>,
    /// The day its vendor shuts it down.
    pub ends: Option<Date>,
}

impl ModelCard {
    /// A model without a row.
    pub const UNKNOWN: Self = Self {
        context: None,
        max_output: None,
        price: None,
        temperature: Sampling::Unknown,
        reasoning_headroom: 0,
        dimensions: None,
        ends: None,
    };

    /// True for an embedding model, which does not chat.
    pub fn embeds(&self) -> bool {
        self.dimensions.is_some()
    }

    /// True while its vendor serves it, as far as is known.
    pub fn is_served_on(&self, day: Date) -> bool {
        self.ends.is_none_or(|ends| day < ends)
    }
}

/// Whether a model accepts a temperature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sampling {
    /// Accepted up to this maximum.
    UpTo(f64),
    /// Refused or ignored: not sent.
    Fixed,
    /// Unknown: sent, and left out once refused.
    Unknown,
}

/// All rows.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    /// By the name of a kind or a provider.
    groups: IndexMap<String, Group>,
}

/// The rows of one kind or provider.
#[derive(Debug, Clone, Default)]
struct Group {
    default: Option<String>,
    default_embedding: Option<String>,
    models: IndexMap<String, ModelCard>,
}

impl Catalog {
    /// Our rows.
    ///
    /// # Errors
    /// When the build is broken.
    pub fn builtin() -> Result<Self, Faults> {
        let tree = include_str!(concat!(env!("OUT_DIR"), "/models.json"));
        let fault = |error: serde_json::Error| Fault { line: 1, key: String::new(), message: error.to_string() };
        let tree = serde_json::from_str(tree).map_err(|error| Faults(vec![fault(error)]))?;
        Self::of_tree(&tree)
    }

    /// Parses a text in which every row, or its group, has a source and the day it was read.
    ///
    /// # Errors
    /// All faults of the text, with their lines.
    pub fn parse(text: &str) -> Result<Self, Faults> {
        Self::default().extended(text, true)
    }

    /// Adds a user's rows, which replace rows of the same name and group. Sources are optional.
    ///
    /// # Errors
    /// All faults of the text, with their lines.
    pub fn with_user_rows(self, text: &str) -> Result<Self, Faults> {
        self.extended(text, false)
    }

    /// The row of a model of this provider: the provider's own rows before those of its kind.
    pub fn card(&self, kind: ProviderKind, provider: &str, model: &str) -> Option<&ModelCard> {
        self.groups_of(kind, provider).find_map(|group| find(&group.models, kind, model))
    }

    /// True if any group has a row for this model, named alone or with a provider prefix.
    pub fn knows(&self, model: &str) -> bool {
        let alone = model.rsplit_once('/').map(|(_, name)| name);
        let names = [Some(model), alone];
        self.groups.iter().any(|(group, rows)| {
            let kind = ProviderKind::parse(group).unwrap_or(ProviderKind::OpenRouter);
            names.into_iter().flatten().any(|name| find(&rows.models, kind, name).is_some())
        })
    }

    /// The default model of providers of this kind.
    pub fn default_model(&self, kind: ProviderKind) -> Option<&str> {
        self.groups.get(kind.as_str())?.default.as_deref()
    }

    /// The default embedding model of providers of this kind.
    pub fn default_embedding_model(&self, kind: ProviderKind) -> Option<&str> {
        self.groups.get(kind.as_str())?.default_embedding.as_deref()
    }

    /// The chat models of a group (a kind or a provider) served on `day`, in file order.
    pub fn chat_models(&self, group: &str, day: Date) -> impl Iterator<Item = &str> {
        let rows = self.groups.get(group).into_iter().flat_map(|group| &group.models);
        rows.filter(move |(_, card)| !card.embeds() && card.is_served_on(day)).map(|(name, _)| name.as_str())
    }

    /// The price of a model, by its row. Free for `builtin` and for an `ollama` on this machine or
    /// its local network, unless it forwards the model to a cloud. Rows of the kind apply at any
    /// address, since gateways use the vendor's names; rows of the provider override them.
    ///
    /// `sim` prices are in its script, not here.
    pub fn price(&self, kind: ProviderKind, provider: &str, base_url: Option<&str>, model: &str) -> Option<Price> {
        let listed = self.card(kind, provider, model).and_then(|card| card.price);
        listed.or_else(|| address::costs_nothing(kind, base_url, model).then_some(Price::FREE))
    }

    /// Group names that are not kinds; each should name a provider.
    pub fn provider_names(&self) -> impl Iterator<Item = &str> {
        self.groups.keys().map(String::as_str).filter(|name| ProviderKind::parse(name).is_none())
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.groups.values().map(|group| group.models.len()).sum()
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The group of the provider's name, then of its kind. A kind's name always means the kind.
    fn groups_of(&self, kind: ProviderKind, provider: &str) -> impl Iterator<Item = &Group> {
        let own = if ProviderKind::parse(provider).is_none() { self.groups.get(provider) } else { None };
        own.into_iter().chain(self.groups.get(kind.as_str()))
    }
}

/// Finds the row of a model by the rule in the module header.
fn find<'a>(rows: &'a IndexMap<String, ModelCard>, kind: ProviderKind, model: &str) -> Option<&'a ModelCard> {
    let name = model.strip_prefix("models/").unwrap_or(model);
    let dated = |name: &str| rows.get(name).or_else(|| without_day(name).and_then(|name| rows.get(name)));
    dated(name).or_else(|| {
        let has_tags = matches!(kind, ProviderKind::Ollama | ProviderKind::OpenRouter);
        let (untagged, _) = name.rsplit_once(':').filter(|_| has_tags)?;
        dated(untagged)
    })
}

/// The name before `-2026-08-01` or `-20260801`; `None` without a date.
fn without_day(name: &str) -> Option<&str> {
    let cut = |length: usize| {
        let (head, day) = name.split_at_checked(name.len().checked_sub(length)?)?;
        Some((head.strip_suffix('-')?, day))
    };
    let is_day = |day: &str| day.starts_with("20") && day.parse::<Date>().is_ok();
    let plain = |day: &str| day.bytes().all(|byte| byte.is_ascii_digit());
    cut(10)
        .filter(|(_, day)| is_day(day))
        .or_else(|| cut(8).filter(|(_, day)| plain(day) && is_day(day)))
        .map(|(head, _)| head)
}
