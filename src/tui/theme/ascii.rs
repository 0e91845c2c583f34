//! Substitutes for terminals limited to ASCII, one for one, so that nothing moves.
//!
//! Works on the finished frame, so no view needs to know. The substitutes of our glyphs and frames
//! keep their meaning. Data stays unchanged: letters that are not our signs, and in panes of texts
//! our signs too ([`Data`]). What is copied or stored is not affected.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::glyph;

/// Our glyphs and frames, and their substitutes.
const PLAIN: &[(&str, &str)] = &[
    (glyph::DONE, "+"),
    (glyph::FAILED, "x"),
    (glyph::QUEUED, "."),
    (glyph::CONNECTING, "o"),
    (glyph::RETRYING, "@"),
    (glyph::STOPPED, "#"),
    (glyph::NOT_REACHED, "-"),
    (glyph::BEST, "*"),
    (glyph::FLOW, ">"),
    (glyph::WARNING, "!"),
    (glyph::TWIN, "="),
    (glyph::CHOSEN, "&"),
    // Frames; the focused pane's has another shape.
    ("─", "-"),
    ("┄", "."),
    ("│", "|"),
    ("╭", "."),
    ("╮", "."),
    ("╰", "'"),
    ("╯", "'"),
    ("━", "="),
    ("╸", "="),
    ("┃", "#"),
    ("┏", "#"),
    ("┓", "#"),
    ("┗", "#"),
    ("┛", "#"),
    ("█", "#"),
    ("▇", "#"),
    ("▆", "+"),
    ("▅", "+"),
    ("▄", ":"),
    ("▃", ":"),
    ("▂", "."),
    ("▁", "."),
    // Signs in sentences and hints.
    ("↑", "^"),
    ("↓", "v"),
    ("←", "<"),
    ("→", ">"),
    ("▴", "^"),
    ("▾", "v"),
    ("‹", "<"),
    ("›", ">"),
    ("●", "O"),
    ("×", "x"),
    ("…", "~"),
    ("—", "-"),
    ("’", "'"),
    ("“", "\""),
    ("”", "\""),
];

/// The frames of the spinner.
const TURNING: [&str; 4] = ["|", "/", "-", "\\"];

/// The non-ASCII letters of texts, by cell.
#[derive(Debug, Default)]
pub(crate) struct Data(Vec<(Position, String)>);

impl Data {
    /// Those within `areas` of what is drawn so far.
    pub(super) fn of(buffer: &Buffer, areas: impl IntoIterator<Item = Rect>) -> Self {
        let cells = areas.into_iter().flat_map(|area| area.intersection(buffer.area).positions());
        let symbols = cells.map(|at| (at, buffer[at].symbol()));
        Self(symbols.filter(|(_, symbol)| !symbol.is_ascii()).map(|(at, symbol)| (at, symbol.to_owned())).collect())
    }
}

/// Replaces our signs by ASCII. `data` is kept where nothing was drawn over it.
pub(super) fn lower(buffer: &mut Buffer, data: Data) {
    let kept: Vec<_> = data.0.into_iter().filter(|(at, symbol)| buffer[*at].symbol() == symbol).collect();
    for cell in &mut buffer.content {
        if let Some(plain) = plain(cell.symbol()) {
            cell.set_symbol(plain);
        }
    }
    for (at, symbol) in kept {
        buffer[at].set_symbol(&symbol);
    }
}

/// The substitute for one of our signs; `None` for anything else.
fn plain(symbol: &str) -> Option<&'static str> {
    if symbol.is_ascii() {
        return None;
    }
    if let Some((_, plain)) = PLAIN.iter().find(|(glyph, _)| *glyph == symbol) {
        return Some(plain);
    }
    let frame = glyph::SPINNER.iter().position(|frame| *frame == symbol)?;
    Some(TURNING[frame % TURNING.len()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;
    use ratatui::style::Style;
    use std::collections::BTreeSet;

    #[test]
    fn states_stay_apart() {
        let states = [
            glyph::DONE,
            glyph::FAILED,
            glyph::QUEUED,
            glyph::CONNECTING,
            glyph::RETRYING,
            glyph::STOPPED,
            glyph::NOT_REACHED,
            glyph::BEST,
            glyph::FLOW,
            glyph::WARNING,
            glyph::TWIN,
            glyph::CHOSEN,
        ];
        let plain: BTreeSet<&str> = states.into_iter().filter_map(plain).collect();
        assert_eq!(plain.len(), states.len());
        assert_ne!(super::plain("─"), super::plain("━"), "what is full of a bar, and the frame that has the keys");
        assert_ne!(super::plain("│"), super::plain("┃"));
    }

    #[test]
    fn one_sign_stands_for_one_and_data_stays() {
        assert!(PLAIN.iter().all(|(_, plain)| plain.len() == 1));
        let mut buffer = Buffer::empty(Rect::new(0, 0, 12, 1));
        buffer.set_stringn(0, 0, "a ✓ 世é⠙", 12, Style::new());
        lower(&mut buffer, Data::default());
        let shown: String = buffer.content.iter().map(ratatui::buffer::Cell::symbol).collect();
        assert_eq!(shown.trim_end(), "a + 世 é/");
    }

    #[test]
    fn our_signs_in_a_text_stay_unless_something_lies_over_them() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 2));
        buffer.set_stringn(0, 0, "│ …─✓", 8, Style::new());
        buffer.set_stringn(0, 1, "│ …─✓", 8, Style::new());
        let data = Data::of(&buffer, [Rect::new(1, 0, 20, 1)]);
        buffer.set_stringn(3, 0, "│", 1, Style::new());
        lower(&mut buffer, data);
        let shown: String = buffer.content.iter().map(ratatui::buffer::Cell::symbol).collect();
        assert_eq!(shown, "| …|✓   | ~-+   ");
    }
}
