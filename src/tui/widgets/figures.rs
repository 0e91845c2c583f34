//! Numbers for people: tokens, money, seconds, speed.
//!
//! A `~` marks an estimate of ours; without it, the provider counted.

use std::collections::VecDeque;

use aludel_core::domain::{ModelMetadata, Timestamp};

pub(crate) use crate::figures::{interval, thousands};

/// `1,204 tok`, or `~82 tok` for an estimate.
pub(crate) fn tokens(count: u64, estimated: bool) -> String {
    format!("{}{} tok", if estimated { "~" } else { "" }, thousands(count))
}

/// `$0.0143`; `$?` if a price is unknown; `free` for nothing.
pub(crate) fn dollars(cost: Option<f64>) -> String {
    match cost {
        None => "$?".to_owned(),
        Some(0.0) => "free".to_owned(),
        Some(cost) if cost < 0.0001 => "<$0.0001".to_owned(),
        Some(cost) if cost < 1.0 => format!("${cost:.4}"),
        Some(cost) => format!("${cost:.2}"),
    }
}

/// As [`dollars`], or `at most $0.1100` if some calls ended before their cost was known.
pub(crate) fn cost(account: &ModelMetadata) -> String {
    account.most_usd.map_or_else(|| dollars(account.cost_usd), |most| format!("at most {}", dollars(Some(most))))
}

/// `240ms`, `12.4s`, `3m05s`.
pub(crate) fn duration(milliseconds: u64) -> String {
    match milliseconds {
        0..1_000 => format!("{milliseconds}ms"),
        1_000..60_000 => format!("{}.{}s", milliseconds / 1_000, milliseconds % 1_000 / 100),
        _ => format!("{}m{:02}s", milliseconds / 60_000, milliseconds % 60_000 / 1_000),
    }
}

/// The age of something: `now`, `5 min`, `3 h`, `2 d`, and the date after a month.
pub(crate) fn age(then: Timestamp, now: Timestamp) -> String {
    match now.as_second() - then.as_second() {
        ..60 => "now".to_owned(),
        seconds @ 60..3_600 => format!("{} min", seconds / 60),
        seconds @ 3_600..86_400 => format!("{} h", seconds / 3_600),
        seconds @ 86_400..2_678_400 => format!("{} d", seconds / 86_400),
        _ => then.to_string().chars().take(10).collect(),
    }
}

/// `provider/model`, or the provider alone before its model is known.
pub(crate) fn writer(provider: &str, model: &str) -> String {
    let slash = if model.is_empty() { "" } else { "/" };
    format!("{provider}{slash}{model}")
}

/// A score, `0.87`.
pub(crate) fn score(score: f64) -> String {
    format!("{score:.2}")
}

/// The letter of a variant: A to Z, then AA, AB and so on.
pub(crate) fn letter(variant: u32) -> String {
    let mut rest = variant;
    let mut letters = Vec::new();
    loop {
        letters.push(char::from(b'A' + u8::try_from(rest % 26).unwrap_or(0)));
        if rest < 26 {
            break;
        }
        rest = rest / 26 - 1;
    }
    letters.iter().rev().collect()
}

/// A bar of `width` columns filled to `share`, 0..=1: the filled part and the rest.
pub(crate) fn bar(share: f64, width: usize) -> (String, String) {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0..=2 × width before")]
    let halves = (share.clamp(0.0, 1.0) * 2.0 * width as f64).round() as usize;
    let mut full = "━".repeat(halves / 2);
    if !halves.is_multiple_of(2) {
        full.push('╸');
    }
    (full, "─".repeat(width - halves.div_ceil(2)))
}

/// Tokens per second over the last second.
#[derive(Debug, Clone, Default)]
pub(crate) struct Speed {
    samples: VecDeque<(u64, u64)>,
}

impl Speed {
    const WINDOW_MS: u64 = 1_000;

    /// Records that `tokens` arrived at `now`, in milliseconds.
    pub(crate) fn note(&mut self, now: u64, tokens: u64) {
        match self.samples.back_mut() {
            Some((at, sum)) if *at == now => *sum += tokens,
            _ => self.samples.push_back((now, tokens)),
        }
        self.forget(now);
    }

    /// The speed at `now` for text that began at `since`, both in milliseconds.
    pub(crate) fn per_second(&mut self, now: u64, since: u64) -> u64 {
        self.forget(now);
        let tokens: u64 = self.samples.iter().map(|(_, tokens)| tokens).sum();
        tokens * 1_000 / now.saturating_sub(since).clamp(100, Self::WINDOW_MS)
    }

    fn forget(&mut self, now: u64) {
        while self.samples.front().is_some_and(|(at, _)| at + Self::WINDOW_MS <= now) {
            self.samples.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_people_write_them() {
        assert_eq!((tokens(82, true), tokens(1_204, false)), ("~82 tok".into(), "1,204 tok".into()));
        assert_eq!(
            [dollars(None), dollars(Some(0.0)), dollars(Some(0.0143)), dollars(Some(0.00001))],
            ["$?", "free", "$0.0143", "<$0.0001"]
        );
        assert_eq!([duration(240), duration(12_449), duration(185_000)], ["240ms", "12.4s", "3m05s"]);
    }

    #[test]
    fn what_may_have_been_paid_is_told_as_the_most() {
        let cut_off = ModelMetadata { cost_usd: Some(0.0), most_usd: Some(0.11), ..ModelMetadata::default() };
        assert_eq!(cost(&cut_off), "at most $0.1100");
        assert_eq!(cost(&ModelMetadata { most_usd: None, ..cut_off }), "free");
    }

    #[test]
    fn ages_grow_coarser() {
        let then = aludel_core::time::from_millis(0);
        let after = |seconds: i64| age(then, aludel_core::time::from_millis(seconds * 1_000));
        let ages = [after(-5), after(59), after(60), after(7_300), after(200_000), after(9_999_999)];
        assert_eq!(ages, ["now", "now", "1 min", "2 h", "2 d", "1970-01-01"]);
    }

    #[test]
    fn a_provider_stands_alone_before_its_model_is_known() {
        assert_eq!([writer("openai", "small-1"), writer("openai", "")], ["openai/small-1", "openai"]);
    }

    #[test]
    fn letters_go_on_after_z() {
        assert_eq!([0, 2, 25, 26, 27, 99].map(letter), ["A", "C", "Z", "AA", "AB", "CV"]);
    }

    #[test]
    fn bars_fill_in_halves_of_a_column() {
        let drawn = [0.0, 0.5, 0.6, 1.0, 7.0].map(|share| bar(share, 4)).map(|(full, rest)| full + "|" + &rest);
        assert_eq!(drawn, ["|────", "━━|──", "━━╸|─", "━━━━|", "━━━━|"]);
    }

    #[test]
    fn speed_is_that_of_the_last_second() {
        let mut speed = Speed::default();
        for tenth in 0..20 {
            speed.note(tenth * 100, 6);
        }
        assert_eq!(speed.per_second(1_999, 0), 60);
        assert_eq!(speed.per_second(5_000, 0), 0);
    }

    #[test]
    fn speed_of_a_beginning_counts_from_its_beginning() {
        let mut speed = Speed::default();
        speed.note(500, 30);
        assert_eq!(speed.per_second(500, 0), 60);
    }
}
