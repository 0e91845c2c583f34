//! A page of text in the making: what it will be shown on, and the few ways to emphasise.
//!
//! Colour means something: one role each for a heading, a thing to copy, success, warning, failure and the less
//! important. Texts of users and models go through [`Page::text`], which keeps their control characters from
//! reaching a terminal, so no stored text can move the cursor or retitle a window.

use aludel_core::error::Fault;
use anstyle::{AnsiColor, Effects, Style};

/// Columns of running text on a wide terminal; longer lines are hard to read.
const WIDEST_TEXT: usize = 100;

/// Whether colour codes are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paint {
    /// With colour codes.
    Colour,
    /// Without.
    Plain,
}

/// What a piece of text is, which decides its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A heading.
    Heading,
    /// Something to copy: an id, a command.
    Handle,
    /// Well done.
    Good,
    /// To be looked at.
    Warning,
    /// Failed.
    Bad,
    /// Less important.
    Faint,
    /// Plain text.
    Body,
}

impl Role {
    fn style(self) -> Style {
        let of = |colour: AnsiColor| Style::new().fg_color(Some(colour.into()));
        match self {
            Self::Heading => Style::new().effects(Effects::BOLD),
            Self::Handle => of(AnsiColor::Cyan),
            Self::Good => of(AnsiColor::Green),
            Self::Warning => of(AnsiColor::Yellow),
            Self::Bad => of(AnsiColor::Red).effects(Effects::BOLD),
            Self::Faint => Style::new().effects(Effects::DIMMED),
            Self::Body => Style::new(),
        }
    }
}

impl Paint {
    /// The text in the colour of its role.
    pub(crate) fn text(self, role: Role, text: &str) -> String {
        match (self, role) {
            (Self::Plain, _) | (_, Role::Body) => text.to_owned(),
            (Self::Colour, role) => {
                let style = role.style();
                format!("{style}{text}{style:#}")
            }
        }
    }
}

/// A page of text in the making.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    text: String,
    paint: Paint,
    width: usize,
    is_terminal: bool,
}

impl Page {
    /// An empty page for an output `width` columns wide.
    pub(crate) fn new(paint: Paint, width: usize, is_terminal: bool) -> Self {
        Self { text: String::new(), paint, width, is_terminal }
    }

    /// Columns of a line on a terminal.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// True on a terminal, where space is short and a person reads.
    pub(crate) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// How to paint.
    pub(crate) fn paint(&self) -> Paint {
        self.paint
    }

    /// The text so far.
    pub(crate) fn finish(self) -> String {
        self.text
    }

    /// Adds a line.
    pub(crate) fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Adds a line in the colour of its role.
    pub(crate) fn painted(&mut self, role: Role, text: &str) {
        let text = self.paint.text(role, text);
        self.line(&text);
    }

    /// Adds running text, on a terminal broken between words; its lines after the first are indented.
    pub(crate) fn paragraph(&mut self, role: Role, text: &str, indent: usize) {
        if !self.is_terminal {
            return self.painted(role, text);
        }
        for line in broken(&harmless(text), self.width, indent) {
            self.painted(role, &line);
        }
    }

    /// Adds running text with a mark before it, which alone is painted; lines after the first are indented.
    pub(crate) fn marked(&mut self, role: Role, mark: &str, text: &str, indent: usize) {
        let start = self.text.len();
        self.paragraph(Role::Body, &format!("{mark} {text}"), indent);
        let painted = self.paint.text(role, mark);
        self.text.replace_range(start..start + mark.len(), &painted);
    }

    /// Adds an empty line.
    pub(crate) fn gap(&mut self) {
        self.text.push('\n');
    }

    /// Adds a rule across the page with a title.
    pub(crate) fn rule(&mut self, title: &str) {
        let title = if self.is_terminal { super::cut(title, self.width.saturating_sub(8)) } else { title.to_owned() };
        let drawn = textwrap::core::display_width(&title) + 4;
        let rest = "─".repeat(self.width.saturating_sub(drawn));
        let line = format!(
            "{} {} {}",
            self.paint.text(Role::Faint, "──"),
            self.paint.text(Role::Heading, &title),
            self.paint.text(Role::Faint, &rest)
        );
        self.line(line.trim_end());
    }

    /// Adds a text of a user or a model, ended by one line end. On a terminal long lines are broken between words and
    /// control characters are shown as pictures; elsewhere it is as it is.
    pub(crate) fn text(&mut self, text: &str) {
        if self.is_terminal {
            let lines = wrapped(&harmless(text), self.width.min(WIDEST_TEXT));
            self.text.push_str(&lines);
        } else {
            self.exactly(text);
        }
    }

