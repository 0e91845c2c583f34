//! The eight ways in which a prompt can be asked for. They differ in what is said and in which order, not in words.
//!
//! Variant `i` of a request uses strategy `i` modulo their number; the names are shared with the phase templates.

/// A way of asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Strategy {
    /// The plainest faithful prompt.
    Direct,
    /// Ordered steps the model must follow.
    Stepwise,
    /// Full sections and an explicit output contract.
    Structured,
    /// An example drawn from the request is worked through first.
    ExampleLed,
    /// What is missing is listed and assumptions are stated before the answer.
    QuestionFirst,
    /// Constraints before the task.
    ConstraintFirst,
    /// Acceptance checks up front, and a check of the answer against them.
    Rubric,
    /// The shortest prompt that keeps everything.
    Minimal,
}

impl Strategy {
    /// All strategies, in the order variants take them.
    pub(super) const ALL: [Self; 8] = [
        Self::Direct,
        Self::Stepwise,
        Self::Structured,
        Self::ExampleLed,
        Self::QuestionFirst,
        Self::ConstraintFirst,
        Self::Rubric,
        Self::Minimal,
    ];

    /// Its name in requests, templates and stored prompts.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Stepwise => "stepwise",
            Self::Structured => "structured",
            Self::ExampleLed => "example-led",
            Self::QuestionFirst => "question-first",
            Self::ConstraintFirst => "constraint-first",
            Self::Rubric => "rubric",
            Self::Minimal => "minimal",
        }
    }

    /// The strategy of that name; for an unknown one, that of the variant.
    pub(super) fn named(name: &str, variant: u32) -> Self {
        let by_variant = Self::ALL[variant as usize % Self::ALL.len()];
        Self::ALL.into_iter().find(|strategy| strategy.name() == name).unwrap_or(by_variant)
    }
}

/// The names of all strategies, in the order variants take them.
pub const STRATEGY_NAMES: [&str; 8] = [
    Strategy::Direct.name(),
    Strategy::Stepwise.name(),
    Strategy::Structured.name(),
    Strategy::ExampleLed.name(),
    Strategy::QuestionFirst.name(),
    Strategy::ConstraintFirst.name(),
    Strategy::Rubric.name(),
    Strategy::Minimal.name(),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_fall_back_to_the_variants_turn() {
        assert_eq!(Strategy::named("rubric", 0), Strategy::Rubric);
        assert_eq!(Strategy::named("mine", 9), Strategy::Stepwise);
    }
}
