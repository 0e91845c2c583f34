//! Snapshots of the workbench: their sizes and names, and what must hold in each.
//!
//! Text snapshots are taken at every size; styled ones, which tag each run of cells with its style,
//! at every size but the smallest, and once without colours. Names begin with the screen.

use ratatui::style::Color;
use unicode_width::UnicodeWidthStr;

use super::{Bench, rows_of, styles_of};
use crate::tui::theme::{Charset, Theme};

/// Columns and rows: the three sizes the workbench is designed for, and the smallest.
const SIZES: [(u16, u16); 4] = [(80, 24), (120, 40), (200, 60), MIN_SIZE];
const MIN_SIZE: (u16, u16) = (60, 16);

/// The hint that ends the last row and is never cut: in an open box, and without one.
const PINNED_BY_A_BOX: [&str; 2] = ["Esc close", "Esc stay"];
const PINNED: [&str; 2] = ["? help", "F1 help"];

/// The snapshots of one screen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gallery(pub(crate) &'static str);

impl Gallery {
    /// Compares the text of the prepared workbench at every size.
    pub(crate) fn keep(self, name: &str, prepare: impl Fn(&mut Bench)) {
        for size in SIZES {
            self.keep_one(&format!("{name}_{}", told(size)), &prepared(size, &prepare));
        }
    }

    /// Compares the text of this workbench.
    pub(crate) fn keep_one(self, name: &str, bench: &Bench) {
        check(bench);
        self.compare(name, &bench.picture());
    }

    /// Compares text and styles at every size but the smallest, and without colours at the first.
    pub(crate) fn keep_in_colour(self, name: &str, prepare: impl Fn(&mut Bench)) {
        for size in SIZES.into_iter().filter(|size| *size != MIN_SIZE) {
            let bench = prepared(size, &prepare);
            check(&bench);
            self.compare(&format!("{name}_{}_colour", told(size)), &styles_of(&bench.buffer(&Theme::ansi16())));
        }
        let bench = prepared(SIZES[0], &prepare);
        self.compare(&format!("{name}_{}_mono", told(SIZES[0])), &styles_of(&bench.buffer(&Theme::mono())));
    }

    /// Compares the text at every size but the smallest, for a terminal limited to ASCII.
    pub(crate) fn keep_in_ascii(self, name: &str, prepare: impl Fn(&mut Bench)) {
        let plain = Theme::mono().with_letters(Charset::Ascii);
        for size in SIZES.into_iter().filter(|size| *size != MIN_SIZE) {
            let rows = rows_of(&prepared(size, &prepare).buffer(&plain));
            let is_data = |letter: char| super::TEXTS.iter().any(|text| text.contains(letter));
            assert!(rows.iter().all(|row| row.chars().all(|it| it.is_ascii() || is_data(it))), "{rows:#?}");
            self.compare(&format!("{name}_{}_ascii", told(size)), &rows.join("\n"));
        }
    }

    fn compare(self, name: &str, shown: &str) {
        let mut settings = insta::Settings::clone_current();
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(format!("{}_{name}", self.0), shown));
    }
}

fn told((width, height): (u16, u16)) -> String {
    format!("{width}x{height}")
}

fn prepared((width, height): (u16, u16), prepare: impl Fn(&mut Bench)) -> Bench {
    let mut bench = Bench::new(width, height);
    prepare(&mut bench);
    bench
}

/// What holds in every picture: the pinned hint is whole, no row is wider than the screen, there
/// are no control characters, and the text is the same without colours, which then has none.
pub(crate) fn check(bench: &Bench) {
    let rows = rows_of(&bench.buffer(&Theme::ansi16()));
    let hints = rows.last().map_or("", String::as_str);
    let pinned = if bench.model.overlay.is_some() { PINNED_BY_A_BOX } else { PINNED };
    assert!(pinned.iter().any(|word| hints.ends_with(word)), "the last hint is never cut: {hints:?}");
    for row in &rows {
        assert!(row.width() <= usize::from(bench.model.size.width), "a row is too wide: {row:?}");
        assert!(!row.contains(char::is_control), "a control character is shown: {row:?}");
    }
    let mono = bench.buffer(&Theme::mono());
    assert_eq!(rows, rows_of(&mono), "without colours the words are the same");
    let coloured = mono.content.iter().find(|cell| (cell.fg, cell.bg) != (Color::Reset, Color::Reset));
    assert!(coloured.is_none(), "without colours there is {coloured:?}");
}
