//! Colours and glyphs by role. The only folder of the workbench that names a colour.
//!
//! A view asks for a role ("a failure", "the key of a hint") and never for a colour. Which colours a role has is in files
//! of themes, ours and the user's, which the core reads ([`aludel_core::assets::theme`]); [`Theme::of`] makes styles of
//! them. `ansi16` uses the terminal's own sixteen colours and paints no background, so that light, dark and colour-blind
//! set-ups stay as their owner made them; [`Theme::mono`] has none and tells roles apart by weight; the others paint their
//! own ground, because only then is the contrast of what stands on it known. A terminal gets the nearest of what it can
//! show (`colours`). No role is told by colour alone: a glyph and a word stand beside it. Where a terminal has no letters
//! but ASCII, [`Theme::finish`] puts others in their place (`ascii`).

mod ascii;
mod colours;

use aludel_core::assets::theme::{Colour, Look, Role};
use aludel_core::assets::{self, Assets};
use aludel_core::domain::Phase;
pub(crate) use ascii::Data;
pub use colours::Depth;
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

/// The file of the theme that `tui.theme` names: `auto` follows the terminal's ground as far as that is known.
pub(crate) fn file_of(name: &str, ground: Option<Ground>) -> &str {
    match (name, ground) {
        ("auto", Some(Ground::Dark)) => "dark",
        ("auto", Some(Ground::Light)) => "light",
        ("auto", None) => "ansi16",
        _ => name,
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
    /// Waits for an answer of the user.
    pub(crate) const ASKS: &str = "?";
    /// Nearly the same as another.
    pub(crate) const TWIN: &str = "≈";
    /// Marked, to be compared or judged.
    pub(crate) const CHOSEN: &str = "◆";
    /// At work, ten frames a second.
    pub(crate) const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
}

impl Theme {
    /// The theme of a file.
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
            letters: Letters::Unicode,
        }
    }

    /// The built-in theme of this name, whatever the user has; without colours where there is none.
    pub(crate) fn builtin(name: &str) -> Self {
        Assets::default().theme(name).map_or_else(|_| Self::mono(), |file| Self::of(&file))
    }

    /// The terminal's own colours.
    pub(crate) fn ansi16() -> Self {
        Self::builtin("ansi16")
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

    /// What of a screen is data, before anything lies over it: the letters within these areas. Nothing where all letters
    /// can be shown.
    pub(crate) fn data(&self, buffer: &Buffer, areas: impl FnOnce() -> Vec<Rect>) -> Data {
        if self.letters == Letters::Ascii { Data::of(buffer, areas()) } else { Data::default() }
    }

    /// Takes our signs to what the terminal can show, once all is drawn.
    pub(crate) fn finish(&self, buffer: &mut Buffer, data: Data) {
        if self.letters == Letters::Ascii {
            ascii::lower(buffer, data);
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

    /// Every style, to be changed.
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

    /// How the name of `phase` is drawn.
    pub(crate) const fn phase(&self, phase: Phase) -> Style {
        self.phases[phase as usize]
    }

    /// The frame of a pane: style and shape. The one that has the keys differs in shape too.
    pub(crate) const fn frame(&self, focused: bool) -> (Style, BorderType) {
        if focused { (self.border_focused, BorderType::Thick) } else { (self.border, BorderType::Rounded) }
    }
}

/// What a look of a file is to the screen.
fn style(look: &Look) -> Style {
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
