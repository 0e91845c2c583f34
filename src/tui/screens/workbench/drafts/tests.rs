//! Tests of drafts and of the input history.

use super::*;
use crate::tui::message::Message;
use crate::tui::model::DraftState;
use crate::tui::model::drafts::CutShort;
use crate::tui::testing::*;
use aludel_core::error::Code;
use aludel_core::event::EventKind;

/// A workbench that has been told that no draft was left.
fn bench() -> Bench {
    let mut bench = Bench::new(120, 40);
    bench.send(Message::DraftState(DraftReply::Left(Leftovers::default())));
    bench.wait(DraftState::REST_MS);
    bench
}

/// The drafts saved in the next `milliseconds`.
fn written(bench: &mut Bench, milliseconds: u64) -> Vec<Draft> {
    let effects = bench.wait_and_see(milliseconds);
    let sheets = effects.into_iter().filter_map(|effect| match effect {
        Effect::Core(CoreEffect::KeepDraft(sheet)) => Some(sheet),
        _ => None,
    });
    sheets.collect()
}

fn sheet(text: &str) -> Draft {
    Draft { text: text.into(), run: None }
}

fn left(draft: &str) -> Leftovers {
    Leftovers { written: sheet(draft), draft: Some((draft.into(), "5 min".into())), ..Leftovers::default() }
}

#[test]
fn what_is_written_is_kept_when_typing_rests() {
    let mut bench = bench();
    bench.type_text("an idea");
    assert_eq!(written(&mut bench, 499), []);
    assert_eq!(written(&mut bench, 1), [sheet("an idea")]);
    assert_eq!(written(&mut bench, 60_000), [], "once");
    bench.press("Left");
    assert_eq!(written(&mut bench, 60_000), [], "a motion changes nothing");
    bench.press("Ctrl+A Ctrl+K");
    assert_eq!(written(&mut bench, 500), [sheet("")]);
}

#[test]
fn while_typing_goes_on_it_is_kept_every_two_seconds() {
    let mut bench = bench();
    let mut kept = Vec::new();
    for _ in 0..50 {
        bench.type_text("x");
        kept.extend(written(&mut bench, 100));
    }
    assert_eq!(kept, [sheet(&"x".repeat(20)), sheet(&"x".repeat(40))]);
}

#[test]
fn a_draft_that_was_left_comes_back_and_can_be_taken_away() {
    let mut bench = Bench::new(120, 40);
    bench.send(Message::DraftState(DraftReply::Left(left("half a thought"))));
    assert_eq!(bench.model.composer.text(), "half a thought");
    assert!(bench.picture().contains("your draft of 5 min ago is restored; ^_ removes it"), "{}", bench.picture());
    assert_eq!(written(&mut bench, 60_000), [], "it is written down already");
    bench.press("Ctrl+_");
    assert!(bench.model.composer.is_empty());
    assert_eq!(written(&mut bench, 500), [sheet("")]);
}

#[test]
fn what_takes_a_draft_away_is_said_until_something_is_typed() {
    let mut bench = Bench::new(120, 40);
    bench.send(Message::DraftState(DraftReply::Left(left("half a thought"))));
    bench.wait(1_000);
    assert!(bench.picture().contains("removes it"));
    bench.type_text("x");
    assert!(!bench.picture().contains("removes it"), "{}", bench.picture());
}

#[test]
fn what_was_typed_before_a_draft_came_back_stays_behind_it() {
    let mut bench = Bench::new(120, 40);
    bench.type_text("ab");
    assert_eq!(written(&mut bench, 60_000), [], "nothing is written before it is known what was left");
    bench.send(Message::DraftState(DraftReply::Left(left("draft "))));
    assert_eq!(bench.model.composer.text(), "draft ab");
    assert_eq!(written(&mut bench, 500), [sheet("draft ab")]);
}

#[test]
fn an_idea_stays_a_draft_until_its_run_is_stored() {
    let mut bench = bench();
    bench.run("idea", 1);
    let running = Draft { text: "idea".into(), run: Some(session()) };
    assert_eq!(written(&mut bench, 2_000), [running]);
    bench.tell(whole_variant(0, "prompt"));
    bench.tell(ending(&[(0, "prompt", 0.8)], Vec::new()));
    assert_eq!(written(&mut bench, 500), [sheet("")]);
    bench.press("i");
    bench.type_text("s");
    assert_eq!(written(&mut bench, 500), [sheet("ideas")]);
}

