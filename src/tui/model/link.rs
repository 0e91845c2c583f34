//! The connection to the terminal. Over a slow one less is animated, which the user is told once.
//!
//! Speed is not measured: an SSH connection is assumed to be slow, and on a fast one the savings
//! are hardly noticed. [`crate::tui::runtime::budget`] limits the output of a slow one.

use crate::tui::widgets::scroll::Follow;

/// The assumed speed of the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ConnectionSpeed {
    /// Fast: nothing is limited.
    #[default]
    Quick,
    /// Possibly slow, and the user knows what that changes.
    Slow,
    /// Possibly slow, and the user has yet to be told what that changes.
    SlowUnannounced,
    /// Possibly slow, and the user was told in this session.
    SlowAnnounced,
}

impl ConnectionSpeed {
    /// True for a connection that may be slow.
    pub(crate) const fn is_slow(self) -> bool {
        !matches!(self, Self::Quick)
    }

    /// How panes follow streamed text, until the user changes it.
    pub(crate) const fn follow(self) -> Follow {
        if self.is_slow() { Follow::Page } else { Follow::Tail }
    }

    /// Milliseconds per frame of the spinner.
    pub(crate) const fn spinner_ms(self) -> u64 {
        if self.is_slow() { 500 } else { 100 }
    }

    /// Returns true, once, if the user has yet to be told what is limited.
    pub(crate) fn tell(&mut self) -> bool {
        let is_due = *self == Self::SlowUnannounced;
        if is_due {
            *self = Self::SlowAnnounced;
        }
        is_due
    }
}
