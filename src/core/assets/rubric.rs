//! Rubrics: the criteria by which the judge weighs candidates.
//!
//! A rubric is a YAML file with `name`, `description` and 1 to 12 `criteria`, each with `name`, `weight` (a number above
//! zero) and `question`. Weights are scaled to add up to 1, so any numbers will do.
//!
//! A rubric with the name of a persona is that persona's own; all others are judged by `default` unless one is named.

use serde::Deserialize;

use super::{AssetFault, front_matter, is_kebab_case};

/// The criteria by which the judge weighs candidates.
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
    /// Its name, in kebab-case.
    pub name: String,
    /// How much it counts, 0..=1.
    pub weight: f64,
    /// The question it asks of a candidate.
    pub question: String,
}

const MAX_CRITERIA: usize = 12;

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

/// Reads a rubric from a file of the name `name`.
pub(super) fn parse(name: &str, text: &str) -> Result<Rubric, AssetFault> {
    let rubric = parse_any(text)?;
    front_matter::check_name(name, &rubric.name, line_of(text, "name:"))?;
    Ok(rubric)
}

/// Reads a rubric from a file of any name.
pub(super) fn parse_any(text: &str) -> Result<Rubric, AssetFault> {
    let file: File = front_matter::yaml(text, 1)?;
    if !is_kebab_case(&file.name) {
        let message = format!("`name: {}` is not a valid name; use kebab-case", file.name);
        return Err(AssetFault::new(line_of(text, "name:"), message));
    }
    if file.criteria.is_empty() || file.criteria.len() > MAX_CRITERIA {
        let message = format!("`criteria` holds {}; 1 to {MAX_CRITERIA} are possible", file.criteria.len());
        return Err(AssetFault::new(line_of(text, "criteria:"), message));
    }
    for (at, row) in file.criteria.iter().enumerate() {
        let line = line_of(text, &format!("name: {}", row.name));
        if !is_kebab_case(&row.name) {
            return Err(AssetFault::new(
                line,
                format!("`{}` is not a valid name for a criterion; use kebab-case", row.name),
            ));
        }
        if file.criteria[..at].iter().any(|earlier| earlier.name == row.name) {
            return Err(AssetFault::new(line, format!("the criterion `{}` is there twice", row.name)));
        }
        if !(row.weight.is_finite() && row.weight > 0.0) {
            let message = format!("the weight of `{}` is {}; use a number above 0", row.name, row.weight);
            return Err(AssetFault::new(line, message));
        }
        if row.question.trim().is_empty() {
            return Err(AssetFault::new(line, format!("the criterion `{}` has no question", row.name)));
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

/// The line, from 1, on which `key` first stands; 1 when it does not.
fn line_of(text: &str, key: &str) -> usize {
    text.lines().position(|line| line.contains(key)).map_or(1, |at| at + 1)
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
    fn every_fault_names_its_line() {
        for (text, line, says) in [
            (GOOD.replace("weight: 1", "weight: -1"), 7, "above 0"),
            (GOOD.replace("weight: 1", "weight: .nan"), 7, "above 0"),
            (GOOD.replace("name: b", "name: a"), 4, "twice"),
            (GOOD.replace("name: b", "name: B b"), 7, "kebab-case"),
            (GOOD.replace("weight: 3", "wieght: 3"), 5, "wieght"),
            ("name: x\ndescription: d\ncriteria: []\n".to_owned(), 3, "1 to 12"),
        ] {
            let fault = parse("x", &text).unwrap_err();
            assert!(fault.message.contains(says), "{fault}");
            assert_eq!(fault.line, line, "{fault}");
        }
    }
}
