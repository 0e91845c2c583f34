//! The newest lines of this process, kept in memory for a face that shows them: the workbench, whose terminal no log
//! may write to.
//!
//! Lines are masked before they are kept, as those of the file are, and are one line each. Only so many stay; nothing
//! is kept where nobody could see it.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, FormattedFields, MakeWriter};
use tracing_subscriber::registry::LookupSpan;

use super::line;
use crate::time::Clock;

/// Lines that are kept.
const KEPT: usize = 500;

/// A line of the log, masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// When, RFC 3339, UTC.
    pub at: String,
    /// How serious.
    pub level: Level,
    /// Where from and what: `aludel_core::engine: message key=value`.
    pub text: String,
}

#[derive(Default)]
struct Kept {
    lines: VecDeque<LogLine>,
    /// How many there ever were.
    count: u64,
}

/// One for the process, as the subscriber is.
static KEPT_LINES: Mutex<Option<Kept>> = Mutex::new(None);

fn kept() -> MutexGuard<'static, Option<Kept>> {
    KEPT_LINES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The newest lines, the oldest first, and how many there ever were; `None` when there are no more than the `seen` that
/// were told of before.
pub fn recent(seen: u64) -> Option<(u64, Vec<LogLine>)> {
    let kept = kept();
    let kept = kept.as_ref().filter(|kept| kept.count > seen)?;
    Some((kept.count, kept.lines.iter().cloned().collect()))
}

/// Writes an event as [`Recent`] reads it: the moment, the level, then all else.
pub(super) struct Parts<C>(pub(super) C);

impl<S, N, C> FormatEvent<S, N> for Parts<C>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    C: Clock,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let moment = &self.0;
        write!(writer, "{} {} {}: ", moment.now(), event.metadata().level(), event.metadata().target())?;
        for span in context.event_scope().into_iter().flat_map(tracing_subscriber::registry::Scope::from_root) {
            let extensions = span.extensions();
            match extensions.get::<FormattedFields<N>>().filter(|fields| !fields.is_empty()) {
                Some(fields) => write!(writer, "{}{{{fields}}}: ", span.name())?,
                None => write!(writer, "{}: ", span.name())?,
            }
        }
        context.field_format().format_fields(writer.by_ref(), event)?;
        writeln!(writer)
    }
}

/// Keeps what [`Parts`] writes.
pub(super) struct Recent;

impl MakeWriter<'_> for Recent {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        Self
    }
}

/// A line comes in one piece, as the formatters write it.
impl Write for Recent {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let masked = line::masked_text(&String::from_utf8_lossy(line));
        let mut parts = masked.trim_end_matches('\n').splitn(3, ' ');
        if let (Some(at), Some(Ok(level)), Some(text)) = (parts.next(), parts.next().map(str::parse), parts.next()) {
            let mut kept = kept();
            let kept = kept.get_or_insert_with(Kept::default);
            kept.lines.push_back(LogLine { at: at.to_owned(), level, text: text.to_owned() });
            kept.count += 1;
            if kept.lines.len() > KEPT {
                kept.lines.pop_front();
            }
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
