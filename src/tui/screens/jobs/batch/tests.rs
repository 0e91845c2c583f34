//! Tests of a batch on the Jobs screen: how it is started, shown, stopped and resumed; and snapshots.

use aludel_core::domain::{BatchRow, Job, JobState, RowStatus};
use aludel_core::engine::RowCursor;
use aludel_core::error::{Error, Problem};
use serde_json::json;

use crate::tui::action::ScreenName;
use crate::tui::effect::{CoreEffect, CoreResult, Effect, Query, TerminalEffect, Ticket};
use crate::tui::message::{Message, QueryReply};
use crate::tui::model::batch::RowsPage;
use crate::tui::model::jobs::JobListing;
use crate::tui::model::{Overlay, Stage};
use crate::tui::testing::batches::*;
use crate::tui::testing::gallery::Gallery;
use crate::tui::testing::samples::jobs;
use crate::tui::testing::{Bench, TEXTS};

const GALLERY: Gallery = Gallery("batch");

const AFTER_FIFTY: RowCursor = RowCursor { status: RowStatus::Failed, after: 50, before: 50 };

fn reply(bench: &mut Bench, ticket: Ticket, reply: QueryReply) -> Vec<Effect> {
    bench.send(Message::Reply { ticket, reply })
}

fn said(bench: &Bench) -> &str {
    bench.model.toast.as_ref().map_or("", |toast| &toast.text)
}

/// The Jobs screen with this batch as its only job.
fn list_with(bench: &mut Bench, job: Job) {
    bench.press("Esc 8");
    let (ticket, _) = bench.model.jobs.asked.unwrap();
    reply(bench, ticket, QueryReply::Jobs(Ok(Box::new(JobListing { jobs: vec![job], ..jobs() }))));
}

/// Replies to the newest request for a page.
fn page(bench: &mut Bench, page: CoreResult<Box<RowsPage>>) -> Vec<Effect> {
    let asked = bench.model.jobs.batch.as_ref().unwrap().asked.unwrap_or_else(|| panic!("no page is asked for"));
    reply(bench, asked.ticket, QueryReply::Batch(page))
}

/// Replies to the newest request for a row.
fn row(bench: &mut Bench, row: CoreResult<Box<BatchRow>>) {
    let open = bench.model.jobs.batch.as_ref().unwrap().open.as_ref().unwrap_or_else(|| panic!("no row is open"));
    let ticket = open.reading;
    reply(bench, ticket, QueryReply::BatchRow(row));
}

/// A batch in this state with three failed rows and nine others.
fn shown(state: JobState) -> impl Fn(&mut Bench) {
    move |bench| {
        let job = batch_job(state, if state == JobState::Finished { 1_000 } else { 12 }, 3);
        list_with(bench, job.clone());
        bench.press("Enter");
        let lines = [row_lines(RowStatus::Failed, [3, 8, 11]), row_lines(RowStatus::Ok, [1, 2, 4, 5, 6, 7, 9, 10, 12])];
        page(bench, Ok(Box::new(rows_page(job, lines.concat(), None))));
    }
}

/// The first page of 10,000 failed rows.
fn first_of_many(bench: &mut Bench) {
    let job = Job { total: Some(10_000), ..batch_job(JobState::Finished, 10_000, 10_000) };
    list_with(bench, job.clone());
    bench.press("Enter");
    let lines = row_lines(RowStatus::Failed, 1..=50);
    page(bench, Ok(Box::new(rows_page(job, lines, Some(AFTER_FIFTY)))));
}

fn bench_with(prepare: impl Fn(&mut Bench)) -> Bench {
    let mut bench = Bench::new(80, 24);
    prepare(&mut bench);
    bench
}

fn cursor_of(effects: &[Effect]) -> RowCursor {
    match effects {
        [Effect::Core(CoreEffect::RunQuery { inquiry: Query::Batch(_, from), .. })] => *from,
        other => panic!("no page is asked for: {other:?}"),
    }
}

