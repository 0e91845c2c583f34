//! The layout shared by Providers, Spending and Jobs: a list, and the details below it.

use ratatui::layout::Rect;

use super::chrome::{Chrome, cut_top, is_too_small};

/// Areas of such a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ListDetailLayout {
    /// The tabs, the status row and the key hints.
    pub(crate) chrome: Chrome,
    /// The list, with its frame.
    pub(crate) list: Rect,
    /// The details, with their frame.
    pub(crate) details: Rect,
}

/// The layout for a list that wants `wanted` rows; `None` if the terminal is too small.
pub(crate) fn place(area: Rect, wanted: u16) -> Option<ListDetailLayout> {
    if is_too_small(area.width, area.height) {
        return None;
    }
    let mut body = area;
    let chrome = Chrome::cut(&mut body);
    let most = body.height * 3 / 5;
    let list = cut_top(&mut body, wanted.clamp(5, most));
    Some(ListDetailLayout { chrome, list, details: body })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_takes_what_it_needs_and_leaves_room() {
        let least = place(Rect::new(0, 0, 60, 16), 40).unwrap();
        assert_eq!((least.list.height, least.details.height), (7, 6));
        let large = place(Rect::new(0, 0, 200, 60), 9).unwrap();
        assert_eq!((large.list.height, large.details.height), (9, 48));
        assert_eq!(place(Rect::new(0, 0, 59, 60), 9), None);
    }
}
