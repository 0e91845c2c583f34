//! Tests of how the History responds to keys and replies, also in any order.

mod files;

use super::layout::layout;
use crate::tui::action::ScreenName;
use crate::tui::effect::{CoreEffect, Effect, HistoryCommand, Question, TerminalEffect, Ticket};
use crate::tui::message::{HistoryReply, Message};
use crate::tui::model::history::{Mode, Part, ResultFacts, ResultPage, Row, Start};
use crate::tui::model::{Focus, Overlay, Stage, Tone};
use crate::tui::testing::*;
use aludel_core::domain::{Match, MatchKind, Prompt, SessionId};
use aludel_core::engine::Indexing;
use aludel_core::error::{Error, Problem};
use proptest::prelude::*;
use ratatui::layout::Rect;
use serde_json::{Value, json};

/// Prompt number `number` of a list.
fn stored(number: u32) -> Prompt {
    prompt(number, &format!("Prompt number {number}\nand its second line"), Some(0.5))
}

fn rows(numbers: std::ops::Range<u32>) -> Vec<Row> {
    numbers.map(|number| Row::listed(&stored(number).into(), None)).collect()
}

fn page(numbers: std::ops::Range<u32>, next: Option<Start>) -> ResultPage {
    ResultPage { next, ..answer(rows(numbers)) }
}

/// The History with this many rows, the first of them read.
fn listing(count: u32) -> Bench {
    let mut bench = Bench::new(120, 40);
    bench.press("Esc 5");
    bench.answer(answer(rows(0..count)));
    bench.read(stored(0));
    bench
}

/// The search among `effects`, and its delay in milliseconds.
fn question(effects: &[Effect]) -> Option<(u64, Question)> {
    effects.iter().find_map(|effect| match effect {
        Effect::Core(CoreEffect::History { command: HistoryCommand::Find { wait_ms, question }, .. }) => {
            Some((*wait_ms, question.clone()))
        }
        _ => None,
    })
}

fn wishes(effects: &[Effect]) -> Vec<HistoryCommand> {
    let command = |effect: &Effect| match effect {
        Effect::Core(CoreEffect::History { command, .. }) => Some(command.clone()),
        _ => None,
    };
    effects.iter().filter_map(command).collect()
}

fn typed(bench: &mut Bench, text: &str) -> Vec<Effect> {
    let keys: Vec<String> =
        text.chars().map(|letter| if letter == ' ' { "Space".into() } else { letter.into() }).collect();
    bench.press(&keys.join(" "))
}

fn refused(field: &str) -> Box<Problem> {
    Box::new(Problem::from(Error::value(field, "is no such thing")))
}

#[test]
fn going_there_and_back_loses_nothing_of_a_run() {
    let mut bench = Bench::new(120, 40);
    bench.run("idea", 2);
    let asked = bench.press("5");
    assert_eq!(question(&asked), Some((0, Question::List(json!({ "limit": 50 })))));
    bench.tell(whole_variant(0, "the finished prompt"));
    assert!(bench.picture().contains("live"), "the run is seen in the status line");
    bench.press("1");
    assert_eq!((bench.model.screen, bench.model.focus), (ScreenName::Work, Focus::Vessels));
    assert!(bench.picture().contains("the finished prompt"));
    assert_eq!(bench.model.composer.text(), "idea");
}

#[test]
fn alt_and_a_digit_change_the_screen_while_typing() {
    let mut bench = Bench::new(120, 40);
    bench.type_text("5 ideas");
    bench.press("Alt+5");
    assert_eq!(bench.model.screen, ScreenName::History);
    bench.press("/");
    bench.type_text("1");
    assert_eq!(bench.model.history.search.text(), "1");
    bench.press("Alt+1");
    assert_eq!((bench.model.screen, bench.model.composer.text()), (ScreenName::Work, "5 ideas".to_owned()));
}

