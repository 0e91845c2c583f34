//! Messages and their effects, one behaviour a test; and any messages in any order.

use super::*;
use crate::tui::action::ScreenName;
use crate::tui::effect::{CoreEffect, HistoryCommand, TerminalEffect, Ticket};
use crate::tui::message::{Copied, HistoryReply};
use crate::tui::model::run::tests::any_kind;
use crate::tui::testing::*;
use aludel_core::domain::Phase;
use aludel_core::engine::DetectedProvider;
use aludel_core::error::{Error, Fault, Problem};
use aludel_core::event::EventKind;
use crossterm::event::{KeyCode, KeyModifiers};
use proptest::prelude::*;
use serde_json::{Value, json};

fn generate(ticket: u64, raw: Value) -> Effect {
    CoreEffect::Generate { ticket: Ticket(ticket), raw }.into()
}

#[test]
fn the_run_key_sends_what_was_written_raw() {
    let mut bench = Bench::new(120, 40);
    bench.type_text("two lines");
    bench.press("Enter");
    bench.type_text(" here");
    assert_eq!(bench.press("Ctrl+J"), [generate(1, json!({ "input": "two lines\n here" }))]);
    assert_eq!(bench.model.focus, Focus::Vessels);
}

#[test]
fn an_empty_input_is_for_the_core_to_refuse() {
    assert_eq!(Bench::new(80, 24).press("Ctrl+J"), [generate(1, json!({ "input": "" }))]);
}

#[test]
fn a_refusal_brings_the_keys_back_to_the_input_and_loses_nothing() {
    let mut bench = Bench::new(80, 24);
    bench.type_text("idea");
    bench.press("Ctrl+J");
    let faults = vec![Fault::new("count", "too many"), Fault::new("input", "too long")];
    let problem = Box::new(Problem::from(Error::Value(faults.into())));
    bench.send(Message::RunRefused { ticket: Ticket(1), problem });
    assert_eq!((bench.model.focus, bench.model.composer.text()), (Focus::Composer, "idea".to_owned()));
    let picture = bench.picture();
    assert!(picture.contains("count: too many") && picture.contains("input: too long"), "{picture}");
}

#[test]
fn a_stale_ticket_is_ignored() {
    let mut bench = Bench::new(80, 24);
    bench.run("idea", 2);
    bench.tell_of(Ticket(0), vec![EventKind::Cancelled {}]);
    bench.send(Message::RunRefused { ticket: Ticket(7), problem: overloaded() });
    assert!(bench.model.live_run().is_some());
}

#[test]
fn a_second_run_waits_for_the_first_to_end() {
    let mut bench = Bench::new(80, 24);
    bench.run("idea", 1);
    assert_eq!(bench.press("Ctrl+J"), []);
    assert!(bench.model.toast.as_ref().is_some_and(|toast| toast.tone == Tone::Refused));
    bench.tell(vec![EventKind::Cancelled {}]);
    assert_eq!(bench.press("Ctrl+J"), [generate(2, json!({ "input": "idea" }))]);
}

#[test]
fn a_paste_is_text_wherever_the_keys_are() {
    let mut bench = Bench::new(80, 24);
    bench.run("idea", 1);
    assert_eq!(bench.send(Message::Paste("x\nq\ny\n".into())), []);
    assert_eq!((bench.model.focus, bench.model.composer.text()), (Focus::Composer, "ideax\nq\ny\n".to_owned()));
    assert!(bench.model.live_run().is_some_and(|run| !run.stopping));
}

#[test]
fn ctrl_c_stops_what_runs_and_quits_only_when_idle_and_twice() {
    let mut bench = Bench::new(80, 24);
    bench.run("idea", 2);
    assert_eq!(bench.press("Ctrl+C"), [CoreEffect::CancelRun(Ticket(1)).into()]);
    bench.tell(vec![EventKind::Cancelled {}]);
    assert_eq!(bench.press("Ctrl+C"), []);
    bench.wait(2_500);
    assert_eq!(bench.press("Ctrl+C"), [], "too late to be the second");
    assert_eq!(bench.press("Ctrl+C"), [TerminalEffect::Quit.into()]);
}

#[test]
fn ctrl_q_asks_only_while_a_run_is_live() {
    let mut bench = Bench::new(80, 24);
    bench.run("idea", 2);
    assert_eq!(bench.press("Ctrl+Q"), []);
    assert_eq!(bench.model.overlay, Some(Overlay::ConfirmQuit));
    bench.press("Esc");
    assert_eq!(bench.model.overlay, None);
    assert_eq!(bench.press("Ctrl+Q Enter"), [TerminalEffect::Quit.into()]);
    assert_eq!(Bench::new(80, 24).press("Ctrl+Q"), [TerminalEffect::Quit.into()]);
}

