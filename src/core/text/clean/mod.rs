//! Cleaning: extracts the prompt from a model's streamed reply.
//!
//! Removed are: reasoning between `<think>` tags at the start; preambles ("Sure, here is your
//! prompt:"); a code fence around the whole; closing remarks ("Let me know if …"); control
//! characters and terminal sequences. Outer white space is trimmed. [`phrases`] is conservative.
//!
//! What always holds: the pieces returned by [`Cleaner::push`] and [`Cleaner::finish`] concatenate
//! to the cleaned text, which does not depend on how the reply was split, because characters are
//! handled one by one (or in bulk where it makes no difference). Shown text is never retracted, so
//! undecided text is held: the first line; short text in a bare fence that opens the reply
//! ([`UNSURE_LIMIT`] characters); and from a closing fence, a rule or a remark on, until the reply
//! continues or ends. A reply of which nothing would remain is kept whole, except its reasoning;
//! and what is in the user's own texts ([`Cleaner::keeping`]) is never removed as small talk.

mod control;
mod line;
mod pending;
mod phrases;
mod users;

use control::ControlFilter;
use line::Line;
use pending::Pending;
use users::UsersTexts;

use crate::visited::visit;

/// Characters held before a fence that opens the reply without a preamble counts as the outer one.
/// It is then dropped; if text follows its end, only the opening fence is lost.
pub const UNSURE_LIMIT: usize = 1500;

/// Maximum number of announcements removed; later ones belong to the prompt.
const MOST_ANNOUNCEMENTS: usize = 16;

/// A line this long, in bytes, that has not begun a commentary is none.
const LONGEST_UNDECIDED_COMMENTARY: usize = 120;

const THINK: &str = "<think>";
const THINK_END: &str = "</think>";

/// Cleans a whole reply.
pub fn clean(reply: &str) -> String {
    let mut cleaner = Cleaner::new();
    let mut text = cleaner.push(reply);
    text.push_str(&cleaner.finish());
    text
}

/// Cleans a reply while it streams.
#[derive(Debug, Default)]
pub struct Cleaner {
    controls: ControlFilter,
    stage: Stage,
    /// The current line while undecided.
    line: Pending,
    line_mode: LineMode,
    /// Number of preambles removed.
    announcements: usize,
    /// True once a rule after a preamble was removed.
    ruled: bool,
    wrap: OuterFence,
    /// Fence lines since the outer fence opened, or in total.
    fences: usize,
    /// White space to show when text follows.
    gap: String,
    /// The current paragraph, if it began like a remark.
    remark: Option<String>,
    tail: Tail,
    /// All text so far, until some of it is shown.
    whole: String,
    shown_any: bool,
    kept: UsersTexts,
    out: String,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// White space, or the beginning of a reasoning tag.
    #[default]
    Lead,
    Reasoning,
    /// The first lines: preambles, a rule, the outer fence.
    Head,
    Body,
}

/// What happens to the rest of the line.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum LineMode {
    #[default]
    Undecided,
    Shown,
    /// It follows the likely end of the outer fence.
    Held,
}

/// The code fence around the whole reply.
#[derive(Debug, Default)]
enum OuterFence {
    #[default]
    None,
    /// It opened the reply, and may be a code block of the prompt itself.
    Unsure {
        opening: String,
        inside: String,
    },
    Sure,
}

/// Text that is dropped if the reply ends with it, and shown if the reply goes on.
#[derive(Debug, Default)]
struct Tail {
    text: String,
    kind: TailKind,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TailKind {
    #[default]
    Empty,
    Rule,
    Remark,
    /// Possibly the end of the outer fence.
    Closed,
    /// Possibly the end of the outer fence, then text about the prompt.
    Commented,
}

impl Cleaner {
    /// Starts cleaning a reply.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts cleaning a reply in which lines of these texts, the user's own, are always content.
    pub fn keeping<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        Self { kept: UsersTexts::new(texts), ..Self::default() }
    }

