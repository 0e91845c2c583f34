//! Parses the search box into a request to the core.
//!
//! `tag:rust since:7d` and the like are filters; everything else is the query. Nothing is checked
//! here: the filters go to the core as typed, and its faults are shown next to the box. A filter
//! given twice becomes a list, which the core refuses where only one is allowed.

use serde_json::{Map, Value, json};

/// What is searched by.
use crate::tui::effect::Question;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Mode {
    /// Words.
    #[default]
    Text,
    /// Meaning.
    Semantic,
    /// Both.
    Hybrid,
}

impl Mode {
    /// All modes, in the order of the key.
    pub(crate) const ALL: [Self; 3] = [Self::Text, Self::Semantic, Self::Hybrid];

    /// The name shown.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Semantic => "semantic",
            Self::Hybrid => "hybrid",
        }
    }

    /// The next range, in a cycle.
    pub(crate) const fn next(self) -> Self {
        match self {
            Self::Text => Self::Semantic,
            Self::Semantic => Self::Hybrid,
            Self::Hybrid => Self::Text,
        }
    }
}

/// Where a page of results begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Start {
    /// At this cursor of a list.
    Cursor(String),
    /// After this many results.
    Offset(u64),
}

/// The parsed search box.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Typed {
    /// The query; empty for a list.
    pub(crate) query: String,
    /// Filters by their names in the request.
    pub(crate) filters: Map<String, Value>,
}

/// Filters: as typed, and as named in the request.
const FILTERS: [(&str, &str); 7] = [
    ("tag", "tags"),
    ("provider", "provider"),
    ("model", "model"),
    ("phase", "phase"),
    ("persona", "persona"),
    ("since", "since"),
    ("until", "until"),
];

impl Typed {
    /// Parses the search box.
    pub(crate) fn read(text: &str) -> Self {
        let mut typed = Self::default();
        for word in words(text) {
            let filter = word.split_once(':').and_then(|(name, value)| {
                FILTERS.iter().find(|(typed, _)| *typed == name).map(|(_, field)| (*field, value))
            });
            match filter {
                Some((field, value)) => typed.add(field, value.trim_matches('"')),
                None => {
                    if !typed.query.is_empty() {
                        typed.query.push(' ');
                    }
                    typed.query.push_str(word);
                }
            }
        }
        typed
    }

    /// Adds a filter. One without a value is still being typed.
    fn add(&mut self, field: &str, value: &str) {
        if value.is_empty() {
            return;
        }
        let value = Value::from(value);
        match self.filters.get_mut(field) {
            Some(Value::Array(values)) => values.push(value),
            Some(first) => *first = json!([first.take(), value]),
            None if field == "tags" => _ = self.filters.insert(field.to_owned(), json!([value])),
            None => _ = self.filters.insert(field.to_owned(), value),
        }
    }

    /// The request for `limit` rows from `from` on.
    pub(crate) fn question(self, mode: Mode, limit: usize, from: Option<Start>) -> Question {
        let mut raw = self.filters;
        raw.insert("limit".to_owned(), limit.into());
        match from {
            None => {}
            Some(Start::Cursor(cursor)) => _ = raw.insert("cursor".to_owned(), cursor.into()),
            Some(Start::Offset(offset)) => _ = raw.insert("offset".to_owned(), offset.into()),
        }
        if self.query.is_empty() {
            return Question::List(raw.into());
        }
        raw.insert("query".to_owned(), self.query.into());
        match mode {
            Mode::Text => {}
            Mode::Semantic | Mode::Hybrid => _ = raw.insert(mode.name().to_owned(), true.into()),
        }
        Question::Search(raw.into())
    }
}

/// The words of `text`; blanks in quotes do not separate them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    let parts = text.split(move |character: char| {
        is_quoted ^= character == '"';
        character.is_whitespace() && !is_quoted
    });
    parts.filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str, mode: Mode) -> Question {
        Typed::read(text).question(mode, 50, None)
    }

    #[test]
    fn filters_are_taken_out_and_the_rest_is_the_query() {
        let typed = "review tag:rust \"json output\" tag:ci since:7d until:2026-11-01 provider:openai model:gpt-5";
        let filters = json!({
            "tags": ["rust", "ci"], "since": "7d", "until": "2026-11-01", "provider": "openai", "model": "gpt-5",
            "limit": 50, "query": "review \"json output\""
        });
        assert_eq!(asked(typed, Mode::Text), Question::Search(filters));
    }

    #[test]
    fn without_words_it_is_a_list() {
        assert_eq!(asked("  ", Mode::Semantic), Question::List(json!({ "limit": 50 })));
        let expected = json!({ "limit": 50, "phase": "solutio", "persona": "code" });
        assert_eq!(asked("phase:solutio persona:code", Mode::Hybrid), Question::List(expected));
    }

    #[test]
    fn the_mode_is_said_as_the_request_says_it() {
        assert_eq!(
            asked("x", Mode::Semantic),
            Question::Search(json!({ "limit": 50, "query": "x", "semantic": true }))
        );
        assert_eq!(asked("x", Mode::Hybrid), Question::Search(json!({ "limit": 50, "query": "x", "hybrid": true })));
    }

    #[test]
    fn quotes_hold_blanks_together_in_a_filter_too() {
        assert_eq!(Typed::read("tag:\"two words\" a").filters["tags"], json!(["two words"]));
        assert_eq!(Typed::read("\"tag:x y\"").query, "\"tag:x y\"");
    }

    #[test]
    fn what_only_looks_like_a_filter_is_looked_for() {
        assert_eq!(Typed::read("http://x std::vec Tag:y").query, "http://x std::vec Tag:y");
    }

    #[test]
    fn a_filter_without_a_value_is_still_being_typed() {
        assert_eq!(asked("since:", Mode::Text), Question::List(json!({ "limit": 50 })));
    }

    #[test]
    fn a_filter_given_twice_is_for_the_core_to_refuse() {
        assert_eq!(Typed::read("since:7d since:1d").filters["since"], json!(["7d", "1d"]));
    }

    #[test]
    fn the_next_page_begins_where_the_last_one_ended() {
        let list = Typed::default().question(Mode::Text, 50, Some(Start::Cursor("abc".into())));
        assert_eq!(list, Question::List(json!({ "limit": 50, "cursor": "abc" })));
        let search = Typed::read("x").question(Mode::Text, 50, Some(Start::Offset(50)));
        assert_eq!(search, Question::Search(json!({ "limit": 50, "offset": 50, "query": "x" })));
    }
}
