//! The request to generate prompts.

use serde::{Deserialize, Serialize};

use super::bounds::{ASSUME_PRICE, BUDGET_USD, MAX_CALLS, NO_CACHE, TIMEOUT_S};
use super::field::{Field, Kind};
use super::{Decoded, Request, VariantOf};
use crate::domain::{Phase, limits};

/// Asks for variants of a prompt. `None` means the configuration's default. A job stores it in this
/// form, under the names of the fields.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GenerateRequest {
    /// The user's request, verbatim; 1..=100,000 characters, not blank.
    pub input: String,
    /// How many variants, 1..=100.
    pub count: Option<u32>,
    /// Distinct phases, in the order they run.
    pub phases: Option<Vec<Phase>>,
    /// The persona's name.
    pub persona: Option<String>,
    /// Uses this provider, or `provider/model`, for every phase.
    pub provider: Option<String>,
    /// 0..=2.
    pub temperature: Option<f64>,
    /// 1..=1,000,000, for each phase.
    pub max_tokens: Option<u32>,
    /// Labels of the stored prompts.
    pub tags: Vec<String>,
    /// Background texts, at most 32.
    pub context: Vec<String>,
    /// Has the judge choose among the finished variants.
    pub auto_select: bool,
    /// False: nothing is stored.
    pub save: bool,
    /// The model the finished prompt is for; changes its form.
    pub target_model: Option<String>,
    /// Time for the whole run, in seconds. What is finished by then is kept.
    pub timeout_s: Option<f64>,
    /// US dollars that the run can cost; above 0.
    pub budget_usd: Option<f64>,
    /// Calls to models that the run can make, including retries; 1..=1,000,000.
    pub max_calls: Option<u64>,
    /// US dollars for a million tokens of a model whose price is unknown, sent and received alike.
    pub assume_price: Option<f64>,
    /// True: answers are neither read from nor written to the cache, the judge's included.
    pub no_cache: bool,
    /// Set for further variants of a stored prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant_of: Option<VariantOf>,
}

pub(super) const INPUT: Field = Field::new(
    "input",
    Kind::Text { min: 1, max: limits::TEXT_CHARS },
    "The request to turn into a prompt, in any language; 1 to 100,000 characters.",
);
pub(super) const COUNT: Field =
    Field::new("count", Kind::Integer { min: 1, max: limits::MAX_COUNT }, "How many variants; 3 unless configured.");
pub(super) const PERSONA: Field = Field::new(
    "persona",
    Kind::Persona,
    "Who the prompt is written for: code, writing, analysis, generic or one of yours.",
);
pub(super) const PROVIDER: Field =
    Field::new("provider", Kind::Provider, "Use this provider in every phase, as `name` or `name/model`.");
pub(super) const TEMPERATURE: Field = Field::new(
    "temperature",
    Kind::Number { min: 0.0, max: limits::MAX_TEMPERATURE },
    "Sampling temperature, 0 to 2; 0.7 unless configured. Sent only to models that support it.",
);
pub(super) const TAGS: Field = Field::new("tags", Kind::Tags, "Labels for the stored prompts; at most 32, no commas.");
pub(super) const AUTO_SELECT: Field =
    Field::new("auto_select", Kind::Boolean, "Let the judge choose the best variant; false by default.");
pub(super) const TARGET_MODEL: Field = Field::new(
    "target_model",
    Kind::Name { min: 1 },
    "The model the finished prompt is for, such as claude-sonnet-5-5; it determines the prompt's form.",
);

impl Request for GenerateRequest {
    const FIELDS: &'static [Field] = &[
        INPUT.required(),
        COUNT,
        Field::new("phases", Kind::Phases, "The phases to run, in this order; all three by default."),
        PERSONA,
        PROVIDER,
        TEMPERATURE,
        Field::new(
            "max_tokens",
            Kind::Integer { min: 1, max: limits::MAX_TOKENS },
            "Maximum tokens of each phase's answer; 2000 unless configured.",
        ),
        TAGS,
        Field::new(
            "context",
            Kind::Texts { items: limits::MAX_CONTEXTS, max: limits::TEXT_CHARS },
            "Background texts the prompts should take into account; at most 32.",
        ),
        AUTO_SELECT,
        Field::new("save", Kind::Boolean, "Store the prompts; true by default."),
        TARGET_MODEL,
        TIMEOUT_S,
        BUDGET_USD,
        MAX_CALLS,
        ASSUME_PRICE,
        NO_CACHE,
    ];

    fn from_decoded(mut values: Decoded) -> Self {
        Self {
            input: values.text("input").unwrap_or_default(),
            count: values.count("count"),
            phases: values.phases("phases"),
            persona: values.text("persona"),
            provider: values.text("provider"),
            temperature: values.number("temperature"),
            max_tokens: values.count("max_tokens"),
            tags: values.texts("tags").unwrap_or_default(),
            context: values.texts("context").unwrap_or_default(),
            auto_select: values.boolean("auto_select").unwrap_or(false),
            save: values.boolean("save").unwrap_or(true),
            target_model: values.text("target_model"),
            timeout_s: values.number("timeout_s"),
            budget_usd: values.number("budget_usd"),
            max_calls: values.integer("max_calls"),
            assume_price: values.number("assume_price"),
            no_cache: values.boolean("no_cache").unwrap_or(false),
            variant_of: None,
        }
    }
}
