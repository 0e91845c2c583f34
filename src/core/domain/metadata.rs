//! What model calls took in tokens, money and time. Measured at the provider boundary, then summed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tokens of one call. `estimated` says that the counts are ours, not the provider's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Tokens of the request.
    pub input_tokens: u64,
    /// Tokens of the answer, reasoning included where the provider bills it.
    pub output_tokens: u64,
    /// True when the provider gave no counts and these are our estimate.
    pub estimated: bool,
}

/// Tokens, cost and latency of one call, or of several added up. Part of every prompt, step and
/// result.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ModelMetadata {
    /// Name of the provider in the configuration; several distinct ones are joined by a comma.
    pub provider: String,
    /// The model that answered; several distinct ones are joined by a comma.
    pub model: String,
    /// Tokens sent.
    pub input_tokens: u64,
    /// Tokens received.
    pub output_tokens: u64,
    /// Input and output tokens together.
    pub total_tokens: u64,
    /// US dollars; null if any price in it is unknown, never a guess.
    pub cost_usd: Option<f64>,
    /// Upper bound in US dollars if calls were cut off before their cost was known and may be
    /// billed; absent if `cost_usd` is complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_usd: Option<f64>,
    /// Milliseconds from request to last token; for an aggregate, the sum of its parts.
    pub latency_ms: u64,
    /// Milliseconds from request to first token; null for an aggregate of several calls.
    pub first_token_ms: Option<u64>,
    /// Calls made, not counting retries.
    pub calls: u32,
    /// Calls repeated after a failure.
    pub retries: u32,
    /// True if every answer in it came from the cache.
    pub cached: bool,
    /// The provider asked first, if a fallback answered.
    pub fallback_from: Option<String>,
    /// True if any token count in it is an estimate.
    pub estimated: bool,
    /// The provider of the embeddings made along the way, if any.
    pub embedding_provider: Option<String>,
    /// The model of the embeddings made along the way, if any.
    pub embedding_model: Option<String>,
}

impl ModelMetadata {
    /// Adds up several accounts. One unknown price makes the sum unknown.
    ///
    /// The sum of no accounts is zero calls that cost nothing.
    pub fn sum<'a>(parts: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut parts = parts.into_iter().peekable();
        let Some(first) = parts.next() else {
            return Self { cost_usd: Some(0.0), ..Self::default() };
        };
        if parts.peek().is_none() {
            return first.clone();
        }
        let mut total = first.clone();
        total.first_token_ms = None;
        for part in parts {
            join_distinct(&mut total.provider, &part.provider);
            join_distinct(&mut total.model, &part.model);
            total.input_tokens += part.input_tokens;
            total.output_tokens += part.output_tokens;
            total.total_tokens += part.total_tokens;
            total.most_usd = total.most_with(part);
            total.cost_usd = total.cost_usd.zip(part.cost_usd).map(|(a, b)| a + b);
            total.latency_ms += part.latency_ms;
            total.calls += part.calls;
            total.retries += part.retries;
            total.cached &= part.cached;
            total.estimated |= part.estimated;
            total.fallback_from = total.fallback_from.or_else(|| part.fallback_from.clone());
            total.embedding_provider = total.embedding_provider.or_else(|| part.embedding_provider.clone());
            total.embedding_model = total.embedding_model.or_else(|| part.embedding_model.clone());
        }
        total
    }

    /// True when the calls in it may have been paid for.
    pub fn may_have_cost(&self) -> bool {
        self.most_usd.or(self.cost_usd) != Some(0.0)
    }

    /// The most that both together may have cost; `None` when neither has an open upper bound.
    fn most_with(&self, other: &Self) -> Option<f64> {
        self.most_usd.or(other.most_usd)?;
        let most = |account: &Self| account.most_usd.or(account.cost_usd);
        most(self).zip(most(other)).map(|(a, b)| a + b)
    }
}

/// Appends `name` to the comma-joined `list` unless it is empty or already there.
fn join_distinct(list: &mut String, name: &str) {
    if name.is_empty() || list.split(", ").any(|known| known == name) {
        return;
    }
    if !list.is_empty() {
        list.push_str(", ");
    }
    list.push_str(name);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(provider: &str, cost_usd: Option<f64>) -> ModelMetadata {
        ModelMetadata {
            provider: provider.into(),
            model: "m".into(),
            input_tokens: 2,
            output_tokens: 3,
            total_tokens: 5,
            cost_usd,
            latency_ms: 7,
            first_token_ms: Some(1),
            calls: 1,
            ..ModelMetadata::default()
        }
    }

    #[test]
    fn sums_add_up_and_join_distinct_names() {
        let sum = ModelMetadata::sum([&call("a", Some(0.5)), &call("b", Some(0.25)), &call("a", Some(0.0))]);
        assert_eq!((sum.provider.as_str(), sum.model.as_str()), ("a, b", "m"));
        assert_eq!((sum.total_tokens, sum.calls, sum.latency_ms), (15, 3, 21));
        assert_eq!(sum.cost_usd, Some(0.75));
        assert_eq!(sum.first_token_ms, None);
    }

    #[test]
    fn one_unknown_price_makes_the_sum_unknown() {
        assert_eq!(ModelMetadata::sum([&call("a", Some(0.5)), &call("a", None)]).cost_usd, None);
    }

    #[test]
    fn what_may_have_been_paid_stays_in_a_sum() {
        let cut_off = ModelMetadata { most_usd: Some(0.75), ..call("a", Some(0.5)) };
        let sum = ModelMetadata::sum([&call("a", Some(0.25)), &cut_off]);
        assert_eq!((sum.cost_usd, sum.most_usd), (Some(0.75), Some(1.0)));
        assert_eq!(ModelMetadata::sum([&cut_off, &call("a", None)]).most_usd, None, "nobody knows");
        assert_eq!(ModelMetadata::sum([&call("a", Some(0.5)), &call("a", Some(0.5))]).most_usd, None);
    }

    #[test]
    fn nothing_costs_nothing() {
        let sum = ModelMetadata::sum([]);
        assert_eq!((sum.calls, sum.cost_usd), (0, Some(0.0)));
    }
}