#[test]
fn a_run_that_ends_while_the_list_is_seen_has_it_read_again() {
    let mut bench = Bench::new(120, 40);
    bench.run("idea", 1);
    bench.press("5");
    bench.answer(answer(rows(1..4)));
    bench.press("Down");
    let effects = bench.tell(ending(&[(0, "new", 0.5)], Vec::new()));
    assert!(question(&effects).is_some());
    bench.answer(answer(rows(0..4)));
    assert_eq!(bench.model.history.marked_row().map(|row| row.id), Some(stored(2).id), "the mark stays on its prompt");
}

#[test]
fn words_are_looked_for_once_they_rest() {
    let mut bench = listing(3);
    bench.press("/");
    let effects = typed(&mut bench, "json tag:rust");
    let last = effects.last().cloned().unwrap();
    let expected = json!({ "tags": ["rust"], "limit": 50, "query": "json" });
    assert_eq!(question(&[last]), Some((120, Question::Search(expected))));
    assert_eq!(bench.press("Left Right Home"), [], "moving about asks nothing");
}

#[test]
fn only_the_answer_to_the_newest_question_is_taken() {
    let mut bench = listing(3);
    bench.press("/ a");
    let old = bench.model.history.asked.unwrap().ticket;
    bench.press("b");
    bench.send(Message::History { ticket: old, news: HistoryReply::Found(Ok(Box::new(answer(rows(5..6))))) });
    assert_eq!(bench.model.history.rows.len(), 3);
    bench.answer(answer(rows(7..9)));
    assert_eq!(bench.model.history.rows[0].id, stored(7).id);
    bench.send(Message::History { ticket: Ticket(1), news: HistoryReply::Read(Ok(Box::new(stored(1)))) });
    assert_eq!(bench.model.history.preview.as_ref().unwrap().prompt.id, stored(0).id, "an old reading neither");
}

#[test]
fn the_mode_goes_round_and_asks_again_where_there_are_words() {
    let mut bench = listing(3);
    assert_eq!(bench.press("Ctrl+R"), [], "a list is the same in every mode");
    bench.press("/ x");
    let effects = bench.press("Ctrl+R");
    assert_eq!(question(&effects), Some((300, Question::Search(json!({ "limit": 50, "query": "x", "hybrid": true })))));
    let effects = bench.press("Ctrl+R");
    assert_eq!(bench.model.history.mode, Mode::Text);
    assert_eq!(question(&effects), Some((120, Question::Search(json!({ "limit": 50, "query": "x" })))));
}

#[test]
fn where_a_meaning_costs_money_only_enter_asks() {
    let mut bench = listing(3);
    bench.meaning_costs();
    bench.press("/ Ctrl+R");
    assert_eq!(typed(&mut bench, "dear"), []);
    assert!(bench.picture().contains("Enter searches"));
    let (wait, asked) = question(&bench.press("Enter")).unwrap();
    assert_eq!((wait, asked), (0, Question::Search(json!({ "limit": 50, "query": "dear", "semantic": true }))));
    bench.answer(answer(rows(0..2)));
    assert_eq!(bench.press("/ Enter"), [], "what is answered is not asked again");
}

#[test]
fn the_next_page_is_asked_for_near_the_end_and_follows() {
    let mut bench = Bench::new(120, 40);
    bench.press("Esc 5");
    bench.answer(page(0..50, Some(Start::Cursor("c1".into()))));
    assert_eq!(question(&bench.press("Down")), None, "far from the end");
    let effects = bench.press("G");
    assert_eq!(question(&effects), Some((0, Question::List(json!({ "limit": 50, "cursor": "c1" })))));
    assert_eq!(question(&bench.press("Up")), None, "one page at a time");
    let marked = bench.model.history.marked;
    // The first row repeats one of the former page.
    bench.answer(page(49..99, None));
    assert_eq!((bench.model.history.rows.len(), bench.model.history.marked), (99, marked));
    assert_eq!(question(&bench.press("G")), None, "there is no more");
    assert_eq!(bench.model.history.marked, 98);
}

