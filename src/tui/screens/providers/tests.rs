//! Tests of how the Providers respond to keys and replies, and snapshots.

use crate::tui::action::ScreenName;
use crate::tui::effect::{CoreEffect, Effect, Query};
use crate::tui::message::{Message, Pointer, QueryReply};
use crate::tui::model::providers::Test;
use crate::tui::testing::gallery::Gallery;
use crate::tui::testing::samples::{provider, provider_details, provider_test};
use crate::tui::testing::*;
use aludel_core::domain::ProviderKind;
use aludel_core::engine::ProviderDetails;
use aludel_core::error::{Error, Problem};
use aludel_core::probe::KeySource;

const GALLERY: Gallery = Gallery("providers");

/// The Providers after their reply.
fn listed(width: u16, height: u16) -> Bench {
    let mut bench = Bench::new(width, height);
    opened(|_| {})(&mut bench);
    bench
}

fn answer(bench: &mut Bench, rows: Vec<ProviderDetails>) {
    let ticket = bench.model.providers.asked.unwrap_or_else(|| panic!("nothing is asked"));
    bench.send(Message::Reply { ticket, reply: QueryReply::Providers(rows) });
}

fn tested(bench: &mut Bench, ok: bool) {
    let Some(Test::Waiting(ticket)) = bench.model.providers.test().cloned() else { panic!("nothing is tested") };
    bench.send(Message::Reply { ticket, reply: QueryReply::Tested(Ok(Box::new(provider_test(ok)))) });
}

/// The screen after its reply, and then what `prepare` does.
fn opened(prepare: impl Fn(&mut Bench)) -> impl Fn(&mut Bench) {
    move |bench| {
        bench.press("Esc 6");
        answer(bench, provider_details());
        prepare(bench);
    }
}

fn after_a_test(bench: &mut Bench) {
    bench.press("T");
    tested(bench, true);
    bench.now += 60_000;
    bench.send(Message::Tick);
}

#[test]
fn who_could_write_and_how() {
    GALLERY.keep("usable", opened(|_| {}));
}

#[test]
fn what_to_do_where_a_key_is_missing() {
    GALLERY.keep("missing", opened(|bench| _ = bench.press("j")));
}

#[test]
fn what_a_call_told() {
    GALLERY.keep("tested", opened(after_a_test));
}

#[test]
fn with_colours_without_them_and_without_letters_it_is_all_there() {
    GALLERY.keep_in_colour("tested", opened(after_a_test));
    GALLERY.keep_in_ascii("usable", opened(|_| {}));
}

#[test]
fn the_screen_says_that_it_looks_until_it_is_answered() {
    let mut bench = Bench::new(80, 24);
    let effects = bench.press("Alt+6");
    assert!(matches!(&effects[..], [Effect::Core(CoreEffect::RunQuery { inquiry: Query::Providers, .. })]));
    assert!(bench.picture().contains("checking availability"));
    assert!(crate::tui::update::next_change(&bench.model).is_some(), "what turns asks for frames");
    assert!(bench.press("Alt+6").is_empty());
    answer(&mut bench, provider_details());
    assert!(bench.picture().contains("2 of 3 can be used"));
    assert!(!bench.model.is_waiting());
}

#[test]
fn an_answer_to_another_question_is_not_taken() {
    let mut bench = listed(80, 24);
    bench.press("r");
    let asked = bench.model.providers.asked.unwrap();
    let stale = crate::tui::effect::Ticket(asked.0 - 1);
    bench.send(Message::Reply { ticket: stale, reply: QueryReply::Providers(Vec::new()) });
    assert_eq!((bench.model.providers.rows().len(), bench.model.providers.asked), (3, Some(asked)));
}

#[test]
fn the_marked_one_stays_marked_when_they_are_read_again() {
    let mut bench = listed(80, 24);
    bench.press("j j r");
    let mut rows = provider_details();
    rows.remove(0);
    answer(&mut bench, rows);
    assert_eq!(bench.model.providers.marked().unwrap().info.name, "builtin");
}

#[test]
fn a_click_marks_a_row_and_the_wheel_moves_the_mark_or_what_is_said() {
    let mut bench = listed(80, 16);
    let (x, y) = bench.place_of("builtin");
    bench.click(x, y);
    assert_eq!(bench.model.providers.marked().unwrap().info.name, "builtin");
    bench.point(Pointer::Up, x, y);
    assert_eq!(bench.model.providers.marked, 1);
    bench.point(Pointer::Down, x, 13);
    assert!(bench.model.providers.details_top > 0 && bench.model.providers.marked == 1);
}

#[test]
fn only_what_can_be_used_is_tested_and_once_at_a_time() {
    let mut bench = listed(80, 24);
    let effects = bench.press("T");
    let Some(Effect::Core(CoreEffect::RunQuery { inquiry: Query::TestProvider(name), .. })) = effects.first() else {
        panic!("{effects:?}")
    };
    assert_eq!(name, "openai");
    assert!(bench.press("T").is_empty(), "it is being tested");
    tested(&mut bench, false);
    assert!(bench.picture().contains("openai failed its test"));
    bench.press("j");
    assert!(bench.press("T").is_empty());
    assert!(bench.model.toast.as_ref().unwrap().text.contains("cannot be used yet"));
}

#[test]
fn a_test_that_is_refused_says_why() {
    let mut bench = listed(80, 24);
    bench.press("T");
    let Some(Test::Waiting(ticket)) = bench.model.providers.test().cloned() else { panic!("nothing is tested") };
    let problem = Problem::from(Error::value("providers", "is no provider"));
    bench.send(Message::Reply { ticket, reply: QueryReply::Tested(Err(Box::new(problem))) });
    bench.press("G g PageDown");
    assert!(bench.picture().contains("✗"));
}

#[test]
fn escape_leads_home() {
    let mut bench = listed(80, 24);
    bench.press("Esc");
    assert_eq!(bench.model.screen, ScreenName::Work);
}

#[test]
fn hostile_text_is_shown_without_its_sequences() {
    const HOSTILE: &str = "before\u{1b}]52;c;aGk=\u{7}\u{1b}[2Jafter\u{202e}";
    let mut hostile = provider(ProviderKind::OpenAi, KeySource::Configured, Some(HOSTILE));
    hostile.info.name = HOSTILE.into();
    hostile.info.models = vec![HOSTILE.into()];
    hostile.info.default_model = Some(HOSTILE.into());
    hostile.info.base_url = Some(HOSTILE.into());
    let mut bench = Bench::new(200, 60);
    bench.press("Alt+6");
    answer(&mut bench, vec![hostile]);
    let picture = bench.picture();
    assert!(picture.contains("beforeafter"), "{picture}");
    for litter in ["52;c", "[2J", "\u{202e}", "\u{1b}"] {
        assert!(!picture.contains(litter), "{litter:?} in\n{picture}");
    }
}
