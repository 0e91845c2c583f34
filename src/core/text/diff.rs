//! Word by word, how one text is made of another.
//!
//! Texts are cut into words and what is between them (Unicode UAX #29) and compared by Myers' algorithm as `similar`
//! bounds it, so that texts without anything in common take no quadratic time. Changes that only blanks or marks
//! separate are joined: people read a changed phrase, not its every other word.
//!
//! What always holds: the equal and the deleted pieces are the first text, the equal and the inserted ones the second;
//! no piece is empty, no two neighbours have the same operation, and of a change the deleted piece comes first.

use similar::{Algorithm, ChangeTag, TextDiff};
use unicode_segmentation::UnicodeSegmentation;

use crate::domain::{DiffOp, DiffPart};

/// Unchanged lines around each change of a unified diff.
const CONTEXT: usize = 3;

/// How `second` is made of `first`.
pub fn words(first: &str, second: &str) -> Vec<DiffPart> {
    let diff = TextDiff::configure().algorithm(Algorithm::Myers).diff_unicode_words(first, second);
    let mut gathered = Gathered::default();
    for change in diff.iter_all_changes() {
        gathered.take(change.tag(), change.value());
    }
    gathered.finish()
}

/// How `second` is made of `first`, line by line: a unified diff without file names, three lines around each change.
/// Empty for equal texts.
pub fn unified(first: &str, second: &str) -> String {
    let diff = TextDiff::configure().algorithm(Algorithm::Myers).diff_lines(first, second);
    diff.unified_diff().context_radius(CONTEXT).to_string()
}

/// The share of words that stay, 0..=1: of two equal texts 1, of two without words 1.
pub fn similarity(parts: &[DiffPart]) -> f64 {
    let count = |op: DiffOp| -> usize {
        parts.iter().filter(|part| part.op == op).map(|part| part.text.unicode_words().count()).sum()
    };
    let (equal, changed) = (2 * count(DiffOp::Equal), count(DiffOp::Insert) + count(DiffOp::Delete));
    if equal + changed == 0 { 1.0 } else { equal as f64 / (equal + changed) as f64 }
}

/// The pieces so far, and the change under way.
#[derive(Default)]
struct Gathered {
    parts: Vec<DiffPart>,
    deleted: String,
    inserted: String,
    /// Equal text after a change that may turn out to be between two changes.
    between: String,
}

impl Gathered {
    fn take(&mut self, tag: ChangeTag, text: &str) {
        match tag {
            ChangeTag::Equal => {
                let in_a_change = !(self.deleted.is_empty() && self.inserted.is_empty());
                if in_a_change && may_be_joined(text) {
                    self.between.push_str(text);
                } else {
                    self.end_change();
                    push(&mut self.parts, DiffOp::Equal, text);
                }
            }
            ChangeTag::Delete => {
                self.join();
                self.deleted.push_str(text);
            }
            ChangeTag::Insert => {
                self.join();
                self.inserted.push_str(text);
            }
        }
    }

    /// What was between two changes belongs to both.
    fn join(&mut self) {
        let between = std::mem::take(&mut self.between);
        self.deleted.push_str(&between);
        self.inserted.push_str(&between);
    }

    fn end_change(&mut self) {
        for (op, text) in [(DiffOp::Delete, &mut self.deleted), (DiffOp::Insert, &mut self.inserted)] {
            push(&mut self.parts, op, &std::mem::take(text));
        }
        push(&mut self.parts, DiffOp::Equal, &std::mem::take(&mut self.between));
    }

    fn finish(mut self) -> Vec<DiffPart> {
        self.end_change();
        begin_at_lines(self.parts)
    }
}

/// Moves what came or went by itself to the beginning of its line, where the text allows it: a list loses `- two\n` and not
/// `two\n- `.
fn begin_at_lines(parts: Vec<DiffPart>) -> Vec<DiffPart> {
    let mut moved: Vec<DiffPart> = Vec::with_capacity(parts.len());
    let mut rest = parts.into_iter().peekable();
    while let Some(mut part) = rest.next() {
        let is_alone = part.op != DiffOp::Equal && rest.peek().is_none_or(|next| next.op == DiffOp::Equal);
        if let Some(before) = moved.last_mut().filter(|before| is_alone && before.op == DiffOp::Equal) {
            let line = before.text.rfind('\n').map_or(0, |end| end + 1);
            let head = before.text[line..].to_owned();
            if !head.is_empty() && part.text.contains('\n') && part.text.ends_with(&head) {
                before.text.truncate(line);
                part.text.truncate(part.text.len() - head.len());
                part.text.insert_str(0, &head);
                if before.text.is_empty() {
                    moved.pop();
                }
                match rest.peek_mut() {
                    Some(after) => after.text.insert_str(0, &head),
                    None => {
                        moved.push(part);
                        part = DiffPart { op: DiffOp::Equal, text: head };
                    }
                }
            }
        }
        moved.push(part);
    }
    moved
}

