//! The line between the program and the terminal. Over a slow one less moves by itself, and that is said once.
//!
//! Whether a line is slow is not measured: at the other end of an ssh connection it may be, and what is spared there is
//! hardly missed where it is not. What a slow line is given is in [`crate::tui::runtime::budget`].

use crate::tui::widgets::scroll::Follow;

/// What the line is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ConnectionSpeed {
    /// Nothing need be spared.
    #[default]
    Quick,
    /// It may be slow, and the user knows what that changes.
    Slow,
    /// It may be slow, and the user was not told yet what that changes.
    SlowUntold,
    /// It may be slow, and the user was told at this sitting.
    SlowTold,
}

impl ConnectionSpeed {
    /// True for a line that may be slow.
    pub(crate) const fn is_slow(self) -> bool {
        !matches!(self, Self::Quick)
    }

    /// How panes follow arriving text, until the user says otherwise.
    pub(crate) const fn follow(self) -> Follow {
        if self.is_slow() { Follow::Page } else { Follow::Tail }
    }

    /// Milliseconds of one picture of what turns.
    pub(crate) const fn spinner_ms(self) -> u64 {
        if self.is_slow() { 500 } else { 100 }
    }

    /// True, once, when the user is to be told what is spared.
    pub(crate) fn tell(&mut self) -> bool {
        let is_due = *self == Self::SlowUntold;
        if is_due {
            *self = Self::SlowTold;
        }
        is_due
    }
}
