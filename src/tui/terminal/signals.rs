//! What the system says of the terminal by signals: that it has another size, and that the program goes on after it was
//! stopped.
//!
//! The library that reads keys listens for sizes too, and forgets one that comes with a key; here each is heard. Who
//! was stopped from outside had no say in it: a shell may have set the terminal up for itself meanwhile, so it is
//! taken anew. A stop of our own (`^Z`) does not come here, because nobody listens while the shell has the terminal.

use std::io;
use std::task::{Context, Poll};

use crossterm::event::Event;

/// The signals that are listened for.
#[cfg(unix)]
pub(super) struct Signals {
    sizes: tokio::signal::unix::Signal,
    continued: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// Listens from now on. Needs a tokio runtime.
    pub(super) fn listen() -> io::Result<Self> {
        use rustix::process::Signal;
        use tokio::signal::unix::{SignalKind, signal};
        let continued = signal(SignalKind::from_raw(Signal::CONT.as_raw()))?;
        Ok(Self { sizes: signal(SignalKind::window_change())?, continued })
    }

    /// The size that the terminal has, once it is another or all has to be drawn anew.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Event>> {
        while let Poll::Ready(Some(())) = self.continued.poll_recv(context) {
            // A terminal that is gone cannot be taken, and the end is on its way.
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

/// Here sizes come as events alone, and programs are not stopped.
#[cfg(not(unix))]
pub(super) struct Signals;

#[cfg(not(unix))]
impl Signals {
    /// Nothing is listened for.
    pub(super) fn listen() -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Nothing comes.
    pub(super) fn poll(&mut self, _context: &mut Context<'_>) -> Poll<io::Result<Event>> {
        Poll::Pending
    }
}