#[test]
fn a_search_goes_on_by_its_offset() {
    let mut bench = listing(1);
    bench.press("/ x");
    bench.answer(page(0..50, Some(Start::Offset(50))));
    let (_, asked) = question(&bench.press("Enter G")).unwrap();
    assert_eq!(asked, Question::Search(json!({ "limit": 50, "offset": 50, "query": "x" })));
}

#[test]
fn a_marked_row_is_read_and_shown() {
    let mut bench = listing(3);
    let effects = bench.press("Down");
    assert_eq!(wishes(&effects), [HistoryCommand::Read(stored(1).id)]);
    assert_eq!(bench.press("y"), [], "it is not read yet");
    bench.read(stored(1));
    let expected = TerminalEffect::Copy(stored(1).content);
    assert_eq!(bench.press("y"), [expected.into()]);
}

#[test]
fn a_fault_is_shown_beside_the_box_and_the_text_kept() {
    let mut bench = listing(3);
    bench.press("/");
    typed(&mut bench, "since:soon");
    let ticket = bench.model.history.asked.unwrap().ticket;
    bench.send(Message::History { ticket, news: HistoryReply::Found(Err(refused("since"))) });
    let picture = bench.picture();
    assert!(picture.contains("since: is no such thing") && picture.contains("since:soon"), "{picture}");
    assert!(picture.contains("Prompt number 0"), "the rows stay");
    bench.press("Ctrl+U");
    bench.answer(answer(rows(0..1)));
    assert!(!bench.picture().contains("no such thing"));
}

#[test]
fn an_idea_and_a_prompt_are_taken_up_in_the_input() {
    for (key, text) in [("Enter", "idea"), ("p", "Prompt number 0\nand its second line")] {
        let mut bench = listing(2);
        bench.model.composer.paste("what was there");
        bench.press(key);
        assert_eq!((bench.model.screen, bench.model.focus), (ScreenName::Work, Focus::Composer));
        assert_eq!(bench.model.composer.text(), text);
        bench.press("Alt+U Alt+U");
        assert_eq!(bench.model.composer.text(), "what was there");
    }
}

#[test]
fn what_is_deleted_leaves_the_list_at_once_and_the_database_ten_seconds_later() {
    let mut bench = listing(3);
    let effects = bench.press("D");
    assert!(
        wishes(&effects).iter().all(|command| matches!(command, HistoryCommand::Read(_))),
        "nothing is deleted yet"
    );
    assert_eq!(bench.model.history.marked_row().map(|row| row.id), Some(stored(1).id));
    assert!(bench.model.history.reading.is_some(), "the next one is read");
    bench.now += 9_999;
    assert_eq!(bench.send(Message::Tick), []);
    bench.now += 1;
    let effects = bench.send(Message::Tick);
    let raw = json!({ "prompt_ids": [stored(0).id], "revision": 1 });
    assert_eq!(wishes(&effects), [HistoryCommand::Delete(raw)]);
    // A reply already on its way still contains it.
    bench.press("1 5");
    bench.answer(answer((0..3).map(|number| Row::listed(&stored(number).into(), None)).collect()));
    assert_eq!(bench.model.history.rows.len(), 2);
    let ticket = bench.model.history.last_ticket;
    bench.send(Message::History { ticket, news: HistoryReply::Deleted(Ok(vec![stored(0).id])) });
    assert_eq!(bench.model.history.rows.len(), 2);
}

#[test]
fn what_was_deleted_is_called_back_where_it_stood() {
    let mut bench = listing(3);
    bench.press("j");
    bench.read(stored(1));
    bench.press("D");
    assert_eq!(bench.model.history.rows.len(), 2);
    bench.press("U");
    let rows: Vec<_> = bench.model.history.rows.iter().map(|row| row.id).collect();
    assert_eq!((rows, bench.model.history.marked), ((0..3).map(|number| stored(number).id).collect(), 1));
    bench.now += 60_000;
    assert_eq!(bench.send(Message::Tick), []);
    assert!(bench.press("U").is_empty(), "once");
}

