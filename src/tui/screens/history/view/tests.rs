//! Snapshots of the History at three sizes and the minimum, and their invariants.

use crate::tui::message::{HistoryReply, Message};
use crate::tui::model::history::{ResultFacts, ResultPage, Row, Start};
use crate::tui::testing::gallery::Gallery;
use crate::tui::testing::*;
use aludel_core::domain::{Conflict, ImportReport, Skip};
use aludel_core::domain::{Match, MatchKind, Prompt, SessionId};
use aludel_core::engine::Indexing;
use aludel_core::error::{Error, Fault, Problem};
use aludel_core::time::from_millis;
use aludel_core::transfer::{Stage, TransferProgress};

const GALLERY: Gallery = Gallery("history");

/// Snapshots the History as just opened, after `prepare`.
fn pictures(name: &str, prepare: impl Fn(&mut Bench)) {
    GALLERY.keep(name, opened(prepare));
}

fn opened(prepare: impl Fn(&mut Bench)) -> impl Fn(&mut Bench) {
    move |bench| {
        bench.press("Alt+5");
        prepare(bench);
    }
}

fn stored(number: u32) -> Prompt {
    let contents = [
        TEXTS[1],
        "You write changelogs. Group by what a user notices; leave out what nobody does.",
        "レビュー用プロンプト 🧪 変更を丁寧に読み、問題だけを報告してください。",
        "Explain the query to someone who has never seen SQL, clause by clause.",
    ];
    let tags: [&[&str]; 3] = [&["rust", "review"], &[], &["data"]];
    let at = number as usize;
    Prompt {
        // Three prompts of a run, then one of another.
        session_id: SessionId(uuid::Uuid::from_u128(u128::from(number / 4 * 2 + u32::from(number % 4 == 3)))),
        original_input: "Review pull requests like a careful senior engineer".into(),
        tags: tags[at % 3].iter().map(|tag| (*tag).to_owned()).collect(),
        persona: ["code", "generic", "writing"][at % 3].into(),
        created_at: from_millis(200_000_000 - [0, 140_000, 7_500_000, 180_000_000][at % 4] * i64::from(number + 1) / 4),
        ..prompt(number, contents[at % 4], [Some(0.87), None, Some(0.64)][at % 3])
    }
}

fn listed(bench: &mut Bench) {
    let mut rows: Vec<Row> = (0..50).map(|number| Row::listed(&stored(number).into(), None)).collect();
    rows[1].twin = Some(stored(0).id);
    bench.answer(ResultPage { next: Some(Start::Cursor("c".into())), ..answer(rows) });
    bench.read(stored(0));
}

fn found(bench: &mut Bench) {
    listed(bench);
    bench.press("/ Ctrl+R Ctrl+R");
    bench.type_text("severity findings tag:rust");
    let snippet = "Review {{diff}}. List at most seven findings, ranked by severity.";
    let row = |number| {
        let marks = vec![(35, 43), (55, 63)];
        let matched = Match { score: 0.032, snippet: snippet.into(), marks, kind: MatchKind::Hybrid, far: false };
        Row::found(&stored(number).into(), &matched, (number > 0).then(|| stored(0).id))
    };
    let warnings = vec!["12 prompts have no vector yet and are found by their words alone".to_owned()];
    let facts = ResultFacts { total: Some(1_204), warnings, ..answer(Vec::new()).facts };
    bench.answer(ResultPage { rows: vec![row(0), row(3)], next: None, facts });
    bench.press("Down");
    bench.read(stored(3));
}

fn refuse(bench: &mut Bench, error: Error) {
    let ticket = bench.model.history.asked.unwrap().ticket;
    bench.send(Message::History { ticket, news: HistoryReply::Found(Err(Box::new(Problem::from(error)))) });
}

#[test]
fn while_it_is_read() {
    pictures("loading", |_| {});
}

#[test]
fn with_nothing_stored() {
    pictures("empty", |bench| _ = bench.answer(answer(Vec::new())));
}

#[test]
fn newest_first() {
    pictures("listed", listed);
}

#[test]
fn with_what_was_found() {
    pictures("found", found);
}

#[test]
fn with_nothing_found() {
    pictures("nothing", |bench| {
        listed(bench);
        bench.press("/");
        bench.type_text("no such words");
        bench.answer(answer(Vec::new()));
    });
}

#[test]
fn with_a_fault_beside_the_box() {
    pictures("fault", |bench| {
        listed(bench);
        bench.press("/");
        bench.type_text("since:soon phase:x");
        let faults = vec![
            Fault::new("phase", "there is no phase `x`; there are prima-materia, solutio, coagulatio"),
            Fault::new("since", "`soon` is not a date or time: write a date (2026-11-21) or an age (7d, 12h, 30m)"),
        ];
        refuse(bench, Error::Value(faults.into()));
    });
}

