//! The themes that paint their own ground, as tables of colours by role.
//!
//! Colours are numbers of the 256 that terminals share: from 16 on their values are fixed (a cube of 6 x 6 x 6, then
//! greys), unlike the first sixteen, which are the user's. So the contrast of each with its ground is known, and held
//! to what the Web Content Accessibility Guidelines 2.2 ask (1.4.3 and 1.4.6, read 2026-11-22): 4.5 for text, 7 where
//! contrast is to be high, and 3 for the frames of panes (1.4.11).

use ratatui::style::{Color, Modifier, Style};

use super::{Letters, Theme};

/// A theme: a number of the 256 for each role.
pub(super) struct Colours {
    ground: u8,
    text: u8,
    muted: u8,
    brand: u8,
    strong: u8,
    border: u8,
    border_focused: u8,
    key: u8,
    live: u8,
    good: u8,
    bad: u8,
    warning: u8,
    gold: u8,
    phases: [u8; 3],
}

/// Light letters on near black.
pub(super) const DARK: Colours = Colours {
    ground: 234,
    text: 252,
    muted: 246,
    brand: 220,
    strong: 255,
    border: 242,
    border_focused: 81,
    key: 81,
    live: 81,
    good: 114,
    bad: 210,
    warning: 215,
    gold: 220,
    phases: [183, 117, 222],
};

/// Dark letters on white.
pub(super) const LIGHT: Colours = Colours {
    ground: 231,
    text: 235,
    muted: 241,
    brand: 94,
    strong: 232,
    border: 245,
    border_focused: 25,
    key: 25,
    live: 25,
    good: 22,
    bad: 124,
    warning: 130,
    gold: 94,
    phases: [90, 25, 94],
};

/// The brightest letters on black.
pub(super) const HIGH_CONTRAST: Colours = Colours {
    ground: 16,
    text: 231,
    muted: 252,
    brand: 226,
    strong: 231,
    border: 250,
    border_focused: 51,
    key: 51,
    live: 51,
    good: 46,
    bad: 210,
    warning: 214,
    gold: 226,
    phases: [213, 51, 226],
};

impl Theme {
    /// The theme of this table.
    pub(super) const fn painted(colours: &Colours) -> Self {
        let (ground, bold) = (Color::Indexed(colours.ground), Modifier::BOLD);
        Self {
            ground: Style::new().fg(Color::Indexed(colours.text)).bg(ground),
            text: on(colours.text),
            muted: on(colours.muted),
            brand: on(colours.brand).add_modifier(bold),
            strong: on(colours.strong).add_modifier(bold),
            border: on(colours.border),
            border_focused: on(colours.border_focused),
            key: on(colours.key).add_modifier(bold),
            live: on(colours.live),
            good: on(colours.good),
            bad: on(colours.bad),
            warning: on(colours.warning),
            gold: on(colours.gold).add_modifier(bold),
            marked: on(colours.text).add_modifier(Modifier::REVERSED),
            gone: on(colours.bad),
            came: on(colours.good).add_modifier(Modifier::UNDERLINED),
            found: Style::new().add_modifier(bold.union(Modifier::UNDERLINED)),
            phases: [on(colours.phases[0]), on(colours.phases[1]), on(colours.phases[2])],
            letters: Letters::Unicode,
        }
    }
}

const fn on(colour: u8) -> Style {
    Style::new().fg(Color::Indexed(colour))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Red, green and blue of a colour whose value is fixed, as xterm's 256colres.pl has them.
    fn value_of(colour: u8) -> [f64; 3] {
        const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
        let cube = |place: u8| f64::from(STEPS[usize::from(place)]) / 255.0;
        match colour {
            0..16 => panic!("{colour} is the user's own"),
            16..232 => {
                let place = colour - 16;
                [cube(place / 36), cube(place / 6 % 6), cube(place % 6)]
            }
            _ => [f64::from(8 + 10 * (colour - 232)) / 255.0; 3],
        }
    }

    /// WCAG 2.2, "relative luminance".
    fn luminance(colour: u8) -> f64 {
        let linear = |part: f64| if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) };
        let [red, green, blue] = value_of(colour).map(linear);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    /// WCAG 2.2, "contrast ratio".
    fn contrast(a: u8, b: u8) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    fn check(name: &str, colours: &Colours, text_least: f64, frame_least: f64) {
        let Colours { text, muted, brand, strong, key, live, good, bad, warning, gold, .. } = *colours;
        for colour in
            [text, muted, brand, strong, key, live, good, bad, warning, gold].into_iter().chain(colours.phases)
        {
            let ratio = contrast(colour, colours.ground);
            assert!(ratio >= text_least, "{name}: {colour} on {} is {ratio:.2}", colours.ground);
        }
        for colour in [colours.border, colours.border_focused] {
            let ratio = contrast(colour, colours.ground);
            assert!(ratio >= frame_least, "{name}: frame {colour} on {} is {ratio:.2}", colours.ground);
        }
    }

    #[test]
    fn the_ratio_is_that_of_the_guidelines() {
        assert!((contrast(16, 231) - 21.0).abs() < 1e-9, "black on white");
        // #767676 is the lightest grey that passes on white; 243 is #767676.
        assert!((contrast(243, 231) - 4.54).abs() < 0.01, "{}", contrast(243, 231));
    }

    #[test]
    fn text_can_be_read_on_its_ground() {
        check("dark", &DARK, 4.5, 3.0);
        check("light", &LIGHT, 4.5, 3.0);
        check("high-contrast", &HIGH_CONTRAST, 7.0, 7.0);
    }
}