#[test]
fn what_is_in_the_trash_is_brought_back_again_and_again_the_last_first() {
    let mut bench = listing(3);
    for number in [0, 1] {
        let ticket = bench.model.history.last_ticket;
        bench.send(Message::History { ticket, news: HistoryReply::Deleted(Ok(vec![stored(number).id])) });
    }
    for number in [1, 0] {
        let effects = bench.press("U");
        assert_eq!(wishes(&effects), [HistoryCommand::Restore(json!({ "prompt_ids": [stored(number).id] }))]);
        let ticket = bench.model.history.last_ticket;
        let effects =
            bench.send(Message::History { ticket, news: HistoryReply::Restored(Ok(vec![stored(number).id])) });
        assert!(question(&effects).is_some(), "the rows are read again");
        bench.answer(answer(rows(0..3)));
    }
    assert!(wishes(&bench.press("U")).is_empty());
    assert!(bench.model.toast.as_ref().is_some_and(|toast| toast.text.contains("nothing was deleted here")));
}

#[test]
fn a_prompt_with_tags_or_notes_is_deleted_when_that_is_asked_twice() {
    for (tags, notes, what) in [(vec!["a".to_owned()], None, "tags"), (Vec::new(), Some("x".to_owned()), "notes")] {
        let mut bench = Bench::new(120, 40);
        bench.press("Esc 5");
        bench.answer(answer(rows(0..2)));
        bench.read(Prompt { tags, notes, ..stored(0) });
        bench.press("D");
        assert!(bench.model.history.deleting.is_none());
        assert!(bench.model.toast.as_ref().is_some_and(|toast| toast.text.contains(&format!("has {what}; D again"))));
        // Another prompt is not affected.
        bench.press("j");
        bench.read(Prompt { tags: vec!["b".into()], ..stored(1) });
        bench.press("D");
        assert!(bench.model.history.deleting.is_none());
        bench.press("D");
        assert_eq!(bench.model.history.deleting.as_ref().map(|it| it.row.id), Some(stored(1).id));
    }
}

#[test]
fn a_second_deletion_and_leaving_carry_the_first_out() {
    let mut bench = listing(3);
    bench.press("D");
    bench.read(stored(1));
    let effects = bench.press("D");
    let raw = json!({ "prompt_ids": [stored(0).id], "revision": 1 });
    assert!(wishes(&effects).contains(&HistoryCommand::Delete(raw)));
    let raw = json!({ "prompt_ids": [stored(1).id], "revision": 1 });
    assert_eq!(wishes(&super::settle(&mut bench.model)), [HistoryCommand::Delete(raw)]);
}

#[test]
fn a_deletion_that_is_refused_says_why_and_reads_again() {
    let mut bench = listing(1);
    bench.press("D");
    bench.now += 10_000;
    bench.send(Message::Tick);
    let ticket = bench.model.history.last_ticket;
    let problem = Box::new(Problem::from(Error::Conflict("the prompt changed meanwhile".into())));
    let effects = bench.send(Message::History { ticket, news: HistoryReply::Deleted(Err(problem)) });
    assert!(question(&effects).is_some());
    bench.answer(answer(vec![Row::listed(&stored(0).into(), None)]));
    assert_eq!(bench.model.history.rows.len(), 1, "it is there again");
    assert!(bench.model.toast.as_ref().is_some_and(|toast| toast.text.contains("changed meanwhile")));
}

fn update(effects: &[Effect]) -> Value {
    match wishes(effects).as_slice() {
        [HistoryCommand::Update(raw)] => raw.clone(),
        other => panic!("no change was asked for: {other:?}"),
    }
}

