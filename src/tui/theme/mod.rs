//! Colours and glyphs by role. The only folder of the workbench that names a colour.
//!
//! A view asks for a role ("a failure", "the key of a hint") and never for a colour. [`Theme::ansi16`] uses the
//! terminal's own sixteen colours and paints no background, so that light, dark and colour-blind set-ups stay as their
//! owner made them; [`Theme::mono`] has none and tells roles apart by weight; the others (`colours`) paint their own
//! ground, because only then is the contrast of what stands on it known. No role is told by colour alone: a glyph and a
//! word stand beside it. Where a terminal has no letters but ASCII, [`Theme::finish`] puts others in their place (`ascii`).

mod ascii;
mod colours;

use aludel_core::domain::Phase;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::widgets::BorderType;

/// What is drawn how.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Theme {
    /// What everything stands on; without colours where the terminal's own is left as it is.
    pub(crate) ground: Style,
    /// Running text.
    pub(crate) text: Style,
    /// What explains rather than says.
    pub(crate) muted: Style,
    /// The program's name.
    pub(crate) brand: Style,
    /// A word that names something.
    pub(crate) strong: Style,
    /// The frame of a pane.
    pub(crate) border: Style,
    /// The frame of the pane that has the keys.
    pub(crate) border_focused: Style,
    /// A key in the hint line.
    pub(crate) key: Style,
    /// Under way.
    pub(crate) live: Style,
    /// Complete.
    pub(crate) good: Style,
    /// Failed.
    pub(crate) bad: Style,
    /// To be known.
    pub(crate) warning: Style,
    /// The best variant, and bars.
    pub(crate) gold: Style,
    /// The marked row of a list.
    pub(crate) marked: Style,
    /// What was looked for.
    pub(crate) found: Style,
    /// Text that only the first of two has.
    pub(crate) gone: Style,
    /// Text that only the second of two has.
    pub(crate) came: Style,
    /// The name of each phase, in their natural order.
    phases: [Style; 3],
    /// What can be written.
    letters: Letters,
}

/// What a terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Letters {
    /// Every letter.
    #[default]
    Unicode,
    /// Those of ASCII alone.
    Ascii,
}

/// What a terminal says of the ground it paints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    /// Letters are lighter than it.
    Dark,
    /// Letters are darker than it.
    Light,
}

impl Ground {
    /// Reads `COLORFGBG`, which some terminals set: `15;0`, the last number being the ground's among the sixteen.
    pub(crate) fn of(colorfgbg: &str) -> Option<Self> {
        let colour: u8 = colorfgbg.rsplit(';').next()?.trim().parse().ok()?;
        Some(if matches!(colour, 7 | 9..=15) { Self::Light } else { Self::Dark })
    }
}

/// Shapes that stand for states.
pub(crate) mod glyph {
    /// Complete.
    pub(crate) const DONE: &str = "✓";
    /// Failed.
    pub(crate) const FAILED: &str = "✗";
    /// Waits for what is before it.
    pub(crate) const QUEUED: &str = "·";
    /// Asked, nothing has come.
    pub(crate) const CONNECTING: &str = "◌";
    /// Will be asked again.
    pub(crate) const RETRYING: &str = "↻";
    /// Stopped.
    pub(crate) const STOPPED: &str = "■";
    /// Never begun.
    pub(crate) const NOT_REACHED: &str = "–";
    /// The best.
    pub(crate) const BEST: &str = "★";
    /// Flows into the next.
    pub(crate) const FLOW: &str = "▸";
    /// To be known.
    pub(crate) const WARNING: &str = "▲";
    /// Nearly the same as another.
    pub(crate) const TWIN: &str = "≈";
    /// Marked, to be compared or judged.
    pub(crate) const CHOSEN: &str = "◆";
    /// At work, ten frames a second.
    pub(crate) const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
}

impl Theme {
    /// The theme of this name; `auto` follows the terminal's ground as far as that is known.
    pub(crate) fn named(name: &str, ground: Option<Ground>) -> Self {
        match (name, ground) {
            ("dark", _) | ("auto", Some(Ground::Dark)) => Self::painted(&colours::DARK),
            ("light", _) | ("auto", Some(Ground::Light)) => Self::painted(&colours::LIGHT),
            ("high-contrast", _) => Self::painted(&colours::HIGH_CONTRAST),
            ("mono", _) => Self::mono(),
            _ => Self::ansi16(),
        }
    }

    /// The same for a terminal that can show these letters.
    #[must_use]
    pub(crate) const fn with_letters(mut self, letters: Letters) -> Self {
        self.letters = letters;
        self
    }

    /// Lays the ground, before anything is drawn on `area`.
    pub(crate) fn begin(&self, buffer: &mut Buffer, area: Rect) {
        buffer.set_style(area, self.ground);
    }

    /// Takes what was drawn to what the terminal can show, once all is drawn.
    pub(crate) fn finish(&self, buffer: &mut Buffer) {
        if self.letters == Letters::Ascii {
            ascii::lower(buffer);
        }
    }