#[test]
fn the_idea_of_a_run_that_came_to_nothing_is_kept() {
    let mut bench = bench();
    bench.run("idea", 1);
    written(&mut bench, 500);
    bench.tell(vec![EventKind::Cancelled {}]);
    assert_eq!(written(&mut bench, 500), [sheet("idea")]);
}

#[test]
fn the_idea_of_a_run_of_which_nothing_could_be_stored_is_kept() {
    let mut bench = bench();
    bench.run("idea", 1);
    written(&mut bench, 500);
    bench.tell(whole_variant(0, "text"));
    let message = "prompt 000000a0 is finished but not stored".to_owned();
    bench.tell(vec![EventKind::Warning { variant: Some(0), phase: None, message, code: Some(Code::Storage) }]);
    bench.tell(ending(&[(0, "text", 0.5)], Vec::new()));
    assert_eq!(written(&mut bench, 500), [sheet("idea")]);
}

#[test]
fn leaving_writes_down_what_is_not_yet_written() {
    let mut bench = bench();
    bench.type_text("idea");
    assert_eq!(bench.press("Ctrl+Q"), [TerminalEffect::Quit.into()]);
    let draft = CoreEffect::KeepDraft(sheet("idea"));
    assert!(effects_on_quit(&mut bench.model).contains(&draft));
    assert!(!effects_on_quit(&mut bench.model).contains(&draft), "once");
}

#[test]
fn who_writes_where_nothing_is_configured_is_explained_once() {
    let explained = CoreEffect::Explained(Notice::Builtin);
    let mut first = bench();
    assert!(first.picture().contains("OPENAI_API_KEY"), "{}", first.picture());
    assert_eq!(effects_on_quit(&mut first.model), [explained]);
    let mut later = bench();
    later.builtin_is_known();
    assert!(!later.picture().contains("OPENAI_API_KEY"), "{}", later.picture());
    assert!(later.picture().contains("a rule-based writer, not a model"), "what it is is always said");
    assert_eq!(effects_on_quit(&mut later.model), []);
}

#[test]
fn a_draft_that_cannot_be_kept_is_told_once_and_tried_again() {
    let mut bench = bench();
    bench.type_text("a");
    assert_eq!(written(&mut bench, 500).len(), 1);
    bench.send(Message::DraftState(DraftReply::NotKept(overloaded())));
    assert!(bench.picture().contains("your draft is not saved"), "{}", bench.picture());
    bench.wait(60_000);
    bench.press("Left");
    assert_eq!(written(&mut bench, 500), [sheet("a")]);
    bench.send(Message::DraftState(DraftReply::NotKept(overloaded())));
    assert_eq!(bench.model.toast, None);
}

#[test]
fn a_run_that_was_cut_short_is_told_until_there_is_another() {
    let mut bench = Bench::new(120, 40);
    let cut_short = Some(CutShort { stored: 2, asked: 3 });
    bench.send(Message::DraftState(DraftReply::Left(Leftovers { cut_short, ..left("idea") })));
    let words = "2 of 3 variants are stored; Alt-5 shows them";
    assert!(bench.picture().contains(words), "{}", bench.picture());
    bench.press("Ctrl+J");
    bench.tell(vec![started(1), EventKind::Cancelled {}]);
    assert_eq!(bench.model.drafts.cut_short, None);
}

fn stored(bench: &mut Bench, texts: &[&str]) {
    let texts = texts.iter().map(|&text| text.to_owned()).collect();
    bench.send(Message::DraftState(DraftReply::Inputs(Ok(texts))));
}

#[test]
fn earlier_inputs_are_asked_for_once_and_walked() {
    let mut bench = Bench::new(120, 40);
    bench.type_text("mine");
    assert_eq!(bench.press("Alt+Up"), [CoreEffect::LoadInputs.into()]);
    assert_eq!(bench.model.composer.text(), "mine");
    stored(&mut bench, &["second", "first"]);
    assert_eq!(bench.model.composer.text(), "second", "the step that waited for them");
    assert_eq!(bench.press("Alt+Up Alt+Up"), []);
    assert_eq!(bench.model.composer.text(), "first");
    assert_eq!(bench.model.toast.as_ref().unwrap().text, "no earlier input");
    bench.press("Alt+Down Alt+Down");
    assert_eq!(bench.model.composer.text(), "mine");
}

