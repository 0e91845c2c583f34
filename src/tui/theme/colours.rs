//! Colours: their values, contrast against the background, and the nearest a terminal can show.
//!
//! From 16 on the values of the 256 colours are fixed (a cube of 6 x 6 x 6, then greys); the first
//! sixteen are the user's, assumed to be xterm's where a value is needed. Contrast is that of the
//! Web Content Accessibility Guidelines 2.2 (1.4.3, 1.4.6, 1.4.11, read 2026-11-22). Tests check
//! themes that paint a background: 4.5 for text, 7 in high contrast, 3 for frames of panes.

use ratatui::style::{Color, Style};

use super::Theme;

/// The colour depth of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColourDepth {
    /// The first sixteen colours.
    Sixteen,
    /// The 256 colours that terminals share.
    #[default]
    Shared,
    /// True colour.
    Every,
}

/// Red, green and blue.
type Value = [u8; 3];

/// The first sixteen in xterm's values (XTerm-col.ad, read 2026-11-22), by number.
const SIXTEEN: [(Color, Value); 16] = [
    (Color::Black, [0, 0, 0]),
    (Color::Red, [205, 0, 0]),
    (Color::Green, [0, 205, 0]),
    (Color::Yellow, [205, 205, 0]),
    (Color::Blue, [0, 0, 238]),
    (Color::Magenta, [205, 0, 205]),
    (Color::Cyan, [0, 205, 205]),
    (Color::Gray, [229, 229, 229]),
    (Color::DarkGray, [127, 127, 127]),
    (Color::LightRed, [255, 0, 0]),
    (Color::LightGreen, [0, 255, 0]),
    (Color::LightYellow, [255, 255, 0]),
    (Color::LightBlue, [92, 92, 255]),
    (Color::LightMagenta, [255, 0, 255]),
    (Color::LightCyan, [0, 255, 255]),
    (Color::White, [255, 255, 255]),
];

/// Lowest contrast at which text can be read.
const READABLE: f64 = 3.0;

impl ColourDepth {
    /// Guesses from the terminal's `COLORTERM`, else from `TERM`.
    pub(crate) fn of(colorterm: Option<&str>, term: Option<&str>) -> Self {
        /// True-colour terminals, recognised where `COLORTERM` does not reach, as over SSH.
        const EVERY: [&str; 6] = ["xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm", "contour"];
        match (colorterm, term) {
            (Some("truecolor" | "24bit"), _) => Self::Every,
            // A Windows console has no `TERM`.
            (_, None) if cfg!(windows) => Self::Every,
            (_, None) => Self::default(),
            (_, Some(term)) if term.ends_with("-direct") || EVERY.iter().any(|name| term.starts_with(name)) => {
                Self::Every
            }
            (_, Some(term)) if term.contains("256color") => Self::Shared,
            (_, Some(_)) => Self::Sixteen,
        }
    }
}

impl Theme {
    /// Reduces the theme to colours of this depth.
    #[must_use]
    pub(crate) fn shown_in(mut self, depth: ColourDepth) -> Self {
        let ground = self.ground.bg.map(|colour| nearest(colour, depth, None));
        for style in self.styles_mut() {
            let on = style.bg.map(|colour| nearest(colour, depth, None)).or(ground);
            *style = Style {
                fg: style.fg.map(|colour| nearest(colour, depth, on)),
                bg: style.bg.map(|colour| nearest(colour, depth, None)),
                ..*style
            };
        }
        self
    }
}

/// The nearest colour of this depth that is readable on `on`.
fn nearest(colour: Color, depth: ColourDepth, on: Option<Color>) -> Color {
    let value = match (colour, depth) {
        (_, ColourDepth::Every) | (Color::Indexed(_), ColourDepth::Shared) => return colour,
        (Color::Rgb(red, green, blue), _) => [red, green, blue],
        (Color::Indexed(number @ 16..), ColourDepth::Sixteen) => of_number(number),
        // The terminal's own colours exist at every depth.
        _ => return colour,
    };
    if depth == ColourDepth::Shared {
        let near = (16..=u8::MAX).min_by(|a, b| apart(value, of_number(*a)).total_cmp(&apart(value, of_number(*b))));
        return near.map_or(colour, Color::Indexed);
    }
    let ground = on.and_then(of);
    let is_readable = |known: Value| ground.is_none_or(|ground| contrast(known, ground) >= READABLE);
    let readable = SIXTEEN.iter().filter(|(_, known)| is_readable(*known));
    let near = readable.min_by(|(_, a), (_, b)| apart_by_hue(value, *a).total_cmp(&apart_by_hue(value, *b)));
    near.map_or(colour, |(near, _)| *near)
}

