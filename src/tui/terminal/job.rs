//! Job control: stopping ourselves as `^Z` would.

/// Stops every process of this group, as the terminal would, and returns once it goes on. False when the system did
/// not stop it: without a shell that could bring it back, it does not.
#[cfg(unix)]
pub(super) async fn stop() -> bool {
    use rustix::process::{Signal, kill_current_process_group};
    use std::time::Duration;
    use tokio::signal::unix::{SignalKind, signal};

    let Ok(mut continued) = signal(SignalKind::from_raw(Signal::CONT.as_raw())) else { return false };
    if kill_current_process_group(Signal::TSTP).is_err() {
        return false;
    }
    // While stopped, this clock runs on; so a wait that is over before the signal came was never a stop.
    tokio::time::timeout(Duration::from_millis(500), continued.recv()).await.is_ok()
}

/// There is no job control here.
#[cfg(not(unix))]
pub(super) async fn stop() -> bool {
    false
}
