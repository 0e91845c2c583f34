//! The workbench without a screen: for `TERM=dumb`, screen readers, and `--plain`.
//!
//! Lines are only ever appended, without cursor movement, colour or spinner; each event is reported
//! once. The user types a request, follows its run, and then uses short commands with numbers.
//!
//! | part | owns |
//! |---|---|
//! | `command` | parsing of commands |
//! | `session` | their execution: one operation of the engine each |
//! | `wording` | the sentences |
//! | `lines` | input and output, limited to plain text |
//!
//! There is no model and no executor: nothing is drawn, and one thing happens at a time.

mod command;
mod lines;
mod session;
mod wording;

use std::io;

use aludel_core::engine::Engine;
use aludel_core::error::{Error, Result};
use tokio::sync::mpsc;

use lines::{LineEvent, read_lines};
use session::Session;

/// How many lines of input can wait.
const INPUT_CAPACITY: usize = 256;

/// Runs a session with the user at the terminal. Needs a tokio runtime.
///
/// # Errors
/// `internal` if the terminal fails; `storage` if something could not be written at the end.
pub(crate) async fn run(engine: Engine) -> Result<()> {
    let (sender, heard) = mpsc::channel(INPUT_CAPACITY);
    let signals = sender.clone();
    // Reading blocks and cannot be cancelled: the thread ends with the process.
    std::thread::Builder::new()
        .name("aludel-lines".to_owned())
        .spawn(move || read_lines(io::stdin().lock(), &sender))
        .map_err(|error| Error::Internal(format!("the input cannot be read: {error}")))?;
    hear_signals(signals)?;
    engine.keep_indexed();
    let outcome = Session::new(engine.clone(), io::stdout(), heard).run(&welcome(&engine)).await;
    let finished = engine.close().await;
    outcome.map_err(|error| super::terminal_failed(&error)).and(finished)
}

/// The first line: the program, and the providers in use.
fn welcome(engine: &Engine) -> String {
    let super::Defaults { providers, writers, count, .. } = super::defaults(engine);
    let names = providers.join(", ");
    let by = if providers.iter().all(|name| writers.contains(name)) {
        format!("{names}, a rule-based writer, not a model; aludel config init shows how to add one")
    } else {
        names
    };
    format!("aludel, plain: {} of each request, by {by}.", wording::count(count.into(), "variant"))
}

/// Forwards signals: `^C`, requests to end, and hang-ups.
#[cfg(unix)]
fn hear_signals(heard: mpsc::Sender<LineEvent>) -> Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let listen =
        |kind| signal(kind).map_err(|error| Error::Internal(format!("cannot install the signal handlers: {error}")));
    let (mut term, mut hangup, mut interrupt) =
        (listen(SignalKind::terminate())?, listen(SignalKind::hangup())?, listen(SignalKind::interrupt())?);
    tokio::spawn(async move {
        loop {
            let told = tokio::select! {
                _ = term.recv() => LineEvent::Stop,
                _ = hangup.recv() => LineEvent::Stop,
                _ = interrupt.recv() => LineEvent::Interrupt,
            };
            if heard.send(told).await.is_err() {
                break;
            }
        }
    });
    Ok(())
}

/// Forwards `^C`.
#[cfg(not(unix))]
fn hear_signals(heard: mpsc::Sender<LineEvent>) -> Result<()> {
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() && heard.send(LineEvent::Interrupt).await.is_ok() {}
    });
    Ok(())
}
