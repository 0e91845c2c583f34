//! The signals that stop a run: SIGINT and SIGTERM.

/// Listens for the signals that stop a run.
#[derive(Debug)]
pub(crate) struct Interrupts {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

impl Interrupts {
    /// Replaces the default action of the signals, which ends the process.
    ///
    /// # Errors
    /// The system's error if it cannot install a handler.
    #[cfg(unix)]
    pub(crate) fn listen() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// Replaces the default action of the signal, which ends the process.
    ///
    /// # Errors
    /// None here.
    #[cfg(not(unix))]
    pub(crate) fn listen() -> std::io::Result<Self> {
        Ok(Self {})
    }

    /// Waits for the next signal.
    #[cfg(unix)]
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }

    /// Waits for the next signal.
    #[cfg(not(unix))]
    pub(crate) async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
