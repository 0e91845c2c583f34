//! All output: data to standard output, everything else to standard error.
//!
//! Owns the output policy: format, colour, line width, what `--quiet` silences, how an error looks.
//! All text passes through [`EscapedText`], so nothing hidden in a stored text, an answer or a file name
//! reaches a terminal; only data requested alone goes to a pipe unchanged ([`Printer::exactly`]).
//! Colour needs a terminal without `NO_COLOR`, `--no-color` or `TERM=dumb`.

use std::io::{BufRead, ErrorKind, IsTerminal, Read, Write};

use aludel_core::config::Environment;
use aludel_core::error::{Error, Fault, Problem};
use aludel_core::text::shown::{escape_json, escape_json_as_yaml, has_hidden};
use serde::Serialize;

use super::failure::{CommandResult, Failure};
use super::format::Format;
use super::shown::EscapedText;
use super::view::{Page, Paint, symbols};

/// The line width without a terminal.
const USUAL_WIDTH: usize = 80;

/// The least line width; some terminals claim to have none.
const NARROWEST: usize = 20;

/// Most bytes of an answer to a question.
const LONGEST_ANSWER: u64 = 4096;

/// Writes the output of a command.
#[derive(Debug, Clone)]
pub(crate) struct Printer {
    format: Format,
    quiet: bool,
    data: Channel,
    talk: Channel,
}

/// Standard output or standard error.
#[derive(Debug, Clone, Copy)]
struct Channel {
    is_terminal: bool,
    paint: Paint,
}

impl Channel {
    fn of(stream: &impl IsTerminal, colour_wanted: bool) -> Self {
        let is_terminal = stream.is_terminal();
        Self { is_terminal, paint: if is_terminal && colour_wanted { Paint::Colour } else { Paint::Plain } }
    }
}

impl Printer {
    /// A printer for this process. `no_color` is the flag; the environment is checked too.
    pub(crate) fn new(format: Format, quiet: bool, no_color: bool, environment: &Environment) -> Self {
        symbols::choose(environment);
        let colour = !no_color && !environment.no_color() && environment.get("TERM") != Some("dumb");
        Self {
            format,
            quiet,
            data: Channel::of(&std::io::stdout(), colour),
            talk: Channel::of(&std::io::stderr(), colour),
        }
    }

    /// The same printer for another format.
    #[must_use]
    pub(crate) fn with_format(mut self, format: Format) -> Self {
        self.format = format;
        self
    }

    /// The format of the data.
    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// True with `--quiet`: only data and errors are printed.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// True if standard output is a terminal.
    pub(crate) fn shows_data(&self) -> bool {
        self.data.is_terminal
    }

    /// True if progress may be drawn on standard error.
    pub(crate) fn may_draw(&self) -> bool {
        self.talk.is_terminal && !self.quiet
    }

    /// Whether standard error has colour.
    pub(crate) fn talk_paint(&self) -> Paint {
        self.talk.paint
    }

    /// The line width in columns.
    pub(crate) fn width(&self) -> usize {
        let has_terminal = self.data.is_terminal || self.talk.is_terminal;
        if has_terminal { textwrap::termwidth().max(NARROWEST) } else { USUAL_WIDTH }
    }

    /// An empty page for standard output.
    pub(crate) fn page(&self) -> Page {
        let width = if self.data.is_terminal { self.width() } else { USUAL_WIDTH };
        Page::new(self.data.paint, width, self.data.is_terminal)
    }

    /// An empty page for a file: no colour, nothing cut.
    pub(crate) fn page_of_a_file() -> Page {
        Page::new(Paint::Plain, USUAL_WIDTH, false)
    }