#[test]
fn without_vectors() {
    pictures("conflict", |bench| {
        bench.answer(answer(Vec::new()));
        bench.press("/ Ctrl+R");
        bench.type_text("x");
        refuse(bench, Error::Conflict("nothing has a vector yet: `aludel reindex --vectors` makes them".into()));
    });
}

#[test]
fn with_the_preview_in_front() {
    pictures("preview", |bench| {
        listed(bench);
        bench.press("l j j");
    });
}

#[test]
fn asking_for_tags() {
    pictures("tags", |bench| {
        listed(bench);
        bench.press("t");
    });
}

#[test]
fn asking_for_a_file() {
    pictures("export", |bench| {
        listed(bench);
        bench.press("E");
    });
    pictures("import", |bench| {
        listed(bench);
        bench.press("I i n . c s v Enter");
        let report = ImportReport {
            records: 1_204,
            imported: 1_190,
            existing: 12,
            conflicts: 1,
            conflicting: vec![Conflict {
                id: stored(0).id,
                place: "record 3 (line 17)".into(),
                fields: vec!["content".into(), "tags".into()],
            }],
            skipped: 1,
            skips: vec![Skip { reason: "no content".into(), count: 1, first: "record 9 (line 40)".into() }],
            ..ImportReport::default()
        };
        let ticket = bench.model.history.last_ticket;
        bench.send(Message::History { ticket, news: HistoryReply::Imported(Ok(Box::new(report))) });
    });
}

#[test]
fn while_a_file_is_read_and_vectors_are_made() {
    pictures("busy", |bench| {
        listed(bench);
        bench.press("I x Enter");
        let ticket = bench.model.history.last_ticket;
        let progress = TransferProgress { stage: Stage::Storing, prompts: 300, total: Some(1_204) };
        bench.send(Message::History { ticket, news: HistoryReply::Transferring(progress) });
        bench.send(Message::Indexing(Indexing { done: 40, left: 1_164, problem: None }));
        bench.press("Esc");
    });
}

#[test]
fn a_prompt_that_was_deleted_can_be_called_back() {
    pictures("delete", |bench| {
        listed(bench);
        bench.press("D");
    });
}

#[test]
fn the_keys_of_this_screen() {
    pictures("help", |bench| {
        listed(bench);
        bench.press("?");
    });
}

#[test]
fn in_colour() {
    GALLERY.keep_in_colour("listed", opened(listed));
    GALLERY.keep_in_colour("found", opened(found));
    GALLERY.keep_in_ascii("found", opened(found));
}

#[test]
fn a_screen_that_is_too_small_says_what_is_needed() {
    let mut bench = Bench::new(59, 16);
    bench.press("Alt+5");
    let said: Vec<_> = bench.picture().lines().map(|row| row.trim().to_owned()).filter(|row| !row.is_empty()).collect();
    assert_eq!(said, ["aludel needs 60x16, this is 59x16", "Ctrl+C quits"]);
}

#[test]
fn hostile_text_is_shown_without_its_sequences_everywhere() {
    const HOSTILE: &str = "before\u{1b}]52;c;aGk=\u{7}\u{1b}[2J\u{9b}31mafter\u{202e}";
    let text = || HOSTILE.to_owned();
    let mut hostile = Prompt {
        content: text() + &"世界".repeat(5_000),
        original_input: text(),
        persona: text(),
        provider: text(),
        model: text(),
        strategy: text(),
        tags: vec![text()],
        context: vec![text()],
        notes: Some(text()),
        ..stored(0)
    };
    hostile.steps[0].content = text();
    hostile.steps[0].provider = text();
    let mut bench = Bench::new(200, 60);
    bench.press("Alt+5 /");
    bench.send(Message::Paste(text()));
    let matched = Match { score: 1.0, snippet: text(), marks: vec![(0, 30)], kind: MatchKind::Text, far: false };
    let facts = ResultFacts { warnings: vec![text()], ..answer(Vec::new()).facts };
    let rows = vec![Row::listed(&hostile.clone().into(), None), Row::found(&stored(1).into(), &matched, None)];
    bench.answer(ResultPage { rows, next: None, facts });
    bench.read(hostile);
    for keys in ["Esc", "t", "Esc a", "Esc D"] {
        bench.press(keys);
        let picture = bench.picture();
        assert!(picture.contains("beforeafter"), "{picture}");
        for litter in ["52;c", "[2J", "31m", "\u{202e}", "\u{1b}"] {
            assert!(!picture.contains(litter), "{litter:?} in\n{picture}");
        }
    }
}
