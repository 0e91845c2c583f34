//! Token prices: what a call cost, and the most it can cost.
//!
//! Costs are in US dollars; the ledger rounds them up to whole billionths.

/// Token counts, with the same meaning for all vendors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BilledTokens {
    /// All input tokens, cached ones included.
    pub input: Option<u64>,
    /// Of these, read from the provider's cache.
    pub cached_input: Option<u64>,
    /// Of these, written to the provider's cache.
    pub cache_write: Option<u64>,
    /// All tokens billed as output, reasoning included.
    pub output: Option<u64>,
}

/// US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// Tokens sent.
    pub input: f64,
    /// Tokens received, reasoning included.
    pub output: f64,
    /// Tokens read from the provider's cache; the full price without a discount.
    pub cached_input: f64,
    /// Tokens written to the provider's cache; the full price without a surcharge.
    pub cache_write: f64,
    /// The tier of requests with more input tokens than this.
    pub above: Option<(u64, Tier)>,
}

/// The price of all tokens of a long request, in US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tier {
    /// Tokens sent.
    pub input: f64,
    /// Tokens received, reasoning included.
    pub output: f64,
    /// Tokens read from the provider's cache.
    pub cached_input: f64,
    /// Tokens written to the provider's cache.
    pub cache_write: f64,
}

/// An upper bound on the rounding error of a handful of operations.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

impl Price {
    /// Costs nothing.
    pub const FREE: Self = Self { input: 0.0, output: 0.0, cached_input: 0.0, cache_write: 0.0, above: None };

    /// The cost of a call in US dollars. Tokens without a count cost nothing. Cached and newly
    /// cached tokens are part of the input and never exceed it.
    pub fn cost(&self, usage: &BilledTokens) -> f64 {
        let input = usage.input.unwrap_or(0);
        let cached = usage.cached_input.unwrap_or(0).min(input);
        let written = usage.cache_write.unwrap_or(0).min(input - cached);
        let plain = input - cached - written;
        let rate = self.rate(input);
        let parts = [
            (plain, rate.input),
            (cached, rate.cached_input),
            (written, rate.cache_write),
            (usage.output.unwrap_or(0), rate.output),
        ];
        parts.iter().map(|(tokens, dollars)| *tokens as f64 * dollars).sum::<f64>() / 1e6
    }

    /// The most a call with at most this many tokens can cost, in US dollars: each token at the
    /// highest price that can apply. Never below [`Price::cost`] of such a call, rounding included.
    pub fn most(&self, input_tokens: u64, output_tokens: u64) -> f64 {
        let (base, long) = (self.rate(0), self.rate(input_tokens));
        let dearest = |tier: Tier| tier.input.max(tier.cached_input).max(tier.cache_write);
        let input = input_tokens as f64 * dearest(base).max(dearest(long));
        let output = output_tokens as f64 * base.output.max(long.output);
        (input + output) / 1e6 * (1.0 + ROUNDING)
    }

    /// The price of a request with this much input.
    fn rate(&self, input_tokens: u64) -> Tier {
        match self.above {
            Some((tokens, tier)) if input_tokens > tokens => tier,
            _ => Tier {
                input: self.input,
                output: self.output,
                cached_input: self.cached_input,
                cache_write: self.cache_write,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LUNA: Price = Price {
        input: 0.1,
        output: 0.5,
        cached_input: 0.01,
        cache_write: 0.125,
        above: Some((272_000, Tier { input: 0.2, output: 0.75, cached_input: 0.02, cache_write: 0.25 })),
    };

    fn usage(input: u64, cached: u64, written: u64, output: u64) -> BilledTokens {
        BilledTokens {
            input: Some(input),
            cached_input: Some(cached),
            cache_write: Some(written),
            output: Some(output),
        }
    }

    fn close(left: f64, right: f64) -> bool {
        (left - right).abs() <= right.abs() * 1e-12
    }

    #[test]
    fn cached_and_newly_cached_tokens_have_their_own_price() {
        assert!(close(LUNA.cost(&usage(1_000_000 / 4, 0, 0, 0)), 0.025));
        assert!(close(LUNA.cost(&usage(100_000, 60_000, 30_000, 1_000)), (1_000.0 + 600.0 + 3_750.0 + 500.0) / 1e6));
    }

    #[test]
    fn a_long_request_pays_the_other_price_for_all_of_it() {
        assert!(close(LUNA.cost(&usage(272_000, 0, 0, 10)), (27_200.0 + 5.0) / 1e6));
        assert!(close(LUNA.cost(&usage(272_001, 0, 0, 10)), (54_400.2 + 7.5) / 1e6));
    }

    #[test]
    fn counts_that_are_missing_or_absurd_are_no_reason_to_pay_more_than_the_input() {
        assert!(close(LUNA.cost(&BilledTokens::default()) + 1.0, 1.0));
        assert!(close(LUNA.cost(&usage(10, 100, 100, 0)), 10.0 * 0.01 / 1e6));
    }

    #[test]
    fn the_most_is_the_dearest_price_that_may_apply() {
        assert!(close(LUNA.most(1_000, 100), (125.0 + 50.0) / 1e6));
        assert!(close(LUNA.most(300_000, 100), (75_000.0 + 75.0) / 1e6));
        let cheaper_when_long = Price { above: Some((10, Tier { output: 0.1, ..LUNA.rate(0) })), ..LUNA };
        assert!(close(cheaper_when_long.most(11, 100), (11.0 * 0.125 + 50.0) / 1e6));
    }

    fn dollars() -> impl Strategy<Value = f64> {
        prop_oneof![Just(0.0), 0.0..200.0_f64]
    }

    prop_compose! {
        fn tier()(input in dollars(), output in dollars(), cached_input in dollars(), cache_write in dollars()) -> Tier {
            Tier { input, output, cached_input, cache_write }
        }
    }

    prop_compose! {
        fn price()(base in tier(), above in proptest::option::of((1..2_000_000_u64, tier()))) -> Price {
            let Tier { input, output, cached_input, cache_write } = base;
            Price { input, output, cached_input, cache_write, above }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn no_call_costs_more_than_the_most(
            price in price(),
            most_input in 0..3_000_000_u64,
            most_output in 0..1_000_000_u64,
            parts in (0.0..=1.0_f64, 0..3_000_000_u64, 0..3_000_000_u64, 0.0..=1.0_f64),
        ) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a count")]
            let part = |of: u64, share: f64| (of as f64 * share) as u64;
            let usage = usage(part(most_input, parts.0), parts.1, parts.2, part(most_output, parts.3));
            prop_assert!(price.cost(&usage) <= price.most(most_input, most_output));
            prop_assert!(price.cost(&usage) >= 0.0);
        }
    }
}
