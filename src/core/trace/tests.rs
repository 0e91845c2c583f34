//! What reaches the file and the terminal, and what must not.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use tracing::{debug, error, info, warn};

use super::*;
use crate::time::FixedClock;

/// A terminal that records its output.
#[derive(Clone, Default)]
struct Terminal(Arc<Mutex<Vec<u8>>>);

impl Terminal {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Terminal {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[derive(Clone)]
struct Noon;

impl Clock for Noon {
    fn now(&self) -> crate::domain::Timestamp {
        FixedClock::at(1_795_262_400_000).now()
    }
}

fn settings(dir: &Path) -> LogSettings {
    LogSettings {
        level: "info".into(),
        dir: dir.join("home/logs"),
        stem: "aludel".into(),
        ending: "log".into(),
        format: LogFormat::Text,
        stderr: Some("warn".into()),
        ansi: false,
    }
}

/// Runs `logs` with these settings; returns the output of the file and the terminal.
fn logged(settings: LogSettings, logs: impl FnOnce()) -> (String, String, Guard) {
    let terminal = Terminal::default();
    let sink = terminal.clone();
    let (subscriber, guard) = subscriber(settings, Noon, BoxMakeWriter::new(move || line::Masked(sink.clone())));
    tracing::subscriber::with_default(subscriber, logs);
    let file = guard.log_file().map(|path| fs::read_to_string(path).unwrap()).unwrap_or_default();
    (file, terminal.text(), guard)
}

#[test]
fn a_program_that_logs_nothing_makes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (file, terminal, guard) = logged(settings(folder.path()), || debug!("too quiet"));
    assert_eq!((file.as_str(), terminal.as_str()), ("", ""));
    assert_eq!((guard.log_file(), guard.failure()), (None, None));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn the_file_keeps_what_the_terminal_need_not_show() {
    let folder = tempfile::tempdir().unwrap();
    let (file, terminal, _) = logged(settings(folder.path()), || {
        let _request = tracing::info_span!("request", id = 7).entered();
        info!(count = 3, "started");
        warn!("slow");
    });
    assert_eq!(
        file,
        "2026-11-21T12:00:00Z  INFO request{id=7}: aludel_core::trace::tests: started count=3\n\
         2026-11-21T12:00:00Z  WARN request{id=7}: aludel_core::trace::tests: slow\n"
    );
    // The span is below the terminal's level.
    assert_eq!(terminal, "warn: slow\n");
}

#[test]
fn the_terminal_shows_the_spans_of_its_level_and_targets_from_debug_on() {
    let folder = tempfile::tempdir().unwrap();
    let settings = LogSettings { stderr: Some("debug".into()), ..settings(folder.path()) };
    let (_, terminal, _) = logged(settings, || {
        let _outer = tracing::info_span!("request", id = 7).entered();
        let _inner = tracing::info_span!("store").entered();
        info!("opened");
        debug!("details");
    });
    assert_eq!(
        terminal,
        "info: request{id=7}: store: opened\n\
         debug: aludel_core::trace::tests: request{id=7}: store: details\n"
    );
}

#[test]
fn the_workbench_keeps_its_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let (file, terminal, _) = logged(settings(folder.path()).to_file_alone(), || error!("lost"));
    assert!(file.contains("ERROR") && file.contains("lost"));
    assert_eq!(terminal, "");
}

#[test]
fn colours_are_for_the_level_alone_and_only_when_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let (file, terminal, _) = logged(settings(folder.path()).with_ansi(true), || warn!(key = "v", "slow"));
    assert_eq!(terminal, "\x1b[1;33mwarn\x1b[0m: slow key=\"v\"\n");
    assert!(!file.contains('\x1b'));
}

#[test]
fn a_bare_level_means_our_own_events_and_a_target_means_itself() {
    let of = |level: &str| {
        let folder = tempfile::tempdir().unwrap();
        let settings = LogSettings { level: level.into(), ..settings(folder.path()) };
        let (file, ..) = logged(settings, || {
            debug!(target: "hyper::client", "theirs");
            warn!(target: "hyper::client", "their warning");
            debug!(target: "aludel::cli", "ours");
        });
        ["theirs", "their warning", "ours"].map(|text| file.contains(text))
    };
    assert_eq!(of("debug"), [false, true, true]);
    assert_eq!(of("error"), [false, false, false]);
    assert_eq!(of("info,hyper=debug"), [true, true, false]);
    assert_eq!(of("off"), [false, false, false]);
}

