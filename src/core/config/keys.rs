//! The table of keys: name, type, default, range and a line of documentation for every setting.
//!
//! It is the single source for strict checking, the names of environment variables, `config show`,
//! the commented file of `config init` and the defaults of the typed [`Config`](super::Config). In
//! a pattern, `*` stands for a user-chosen name and `<phase>` for one of the three phases. The rows
//! are in [`super::TABLE`]; what a type accepts is in [`super::Kind`].

use super::kind::Kind;
use super::table::TABLE;
use crate::domain::Phase;

/// A key that can be set.
#[derive(Debug)]
pub struct Key {
    /// Dotted name, with `*` and `<phase>` as placeholders.
    pub pattern: &'static str,
    /// What it accepts.
    pub kind: Kind,
    /// The value when it is not set.
    pub default: DefaultValue,
    /// One line for people.
    pub doc: &'static str,
}

/// The value of a key that is not set.
#[derive(Debug, Clone, Copy)]
pub enum DefaultValue {
    /// None; the documentation says what that means.
    Unset,
    /// A text.
    Text(&'static str),
    /// A whole number.
    Whole(u64),
    /// A number.
    Number(f64),
    /// Yes or no.
    Flag(bool),
    /// A list of texts.
    List(&'static [&'static str]),
}

impl DefaultValue {
    /// As a JSON value; null when unset.
    pub fn to_value(self) -> serde_json::Value {
        match self {
            Self::Unset => serde_json::Value::Null,
            Self::Text(text) => text.into(),
            Self::Whole(whole) => whole.into(),
            Self::Number(number) => number.into(),
            Self::Flag(flag) => flag.into(),
            Self::List(list) => list.to_vec().into(),
        }
    }
}

/// What a dotted path names.
pub(super) enum KeyLookup {
    /// A key that can be set.
    Key(&'static Key),
    /// A section with keys below it.
    Section,
    /// Nothing known.
    Nothing,
}

/// The most segments a key has: `providers.<name>.headers.<header>`.
const HEADER_DEPTH: usize = 4;

/// Splits a dotted key. In a provider's key the fourth segment, a header's name, can have dots.
pub(super) fn segments(dotted: &str) -> Vec<&str> {
    let depth = if dotted.starts_with("providers.") { HEADER_DEPTH } else { usize::MAX };
    dotted.splitn(depth, '.').collect()
}

/// What `path` names.
pub(super) fn named(path: &[&str]) -> KeyLookup {
    if path.is_empty() {
        return KeyLookup::Section;
    }
    let mut section = false;
    for key in TABLE {
        let mut pattern = key.pattern.split('.');
        if begins(&mut pattern, path) {
            if pattern.next().is_none() {
                return KeyLookup::Key(key);
            }
            section = true;
        }
    }
    if section { KeyLookup::Section } else { KeyLookup::Nothing }
}

/// The key with this dotted name, if it can be set.
pub fn find(dotted: &str) -> Option<&'static Key> {
    match named(&segments(dotted)) {
        KeyLookup::Key(key) => Some(key),
        KeyLookup::Section | KeyLookup::Nothing => None,
    }
}

/// True when a pattern begins with `path`; consumes that part of the pattern.
fn begins<'a>(pattern: &mut impl Iterator<Item = &'a str>, path: &[&str]) -> bool {
    let mut segments = path.iter().enumerate();
    segments.all(|(position, segment)| pattern.next().is_some_and(|expected| fits(expected, segment, position)))
}

fn fits(expected: &str, segment: &str, position: usize) -> bool {
    match expected {
        // Only the last segment, a header's name, can contain dots.
        "*" => is_name(segment) && (position + 1 == HEADER_DEPTH || !segment.contains('.')),
        "<phase>" => segment.parse::<Phase>().is_ok(),
        literal => literal == segment,
    }
}

/// True for a valid name of a provider, a header or a weight: letters, digits, `-`, `_`, and dots
/// inside headers; at most 64 characters.
pub(super) fn is_name(segment: &str) -> bool {
    (1..=64).contains(&segment.len())
        && segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

/// Names that can follow `path`, for suggestions: the table's next literal segments and the phases.
pub(super) fn children(path: &[&str]) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for key in TABLE {
        let mut pattern = key.pattern.split('.');
        if !begins(&mut pattern, path) {
            continue;
        }
        match pattern.next() {
            Some("<phase>") => names.extend(Phase::ALL.iter().map(|phase| phase.as_str())),
            Some("*") | None => {}
            Some(literal) => names.push(literal),
        }
    }
    names.dedup();
    names
}

/// The dotted key for the segments of an environment variable, upper case and `_` for `-`.
pub(super) fn key_of_variable(variable: &[&str]) -> Option<String> {
    TABLE.iter().find_map(|key| {
        let pattern: Vec<&str> = key.pattern.split('.').collect();
        if pattern.len() != variable.len() {
            return None;
        }
        let mut resolved = Vec::with_capacity(pattern.len());
        for (position, (expected, given)) in pattern.iter().zip(variable).enumerate() {
            resolved.push(match *expected {
                "*" if is_name(given) && position == 1 => given.to_ascii_lowercase(),
                // Headers are written with dashes and ignore case.
                "*" if is_name(given) => given.to_ascii_lowercase().replace('_', "-"),
                "<phase>" => {
                    let phase = Phase::ALL.into_iter().find(|phase| variable_segment(phase.as_str()) == *given)?;
                    phase.as_str().to_owned()
                }
                literal if variable_segment(literal) == *given => literal.to_owned(),
                _ => return None,
            });
        }
        Some(resolved.join("."))
    })
}