/// A colour by number; one of the first sixteen by name.
pub(super) fn numbered(number: u8) -> Color {
    SIXTEEN.get(usize::from(number)).map_or(Color::Indexed(number), |(named, _)| *named)
}

/// The value of a colour that has one; xterm's for the first sixteen.
fn of(colour: Color) -> Option<Value> {
    match colour {
        Color::Rgb(red, green, blue) => Some([red, green, blue]),
        Color::Indexed(number) => Some(of_number(number)),
        named => SIXTEEN.iter().find(|(known, _)| *known == named).map(|(_, value)| *value),
    }
}

/// The value of one of the 256 colours (xterm's 256colres.pl).
fn of_number(number: u8) -> Value {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    match number {
        0..16 => SIXTEEN[usize::from(number)].1,
        16..232 => {
            let place = usize::from(number - 16);
            [STEPS[place / 36], STEPS[place / 6 % 6], STEPS[place % 6]]
        }
        _ => [8 + 10 * (number - 232); 3],
    }
}

/// Squared distance in Oklab (Ottosson 2020, "A perceptual color space for image processing").
fn apart(a: Value, b: Value) -> f64 {
    squared(oklab(a), oklab(b))
}

/// Like [`apart`], but weighs hue most: among few colours, an equal hue means the same.
fn apart_by_hue(a: Value, b: Value) -> f64 {
    /// Below this chroma a colour is nearly grey, and its hue counts little.
    const FAINT: f64 = 0.04;
    /// The weight of hue relative to lightness.
    const HUE: f64 = 0.5;
    let by_hue = |value| {
        let [light, a, b] = oklab(value);
        let strength = a.hypot(b);
        [light, HUE * a / (strength + FAINT), HUE * b / (strength + FAINT)]
    };
    squared(by_hue(a), by_hue(b))
}

