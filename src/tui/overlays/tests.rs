//! Snapshots of the palette, the list of settings and the log, and their invariants.

use crate::tui::effect::{CoreEffect, Effect};
use crate::tui::message::{Message, QueryReply};
use crate::tui::model::listing::SettingRow;
use crate::tui::testing::gallery::Gallery;
use crate::tui::testing::*;
use crate::tui::theme::Theme;
use aludel_core::error::{Error, Problem};
use aludel_core::trace::LogLine;
use tracing::Level;

const GALLERY: Gallery = Gallery("over");

fn settings(bench: &mut Bench) {
    bench.press("F3");
    let row = |key: &str, value: &str, origin: &str| SettingRow {
        key: key.into(),
        value: value.into(),
        origin: origin.into(),
        takes: match key {
            "tui.theme" => "one of auto, mono, ansi16, dark, light, high-contrast, amber (yours)".into(),
            _ => aludel_core::config::keys::find(key).map(|known| known.kind.expected()).unwrap_or_default(),
        },
        is_set: origin != "default",
    };
    let rows = vec![
        row("mode", "workbench", "default"),
        row("providers.openai.api_key", "<redacted>", "~/.aludel/config.yaml:4"),
        row("generation.default_count", "5", "ALUDEL_GENERATION__DEFAULT_COUNT"),
        row("generation.default_persona", "", "default"),
        row("tui.theme", "ansi16", "default"),
    ];
    let ticket = bench.model.last_inquiry;
    bench.send(Message::Reply { ticket, reply: QueryReply::Settings(Ok(rows)) });
}

fn line(level: Level, text: &str) -> LogLine {
    LogLine { at: "2026-11-22T02:41:07Z".into(), level, text: text.into() }
}

fn log(bench: &mut Bench) {
    bench.press("Esc L");
    bench.send(Message::Log(vec![
        line(Level::INFO, "aludel_core::store: opened the database prompts=1204"),
        line(Level::WARN, "aludel_core::provider::retry: openai answered 529, attempt 2 of 4 follows in 6 s; what had come is dropped and the step starts again"),
        line(Level::ERROR, "aludel_core::provider: \u{1b}[31mopenai\u{1b}[0m refused the key"),
        line(Level::DEBUG, "aludel_core::search: 18 rows in 3 ms"),
    ]));
}

#[test]
fn the_palette_lists_what_can_be_done() {
    GALLERY.keep("palette", |bench| _ = bench.press("Ctrl+P"));
}

#[test]
fn the_palette_finds_by_letters_in_order() {
    GALLERY.keep("palette_typed", |bench| {
        bench.press("Ctrl+P");
        bench.type_text("cpy");
    });
}

#[test]
fn every_setting_says_where_it_is_from() {
    GALLERY.keep("settings", settings);
    GALLERY.keep("settings_typed", |bench| {
        settings(bench);
        bench.type_text("theme");
    });
}

#[test]
fn the_log_tells_levels_by_glyph_and_word() {
    GALLERY.keep("log", log);
}

#[test]
fn an_empty_log_says_how_to_keep_more() {
    let mut bench = Bench::new(80, 24);
    let effects = bench.press("Esc L");
    assert_eq!(effects, [Effect::Core(CoreEffect::WatchLog)]);
    assert!(bench.picture().contains("log.level"));
    assert!(bench.press("Esc L").is_empty(), "it is watched once");
}

#[test]
fn who_reads_back_in_the_log_keeps_the_same_lines_before_the_eyes() {
    let mut bench = Bench::new(80, 24);
    bench.press("Esc L");
    let lines = |count: usize| (0..count).map(|at| line(Level::INFO, &format!("line {at}."))).collect::<Vec<_>>();
    bench.send(Message::Log(lines(100)));
    assert!(bench.picture().contains("line 99."), "the newest is seen");
    bench.press("g");
    assert!(bench.picture().contains("line 0."));
    bench.send(Message::Log(lines(120)));
    assert!(bench.picture().contains("line 0."), "{}", bench.picture());
    bench.press("G");
    assert!(bench.picture().contains("line 119."));

    // Also when the oldest lines have gone, and those before the eyes are still there.
    let window =
        |from: usize| (from..from + 500).map(|at| line(Level::INFO, &format!("line {at}."))).collect::<Vec<_>>();
    bench.send(Message::Log(window(0)));
    bench.press("g PageDown PageDown PageDown PageDown PageDown");
    let seen = bench.picture();
    let first = (0..500).find(|at| seen.contains(&format!("line {at}."))).expect("some line");
    assert!(first > 40, "{seen}");
    bench.send(Message::Log(window(40)));
    assert!(bench.picture().contains(&format!("line {first}.")), "{}", bench.picture());
    assert!(!bench.picture().contains(&format!("line {}.", first - 1)), "{}", bench.picture());
}