#[test]
fn a_canary_never_reaches_file_or_terminal() {
    redact("canary-registered-in-the-trace-test");
    for format in [LogFormat::Text, LogFormat::Json] {
        let folder = tempfile::tempdir().unwrap();
        let settings = LogSettings { format, ..settings(folder.path()) };
        let (file, terminal, _) = logged(settings, || {
            let _span = tracing::info_span!("call", key = "canary-registered-in-the-trace-test").entered();
            warn!("sent canary-registered-in-the-trace-test");
            warn!(api_key = "sk-canarycanary", "field");
            warn!(header = "x-api-key: canary1", "header");
            warn!("Authorization: Bearer canary12345678");
            warn!(error = ?std::io::Error::other("https://me:canary@host/ failed"), "url");
            error!("{:?}", crate::config::Secret::from("canary-in-a-secret"));
        });
        assert_eq!(file.lines().count(), 6, "{file}");
        assert_eq!(terminal.lines().count(), 6, "{terminal}");
        assert!(!file.contains("canary") && !terminal.contains("canary"), "{file}\n{terminal}");
    }
}

#[test]
fn json_lines_are_valid_whatever_is_logged() {
    let folder = tempfile::tempdir().unwrap();
    let settings = LogSettings { format: LogFormat::Json, ..settings(folder.path()) };
    let (file, ..) = logged(settings, || {
        info!(api_key = true, other = 5, "quote \" brace }} api_key={{\"a\":1}}");
        info!("two\nlines \u{1b}[31m and password: x\"}}");
    });
    let lines: Vec<serde_json::Value> = file.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(
        (&lines[0]["level"], &lines[0]["api_key"], &lines[0]["other"]),
        (&"INFO".into(), &"***".into(), &5.into())
    );
    assert_eq!(lines[0]["timestamp"], "2026-11-21T12:00:00Z");
    assert!(lines[1]["message"].as_str().unwrap().starts_with("two\nlines"));
}

#[test]
fn a_line_break_in_a_message_forges_no_second_line() {
    let folder = tempfile::tempdir().unwrap();
    let (file, terminal, _) = logged(settings(folder.path()), || warn!("one\n2026-11-21T12:00:00Z ERROR forged\r\n"));
    assert_eq!((file.lines().count(), terminal.lines().count()), (1, 1));
    assert!(file.contains("one\\n2026"));
}

#[test]
fn lines_of_requests_wait_for_each_other_and_not_for_long() {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(folder.path());
    let (subscriber, guard) = subscriber(settings, Noon, BoxMakeWriter::new(io::sink));
    let text = || guard.log_file().map(|path| fs::read_to_string(path).unwrap()).unwrap_or_default();
    let order = |text: &str| text.lines().map(|line| line.rsplit(' ').next().unwrap().to_owned()).collect::<Vec<_>>();
    tracing::subscriber::with_default(subscriber, || {
        info!(target: BATCHED, "one");
        info!(target: BATCHED, "two");
        info!("three");
        assert_eq!(order(&text()), ["one", "two", "three"]);
        info!(target: BATCHED, "four");
        guard.file.flush();
        assert_eq!(order(&text()).last().unwrap(), "four");
        info!(target: BATCHED, "five");
        let begun = std::time::Instant::now();
        while order(&text()).last().unwrap() != "five" {
            assert!(begun.elapsed().as_secs() < 30, "it is not written");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let long = "x".repeat(1000);
        for _ in 0..200 {
            info!(target: BATCHED, "{long}");
        }
        assert!(text().len() > 100_000, "{} bytes of 200 kB are written", text().len());
    });
}

#[test]
fn a_line_end_is_shown_wherever_it_stands() {
    assert_eq!(line::masked_text("a\n"), "a\n");
    assert_eq!(line::masked_text("\na\r\nb\n\n"), "\\na\\r\\nb\\n\n");
}

#[cfg(unix)]
#[test]
fn files_and_folder_are_for_the_user_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let (_, _, guard) = logged(settings(folder.path()), || warn!("x"));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let path = guard.log_file().unwrap();
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
}

