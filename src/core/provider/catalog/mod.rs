//! What is known of models: limits, prices, accepted parameters. Unknown means unknown, never a guess.
//!
//! Rows come from `assets/models.yaml`, each with its source and the day it was read, and from the user's own
//! `models.yaml`, whose rows win. Reading the files is [`crate::assets`]' business, their format [`parse`]'s, money
//! [`price`]'s. A group of rows belongs to a kind of provider, or to the one provider of that name.
//!
//! A row holds for a name when the name, after a leading `models/` is passed over, is
//! 1. the row's name to the letter;
//! 2. the row's name, a dash and a day, `2026-08-01` or `20260801`: a dated snapshot;
//! 3. for `ollama` and `openrouter`, one of these and then a colon and a tag: `qwen3:8b`, `google/gemini-3.8-flash:nitro`.
//!
//! The first of the three that finds a row decides, which is the longest name. Nothing else matches: `gpt-6-luna-pro` is not
//! `gpt-6-luna`, and a model without a row is one of which nothing is known.

mod address;
mod parse;
mod price;
#[cfg(test)]
mod tests;

use indexmap::IndexMap;
use jiff::civil::Date;

use crate::domain::ProviderKind;
use crate::text::yaml::Faults;
pub use price::{Price, Tier};

/// Tokens kept free for reasoning where a row says that a model reasons and not how much.
pub const DEFAULT_HEADROOM: u32 = 8_000;

/// What is known of one model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelCard {
    /// Tokens it reads at most; where `max_output` is not known, what it reads and writes together.
    pub context: Option<u64>,
    /// Tokens it writes at most, reasoning included.
    pub max_output: Option<u64>,
    /// What it costs.
    pub price: Option<Price>,
    /// Whether it takes a temperature, and how high.
    pub temperature: Sampling,
    /// Tokens it may need for reasoning on top of the answer; 0 for models that do not reason by default.
    pub reasoning_headroom: u32,
    /// For embedding models, and for them alone: dimensions of its vectors.
    pub dimensions: Option<usize>,
    /// The day from which its vendor serves it no more.
    pub ends: Option<Date>,
}

impl ModelCard {
    /// A model of which nothing is known.
    pub const UNKNOWN: Self = Self {
        context: None,
        max_output: None,
        price: None,
        temperature: Sampling::Unknown,
        reasoning_headroom: 0,
        dimensions: None,
        ends: None,
    };

    /// True for a model that embeds and does not chat.
    pub fn embeds(&self) -> bool {
        self.dimensions.is_some()
    }

    /// True while its vendor serves it, as far as is known.
    pub fn is_served_on(&self, day: Date) -> bool {
        self.ends.is_none_or(|ends| day < ends)
    }
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

/// Every row there is.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    /// By the name of a kind, or of a provider.
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
    /// The catalogue of a text in which every row, or its group, says its source and the day it was read.
    ///
    /// # Errors
    /// Every fault of the text, with its line.
    pub fn parse(text: &str) -> Result<Self, Faults> {
        Self::default().extended(text, true)
    }

    /// The same catalogue under the rows of a user's text: of two rows with one name in one group the user's is taken,
    /// whole. Sources are welcome and not needed.
    ///
    /// # Errors
    /// Every fault of the text, with its line.
    pub fn with_user_rows(self, text: &str) -> Result<Self, Faults> {
        self.extended(text, false)
    }

    /// What is known of a model of the provider `provider` of kind `kind`: its own rows before those of its kind.
    pub fn card(&self, kind: ProviderKind, provider: &str, model: &str) -> Option<&ModelCard> {
        self.groups_of(kind, provider).find_map(|group| find(&group.models, kind, model))
    }

    /// True when any group has a row of this model, named alone or with a provider in front.
    pub fn knows(&self, model: &str) -> bool {
        let alone = model.rsplit_once('/').map(|(_, name)| name);
        let names = [Some(model), alone];
        self.groups.iter().any(|(group, rows)| {
            let kind = ProviderKind::parse(group).unwrap_or(ProviderKind::OpenRouter);
            names.into_iter().flatten().any(|name| find(&rows.models, kind, name).is_some())
        })
    }

    /// The model a provider of this kind is asked where nobody names one.
    pub fn default_model(&self, kind: ProviderKind) -> Option<&str> {
        self.groups.get(kind.as_str())?.default.as_deref()
    }

    /// The model a provider of this kind embeds with where nobody names one.
    pub fn default_embedding_model(&self, kind: ProviderKind) -> Option<&str> {
        self.groups.get(kind.as_str())?.default_embedding.as_deref()
    }

    /// The models of a group, a kind's or a provider's, that chat and are served on `day`, in the order of the file.
    pub fn chat_models(&self, group: &str, day: Date) -> impl Iterator<Item = &str> {
        let rows = self.groups.get(group).into_iter().flat_map(|group| &group.models);
        rows.filter(move |(_, card)| !card.embeds() && card.is_served_on(day)).map(|(name, _)| name.as_str())
    }

    /// What a model costs: as its row says; nothing for `builtin`, and for an `ollama` on this machine or in its own
    /// network, unless it passes the model on to a cloud. A row of the kind counts at any address, since a gateway
    /// serves a vendor's model under its name; another price there is told by a row under the provider's name.
    ///
    /// The prices of a `sim` are in its script and not known here.
    pub fn price(&self, kind: ProviderKind, provider: &str, base_url: Option<&str>, model: &str) -> Option<Price> {
        let listed = self.card(kind, provider, model).and_then(|card| card.price);
        listed.or_else(|| address::costs_nothing(kind, base_url, model).then_some(Price::FREE))
    }

    /// Names over rows that are no kind's: each must be that of a provider for its rows to mean anything.
    pub fn provider_names(&self) -> impl Iterator<Item = &str> {
        self.groups.keys().map(String::as_str).filter(|name| ProviderKind::parse(name).is_none())
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.groups.values().map(|group| group.models.len()).sum()
    }

    /// True when there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The group of the provider's own name, then that of its kind. A kind's name always means the kind.
    fn groups_of(&self, kind: ProviderKind, provider: &str) -> impl Iterator<Item = &Group> {
        let own = if ProviderKind::parse(provider).is_none() { self.groups.get(provider) } else { None };
        own.into_iter().chain(self.groups.get(kind.as_str()))
    }
}

/// The row of a model, by the rule above.
fn find<'a>(rows: &'a IndexMap<String, ModelCard>, kind: ProviderKind, model: &str) -> Option<&'a ModelCard> {
    let name = model.strip_prefix("models/").unwrap_or(model);
    let dated = |name: &str| rows.get(name).or_else(|| without_day(name).and_then(|name| rows.get(name)));
    dated(name).or_else(|| {
        let has_tags = matches!(kind, ProviderKind::Ollama | ProviderKind::OpenRouter);
        let (untagged, _) = name.rsplit_once(':').filter(|_| has_tags)?;
        dated(untagged)
    })
}

/// The name before `-2026-08-01` or `-20260801`; `None` where no day stands at the end.
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
