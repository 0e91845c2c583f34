//! Colours and glyphs by role. The only folder of the workbench that names a colour.
//!
//! A view asks for a role ("a failure", "the key of a hint"), never for a colour. The colours of
//! roles come from theme files, ours and the user's, which the core reads
//! ([`aludel_core::assets::theme`]). `ansi16` uses the terminal's sixteen colours and paints no
//! background, which respects light, dark and colour-blind set-ups; [`Theme::mono`] tells roles
//! apart by weight; the others paint their own background, the only way to know their contrast.
//! Each terminal gets the nearest colours it can show (`colours`), or ASCII in place of our glyphs
//! ([`Theme::finish`], `ascii`). No role relies on colour alone: a glyph and a word accompany it.

mod ascii;
mod colours;

use aludel_core::assets::theme::{Colour, Role, RoleStyle};
use aludel_core::assets::{self, Assets};
use aludel_core::domain::Phase;
pub(crate) use ascii::Data;
pub use colours::ColourDepth;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::widgets::BorderType;

/// The styles of each role.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Theme {
    /// The background; without colours if the terminal's own is kept.
    pub(crate) ground: Style,
    /// Running text.
    pub(crate) text: Style,
    /// Explanations.
    pub(crate) muted: Style,
    /// The program's name.
    pub(crate) brand: Style,
    /// A name.
    pub(crate) strong: Style,
    /// The frame of a pane.
    pub(crate) border: Style,
    /// The frame of the focused pane.
    pub(crate) border_focused: Style,
    /// A key in the hint line.
    pub(crate) key: Style,
    /// Running.
    pub(crate) live: Style,
    /// Complete.
    pub(crate) good: Style,
    /// Failed.
    pub(crate) bad: Style,
    /// Needs attention.
    pub(crate) warning: Style,
    /// The best variant, and bars.
    pub(crate) gold: Style,
    /// The selected row of a list.
    pub(crate) marked: Style,
    /// A search match.
    pub(crate) found: Style,
    /// Text removed in a comparison.
    pub(crate) gone: Style,
    /// Text added in a comparison.
    pub(crate) came: Style,
    /// The name of each phase, in pipeline order.
    phases: [Style; 3],
    /// The letters the terminal can show.
    letters: Charset,
}

/// The letters a terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Charset {
    /// All of Unicode.
    #[default]
    Unicode,
    /// ASCII only.
    Ascii,
}

/// The terminal's background.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    /// Darker than its text.
    Dark,
    /// Lighter than its text.
    Light,
}

impl Ground {
    /// Parses `COLORFGBG`, which some terminals set, such as `15;0`: the background comes last.
    pub(crate) fn of(colorfgbg: &str) -> Option<Self> {
        let colour: u8 = colorfgbg.rsplit(';').next()?.trim().parse().ok()?;
        Some(if matches!(colour, 7 | 9..=15) { Self::Light } else { Self::Dark })
    }
}

/// The theme file for `tui.theme`: `auto` follows the terminal's background, if known.
pub(crate) fn file_of(name: &str, ground: Option<Ground>) -> &str {
    match (name, ground) {
        ("auto", Some(Ground::Dark)) => "dark",
        ("auto", Some(Ground::Light)) => "light",
        ("auto", None) => "ansi16",
        _ => name,
    }
}

/// Glyphs of states.
pub(crate) mod glyph {
    /// Complete.
    pub(crate) const DONE: &str = "✓";
    /// Failed.
    pub(crate) const FAILED: &str = "✗";
    /// Waits for an earlier one.
    pub(crate) const QUEUED: &str = "·";
    /// Sent; no reply yet.
    pub(crate) const CONNECTING: &str = "◌";
    /// Will be retried.
    pub(crate) const RETRYING: &str = "↻";
    /// Stopped.
    pub(crate) const STOPPED: &str = "■";
    /// Never started.
    pub(crate) const NOT_REACHED: &str = "–";
    /// The best.
    pub(crate) const BEST: &str = "★";
    /// Leads to the next.
    pub(crate) const FLOW: &str = "▸";
    /// Needs attention.
    pub(crate) const WARNING: &str = "▲";
    /// Waits for the user's answer.
    pub(crate) const ASKS: &str = "?";
    /// A near-duplicate.
    pub(crate) const TWIN: &str = "≈";
    /// Selected, to be compared or judged.
    pub(crate) const CHOSEN: &str = "◆";
    /// Running, ten frames a second.
    pub(crate) const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
}

impl Theme {
    /// The theme of this file.
    pub(crate) fn of(file: &assets::Theme) -> Self {
        let style = |role| style(&file.look(role));
        Self {
            ground: style(Role::Ground),
            text: style(Role::Text),
            muted: style(Role::Muted),
            brand: style(Role::Brand),
            strong: style(Role::Strong),
            border: style(Role::Border),
            border_focused: style(Role::BorderFocused),
            key: style(Role::Key),
            live: style(Role::Live),
            good: style(Role::Good),
            bad: style(Role::Bad),
            warning: style(Role::Warning),
            gold: style(Role::Gold),
            marked: style(Role::Marked),
            found: style(Role::Found),
            gone: style(Role::Gone),
            came: style(Role::Came),
            phases: Phase::ALL.map(|phase| style(Role::Phase(phase))),
            letters: Charset::Unicode,
        }
    }

