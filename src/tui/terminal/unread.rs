//! Wakes the reader for bytes left unread in the terminal.
//!
//! crossterm is notified once when bytes come (epoll(7), edge-triggered). Of a key and a resize
//! that come together it handles one and loses the other, and of more than a kilobyte it reads the
//! first and waits for another notification: the rest stays until the next key. Its other way of
//! reading (`use-dev-tty`) loses nothing, but yields one key at a time (crossterm issues 839 and
//! 1047), which hides pastes. Setting the terminal's attributes to their own values makes Linux
//! notify readers again (`n_tty_set_termios`); elsewhere it does nothing.

/// Wakes the reader if there are unread bytes.
#[cfg(unix)]
pub(super) fn wake_reader() {
    use rustix::io::ioctl_fionread;
    use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

    let terminal = std::io::stdin();
    if !ioctl_fionread(&terminal).is_ok_and(|waiting| waiting > 0) {
        return;
    }
    if let Ok(attributes) = tcgetattr(&terminal) {
        // A lost terminal has no bytes to read either.
        _ = tcsetattr(&terminal, OptionalActions::Now, &attributes);
    }
}

/// Does nothing: readers here are not edge-triggered.
#[cfg(not(unix))]
pub(super) fn wake_reader() {}
