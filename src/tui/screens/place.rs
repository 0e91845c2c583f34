//! Where the parts of a place lie that has one list and, below it, what there is to say: the
//! Providers, the Spending and the Jobs.

use ratatui::layout::Rect;

use super::surround::{Rim, cut_top, is_too_small};

/// Where everything lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// The tabs, the figures and the keys.
    pub(crate) rim: Rim,
    /// The list, with its frame.
    pub(crate) list: Rect,
    /// What there is to say, with its frame.
    pub(crate) details: Rect,
}

/// Where everything lies when the list would be `wanted` rows high; `None` where there is too little room.
pub(crate) fn place(area: Rect, wanted: u16) -> Option<Place> {
    if is_too_small(area.width, area.height) {
        return None;
    }
    let mut body = area;
    let rim = Rim::cut(&mut body);
    let most = body.height * 3 / 5;
    let list = cut_top(&mut body, wanted.clamp(5, most));
    Some(Place { rim, list, details: body })
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
