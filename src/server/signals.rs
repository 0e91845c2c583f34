//! The signals that end a server: SIGTERM from a supervisor, SIGINT from a terminal.
//!
//! Owns catching them, from the moment a server begins, so that none is lost before it is waited for. What ending means
//! is the server's own affair. Where there are no such signals, the console's Ctrl-C stands for both.

use std::io;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Listens for the signals from the moment it is made, so that none is lost before it is waited for.
pub(super) struct Signals {
    #[cfg(unix)]
    terminate: Signal,
    #[cfg(unix)]
    interrupt: Signal,
}

impl Signals {
    /// # Errors
    /// When the system does not let signals be caught.
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {
            #[cfg(unix)]
            terminate: signal(SignalKind::terminate())?,
            #[cfg(unix)]
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for the next signal to end.
    #[cfg(unix)]
    pub(super) async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }

    /// Waits for the next signal to end.
    #[cfg(not(unix))]
    pub(super) async fn next(&mut self) {
        // Without a console there is nothing to catch; the process is then ended from outside.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
