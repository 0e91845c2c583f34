//! Money as whole billionths of a US dollar.

use std::fmt::{Display, Formatter};
use std::iter::Sum;
use std::ops::Add;

use serde::{Deserialize, Serialize};

/// Billionths of a US dollar, never negative. Adding saturates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Money(u64);

impl Money {
    /// Nothing.
    pub const ZERO: Self = Self(0);
    /// The largest amount; stands for no limit.
    pub const MAX: Self = Self(u64::MAX);

    /// This many billionths.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// The billionths.
    pub const fn nanos(self) -> u64 {
        self.0
    }

    /// Dollars rounded up to whole billionths, so that a cost is never rounded away. Negative
    /// numbers and NaN give zero.
    pub fn from_dollars_up(dollars: f64) -> Self {
        Self(whole((dollars * 1e9).ceil()))
    }

    /// Dollars rounded down to whole billionths, for caps.
    pub fn from_dollars_down(dollars: f64) -> Self {
        Self(whole((dollars * 1e9).floor()))
    }

    /// This amount `number` times, saturating.
    #[must_use]
    pub const fn times(self, number: u64) -> Self {
        Self(self.0.saturating_mul(number))
    }

    /// The amount to advise as a cap: rounded up to a hundredth of a cent, from a dollar to a cent.
    #[must_use]
    pub const fn advised(self) -> Self {
        const DOLLAR: u64 = 1_000_000_000;
        let step = if self.0 < DOLLAR { DOLLAR / 10_000 } else { DOLLAR / 100 };
        Self(self.0.div_ceil(step).saturating_mul(step))
    }

    /// US dollars, for display.
    pub fn dollars(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The difference, at least zero.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Display for Money {
    /// Two decimals, or as many as needed to be exact: `$0.50`, `$0.000012`.
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let decimals = format!("{:09}", self.0 % 1_000_000_000);
        let kept = decimals.trim_end_matches('0').len().max(2);
        write!(f, "${}.{}", self.0 / 1_000_000_000, &decimals[..kept])
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates, which is what is wanted")]
fn whole(nanos: f64) -> u64 {
    nanos as u64
}

impl Add for Money {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_rounded_up_and_caps_down() {
        assert_eq!(Money::from_dollars_up(0.000_000_000_1).nanos(), 1);
        assert_eq!(Money::from_dollars_down(0.000_000_001_9).nanos(), 1);
        assert_eq!(Money::from_dollars_up(1.5).dollars().to_bits(), 1.5_f64.to_bits());
        assert_eq!(Money::from_dollars_up(-1.0), Money::ZERO);
        assert_eq!(Money::from_dollars_up(f64::NAN), Money::ZERO);
        assert_eq!(Money::from_dollars_up(f64::INFINITY), Money::MAX);
    }

    #[test]
    fn amounts_to_advise_are_rounded_up_to_what_people_read() {
        let shown = |nanos| Money::from_nanos(nanos).advised().to_string();
        assert_eq!(
            [shown(0), shown(1), shown(123_456_789), shown(1_234_567_890), shown(2_000_000_000)],
            ["$0.00", "$0.0001", "$0.1235", "$1.24", "$2.00"]
        );
    }

    #[test]
    fn amounts_are_shown_exactly() {
        let shown = |nanos| Money::from_nanos(nanos).to_string();
        assert_eq!(shown(0), "$0.00");
        assert_eq!(shown(1_500_000_000), "$1.50");
        assert_eq!(shown(12_000), "$0.000012");
        assert_eq!(shown(20_123_456_789), "$20.123456789");
    }
}
