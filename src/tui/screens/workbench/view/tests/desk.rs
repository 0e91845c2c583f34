//! Snapshots of what helps with the input: restored drafts, history, another provider, a selection.

use super::*;
use crate::tui::message::DraftReply;
use crate::tui::model::drafts::{CutShort, Leftovers};

#[test]
fn what_an_earlier_workbench_left() {
    GALLERY.keep("left", |bench| {
        let draft = Some((IDEA.into(), "5 min".into()));
        let cut_short = Some(CutShort { stored: 2, asked: 3 });
        bench.send(Message::DraftState(DraftReply::Left(Leftovers { draft, cut_short, ..Leftovers::default() })));
    });
}

#[test]
fn earlier_inputs() {
    GALLERY.keep("recall", |bench| {
        bench.type_text("half an idea");
        bench.press("Ctrl+R");
        let stored =
            [IDEA, "Summarise a meeting\nfor those who missed it", "レビュー用プロンプト", "a haiku about rain"];
        bench.send(Message::DraftState(DraftReply::Inputs(Ok(stored.map(str::to_owned).to_vec()))));
        bench.type_text("a");
        bench.press("Down");
    });
}

#[test]
fn another_provider() {
    GALLERY.keep("provider", |bench| {
        partly_failed(bench);
        bench.press("P");
        bench.names();
        bench.press("Down");
    });
}

#[test]
fn who_writes_is_said_in_short_once_it_was_explained() {
    GALLERY.keep("empty_later", Bench::builtin_is_known);
}

#[test]
fn what_is_selected_is_reversed_with_and_without_colours() {
    let mut bench = Bench::new(80, 24);
    bench.type_text("one two three");
    bench.press("Ctrl+Space Alt+B Alt+B");
    for theme in [Theme::ansi16(), Theme::mono()] {
        let styles = styles_of(&bench.buffer(&theme));
        assert!(styles.contains("<reversed>two three<"), "{styles}");
    }
}
