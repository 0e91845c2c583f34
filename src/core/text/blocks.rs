//! A text cut into its blocks: paragraphs, headings, list items, fenced code, and lines that are to be kept as they
//! stand (code without fences, logs, stack traces, tables, diffs).
//!
//! Every character that is not blank and not mere decoration (`---`, list markers, fences) is in exactly one block,
//! in order. One pass over the lines; how a single line looks is decided in [`super::lines`], sentences are cut by
//! [`super::sentences`].

use super::lines::{self, Look};

/// What a block is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockKind {
    /// Running text.
    Paragraph,
    /// A title of what follows: Markdown's `#`, or a short line in bold.
    Heading,
    /// One item of a list, with its marker (`-`, `1.`, `b)`).
    Item {
        /// The marker as written.
        marker: String,
    },
    /// Fenced code, without its fences.
    Fence {
        /// What follows the opening fence, such as `rust`.
        info: String,
    },
    /// Lines to be kept as they stand.
    Verbatim,
}

/// One block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// Its text, without marker, fences and surrounding blank lines.
    pub text: String,
    /// Where it begins, as a byte offset into the text that was cut.
    pub start: usize,
}

/// Cuts `text` into blocks.
pub fn blocks(text: &str) -> Vec<Block> {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut starts = Vec::with_capacity(lines.len());
    let mut offset = 0;
    for line in &lines {
        starts.push(offset);
        offset += line.len() + 1;
    }
    let looks = lines::looks(&lines);
    let mut cutter = Cutter { blocks: Vec::new(), open: false };
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        match &looks[at] {
            Look::Blank | Look::Decoration => cutter.open = false,
            Look::Fence => {
                at = cutter.fence(&lines, at, starts[at]);
                continue;
            }
            Look::Verbatim => {
                at = cutter.verbatim(&lines, &looks, at, starts[at]);
                continue;
            }
            Look::Heading => {
                cutter.begin(BlockKind::Heading, lines::heading_text(line).to_owned(), starts[at]);
                cutter.open = false;
            }
            Look::Item { marker } => {
                let body = line.trim_start()[marker.len()..].trim();
                cutter.begin(BlockKind::Item { marker: marker.clone() }, body.to_owned(), starts[at]);
            }
            Look::Prose => cutter.prose(line, starts[at]),
        }
        at += 1;
    }
    cutter.blocks.retain(|block| !block.text.trim().is_empty() || matches!(block.kind, BlockKind::Fence { .. }));
    cutter.blocks
}

/// The blocks so far, and whether the last one takes further lines.
struct Cutter {
    blocks: Vec<Block>,
    open: bool,
}

impl Cutter {
    fn begin(&mut self, kind: BlockKind, text: String, start: usize) {
        self.blocks.push(Block { kind, text, start });
        self.open = true;
    }

    /// A line of running text: goes on with an open paragraph, or with an open item when it is indented or plainly
    /// the rest of a sentence.
    fn prose(&mut self, line: &str, start: usize) {
        let trimmed = line.trim();
        let continues = match self.blocks.last() {
            Some(block) if self.open => match block.kind {
                BlockKind::Paragraph => true,
                BlockKind::Item { .. } => {
                    line.starts_with([' ', '\t']) || trimmed.chars().next().is_some_and(char::is_lowercase)
                }
                _ => false,
            },
            _ => false,
        };
        match self.blocks.last_mut() {
            Some(block) if continues => {
                block.text.push('\n');
                block.text.push_str(trimmed);
            }
            _ => self.begin(BlockKind::Paragraph, trimmed.to_owned(), start),
        }
    }

    fn fence(&mut self, lines: &[&str], at: usize, start: usize) -> usize {
        let opening = lines[at].trim();
        let mark = opening.chars().next().unwrap_or('`');
        let width = opening.chars().take_while(|c| *c == mark).count();
        let info = opening.trim_start_matches(mark).trim().to_owned();
        let closes = |line: &str| {
            let line = line.trim();
            line.chars().count() >= width && line.chars().all(|c| c == mark)
        };
        let end = lines[at + 1..].iter().position(|line| closes(line)).map_or(lines.len(), |n| at + 1 + n);
        self.begin(BlockKind::Fence { info }, lines[at + 1..end].join("\n"), start);
        self.open = false;
        end + 1
    }

    fn verbatim(&mut self, lines: &[&str], looks: &[Look], at: usize, start: usize) -> usize {
        let mut end = at + 1;
        let mut next = end;
        while next < lines.len() {
            match looks[next] {
                Look::Verbatim => end = next + 1,
                Look::Blank => {}
                _ => break,
            }
            next += 1;
        }
        self.begin(BlockKind::Verbatim, lines[at..end].join("\n"), start);
        self.open = false;
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str) -> Vec<(BlockKind, String)> {
        blocks(text).into_iter().map(|block| (block.kind, block.text)).collect()
    }

    #[test]
    fn paragraphs_lists_and_headings_are_told_apart() {
        let found = shape("# Title\nHello there.\nMore.\n\n- one\n  still one\n- two\n\n1. first\nb) second");
        let item = |marker: &str| BlockKind::Item { marker: marker.to_owned() };
        assert_eq!(
            found,
            vec![
                (BlockKind::Heading, "Title".into()),
                (BlockKind::Paragraph, "Hello there.\nMore.".into()),
                (item("-"), "one\nstill one".into()),
                (item("-"), "two".into()),
                (item("1."), "first".into()),
                (item("b)"), "second".into()),
            ]
        );
    }

    #[test]
    fn a_fence_is_kept_whole_even_when_it_holds_shorter_fences_or_never_closes() {
        let found = shape("````md\n```rust\nfn main() {}\n```\n````\nafter");
        assert_eq!(found[0], (BlockKind::Fence { info: "md".into() }, "```rust\nfn main() {}\n```".into()));
        assert_eq!(found[1], (BlockKind::Paragraph, "after".into()));
        assert_eq!(shape("```\nnever closed"), vec![(BlockKind::Fence { info: String::new() }, "never closed".into())]);
    }

    #[test]
    fn a_stack_trace_is_kept_as_it_stands() {
        let found = shape(
            "It crashes:\n\nTraceback (most recent call last):\n  File \"a.py\", line 3, in <module>\n    main()\nValueError: no\n\nWhy?",
        );
        assert_eq!(found.len(), 3, "{found:?}");
        assert_eq!(found[1].0, BlockKind::Verbatim);
        assert!(found[1].1.ends_with("ValueError: no"));
    }
}
