//! The workbench where a screen cannot be drawn or would not help: `TERM=dumb`, a screen reader, `--plain`.
//!
//! Lines that are only ever added, no cursor movement, no colour, no spinner: what happens is told once, when it has
//! happened. An idea is typed, its run is followed, and short commands with numbers do the rest.
//!
//! | part | owns |
//! |---|---|
//! | `command` | what may be typed |
//! | `session` | what becomes of it: one operation of the engine for each command |
//! | `tell` | the sentences |
//! | `lines` | the way in and the way out, which lets nothing through but text |
//!
//! There is no model and no executor here: nothing is drawn, and one thing happens at a time.

mod command;
mod lines;
mod session;
mod tell;

use std::io;

use aludel_core::engine::Engine;
use aludel_core::error::{Error, Result};
use tokio::sync::mpsc;

use lines::{Heard, read_lines};
use session::Session;

/// Lines that may wait to be heard.
const AHEAD: usize = 256;

/// Talks with the person at the terminal until they leave. Needs a tokio runtime.
///
/// # Errors
/// `internal` when the terminal fails; `storage` when something could not be written at the end.
pub(crate) async fn run(engine: Engine) -> Result<()> {
    let (sender, heard) = mpsc::channel(AHEAD);
    let signals = sender.clone();
    // Reading blocks, and cannot be broken off: the thread goes with the process.
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

/// The first line: what this is and who writes.
fn welcome(engine: &Engine) -> String {
    let super::Defaults { providers, writers, count, .. } = super::defaults(engine);
    let names = providers.join(", ");
    let by = if providers.iter().all(|name| writers.contains(name)) {
        format!("{names}, a writer by rule and no model; aludel config init shows how to add one")
    } else {
        names
    };
    format!("aludel, plain: {} of each idea, by {by}.", tell::count(count.into(), "variant"))
}

/// Hands over what the system says: `^C`, and being asked to end or left without a terminal.
#[cfg(unix)]
fn hear_signals(heard: mpsc::Sender<Heard>) -> Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let listen =
        |kind| signal(kind).map_err(|error| Error::Internal(format!("cannot install the signal handlers: {error}")));
    let (mut term, mut hangup, mut interrupt) =
        (listen(SignalKind::terminate())?, listen(SignalKind::hangup())?, listen(SignalKind::interrupt())?);
    tokio::spawn(async move {
        loop {
            let told = tokio::select! {
                _ = term.recv() => Heard::Stop,
                _ = hangup.recv() => Heard::Stop,
                _ = interrupt.recv() => Heard::Interrupt,
            };
            if heard.send(told).await.is_err() {
                break;
            }
        }
    });
    Ok(())
}

/// Hands over what the system says: `^C`.
#[cfg(not(unix))]
fn hear_signals(heard: mpsc::Sender<Heard>) -> Result<()> {
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() && heard.send(Heard::Interrupt).await.is_ok() {}
    });
    Ok(())
}