#[test]
fn tags_are_changed_and_what_is_refused_keeps_the_text() {
    let mut bench = listing(2);
    bench.press("t");
    let asked = typed(&mut bench, "rust,, ci");
    assert_eq!(asked, []);
    let raw = json!({ "prompt_id": stored(0).id, "revision": 1, "tags": ["rust", "ci"] });
    assert_eq!(update(&bench.press("Enter")), raw);
    assert_eq!(bench.press("x Enter"), [], "it waits");
    let ticket = bench.model.history.last_ticket;
    bench.send(Message::History { ticket, news: HistoryReply::Updated(Err(refused("tags[0]"))) });
    let Some(Overlay::Ask(asking)) = &bench.model.overlay else { panic!("the box is gone") };
    assert!(matches!(asking.stage, Stage::Refused(_)) && asking.field.text() == "rust,, ci");
    assert!(bench.picture().contains("tags[0]: is no such thing"), "{}", bench.picture());
    bench.press("Enter");
    let ticket = bench.model.history.last_ticket;
    let mut changed = stored(0);
    changed.tags = vec!["rust".into(), "ci".into()];
    bench.send(Message::History { ticket, news: HistoryReply::Updated(Ok(Box::new(changed))) });
    assert_eq!(bench.model.overlay, None);
    assert_eq!(bench.model.history.rows[0].tags, "rust,ci");
    assert_eq!(bench.model.history.prompt().map(|prompt| prompt.tags.len()), Some(2));
}

#[test]
fn notes_have_lines_and_none_takes_them_away() {
    let mut bench = listing(1);
    bench.press("a o n e Enter t w o");
    let raw = json!({ "prompt_id": stored(0).id, "revision": 1, "notes": "one\ntwo" });
    assert_eq!(update(&bench.press("Ctrl+J")), raw);
    bench.press("Esc a");
    let raw = json!({ "prompt_id": stored(0).id, "revision": 1, "notes": null });
    assert_eq!(update(&bench.press("Ctrl+J")), raw);
}

#[test]
fn a_text_that_is_not_kept_goes_only_when_esc_is_pressed_again() {
    for (opens, keeps) in [("a", "Ctrl+J"), ("t", "Enter")] {
        let mut bench = listing(1);
        bench.press(opens);
        bench.type_text("long thoughts");
        bench.press("Esc");
        assert!(bench.picture().contains("long thoughts") && bench.picture().contains("this is not saved"), "{opens}");
        bench.type_text("s");
        assert!(!bench.picture().contains("this is not saved"), "{opens}");
        bench.press("Esc");
        assert!(!bench.press(keeps).is_empty(), "{opens}: it can be kept all the same");

        let mut bench = listing(1);
        bench.press(opens);
        bench.type_text("x");
        bench.press("Esc Esc");
        assert_eq!(bench.model.overlay, None, "{opens}");
        bench.press(opens);
        bench.press("Esc");
        assert_eq!(bench.model.overlay, None, "{opens}: nothing was typed");
    }
    // A file name is quickly typed again.
    let mut bench = listing(1);
    bench.press("i");
    bench.type_text("a.json");
    bench.press("Esc");
    assert_eq!(bench.model.overlay, None);
}

fn news(bench: &mut Bench, news: HistoryReply) -> Vec<Effect> {
    let ticket = bench.model.history.last_ticket;
    bench.send(Message::History { ticket, news })
}

#[test]
fn how_far_the_vectors_are_is_told_while_some_are_missing() {
    let mut bench = Bench::new(120, 40);
    assert!(bench.press("Esc 5").contains(&CoreEffect::WatchIndexing.into()));
    bench.answer(answer(rows(0..3)));
    bench.send(Message::Indexing(Indexing { done: 40, left: 1_164, problem: None }));
    assert!(bench.picture().contains("indexing 40 of 1,204"), "{}", bench.picture());
    bench.send(Message::Indexing(Indexing { done: 1_204, left: 0, problem: None }));
    assert!(!bench.picture().contains("indexing"));
    assert!(!bench.press("1 5").contains(&CoreEffect::WatchIndexing.into()), "once is enough");
}

#[test]
fn a_paste_goes_on_where_a_text_was_about_to_be_thrown_away() {
    let mut bench = listing(1);
    bench.press("a");
    bench.type_text("one");
    bench.press("Esc");
    bench.send(Message::Paste(" and two".into()));
    bench.press("Esc");
    let Some(Overlay::Ask(asking)) = &bench.model.overlay else { panic!("the paste was thrown away unasked") };
    assert_eq!((asking.field.text(), &asking.stage), ("one and two".to_owned(), &Stage::Leaving));
}

