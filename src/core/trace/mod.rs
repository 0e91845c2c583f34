//! Logging: events of `tracing`, to files under `logs/` and to standard error. Never to standard output.
//!
//! Files rotate daily (UTC), seven are kept, mode 0600, and every line passes [`crate::redact`] first. Commands and
//! servers also show warnings on standard error; the workbench, whose terminal that is, writes to the file alone and
//! shows the newest lines itself ([`recent()`]).
//! Nothing is opened before the first event: a command that logs nothing makes no folder, no file and no thread.
//! A log that cannot be written never stops the program. What is worth logging is decided where it happens.

mod file;
mod line;
mod recent;

#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::writer::BoxMakeWriter;
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::registry::Registry;

use crate::config::{Loaded, LogFormat, Origin};
use crate::time::{Clock, SystemClock};
use file::LogFile;

pub use crate::redact::register as redact;
pub use recent::{LogLine, recent};

/// What standard error shows when nobody says otherwise.
const STDERR_LEVEL: &str = "warn";

/// Our own events; a bare level means them.
const OWN_TARGETS: &str = "aludel";

/// What is logged, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogSettings {
    /// What the file keeps: a level, or levels by target (`info,aludel_core::store=debug`). A bare level is that of
    /// our own events; those of libraries are kept at `warn` at most, unless their target is named.
    pub level: String,
    /// The folder of the log files.
    pub dir: PathBuf,
    /// The first part of a file's name, before the day: `aludel.2026-11-21.log`.
    pub stem: String,
    /// The last part of a file's name, after the day and without a dot.
    pub ending: String,
    /// The form of the file.
    pub format: LogFormat,
    /// What standard error shows, as `level`; nothing when `None`.
    pub stderr: Option<String>,
    /// Whether standard error takes colours.
    pub ansi: bool,
}

impl LogSettings {
    /// The settings of a command or a server. Standard error is at `warn`, or at `log.level` where a flag or a
    /// variable gave it: a level in the file is about the log file.
    pub fn of(loaded: &Loaded) -> Self {
        let log = &loaded.config.log;
        let asked_for = matches!(loaded.origins.of("log.level"), Origin::Flag { .. } | Origin::Environment { .. });
        let file = log.file.as_deref();
        let part = |part: Option<&OsStr>, default: &str| {
            part.map_or_else(|| default.to_owned(), |part| part.to_string_lossy().into_owned())
        };
        Self {
            level: log.level.clone(),
            dir: file.and_then(Path::parent).unwrap_or(&loaded.paths.logs).to_owned(),
            stem: part(file.and_then(Path::file_stem), "aludel"),
            ending: part(file.and_then(Path::extension), "log"),
            format: log.format,
            stderr: Some(if asked_for { log.level.clone() } else { STDERR_LEVEL.to_owned() }),
            ansi: false,
        }
    }

    /// The same for the workbench: nothing on standard error.
    #[must_use]
    pub fn to_file_alone(mut self) -> Self {
        self.stderr = None;
        self
    }

    /// The same with or without colours on standard error.
    #[must_use]
    pub fn with_ansi(mut self, ansi: bool) -> Self {
        self.ansi = ansi;
        self
    }
}

/// Knows how the log is doing.
#[derive(Debug, Clone)]
pub struct Guard {
    file: Arc<LogFile>,
}

impl Guard {
    /// The file that the last event went to; `None` while nothing was logged.
    pub fn log_file(&self) -> Option<PathBuf> {
        self.file.current()
    }

    /// Why the file could not be written, if it could not. Told once on standard error by itself, unless that is the
    /// workbench's; then it is for whoever holds this to tell.
    pub fn failure(&self) -> Option<String> {
        self.file.failure()
    }
}

/// Starts logging for the whole process. A second call changes nothing.
pub fn init(settings: LogSettings) -> Guard {
    let (subscriber, guard) = subscriber(settings, SystemClock, BoxMakeWriter::new(line::MaskedStderr));
    // It fails when there is one already, which then stays.
    let _ = tracing::subscriber::set_global_default(subscriber);
    guard
}

/// A subscriber for these settings that writes what is for standard error to `terminal`.
fn subscriber(
    settings: LogSettings,
    clock: impl Clock + Clone + 'static,
    terminal: BoxMakeWriter,
) -> (impl Subscriber + Send + Sync, Guard) {
    let file = Arc::new(LogFile::new(&settings));
    // Where the terminal is a face's, that face shows the lines.
    let to_memory = settings.stderr.is_none().then(|| {
        let layer = tracing_subscriber::fmt::layer().event_format(recent::Parts(clock.clone()));
        layer.with_ansi(false).with_writer(recent::Recent).with_filter(targets(&settings.level))
    });
    let to_file = tracing_subscriber::fmt::layer().with_ansi(false).with_timer(line::Timer(clock));
    let to_file = match settings.format {
        LogFormat::Text => to_file.with_writer(Arc::clone(&file)).boxed(),
        LogFormat::Json => to_file.json().flatten_event(true).with_writer(Arc::clone(&file)).boxed(),
    };
    let to_terminal = settings.stderr.map(|level| {
        let layer = tracing_subscriber::fmt::layer().event_format(line::Terse { ansi: settings.ansi });
        layer.with_writer(terminal).with_filter(targets(&level))
    });
    let subscriber =
        Registry::default().with(to_file.with_filter(targets(&settings.level))).with(to_terminal).with(to_memory);
    (subscriber, Guard { file })
}

/// What passes, of a level or levels by target. Parts that mean nothing are passed over: the configuration has
/// refused them long before.
fn targets(directives: &str) -> Targets {
    let parsed = directives.split(',').filter_map(|directive| {
        let (target, level) = match directive.trim().rsplit_once('=') {
            Some((target, level)) => (Some(target), level),
            None => (None, directive.trim()),
        };
        Some((target, level.parse::<LevelFilter>().ok()?))
    });
    parsed.fold(Targets::new(), |targets, (target, level)| match target {
        Some(target) => targets.with_target(target, level),
        None => targets.with_target(OWN_TARGETS, level).with_default(level.min(LevelFilter::WARN)),
    })
}