    /// Takes the next piece of the reply, split anywhere; returns the text to show now.
    pub fn push(&mut self, piece: &str) -> String {
        let mut rest = piece;
        while let Some(c) = rest.chars().next() {
            let plain = self.plain_beginning(rest);
            if plain > 0 {
                self.show(&rest[..plain]);
                self.controls.pass();
                rest = &rest[plain..];
                continue;
            }
            if let Some(c) = self.controls.take(c) {
                self.take(c);
            }
            rest = &rest[c.len_utf8()..];
        }
        std::mem::take(&mut self.out)
    }

    /// How many bytes of `text` can be shown in bulk: those inside a line that is being shown.
    fn plain_beginning(&self, text: &str) -> usize {
        let is_shown = self.stage == Stage::Body && self.line_mode == LineMode::Shown && self.shown_any;
        if !is_shown || !self.controls.is_in_text() {
            return 0;
        }
        let is_plain = |c: char| matches!(c, ' '..='~') || (c > '\u{a0}' && c != '\u{feff}' && !c.is_whitespace());
        text.find(|c| !is_plain(c)).unwrap_or(text.len())
    }

    /// Ends the reply; returns the rest of the cleaned text.
    pub fn finish(mut self) -> String {
        if self.stage == Stage::Lead || self.stage == Stage::Head {
            let line = self.line.take();
            if !self.is_preamble(&line) {
                self.enter_body(&line);
            }
        }
        if self.stage == Stage::Body {
            let line = self.line.take();
            if !line.is_empty() {
                self.end_line(&line);
            }
            self.end_remark();
            let ends_with_tail = self.tail.kind >= TailKind::Remark || (self.tail.kind == TailKind::Rule && self.ruled);
            if !ends_with_tail || self.kept.hold_any_of(&self.tail.text) {
                self.show_tail();
            }
            self.settle_outer_fence();
        }
        if !self.shown_any {
            self.whole.trim().clone_into(&mut self.out);
        }
        self.out
    }

    fn take(&mut self, c: char) {
        visit(1);
        match self.stage {
            Stage::Lead => self.lead(c),
            Stage::Reasoning => self.reasoning(c),
            Stage::Head => self.head(c),
            Stage::Body => self.body(c),
        }
    }

    fn lead(&mut self, c: char) {
        if self.line.is_empty() && c.is_whitespace() {
            return;
        }
        self.line.push(c);
        if self.line.as_str() == THINK {
            self.line.clear();
            self.stage = Stage::Reasoning;
        } else if !THINK.starts_with(self.line.as_str()) {
            self.stage = Stage::Head;
            for c in self.line.take().chars() {
                self.head(c);
            }
        }
    }

    fn reasoning(&mut self, c: char) {
        self.line.push(c);
        let line = self.line.as_str();
        if line.ends_with(THINK_END) {
            self.line.clear();
            self.stage = Stage::Lead;
        } else if line.len() > 4 * THINK_END.len() {
            // Only the last characters can belong to the end tag.
            let line = self.line.take();
            line[line.ceil_char_boundary(line.len() - THINK_END.len())..].chars().for_each(|c| self.line.push(c));
        }
    }

    fn head(&mut self, c: char) {
        if self.stage != Stage::Head {
            return self.body(c);
        }
        self.remember(c);
        if c == '\n' {
            let line = self.line.take();
            return self.head_line(&line);
        }
        if !c.is_whitespace() && self.follows_inline_preamble() {
            self.introduce();
            self.line.clear();
        }
        self.line.push(c);
        let undecided = self.line.words().is_empty()
            || self.line.could_be_fence()
            || self.line.could_be_rule()
            || phrases::could_be_preamble(self.line.as_str());
        if !undecided {
            let line = self.line.take();
            self.enter_body(&line);
        }
    }

    /// True if the line so far announces the prompt with a colon and the prompt itself follows.
    fn follows_inline_preamble(&self) -> bool {
        let line = self.line.as_str().trim_end();
        line.len() < self.line.as_str().len()
            && line.ends_with([':', '：'])
            && phrases::is_inline_preamble(line)
            && self.may_be_announcement(line)
    }