#[test]
fn what_is_being_stored_takes_no_paste() {
    let mut bench = listing(1);
    bench.press("a");
    bench.type_text("one");
    bench.press("Ctrl+J");
    bench.send(Message::Paste(" and two".into()));
    let Some(Overlay::Ask(asking)) = &bench.model.overlay else { panic!("the box is closed") };
    assert_eq!(asking.field.text(), "one");
    assert!(matches!(asking.stage, Stage::Waiting(_)), "{:?}", asking.stage);
}

/// Prompts 0, 2 and 3 of one run, prompt 1 of another.
fn of_two_runs() -> Bench {
    let of_run = |number: u32, run: u128| {
        let idea = if run == 1 { "Announce the move" } else { "Review the diff" };
        let run = SessionId(uuid::Uuid::from_u128(run));
        Row::listed(&Prompt { session_id: run, original_input: idea.into(), ..stored(number) }.into(), None)
    };
    let mut bench = Bench::new(80, 24);
    bench.press("Esc 5");
    bench.answer(answer(vec![of_run(0, 1), of_run(1, 2), of_run(2, 1), of_run(3, 1)]));
    bench
}

#[test]
fn prompts_of_a_run_stand_below_what_was_asked_of_it() {
    let mut bench = of_two_runs();
    let order: Vec<_> = bench.model.history.rows.iter().map(|row| row.id).collect();
    assert_eq!(order, [0, 2, 3, 1].map(|number| stored(number).id));
    let picture = bench.picture();
    assert_eq!(picture.matches("Announce the move").count(), 1, "{picture}");
    assert!(picture.contains("3 prompts · Announce the move"), "{picture}");
    assert!(picture.contains("direct: Prompt number 0") && picture.contains("Prompt number 2"), "{picture}");
    // A run with one prompt has no head row; its row shows the request itself.
    bench.press("G");
    assert!(bench.picture().contains("Review the diff") && !bench.picture().contains("1 prompts"), "{picture}");
}

#[test]
fn rows_stand_as_they_were_found_where_grouping_is_switched_off() {
    let mut bench = of_two_runs();
    bench.press("G");
    let ids = |bench: &Bench| bench.model.history.rows.iter().map(|row| row.id).collect::<Vec<_>>();
    let marked = |bench: &Bench| bench.model.history.marked_row().map(|row| row.id);
    let asked = bench.model.history.last_ticket;
    bench.press("f");
    assert_eq!(ids(&bench), [0, 1, 2, 3].map(|number| stored(number).id));
    assert_eq!(marked(&bench), Some(stored(1).id), "what is marked stays marked");
    let picture = bench.picture();
    assert_eq!(picture.matches("Announce the move").count(), 3, "{picture}");
    assert!(!picture.contains("3 prompts"), "{picture}");
    assert_eq!(bench.model.history.last_ticket, asked, "nothing is asked again, which might cost something");
    // The grouping stays for what is read later.
    bench.press("1");
    bench.press("5");
    bench.answer(answer(bench.model.history.rows.clone()));
    assert_eq!(ids(&bench), [0, 1, 2, 3].map(|number| stored(number).id));
    bench.press("f g");
    assert_eq!(ids(&bench), [0, 2, 3, 1].map(|number| stored(number).id));
    assert!(bench.picture().contains("3 prompts · Announce the move"), "{}", bench.picture());
}

#[test]
fn a_click_marks_what_it_hits_below_the_line_of_a_run() {
    let mut bench = of_two_runs();
    for (row, text) in [(1, "Prompt number 2"), (0, "Prompt number 0")] {
        let (x, y) = bench.place_of(text);
        bench.click(x, y);
        assert_eq!(bench.model.history.marked, row, "{text}");
    }
    bench.press("j");
    let (x, y) = bench.place_of("3 prompts");
    bench.click(x, y);
    assert_eq!(bench.model.history.marked, 0, "the line of a run is its first prompt");
}

