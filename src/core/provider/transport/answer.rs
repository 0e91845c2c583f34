//! Folds the pieces read by a codec into the chunks of a stream and the final completion.
//!
//! Pure; time is an argument. The provider's token counts are used as they are. Missing ones are
//! estimated, marked as such and not priced unless the model is free. A cost reported by the
//! provider takes precedence over the catalogue's price.

use std::sync::Arc;

use tokio::time::Instant;

use super::super::wire::Piece;
use super::super::{ChatRequest, Chunk, Completion};
use crate::domain::TokenUsage;
use crate::ledger::BilledTokens;
use crate::text::tokens;

/// The cost of a model's usage in US dollars; `None` if its price is unknown.
pub type CostOf = Arc<dyn Fn(&str, &BilledTokens) -> Option<f64> + Send + Sync>;

/// An answer in progress.
#[derive(Debug)]
pub(super) struct AnswerBuilder {
    start: Instant,
    first_token: Option<Instant>,
    /// The name the provider reports; `None` until then.
    model: Option<String>,
    usage: BilledTokens,
    cost: Option<f64>,
    is_truncated: bool,
    text: String,
    thinking: String,
}

impl AnswerBuilder {
    /// An answer without content whose request goes out at `start`.
    pub(super) fn new(start: Instant) -> Self {
        Self {
            start,
            first_token: None,
            model: None,
            usage: BilledTokens::default(),
            cost: None,
            is_truncated: false,
            text: String::new(),
            thinking: String::new(),
        }
    }

    /// Takes pieces that arrived together and appends what they show to `chunks`, merging
    /// neighbours. Returns true once the answer is complete; later pieces are ignored.
    pub(super) fn take(&mut self, pieces: Vec<Piece>, now: Instant, chunks: &mut Vec<Chunk>) -> bool {
        for piece in pieces {
            match piece {
                Piece::Text(text) if text.is_empty() => {}
                Piece::Text(text) => {
                    self.first_token.get_or_insert(now);
                    self.text.push_str(&text);
                    match chunks.last_mut() {
                        Some(Chunk::Text(before)) => before.push_str(&text),
                        _ => chunks.push(Chunk::Text(text)),
                    }
                }
                Piece::Thinking(thinking) => {
                    self.thinking.push_str(&thinking);
                    match chunks.last_mut() {
                        Some(Chunk::Thinking(before)) => before.push_str(&thinking),
                        _ => chunks.push(Chunk::Thinking(thinking)),
                    }
                }
                Piece::Model(model) => self.model = Some(model),
                Piece::Usage(usage) => self.count(usage),
                Piece::Cost(dollars) => self.cost = Some(dollars),
                Piece::Truncated => self.is_truncated = true,
                Piece::End => return true,
            }
        }
        false
    }

    /// Newer counts replace older ones.
    fn count(&mut self, newer: BilledTokens) {
        self.usage = BilledTokens {
            input: newer.input.or(self.usage.input),
            cached_input: newer.cached_input.or(self.usage.cached_input),
            cache_write: newer.cache_write.or(self.usage.cache_write),
            output: newer.output.or(self.usage.output),
        };
    }

