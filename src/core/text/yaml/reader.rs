//! Reads values of a tree and gathers the faults, each with the line of its key.
//!
//! A reader knows where it stands; [`Reader::within`] takes one step down. Nothing is echoed that looks like a secret.
//! What keys there are and what they mean is the caller's business.

use std::collections::HashMap;
use std::fmt;
use std::ops::RangeInclusive;

use jiff::civil::Date;
use serde_json::Value;

use super::{Node, Step, locate, parse};
use crate::redact;

/// Faults of a text that are told.
const MOST_FAULTS: usize = 50;

/// One fault of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// From 1.
    pub line: usize,
    /// Dotted, such as `openai.models.gpt-6-luna.price`; empty when the fault is of the whole text.
    pub key: String,
    /// What was expected, what was found, and the fix.
    pub message: String,
}

/// Every fault of a text, by line; at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Faults(pub Vec<Fault>);

/// `line 12: openai.models.x.price.input: expected …; line 15: …`
impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, fault) in self.0.iter().enumerate() {
            let separator = if position == 0 { "" } else { "; " };
            write!(f, "{separator}line {}: ", fault.line)?;
            if !fault.key.is_empty() {
                write!(f, "{}: ", fault.key)?;
            }
            f.write_str(&fault.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for Faults {}

/// Reads values and gathers faults.
pub(crate) struct Reader<'t> {
    text: &'t str,
    path: Vec<String>,
    faults: Vec<Fault>,
}

impl<'t> Reader<'t> {
    /// A reader of `text`, and the tree it reads.
    ///
    /// # Errors
    /// The first fault of syntax.
    pub(crate) fn open(text: &'t str) -> Result<(Self, Node), Faults> {
        match parse(text) {
            Ok(root) => Ok((Self { text, path: Vec::new(), faults: Vec::new() }, root)),
            Err(error) => {
                let fault = Fault { line: error.line.unwrap_or(1), key: String::new(), message: error.message };
                Err(Faults(vec![fault]))
            }
        }
    }

    /// The faults, by line, if there are any.
    pub(crate) fn finish(mut self) -> Result<(), Faults> {
        self.faults.sort_by_key(|fault| fault.line);
        if self.is_full()
            && let Some(last) = self.faults.last_mut()
        {
            last.message += "; and there may be more";
        }
        if self.faults.is_empty() { Ok(()) } else { Err(Faults(self.faults)) }
    }

    /// True when no more faults are told.
    fn is_full(&self) -> bool {
        self.faults.len() >= MOST_FAULTS
    }

    /// Reads one step further down.
    pub(crate) fn within<T>(&mut self, key: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(key.to_owned());
        let value = read(self);
        self.path.pop();
        value
    }

    /// A fault of where the reader stands.
    pub(crate) fn fault(&mut self, message: &str) {
        self.fault_of(message, 0);
    }

    /// A fault of a key below.
    pub(crate) fn fault_at(&mut self, key: &str, message: &str) {
        self.within(key, |reader| reader.fault(message));
    }

    /// The line of the key where the reader stands, from 1.
    pub(crate) fn line(&self) -> usize {
        self.line_of(0)
    }

    /// The line of that one of several equal keys.
    fn line_of(&self, occurrence: usize) -> usize {
        let mut steps: Vec<Step<'_>> = self.path.iter().map(|key| Step { key, occurrence: 0 }).collect();
        if let Some(last) = steps.last_mut() {
            last.occurrence = occurrence;
        }
        locate(self.text, &steps).unwrap_or(1)
    }

    fn fault_of(&mut self, message: &str, occurrence: usize) {
        // Each is looked up in the text, so there is an end to them.
        if self.is_full() {
            return;
        }
        let line = self.line_of(occurrence);
        let key = redact::mask(&self.path.join(".")).into_owned();
        self.faults.push(Fault { line, key, message: message.to_owned() });
    }

    /// A fault that says what was expected and what is there.
    pub(crate) fn refuse(&mut self, expected: &str, found: &Node) {
        self.fault(&format!("expected {expected}, got {}", shown(found)));
    }

    /// The entries of a section whose keys are names. One without entries, all commented out, is none.
    pub(crate) fn entries<'n>(&mut self, node: &'n Node) -> Vec<(&'n str, &'n Node)> {
        let mut entries: Vec<(&str, &Node)> = Vec::new();
        match node {
            Node::Scalar(Value::Null) => {}
            Node::Section(found) => {
                let mut seen: HashMap<&str, usize> = HashMap::new();
                for (key, node) in found {
                    let times = seen.entry(key).or_default();
                    let earlier = *times;
                    *times += 1;
                    if earlier > 0 {
                        self.within(key, |reader| reader.fault_of("is given twice; keep one of the two", earlier));
                    } else {
                        entries.push((key, node));
                    }
                }
            }
            other => self.refuse("a section: names, each with a colon after it", other),
        }
        entries
    }

    /// The entries of a section whose keys are known; the others are faults.
    pub(crate) fn section<'n>(&mut self, node: &'n Node, known: &[&str]) -> Vec<(&'n str, &'n Node)> {
        let mut entries = self.entries(node);
        entries.retain(|(key, _)| {
            let is_known = known.contains(key);
            if !is_known && !self.is_full() {
                let nearest = known.iter().max_by(|a, b| strsim::jaro(a, key).total_cmp(&strsim::jaro(b, key)));
                let guess = nearest.filter(|nearest| strsim::jaro(nearest, key) > 0.7);
                let guess = guess.map_or_else(String::new, |nearest| format!("; did you mean `{nearest}`?"));
                self.fault_at(key, &format!("is not a key here; choose one of {}{guess}", known.join(", ")));
            }
            is_known
        });
        entries
    }

    /// A whole number; `100_000` is text in YAML and refused with the others.
    pub(crate) fn whole(&mut self, node: &Node, least: u64, most: u64) -> Option<u64> {
        let number = match node {
            Node::Scalar(Value::Number(number)) => number.as_u64(),
            _ => None,
        };
        let number = number.filter(|number| RangeInclusive::new(least, most).contains(number));
        if number.is_none() {
            self.refuse(&format!("a whole number from {least} to {most}"), node);
        }
        number
    }

    /// A finite number.
    pub(crate) fn number(&mut self, node: &Node, least: f64, most: f64) -> Option<f64> {
        let number = match node {
            Node::Scalar(Value::Number(number)) => number.as_f64(),
            _ => None,
        };
        let number = number.filter(|number| RangeInclusive::new(least, most).contains(number));
        if number.is_none() {
            self.refuse(&format!("a number from {least} to {most}"), node);
        }
        number
    }

    /// Text that is not blank.
    pub(crate) fn text(&mut self, node: &Node) -> Option<String> {
        match node {
            Node::Scalar(Value::String(text)) if !text.trim().is_empty() => Some(text.clone()),
            other => {
                self.refuse("text", other);
                None
            }
        }
    }

    /// One of these words.
    pub(crate) fn word<'w>(&mut self, node: &Node, words: &[&'w str]) -> Option<&'w str> {
        let found = match node {
            Node::Scalar(Value::String(text)) => words.iter().find(|word| *word == text).copied(),
            _ => None,
        };
        if found.is_none() {
            self.refuse(&format!("one of {}", words.join(", ")), node);
        }
        found
    }

    /// A day.
    pub(crate) fn day(&mut self, node: &Node) -> Option<Date> {
        let day = match node {
            Node::Scalar(Value::String(text)) if text.len() == "2026-01-01".len() => text.parse().ok(),
            _ => None,
        };
        if day.is_none() {
            self.refuse("a day such as 2026-12-31", node);
        }
        day
    }
}

/// True for a section without this key; what is no section has been refused as a whole.
pub(crate) fn lacks(node: &Node, key: &str) -> bool {
    matches!(node, Node::Section(entries) if entries.iter().all(|(known, _)| known != key))
}

/// A wrong value as it is echoed: short, and masked.
fn shown(node: &Node) -> String {
    match node {
        Node::Scalar(Value::Null) => "nothing".to_owned(),
        Node::Scalar(Value::String(text)) => {
            // What is cut first could no longer be known as a key.
            let short: String = redact::mask(text).chars().take(40).collect();
            format!("\"{short}\"")
        }
        Node::Scalar(value) => value.to_string(),
        Node::List(_) => "a list".to_owned(),
        Node::Section(_) => "a section".to_owned(),
    }
}