#[test]
fn words_that_find_nothing_show_what_is_nearest_by_its_meaning() {
    let mut bench = listing(1);
    bench.press("/ x");
    let nothing = answer(Vec::new());
    let facts = ResultFacts { total: Some(0), nearest: Some("000000a0 Bake a loaf".into()), ..nothing.facts.clone() };
    bench.answer(ResultPage { facts, ..nothing.clone() });
    let picture = bench.picture();
    assert!(picture.contains("The closest in meaning: 000000a0 Bake a loaf"), "{picture}");
    assert!(picture.contains("^R searches by meaning"), "{picture}");
    bench.press("y");
    bench.answer(nothing);
    assert!(!bench.picture().contains("The nearest by its meaning"));
}

#[test]
fn what_is_found_by_a_meaning_that_is_not_near_is_marked() {
    let mut bench = listing(1);
    bench.press("/ x");
    let row = |far| {
        let matched = Match { score: 0.2, snippet: String::new(), marks: Vec::new(), kind: MatchKind::Semantic, far };
        Row::found(&stored(0).into(), &matched, None)
    };
    bench.answer(answer(vec![row(true)]));
    bench.read(stored(0));
    let picture = bench.picture();
    assert!(picture.contains(" · far") && picture.contains("0.20 (cosine): far"), "{picture}");
    bench.press("y");
    bench.answer(answer(vec![row(false)]));
    bench.read(stored(0));
    assert!(!bench.picture().contains("far"), "{}", bench.picture());
}

#[test]
fn esc_leads_outwards_and_q_to_the_workbench() {
    let mut bench = listing(3);
    bench.press("/ x");
    bench.answer(answer(rows(0..1)));
    bench.press("Esc l z");
    assert!(bench.model.history.zoom && bench.model.history.focus == Part::Preview);
    bench.press("Esc Esc");
    assert_eq!((bench.model.history.focus, bench.model.history.zoom), (Part::List, false));
    assert!(question(&bench.press("Esc")).is_some(), "what was typed is cleared");
    assert_eq!(bench.model.screen, ScreenName::History);
    bench.press("Esc");
    assert_eq!(bench.model.screen, ScreenName::Work);
    bench.press("5 q");
    assert_eq!((bench.model.screen, bench.model.overlay.clone()), (ScreenName::Work, None));
}

#[test]
fn what_is_for_the_workbench_is_neither_done_nor_listed_here() {
    let mut bench = listing(3);
    bench.model.composer.paste("an idea that is not seen");
    assert_eq!(bench.press("Ctrl+J x"), []);
    assert!(bench.model.run.is_none());
    bench.press("?");
    let help = bench.picture();
    assert!(help.contains("Delete it; U restores it") && !help.contains("Stop this variant"), "{help}");
}

#[test]
fn a_paste_is_looked_for_and_runs_nothing() {
    let mut bench = listing(3);
    let effects = bench.send(Message::Paste("two\nlines\n".into()));
    let (_, asked) = question(&effects).unwrap();
    assert_eq!(asked, Question::Search(json!({ "limit": 50, "query": "two lines" })));
    bench.press("Esc t");
    bench.send(Message::Paste("a,\nb".into()));
    let Some(Overlay::Ask(asking)) = &bench.model.overlay else { panic!("no box") };
    assert_eq!(asking.field.text(), "a, b");
}

#[test]
fn nothing_changes_by_itself_while_nothing_is_asked() {
    let mut bench = listing(3);
    assert_eq!(crate::tui::update::next_change(&bench.model), None);
    bench.press("/ x");
    assert_eq!(crate::tui::update::next_change(&bench.model), Some(100), "the picture of work");
}

#[test]
fn an_empty_list_says_why_nothing_can_be_done() {
    let mut bench = Bench::new(80, 24);
    bench.press("Esc 5");
    bench.answer(answer(Vec::new()));
    for key in ["Down", "y", "D", "t", "Enter"] {
        bench.model.toast = None;
        assert_eq!(bench.press(key), []);
        assert!(bench.model.toast.as_ref().is_some_and(|toast| toast.tone == Tone::Refused), "{key}");
    }
}

