//! Job control: suspends the program as `^Z` would.

/// Stops this process group as the terminal would, and returns once it continues. False if the
/// system did not stop it: it does not without a shell that could resume it.
#[cfg(unix)]
pub(super) async fn stop() -> bool {
    use rustix::process::{Signal, kill_current_process_group};
    use std::time::Duration;
    use tokio::signal::unix::{SignalKind, signal};

    let Ok(mut continued) = signal(SignalKind::from_raw(Signal::CONT.as_raw())) else { return false };
    if kill_current_process_group(Signal::TSTP).is_err() {
        return false;
    }
    // This clock runs on while stopped, so a wait that ends before the signal was never a stop.
    tokio::time::timeout(Duration::from_millis(500), continued.recv()).await.is_ok()
}

/// There is no job control here.
#[cfg(not(unix))]
pub(super) async fn stop() -> bool {
    false
}
