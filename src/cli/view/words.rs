//! Numbers, times and paths for people.

use std::fmt::{Display, Write};

use aludel_core::domain::{ModelMetadata, Timestamp};
use aludel_core::text::shown::escape;

pub(crate) use crate::figures::{span, thousands};

/// `1 prompt`, `3 prompts`.
pub(crate) fn count_of(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// US dollars: `free`, `$0.0042`, `$12.30`, or `cost unknown`.
pub(crate) fn money(cost_usd: Option<f64>) -> String {
    match cost_usd {
        None => "cost unknown".into(),
        Some(cost) if cost <= 0.0 => "free".into(),
        Some(cost) if cost < 0.0001 => "under $0.0001".into(),
        Some(cost) if cost < 1.0 => format!("${cost:.4}"),
        Some(cost) => format!("${cost:.2}"),
    }
}

/// As [`money`], or `at most $0.1100` if some calls ended before their cost was known.
pub(crate) fn spent(account: &ModelMetadata) -> String {
    account.most_usd.map_or_else(|| money(account.cost_usd), |most| format!("at most {}", money(Some(most))))
}

/// US dollars of several accounts, some of which can be unknown: `$1.25 + unknown`.
pub(crate) fn cost(cost_usd: Option<f64>, known_cost_usd: f64) -> String {
    match (cost_usd, known_cost_usd > 0.0) {
        (Some(_), _) => money(cost_usd),
        (None, true) => format!("{} + unknown", money(Some(known_cost_usd))),
        (None, false) => "unknown".to_owned(),
    }
}

/// An age: `now`, `5 min ago`, `3 h ago`, `2 d ago`, and the date after a month.
pub(crate) fn ago(now: Timestamp, then: Timestamp) -> String {
    match now.as_second() - then.as_second() {
        ..60 => "now".into(),
        seconds @ 60..3600 => format!("{} min ago", seconds / 60),
        seconds @ 3600..86_400 => format!("{} h ago", seconds / 3600),
        seconds @ 86_400..2_678_400 => format!("{} d ago", seconds / 86_400),
        _ => then.to_string().chars().take(10).collect(),
    }
}

/// The text on one line: white space becomes single spaces, hidden characters are escaped.
pub(crate) fn one_line(text: &str) -> String {
    escape(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}

/// The items, one per line.
pub(crate) fn lines<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().fold(String::new(), |mut text, item| {
        // Writing to memory cannot fail.
        let _ = writeln!(text, "{item}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([count_of(1, "call"), count_of(0, "call")], ["1 call", "0 calls"]);
        assert_eq!([span(12), span(1450), span(125_000)], ["12 ms", "1.4 s", "2 min 5 s"]);
        assert_eq!(
            [money(None), money(Some(0.0)), money(Some(0.004_21)), money(Some(12.3)), money(Some(0.000_01))],
            ["cost unknown", "free", "$0.0042", "$12.30", "under $0.0001"]
        );
    }

    #[test]
    fn ages_grow_coarser() {
        let now: Timestamp = "2026-11-21T12:00:00Z".parse().unwrap();
        let before = |text: &str| ago(now, text.parse().unwrap());
        assert_eq!(before("2026-11-21T11:59:30Z"), "now");
        assert_eq!(before("2026-11-21T11:15:00Z"), "45 min ago");
        assert_eq!(before("2026-11-21T02:00:00Z"), "10 h ago");
        assert_eq!(before("2026-11-01T02:00:00Z"), "20 d ago");
        assert_eq!(before("2025-11-01T02:00:00Z"), "2025-11-01");
        assert_eq!(before("2026-11-21T12:00:05Z"), "now");
    }
}