fn any_row() -> impl Strategy<Value = Row> {
    (0_u32..40, "[ -~\\n\\t\u{1b}\u{9b}世é👩\u{200d}\u{202e}]{0,60}", proptest::option::of(0_u32..40), any::<bool>())
        .prop_map(|(number, text, twin, found)| Row {
            found: found.then_some((MatchKind::Hybrid, 0.03)),
            twin: twin.map(|twin| stored(twin).id),
            // Some prompts are alone in their run, some are not.
            run: SessionId(uuid::Uuid::from_u128(u128::from(number / 3))),
            ..Row::listed(&Prompt { content: text.clone(), persona: text, ..stored(number) }.into(), None)
        })
}

#[derive(Debug, Clone)]
enum Step {
    Press(String),
    ResultPage(Vec<Row>, bool),
    Refuse,
    Read(u32, String),
    Resize(u16, u16),
}

fn any_step() -> impl Strategy<Value = Step> {
    let key = prop::sample::select(vec![
        "/",
        "Enter",
        "Esc",
        "Down",
        "Up",
        "G",
        "g",
        "PageDown",
        "Ctrl+R",
        "Tab",
        "Shift+Tab",
        "l",
        "h",
        "z",
        "t",
        "a",
        "D",
        "Ctrl+U",
        "Ctrl+J",
        "5",
        "1",
        "Alt+5",
        "x",
        "世",
        "Backspace",
        "?",
        "y",
        "p",
    ]);
    prop_oneof![
        8 => key.prop_map(|key| Step::Press(key.to_owned())),
        3 => (proptest::collection::vec(any_row(), 0..30), any::<bool>()).prop_map(|(rows, more)| Step::ResultPage(rows, more)),
        1 => Just(Step::Refuse),
        2 => (0_u32..40, "[ -~\\n\u{1b}\u{9b}世é]{0,400}").prop_map(|(number, text)| Step::Read(number, text)),
        1 => (0_u16..201, 0_u16..61).prop_map(|(width, height)| Step::Resize(width, height)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_keys_and_answers_leave_a_screen_that_draws(
        steps in proptest::collection::vec(any_step(), 0..60), width in 0_u16..201, height in 0_u16..61
    ) {
        let mut bench = Bench::new(width, height);
        bench.press("Alt+5");
        for step in steps {
            bench.now += 7;
            let asked = bench.model.history.asked.map(|asked| asked.ticket);
            match (step, asked, bench.model.history.reading) {
                (Step::Press(key), ..) => _ = bench.press(&key),
                (Step::ResultPage(rows, more), Some(_), _) => {
                    let next = more.then_some(Start::Offset(rows.len() as u64));
                    _ = bench.answer(ResultPage { next, ..answer(rows) });
                }
                (Step::Refuse, Some(ticket), _) => {
                    bench.send(Message::History { ticket, news: HistoryReply::Found(Err(refused("query"))) });
                }
                (Step::Read(number, text), _, Some(_)) => {
                    bench.read(Prompt { content: text.clone(), original_input: text, ..stored(number) });
                }
                (Step::Resize(width, height), ..) => _ = bench.send(Message::Resize { width, height }),
                _ => {}
            }
            let history = &bench.model.history;
            prop_assert!(history.rows.is_empty() || history.marked < history.rows.len());
            let size = bench.model.size;
            let entries = layout(&bench.model, Rect::new(0, 0, size.width, size.height)).entries(history, history.top);
            let in_sight = history.top..entries.end.max(history.top + 1);
            prop_assert!(history.rows.is_empty() || in_sight.contains(&history.marked), "the marked row is in sight");
            let controls = bench.picture().chars().any(|character| character != '\n' && character.is_control());
            prop_assert!(!controls, "a control character reached the screen");
        }
        bench.send(Message::Resize { width: 80, height: 24 });
        bench.press("Esc Esc Esc Esc Esc Esc");
        prop_assert!(bench.model.overlay.is_none() && bench.model.screen == ScreenName::Work);
    }
}