    fn is_preamble(&self, line: &str) -> bool {
        phrases::is_preamble(line) && self.may_be_announcement(line)
    }

    /// True for a line that the user did not write, within the limit of announcements.
    fn may_be_announcement(&self, line: &str) -> bool {
        self.announcements < MOST_ANNOUNCEMENTS && !self.kept.hold_any_of(line)
    }

    fn is_introduced(&self) -> bool {
        self.announcements > 0
    }

    fn introduce(&mut self) {
        self.announcements += 1;
        if matches!(self.wrap, OuterFence::Unsure { .. }) {
            self.wrap = OuterFence::Sure;
        }
    }

    fn head_line(&mut self, line: &str) {
        if line.trim().is_empty() {
            if let OuterFence::Unsure { opening, .. } = &mut self.wrap {
                opening.push_str(line);
                opening.push('\n');
            }
        } else if self.is_preamble(line) {
            self.introduce();
        } else if self.is_introduced() && !self.ruled && Line::is_rule(line) {
            self.ruled = true;
        } else if matches!(self.wrap, OuterFence::None) && Line::opens_outer_fence(line, self.is_introduced()) {
            self.wrap = if self.is_introduced() {
                OuterFence::Sure
            } else {
                OuterFence::Unsure { opening: format!("{}\n", line.trim()), inside: String::new() }
            };
        } else {
            self.enter_body(line);
            self.body_text('\n');
        }
    }

    /// Takes `line`, the first of the prompt itself, and continues with the body.
    fn enter_body(&mut self, line: &str) {
        self.stage = Stage::Body;
        let text = line.trim_start();
        if let OuterFence::Unsure { opening, .. } = &mut self.wrap {
            opening.push_str(&line[..line.len() - text.len()]);
        }
        for c in text.chars() {
            self.body_text(c);
        }
    }

    fn body(&mut self, c: char) {
        self.remember(c);
        self.body_text(c);
    }

    fn body_text(&mut self, c: char) {
        match self.line_mode {
            LineMode::Undecided if c == '\n' => {
                let line = self.line.take();
                self.end_line(&line);
                self.line_mode = LineMode::Undecided;
                self.space('\n');
            }
            LineMode::Undecided => {
                self.line.push(c);
                if !self.could_be_special() {
                    let line = self.line.take();
                    self.ordinary(&line);
                }
            }
            mode => {
                if c.is_whitespace() {
                    self.space(c);
                } else if mode == LineMode::Held {
                    self.hold(c.encode_utf8(&mut [0; 4]), TailKind::Closed);
                } else {
                    self.show(c.encode_utf8(&mut [0; 4]));
                }
                if c == '\n' {
                    self.line_mode = LineMode::Undecided;
                }
            }
        }
    }

    /// Adds white space to the held paragraph, or keeps it until text follows.
    fn space(&mut self, c: char) {
        match &mut self.remark {
            Some(paragraph) => paragraph.push(c),
            None => self.gap.push(c),
        }
    }

    /// True while the line so far can be a fence, a rule, a remark, or anything else special.
    fn could_be_special(&mut self) -> bool {
        let line = self.line.words();
        let length = line.len();
        if length == 0 || self.line.could_be_fence() {
            return true;
        }
        if let Some(paragraph) = &self.remark {
            return paragraph.len() + length <= phrases::LONGEST_REMARK;
        }
        if self.is_inside_code() {
            return false;
        }
        self.line.could_be_rule()
            || (length <= phrases::LONGEST_REMARK && self.line.could_begin_remark())
            || (length < LONGEST_UNDECIDED_COMMENTARY
                && self.tail.kind >= TailKind::Closed
                && phrases::could_begin_commentary(self.line.words()))
    }

    fn is_inside_code(&self) -> bool {
        self.fences % 2 == 1 && self.tail.kind < TailKind::Closed
    }

