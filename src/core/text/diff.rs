//! The difference between two texts, word by word.
//!
//! Texts are split into words and separators (Unicode UAX #29) and compared by Myers' algorithm as
//! bounded by `similar`, so that texts with nothing in common do not take quadratic time. Changes
//! separated only by blanks or punctuation are joined, because people read changed phrases.
//!
//! What always holds: the equal and deleted pieces form the first text, the equal and inserted ones
//! the second; no piece is empty, neighbours differ in operation, and deletions come first.

use similar::{Algorithm, ChangeTag, TextDiff};
use unicode_segmentation::UnicodeSegmentation;

use crate::domain::{DiffOp, DiffPart};

/// Unchanged lines around each change of a unified diff.
const CONTEXT: usize = 3;

/// Maximum number of words and separators in both texts for comparing by words. Larger texts are
/// compared by lines; with more lines than this, everything between the common beginning and end is
/// one change. (The algorithm takes up to the square root of the length per word.)
const MOST_PIECES: usize = 200_000;

/// The changes from `first` to `second`.
pub fn words(first: &str, second: &str) -> Vec<DiffPart> {
    words_up_to(MOST_PIECES, first, second)
}

fn words_up_to(most: usize, first: &str, second: &str) -> Vec<DiffPart> {
    let mut configured = TextDiff::configure();
    let configured = configured.algorithm(Algorithm::Myers);
    let mut gathered = DiffBuilder::default();
    let is_few = |count: fn(&str) -> usize| count(first) + count(second) <= most;
    if is_few(|text| text.split_word_bounds().count()) {
        gathered.take_all(&configured.diff_unicode_words(first, second));
    } else if is_few(|text| text.lines().count()) {
        gathered.take_all(&configured.diff_lines(first, second));
    } else {
        gathered.take_ends(first, second);
    }
    gathered.finish()
}

/// The changes from `first` to `second` as a unified diff by lines, without file names, with three
/// lines of context. Empty for equal texts.
pub fn unified(first: &str, second: &str) -> String {
    let diff = TextDiff::configure().algorithm(Algorithm::Myers).diff_lines(first, second);
    diff.unified_diff().context_radius(CONTEXT).to_string()
}

/// The share of words that are unchanged, 0..=1; 1 for equal texts and for two without words.
pub fn similarity(parts: &[DiffPart]) -> f64 {
    let count = |op: DiffOp| -> usize {
        parts.iter().filter(|part| part.op == op).map(|part| part.text.unicode_words().count()).sum()
    };
    let (equal, changed) = (2 * count(DiffOp::Equal), count(DiffOp::Insert) + count(DiffOp::Delete));
    if equal + changed == 0 { 1.0 } else { equal as f64 / (equal + changed) as f64 }
}

/// The pieces so far, and the open change.
#[derive(Default)]
struct DiffBuilder {
    parts: Vec<DiffPart>,
    deleted: String,
    inserted: String,
    /// Equal text after a change, which may lie between two changes.
    between: String,
}

impl DiffBuilder {
    fn take_all(&mut self, diff: &TextDiff<'_, '_, str>) {
        for change in diff.iter_all_changes() {
            self.take(change.tag(), change.value());
        }
    }

    /// Makes everything between the common first and last lines one change.
    fn take_ends(&mut self, first: &str, second: &str) {
        let same = |pair: &(&str, &str)| pair.0 == pair.1;
        let lines = first.split_inclusive('\n').zip(second.split_inclusive('\n'));
        let head: usize = lines.take_while(same).map(|(line, _)| line.len()).sum();
        let (head, first, second) = (&first[..head], &first[head..], &second[head..]);
        let lines = first.split_inclusive('\n').rev().zip(second.split_inclusive('\n').rev());
        let tail: usize = lines.take_while(same).map(|(line, _)| line.len()).sum();
        self.take(ChangeTag::Equal, head);
        self.take(ChangeTag::Delete, &first[..first.len() - tail]);
        self.take(ChangeTag::Insert, &second[..second.len() - tail]);
        self.take(ChangeTag::Equal, &first[first.len() - tail..]);
    }

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

    /// Adds the text between two changes to both.
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

/// Shifts lone insertions and deletions to the beginning of a line where the text allows it: a list
/// loses `- two\n`, not `two\n- `. The equal piece before may be used up only if it is the first,
/// or two changes would meet.
fn begin_at_lines(parts: Vec<DiffPart>) -> Vec<DiffPart> {
    let mut moved: Vec<DiffPart> = Vec::with_capacity(parts.len());
    let mut rest = parts.into_iter().peekable();
    while let Some(mut part) = rest.next() {
        let is_alone = part.op != DiffOp::Equal && rest.peek().is_none_or(|next| next.op == DiffOp::Equal);
        let is_first = moved.len() == 1;
        if let Some(before) = moved.last_mut().filter(|before| is_alone && before.op == DiffOp::Equal) {
            let line = before.text.rfind('\n').map_or(0, |end| end + 1);
            let head = &before.text[line..];
            let may_move = !head.is_empty() && (line > 0 || is_first);
            if may_move && part.text.contains('\n') && part.text.ends_with(head) {
                let head = head.to_owned();
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

/// True for separators within a line.
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
    fn a_change_is_not_moved_to_meet_the_one_before_it() {
        assert_eq!(shown("世éé b世世世\t\r", "世a世b,é\nb世,世世世a,\té,\t世\té,世").matches("+}{+").count(), 0);
        let parts = words("世éé b世世世\t\r", "世a世b,é\nb世,世世世a,\té,\t世\té,世");
        assert!(parts.windows(2).all(|pair| pair[0].op != pair[1].op), "{parts:?}");
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

    #[test]
    fn long_texts_are_compared_by_lines_and_longer_ones_by_their_ends() {
        let (first, second) = ("same line\none two\nthree\nend", "same line\none zwei\nthree\nend");
        let shown =
            |most| words_up_to(most, first, second).into_iter().map(|part| (part.op, part.text)).collect::<Vec<_>>();
        let equal = |text: &str| (DiffOp::Equal, text.to_owned());
        let change = |deleted: &str, inserted: &str| {
            [(DiffOp::Delete, deleted.to_owned()), (DiffOp::Insert, inserted.to_owned())]
        };
        let [deleted, inserted] = change("two", "zwei");
        assert_eq!(shown(100), [equal("same line\none "), deleted, inserted, equal("\nthree\nend")]);
        let [deleted, inserted] = change("one two\n", "one zwei\n");
        let by_line = [equal("same line\n"), deleted, inserted, equal("three\nend")];
        assert_eq!(shown(8), by_line);
        assert_eq!(shown(0), by_line);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_pieces_are_both_texts(
            first in "([ab,é世]{0,3}[ \n\r\t]?){0,12}",
            second in "([ab,é世]{0,3}[ \n\r\t]?){0,12}",
            most in prop_oneof![Just(0_usize), Just(8), Just(MOST_PIECES)],
        ) {
            let parts = words_up_to(most, &first, &second);
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
