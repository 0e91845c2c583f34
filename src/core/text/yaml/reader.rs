//! Reads values of a tree and collects the faults, each with the line of its key.
//!
//! A reader tracks its position; [`Reader::within`] steps down. Anything that looks like a secret
//! is masked. The caller defines the keys and their meaning.

use std::collections::HashMap;
use std::fmt;
use std::ops::RangeInclusive;

use jiff::civil::Date;
use serde_json::Value;

use super::{Node, Step, locate, parse};
use crate::redact;

/// Maximum number of faults reported.
const MOST_FAULTS: usize = 50;

/// One fault of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// From 1.
    pub line: usize,
    /// Dotted, such as `openai.models.gpt-6-luna.price`; empty for the text as a whole.
    pub key: String,
    /// What was expected, what was found, and the fix.
    pub message: String,
}

/// All faults of a text, by line; at least one.
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

/// Reads values and collects faults.
pub(crate) struct Reader<'t> {
    text: &'t str,
    path: Vec<String>,
    faults: Vec<Fault>,
}

impl<'t> Reader<'t> {
    /// Parses `text` and returns a reader with the tree.
    ///
    /// # Errors
    /// The syntax error.
    pub(crate) fn open(text: &'t str) -> Result<(Self, Node), Faults> {
        match parse(text) {
            Ok(root) => Ok((Self::over(text), root)),
            Err(error) => {
                let fault = Fault { line: error.line.unwrap_or(1), key: String::new(), message: error.message };
                Err(Faults(vec![fault]))
            }
        }
    }

    /// A reader of a tree of this text.
    pub(crate) fn over(text: &'t str) -> Self {
        Self { text, path: Vec::new(), faults: Vec::new() }
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

    /// True if no more faults are reported.
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

    /// Reports a fault at the current position.
    pub(crate) fn fault(&mut self, message: &str) {
        self.fault_of(message, 0);
    }

    /// Reports a fault at a key below.
    pub(crate) fn fault_at(&mut self, key: &str, message: &str) {
        self.within(key, |reader| reader.fault(message));
    }

    /// The line of the current key, from 1.
    pub(crate) fn line(&self) -> usize {
        self.line_of(0)
    }

    /// The line of one of several equal keys.
    fn line_of(&self, occurrence: usize) -> usize {
        let mut steps: Vec<Step<'_>> = self.path.iter().map(|key| Step { key, occurrence: 0 }).collect();
        if let Some(last) = steps.last_mut() {
            last.occurrence = occurrence;
        }
        locate(self.text, &steps).unwrap_or(1)
    }

    fn fault_of(&mut self, message: &str, occurrence: usize) {
        // Each needs a look-up in the text, so their number is limited.
        if self.is_full() {
            return;
        }
        let line = self.line_of(occurrence);
        let key = redact::mask(&self.path.join(".")).into_owned();
        self.faults.push(Fault { line, key, message: message.to_owned() });
    }

    /// Reports what was expected and what was found.
    pub(crate) fn refuse(&mut self, expected: &str, found: &Node) {
        self.fault(&format!("expected {expected}, got {}", shown(found)));
    }

    /// The entries of a section whose keys are names. Null (all commented out) has none.
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

    /// The entries of a section with known keys; others are faults.
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

    /// Reads a whole number; `100_000` is text in YAML and refused.
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

    /// Reads a finite number.
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

    /// Reads a text that is not blank.
    pub(crate) fn text(&mut self, node: &Node) -> Option<String> {
        match node {
            Node::Scalar(Value::String(text)) if !text.trim().is_empty() => Some(text.clone()),
            other => {
                self.refuse("text", other);
                None
            }
        }
    }

    /// Reads one of these words.
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

    /// Reads a day.
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

/// True for a section without this key; other values have been refused as a whole.
pub(crate) fn lacks(node: &Node, key: &str) -> bool {
    matches!(node, Node::Section(entries) if entries.iter().all(|(known, _)| known != key))
}

/// A wrong value as echoed: short and masked.
fn shown(node: &Node) -> String {
    match node {
        Node::Scalar(Value::Null) => "nothing".to_owned(),
        Node::Scalar(Value::String(text)) => {
            // Masked before truncating: a truncated key could not be recognised.
            let short: String = redact::mask(text).chars().take(40).collect();
            format!("\"{short}\"")
        }
        Node::Scalar(value) => value.to_string(),
        Node::List(_) => "a list".to_owned(),
        Node::Section(_) => "a section".to_owned(),
    }
}
