//! Signals about the terminal: it was resized, or the program continues after a stop.
//!
//! crossterm listens for sizes too, but loses one that comes with a key; here none is lost. A stop
//! from outside can leave the terminal in a shell's modes, so ours are entered again. A stop of our
//! own (`^Z`) does not get here: nothing listens while the shell has the terminal.

use std::io;
use std::task::{Context, Poll};

use crossterm::event::Event;

/// The signals listened for.
#[cfg(unix)]
pub(super) struct Signals {
    sizes: tokio::signal::unix::Signal,
    continued: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// Starts to listen. Needs a tokio runtime.
    pub(super) fn listen() -> io::Result<Self> {
        use rustix::process::Signal;
        use tokio::signal::unix::{SignalKind, signal};
        let continued = signal(SignalKind::from_raw(Signal::CONT.as_raw()))?;
        Ok(Self { sizes: signal(SignalKind::window_change())?, continued })
    }

    /// The terminal's size, once it changed or everything has to be redrawn.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Event>> {
        while let Poll::Ready(Some(())) = self.continued.poll_recv(context) {
            // A terminal that is gone cannot be entered; the end of its input follows.
            if super::modes::retake().is_ok() {
                return Poll::Ready(size());
            }
        }
        match self.sizes.poll_recv(context) {
            Poll::Ready(Some(())) => Poll::Ready(size()),
            Poll::Ready(None) | Poll::Pending => Poll::Pending,
        }
    }
}

#[cfg(unix)]
fn size() -> io::Result<Event> {
    crossterm::terminal::size().map(|(width, height)| Event::Resize(width, height))
}

/// Sizes come only as events here, and programs are not stopped.
#[cfg(not(unix))]
pub(super) struct Signals;

#[cfg(not(unix))]
impl Signals {
    /// Always fails: there are no signals to listen for.
    pub(super) fn listen() -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Never ready.
    pub(super) fn poll(&mut self, _context: &mut Context<'_>) -> Poll<io::Result<Event>> {
        Poll::Pending
    }
}