#[test]
fn ctrl_q_asks_nothing_once_all_variants_are_ranked() {
    let mut bench = Bench::new(80, 24);
    bench.run("idea", 2);
    bench.tell(whole_variant(0, "one"));
    bench.tell(whole_variant(1, "two"));
    bench.press("Ctrl+Q");
    assert_eq!(bench.model.overlay, Some(Overlay::ConfirmQuit), "they are not ranked");
    bench.press("Esc");
    bench.tell(vec![EventKind::Ranked { rankings: vec![ranking(0, 1, 0.9), ranking(1, 2, 0.8)] }]);
    assert!(bench.model.live_run().is_some());
    assert_eq!(bench.press("Ctrl+Q"), [TerminalEffect::Quit.into()]);
}

#[test]
fn on_a_screen_too_small_to_be_drawn_keys_quit_and_do_nothing_else() {
    for (width, height) in [(40, 10), (59, 40), (200, 15)] {
        let mut bench = Bench::new(80, 24);
        bench.type_text("idea");
        bench.send(Message::Resize { width, height });
        let before = format!("{:?}", bench.model);
        for key in ["Ctrl+R", "Enter", "D", "Esc", "2", "Alt+5", "Ctrl+P", "x", "Tab", "F1", "y"] {
            assert_eq!(bench.press(key), [], "{key} at {width}x{height}");
        }
        bench.send(Message::Paste("more".into()));
        bench.click(3, 3);
        assert_eq!(format!("{:?}", bench.model), before, "{width}x{height}");
        assert_eq!(bench.press("Ctrl+Q"), [TerminalEffect::Quit.into()]);
        bench.send(Message::Resize { width: 80, height: 24 });
        assert!(bench.picture().contains("idea"), "what was typed is there");
    }
}

#[test]
fn on_a_screen_too_small_to_be_drawn_a_run_is_stopped_and_no_question_is_answered() {
    let mut bench = Bench::new(80, 24);
    bench.run("idea", 2);
    bench.press("Ctrl+Q");
    assert_eq!(bench.model.overlay, Some(Overlay::ConfirmQuit));
    bench.send(Message::Resize { width: 40, height: 10 });
    assert_eq!(bench.press("Enter"), [], "the question cannot be seen");
    assert_eq!(bench.press("Ctrl+Q"), [CoreEffect::CancelRun(Ticket(1)).into()]);
    bench.tell(vec![EventKind::Cancelled {}]);
    assert_eq!(bench.press("Ctrl+C Ctrl+C"), [TerminalEffect::Quit.into()]);
}

#[test]
fn one_variant_is_stopped_and_the_others_go_on() {
    let mut bench = Bench::new(120, 40);
    bench.run("idea", 3);
    assert_eq!(bench.press("] x"), [CoreEffect::CancelVariant(Ticket(1), 1).into()]);
    bench.tell(vec![EventKind::VariantFailed { variant: 1, phase: None, error: overloaded() }]);
    let run = bench.model.live_run().unwrap();
    assert!(matches!(run.phase_pane(1, 0), crate::tui::model::PhasePane::Stopped));
    assert!(run.failure(1).is_none(), "what the user stopped is no failure");
    assert_eq!(bench.press("x"), [], "it is not running any more");
}

#[test]
fn copying_hands_over_what_the_model_wrote_to_the_letter() {
    let mut bench = Bench::new(120, 40);
    bench.run("idea", 1);
    bench.tell(whole_variant(0, "tab\there \u{1b}[31m"));
    let copy = |text: &str| Effect::from(TerminalEffect::Copy(text.into()));
    assert_eq!(bench.press("y"), [copy("tab\there \u{1b}[31m")]);
    assert_eq!(bench.press("Y"), [copy("tab\there \u{1b}[31m")]);
    let copied = Copied { terminal: true, ..Copied::default() };
    bench.send(Message::Copied(copied));
    let told = "this pane, 14 characters, sent to the terminal's clipboard (OSC 52)";
    assert_eq!(bench.model.toast.as_ref().map(|toast| toast.text.as_str()), Some(told));
}

