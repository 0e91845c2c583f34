//! A page of text under construction: its output's properties, and a few kinds of emphasis.
//!
//! Each colour has one meaning: heading, thing to copy, success, warning, failure, less important.
//! A page takes only [`EscapedText`], which escapes every string, so no stored text can control a
//! terminal. The exception is data requested alone and written to a pipe: [`Page::exactly`].

use aludel_core::error::Fault;
use aludel_core::text::shown::{escape, escape_line};
use anstyle::{AnsiColor, Effects, Style};

use crate::cli::shown::EscapedText;
use crate::cli::view::symbols::ACROSS;

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

/// The role of a piece of text, which decides its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A heading.
    Heading,
    /// Something to copy: an id, a command.
    Handle,
    /// Success.
    Good,
    /// Needs attention.
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
    pub(crate) fn text(self, role: Role, text: &str) -> EscapedText {
        match (self, role) {
            (Self::Plain, _) | (_, Role::Body) => text.into(),
            (Self::Colour, role) => EscapedText::styled(role.style(), text),
        }
    }
}

/// A page of text under construction.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    shown: EscapedText,
    paint: Paint,
    width: usize,
    is_terminal: bool,
}

impl Page {
    /// An empty page for an output `width` columns wide.
    pub(crate) fn new(paint: Paint, width: usize, is_terminal: bool) -> Self {
        Self { shown: EscapedText::default(), paint, width, is_terminal }
    }

    /// Columns of a line on a terminal.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// True on a terminal, where space is short and a person reads.
    pub(crate) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Whether colour codes are written.
    pub(crate) fn paint(&self) -> Paint {
        self.paint
    }

    /// The text so far.
    pub(crate) fn finish(self) -> EscapedText {
        self.shown
    }

    /// Adds a line.
    pub(crate) fn line(&mut self, text: impl Into<EscapedText>) {
        self.shown.add(text);
        self.gap();
    }

    /// Adds a line in the colour of its role.
    pub(crate) fn painted(&mut self, role: Role, text: &str) {
        self.line(self.paint.text(role, text));
    }

    /// Adds running text, wrapped on a terminal; lines after the first are indented.
    pub(crate) fn paragraph(&mut self, role: Role, text: &str, indent: usize) {
        if !self.is_terminal {
            return self.painted(role, text);
        }
        for line in broken(text, self.width, indent) {
            self.painted(role, &line);
        }
    }

    /// Adds running text after a mark, which alone is coloured; lines after the first are indented.
    pub(crate) fn marked(&mut self, role: Role, mark: &str, text: &str, indent: usize) {
        let whole = format!("{mark} {text}");
        let lines = if self.is_terminal { broken(&whole, self.width, indent) } else { vec![whole] };
        let mut lines = lines.iter();
        if let Some(first) = lines.next() {
            let rest = first.strip_prefix(mark).unwrap_or(first);
            self.line(EscapedText::of_parts([self.paint.text(role, mark), rest.into()]));
        }
        lines.for_each(|line| self.line(line));
    }

    /// Adds an empty line.
    pub(crate) fn gap(&mut self) {
        self.shown.add("\n");
    }

    /// Adds a rule with a title across the page.
    pub(crate) fn rule(&mut self, title: &str) {
        let title = escape_line(title);
        let title =
            if self.is_terminal { super::cut(&title, self.width.saturating_sub(8)) } else { title.into_owned() };
        let drawn = textwrap::core::display_width(&title) + 4;
        let rest = ACROSS.as_str().repeat(self.width.saturating_sub(drawn));
        let line = EscapedText::of_parts([
            self.paint.text(Role::Faint, &ACROSS.as_str().repeat(2)),
            " ".into(),
            self.paint.text(Role::Heading, &title),
            " ".into(),
            self.paint.text(Role::Faint, &rest),
        ]);
        self.line(line.trimmed_at_the_end());
    }

    /// Adds a text of a user or a model, with one line end. A terminal wraps long lines.
    pub(crate) fn text(&mut self, text: &str) {
        if self.is_terminal {
            self.shown.add(wrapped(&escape(text), self.width.min(WIDEST_TEXT)));
        } else {
            self.shown.add(text);
            self.end_line(text);
        }
    }

    /// Adds text that was requested alone: unwrapped, and escaped only on a terminal.
    pub(crate) fn exactly(&mut self, text: &str) {
        self.shown.add(if self.is_terminal { EscapedText::from(text) } else { EscapedText::exactly(text) });
        self.end_line(text);
    }

    fn end_line(&mut self, text: &str) {
        if !text.ends_with('\n') {
            self.gap();
        }
    }

    /// Adds an error: one sentence, or a list of faults with the number of further ones.
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

    /// Adds a hint about what to do.
    pub(crate) fn hint(&mut self, hint: &str) {
        self.marked(Role::Handle, "hint:", hint, 6);
    }
}

/// Wraps long lines, with a hanging indent for lists; fenced code is left alone.
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

/// Wraps the line between words; lines after the first are indented.
pub(super) fn broken(line: &str, width: usize, indent: usize) -> Vec<String> {
    let (line, hanging) = (escape(line), " ".repeat(indent));
    let options = textwrap::Options::new(width)
        .subsequent_indent(&hanging)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit)
        .break_words(false);
    textwrap::wrap(&line, options).into_iter().map(std::borrow::Cow::into_owned).collect()
}

/// Columns before the words of a line: its indentation and its list marker.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_never_reach_a_terminal() {
        let hostile = "a\u{1b}[2Jb\tc\u{9b}\u{202e}d";
        let shown = "a␛[2Jb\tc\\u{9b}\\u{202e}d";
        for (is_terminal, exactly) in [(true, shown), (false, hostile)] {
            let mut page = Page::new(Paint::Plain, 80, is_terminal);
            page.text(hostile);
            page.line(hostile);
            page.painted(Role::Bad, hostile);
            page.paragraph(Role::Body, hostile, 2);
            page.exactly(hostile);
            assert_eq!(&*page.finish(), format!("{shown}\n{shown}\n{shown}\n{shown}\n{exactly}\n"));
        }
        let mut page = Page::new(Paint::Plain, 80, false);
        page.marked(Role::Bad, "✗", "\u{1b}c", 4);
        page.rule("a\n\u{9b}");
        page.error("\u{7}", &[], None);
        let text = String::from(page.finish());
        assert!(text.starts_with("✗ ␛c\n── a␊\\u{9b} ──") && text.ends_with("error: ␇\n"), "{text}");
    }

    #[test]
    fn long_lines_break_between_words_on_a_terminal_alone() {
        let text = "- one two three four\n```\nlet long = code(that, stays);\n```\n12. five six seven eight";
        let on = |is_terminal| {
            let mut page = Page::new(Paint::Plain, 12, is_terminal);
            page.text(text);
            String::from(page.finish())
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
