//! The five grades of a comparison, and the margins they stand for.
//!
//! A judge grades two candidates as a whole and by each criterion. As a margin, a [`Grade`] is a
//! number from -1 to 1 that can be averaged; positive favours the first.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A judge's grade of two candidates, A shown first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Grade {
    /// A is clearly better.
    #[serde(rename = "A>>B")]
    FirstClearly,
    /// A is slightly better.
    #[serde(rename = "A>B")]
    First,
    /// No difference that matters.
    #[serde(rename = "=")]
    Even,
    /// B is slightly better.
    #[serde(rename = "B>A")]
    Second,
    /// B is clearly better.
    #[serde(rename = "B>>A")]
    SecondClearly,
}

impl Grade {
    /// All grades, from the first candidate's best to the second's.
    pub const ALL: [Self; 5] = [Self::FirstClearly, Self::First, Self::Even, Self::Second, Self::SecondClearly];

    /// The grade as a judge writes it: `A>>B`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FirstClearly => "A>>B",
            Self::First => "A>B",
            Self::Even => "=",
            Self::Second => "B>A",
            Self::SecondClearly => "B>>A",
        }
    }

    /// The grade as a margin: 1, 0.5, 0, -0.5 or -1.
    pub const fn margin(self) -> f64 {
        match self {
            Self::FirstClearly => 1.0,
            Self::First => 0.5,
            Self::Even => 0.0,
            Self::Second => -0.5,
            Self::SecondClearly => -1.0,
        }
    }

    /// The grade nearest to a margin. A tie goes to the stronger grade, which is symmetric.
    pub fn nearest(margin: f64) -> Self {
        match (margin * 2.0).round() {
            steps if steps >= 2.0 => Self::FirstClearly,
            steps if steps >= 1.0 => Self::First,
            steps if steps <= -2.0 => Self::SecondClearly,
            steps if steps <= -1.0 => Self::Second,
            _ => Self::Even,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grade_is_written_as_it_is_read_and_nearest_to_its_own_margin() {
        for grade in Grade::ALL {
            assert_eq!(serde_json::to_value(grade).unwrap(), grade.as_str());
            assert_eq!(Grade::nearest(grade.margin()), grade);
        }
    }

    #[test]
    fn halfway_between_two_grades_is_the_stronger_of_either_side() {
        assert_eq!((Grade::nearest(0.25), Grade::nearest(-0.25)), (Grade::First, Grade::Second));
        assert_eq!((Grade::nearest(0.24), Grade::nearest(-0.75)), (Grade::Even, Grade::SecondClearly));
    }
}