#[test]
fn what_was_run_is_the_newest_input() {
    let mut bench = Bench::new(120, 40);
    bench.run("idea", 1);
    bench.tell(vec![EventKind::Cancelled {}]);
    bench.press("i Ctrl+U Alt+Up");
    stored(&mut bench, &["older"]);
    assert_eq!(bench.model.composer.text(), "idea");
}

#[test]
fn a_search_finds_an_earlier_input_and_takes_it_up() {
    let mut bench = Bench::new(120, 40);
    bench.type_text("mine");
    assert_eq!(bench.press("Ctrl+R"), [CoreEffect::LoadInputs.into()]);
    assert!(bench.picture().contains("being read"), "{}", bench.picture());
    stored(&mut bench, &["a haiku about rain", "review a\nRust change"]);
    bench.type_text("RUST");
    assert!(bench.picture().contains("review a Rust change") && !bench.picture().contains("haiku"));
    bench.press("Enter");
    assert_eq!((bench.model.composer.text().as_str(), &bench.model.overlay), ("review a\nRust change", &None));
    bench.press("Ctrl+_ Ctrl+_");
    assert_eq!(bench.model.composer.text(), "mine");
}

#[test]
fn inputs_that_cannot_be_read_are_told_and_asked_for_again() {
    let mut bench = Bench::new(120, 40);
    bench.press("Alt+Up");
    bench.send(Message::DraftState(DraftReply::Inputs(Err(overloaded()))));
    assert!(bench.model.toast.as_ref().unwrap().text.starts_with("earlier inputs cannot be read"));
    assert_eq!(bench.press("Alt+Up"), [CoreEffect::LoadInputs.into()]);
}

#[test]
fn the_editor_gets_the_input_and_what_it_saved_comes_back() {
    let mut bench = bench();
    bench.type_text("idea");
    let handed: [Effect; 2] = [CoreEffect::KeepDraft(sheet("idea")).into(), TerminalEffect::Edit("idea".into()).into()];
    assert_eq!(bench.press("Ctrl+G"), handed);
    bench.send(Message::Edited(Edited::Saved("a better\r\nidea\u{1b}[31m".into())));
    assert_eq!(bench.model.composer.text(), "a better\nidea");
    assert_eq!(written(&mut bench, 500), [sheet("a better\nidea")]);
    bench.press("Ctrl+_ Ctrl+_");
    assert_eq!(bench.model.composer.text(), "idea");
}

#[test]
fn an_editor_that_fails_changes_nothing_and_says_so() {
    let mut bench = Bench::new(120, 40);
    bench.type_text("idea");
    bench.press("Ctrl+G");
    bench.send(Message::Edited(Edited::Failed("`ed` ended with 3".into())));
    assert_eq!(bench.model.composer.text(), "idea");
    assert!(bench.picture().contains("`ed` ended with 3; the input is as it was"), "{}", bench.picture());
}

#[test]
fn what_is_selected_is_copied_and_cut() {
    let mut bench = Bench::new(120, 40);
    bench.type_text("one two");
    assert_eq!(bench.press("Alt+W"), []);
    assert_eq!(bench.model.toast.as_ref().unwrap().text, "nothing is selected");
    let copied = || [Effect::from(TerminalEffect::Copy("two".into()))];
    assert_eq!(bench.press("Ctrl+Space Alt+B Alt+W"), copied());
    assert_eq!(bench.model.composer.text(), "one two");
    assert_eq!(bench.press("End Shift+Left Shift+Left Shift+Left Ctrl+X"), copied());
    assert_eq!(bench.model.composer.text(), "one ");
    bench.press("Ctrl+Y");
    assert_eq!(bench.model.composer.text(), "one two");
}

#[test]
fn esc_ends_a_selection_before_it_leaves_the_input() {
    let mut bench = Bench::new(120, 40);
    bench.type_text("one");
    bench.press("Ctrl+Space Left Esc");
    assert_eq!((bench.model.focus, bench.model.composer.is_selecting()), (Focus::Composer, false));
    bench.press("Esc");
    assert_eq!(bench.model.focus, Focus::Vessels);
}