#[test]
fn copying_says_which_ways_it_went() {
    let mut bench = Bench::new(120, 40);
    bench.run("idea", 1);
    bench.tell(whole_variant(0, "text"));
    let mut told = |copied: Copied| {
        bench.press("y");
        bench.send(Message::Copied(copied));
        bench.model.toast.clone().unwrap().text
    };
    let system = Copied { system: true, ..Copied::default() };
    assert_eq!(told(system.clone()), "prompt A, 4 characters, copied to the clipboard");
    let both = "prompt A, 4 characters, copied to the clipboard and sent to the terminal's (OSC 52)";
    assert_eq!(told(Copied { terminal: true, ..system }), both);
    let long = Copied { terminal: true, file: Some(Ok("~/.aludel/copied.txt".into())), system: false };
    assert!(told(long).ends_with("it is long, so it is in ~/.aludel/copied.txt too"));
}

#[test]
fn the_tags_of_a_finished_prompt_are_changed_where_it_was_made() {
    let mut bench = Bench::new(120, 40);
    bench.run("idea", 1);
    assert_eq!(bench.press("t"), []);
    assert_eq!(bench.model.toast.as_ref().unwrap().text, "only a finished prompt has tags");
    bench.tell(whole_variant(0, "text"));
    let stored = aludel_core::domain::Prompt { tags: vec!["rust".into()], revision: 3, ..prompt(0, "text", None) };
    let ticket = Ticket(1);
    assert_eq!(bench.press("t"), [CoreEffect::History { ticket, command: HistoryCommand::Read(stored.id) }.into()]);
    let id = stored.id;
    bench.send(Message::History { ticket, news: HistoryReply::Read(Ok(Box::new(stored))) });
    bench.type_text(", review");
    let raw = json!({ "prompt_id": id, "revision": 3, "tags": ["rust", "review"] });
    let ticket = Ticket(2);
    assert_eq!(bench.press("Enter"), [CoreEffect::History { ticket, command: HistoryCommand::Update(raw) }.into()]);
    let changed = aludel_core::domain::Prompt { tags: vec!["rust".into(), "review".into()], ..prompt(0, "text", None) };
    bench.send(Message::History { ticket, news: HistoryReply::Updated(Ok(Box::new(changed))) });
    assert!(bench.model.overlay.is_none());
    assert!(bench.model.toast.as_ref().unwrap().text.ends_with("changed; tags rust, review"));
}

#[test]
fn an_unfinished_prompt_is_not_copied_but_its_pane_is() {
    let mut bench = Bench::new(120, 40);
    bench.run("idea", 1);
    assert_eq!(bench.press("y"), []);
    assert_eq!(bench.press("Y"), []);
    bench.tell(vec![phase_started(0, Phase::PrimaMateria), delta(0, Phase::PrimaMateria, "so far")]);
    assert_eq!(bench.press("Y"), [TerminalEffect::Copy("so far".into()).into()]);
}

#[test]
fn esc_leads_outwards_and_never_away() {
    let mut bench = Bench::new(120, 40);
    bench.run("idea", 2);
    bench.press("z {");
    assert!(bench.model.zoom && bench.model.run.as_ref().unwrap().phase.is_some());
    bench.press("Esc");
    assert!(!bench.model.zoom);
    bench.press("Esc");
    assert_eq!(bench.model.run.as_ref().unwrap().phase, None);
    for _ in 0..5 {
        assert_eq!(bench.press("Esc"), []);
    }
    assert_eq!(bench.model.composer.text(), "idea");
}

#[test]
fn settings_go_into_the_next_request() {
    let mut bench = Bench::new(120, 40);
    bench.type_text("idea");
    assert_eq!(bench.press("F2"), [CoreEffect::LoadNames.into()]);
    bench.names();
    bench.press("Right Down 1 2 Down Down Right Down Space Esc");
    let expected = json!({
        "input": "idea", "persona": "writing", "count": 12, "provider": "builtin", "phases": ["solutio", "coagulatio"]
    });
    assert_eq!(bench.press("Ctrl+J"), [generate(1, expected)]);
}

#[test]
fn a_provider_that_could_be_used_is_pointed_out_for_a_while() {
    let mut bench = Bench::new(80, 24);
    bench.run("idea", 2);
    let newcomer = |name: &str| DetectedProvider { name: name.into(), reason: "it is there".into() };
    bench.send(Message::DetectedProviders(vec![newcomer("openai"), newcomer("ollama")]));
    let words = "openai, ollama can be used; F2 chooses";
    assert!(bench.picture().contains(words), "{}", bench.picture());
    bench.wait(10_000);
    assert!(bench.picture().contains(words));
    bench.wait(5_000);
    assert!(!bench.picture().contains(words));
}

#[test]
fn the_help_finds_an_action_and_does_it() {
    let mut bench = Bench::new(120, 40);
    bench.run("idea", 2);
    bench.press("?");
    bench.type_text("next variant");
    bench.press("Enter");
    assert_eq!((bench.model.overlay.clone(), bench.model.run.as_ref().unwrap().active), (None, 1));
}