/// Opens the box and names a file, which is being checked then.
fn checking(bench: &mut Bench) -> Ticket {
    bench.press("Esc 8 b");
    bench.type_text("rows.csv");
    bench.press("Enter");
    bench.model.jobs.checking.unwrap().ticket
}

#[test]
fn a_batch_under_way() {
    GALLERY.keep("running", shown(JobState::Running));
    GALLERY.keep_in_colour("running", shown(JobState::Running));
    GALLERY.keep_in_ascii("running", shown(JobState::Running));
}

#[test]
fn a_batch_that_has_ended() {
    GALLERY.keep("finished", shown(JobState::Finished));
    GALLERY.keep("stopped", shown(JobState::Cancelled));
}

#[test]
fn a_batch_whose_budget_is_reached_says_so() {
    GALLERY.keep("budget", shown(JobState::Failed));
}

#[test]
fn before_a_row_is_done_it_says_so() {
    GALLERY.keep("empty", |bench| {
        let job = batch_job(JobState::Running, 0, 0);
        list_with(bench, job.clone());
        bench.press("Enter");
        page(bench, Ok(Box::new(rows_page(job, Vec::new(), None))));
    });
}

#[test]
fn a_page_of_ten_thousand_rows() {
    GALLERY.keep("many", |bench| {
        first_of_many(bench);
        bench.press(&["j"; 30].join(" "));
    });
}

#[test]
fn a_page_that_cannot_be_read_says_why() {
    GALLERY.keep("problem", |bench| {
        list_with(bench, batch_job(JobState::Running, 0, 0));
        bench.press("Enter");
        page(bench, Err(Box::new(Problem::from(Error::Storage("the disk is full".into())))));
    });
}

#[test]
fn an_open_row_has_its_error_however_long() {
    GALLERY.keep("error", |bench| {
        shown(JobState::Running)(bench);
        bench.press("Enter");
        let detail = format!("the server answered:\n{}", "no \u{1b}[31mmodel of this name; ".repeat(2_000));
        row(bench, Ok(Box::new(failed_row(3, &detail))));
        bench.press("PageDown");
    });
}

#[test]
fn an_open_row_has_its_best_prompt() {
    GALLERY.keep("best", |bench| {
        shown(JobState::Running)(bench);
        bench.press("j j j Enter");
        row(bench, Ok(Box::new(fine_row(1, TEXTS[1]))));
    });
}

#[test]
fn the_faults_of_a_file_stand_below_its_name() {
    GALLERY.keep("faults", |bench| {
        let ticket = checking(bench);
        reply(bench, ticket, QueryReply::BatchChecked(Err(faults())));
    });
}

#[test]
fn a_large_file_is_checked_while_the_screen_goes_on() {
    GALLERY.keep("checking", |bench| {
        let ticket = checking(bench);
        reply(bench, ticket, QueryReply::BatchChecking(12_300));
    });
}

#[test]
fn what_a_batch_can_take_is_asked_about() {
    for (name, most, budget) in
        [("offer", Some(4.2), None), ("offer_costly", Some(43.0), Some(43.0)), ("offer_unknown", None, None)]
    {
        GALLERY.keep(name, |bench| {
            let ticket = checking(bench);
            reply(bench, ticket, QueryReply::BatchChecked(Ok(offer(most, budget))));
        });
    }
}

#[test]
fn a_file_is_checked_with_the_settings_of_the_next_run() {
    let mut bench = Bench::new(80, 24);
    bench.press("F2 j 5 Esc Esc 8 b");
    bench.type_text(" rows.csv ");
    let effects = bench.press("Enter");
    let [Effect::Core(CoreEffect::CheckBatch { ticket, raw, path })] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!((raw, path.as_str()), (&json!({ "count": 5 }), "rows.csv"));
    assert_eq!(bench.model.jobs.checking.unwrap().ticket, *ticket);
}

