//! The newest log lines of this process, in memory, for the workbench, which owns the terminal.
//!
//! Lines are masked before they are stored, as in the file, and are one line each. Their number is
//! bounded, and nothing is stored unless a face shows it.

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

/// Maximum lines.
const KEPT: usize = 500;

/// A masked log line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// The timestamp: RFC 3339, UTC.
    pub at: String,
    /// The level.
    pub level: Level,
    /// Target and message: `aludel_core::engine: message key=value`.
    pub text: String,
}

#[derive(Default)]
struct LineBuffer {
    lines: VecDeque<LogLine>,
    /// The number of lines ever logged.
    count: u64,
}

/// Global, like the subscriber.
static RECENT_LINES: Mutex<Option<LineBuffer>> = Mutex::new(None);

fn kept() -> MutexGuard<'static, Option<LineBuffer>> {
    RECENT_LINES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The newest lines, oldest first, and the number ever logged; `None` if it still is `seen`.
pub fn recent(seen: u64) -> Option<(u64, Vec<LogLine>)> {
    let kept = kept();
    let kept = kept.as_ref().filter(|kept| kept.count > seen)?;
    Some((kept.count, kept.lines.iter().cloned().collect()))
}

/// Formats an event for [`RecentWriter`]: timestamp, level, then the rest.
pub(super) struct RecentFormat<C>(pub(super) C);

impl<S, N, C> FormatEvent<S, N> for RecentFormat<C>
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

/// Stores what [`RecentFormat`] writes.
pub(super) struct RecentWriter;

impl MakeWriter<'_> for RecentWriter {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        Self
    }
}

/// The formatters write each line in one piece.
impl Write for RecentWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let masked = line::masked_text(&String::from_utf8_lossy(line));
        let mut parts = masked.trim_end_matches('\n').splitn(3, ' ');
        if let (Some(at), Some(Ok(level)), Some(text)) = (parts.next(), parts.next().map(str::parse), parts.next()) {
            let mut kept = kept();
            let kept = kept.get_or_insert_with(LineBuffer::default);
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