    /// Handles a whole line that was undecided to its end.
    fn end_line(&mut self, line: &str) {
        if line.trim().is_empty() {
            self.end_remark();
            self.gap.push_str(line);
        } else if let Some(info) = Line::fence(line) {
            self.end_remark();
            self.fence(line, info);
        } else if let Some(paragraph) = &mut self.remark {
            paragraph.push_str(line);
        } else if self.is_inside_code() {
            self.ordinary(line);
        } else if phrases::begins_remark(line) {
            self.remark = Some(line.to_owned());
        } else if Line::is_rule(line) {
            self.hold(line, TailKind::Rule);
        } else if self.tail.kind >= TailKind::Closed && phrases::is_commentary(line) {
            self.hold(line, TailKind::Commented);
        } else {
            self.ordinary(line);
        }
    }

    fn fence(&mut self, line: &str, info: &str) {
        self.fences += 1;
        let may_close = !matches!(self.wrap, OuterFence::None) && self.fences % 2 == 1 && info.is_empty();
        if may_close {
            self.hold(line, TailKind::Closed);
        } else {
            // The held text was not the end after all: this fence pairs with the one before.
            self.show_tail();
            self.show(line);
        }
    }

    /// Ends a paragraph that began like a remark, and decides what it is.
    fn end_remark(&mut self) {
        let Some(paragraph) = self.remark.take() else { return };
        let text = paragraph.trim_end();
        if phrases::is_remark(text) {
            self.hold(text, TailKind::Remark);
        } else {
            self.ordinary(text);
        }
        self.gap.push_str(&paragraph[text.len()..]);
    }

    fn hold(&mut self, text: &str, kind: TailKind) {
        self.tail.text.push_str(&std::mem::take(&mut self.gap));
        self.tail.text.push_str(text);
        self.tail.kind = self.tail.kind.max(kind);
    }

    /// Handles a line, or its beginning, that is plain text.
    fn ordinary(&mut self, text: &str) {
        if let Some(paragraph) = self.remark.take() {
            self.gap.push_str(&paragraph);
        }
        let is_after_end =
            self.tail.kind == TailKind::Commented || (self.tail.kind == TailKind::Closed && self.is_introduced());
        if is_after_end {
            self.hold(text, TailKind::Closed);
            self.line_mode = LineMode::Held;
            return;
        }
        if self.tail.kind == TailKind::Closed
            && let OuterFence::Unsure { opening, inside } = std::mem::take(&mut self.wrap)
        {
            // Text continues after a short block: the block belongs to the prompt.
            self.emit(&opening);
            self.emit(&inside);
            self.fences = 0;
        }
        self.show_tail();
        self.show(text);
        self.line_mode = LineMode::Shown;
    }

    fn show_tail(&mut self) {
        let gap = std::mem::take(&mut self.gap);
        let tail = std::mem::take(&mut self.tail);
        self.show(&tail.text);
        self.gap.push_str(&gap);
    }

    /// Shows `text` after pending white space; its trailing white space becomes pending.
    fn show(&mut self, text: &str) {
        visit(text.len());
        let words = text.trim_end();
        if !words.is_empty() {
            let gap = std::mem::take(&mut self.gap);
            self.emit_or_withhold(&gap);
            self.emit_or_withhold(words);
        }
        self.gap.push_str(&text[words.len()..]);
    }

    fn emit_or_withhold(&mut self, text: &str) {
        if let OuterFence::Unsure { inside, .. } = &mut self.wrap {
            inside.push_str(text);
            if inside.len() > UNSURE_LIMIT {
                self.settle_outer_fence();
            }
        } else {
            self.emit(text);
        }
    }

    /// Decides that the fence that opened the reply is the outer one.
    fn settle_outer_fence(&mut self) {
        if let OuterFence::Unsure { inside, .. } = std::mem::replace(&mut self.wrap, OuterFence::Sure) {
            self.emit(&inside);
        }
    }

    fn emit(&mut self, text: &str) {
        if self.shown_any {
            self.out.push_str(text);
            return;
        }
        let text = text.trim_start();
        if !text.is_empty() {
            self.shown_any = true;
            self.whole = String::new();
            self.out.push_str(text);
        }
    }

    fn remember(&mut self, c: char) {
        if !self.shown_any {
            self.whole.push(c);
        }
    }
}

#[cfg(test)]
mod tests;
