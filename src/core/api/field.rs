//! A field of a request, as data: its name, its kind with bounds, and its documentation.

/// A field of a request.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The name on every wire.
    pub name: &'static str,
    /// The kind of its value.
    pub kind: Kind,
    /// True when a request without it is refused.
    pub required: bool,
    /// True when `null` is a value of its own rather than the same as absent.
    pub nullable: bool,
    /// A sentence for people and models, with unit and default.
    pub doc: &'static str,
}

/// The kind of value that a field takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A text of `min..=max` characters, not blank when `min` is above 0.
    Text {
        /// Fewest characters.
        min: usize,
        /// Most characters.
        max: usize,
    },
    /// A name of `min..=NAME_CHARS` characters: a text on a single line without hidden characters.
    Name {
        /// Fewest characters.
        min: usize,
    },
    /// A whole number.
    Integer {
        /// Lowest.
        min: u64,
        /// Highest.
        max: u64,
    },
    /// A finite number.
    Number {
        /// Lowest.
        min: f64,
        /// Highest.
        max: f64,
    },
    /// True or false.
    Boolean,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Several of these words, distinct, at least one.
    Choices(&'static [&'static str]),
    /// Distinct phases, at least one.
    Phases,
    /// One phase.
    Phase,
    /// A persona that exists.
    Persona,
    /// A provider that exists, optionally with a model: `name` or `name/model`.
    Provider,
    /// Distinct providers that exist, each as in [`Kind::Provider`]; at least one.
    Providers,
    /// One or several distinct providers that exist, each as in [`Kind::Provider`]: a text, or a list of at most `max`.
    Judges {
        /// Most judges.
        max: usize,
    },
    /// What to judge by: a rubric's name, or an object of criteria and their weights, each above 0.
    Criteria,
    /// Tags: trimmed, deduplicated, no commas.
    Tags,
    /// One or several distinct names, each as in [`Kind::Name`]: a text, or a list of at most `max`.
    Names {
        /// Most names.
        max: usize,
    },
    /// The rows of a batch: 1..=`max` objects, checked by themselves.
    Rows {
        /// Most rows.
        max: usize,
    },
    /// Several texts, each of 1..=`max` characters.
    Texts {
        /// Most texts.
        items: usize,
        /// Most characters of each.
        max: usize,
    },
    /// One prompt: its id, a unique beginning or end of it, or `@last`.
    PromptKey,
    /// Several distinct prompts.
    PromptKeys {
        /// Fewest.
        min: usize,
        /// Most.
        max: usize,
    },
    /// One job: its id, a unique beginning or end of it, or `@last`.
    JobKey,
    /// A moment: RFC 3339, a date (UTC) or an age such as `7d`.
    Moment,
}

impl Field {
    /// An optional field.
    pub const fn new(name: &'static str, kind: Kind, doc: &'static str) -> Self {
        Self { name, kind, required: false, nullable: false, doc }
    }

    /// Replaces the documentation.
    #[must_use]
    pub const fn with_doc(mut self, doc: &'static str) -> Self {
        self.doc = doc;
        self
    }

    /// Makes the field required.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// Makes the field optional.
    #[must_use]
    pub const fn optional(mut self) -> Self {
        self.required = false;
        self
    }

    /// Allows `null` as a value.
    #[must_use]
    pub const fn nullable(mut self) -> Self {
        self.nullable = true;
        self
    }
}

impl Kind {
    /// What was expected, for messages: "a whole number", "a list of texts".
    pub const fn expected(self) -> &'static str {
        match self {
            Self::Text { .. }
            | Self::Name { .. }
            | Self::Choice(_)
            | Self::Phase
            | Self::Persona
            | Self::Provider
            | Self::PromptKey
            | Self::JobKey
            | Self::Moment => "a text",
            Self::Integer { .. } => "a whole number",
            Self::Number { .. } => "a number",
            Self::Boolean => "true or false",
            Self::Judges { .. } | Self::Names { .. } => "a text or a list of texts",
            Self::Rows { .. } => "a list of objects",
            Self::Criteria => "a text or an object of numbers",
            Self::Choices(_)
            | Self::Phases
            | Self::Providers
            | Self::Tags
            | Self::Texts { .. }
            | Self::PromptKeys { .. } => "a list of texts",
        }
    }

    /// True when the field holds a list.
    pub const fn is_list(self) -> bool {
        matches!(
            self,
            Self::Choices(_)
                | Self::Phases
                | Self::Providers
                | Self::Tags
                | Self::Rows { .. }
                | Self::Texts { .. }
                | Self::PromptKeys { .. }
        )
    }
}