    /// The completion of an answer that ended at `now`.
    pub(super) fn complete(
        self,
        provider: &str,
        request: &ChatRequest,
        asked: &str,
        now: Instant,
        cost_of: &CostOf,
    ) -> Completion {
        let is_estimated = self.usage.input.is_none() || self.usage.output.is_none();
        let usage = TokenUsage {
            input_tokens: self
                .usage
                .input
                .unwrap_or_else(|| request.messages.iter().map(|message| tokens::estimate(&message.content)).sum()),
            output_tokens: self
                .usage
                .output
                .unwrap_or_else(|| tokens::estimate(&self.text) + tokens::estimate(&self.thinking)),
            estimated: is_estimated,
        };
        let answered = self.model.filter(|model| !model.is_empty()).unwrap_or_else(|| asked.to_owned());
        let counted = BilledTokens { input: Some(usage.input_tokens), output: Some(usage.output_tokens), ..self.usage };
        // A gateway can report a name of its own; the price is then that of the requested model.
        let listed = || cost_of(&answered, &counted).or_else(|| cost_of(asked, &counted));
        // Estimated counts have no price, unless the model is free.
        let listed = || listed().filter(|cost| !is_estimated || *cost <= 0.0);
        let cost_usd = self.cost.filter(|cost| cost.is_finite() && *cost >= 0.0).or_else(listed);
        Completion {
            provider: provider.to_owned(),
            model: answered,
            usage,
            cost_usd,
            latency: now - self.start,
            first_token: self.first_token.map(|first| first - self.start),
            retries: 0,
            fallback_from: None,
            truncated: self.is_truncated,
            cached: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::provider::sim::testing::request;

    fn text(text: &str) -> Piece {
        Piece::Text(text.to_owned())
    }

    fn of(pieces: Vec<Piece>, cost_of: &CostOf) -> (Vec<Chunk>, Completion) {
        let start = Instant::now();
        let mut answer = AnswerBuilder::new(start);
        let mut chunks = Vec::new();
        answer.take(pieces, start + Duration::from_millis(20), &mut chunks);
        let completion = answer.complete("acme", &request(0), "asked", start + Duration::from_millis(50), cost_of);
        (chunks, completion)
    }

    /// One dollar per token for the model `priced`.
    fn prices() -> CostOf {
        Arc::new(|model, usage| {
            (model == "priced").then(|| (usage.input.unwrap_or(0) + usage.output.unwrap_or(0)) as f64)
        })
    }

    fn counted(input: u64, output: u64) -> Piece {
        Piece::Usage(BilledTokens { input: Some(input), output: Some(output), ..BilledTokens::default() })
    }

    #[tokio::test]
    async fn neighbouring_texts_are_joined_and_the_first_one_stops_the_clock() {
        let thought = Piece::Thinking("hm".into());
        let (chunks, completion) = of(vec![thought, text("a"), text(""), text("b")], &prices());
        assert_eq!(chunks, [Chunk::Thinking("hm".into()), Chunk::Text("ab".into())]);
        assert_eq!(completion.first_token, Some(Duration::from_millis(20)));
        assert_eq!(completion.latency, Duration::from_millis(50));
    }

    #[tokio::test]
    async fn nothing_counts_after_the_end() {
        let start = Instant::now();
        let (mut answer, mut chunks) = (AnswerBuilder::new(start), Vec::new());
        assert!(!answer.take(vec![text("a")], start, &mut chunks));
        assert!(answer.take(vec![text("b"), Piece::End, text("c")], start, &mut chunks));
        assert_eq!(chunks, [Chunk::Text("ab".into())]);
    }

    #[tokio::test]
    async fn later_counts_replace_earlier_ones_and_missing_ones_leave_them() {
        let more = Piece::Usage(BilledTokens { output: Some(9), ..BilledTokens::default() });
        let (_, completion) = of(vec![counted(5, 1), more, text("a")], &prices());
        assert_eq!((completion.usage.input_tokens, completion.usage.output_tokens), (5, 9));
        assert!(!completion.usage.estimated);
    }

    #[tokio::test]
    async fn what_the_provider_does_not_count_is_estimated_and_not_priced() {
        let (_, completion) = of(vec![Piece::Model("priced".into()), text("three short words")], &prices());
        assert_eq!((completion.usage.output_tokens, completion.usage.estimated), (3, true));
        assert!(completion.usage.input_tokens > 0);
        assert_eq!(completion.cost_usd, None);
    }

    #[tokio::test]
    async fn the_providers_own_cost_goes_before_the_catalogue_and_the_answering_model_before_the_asked() {
        let priced = Piece::Model("priced".into());
        assert_eq!(of(vec![counted(2, 3), priced.clone()], &prices()).1.cost_usd, Some(5.0));
        assert_eq!(of(vec![counted(2, 3), priced.clone(), Piece::Cost(0.25)], &prices()).1.cost_usd, Some(0.25));
        assert_eq!(of(vec![counted(2, 3), priced, Piece::Cost(f64::NAN)], &prices()).1.cost_usd, Some(5.0));
        let asked: CostOf = Arc::new(|model, _| (model == "asked").then_some(7.0));
        let (_, completion) = of(vec![counted(2, 3), Piece::Model("alias".into())], &asked);
        assert_eq!((completion.cost_usd, completion.model.as_str()), (Some(7.0), "alias"));
        assert_eq!(of(vec![counted(2, 3)], &prices()).1.cost_usd, None);
    }
}
