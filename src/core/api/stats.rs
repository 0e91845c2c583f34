//! Requests to measure what is stored: `stats` for all of it, `metrics` for some prompts in depth.

use super::field::{Field, Kind};
use super::filter::{Filters, MODEL, PERSONA, PHASE, PROVIDER, SINCE, TAGS, UNTIL};
use super::{Decoded, PromptKey, Request};
use crate::domain::{StatsBy, limits};
use crate::error::Fault;

/// Asks for the totals of what is stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatsRequest {
    /// The groupings; [`StatsBy::USUAL`] by default.
    pub by: Option<Vec<StatsBy>>,
    /// Most rows per group. Defaults: [`limits::DEFAULT_LIMIT`]; days, [`limits::DEFAULT_DAYS`].
    pub limit: Option<u32>,
    /// Of which prompts.
    pub filters: Filters,
}

impl Request for StatsRequest {
    const FIELDS: &'static [Field] = &[
        Field::new(
            "by",
            Kind::Choices(&["day", "phase", "provider", "model", "persona", "tag"]),
            "What totals are grouped by, one or several; day, phase, provider and model by default.",
        ),
        Field::new(
            "limit",
            Kind::Integer { min: 1, max: limits::MAX_LIMIT },
            "Maximum rows of each group, 1 to 1000; 10 by default, 30 for days.",
        ),
        PHASE,
        PROVIDER,
        MODEL,
        PERSONA,
        TAGS,
        SINCE,
        UNTIL,
    ];

    fn from_decoded(mut values: Decoded) -> Self {
        let by = values.texts("by");
        Self {
            by: by.map(|names| names.iter().filter_map(|name| StatsBy::parse(name)).collect()),
            limit: values.count("limit"),
            filters: Filters::from_decoded(&mut values),
        }
    }
}

/// Asks for the metrics of these prompts, or of the newest that pass the filters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MetricsRequest {
    /// Which prompts; none: those that pass the filters.
    pub prompt_ids: Vec<PromptKey>,
    /// Most prompts to measure; [`limits::DEFAULT_MEASURED`] by default.
    pub limit: Option<u32>,
    /// Of which prompts.
    pub filters: Filters,
}

impl Request for MetricsRequest {
    const FIELDS: &'static [Field] = &[
        Field::new(
            "prompt_ids",
            Kind::PromptKeys { min: 1, max: limits::MAX_PROMPT_IDS },
            "The prompts to measure, by id; without any, the newest that pass the filters.",
        ),
        Field::new(
            "limit",
            Kind::Integer { min: 1, max: limits::MAX_LIMIT },
            "Maximum prompts to measure, newest first, 1 to 1000; 100 by default.",
        ),
        PHASE,
        PROVIDER,
        MODEL,
        PERSONA,
        TAGS,
        SINCE,
        UNTIL,
    ];

    fn from_decoded(mut values: Decoded) -> Self {
        Self {
            prompt_ids: values.keys("prompt_ids").unwrap_or_default(),
            limit: values.count("limit"),
            filters: Filters::from_decoded(&mut values),
        }
    }

    fn cross_check(&self) -> Vec<Fault> {
        if !self.prompt_ids.is_empty() && (self.filters != Filters::default() || self.limit.is_some()) {
            return vec![Fault::new(
                "prompt_ids",
                "cannot be given together with filters or a limit: name prompts, or say which to choose",
            )];
        }
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::api::{Known, decode};
    use crate::error::Error;

    fn stats(raw: Value) -> Result<StatsRequest, Error> {
        decode(raw, &Known::default())
    }

    fn fields(error: &Error) -> Vec<&str> {
        error.faults().iter().map(|fault| fault.field.as_str()).collect()
    }

    #[test]
    fn every_key_can_be_asked_for() {
        let Kind::Choices(words) = StatsRequest::FIELDS[0].kind else { panic!("it is no choice") };
        assert_eq!(words, StatsBy::ALL.map(StatsBy::as_str));
        assert_eq!(stats(json!({ "by": words })).unwrap().by, Some(StatsBy::ALL.to_vec()));
        assert_eq!(stats(json!({})).unwrap().by, None);
    }

    #[test]
    fn every_wrong_key_is_named() {
        let error = stats(json!({ "by": ["day", "colour", "day"], "limit": 0 })).unwrap_err();
        assert_eq!(fields(&error), ["by[1]", "by[2]", "limit"]);
        assert!(error.to_string().contains("day, phase, provider, model, persona, tag"), "{error}");
        assert_eq!(fields(&stats(json!({ "by": [] })).unwrap_err()), ["by"]);
    }

    #[test]
    fn prompts_are_named_or_chosen_but_not_both() {
        let metrics = |raw| decode::<MetricsRequest>(raw, &Known::default());
        assert!(metrics(json!({})).unwrap().prompt_ids.is_empty());
        assert_eq!(metrics(json!({ "prompt_ids": ["@last"] })).unwrap().prompt_ids, [PromptKey::Last]);
        for more in [json!({ "limit": 5 }), json!({ "tags": ["a"] }), json!({ "since": "7d" })] {
            let mut raw = more;
            raw["prompt_ids"] = json!(["@last"]);
            assert_eq!(fields(&metrics(raw).unwrap_err()), ["prompt_ids"]);
        }
    }
}