#[test]
fn an_action_that_cannot_be_done_says_why() {
    let mut bench = Bench::new(80, 24);
    bench.press("Esc y");
    assert_eq!(bench.model.toast.as_ref().unwrap().text, "no run yet");
    bench.wait(4_000);
    assert_eq!(bench.model.toast, None);
}

#[test]
fn nothing_changes_by_itself_while_nothing_runs() {
    let mut bench = Bench::new(80, 24);
    assert_eq!(next_change(&bench.model), None);
    bench.run("idea", 1);
    assert_eq!(next_change(&bench.model), Some(100), "the spinner");
    bench.send(Message::Attention(false));
    assert_eq!(next_change(&bench.model), Some(500), "nobody looks: figures alone");
    bench.tell(vec![EventKind::Cancelled {}]);
    assert_eq!(next_change(&bench.model), None);
}

#[test]
fn following_stops_when_the_user_looks_back() {
    let mut bench = Bench::new(80, 24);
    bench.run("idea", 1);
    bench.tell(vec![phase_started(0, Phase::PrimaMateria), delta(0, Phase::PrimaMateria, &"line\n".repeat(60))]);
    let top = |bench: &Bench| bench.model.run.as_ref().unwrap().pane(0, 0).unwrap().scroll.top;
    let end = top(&bench);
    bench.press("k k");
    bench.tell(vec![delta(0, Phase::PrimaMateria, &"line\n".repeat(20))]);
    assert_eq!(top(&bench), end - 2);
    bench.press("G");
    bench.tell(vec![delta(0, Phase::PrimaMateria, &"line\n".repeat(20))]);
    assert_eq!(top(&bench), end + 40);
}

#[test]
fn released_keys_do_nothing() {
    let mut bench = Bench::new(80, 24);
    let mut key = key_named("a");
    key.kind = KeyEventKind::Release;
    bench.send(Message::Key(key));
    assert!(bench.model.composer.is_empty());
}

fn any_key() -> impl Strategy<Value = KeyEvent> {
    let code = prop_oneof![
        6 => prop::char::range(' ', '~').prop_map(KeyCode::Char),
        2 => prop::sample::select(vec![
            KeyCode::Enter, KeyCode::Esc, KeyCode::Tab, KeyCode::BackTab, KeyCode::Backspace, KeyCode::Delete, KeyCode::Up,
            KeyCode::Down, KeyCode::Left, KeyCode::Right, KeyCode::Home, KeyCode::End, KeyCode::PageUp, KeyCode::PageDown,
            KeyCode::F(1), KeyCode::F(2), KeyCode::Char('世'), KeyCode::Char('\u{301}'), KeyCode::Char('\u{200d}'),
        ]),
    ];
    let modifiers = prop::sample::select(vec![
        KeyModifiers::NONE,
        KeyModifiers::NONE,
        KeyModifiers::NONE,
        KeyModifiers::CONTROL,
        KeyModifiers::ALT,
        KeyModifiers::SHIFT,
    ]);
    (code, modifiers).prop_map(|(code, modifiers)| KeyEvent::new(code, modifiers))
}

#[derive(Debug, Clone)]
enum Step {
    Send(Message),
    Tell(Vec<EventKind>),
    Wait(u64),
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => any_key().prop_map(|key| Step::Send(Message::Key(key))),
        6 => proptest::collection::vec(any_kind(), 1..6).prop_map(Step::Tell),
        2 => (0_u16..201, 0_u16..61).prop_map(|(width, height)| Step::Send(Message::Resize { width, height })),
        1 => "[ -~\\n\\r\\t\u{1b}世é]{0,40}".prop_map(|text| Step::Send(Message::Paste(text))),
        1 => any::<bool>().prop_map(|attention| Step::Send(Message::Attention(attention))),
        1 => Just(Step::Send(Message::Run(json!({ "input": "idea" })))),
        1 => Just(Step::Send(Message::RunRefused { ticket: Ticket(1), problem: overloaded() })),
        1 => Just(Step::Send(Message::Resumed(false))),
        1 => (0_u64..3_000).prop_map(Step::Wait),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_messages_in_any_order_leave_a_screen_that_draws(
        steps in proptest::collection::vec(any_step(), 0..60), width in 0_u16..201, height in 0_u16..61
    ) {
        let mut bench = Bench::new(width, height);
        for step in steps {
            bench.now += 7;
            match step {
                Step::Send(message) => _ = bench.send(message),
                Step::Tell(kinds) => _ = bench.tell(kinds),
                Step::Wait(milliseconds) => bench.wait(milliseconds),
            }
            if !bench.now.is_multiple_of(3) {
                continue;
            }
            let controls = bench.picture().chars().any(|character| character != '\n' && character.is_control());
            prop_assert!(!controls, "a control character reached the screen");
            if let Some(run) = bench.model.run.as_ref().filter(|run| run.variants() > 0) {
                prop_assert!(run.active < run.variants());
            }
            prop_assert!(next_change(&bench.model).is_none_or(|at| at > bench.now));
        }
        // From any depth, Esc leads back, at a size that can be drawn.
        bench.send(Message::Resize { width: 80, height: 24 });
        bench.press("Esc Esc Esc Esc Esc Esc Esc Esc");
        prop_assert!(bench.model.screen == ScreenName::Work && bench.model.overlay.is_none() && !bench.model.zoom && bench.model.focus == Focus::Vessels);
    }
}

