//! Rubrics: the criteria the judge weighs candidates by.
//!
//! A rubric is a YAML file with `name`, `description` and 1 to 12 `criteria`, each with `name`
//! ([`is_criterion_name`]), `weight` (a number above 0, scaled to add up to 1) and `question`.
//!
//! A rubric named like a persona is that persona's. Others use `default` unless one is named.

use serde::Deserialize;

use unicode_normalization::char::is_combining_mark;

use super::{AssetFault, front_matter, is_kebab_case};
use crate::text::yaml::{Step, locate};

/// The criteria the judge weighs candidates by.
#[derive(Debug, Clone, PartialEq)]
pub struct Rubric {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The criteria, weights adding up to 1.
    pub criteria: Vec<Criterion>,
}

/// One criterion.
#[derive(Debug, Clone, PartialEq)]
pub struct Criterion {
    /// Its name, unique in the rubric.
    pub name: String,
    /// Its weight, 0..=1.
    pub weight: f64,
    /// The question it asks of a candidate.
    pub question: String,
}

const MAX_CRITERIA: usize = 12;

/// The most characters of a criterion's name.
const LONGEST_NAME: usize = 40;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    description: String,
    criteria: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    weight: f64,
    question: String,
}

/// Parses the rubric of the file named `name`.
pub(super) fn parse(name: &str, text: &str) -> Result<Rubric, AssetFault> {
    let rubric = parse_any(text)?;
    front_matter::check_name(name, &rubric.name, line_of(text, &[key("name")]))?;
    Ok(rubric)
}

/// Parses a rubric of a file with any name.
pub(super) fn parse_any(text: &str) -> Result<Rubric, AssetFault> {
    let file: File = front_matter::yaml(text, 1)?;
    if !is_kebab_case(&file.name) {
        let message = format!("`name: {}` is not a valid name; use kebab-case", file.name);
        return Err(AssetFault::new(line_of(text, &[key("name")]), message));
    }
    if file.criteria.is_empty() || file.criteria.len() > MAX_CRITERIA {
        let message = format!("`criteria` holds {}; 1 to {MAX_CRITERIA} are possible", file.criteria.len());
        return Err(AssetFault::new(line_of(text, &[key("criteria")]), message));
    }
    for (at, row) in file.criteria.iter().enumerate() {
        let fault = |of: &str, message: String| {
            Err(AssetFault::new(line_of(text, &[key("criteria"), Step::item(at), key(of)]), message))
        };
        if !is_criterion_name(&row.name) {
            let message = format!(
                "`{}` is not a valid name for a criterion; use letters, digits, `-` and `_`, {LONGEST_NAME} at most",
                row.name.escape_debug()
            );
            return fault("name", message);
        }
        if file.criteria[..at].iter().any(|earlier| earlier.name == row.name) {
            return fault("name", format!("the criterion `{}` is there twice", row.name));
        }
        if !(row.weight.is_finite() && row.weight > 0.0) {
            let message = format!("the weight of `{}` is {}; use a number above 0", row.name, row.weight);
            return fault("weight", message);
        }
        if row.question.trim().is_empty() {
            return fault("question", format!("the criterion `{}` has no question", row.name));
        }
    }
    let total: f64 = file.criteria.iter().map(|row| row.weight).sum();
    let criteria = file.criteria.into_iter().map(|row| Criterion {
        name: row.name,
        weight: row.weight / total,
        question: row.question.trim().to_owned(),
    });
    Ok(Rubric { name: file.name, description: file.description, criteria: criteria.collect() })
}

/// True for 1 to 40 letters, digits, `-` and `_` of any script, beginning with a letter or a digit,
/// with combining marks and nothing invisible.
pub fn is_criterion_name(name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || is_combining_mark(c) || matches!(c, '-' | '_');
    name.starts_with(|first: char| first.is_alphanumeric() && !is_combining_mark(first))
        && name.chars().count() <= LONGEST_NAME
        && name.chars().all(|c| is_part(c) && !is_unseen(c))
}

/// Invisible letters and marks: fillers, joiners, variation selectors.
const fn is_unseen(c: char) -> bool {
    matches!(c, '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{3164}')
        || matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{e0100}'..='\u{e01ef}')
}

fn key(key: &str) -> Step<'_> {
    Step { key, occurrence: 0 }
}

/// The line, from 1, of the key at the end of `path`; 1 if it is not found.
fn line_of(text: &str, path: &[Step<'_>]) -> usize {
    locate(text, path).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "name: x\ndescription: d\ncriteria:\n  - name: a\n    weight: 3\n    question: A?\n  - name: b\n    weight: 1\n    question: B?\n";

    #[test]
    fn weights_are_scaled_to_add_up_to_one() {
        let weights: Vec<f64> = parse("x", GOOD).unwrap().criteria.iter().map(|criterion| criterion.weight).collect();
        assert_eq!(weights, [0.75, 0.25]);
    }

    #[test]
    fn criteria_are_named_in_any_script() {
        for name in [
            "a",
            "Klarheit",
            "Überzeugung",
            "U\u{308}ber",
            "обзор",
            "स्पष्टता",
            "明確さ",
            "tone_2",
            "7",
            "é-é",
            &"ж".repeat(40),
        ] {
            assert!(is_criterion_name(name), "{name}");
            assert_eq!(
                parse("x", &GOOD.replace("name: b", &format!("name: '{name}b'"))).is_ok(),
                name.chars().count() < 40
            );
        }
        for name in [
            "",
            "a b",
            "-a",
            "_",
            "a\u{200d}b",
            "a\u{fe0f}",
            "\u{3164}",
            "a\u{7}",
            "a.b",
            "a`b",
            "\u{308}a",
            &"ж".repeat(41),
        ] {
            assert!(!is_criterion_name(name), "{name:?}");
        }
    }

    #[test]
    fn every_fault_names_its_line() {
        for (text, line, says) in [
            (GOOD.replace("weight: 1", "weight: -1"), 8, "above 0"),
            (GOOD.replace("weight: 1", "weight: .nan"), 8, "above 0"),
            (GOOD.replace("name: b", "name: a"), 7, "twice"),
            (GOOD.replace("name: b", "name: B b"), 7, "letters, digits"),
            (GOOD.replace("name: a", "name: ab").replace("name: b", "name: a!"), 7, "letters, digits"),
            (GOOD.replace("- name: b", "- {name: b,\n     weight: 0, question: q}\n  - name: c"), 8, "weight of `b`"),
            (GOOD.replace("B?", "' '").replace("d\n", "'name: b, question:' # name: b\n"), 9, "no question"),
            (format!("# name: X y\n{}", GOOD.replacen("name: x", "name: X y", 1)), 2, "kebab-case"),
            (GOOD.replace("weight: 3", "wieght: 3"), 5, "wieght"),
            ("name: x\ndescription: d\ncriteria: []\n".to_owned(), 3, "1 to 12"),
        ] {
            let fault = parse("x", &text).unwrap_err();
            assert!(fault.message.contains(says), "{fault}");
            assert_eq!(fault.line, line, "{fault}");
        }
    }
}
