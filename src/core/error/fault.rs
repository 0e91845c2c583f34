//! The faults of a request: which field, and what is wrong with it.
//!
//! A request can hold a fault for every few bytes of it, so [`Faults`] lists the first
//! [`Faults::LISTED`] and counts the rest. Collecting and reporting them takes bounded memory.

use std::fmt;
use std::ops::Deref;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One fault of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fault {
    /// The field, as the caller named it: `tags[2]` for an item of a list, empty for the whole
    /// request.
    pub field: String,
    /// What is wrong, the limit, and the fix.
    pub message: String,
}

impl Fault {
    /// A fault of `field`.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into() }
    }
}

/// `field: message`. A fault of the whole request names no field.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        f.write_str(&self.message)
    }
}

/// The faults of one request: the first of them, and how many there are. Dereferences to those listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Faults {
    listed: Vec<Fault>,
    unlisted: usize,
}

impl Faults {
    /// How many faults are listed; further ones are counted.
    pub const LISTED: usize = 100;

    /// Adds a fault.
    pub fn push(&mut self, fault: Fault) {
        self.push_with(|| fault);
    }

    /// Adds a fault. It is not built when it would only be counted.
    pub fn push_with(&mut self, fault: impl FnOnce() -> Fault) {
        if self.listed.len() < Self::LISTED {
            self.listed.push(fault());
        } else {
            self.unlisted += 1;
        }
    }

    /// Adds the faults of one field, appending their own names (`""`, `[2]`) to the field's.
    pub(crate) fn extend_under(&mut self, field: &str, faults: Self) {
        self.extend_with(faults, |fault| Fault { field: format!("{field}{}", fault.field), ..fault });
    }

    /// Adds faults, each as `change` makes it. A fault that would only be counted is not made.
    pub(crate) fn extend_with(&mut self, faults: Self, change: impl Fn(Fault) -> Fault) {
        for fault in faults.listed {
            self.push_with(|| change(fault));
        }
        self.unlisted += faults.unlisted;
    }

    /// Renames the fields to what a face calls them.
    #[must_use]
    pub fn named_by(mut self, name: impl Fn(&str) -> Option<String>) -> Self {
        for fault in &mut self.listed {
            if let Some(name) = name(&fault.field) {
                fault.field = name;
            }
        }
        self
    }

    /// How many there are beyond those listed.
    pub fn unlisted(&self) -> usize {
        self.unlisted
    }

    /// `and 41,830 more`, when there are more than are listed.
    pub fn rest(&self) -> Option<String> {
        (self.unlisted > 0).then(|| format!("and {} more", grouped(self.unlisted)))
    }
}

impl Deref for Faults {
    type Target = [Fault];

    fn deref(&self) -> &[Fault] {
        &self.listed
    }
}

impl From<Vec<Fault>> for Faults {
    fn from(mut listed: Vec<Fault>) -> Self {
        let unlisted = listed.len().saturating_sub(Self::LISTED);
        listed.truncate(Self::LISTED);
        Self { listed, unlisted }
    }
}

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Self {
        Self::from(vec![fault])
    }
}

/// Iterates over the listed faults.
impl IntoIterator for Faults {
    type Item = Fault;
    type IntoIter = std::vec::IntoIter<Fault>;

    fn into_iter(self) -> Self::IntoIter {
        self.listed.into_iter()
    }
}

/// All in one sentence: `field: message; field: message; and 3 more`.
impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, fault) in self.listed.iter().enumerate() {
            if position > 0 {
                f.write_str("; ")?;
            }
            fault.fmt(f)?;
        }
        match self.rest() {
            Some(rest) => write!(f, "; {rest}"),
            None => Ok(()),
        }
    }
}

/// A number with a comma between its thousands.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() * 4 / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_read_as_one_sentence_each_with_its_field() {
        let faults = Faults::from(vec![Fault::new("", "is no object"), Fault::new("count", "is 0")]);
        assert_eq!(faults.to_string(), "is no object; count: is 0");
    }

    #[test]
    fn a_hundred_faults_are_listed_and_the_rest_are_counted_and_never_built() {
        let (mut faults, mut built) = (Faults::default(), 0);
        for position in 0..42_030 {
            faults.push_with(|| {
                built += 1;
                Fault::new(format!("f{position}"), "unknown field")
            });
        }
        assert_eq!((faults.len(), faults.unlisted(), built), (100, 41_930, 100));
        let text = faults.to_string();
        assert!(text.starts_with("f0: ") && text.ends_with("f99: unknown field; and 41,930 more"), "{text}");
    }

    #[test]
    fn a_list_that_was_gathered_elsewhere_is_cut_the_same_way() {
        let gathered = |count| Faults::from(vec![Fault::new("x", "y"); count]);
        assert_eq!((gathered(100).len(), gathered(100).rest()), (100, None));
        assert_eq!((gathered(101).len(), gathered(101).rest().as_deref()), (100, Some("and 1 more")));
        let mut all = gathered(60);
        all.extend_under("tags", gathered(150));
        assert_eq!((all.len(), all.unlisted(), all[99].field.as_str()), (100, 110, "tagsx"));
    }

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!([1, 999, 1000, 41_930, 1_234_567].map(grouped), ["1", "999", "1,000", "41,930", "1,234,567"]);
    }
}
