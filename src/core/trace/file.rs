//! The log file: opened with the first line, rotated daily, seven kept, private to the user.
//!
//! `tracing-appender` rotates. Two things it cannot do are done here at the start of each day: the
//! file is created with mode 0600, and old files are removed by their exact name, so that no other
//! file is mistaken for a log. A failure to write is reported once and never stops the program; a
//! folder that could not be opened is tried again the next day.
//!
//! The lines of a server's requests are written together, [`BATCH_TIME`] after the first of them or
//! with the next other line: a write for each would cost more than answering some requests does.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tracing::Metadata;
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::fmt::MakeWriter;

use super::{BATCHED, LogSettings, line};
use crate::config::LogFormat;
use crate::files;
use crate::text::shown::escape;
use crate::time::{Clock as _, SystemClock};

/// Number of files kept, including today's.
const KEPT: usize = 7;

/// Length of a day such as `2026-11-21`.
const DAY_LENGTH: usize = 10;

/// How long a line can wait for its batch.
const BATCH_TIME: Duration = Duration::from_millis(100);
/// A batch of so many bytes is written at once.
const BATCH_BYTES: usize = 64 * 1024;

/// The log file.
#[derive(Debug)]
pub(super) struct LogFile {
    dir: PathBuf,
    stem: String,
    ending: String,
    format: LogFormat,
    /// Whether to report failures on standard error.
    tells_failures: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The day last prepared; empty before the first line.
    day: String,
    /// `None` before the first line, and if the day's file could not be opened.
    appender: Option<RollingFileAppender>,
    failure: Option<String>,
    /// Lines to be written.
    batch: String,
    /// True while a thread will write the batch.
    is_flush_due: bool,
}

impl LogFile {
    /// Opens nothing yet.
    pub(super) fn new(settings: &LogSettings) -> Self {
        Self {
            dir: settings.dir.clone(),
            stem: settings.stem.clone(),
            ending: settings.ending.clone(),
            format: settings.format,
            tells_failures: settings.stderr.is_some(),
            state: Mutex::default(),
        }
    }

    /// The file last written to.
    pub(super) fn current(&self) -> Option<PathBuf> {
        let state = self.lock();
        state.appender.as_ref().map(|_| self.path_of(&state.day))
    }

    /// Why it could not be written.
    pub(super) fn failure(&self) -> Option<String> {
        self.lock().failure.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn path_of(&self, day: &str) -> PathBuf {
        self.dir.join(format!("{}.{day}.{}", self.stem, self.ending))
    }

    /// Writes one line into the day's file; a batched one soon.
    fn write_line(self: &Arc<Self>, day: &str, line: &str, is_batched: bool) {
        let line = match self.format {
            LogFormat::Text => line::masked_text(line),
            LogFormat::Json => line::masked_json(line),
        };
        let mut state = self.lock();
        if state.day != day {
            self.write_batch(&mut state);
            day.clone_into(&mut state.day);
            match self.begin(day, state.appender.take()) {
                Ok(appender) => state.appender = Some(appender),
                Err(error) => self.fail(&mut state, &error),
            }
        }
        state.batch.push_str(&line);
        if !is_batched || state.batch.len() >= BATCH_BYTES || !self.schedule_flush(&mut state) {
            self.write_batch(&mut state);
        }
    }

    /// Writes the lines that wait.
    pub(super) fn flush(&self) {
        self.write_batch(&mut self.lock());
    }

    fn write_batch(&self, state: &mut State) {
        let State { appender, batch, .. } = &mut *state;
        let written = appender.as_mut().map_or(Ok(()), |appender| appender.write_all(batch.as_bytes()));
        batch.clear();
        if let Err(error) = written {
            self.fail(state, &error);
        }
    }

    /// Has a thread write the batch in time. It ends when nothing comes any more. False if there is
    /// no thread to be had.
    fn schedule_flush(self: &Arc<Self>, state: &mut State) -> bool {
        if !state.is_flush_due {
            let file = Arc::clone(self);
            let writes = move || {
                loop {
                    std::thread::sleep(BATCH_TIME);
                    let mut state = file.lock();
                    if state.batch.is_empty() {
                        state.is_flush_due = false;
                        return;
                    }
                    file.write_batch(&mut state);
                }
            };
            state.is_flush_due = std::thread::Builder::new().name("aludel-log".into()).spawn(writes).is_ok();
        }
        state.is_flush_due
    }

    /// Creates the private folder and file, removes old files, and opens the file if needed.
    fn begin(&self, day: &str, open: Option<RollingFileAppender>) -> io::Result<RollingFileAppender> {
        files::make_folder(&self.dir)?;
        let mut options = fs::OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, files::PRIVATE_FILE);
        options.open(self.path_of(day))?;
        self.prune();
        match open {
            Some(appender) => Ok(appender),
            None => RollingFileAppender::builder()
                .rotation(Rotation::DAILY)
                .filename_prefix(&self.stem)
                .filename_suffix(&self.ending)
                .build(&self.dir)
                .map_err(io::Error::other),
        }
    }

    /// Removes all but the newest files, as far as possible.
    fn prune(&self) {
        let Ok(entries) = fs::read_dir(&self.dir) else { return };
        let ours = entries.filter_map(|entry| {
            let name = entry.ok()?.file_name().into_string().ok()?;
            self.is_log(&name).then_some(name)
        });
        let mut names: Vec<String> = ours.collect();
        // ISO dates sort by time.
        names.sort_unstable_by(|a, b| b.cmp(a));
        for name in names.iter().skip(KEPT) {
            let _ = fs::remove_file(self.dir.join(name));
        }
    }

    /// True for the name of one of this log's files.
    fn is_log(&self, name: &str) -> bool {
        let day = name
            .strip_prefix(&self.stem)
            .and_then(|rest| rest.strip_prefix('.'))
            .and_then(|rest| rest.strip_suffix(&self.ending))
            .and_then(|rest| rest.strip_suffix('.'));
        day.is_some_and(|day| {
            day.len() == DAY_LENGTH
                && day.bytes().enumerate().all(|(position, byte)| match position {
                    4 | 7 => byte == b'-',
                    _ => byte.is_ascii_digit(),
                })
        })
    }

    /// Stores the first failure and reports it once.
    fn fail(&self, state: &mut State, error: &io::Error) {
        if state.failure.is_some() {
            return;
        }
        let message = files::failure("write the log in", &self.dir, error).to_string();
        if self.tells_failures {
            // Standard error may be closed.
            let _ = writeln!(io::stderr(), "warn: {}; continuing without a log file", escape(&message));
        }
        state.failure = Some(message);
    }
}

/// Makes the writers of lines.
pub(super) struct FileWriter(pub(super) Arc<LogFile>);

/// Writes a line.
pub(super) struct LineWriter<'a> {
    file: &'a Arc<LogFile>,
    is_batched: bool,
}

impl<'a> MakeWriter<'a> for FileWriter {
    type Writer = LineWriter<'a>;

    fn make_writer(&'a self) -> Self::Writer {
        LineWriter { file: &self.0, is_batched: false }
    }

    fn make_writer_for(&'a self, metadata: &Metadata<'_>) -> Self::Writer {
        LineWriter { file: &self.0, is_batched: metadata.target() == BATCHED }
    }
}

/// The formatters write each line in one piece.
impl Write for LineWriter<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut day = SystemClock.now().to_string();
        day.truncate(DAY_LENGTH);
        self.file.write_line(&day, &String::from_utf8_lossy(line), self.is_batched);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
