//! What is escaped and what stays, checked against an independent table.

use proptest::prelude::*;

use super::*;

/// Code points that never reach a terminal, in any context.
const NEVER: [(u32, u32); 25] = [
    (0x00, 0x08),
    (0x0b, 0x0c),
    (0x0e, 0x1f),
    (0x7f, 0x9f),
    (0xad, 0xad),
    (0x034f, 0x034f),
    (0x061c, 0x061c),
    (0x115f, 0x1160),
    (0x17b4, 0x17b5),
    (0x200b, 0x200b),
    (0x200e, 0x200f),
    (0x2028, 0x202e),
    (0x2060, 0x206f),
    (0x3164, 0x3164),
    (0xfeff, 0xfeff),
    (0xffa0, 0xffa0),
    (0xfff0, 0xfffb),
    (0xfffe, 0xffff),
    (0x1bca0, 0x1bca3),
    (0x1d173, 0x1d17a),
    (0xe0000, 0xe0061),
    (0xe0064, 0xe0064),
    (0xe0078, 0xe007e),
    (0xe0080, 0xe00ff),
    (0xe01f0, 0xe0fff),
];

fn is_forbidden(c: char) -> bool {
    NEVER.iter().any(|(from, to)| (*from..=*to).contains(&u32::from(c)))
}

/// True for a carriage return that could overwrite a line.
fn has_lone_return(text: &str) -> bool {
    text.replace("\r\n", "").contains('\r')
}

#[test]
fn terminal_commands_are_shown_and_not_obeyed() {
    for (raw, shown) in [
        ("\u{1b}]0;PWN\u{7}\u{1b}[2J", "␛]0;PWN␇␛[2J"),
        ("a\u{9b}2Jb\u{9d}0;x\u{9c}", "a\\u{9b}2Jb\\u{9d}0;x\\u{9c}"),
        ("a\u{0}b\u{8}c\u{7f}", "a␀b␈c␡"),
        ("over\rwritten", "over␍written"),
        ("invoice\u{202e}fdp.exe", "invoice\\u{202e}fdp.exe"),
        ("a\u{2066}b\u{2069}\u{200f}", "a\\u{2066}b\\u{2069}\\u{200f}"),
        ("pay\u{200b}pal \u{feff}x\u{2060}", "pay\\u{200b}pal \\u{feff}x\\u{2060}"),
        ("hi\u{e0068}\u{e0069}", "hi\\u{e0068}\\u{e0069}"),
    ] {
        assert_eq!(escape(raw), shown, "{raw:?}");
    }
}

#[test]
fn what_people_write_is_left_alone_and_not_copied() {
    for text in [
        "",
        "plain\n\ttext\r\nof Windows",
        "می\u{200c}خواهم",
        "क\u{94d}\u{200d}ष",
        "👩\u{200d}👩\u{200d}👧 👍🏽 🇯🇵 ♻\u{fe0f} 1\u{fe0f}\u{20e3} ❤\u{fe0f}\u{200d}🔥",
        "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
        "葛\u{e0100}城市 e\u{301} ﷺ ᠮᠣᠩᠭᠣᠯ\u{180b}",
        "␛ \\u{1b} ⠋ │ \u{e0b0}",
    ] {
        assert!(matches!(escape(text), Cow::Borrowed(_)), "{text:?}");
        assert!(matches!(escape_json(text), Cow::Borrowed(_)), "{text:?}");
    }
}

#[test]
fn joiners_selectors_and_tags_hide_nothing() {
    assert_eq!(escape("pay\u{200d}pal"), "pay\\u{200d}pal");
    assert_eq!(escape("é\u{200d}\u{200c}"), "é\u{200d}\\u{200c}");
    assert_eq!(escape("\u{fe0f}x\u{fe0f} ♻\u{fe0f}\u{fe01}"), "\\u{fe0f}x\\u{fe0f} ♻\u{fe0f}\\u{fe01}");
    assert_eq!(escape("a\u{e0100}"), "a\\u{e0100}");
    assert_eq!(escape("🏴\u{e0068}\u{e007f}"), "🏴\\u{e0068}\\u{e007f}");
    assert_eq!(escape("🏴\u{e0067}\u{e0062}"), "🏴\\u{e0067}\\u{e0062}");
}