#[test]
fn a_batch_begins_once_its_cost_is_accepted_and_is_shown() {
    let mut bench = Bench::new(80, 24);
    let ticket = checking(&mut bench);
    assert_eq!(reply(&mut bench, ticket, QueryReply::BatchChecked(Ok(offer(Some(43.0), Some(43.0))))), []);
    assert_eq!(bench.press("Enter"), [CoreEffect::StartBatch { ticket, budget_usd: Some(43.0) }.into()]);
    assert_eq!((bench.press("b"), said(&bench)), (vec![], "a batch is being started"));
    let job = batch_job(JobState::Running, 0, 0);
    let effects = reply(&mut bench, ticket, QueryReply::BatchStarted(Ok(Box::new(job.clone()))));
    assert_eq!(cursor_of(&effects), RowCursor::FIRST);
    assert!(bench.model.jobs.all, "it stays in the list when it has ended");
    assert_eq!(bench.model.jobs.batch.as_ref().unwrap().id(), job.id);
    assert!(bench.picture().contains("Batch 00000009"));
}

#[test]
fn a_batch_that_is_declined_is_forgotten() {
    for key in ["Esc", "n"] {
        let mut bench = Bench::new(80, 24);
        let ticket = checking(&mut bench);
        reply(&mut bench, ticket, QueryReply::BatchChecked(Ok(offer(Some(4.2), None))));
        assert_eq!(bench.press(key), [CoreEffect::ForgetBatch.into()]);
        assert_eq!((bench.model.overlay.is_none(), said(&bench)), (true, "nothing was sent"));
    }
}

#[test]
fn a_check_is_stopped_by_closing_its_box_and_its_answer_comes_too_late() {
    for key in ["Esc", "Ctrl+C"] {
        let mut bench = Bench::new(80, 24);
        let ticket = checking(&mut bench);
        assert_eq!(bench.press(key), [CoreEffect::ForgetBatch.into()]);
        assert!(bench.model.overlay.is_none());
        reply(&mut bench, ticket, QueryReply::BatchChecked(Ok(offer(Some(4.2), None))));
        assert!(bench.model.overlay.is_none(), "nobody asks any more");
    }
}

#[test]
fn a_file_with_faults_can_be_named_again() {
    let mut bench = Bench::new(80, 24);
    let ticket = checking(&mut bench);
    reply(&mut bench, ticket, QueryReply::BatchChecked(Err(faults())));
    assert!(bench.picture().contains("row 2 (line 3): count"), "{}", bench.picture());
    bench.type_text("2");
    let Some(Overlay::Ask(asking)) = &bench.model.overlay else { panic!("the box is closed") };
    assert_eq!((asking.field.text().as_str(), &asking.stage), ("rows.csv2", &Stage::Typing));
}

#[test]
fn a_batch_that_cannot_start_says_why() {
    let mut bench = Bench::new(80, 24);
    let ticket = checking(&mut bench);
    reply(&mut bench, ticket, QueryReply::BatchChecked(Ok(offer(Some(4.2), None))));
    bench.press("y");
    let problem = Box::new(Problem::from(Error::Storage("the disk is full".into())));
    reply(&mut bench, ticket, QueryReply::BatchStarted(Err(problem)));
    assert!(bench.model.jobs.batch.is_none() && said(&bench).contains("the disk is full"));
}

