//! The current line while its kind is undecided.
//!
//! Each character is examined once: the possible kinds are tracked, so later checks are free.

use super::line::LONGEST_FENCE;
use super::phrases::{self, is_leading_mark};

/// Bytes that decide whether a line begins like a phrase: more than the longest cue has.
const DECIDING: usize = 64;

/// The beginning of a line, or all of it.
#[derive(Debug, Default)]
pub(super) struct Pending {
    text: String,
    /// Bytes of leading white space.
    indent: usize,
    /// Bytes of leading marks and white space.
    decorated: usize,
    rule: Rule,
    fence: Fence,
    /// Whether it can begin a remark, once enough bytes are there.
    remark: Option<bool>,
}

/// Whether the line can be a rule: three or more of one of `-`, `*`, `_`, and blanks.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// Blanks so far.
    #[default]
    Open,
    /// Blanks and this mark so far.
    Of(char),
    Never,
}

/// Whether the line can be a fence: three or more of a mark, then no backtick.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Fence {
    /// Blanks so far.
    #[default]
    Open,
    /// This many of this mark so far.
    Marks(char, usize),
    /// A fence and its info string so far.
    Info,
    Never,
}

impl Pending {
    pub(super) fn push(&mut self, c: char) {
        let is_leading = |before: usize| before == self.text.len();
        if c.is_whitespace() && is_leading(self.indent) {
            self.indent += c.len_utf8();
        } else {
            self.fence = match self.fence {
                Fence::Open if matches!(c, '`' | '~') => Fence::Marks(c, 1),
                Fence::Marks(mark, count) if mark == c => Fence::Marks(mark, count + 1),
                Fence::Marks(_, 3..) | Fence::Info if c != '`' => Fence::Info,
                _ => Fence::Never,
            };
        }
        if !c.is_whitespace() {
            self.rule = match self.rule {
                Rule::Open if matches!(c, '-' | '*' | '_') => Rule::Of(c),
                Rule::Of(mark) if mark == c => Rule::Of(mark),
                _ => Rule::Never,
            };
        }
        if is_leading(self.decorated) && is_leading_mark(c) {
            self.decorated += c.len_utf8();
        }
        self.text.push(c);
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// The line without leading white space.
    pub(super) fn words(&self) -> &str {
        &self.text[self.indent..]
    }

    /// True while it can still become a rule.
    pub(super) fn could_be_rule(&self) -> bool {
        self.rule != Rule::Never
    }

    /// True while it can still become a fence.
    pub(super) fn could_be_fence(&self) -> bool {
        self.fence != Fence::Never && self.words().len() <= LONGEST_FENCE
    }

    /// True while it can still begin a remark.
    pub(super) fn could_begin_remark(&mut self) -> bool {
        let said = &self.text[self.decorated..];
        if said.len() <= DECIDING {
            return phrases::could_begin_remark(said);
        }
        let deciding = &said[..said.floor_char_boundary(DECIDING)];
        *self.remark.get_or_insert_with(|| phrases::could_begin_remark(deciding))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Takes the text, leaving it empty.
    pub(super) fn take(&mut self) -> String {
        std::mem::take(self).text
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::line::Line;
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn what_it_keeps_is_what_the_whole_line_says(
            line in "[-*_> `~\\t\u{3000}＜a]{0,12}(let me know|I hope this |[`~]{3}|-{3})?[-`~ a!]{0,90}"
        ) {
            let mut pending = Pending::default();
            for c in line.chars() {
                pending.push(c);
                let whole = pending.as_str();
                prop_assert_eq!(pending.words(), whole.trim_start());
                prop_assert_eq!(pending.could_be_rule(), Line::could_be_rule(whole));
                prop_assert_eq!(pending.could_be_fence() || pending.words().is_empty(), Line::could_be_fence(whole));
                if whole.len() <= DECIDING {
                    let expected = phrases::could_begin_remark(whole);
                    prop_assert_eq!(pending.could_begin_remark(), expected);
                }
            }
            prop_assert_eq!(pending.take(), line);
            prop_assert!(pending.is_empty() && pending.could_be_rule());
        }
    }
}
