//! Bytes that wait in the terminal though nobody is told of them, and how their reader is told again.
//!
//! The library that reads keys is told once when bytes come (epoll(7), edge-triggered). Of a key and a new size that come
//! together it takes the one and forgets the other, and of more than a kilobyte it takes the first and waits to be told of the
//! rest: the keys then lie there until the next one is pressed. Its other way of reading (`use-dev-tty`) forgets nothing,
//! but gives one key at a time (crossterm issues 839 and 1047), and then a burst is no longer known for a paste.
//!
//! Setting the terminal's attributes to what they are makes Linux wake whoever waits for bytes (`n_tty_set_termios`).
//! Elsewhere it does nothing, and the next key brings the others along, as before.

/// Wakes the reader if bytes wait.
#[cfg(unix)]
pub(super) fn wake_reader() {
    use rustix::io::ioctl_fionread;
    use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

    let terminal = std::io::stdin();
    if !ioctl_fionread(&terminal).is_ok_and(|waiting| waiting > 0) {
        return;
    }
    if let Ok(attributes) = tcgetattr(&terminal) {
        // Who has lost the terminal has no bytes to read either.
        _ = tcsetattr(&terminal, OptionalActions::Now, &attributes);
    }
}

/// There is nothing to be woken: events are counted here, not edges.
#[cfg(not(unix))]
pub(super) fn wake_reader() {}