    /// As [`Page::text`], with every line as long as it is, for copying.
    pub(crate) fn exactly(&mut self, text: &str) {
        self.piece(text);
        if !text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// Adds a piece of a text of a model; what follows may go on in the same line.
    pub(crate) fn piece(&mut self, text: &str) {
        if self.is_terminal { self.text.push_str(&harmless(text)) } else { self.text.push_str(text) }
    }

    /// Says what went wrong: one sentence, or a list when there are several faults, and how many further ones there
    /// are.
    pub(crate) fn error(&mut self, detail: &str, faults: &[Fault], further: Option<&str>) {
        if faults.len() > 1 {
            let more = further.map_or_else(String::new, |further| format!(", {further}"));
            self.marked(Role::Bad, "error:", &format!("{} things are wrong{more}:", faults.len()), 7);
            let widest = faults.iter().map(|fault| fault.field.chars().count()).max().unwrap_or(0);
            for fault in faults {
                self.paragraph(Role::Body, &format!("  {:widest$}  {}", fault.field, fault.message), widest + 4);
            }
            return;
        }
        let mut lines = detail.lines();
        self.marked(Role::Bad, "error:", lines.next().unwrap_or_default(), 7);
        for line in lines {
            self.paragraph(Role::Body, &format!("       {line}"), 7);
        }
    }

    /// Says what to do.
    pub(crate) fn hint(&mut self, hint: &str) {
        self.marked(Role::Handle, "hint:", hint, 6);
    }
}

/// The text with its long lines broken between words, lists hanging, what is inside a fence left alone.
fn wrapped(text: &str, width: usize) -> String {
    let mut lines = String::with_capacity(text.len() + text.len() / 20);
    let mut is_fenced = false;
    for line in text.lines() {
        let is_fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        is_fenced ^= is_fence;
        if is_fence || is_fenced || line.len() <= width {
            lines.push_str(line);
            lines.push('\n');
            continue;
        }
        for part in broken(line, width, hanging_indent(line)) {
            lines.push_str(&part);
            lines.push('\n');
        }
    }
    lines
}

/// The line broken between words; those after the first are indented.
pub(super) fn broken(line: &str, width: usize, indent: usize) -> Vec<String> {
    let hanging = " ".repeat(indent);
    let options = textwrap::Options::new(width)
        .subsequent_indent(&hanging)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit)
        .break_words(false);
    textwrap::wrap(line, options).into_iter().map(std::borrow::Cow::into_owned).collect()
}

/// Columns before the words of a line: its indentation and the mark of a list.
fn hanging_indent(line: &str) -> usize {
    let words = line.trim_start();
    let indentation = line.len() - words.len();
    let mark = match words.split_once(' ') {
        Some(("-" | "*" | "+" | "•", _)) => 2,
        Some((mark, _))
            if mark.len() <= 4 && mark.ends_with(['.', ')']) && mark.starts_with(|c: char| c.is_ascii_digit()) =>
        {
            mark.len() + 1
        }
        _ => 0,
    };
    indentation + mark
}

/// The text with control characters as pictures (U+2400 and following), line ends and tabs kept.
pub(crate) fn harmless(text: &str) -> String {
    let harmful = |c: char| c.is_control() && c != '\n' && c != '\t';
    if !text.contains(harmful) {
        return text.to_owned();
    }
    text.chars()
        .filter(|c| *c != '\r')
        .map(|c| match u32::from(c) {
            code @ 0..0x20 if harmful(c) => char::from_u32(0x2400 + code).unwrap_or('\u{fffd}'),
            0x7f => '\u{2421}',
            0x80..0xa0 => '\u{fffd}',
            _ => c,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_never_reach_a_terminal() {
        assert_eq!(harmless("a\u{1b}[2Jb\r\n\tc\u{9b}"), "a␛[2Jb\n\tc\u{fffd}");
        let mut page = Page::new(Paint::Plain, 80, false);
        page.text("a\u{1b}b");
        assert_eq!(page.finish(), "a\u{1b}b\n");
    }

    #[test]
    fn long_lines_break_between_words_on_a_terminal_alone() {
        let text = "- one two three four\n```\nlet long = code(that, stays);\n```\n12. five six seven eight";
        let on = |is_terminal| {
            let mut page = Page::new(Paint::Plain, 12, is_terminal);
            page.text(text);
            page.finish()
        };
        assert_eq!(
            on(true),
            "- one two\n  three four\n```\nlet long = code(that, stays);\n```\n12. five six\n    seven\n    eight\n"
        );
        assert_eq!(on(false), format!("{text}\n"));
    }

    #[test]
    fn colour_codes_are_written_only_when_wanted() {
        assert_eq!(Paint::Plain.text(Role::Bad, "x"), "x");
        assert!(Paint::Colour.text(Role::Bad, "x").starts_with('\u{1b}'));
        assert_eq!(Paint::Colour.text(Role::Body, "x"), "x");
    }

    #[test]
    fn several_faults_become_a_list() {
        let mut page = Page::new(Paint::Plain, 80, false);
        page.error("…", &[Fault::new("count", "too many"), Fault::new("phases[1]", "unknown")], None);
        assert_eq!(page.finish(), "error: 2 things are wrong:\n  count      too many\n  phases[1]  unknown\n");
    }
}