#[test]
fn past_the_end_of_a_page_the_next_is_read_and_only_one_is_held() {
    let mut bench = bench_with(first_of_many);
    let job = bench.model.jobs.batch.as_ref().unwrap().job.clone();
    bench.press("G");
    assert_eq!(bench.model.jobs.batch.as_ref().unwrap().marked, 49);
    assert_eq!(cursor_of(&bench.press("j")), AFTER_FIFTY);
    assert_eq!(bench.press("j"), [], "it is on its way");
    let after = RowCursor { after: 100, before: 100, ..AFTER_FIFTY };
    page(&mut bench, Ok(Box::new(rows_page(job.clone(), row_lines(RowStatus::Failed, 51..=100), Some(after)))));
    let batch = bench.model.jobs.batch.as_ref().unwrap();
    assert_eq!((batch.lines().len(), batch.marked, batch.place().unwrap().as_str()), (50, 0, "51 to 100 of 10,000"));
    assert_eq!(cursor_of(&bench.press("k")), RowCursor::FIRST);
    page(&mut bench, Ok(Box::new(rows_page(job, row_lines(RowStatus::Failed, 1..=50), Some(AFTER_FIFTY)))));
    let batch = bench.model.jobs.batch.as_ref().unwrap();
    assert_eq!((batch.marked, batch.pages.len()), (49, 1), "the last row of the page before");
    bench.press("g");
    assert_eq!((bench.press("k"), bench.model.jobs.batch.as_ref().unwrap().marked), (vec![], 0));
}

#[test]
fn the_first_rows_are_a_key_away_from_any_page() {
    for key in ["g", "r"] {
        let mut bench = bench_with(first_of_many);
        let job = bench.model.jobs.batch.as_ref().unwrap().job.clone();
        bench.press("G j");
        page(&mut bench, Ok(Box::new(rows_page(job.clone(), row_lines(RowStatus::Failed, 51..=100), None))));
        assert_eq!(cursor_of(&bench.press(key)), RowCursor::FIRST);
        page(&mut bench, Ok(Box::new(rows_page(job, row_lines(RowStatus::Failed, 1..=50), Some(AFTER_FIFTY)))));
        let batch = bench.model.jobs.batch.as_ref().unwrap();
        assert_eq!((batch.pages.len(), batch.marked), (1, 0));
    }
}

#[test]
fn a_page_is_read_again_while_the_batch_is_under_way_and_less_often_where_that_takes_long() {
    let mut bench = bench_with(shown(JobState::Running));
    assert_eq!(bench.wait_and_see(999), []);
    cursor_of(&bench.wait_and_see(1));
    bench.now += 2_000;
    let job = batch_job(JobState::Running, 12, 3);
    page(&mut bench, Ok(Box::new(rows_page(job, row_lines(RowStatus::Failed, [3]), None))));
    assert_eq!(bench.wait_and_see(9_999), []);
    cursor_of(&bench.wait_and_see(1));
    let job = batch_job(JobState::Finished, 1_000, 3);
    page(&mut bench, Ok(Box::new(rows_page(job, row_lines(RowStatus::Failed, [3]), None))));
    assert_eq!(bench.wait_and_see(60_000), [], "it has ended");
}

#[test]
fn the_marked_row_stays_marked_when_others_come_before_it() {
    let mut bench = bench_with(shown(JobState::Running));
    bench.press("j");
    bench.wait(1_000);
    let job = batch_job(JobState::Running, 13, 4);
    page(&mut bench, Ok(Box::new(rows_page(job, row_lines(RowStatus::Failed, [3, 5, 8, 11]), None))));
    assert_eq!(bench.model.jobs.batch.as_ref().unwrap().marked().unwrap().row, 8);
}

#[test]
fn an_open_row_follows_the_mark_and_takes_no_other_answer() {
    let mut bench = bench_with(shown(JobState::Running));
    bench.press("Enter");
    let stale = bench.model.jobs.batch.as_ref().unwrap().open.as_ref().unwrap().reading;
    let effects = bench.press("j");
    assert!(matches!(effects[..], [Effect::Core(CoreEffect::RunQuery { inquiry: Query::BatchRow(_, 8), .. })]));
    reply(&mut bench, stale, QueryReply::BatchRow(Ok(Box::new(failed_row(3, "stale")))));
    assert!(bench.picture().contains("reading it"));
    row(&mut bench, Ok(Box::new(failed_row(8, "the second error"))));
    assert!(bench.picture().contains("the second error"));
    let effects = bench.press("y");
    assert!(matches!(&effects[..], [Effect::Terminal(TerminalEffect::Copy(text))] if text == "the second error"));
    bench.press("Esc");
    assert!(bench.model.jobs.batch.as_ref().unwrap().open.is_none());
    bench.press("Esc");
    assert!(bench.model.jobs.batch.is_none() && bench.model.screen == ScreenName::Jobs);
}

