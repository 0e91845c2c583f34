//! Logging: `tracing` events, to files under `logs/` and standard error, never standard output.
//!
//! Files rotate daily (UTC), seven are kept, mode 0600, and every line passes [`crate::redact`]
//! first. Commands and servers also show warnings on standard error; the workbench owns the
//! terminal, so it logs only to the file and shows the newest lines itself ([`recent()`]). Nothing
//! is opened before the first event: a silent command creates no folder, file or thread. A failing
//! log never stops the program.

mod file;
mod line;
mod recent;

#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::writer::BoxMakeWriter;
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::registry::Registry;

use crate::config::{Loaded, LogFormat, Origin};
use crate::time::{Clock, SystemClock};
use file::{FileWriter, LogFile};

pub use crate::redact::register as redact;
pub use recent::{LogLine, recent};

/// The default level of standard error.
const STDERR_LEVEL: &str = "warn";

/// The targets of our own events, which a bare level applies to.
const OWN_TARGETS: &str = "aludel";

/// The target of the lines that come with every request of a server. They reach the file in batches,
/// within a tenth of a second or at [`flush()`]; other lines are written at once.
pub const BATCHED: &str = "aludel::access";

/// The file of the whole process, once logging has started.
static PROCESS_FILE: OnceLock<Arc<LogFile>> = OnceLock::new();

/// What is logged, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogSettings {
    /// The level of the file, or levels by target (`info,aludel_core::store=debug`). A bare level
    /// applies to our own events; libraries log `warn` at most, unless their target is named.
    pub level: String,
    /// The folder of the log files.
    pub dir: PathBuf,
    /// The file name before the day: `aludel.2026-11-21.log`.
    pub stem: String,
    /// The file name after the day, without a dot.
    pub ending: String,
    /// The format of the file.
    pub format: LogFormat,
    /// The level of standard error, as `level`; nothing if `None`.
    pub stderr: Option<String>,
    /// Whether standard error supports colours.
    pub ansi: bool,
}

impl LogSettings {
    /// The settings of a command or a server. Standard error is at `warn`, or at `log.level` if a
    /// flag or variable set it: a level in the configuration file is only for the log file.
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

    /// The same without standard error, for the workbench.
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

/// Reports the state of the log.
#[derive(Debug, Clone)]
pub struct Guard {
    file: Arc<LogFile>,
}

impl Guard {
    /// The file of the last event; `None` before the first.
    pub fn log_file(&self) -> Option<PathBuf> {
        self.file.current()
    }

    /// Why the file could not be written, if so. Reported once on standard error, except in the
    /// workbench, where the caller reports it.
    pub fn failure(&self) -> Option<String> {
        self.file.failure()
    }
}

/// Starts logging for the whole process. A second call changes nothing.
pub fn init(settings: LogSettings) -> Guard {
    let (subscriber, guard) = subscriber(settings, SystemClock, BoxMakeWriter::new(line::MaskedStderr));
    // Fails if a subscriber is already set, which then stays.
    if tracing::subscriber::set_global_default(subscriber).is_ok() {
        let _ = PROCESS_FILE.set(Arc::clone(&guard.file));
    }
    guard
}

/// Writes the lines that wait for their batch. Call it before the process ends.
pub fn flush() {
    if let Some(file) = PROCESS_FILE.get() {
        file.flush();
    }
}

/// A subscriber with these settings that uses `terminal` as standard error.
fn subscriber(
    settings: LogSettings,
    clock: impl Clock + Clone + 'static,
    terminal: BoxMakeWriter,
) -> (impl Subscriber + Send + Sync, Guard) {
    let file = Arc::new(LogFile::new(&settings));
    // If a face owns the terminal, it shows the lines.
    let to_memory = settings.stderr.is_none().then(|| {
        let layer = tracing_subscriber::fmt::layer().event_format(recent::RecentFormat(clock.clone()));
        layer.with_ansi(false).with_writer(recent::RecentWriter).with_filter(targets(&settings.level))
    });
    let to_file = tracing_subscriber::fmt::layer().with_ansi(false).with_timer(line::Timer(clock));
    let to_file = match settings.format {
        LogFormat::Text => to_file.with_writer(FileWriter(Arc::clone(&file))).boxed(),
        LogFormat::Json => to_file.json().flatten_event(true).with_writer(FileWriter(Arc::clone(&file))).boxed(),
    };
    let to_terminal = settings.stderr.map(|level| {
        let layer = tracing_subscriber::fmt::layer().event_format(line::Terse { ansi: settings.ansi });
        layer.with_writer(terminal).with_filter(targets(&level))
    });
    let subscriber =
        Registry::default().with(to_file.with_filter(targets(&settings.level))).with(to_terminal).with(to_memory);
    (subscriber, Guard { file })
}

/// The filter for a level or levels by target. Ignores invalid parts, which the configuration
/// rejects.
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
