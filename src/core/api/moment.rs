//! A moment as users write it: RFC 3339, a date (UTC), or an age such as `7d` or `12h`.

use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::domain::Timestamp;

/// A moment that is not fixed yet: an age is relative to the current time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// An exact moment.
    At(Timestamp),
    /// A whole day, UTC.
    Day(Date),
    /// This many seconds ago.
    Ago(i64),
}

const SECONDS_A_DAY: i64 = 86_400;

/// Most digits of the number of an age.
const AGE_DIGITS: usize = 9;

impl Moment {
    /// Parses what a user wrote.
    ///
    /// # Errors
    /// A sentence that shows the three forms.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if let Some(seconds) = parse_age(text) {
            return Ok(Self::Ago(seconds));
        }
        if let Ok(moment) = text.parse::<Timestamp>() {
            return Ok(Self::At(moment));
        }
        if text.len() == 10
            && let Ok(day) = text.parse::<Date>()
        {
            return Ok(Self::Day(day));
        }
        let shown: String = text.chars().take(40).collect();
        Err(format!(
            "`{shown}` is not a date or time: write a date (2026-11-21), a time (2026-11-21T08:30:00Z) or an age (7d, 12h, 30m)"
        ))
    }

    /// The first moment included by `since` this one.
    pub fn as_since(self, now: Timestamp) -> Timestamp {
        match self {
            Self::At(moment) => moment,
            Self::Day(day) => start_of(day),
            Self::Ago(seconds) => ago(now, seconds),
        }
    }

    /// The first moment excluded by `until` this one: a day counts whole.
    pub fn as_until(self, now: Timestamp) -> Timestamp {
        match self {
            Self::At(moment) => next_milli(moment),
            Self::Day(day) => day.tomorrow().map_or(Timestamp::MAX, start_of),
            Self::Ago(seconds) => next_milli(ago(now, seconds)),
        }
    }
}

fn parse_age(text: &str) -> Option<i64> {
    let unit = text.chars().next_back()?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => SECONDS_A_DAY,
        'w' => 7 * SECONDS_A_DAY,
        _ => return None,
    };
    let digits = &text[..text.len() - 1];
    if digits.len() > AGE_DIGITS || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse::<i64>().ok()?.checked_mul(seconds)
}

fn start_of(day: Date) -> Timestamp {
    day.to_zoned(TimeZone::UTC).map_or(Timestamp::MAX, |zoned| zoned.timestamp())
}

fn ago(now: Timestamp, seconds: i64) -> Timestamp {
    crate::time::from_millis(now.as_millisecond().saturating_sub(seconds.saturating_mul(1000)))
}

fn next_milli(moment: Timestamp) -> Timestamp {
    crate::time::from_millis(moment.as_millisecond().saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_day_is_inclusive_at_both_ends() {
        let day = Moment::parse("2026-11-21").unwrap();
        let now = at("2026-12-01T00:00:00Z");
        assert_eq!(day.as_since(now), at("2026-11-21T00:00:00Z"));
        assert_eq!(day.as_until(now), at("2026-11-22T00:00:00Z"));
    }

    #[test]
    fn an_age_counts_back_from_now() {
        let now = at("2026-11-21T12:00:00Z");
        assert_eq!(Moment::parse("12h").unwrap().as_since(now), at("2026-11-21T00:00:00Z"));
        assert_eq!(Moment::parse("7d").unwrap().as_since(now), at("2026-11-14T12:00:00Z"));
    }

    #[test]
    fn nonsense_is_refused_with_the_forms() {
        for text in ["", "soon", "7x", "2026-13-01", "-3d", "д"] {
            assert!(Moment::parse(text).unwrap_err().contains("2026-11-21"), "{text}");
        }
    }
}