    /// Writes data to standard output.
    ///
    /// # Errors
    /// `file` if it cannot be written; [`Failure::PipeClosed`] if the pipe was closed.
    #[expect(clippy::unused_self, reason = "the printer is the one way to standard output")]
    pub(crate) fn data(&self, text: impl Into<EscapedText>) -> CommandResult {
        let text: EscapedText = text.into();
        let mut out = std::io::stdout().lock();
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| match error.kind() {
            ErrorKind::BrokenPipe => Failure::PipeClosed,
            _ => Failure::Error(Error::File {
                action: "write",
                path: "standard output".into(),
                reason: super::input::reason(&error),
            }),
        })
    }

    /// Writes data to standard output unchanged, unless that is a terminal.
    ///
    /// # Errors
    /// As [`Printer::data`].
    pub(crate) fn exactly(&self, data: &str) -> CommandResult {
        self.data(if self.data.is_terminal { EscapedText::from(data) } else { EscapedText::exactly(data) })
    }

    /// Writes a value in the formats for programs, or the page that `text` fills in all others.
    ///
    /// # Errors
    /// As [`Printer::data`].
    pub(crate) fn value<T: Serialize>(&self, value: &T, text: impl FnOnce(&mut Page)) -> CommandResult {
        self.data(self.rendered(value, self.page(), text)?)
    }

    /// What [`Printer::value`] would write, using this page.
    ///
    /// # Errors
    /// `internal` if the value cannot be serialised.
    pub(crate) fn rendered<T: Serialize>(
        &self,
        value: &T,
        mut page: Page,
        text: impl FnOnce(&mut Page),
    ) -> CommandResult<EscapedText> {
        Ok(match self.format {
            Format::Json => pretty_json(value)?.into(),
            Format::Jsonl => json_line(value)?.into(),
            Format::Yaml => yaml(value)?.into(),
            Format::Text | Format::Markdown | Format::Csv | Format::Html => {
                text(&mut page);
                page.finish()
            }
        })
    }

    /// True if [`Printer::note`] prints.
    pub(crate) fn takes_notes(&self) -> bool {
        !self.quiet && matches!(self.format, Format::Text | Format::Markdown)
    }

    /// Prints a note on standard error; silent with `--quiet` and in formats for programs.
    pub(crate) fn note(&self, text: impl Into<EscapedText>) {
        if self.takes_notes() {
            self.say(text);
        }
    }

    /// Prints a message on standard error that must not be missed.
    pub(crate) fn say(&self, text: impl Into<EscapedText>) {
        let mut text: EscapedText = text.into();
        if self.talk.is_terminal {
            text = text.broken(self.width());
        }
        self.talk(EscapedText::of_parts([text, "\n".into()]));
    }

    /// Asks on the terminal. True for `y` and `yes`; anything else means no, an end of input too.
    pub(crate) fn asks(&self, question: &str) -> bool {
        self.talk(format!("{question} [y/N] "));
        let mut answer = String::new();
        let read = std::io::stdin().lock().take(LONGEST_ANSWER).read_line(&mut answer);
        if !matches!(read, Ok(1..)) {
            self.say("");
        }
        matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
    }

    /// Writes to standard error. Ignores failures: there is no place left to report them.
    #[expect(clippy::unused_self, reason = "the printer is the one way to standard error")]
    pub(crate) fn talk(&self, text: impl Into<EscapedText>) {
        let text: EscapedText = text.into();
        let mut err = std::io::stderr().lock();
        let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
    }

    /// Reports a failure: as the problem's JSON for programs, else as text.
    pub(crate) fn failure(&self, failure: &Failure) {
        match failure {
            Failure::PipeClosed | Failure::Reported(_) => {}
            Failure::Error(error) if self.format.is_json() => self.problem_as_json(&Problem::from(error)),
            Failure::Error(error) => {
                self.in_words(&error.to_string(), error.faults(), error.further_faults().as_deref(), error.hint());
            }
            Failure::Problem(problem) if self.format.is_json() => self.problem_as_json(problem),
            Failure::Problem(problem) => self.in_words(&problem.detail, &problem.errors, None, None),
            Failure::Usage(error) => self.usage(error),
        }
    }

    fn problem_as_json(&self, problem: &Problem) {
        if let Ok(line) = json_line(problem) {
            self.talk(line);
        }
    }

    fn in_words(&self, detail: &str, faults: &[Fault], further: Option<&str>, hint: Option<&str>) {
        let mut page = Page::new(self.talk.paint, self.width(), self.talk.is_terminal);
        page.error(detail, faults, further);
        if let Some(hint) = hint {
            page.hint(hint);
        }
        self.talk(page.finish());
    }

    fn usage(&self, error: &clap::Error) {
        let rendered = error.render();
        // Clap quotes arguments unescaped, and they could contain styles of their own.
        let quotes_hidden = error.context().any(|(_, value)| has_hidden(&value.to_string()));
        let shown = |paint| match paint {
            Paint::Colour if !quotes_hidden => EscapedText::with_its_styles(&rendered.ansi().to_string()),
            _ => EscapedText::from(rendered.to_string()),
        };
        if !error.use_stderr() {
            // Help that nobody reads is not a failure.
            let _ = self.data(shown(self.data.paint));
        } else if self.format.is_json() {
            let text = rendered.to_string();
            let said = text.split("\n\nUsage:").next().unwrap_or(&text);
            let detail = said.trim_start_matches("error: ").split_whitespace().collect::<Vec<_>>().join(" ");
            self.problem_as_json(&Problem::from(Error::Refused {
                code: aludel_core::error::Code::InvalidRequest,
                detail,
            }));
        } else {
            self.talk(shown(self.talk.paint));
            if is_an_idea(error) {
                self.say("\nTo turn a request into prompts: aludel generate \"REQUEST\"");
            }
        }
    }
}

/// True if the unknown command contains a space: a request typed without a command.
fn is_an_idea(error: &clap::Error) -> bool {
    matches!(
        error.get(clap::error::ContextKind::InvalidSubcommand),
        Some(clap::error::ContextValue::String(text)) if text.trim().contains(' ')
    )
}

/// Indented JSON with a line end.
fn pretty_json<T: Serialize>(value: &T) -> CommandResult<String> {
    let text = serde_json::to_string_pretty(value).map_err(|error| unserialisable(&error))?;
    Ok(escape_json(&text).into_owned() + "\n")
}

/// JSON on one line, with a line end.
///
/// # Errors
/// `internal` if the value cannot be serialised.
pub(crate) fn json_line<T: Serialize>(value: &T) -> CommandResult<String> {
    let text = serde_json::to_string(value).map_err(|error| unserialisable(&error))?;
    Ok(escape_json(&text).into_owned() + "\n")
}

/// YAML; if a text in it would hide something, escaped JSON, which is YAML too.
fn yaml<T: Serialize>(value: &T) -> CommandResult<String> {
    let text = serde_yaml::to_string(value).map_err(|error| unserialisable(&error))?;
    if !has_hidden(&text) {
        return Ok(text);
    }
    let json = serde_json::to_string_pretty(value).map_err(|error| unserialisable(&error))?;
    Ok(escape_json_as_yaml(&json).into_owned() + "\n")
}

fn unserialisable(error: &dyn std::fmt::Display) -> Failure {
    Failure::Error(Error::Internal(format!("the result cannot be serialized: {error}")))
}
