//! Letters for terminals that have ASCII alone: one for one, so that nothing moves.
//!
//! Works on what was drawn, so that no view has to think of it. Our own glyphs and frames have a sign each that keeps
//! their meaning; what else is not ASCII (a model's answer in another script) is a question mark, which says that
//! something stands there. What is copied or stored is not touched.

use ratatui::buffer::Buffer;

use super::glyph;

/// What stands for a letter that is not ASCII.
const UNKNOWN: &str = "?";

/// Our glyphs and frames, and what stands for them.
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
    // Frames: that of the pane with the keys keeps another shape.
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

/// What turns while something is at work.
const TURNING: [&str; 4] = ["|", "/", "-", "\\"];

/// Puts ASCII in the place of all else.
pub(super) fn lower(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if !cell.symbol().is_ascii() {
            let plain = plain(cell.symbol());
            cell.set_symbol(plain);
        }
    }
}

fn plain(symbol: &str) -> &'static str {
    if let Some((_, plain)) = PLAIN.iter().find(|(glyph, _)| *glyph == symbol) {
        return plain;
    }
    glyph::SPINNER.iter().position(|frame| *frame == symbol).map_or(UNKNOWN, |at| TURNING[at % TURNING.len()])
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
        let plain: BTreeSet<&str> = states.into_iter().map(plain).collect();
        assert_eq!(plain.len(), states.len());
        assert!(!plain.contains(UNKNOWN));
        assert_ne!(super::plain("─"), super::plain("━"), "what is full of a bar, and the frame that has the keys");
        assert_ne!(super::plain("│"), super::plain("┃"));
    }

    #[test]
    fn one_sign_stands_for_one_and_none_is_left() {
        assert!(PLAIN.iter().all(|(_, plain)| plain.len() == 1));
        let mut buffer = Buffer::empty(Rect::new(0, 0, 12, 1));
        buffer.set_stringn(0, 0, "a ✓ 世é⠙", 12, Style::new());
        lower(&mut buffer);
        let shown: String = buffer.content.iter().map(ratatui::buffer::Cell::symbol).collect();
        assert_eq!(shown.trim_end(), "a + ? ?/");
    }
}
