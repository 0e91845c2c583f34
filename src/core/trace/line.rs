//! The format of log lines, with secrets masked and hidden characters made visible.
//!
//! A text entry is always one line, so that a logged line break cannot forge an entry. JSON lines
//! are masked value by value and stay valid. Lines on standard error are short: level and message.

use std::fmt;
use std::io::{self, Write};

use serde_json::Value;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, FormattedFields, MakeWriter};
use tracing_subscriber::registry::LookupSpan;

use crate::redact;
use crate::text::shown;
use crate::time::Clock;

/// Writes an event's timestamp: RFC 3339, UTC.
pub(super) struct Timer<C>(pub(super) C);

impl<C: Clock> FormatTime for Timer<C> {
    fn format_time(&self, writer: &mut Writer<'_>) -> fmt::Result {
        write!(writer, "{}", self.0.now())
    }
}

/// `warn: message key=value`, for standard error; with the target from `debug` on.
pub(super) struct Terse {
    /// Whether the level is coloured.
    pub(super) ansi: bool,
}

impl<S, N> FormatEvent<S, N> for Terse
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let level = *event.metadata().level();
        let (name, colour) = match level {
            Level::ERROR => ("error", "31"),
            Level::WARN => ("warn", "33"),
            Level::INFO => ("info", "32"),
            Level::DEBUG => ("debug", "36"),
            Level::TRACE => ("trace", "35"),
        };
        if self.ansi {
            write!(writer, "\x1b[1;{colour}m{name}\x1b[0m: ")?;
        } else {
            write!(writer, "{name}: ")?;
        }
        if level >= Level::DEBUG {
            write!(writer, "{}: ", event.metadata().target())?;
        }
        for span in context.event_scope().into_iter().flat_map(tracing_subscriber::registry::Scope::from_root) {
            let extensions = span.extensions();
            let fields = extensions.get::<FormattedFields<N>>().filter(|fields| !fields.is_empty());
            match fields {
                Some(fields) => write!(writer, "{}{{{fields}}}: ", span.name())?,
                None => write!(writer, "{}: ", span.name())?,
            }
        }
        context.field_format().format_fields(writer.by_ref(), event)?;
        writeln!(writer)
    }
}

/// Standard error with masking.
pub(super) struct MaskedStderr;

impl<'a> MakeWriter<'a> for MaskedStderr {
    type Writer = Masked<io::StderrLock<'a>>;

    fn make_writer(&'a self) -> Self::Writer {
        Masked(io::stderr().lock())
    }
}

/// A writer with masking. Each line must be written in one piece, as the formatters do.
pub(super) struct Masked<W>(pub(super) W);

impl<W: Write> Write for Masked<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let line = String::from_utf8_lossy(line);
        self.0.write_all(one_line(&shown::escape_around_styles(&redact::mask(body(&line)))).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A text line with secrets masked and hidden characters visible, always one line.
pub(super) fn masked_text(line: &str) -> String {
    one_line(&shown::escape(&redact::mask(body(line))))
}

fn body(line: &str) -> &str {
    line.strip_suffix('\n').unwrap_or(line)
}

fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len() + 1);
    for piece in text.split_inclusive(['\n', '\r']) {
        let kept = piece.trim_end_matches(['\n', '\r']);
        line.push_str(kept);
        line.push_str(match piece.as_bytes()[kept.len()..] {
            [b'\n'] => "\\n",
            [b'\r'] => "\\r",
            _ => "",
        });
    }
    line.push('\n');
    line
}

/// A JSON line with secrets masked, still valid.
pub(super) fn masked_json(line: &str) -> String {
    let mut value = serde_json::from_str(line).unwrap_or_else(|_| Value::String(line.to_owned()));
    mask_value(&mut value);
    shown::escape_json(&value.to_string()).into_owned() + "\n"
}

fn mask_value(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let std::borrow::Cow::Owned(masked) = redact::mask(text) {
                *text = masked;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(mask_value),
        Value::Object(fields) => {
            for (name, value) in fields {
                if redact::is_secret_name(name) && !value.is_null() {
                    *value = redact::MASK.into();
                } else {
                    mask_value(value);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
