//! Mapping of prompt-alchemy rows.

use super::*;

fn row(cells: &[(&'static str, Cell)]) -> AlchemyRow {
    AlchemyRow { number: 1, cells: cells.iter().cloned().collect() }
}

fn text(text: &str) -> Cell {
    Cell::Text(text.into())
}

fn prompt(cells: &[(&'static str, Cell)]) -> crate::domain::Prompt {
    let mut cells = cells.to_vec();
    cells.push(("content", text("Write a haiku")));
    let members = members(row(&cells)).unwrap();
    let place = RecordPosition { record: 1, line: None, column: None };
    Decoder::at(Timestamp::UNIX_EPOCH).decode(RawRecord { members, place }).unwrap().prompt
}

#[test]
fn a_whole_row_finds_its_places() {
    let id = "0b6f4c7e-5f0f-4b43-9a8e-2f1f4c1f7a11";
    let prompt = prompt(&[
        ("id", text(id)),
        ("phase", text("solutio")),
        ("provider", text("openai")),
        ("model", text("gpt-4")),
        ("temperature", Cell::Real(0.3)),
        ("max_tokens", Cell::Integer(1500)),
        ("actual_tokens", Cell::Integer(321)),
        ("tags", text(r#"["sea","poem"]"#)),
        ("source_type", text("generated")),
        ("original_input", text("a haiku")),
        ("persona_used", text("writing")),
        ("created_at", Cell::Integer(1_700_000_000)),
        ("updated_at", Cell::Integer(1_700_000_060)),
        ("embedding_model", text("text-embedding-3-small")),
    ]);
    assert_eq!(prompt.id.to_string(), id);
    assert_eq!((prompt.phase, prompt.source), (Phase::Solutio, Source::Generated));
    assert_eq!((prompt.temperature, prompt.max_tokens), (0.3, 1500));
    assert_eq!(prompt.tags, ["sea", "poem"]);
    assert_eq!(write_moment(prompt.created_at), "2023-11-14T22:13:20.000Z");
    assert_eq!(write_moment(prompt.updated_at), "2023-11-14T22:14:20.000Z");
    let account = &prompt.model_metadata;
    assert_eq!((account.total_tokens, account.estimated, account.cost_usd), (321, true, None));
    assert_eq!(account.embedding_model.as_deref(), Some("text-embedding-3-small"));
    assert_eq!(prompt.notes, None);
}

#[test]
fn what_has_no_place_becomes_notes_and_nothings_do_not() {
    let prompt = prompt(&[
        ("usage_count", Cell::Integer(3)),
        ("generation_count", Cell::Integer(0)),
        ("relevance_score", Cell::Real(0.87)),
        ("enhancement_method", text("few\nshot")),
        ("target_model_family", text("")),
        ("last_used_at", Cell::Integer(1_700_000_000)),
        ("source_type", text("derived")),
        ("phase", text("nigredo")),
        ("temperature", Cell::Real(7.5)),
    ]);
    let notes = prompt.notes.unwrap();
    assert_eq!(
        notes,
        "From prompt-alchemy:\nphase: nigredo\nsource_type: derived\ntemperature: 7.5\nlast_used_at: 2023-11-14T22:13:20.000Z\n\
         enhancement_method: few shot\nrelevance_score: 0.87\nusage_count: 3"
    );
    assert_eq!((prompt.score, prompt.temperature), (None, 0.7));
}

#[test]
fn older_names_of_phases_are_known() {
    for (name, phase) in [
        ("idea", Phase::PrimaMateria),
        ("human", Phase::Solutio),
        ("precision", Phase::Coagulatio),
        ("Prima_Materia", Phase::PrimaMateria),
    ] {
        assert_eq!(prompt(&[("phase", text(name))]).phase, phase, "{name}");
    }
}

#[test]
fn ids_that_are_no_uuids_are_the_same_each_time_and_lead_to_their_parents() {
    let parent = prompt(&[("id", text("p-1"))]);
    let child = prompt(&[("id", text("p-2")), ("parent_id", text("p-1")), ("session_id", text("p-1"))]);
    assert_eq!(child.parent_id, Some(parent.id));
    assert_ne!(child.session_id.0, parent.id.0, "runs and prompts are named apart");
    assert_eq!(prompt(&[("id", text("p-1"))]).id, parent.id);
    assert_eq!(parent.notes.as_deref(), Some("From prompt-alchemy:\nid: p-1"));
    let nil = "00000000-0000-0000-0000-000000000000";
    assert_eq!(prompt(&[("id", text("p-3")), ("parent_id", text(nil))]).parent_id, None);
}

#[test]
fn tags_come_as_json_as_commas_or_not_at_all() {
    for (written, tags) in [
        (r#"["a", "b,c", 7]"#, vec!["a", "b", "c", "7"]),
        ("a, b ,,a", vec!["a", "b"]),
        ("null", vec![]),
        ("[]", vec![]),
        (r#""a,b""#, vec!["a", "b"]),
    ] {
        assert_eq!(prompt(&[("tags", text(written))]).tags, tags, "{written}");
    }
    let long = "x".repeat(65);
    let prompt = prompt(&[("tags", text(&format!("a,{long}")))]);
    assert_eq!(prompt.tags, ["a"]);
    assert!(prompt.notes.unwrap().ends_with(&format!("tags: {long}")));
}

#[test]
fn moments_come_in_many_ways() {
    for (cell, moment) in [
        (Cell::Integer(1_700_000_000), "2023-11-14T22:13:20.000Z"),
        (Cell::Real(1_700_000_000.25), "2023-11-14T22:13:20.250Z"),
        (Cell::Integer(1_700_000_000_123), "2023-11-14T22:13:20.123Z"),
        (text("1700000000"), "2023-11-14T22:13:20.000Z"),
        (text("2023-11-14T22:13:20Z"), "2023-11-14T22:13:20.000Z"),
        (text("2023-11-14T23:13:20.5+01:00"), "2023-11-14T22:13:20.500Z"),
        (text("2023-11-14 22:13:20"), "2023-11-14T22:13:20.000Z"),
        (text("2023-11-14 23:13:20.123456789 +0100 CET"), "2023-11-14T22:13:20.123Z"),
        (text("2023-11-14"), "2023-11-14T00:00:00.000Z"),
    ] {
        assert_eq!(write_moment(prompt(&[("created_at", cell.clone())]).created_at), moment, "{cell:?}");
    }
    let prompt = prompt(&[("created_at", text("long ago"))]);
    assert!(prompt.notes.unwrap().contains("created_at: long ago"));
}

#[test]
fn a_row_with_no_content_is_told_why() {
    assert_eq!(members(row(&[("content", text(" \n"))])), Err("it has no content"));
    assert_eq!(members(row(&[("content", Cell::Bytes)])), Err("its content is not UTF-8 text"));
    assert_eq!(members(row(&[])), Err("it has no content"));
}

#[test]
fn what_is_no_name_here_becomes_a_note() {
    let prompt = prompt(&[
        ("provider", text("\u{1b}]0;PWN\u{7}")),
        ("model", text(&"m".repeat(201))),
        ("persona_used", text("\u{202e}evil")),
        ("tags", text("sea,a\u{e0041}b")),
    ]);
    assert_eq!(
        (prompt.provider.as_str(), prompt.model.as_str(), prompt.persona.as_str()),
        ("unknown", "unknown", "generic")
    );
    assert_eq!(prompt.tags, ["sea"]);
    let notes = prompt.notes.unwrap();
    for kept in ["provider: \u{1b}]0;PWN\u{7}", "model: mmm", "persona_used: \u{202e}evil", "tags: a\u{e0041}b"] {
        assert!(notes.contains(kept), "{kept:?} in {notes:?}");
    }
}