    /// The built-in theme of this name, regardless of the user's files; `mono` if there is none.
    pub(crate) fn builtin(name: &str) -> Self {
        Assets::default().theme(name).map_or_else(|_| Self::mono(), |file| Self::of(&file))
    }

    /// The terminal's own colours.
    pub(crate) fn ansi16() -> Self {
        Self::builtin("ansi16")
    }

    /// Sets the letters the terminal can show.
    #[must_use]
    pub(crate) const fn with_letters(mut self, letters: Charset) -> Self {
        self.letters = letters;
        self
    }

    /// Paints the background before anything is drawn on `area`.
    pub(crate) fn begin(&self, buffer: &mut Buffer, area: Rect) {
        buffer.set_style(area, self.ground);
    }

    /// The data on a screen, before anything is drawn over it: the letters within these areas.
    /// Empty if the terminal shows all letters.
    pub(crate) fn data(&self, buffer: &Buffer, areas: impl FnOnce() -> Vec<Rect>) -> Data {
        if self.letters == Charset::Ascii { Data::of(buffer, areas()) } else { Data::default() }
    }

    /// Replaces our glyphs with what the terminal can show, once everything is drawn.
    pub(crate) fn finish(&self, buffer: &mut Buffer, data: Data) {
        if self.letters == Charset::Ascii {
            ascii::lower(buffer, data);
        }
    }

    /// No colours at all.
    pub(crate) const fn mono() -> Self {
        // Titles are drawn on frames, and must not be as faint as these.
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
            letters: Charset::Unicode,
        }
    }

    /// All styles, mutable.
    fn styles_mut(&mut self) -> impl Iterator<Item = &mut Style> {
        let Self {
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
        } = self;
        let own = [
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
        own.into_iter().chain(phases)
    }

    /// The style for the name of `phase`.
    pub(crate) const fn phase(&self, phase: Phase) -> Style {
        self.phases[phase as usize]
    }

    /// The style and shape of a pane's frame. Focus changes the shape too.
    pub(crate) const fn frame(&self, focused: bool) -> (Style, BorderType) {
        if focused { (self.border_focused, BorderType::Thick) } else { (self.border, BorderType::Rounded) }
    }
}

/// Converts a look of a theme file to a style.
fn style(look: &RoleStyle) -> Style {
    let colour = |colour: Colour| match colour {
        Colour::Default => Color::Reset,
        Colour::Numbered(number) => colours::numbered(number),
        Colour::Exact([red, green, blue]) => Color::Rgb(red, green, blue),
    };
    let modifier = |modifier: &assets::theme::Modifier| match modifier {
        assets::theme::Modifier::Bold => Modifier::BOLD,
        assets::theme::Modifier::Dim => Modifier::DIM,
        assets::theme::Modifier::Italic => Modifier::ITALIC,
        assets::theme::Modifier::Underlined => Modifier::UNDERLINED,
        assets::theme::Modifier::Reversed => Modifier::REVERSED,
        assets::theme::Modifier::CrossedOut => Modifier::CROSSED_OUT,
    };
    let modifiers = look.modifiers.iter().flatten().map(modifier).collect();
    Style { fg: look.fg.map(colour), bg: look.bg.map(colour), ..Style::new() }.add_modifier(modifiers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn styles(theme: &Theme) -> Vec<Style> {
        theme.clone().styles_mut().map(|style| *style).collect()
    }

    /// The built-in themes.
    fn all() -> Vec<(String, Theme)> {
        let names = Assets::default().theme_names().into_iter().filter(|name| name != "auto");
        names.map(|name| (name.clone(), Theme::builtin(&name))).collect()
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
        for (name, theme) in all() {
            assert_ne!(theme.frame(true).1, theme.frame(false).1, "{name}");
        }
    }

    #[test]
    fn auto_follows_what_the_terminal_says_of_its_ground_and_else_leaves_it_alone() {
        let auto = |said: &str| file_of("auto", Ground::of(said));
        for dark in ["15;0", "7;default;8", "12;4"] {
            assert_eq!(auto(dark), "dark", "{dark}");
        }
        assert_eq!(auto("0;15"), "light");
        for nothing in ["", "default", "0;default", "x;y"] {
            assert_eq!(auto(nothing), "ansi16", "{nothing:?}");
        }
        assert_eq!(file_of("high-contrast", Some(Ground::Light)), "high-contrast");
    }

    #[test]
    fn every_built_in_theme_is_one_of_its_own() {
        let all = all();
        for (name, theme) in &all {
            assert_eq!(all.iter().filter(|(_, other)| other == theme).count(), 1, "{name}");
        }
        assert_eq!(all.len(), 5);
    }

    #[test]
    fn a_file_is_drawn_as_it_says() {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join("themes")).unwrap();
        let text = "extends: light\nbrand: {fg: \"#ff8700\", bg: 17, modifiers: [italic, crossed-out]}\n";
        std::fs::write(home.path().join("themes/amber.yaml"), text).unwrap();
        let theme = Theme::of(&Assets::below(home.path()).theme("amber").unwrap());
        let brand = Style::new().fg(Color::Rgb(255, 135, 0)).bg(Color::Indexed(17));
        assert_eq!(theme.brand, brand.add_modifier(Modifier::ITALIC | Modifier::CROSSED_OUT));
        assert_eq!(Theme { brand: Theme::builtin("light").brand, ..theme }, Theme::builtin("light"));
    }
}
