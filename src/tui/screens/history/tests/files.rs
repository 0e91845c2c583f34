//! Tests of exporting and importing files from the History: progress, stopping, results.

use super::*;
use aludel_core::domain::ImportReport;
use aludel_core::transfer::{self, TransferProgress};

#[test]
fn what_is_listed_is_written_to_a_file_and_told() {
    let mut bench = listing(2);
    bench.press("/");
    typed(&mut bench, "tag:rust");
    bench.answer(answer(rows(0..2)));
    bench.press("Esc E Ctrl+U");
    typed(&mut bench, "out.yml");
    let command = |replace| HistoryCommand::Export {
        raw: json!({ "tags": ["rust"], "format": "yaml" }),
        path: "out.yml".into(),
        replace,
    };
    assert_eq!(wishes(&bench.press("Enter")), [command(false)]);
    news(&mut bench, HistoryReply::Exported(Err(Box::new(Problem::from(Error::Conflict("it is there".into()))))));
    assert!(bench.picture().contains("it is there"));
    assert_eq!(wishes(&bench.press("Enter")), [command(true)], "asked again, it is meant");
    let progress = TransferProgress { stage: transfer::Stage::Writing, prompts: 1_200, total: Some(3_000) };
    news(&mut bench, HistoryReply::Transferring(progress));
    assert!(bench.picture().contains("writing 1,200 of 3,000"), "{}", bench.picture());
    news(&mut bench, HistoryReply::Exported(Ok(3_000)));
    assert!(bench.picture().contains("3,000 prompts written"));
    bench.press("Enter");
    assert_eq!((bench.model.overlay.clone(), bench.model.history.transfer), (None, None));
}

#[test]
fn a_name_that_is_changed_after_a_refusal_replaces_nothing() {
    let mut bench = listing(2);
    bench.press("E Enter");
    news(&mut bench, HistoryReply::Exported(Err(Box::new(Problem::from(Error::Conflict("it is there".into()))))));
    bench.press("x");
    assert!(matches!(wishes(&bench.press("Enter")).as_slice(), [HistoryCommand::Export { replace: false, .. }]));
}

#[test]
fn a_name_that_is_pasted_after_a_refusal_replaces_nothing() {
    let mut bench = listing(2);
    bench.press("E Enter");
    news(&mut bench, HistoryReply::Exported(Err(Box::new(Problem::from(Error::Conflict("it is there".into()))))));
    bench.send(Message::Paste("x".into()));
    assert!(matches!(wishes(&bench.press("Enter")).as_slice(), [HistoryCommand::Export { replace: false, .. }]));
}

#[test]
fn whether_a_file_is_replaced_is_asked_as_a_question() {
    let mut bench = listing(2);
    bench.press("E Enter");
    let there = "there is a file x already; Enter again replaces it";
    news(&mut bench, HistoryReply::Exported(Err(Box::new(Problem::from(Error::Conflict(there.into()))))));
    let picture = bench.picture();
    assert!(picture.contains("? there is a file x already") && picture.contains("Enter replace"), "{picture}");
}

#[test]
fn words_cannot_be_exported() {
    let mut bench = listing(2);
    bench.press("/ x");
    bench.answer(answer(rows(0..1)));
    bench.press("Esc E");
    assert_eq!(bench.model.overlay, None);
    assert!(bench.model.toast.as_ref().is_some_and(|toast| toast.text.contains("remove the words")));
}

#[test]
fn a_file_is_read_its_faults_told_and_the_rows_read_again() {
    let mut bench = listing(1);
    bench.press("I");
    typed(&mut bench, "in.json");
    assert_eq!(wishes(&bench.press("Enter")), [HistoryCommand::Import("in.json".into())]);
    news(&mut bench, HistoryReply::Imported(Err(refused("record 3 (line 17): content"))));
    assert!(bench.picture().contains("record 3 (line 17): content: is no such thing"));
    bench.answer(answer(rows(0..1)));
    bench.press("Enter");
    let report = ImportReport { records: 12, imported: 9, existing: 2, skipped: 1, ..ImportReport::default() };
    let effects = news(&mut bench, HistoryReply::Imported(Ok(Box::new(report))));
    assert!(question(&effects).is_some());
    assert!(bench.picture().contains("9 prompts stored, 2 already there, 1 not taken"), "{}", bench.picture());
}

#[test]
fn a_file_goes_on_behind_a_closed_box_and_ctrl_c_stops_it() {
    let mut bench = listing(1);
    bench.press("I x Enter Esc");
    assert_eq!(bench.model.overlay, None);
    bench.press("I");
    assert_eq!(bench.model.overlay, None, "one file at a time");
    bench.model.toast = None;
    let progress = TransferProgress { stage: transfer::Stage::Checking, prompts: 300, total: None };
    news(&mut bench, HistoryReply::Transferring(progress));
    assert!(bench.picture().contains("checking 300"));
    bench.press("Ctrl+Q");
    assert_eq!(bench.model.overlay, Some(Overlay::ConfirmQuit));
    assert_eq!(bench.press("Esc Ctrl+C"), [CoreEffect::StopTransfer.into()]);
    news(&mut bench, HistoryReply::Imported(Ok(Box::default())));
    assert!(
        bench.model.toast.as_ref().is_some_and(|toast| toast.text.contains("stopped")),
        "what comes late is not told"
    );
}
