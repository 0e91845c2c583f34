//! Detects a terminal that is gone: its window was closed, or the connection was lost.
//!
//! crossterm takes the end of the terminal's input for "nothing yet" and retries for ever (0.29,
//! `event/source/unix/mio.rs`), so a read then never returns. A terminal that hung up is therefore
//! not read; if it hangs up during a read, [`end_if_stuck`] ends the process.

/// True if the terminal has hung up.
#[cfg(unix)]
pub(super) fn has_hung_up() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    const AT_ONCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };
    let terminal = std::io::stdin();
    let mut asked = [PollFd::new(&terminal, PollFlags::empty())];
    // Hang-ups and errors are always reported.
    poll(&mut asked, Some(&AT_ONCE)).is_ok_and(|_| asked[0].revents().contains(PollFlags::HUP))
}

/// Always false: terminals do not hang up here.
#[cfg(not(unix))]
pub(super) fn has_hung_up() -> bool {
    false
}

/// Ends the process if the loop still has the terminal long after it hung up: a read never
/// returned. Finished work is stored by then, and a draft that has rested for a moment is saved.
#[cfg(unix)]
pub(in crate::tui) async fn end_if_stuck() {
    use std::time::Duration;

    use super::modes;

    /// Longer than any turn of the loop.
    const TURN: Duration = Duration::from_secs(10);
    /// What a shell reports for a process ended by SIGHUP.
    const EXIT: i32 = 128 + 1;

    tokio::time::sleep(TURN).await;
    // The program that has the terminal got the hang-up too, and can take its time.
    while modes::is_lent() {
        tokio::time::sleep(TURN).await;
    }
    tokio::time::sleep(TURN).await;
    if modes::entered() {
        tracing::error!("the terminal is gone, and reading it does not end; the process is ended");
        std::process::exit(EXIT);
    }
}
