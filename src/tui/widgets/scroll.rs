//! The scroll position of a pane, and how it follows arriving text.

use super::wrapped::Wrapped;

/// How a pane scrolls when rows arrive below the last visible one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Follow {
    /// Keeps the newest row at the bottom, so every new row moves all others.
    #[default]
    Tail,
    /// Scrolls half a pane when it is full: text stays still for reading, and less is redrawn.
    Page,
    /// Does not scroll.
    Off,
}

impl Follow {
    /// The next one, cyclically.
    pub(crate) const fn next(self) -> Self {
        match self {
            Self::Tail => Self::Page,
            Self::Page => Self::Off,
            Self::Off => Self::Tail,
        }
    }

    /// The name for users.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Tail => "tail",
            Self::Page => "page",
            Self::Off => "off",
        }
    }

    /// The first visible row of `rows`, if `height` are visible and `top` was the first so far.
    fn advance(self, top: usize, rows: usize, height: usize) -> usize {
        let last = rows.saturating_sub(height);
        match self {
            Self::Off => top.min(last),
            Self::Tail => last,
            Self::Page if rows <= top + height && top < rows.max(1) => top,
            Self::Page => rows.saturating_sub(height - height / 2).min(rows.saturating_sub(1)),
        }
    }
}

/// The first visible row of a pane, and whether it follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scroll {
    /// First visible row.
    pub(crate) top: usize,
    /// True while it follows arriving text.
    pub(crate) following: bool,
    /// True once the user has moved it.
    pub(crate) touched: bool,
}

impl Default for Scroll {
    fn default() -> Self {
        Self { top: 0, following: true, touched: false }
    }
}

impl Scroll {
    /// Moves by `rows`, down when positive, within `total` rows of which `height` are visible.
    pub(crate) fn by(&mut self, rows: isize, total: usize, height: usize) {
        let last = total.saturating_sub(height);
        self.top = self.top.min(last).saturating_add_signed(rows).min(last);
        self.following = rows > 0 && self.top == last;
        self.touched = true;
    }

    /// Scrolls to the first row and stops following.
    pub(crate) fn go_to_top(&mut self) {
        *self = Self { top: 0, following: false, touched: true };
    }

    /// Scrolls to the last row and follows.
    pub(crate) fn go_to_bottom(&mut self, total: usize, height: usize) {
        *self = Self { top: total.saturating_sub(height), following: true, touched: true };
    }

    /// Scrolls as `follow` demands, now that there are `total` rows.
    pub(crate) fn settle(&mut self, follow: Follow, total: usize, height: usize) {
        let follow = if self.following { follow } else { Follow::Off };
        self.top = follow.advance(self.top, total, height.max(1));
    }

    /// Rewraps `text` to `width` and keeps the same words at the top.
    pub(crate) fn rewrap(&mut self, text: &mut Wrapped, width: u16) {
        let at = text.start_of(self.top);
        text.set_width(width);
        self.top = if self.top == 0 { 0 } else { text.row_of(at) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tail_shows_the_newest_row_last() {
        let mut scroll = Scroll::default();
        scroll.settle(Follow::Tail, 30, 10);
        assert_eq!(scroll.top, 20);
    }

    #[test]
    fn page_stands_still_until_full_and_then_jumps_half_a_pane() {
        let mut scroll = Scroll::default();
        let tops: Vec<usize> = (1..=16)
            .map(|rows| {
                scroll.settle(Follow::Page, rows, 6);
                scroll.top
            })
            .collect();
        assert_eq!(tops, [0, 0, 0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12]);
    }

    #[test]
    fn moving_up_stops_following_and_the_last_row_takes_it_up_again() {
        let mut scroll = Scroll::default();
        scroll.settle(Follow::Tail, 30, 10);
        scroll.by(-3, 30, 10);
        scroll.settle(Follow::Tail, 40, 10);
        assert_eq!((scroll.top, scroll.following), (17, false));
        scroll.by(99, 40, 10);
        assert_eq!((scroll.top, scroll.following), (30, true));
    }

    #[test]
    fn a_new_width_keeps_the_words_on_top() {
        let mut text = Wrapped::of("one two three four five six seven", 5);
        let mut scroll = Scroll { top: text.row_of(14), following: false, touched: true };
        scroll.rewrap(&mut text, 12);
        assert!(text.rows(scroll.top).next().is_some_and(|row| row.contains("four")));
    }
}