/// True for what separates words within a line.
fn may_be_joined(text: &str) -> bool {
    text.chars().all(|character| !character.is_alphanumeric() && character != '\n' && character != '\r')
}

fn push(parts: &mut Vec<DiffPart>, op: DiffOp, text: &str) {
    if text.is_empty() {
        return;
    }
    match parts.last_mut() {
        Some(last) if last.op == op => last.text.push_str(text),
        _ => parts.push(DiffPart { op, text: text.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(first: &str, second: &str) -> String {
        let piece = |part: DiffPart| match part.op {
            DiffOp::Equal => part.text,
            DiffOp::Delete => format!("[-{}-]", part.text),
            DiffOp::Insert => format!("{{+{}+}}", part.text),
        };
        words(first, second).into_iter().map(piece).collect()
    }

    #[test]
    fn a_changed_word_is_one_change() {
        assert_eq!(shown("at most 7 findings", "at most 5 findings"), "at most [-7-]{+5+} findings");
        assert_eq!(shown("a reviewer.", "a reviewer for a team."), "a reviewer{+ for a team+}.");
        assert_eq!(shown("世界地图", "世界語"), "世界[-地图-]{+語+}");
    }

    #[test]
    fn a_changed_phrase_reads_as_one() {
        assert_eq!(
            shown("Unsure? Say unverified now", "Never guess: mark unverified now"),
            "[-Unsure? Say-]{+Never guess: mark+} unverified now"
        );
    }

    #[test]
    fn a_line_that_goes_goes_whole() {
        assert_eq!(shown("- one\n- two\n- three", "- one\n- three"), "- one\n[-- two\n-]- three");
        assert_eq!(shown("- one\n- two", "- one\n- new\n- two"), "- one\n{+- new\n+}- two");
    }

    #[test]
    fn changes_on_two_lines_stay_two() {
        assert_eq!(shown("one\ntwo", "eins\nzwei"), "[-one-]{+eins+}\n[-two-]{+zwei+}");
    }

    #[test]
    fn a_unified_difference_names_lines_and_their_end() {
        assert_eq!(unified("one\ntwo\n", "one\nzwei\n"), "@@ -1,2 +1,2 @@\n one\n-two\n+zwei\n");
        assert!(unified("a", "b").contains("\\ No newline at end of file"));
        assert_eq!(unified("same", "same"), "");
    }

    #[test]
    fn similarity_counts_words() {
        assert!((similarity(&words("a b c d", "a b c x")) - 0.75).abs() < 1e-9);
        assert!((similarity(&words("", "")) - 1.0).abs() < 1e-9);
        assert!(similarity(&words("a", "b")).abs() < 1e-9);
    }

    #[test]
    fn long_texts_without_anything_in_common_are_compared_too() {
        let text = |seed: u64| (0..20_000_u64).map(|n| format!("w{}", n * 2 + seed)).collect::<Vec<_>>().join(" ");
        let parts = words(&text(0), &text(1));
        assert_eq!(parts.len(), 2, "one change");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_pieces_are_both_texts(first in "([ab,é世]{0,3}[ \n\r\t]?){0,12}", second in "([ab,é世]{0,3}[ \n\r\t]?){0,12}") {
            let parts = words(&first, &second);
            let of = |other: DiffOp| parts.iter().filter(|part| part.op != other).map(|part| part.text.as_str()).collect::<String>();
            prop_assert_eq!(of(DiffOp::Insert), first.clone());
            prop_assert_eq!(of(DiffOp::Delete), second.clone());
            prop_assert!(parts.iter().all(|part| !part.text.is_empty()));
            for pair in parts.windows(2) {
                prop_assert!(pair[0].op != pair[1].op);
                prop_assert!((pair[0].op, pair[1].op) != (DiffOp::Insert, DiffOp::Delete));
            }
            prop_assert!((0.0..=1.0).contains(&similarity(&parts)));
        }

        #[test]
        fn any_text_is_equal_to_itself(text in "\\PC{0,80}") {
            prop_assert!(words(&text, &text).iter().all(|part| part.op == DiffOp::Equal));
        }
    }
}