#[test]
fn the_setting_of_the_theme_names_every_theme() {
    let mut bench = Bench::new(120, 40);
    settings(&mut bench);
    bench.type_text("tui.theme");
    let picture = bench.picture();
    assert!(picture.contains("one of auto, mono, ansi16, dark, light, high-contrast, amber (yours)"), "{picture}");
}

#[test]
fn settings_that_cannot_be_read_say_why_and_a_stale_answer_is_ignored() {
    let mut bench = Bench::new(80, 24);
    bench.press("F3");
    let stale = bench.model.last_inquiry;
    bench.press("F3 F3");
    bench.send(Message::Reply { ticket: stale, reply: QueryReply::Settings(Ok(Vec::new())) });
    assert!(bench.picture().contains("reading the configuration"));
    let problem = Problem::from(Error::Internal("a defect".into()));
    let ticket = bench.model.last_inquiry;
    bench.send(Message::Reply { ticket, reply: QueryReply::Settings(Err(Box::new(problem))) });
    assert!(bench.picture().contains("a defect"));
}

#[test]
fn in_colour_and_without_letters_but_those_of_ascii_every_box_can_be_read() {
    let opened = |keys: &'static str| move |bench: &mut Bench| _ = bench.press(keys);
    GALLERY.keep_in_colour("palette", opened("Ctrl+P"));
    GALLERY.keep_in_colour("help", opened("F1 Down"));
    GALLERY.keep_in_colour("run_settings", opened("F2 Down"));
    GALLERY.keep_in_colour("settings", settings);
    GALLERY.keep_in_colour("log", log);
    GALLERY.keep_in_ascii("palette", opened("Ctrl+P"));
    GALLERY.keep_in_ascii("settings", settings);
    GALLERY.keep_in_ascii("log", log);
}

#[test]
fn a_theme_with_a_ground_paints_every_cell() {
    for theme in ["dark", "light", "high-contrast"].map(Theme::builtin) {
        let mut bench = Bench::new(80, 24);
        settings(&mut bench);
        let buffer = bench.buffer(&theme);
        assert!(buffer.content.iter().all(|cell| Some(cell.bg) == theme.ground.bg), "{theme:?}");
    }
}

#[test]
fn hints_help_and_palette_show_the_keys_of_the_map() {
    let own = std::collections::BTreeMap::from([("run".to_owned(), vec!["F9".to_owned()])]);
    let mut bench = Bench::new(120, 40);
    bench.model.keymap = crate::tui::keymap::read("standard", &own).unwrap();
    let picture = bench.picture();
    assert!(picture.contains("F9 turns it into prompts") && picture.contains("F9 run"), "{picture}");
    assert!(!picture.contains("^J"), "{picture}");
    bench.press("F1");
    assert!(bench.picture().contains("F9"));
    bench.press("Esc Ctrl+P");
    bench.type_text("run");
    assert!(bench.picture().contains("F9"));
    bench.press("Esc");
    bench.type_text("an idea");
    bench.press("Ctrl+J");
    assert!(bench.model.run.is_none() && bench.model.overlay.is_none());
    bench.press("F9");
    assert!(bench.model.run.is_some());
}

#[test]
fn a_paste_into_a_list_is_looked_for_and_never_done() {
    for open in ["F1", "Ctrl+P", "F3"] {
        let mut bench = Bench::new(80, 24);
        bench.press(open);
        let effects = bench.send(Message::Paste("quit\nq\n\u{1b}".into()));
        assert!(effects.is_empty() && bench.model.overlay.is_some(), "{open}");
        assert!(bench.picture().contains("search quit"), "{}", bench.picture());
        assert!(bench.model.composer.is_empty());
    }
}