#[test]
fn names_are_plain_lines() {
    assert_eq!(unfit_for_a_name("mistral-large (2411) é 👩\u{200d}🔬"), None);
    for (name, unfit) in
        [("a\u{1b}b", '\u{1b}'), ("a\nb", '\n'), ("a\u{e0041}", '\u{e0041}'), ("\u{202e}x", '\u{202e}')]
    {
        assert_eq!(unfit_for_a_name(name), Some(unfit));
    }
}

#[test]
fn a_line_stays_one_line() {
    assert_eq!(escape_line("a\r\nb\tc\rd"), "a␍␊b␉c␍d");
    assert!(matches!(escape_line("plain"), Cow::Borrowed(_)));
}

#[test]
fn styles_of_our_own_stay_and_nothing_else() {
    let text = "\u{1b}[1;31merror\u{1b}[0m \u{1b}[2J\u{1b}]0;x\u{7}\u{1b}[31";
    assert_eq!(escape_around_styles(text), "\u{1b}[1;31merror\u{1b}[0m ␛[2J␛]0;x␇␛[31");
    assert!(matches!(escape_around_styles("plain"), Cow::Borrowed(_)));
}

#[test]
fn a_long_text_is_escaped_in_one_pass() {
    let text = "\u{1b}".repeat(1 << 20);
    assert_eq!(escape(&text).chars().filter(|c| *c == '␛').count(), 1 << 20);
    let text = "\u{1b}[".repeat(1 << 19);
    assert!(!escape_around_styles(&text).contains('\u{1b}'));
}

/// Texts full of hidden characters and their contexts.
fn any_text() -> impl Strategy<Value = String> {
    let marks = vec![
        "\u{1b}[2J",
        "\u{1b}]0;x\u{7}",
        "\u{9b}",
        "\r",
        "\r\n",
        "\n",
        "\t",
        "\u{202e}",
        "\u{200d}",
        "\u{200c}",
        "\u{200b}",
        "\u{fe0f}",
        "\u{e0100}",
        "\u{1f3f4}",
        "\u{e0067}",
        "\u{e0062}",
        "\u{e0065}",
        "\u{e006e}",
        "\u{e007f}",
        "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
        "👩",
        "é",
        "葛",
        "a",
        " ",
        "\\",
        "\"",
        "\u{180b}",
    ];
    let piece = prop_oneof![3 => prop::sample::select(marks).prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_forbidden_comes_out(text in any_text()) {
        for shown in [escape(&text), escape_line(&text), escape_json(&serde_json::to_string(&text).unwrap())] {
            prop_assert!(!shown.contains(is_forbidden), "{shown:?}");
            prop_assert!(!has_lone_return(&shown), "{shown:?}");
        }
    }

    #[test]
    fn escaping_twice_is_escaping_once(text in any_text()) {
        let once = escape(&text).into_owned();
        prop_assert_eq!(escape(&once), once.as_str());
        prop_assert_eq!(has_hidden(&text), once != text);
    }

    #[test]
    fn any_cut_gives_the_same(text in any_text(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6)) {
        let characters: Vec<char> = text.chars().collect();
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(characters.len() + 1)).collect();
        places.extend([0, characters.len()]);
        places.sort_unstable();
        let (mut out, mut escaper) = (String::new(), Escaper::default());
        for pair in places.windows(2) {
            escaper.push(&characters[pair[0]..pair[1]].iter().collect::<String>(), &mut out);
        }
        escaper.finish(&mut out);
        prop_assert_eq!(out, escape(&text));
    }

    #[test]
    fn json_says_the_same(text in any_text()) {
        let json = serde_json::to_string(&text).unwrap();
        prop_assert_eq!(&serde_json::from_str::<String>(&escape_json(&json)).unwrap(), &text);
        prop_assert_eq!(&serde_yaml::from_str::<String>(&escape_json_as_yaml(&json)).unwrap(), &text);
    }

    #[test]
    fn pieces_are_the_text(text in any_text()) {
        let whole: String = Pieces::of(&text).map(|piece| match piece {
            Piece::Text(text) => text.to_owned(),
            Piece::Hidden(c) => c.to_string(),
        }).collect();
        prop_assert_eq!(whole, text);
    }
}