/// The environment variable of a dotted key: `generation.default_count` is `ALUDEL_GENERATION__DEFAULT_COUNT`.
pub fn variable_of(dotted: &str) -> String {
    let segments: Vec<String> = segments(dotted).into_iter().map(variable_segment).collect();
    format!("{}{}", super::env::PREFIX, segments.join("__"))
}

/// Every variable whose name does not depend on user-chosen names.
pub(super) fn variables() -> impl Iterator<Item = String> {
    TABLE.iter().filter(|key| !key.pattern.contains('*')).flat_map(|key| {
        let names: Vec<String> = if key.pattern.contains("<phase>") {
            Phase::ALL.iter().map(|phase| key.pattern.replace("<phase>", phase.as_str())).collect()
        } else {
            vec![key.pattern.to_owned()]
        };
        names.into_iter().map(|name| variable_of(&name))
    })
}

fn variable_segment(segment: &str) -> String {
    segment.to_ascii_uppercase().replace('-', "_")
}

/// The candidate most like `given`, if any is similar.
pub(super) fn nearest(given: &str, candidates: impl IntoIterator<Item = impl Into<String>>) -> Option<String> {
    let folded = given.to_ascii_lowercase();
    candidates
        .into_iter()
        .map(Into::into)
        .map(|candidate: String| (likeness(&folded, &candidate.to_ascii_lowercase()), candidate))
        .filter(|(alike, _)| *alike > 0.0)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// 0 where a suggestion would be a guess, up to 2. Jaro-Winkler finds slips in long names, edit
/// distance finds letters missing from short ones.
fn likeness(a: &str, b: &str) -> f64 {
    let slips = strsim::jaro_winkler(a, b);
    let edits = strsim::normalized_damerau_levenshtein(a, b);
    if slips >= 0.8 || edits >= 0.6 { slips + edits } else { 0.0 }
}

/// The hint for an unknown key: the nearest sibling, or the same name elsewhere, or all siblings.
pub(super) fn suggestion(path: &[&str]) -> String {
    let Some((last, parent)) = path.split_last() else { return String::new() };
    let siblings = children(parent);
    let full = |sibling: &str| [parent, &[sibling]].concat().join(".");
    if let Some(sibling) = nearest(last, siblings.iter().copied()) {
        return format!("did you mean `{}`?", full(&sibling));
    }
    let elsewhere =
        TABLE.iter().find(|key| !key.pattern.contains('*') && key.pattern.rsplit('.').next() == Some(*last));
    if let Some(key) = elsewhere {
        return format!("did you mean `{}`?", key.pattern);
    }
    if siblings.is_empty() {
        return "use letters, digits, `-` and `_`, at most 64".to_owned();
    }
    format!("known here: {}", siblings.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_distinct_and_every_default_is_accepted_by_its_own_kind() {
        let mut seen = std::collections::BTreeSet::new();
        for key in TABLE {
            assert!(seen.insert(key.pattern), "{} stands twice", key.pattern);
            assert!(key.doc.ends_with('.') && !key.doc.is_empty(), "{}", key.pattern);
            let value = key.default.to_value();
            if !value.is_null() {
                assert_eq!(key.kind.accept(&value), Ok(value), "{}", key.pattern);
            }
        }
    }

    #[test]
    fn every_variable_names_its_key_and_no_other() {
        for variable in variables() {
            let rest = variable.strip_prefix("ALUDEL_").unwrap();
            let key = key_of_variable(&rest.split("__").collect::<Vec<_>>());
            let key = key.or_else(|| Some(rest.to_ascii_lowercase())).unwrap();
            assert!(find(&key).is_some(), "{variable} -> {key}");
            assert_eq!(variable_of(&key), variable);
        }
    }

    #[test]
    fn suggestions_look_at_siblings_then_elsewhere() {
        assert_eq!(suggestion(&["generation", "default_cuont"]), "did you mean `generation.default_count`?");
        assert_eq!(suggestion(&["genration"]), "did you mean `generation`?");
        assert_eq!(suggestion(&["default_count"]), "did you mean `generation.default_count`?");
        assert_eq!(suggestion(&["phases", "solutioo"]), "did you mean `phases.solutio`?");
        assert_eq!(suggestion(&["spend", "zzz"]), "known here: daily_budget_usd, preflight_usd");
        for name in ["a b", "a.b", ""] {
            assert_eq!(suggestion(&["providers", name]), "use letters, digits, `-` and `_`, at most 64");
            assert!(matches!(named(&["providers", name]), KeyLookup::Nothing));
        }
    }

    #[test]
    fn a_header_may_hold_dots() {
        assert_eq!(segments("providers.acme.headers.X.Y"), ["providers", "acme", "headers", "X.Y"]);
        assert!(find("providers.acme.headers.X.Y").is_some());
        assert!(find("generation").is_none());
    }
}