#[test]
fn seven_files_are_kept_and_no_other_file_is_touched() {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(folder.path());
    fs::create_dir_all(&settings.dir).unwrap();
    let days: Vec<String> = (1..=9).map(|day| format!("aludel.2020-01-0{day}.log")).collect();
    let foreign =
        ["aludel.log", "aludel.notes.log", "aludel-notes.2020-01-01.log", "aludel.2020-01-01.log.gz", "x.log"];
    for name in days.iter().map(String::as_str).chain(foreign) {
        fs::write(settings.dir.join(name), "").unwrap();
    }
    let (_, _, guard) = logged(settings.clone(), || warn!("x"));
    let today = guard.log_file().unwrap();
    let kept = |name: &str| settings.dir.join(name).exists();
    assert!(today.exists() && foreign.iter().all(|name| kept(name)));
    assert_eq!(days.iter().filter(|day| kept(day)).collect::<Vec<_>>(), days[3..].iter().collect::<Vec<_>>());
}

#[test]
fn lines_of_one_day_are_appended_by_every_process() {
    let folder = tempfile::tempdir().unwrap();
    logged(settings(folder.path()), || warn!("first"));
    let (file, ..) = logged(settings(folder.path()), || warn!("second"));
    assert!(file.contains("first") && file.contains("second"));
}

#[test]
fn a_folder_that_cannot_be_made_stops_nothing_and_is_told_once() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("home"), "a file").unwrap();
    let (file, terminal, guard) = logged(settings(folder.path()).to_file_alone(), || {
        warn!("one");
        warn!("two");
    });
    assert_eq!((file.as_str(), terminal.as_str()), ("", ""));
    let failure = guard.failure().unwrap();
    assert!(failure.contains("cannot write the log in") && failure.contains("is a file and not a folder"), "{failure}");
    let (_, terminal, _) = logged(settings(folder.path()), || warn!("three"));
    assert_eq!(terminal, "warn: three\n");
}

#[test]
fn settings_follow_the_configuration() {
    use crate::config::{Environment, Flags, load};
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path();
    let of = |text: &str, flags: Flags| {
        fs::write(home.join("config.yaml"), text).unwrap();
        let flags = Flags { data_dir: Some(home.into()), ..flags };
        LogSettings::of(&load(&flags, &Environment::default()).unwrap())
    };
    let quiet = of("", Flags::default());
    assert_eq!((quiet.level.as_str(), quiet.stderr.as_deref()), ("info", Some("warn")));
    assert_eq!((quiet.dir.as_path(), quiet.stem.as_str()), (home.join("logs").as_path(), "aludel"));
    let in_file = of("log: {level: debug, file: x/my.txt, format: json}", Flags::default());
    assert_eq!((in_file.level.as_str(), in_file.stderr.as_deref()), ("debug", Some("warn")));
    assert_eq!((in_file.dir.as_path(), in_file.stem.as_str()), (home.join("x").as_path(), "my"));
    assert_eq!((quiet.ending.as_str(), in_file.ending.as_str()), ("log", "txt"));
    assert_eq!(in_file.format, LogFormat::Json);
    let by_flag = of("", Flags::default().with("log.level", "debug"));
    assert_eq!(by_flag.stderr.as_deref(), Some("debug"));
    assert_eq!(by_flag.to_file_alone().stderr, None);
}

#[test]
fn the_workbench_sees_the_newest_lines_without_a_secret() {
    crate::redact::register("canary-of-the-log-pane-4711");
    let home = tempfile::tempdir().unwrap();
    logged(settings(home.path()).to_file_alone(), || {
        warn!(key = "canary-of-the-log-pane-4711", "seen in the pane\nand no second line");
        debug!("below the level of the pane");
    });
    let (count, lines) = recent(0).unwrap();
    let line = lines.iter().find(|line| line.text.contains("seen in the pane")).unwrap();
    assert_eq!((line.level, line.at.len()), (tracing::Level::WARN, "2026-11-21T12:00:00Z".len()));
    assert!(line.text.starts_with("aludel_core::trace::tests: "), "{line:?}");
    assert!(!line.text.contains("canary") && !line.text.contains('\n'), "{line:?}");
    assert!(lines.iter().all(|line| !line.text.contains("below the level of the pane")));
    assert_eq!(recent(count + 1_000), None, "nothing new");
}

#[test]
fn what_goes_to_a_terminal_is_not_kept_in_memory() {
    let home = tempfile::tempdir().unwrap();
    logged(settings(home.path()), || warn!("seen on the terminal alone"));
    let kept = recent(0).map(|(_, lines)| lines).unwrap_or_default();
    assert!(kept.iter().all(|line| !line.text.contains("seen on the terminal alone")));
}