/// A workbench with a modal composer.
fn modal() -> Bench {
    let mut bench = Bench::new(120, 40);
    bench.model.take_keymap(crate::tui::keymap::read("vi", &std::collections::BTreeMap::new()).unwrap());
    bench
}

#[test]
fn with_modes_escape_ends_typing_first_and_leaves_the_input_then() {
    let mut bench = modal();
    bench.type_text("an idea");
    assert!(bench.picture().contains("Request insert · persona"), "{}", bench.picture());
    bench.press("Esc");
    assert_eq!(bench.model.focus, Focus::Composer);
    assert!(bench.picture().contains("Request normal · persona"), "{}", bench.picture());
    bench.press("2 d");
    assert!(bench.picture().contains("Request normal 2d · persona"), "{}", bench.picture());
    bench.press("b");
    assert_eq!(bench.model.composer.text(), "a");
    bench.press("u Esc");
    assert_eq!((bench.model.focus, bench.model.composer.text()), (Focus::Vessels, "an idea".to_owned()));
    bench.press("i");
    assert_eq!(bench.model.composer.mode(), Some("insert"));
}

#[test]
fn with_modes_the_hints_are_those_of_the_mode() {
    let mut bench = modal();
    bench.type_text("an idea");
    let picture = bench.picture();
    assert!(picture.contains("Esc commands") && picture.contains("Enter new line"), "{picture}");
    bench.press("Esc");
    let picture = bench.picture();
    assert!(picture.contains("i type") && !picture.contains("new line") && !picture.contains("^R"), "{picture}");
    bench.press("v");
    let picture = bench.picture();
    assert!(picture.contains("Alt-w copy") && picture.contains("Esc unselect"), "{picture}");
    assert!(!picture.contains("i type"), "`i` waits for what it selects: {picture}");
    bench.press("Ctrl+J");
    assert!(bench.model.run.is_some(), "keys that work everywhere work in every mode");
}

#[test]
fn with_modes_a_colon_opens_the_palette_and_ctrl_r_brings_back_what_was_undone() {
    let mut bench = modal();
    bench.type_text("an idea");
    bench.press("Esc x u");
    assert_eq!(bench.model.composer.text(), "an idea");
    bench.press("Ctrl+R");
    assert_eq!((bench.model.composer.text().as_str(), bench.model.overlay.is_none()), ("an ide", true));
    bench.press(":");
    assert!(matches!(bench.model.overlay, Some(Overlay::Palette { .. })));
}

#[test]
fn a_letter_right_behind_escape_is_a_command_though_it_arrives_with_alt() {
    let mut bench = modal();
    bench.type_text("an Idea");
    let alt =
        |letter: char, modifiers| Message::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::ALT | modifiers));
    bench.send(alt('b', KeyModifiers::NONE));
    assert_eq!(bench.model.composer.mode(), Some("normal"));
    bench.send(alt('D', KeyModifiers::SHIFT));
    assert_eq!(bench.model.composer.text(), "an ");
    bench.send(alt('5', KeyModifiers::NONE));
    assert_eq!(bench.model.screen, ScreenName::History, "what has a meaning keeps it");
    let mut plain = Bench::new(120, 40);
    plain.type_text("an idea");
    plain.send(alt('z', KeyModifiers::NONE));
    assert_eq!(plain.model.composer.text(), "an idea");
}

#[test]
fn of_a_message_wider_than_the_screen_the_end_is_left_out() {
    let mut bench = Bench::new(60, 16);
    bench.model.say(Tone::Refused, "begins here ".repeat(9));
    let picture = bench.picture();
    let row = picture.lines().rev().nth(1).unwrap();
    assert!(row.starts_with("begins here") && row.ends_with('…'), "{row:?}");
}
