//! A terminal that has gone: its window was closed, or the connection was lost.
//!
//! The library that reads keys takes the end of a terminal's input for "nothing yet" and asks again for ever (crossterm 0.29,
//! `event/source/unix/mio.rs`): whoever reads then never returns. So a terminal that hung up is not read, and should it
//! do so at the very moment of a read, [`end_if_stuck`] ends the process.

/// True when the terminal has hung up.
#[cfg(unix)]
pub(super) fn has_hung_up() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    const AT_ONCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };
    let terminal = std::io::stdin();
    let mut asked = [PollFd::new(&terminal, PollFlags::empty())];
    // Hang-ups and errors are always reported.
    poll(&mut asked, Some(&AT_ONCE)).is_ok_and(|_| asked[0].revents().contains(PollFlags::HUP))
}

/// Never: there is no such state here.
#[cfg(not(unix))]
pub(super) fn has_hung_up() -> bool {
    false
}

/// Ends the process if the loop still has the terminal some time after it hung up: it hangs in a read that never returns.
/// What is finished is stored by then, and an input that has rested for a moment is kept.
#[cfg(unix)]
pub(in crate::tui) async fn end_if_stuck() {
    use std::time::Duration;

    use super::modes;

    /// Longer than any turn of the loop takes.
    const TURN: Duration = Duration::from_secs(10);
    /// What a shell reports of a process that SIGHUP ended.
    const EXIT: i32 = 128 + 1;

    tokio::time::sleep(TURN).await;
    // Another program, which heard of the hang-up too, may take its time.
    while modes::is_lent() {
        tokio::time::sleep(TURN).await;
    }
    tokio::time::sleep(TURN).await;
    if modes::entered() {
        tracing::error!("the terminal is gone, and reading it does not end; the process is ended");
        std::process::exit(EXIT);
    }
}