fn squared(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

fn oklab(value: Value) -> [f64; 3] {
    let [red, green, blue] = linear(value);
    let cone = |parts: [f64; 3]| (parts[0] * red + parts[1] * green + parts[2] * blue).cbrt();
    let long = cone([0.412_221_470_8, 0.536_332_536_3, 0.051_445_992_9]);
    let middle = cone([0.211_903_498_2, 0.680_699_545_1, 0.107_396_956_6]);
    let short = cone([0.088_302_461_9, 0.281_718_837_6, 0.629_978_700_5]);
    [
        0.210_454_255_3 * long + 0.793_617_785_0 * middle - 0.004_072_046_8 * short,
        1.977_998_495_1 * long - 2.428_592_205_0 * middle + 0.450_593_709_9 * short,
        0.025_904_037_1 * long + 0.782_771_766_2 * middle - 0.808_675_766_0 * short,
    ]
}

/// Linear red, green and blue, from 0 to 1.
fn linear(value: Value) -> [f64; 3] {
    value.map(|part| {
        let part = f64::from(part) / 255.0;
        if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    })
}

/// WCAG 2.2, "contrast ratio" of "relative luminance".
fn contrast(a: Value, b: Value) -> f64 {
    let luminance = |value| {
        let [red, green, blue] = linear(value);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    };
    let (a, b): (f64, f64) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The contrast of a theme's colour against its background.
    fn ratio(theme: &Theme, style: Style) -> f64 {
        let ground = theme.ground.bg.and_then(of).unwrap();
        contrast(style.fg.and_then(of).unwrap(), ground)
    }

    #[track_caller]
    fn check(theme: &Theme, name: &str, text_least: f64, frame_least: f64) {
        let Theme { text, muted, brand, strong, key, live, good, bad, warning, gold, marked, gone, came, .. } = *theme;
        let texts = [text, muted, brand, strong, key, live, good, bad, warning, gold, marked, gone, came];
        let texts = texts.into_iter().chain(theme.phases).chain([theme.ground]);
        let frames = [theme.border, theme.border_focused].map(|style| (style, frame_least));
        for (style, least) in texts.map(|style| (style, text_least)).chain(frames) {
            let ratio = ratio(theme, style);
            assert!(ratio >= least, "{name}: {style:?} is {ratio:.2}");
        }
    }

    #[test]
    fn the_ratio_is_that_of_the_guidelines() {
        assert!((contrast([0; 3], [255; 3]) - 21.0).abs() < 1e-9, "black on white");
        // #767676 is the lightest grey that passes on white; 243 is #767676.
        assert!((contrast(of_number(243), of_number(231)) - 4.54).abs() < 0.01);
    }

    #[test]
    fn text_can_be_read_on_the_ground_of_every_built_in_theme_that_paints_one() {
        for (name, text_least, frame_least) in [("dark", 4.5, 3.0), ("light", 4.5, 3.0), ("high-contrast", 7.0, 7.0)] {
            let theme = Theme::builtin(name);
            for style in theme.clone().styles_mut() {
                let numbers = [style.fg, style.bg].into_iter().flatten();
                assert!(numbers.clone().all(|colour| matches!(colour, Color::Indexed(16..))), "{name}: {style:?}");
            }
            check(&theme, name, text_least, frame_least);
        }
    }

    #[test]
    fn sixteen_colours_keep_text_readable_and_meanings_apart() {
        for name in ["dark", "light", "high-contrast"] {
            let theme = Theme::builtin(name).shown_in(ColourDepth::Sixteen);
            for style in theme.clone().styles_mut() {
                let named = |colour| SIXTEEN.iter().any(|(known, _)| *known == colour);
                assert!([style.fg, style.bg].into_iter().flatten().all(named), "{name}: {style:?}");
            }
            check(&theme, name, READABLE, READABLE);
            assert!(theme.good.fg != theme.bad.fg && theme.key.fg != theme.text.fg, "{name}: {theme:?}");
        }
        let dark = Theme::builtin("dark").shown_in(ColourDepth::Sixteen);
        let colours = [dark.good, dark.bad, dark.warning, dark.live, dark.text].map(|style| style.fg.unwrap());
        assert_eq!(colours, [Color::LightGreen, Color::LightRed, Color::Yellow, Color::Cyan, Color::Gray]);
        assert_eq!(dark.ground.bg, Some(Color::Black));
    }

    #[test]
    fn what_a_terminal_can_show_stays_and_the_rest_is_the_nearest() {
        let orange = Color::Rgb(255, 136, 2);
        assert_eq!(nearest(orange, ColourDepth::Every, None), orange);
        assert_eq!(nearest(orange, ColourDepth::Shared, None), Color::Indexed(208));
        assert_eq!(nearest(Color::Rgb(129, 129, 129), ColourDepth::Shared, None), Color::Indexed(244));
        for number in 16..=u8::MAX {
            let [red, green, blue] = of_number(number);
            let Color::Indexed(near) = nearest(Color::Rgb(red, green, blue), ColourDepth::Shared, None) else {
                panic!()
            };
            assert_eq!(of_number(near), of_number(number));
        }
        for own in [Color::Reset, Color::Cyan, Color::DarkGray, Color::Indexed(3)] {
            for depth in [ColourDepth::Sixteen, ColourDepth::Shared, ColourDepth::Every] {
                assert_eq!(nearest(own, depth, Some(Color::Cyan)), own);
            }
        }
        assert_eq!(Theme::ansi16().shown_in(ColourDepth::Sixteen), Theme::ansi16());
    }

    #[test]
    fn on_light_ground_no_letter_is_too_bright_to_be_read() {
        let yellow = Color::Rgb(240, 230, 0);
        let near = |ground| nearest(yellow, ColourDepth::Sixteen, Some(ground));
        assert_eq!(near(Color::Black), Color::LightYellow);
        assert!(contrast(of(near(Color::White)).unwrap(), [255; 3]) >= READABLE);
    }

    #[test]
    fn the_terminal_says_how_many_colours_it_has() {
        for (colorterm, term, depth) in [
            (Some("truecolor"), Some("xterm"), ColourDepth::Every),
            (Some("24bit"), None, ColourDepth::Every),
            (None, Some("xterm-256color"), ColourDepth::Shared),
            (Some("1"), Some("tmux-256color"), ColourDepth::Shared),
            (None, Some("xterm-kitty"), ColourDepth::Every),
            (None, Some("xterm-direct"), ColourDepth::Every),
            (None, Some("xterm"), ColourDepth::Sixteen),
            (None, Some("linux"), ColourDepth::Sixteen),
            (Some(""), Some("screen"), ColourDepth::Sixteen),
        ] {
            assert_eq!(ColourDepth::of(colorterm, term), depth, "{colorterm:?} {term:?}");
        }
    }
}