    /// The terminal's own colours.
    pub(crate) fn ansi16() -> Self {
        let colour = |colour: Color| Style::new().fg(colour);
        Self {
            ground: Style::new(),
            text: colour(Color::Reset),
            muted: colour(Color::DarkGray),
            brand: colour(Color::Yellow).add_modifier(Modifier::BOLD),
            strong: colour(Color::Reset).add_modifier(Modifier::BOLD),
            border: colour(Color::DarkGray),
            border_focused: colour(Color::Cyan),
            key: colour(Color::Cyan).add_modifier(Modifier::BOLD),
            live: colour(Color::Cyan),
            good: colour(Color::Green),
            bad: colour(Color::Red),
            warning: colour(Color::Yellow),
            gold: colour(Color::Yellow).add_modifier(Modifier::BOLD),
            marked: colour(Color::Reset).add_modifier(Modifier::REVERSED),
            found: Style::new().add_modifier(Modifier::BOLD.union(Modifier::UNDERLINED)),
            gone: colour(Color::Red),
            came: colour(Color::Green).add_modifier(Modifier::UNDERLINED),
            phases: [colour(Color::Magenta), colour(Color::Cyan), colour(Color::Yellow)],
            letters: Letters::Unicode,
        }
    }

    /// No colours at all.
    pub(crate) const fn mono() -> Self {
        // Titles lie on frames, and must not be as faint as these.
        let plain = Style::new().remove_modifier(Modifier::DIM);
        let (bold, dim) = (plain.add_modifier(Modifier::BOLD), Style::new().add_modifier(Modifier::DIM));
        Self {
            ground: Style::new(),
            text: plain,
            muted: dim,
            brand: bold,
            strong: bold,
            border: dim,
            border_focused: plain,
            key: bold,
            live: plain,
            good: plain,
            bad: bold,
            warning: bold,
            gold: bold,
            marked: Style::new().add_modifier(Modifier::REVERSED),
            found: Style::new().add_modifier(Modifier::BOLD.union(Modifier::UNDERLINED)),
            gone: bold,
            came: bold.add_modifier(Modifier::UNDERLINED),
            phases: [plain, plain, plain],
            letters: Letters::Unicode,
        }
    }

    /// How the name of `phase` is drawn.
    pub(crate) const fn phase(&self, phase: Phase) -> Style {
        self.phases[phase as usize]
    }

    /// The frame of a pane: style and shape. The one that has the keys differs in shape too.
    pub(crate) const fn frame(&self, focused: bool) -> (Style, BorderType) {
        if focused { (self.border_focused, BorderType::Thick) } else { (self.border, BorderType::Rounded) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn styles(theme: &Theme) -> Vec<Style> {
        let Theme {
            ground,
            text,
            muted,
            brand,
            strong,
            border,
            border_focused,
            key,
            live,
            good,
            bad,
            warning,
            gold,
            marked,
            found,
            gone,
            came,
            phases,
            letters: _,
        } = theme.clone();
        let mut all = vec![
            ground,
            text,
            muted,
            brand,
            strong,
            border,
            border_focused,
            key,
            live,
            good,
            bad,
            warning,
            gold,
            marked,
            found,
            gone,
            came,
        ];
        all.extend(phases);
        all
    }

    #[test]
    fn the_colourless_theme_has_no_colour() {
        assert!(styles(&Theme::mono()).iter().all(|style| style.fg.is_none() && style.bg.is_none()));
    }

    #[test]
    fn the_terminals_own_theme_paints_no_background() {
        assert!(styles(&Theme::ansi16()).iter().all(|style| style.bg.is_none()));
    }

    #[test]
    fn the_focused_frame_differs_in_shape_in_every_theme() {
        for theme in aludel_core::config::THEMES.iter().map(|name| Theme::named(name, None)) {
            assert_ne!(theme.frame(true).1, theme.frame(false).1);
        }
    }

    #[test]
    fn auto_follows_what_the_terminal_says_of_its_ground_and_else_leaves_it_alone() {
        let auto = |said: &str| Theme::named("auto", Ground::of(said));
        for dark in ["15;0", "7;default;8", "12;4"] {
            assert_eq!(auto(dark), Theme::named("dark", None), "{dark}");
        }
        assert_eq!(auto("0;15"), Theme::named("light", None));
        for nothing in ["", "default", "0;default", "x;y"] {
            assert_eq!(auto(nothing), Theme::ansi16(), "{nothing:?}");
        }
    }

    #[test]
    fn every_theme_of_the_configuration_is_one_of_its_own() {
        let themes: Vec<Theme> =
            aludel_core::config::THEMES.iter().map(|name| Theme::named(name, Some(Ground::Dark))).collect();
        for (at, theme) in themes.iter().enumerate() {
            // `auto` is the dark one here.
            let same = themes.iter().filter(|other| *other == theme).count();
            let name = aludel_core::config::THEMES[at];
            assert_eq!(same, if matches!(name, "auto" | "dark") { 2 } else { 1 }, "{name}");
        }
    }
}