#[test]
fn a_batch_is_stopped_and_resumed_where_it_is_shown() {
    let mut bench = bench_with(shown(JobState::Running));
    let id = batch_job(JobState::Running, 0, 0).id;
    assert_eq!((bench.press("R"), said(&bench)), (vec![], "it is under way; x stops it"));
    let effects = bench.press("x");
    let (ticket, _) = bench.model.jobs.stopping.unwrap();
    assert_eq!(effects, [CoreEffect::RunQuery { ticket, inquiry: Query::StopJob(id) }.into()]);
    let stopped = Box::new(batch_job(JobState::Cancelled, 12, 3));
    reply(&mut bench, ticket, QueryReply::JobStopped(Ok(stopped)));
    assert!(bench.picture().contains("■ cancelled: R resumes it"), "{}", bench.picture());
    let effects = bench.press("R");
    let (ticket, _) = bench.model.jobs.resuming.unwrap();
    assert_eq!(effects, [CoreEffect::ResumeBatch { ticket, raw: json!({ "job_id": id }) }.into()]);
    let effects =
        reply(&mut bench, ticket, QueryReply::BatchResumed(Ok(Box::new(batch_job(JobState::Running, 12, 3)))));
    assert_eq!((cursor_of(&effects), bench.model.jobs.own.as_slice()), (RowCursor::FIRST, &[id][..]));
}

#[test]
fn a_batch_that_has_reached_its_budget_is_resumed_with_another() {
    let mut bench = bench_with(shown(JobState::Failed));
    let id = batch_job(JobState::Failed, 0, 0).id;
    assert_eq!(bench.press("R"), []);
    assert!(bench.picture().contains("its new budget in US dollars, what was spent included"), "{}", bench.picture());
    bench.press("Ctrl+U");
    bench.type_text("-1");
    let effects = bench.press("Enter");
    let (ticket, _) = bench.model.jobs.resuming.unwrap();
    assert_eq!(effects, [CoreEffect::ResumeBatch { ticket, raw: json!({ "job_id": id, "budget_usd": -1.0 }) }.into()]);
    let problem = Box::new(Problem::from(Error::value("budget_usd", "is -1; it must be above 0")));
    reply(&mut bench, ticket, QueryReply::BatchResumed(Err(problem)));
    assert!(bench.picture().contains("budget_usd: is -1; it must be above 0"), "{}", bench.picture());
    bench.press("Ctrl+U");
    bench.press("Enter");
    let (ticket, _) = bench.model.jobs.resuming.unwrap();
    let effects =
        reply(&mut bench, ticket, QueryReply::BatchResumed(Ok(Box::new(batch_job(JobState::Running, 12, 3)))));
    assert_eq!((cursor_of(&effects), bench.model.overlay.is_none()), (RowCursor::FIRST, true));
}

#[test]
fn why_a_batch_is_not_resumed_stands_in_its_place() {
    let mut bench = bench_with(shown(JobState::Cancelled));
    bench.press("R");
    let (ticket, _) = bench.model.jobs.resuming.unwrap();
    let problem = Box::new(Problem::from(Error::Conflict("another process works on it".into())));
    reply(&mut bench, ticket, QueryReply::BatchResumed(Err(problem)));
    assert!(bench.picture().contains("✗ another process works on it (conflict)"), "{}", bench.picture());
}

