//! Texts below each other, each with a kind and wrapped by itself.
//!
//! An empty text is an empty row. Rows are numbered through all texts.

use super::passages::Passages;
use super::wrapped::Wrapped;

/// Texts below each other, each with its kind.
#[derive(Debug, Clone)]
pub(crate) struct Blocks<K> {
    texts: Vec<(K, Wrapped)>,
    /// The first row of each.
    starts: Vec<usize>,
    rows: usize,
}

impl<K> Default for Blocks<K> {
    fn default() -> Self {
        Self { texts: Vec::new(), starts: Vec::new(), rows: 0 }
    }
}

impl<K: Copy> Blocks<K> {
    /// Builds it from these texts, in this order.
    pub(crate) fn of(texts: Vec<(K, Wrapped)>) -> Self {
        let mut all = Self { texts, ..Self::default() };
        all.number();
        all
    }

    /// The number of rows.
    pub(crate) const fn len(&self) -> usize {
        self.rows
    }

    /// The rows from `first` on.
    pub(crate) fn rows(&self, first: usize) -> impl Iterator<Item = (K, &str)> {
        let at = self.starts.partition_point(|start| *start <= first).saturating_sub(1);
        let skip = first - self.starts.get(at).copied().unwrap_or(0).min(first);
        let rows = self.texts.iter().skip(at).flat_map(|(kind, text)| {
            let empty = (text.len() == 0).then_some("");
            text.rows(0).chain(empty).map(move |row| (*kind, row))
        });
        rows.skip(skip)
    }

    /// Wraps all of them to `width` columns.
    pub(crate) fn set_width(&mut self, width: u16) {
        for (_, text) in &mut self.texts {
            text.set_width(width);
        }
        self.number();
    }

    fn number(&mut self) {
        self.starts.clear();
        self.rows = 0;
        for (_, text) in &self.texts {
            self.starts.push(self.rows);
            self.rows += text.len().max(1);
        }
    }
}

impl<K> Passages for Blocks<K> {
    fn count(&self) -> usize {
        self.texts.len()
    }

    fn passage(&self, number: usize) -> Option<&Wrapped> {
        self.texts.get(number).map(|(_, text)| text)
    }

    fn first_row(&self, number: usize) -> usize {
        self.starts.get(number).copied().unwrap_or(self.rows)
    }

    fn rows(&self) -> usize {
        self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_numbered_through_all_texts_and_an_empty_one_is_a_row() {
        let texts = ["one two three", "", "four"].map(|text| Wrapped::of(text, 80));
        let mut blocks = Blocks::of((0_u8..).zip(texts).collect());
        blocks.set_width(7);
        let all: Vec<(u8, &str)> = blocks.rows(0).collect();
        assert_eq!(all, [(0, "one two"), (0, "three"), (1, ""), (2, "four")]);
        assert_eq!(blocks.len(), all.len());
        for first in 0..6 {
            assert!(blocks.rows(first).eq(all.iter().copied().skip(first)), "from {first}");
        }
        assert_eq!(Blocks::<u8>::default().rows(0).count(), 0);
    }
}