#[test]
fn the_rate_of_a_resumed_batch_is_that_of_its_present_attempt() {
    let mut bench = bench_with(shown(JobState::Running));
    assert_eq!(bench.model.jobs.batch.as_ref().unwrap().pace(), Some((12, 60_000)));
    let resumed = |done| Job { attempt: 2, ..batch_job(JobState::Running, done, 3) };
    let mut next = |done, after_ms: i64| {
        bench.press("r");
        let mut rows = rows_page(resumed(done), Vec::new(), None);
        rows.at = aludel_core::time::from_millis(jobs().at.as_millisecond() + after_ms);
        page(&mut bench, Ok(Box::new(rows)));
        bench.model.jobs.batch.as_ref().unwrap().pace()
    };
    assert_eq!(next(12, 5_000), Some((0, 0)));
    assert_eq!(next(32, 7_000), Some((20, 2_000)));
}

#[test]
fn quitting_asks_while_a_batch_of_this_workbench_is_under_way() {
    let mut bench = Bench::new(80, 24);
    let ticket = checking(&mut bench);
    reply(&mut bench, ticket, QueryReply::BatchChecked(Ok(offer(Some(4.2), None))));
    bench.press("Enter");
    let job = batch_job(JobState::Running, 0, 0);
    reply(&mut bench, ticket, QueryReply::BatchStarted(Ok(Box::new(job.clone()))));
    assert_eq!(bench.press("Ctrl+Q"), []);
    assert!(bench.picture().contains("what is done is kept, to be resumed"), "{}", bench.picture());
    bench.press("Esc");
    bench.press("Ctrl+C");
    assert_eq!(said(&bench), "^C again quits; the batch under way stops, and can be resumed");
    bench.press("1");
    reply(&mut bench, ticket, QueryReply::BatchEnded(Box::new(Job { state: JobState::Finished, done: 1_000, ..job })));
    assert_eq!(said(&bench), "batch 00000009 is finished: 1,000 of 1,000 done");
    assert_eq!(bench.press("Ctrl+Q"), [TerminalEffect::Quit.into()]);
}

#[test]
fn a_click_marks_a_row_and_opens_the_marked_one_and_the_wheel_moves_what_is_under_it() {
    let mut bench = bench_with(shown(JobState::Running));
    let (x, y) = bench.place_of("boat-11");
    bench.click(x, y);
    assert_eq!(bench.model.jobs.batch.as_ref().unwrap().marked().unwrap().row, 11);
    let effects = bench.click(x, y);
    assert!(matches!(effects[..], [Effect::Core(CoreEffect::RunQuery { inquiry: Query::BatchRow(_, 11), .. })]));
    row(&mut bench, Ok(Box::new(fine_row(11, &"a line\n".repeat(90)))));
    let (x, y) = bench.place_of("a line");
    bench.point(crate::tui::message::Pointer::Down, x, y);
    assert!(bench.model.jobs.batch.as_ref().unwrap().open.as_ref().unwrap().top > 0);
    let (x, y) = bench.place_of("boat-3");
    bench.point(crate::tui::message::Pointer::Up, x, y);
    assert_eq!(bench.model.jobs.batch.as_ref().unwrap().marked().unwrap().row, 8);
}

#[test]
fn a_batch_is_left_for_the_list_in_which_it_is_marked() {
    let mut bench = bench_with(shown(JobState::Running));
    let other = Job { id: jobs().jobs[0].id, ..batch_job(JobState::Running, 1, 0) };
    bench.press("Esc");
    let (ticket, _) = bench.model.jobs.asked.unwrap();
    let rows = vec![other, batch_job(JobState::Running, 12, 3)];
    reply(&mut bench, ticket, QueryReply::Jobs(Ok(Box::new(JobListing { jobs: rows, ..jobs() }))));
    assert_eq!(bench.model.jobs.marked, 1);
    assert_eq!((bench.press("y"), said(&bench)), (vec![], "no prompt is marked"));
}
