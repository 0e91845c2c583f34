//! The import formats: a file yields no more records than bytes, memory is proportional to it, and
//! an accepted record round-trips through each format that can hold it.

use std::fmt::Write as _;

use aludel_core::domain::{Prompt, Timestamp};
use aludel_core::transfer::{Decoder, ReadError, Reader, Record, TransferFormat, Writer};

use crate::tape::{self, Tape};

const FORMATS: [TransferFormat; 4] =
    [TransferFormat::Json, TransferFormat::Jsonl, TransferFormat::Csv, TransferFormat::Yaml];

/// Names and values of records.
const WORDS: &[&str] = &[
    "id",
    "session_id",
    "variant",
    "content",
    "original_input",
    "phase",
    "persona",
    "provider",
    "model",
    "temperature",
    "max_tokens",
    "tags",
    "context",
    "notes",
    "parent_id",
    "source",
    "strategy",
    "revision",
    "score",
    "steps",
    "model_metadata",
    "created_at",
    "updated_at",
    "session",
    "prompts",
    "total",
    "generated",
    "derived",
    "coagulatio",
    "solutio",
    "2026-11-22T10:00:00Z",
    "019373a0-0000-7000-8000-000000000000",
    "text",
    "a\nb",
    "---",
    "- x",
    "\"",
    "'",
    " ",
    "#",
    "&a",
    "*a",
    "!t",
    "~",
    "1.5",
    "latency_ms",
    "input_tokens",
    "provider_calls",
    "",
];

/// The syntax around them in a file.
const FILE: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    ": ",
    "\"",
    "\"\"",
    "'",
    "- ",
    "---\n",
    "...\n",
    "\ncontent: ",
    "content: x\n",
    "\n",
    "{\"content\":\"x\"}",
    "[{\"content\":",
    "content,tags\n",
    "x,y\n",
    "prompts:\n",
    "- content: y\n",
    "|\n",
    ">-\n",
    "&a ",
    "*a",
    "<<: *a",
    "!!str ",
    "\\u0000",
    "\\ud800",
    "1e999",
    "null",
    "true",
    "# c\n",
    "% \n",
    "? ",
    "\t",
    "\r\n",
];

/// A prompt with a single record, to insert the words into a valid file.
fn composed(format: TransferFormat, input: &[u8]) -> Vec<u8> {
    let mut tape = Tape(input);
    let mut out = String::new();
    for _ in 0..=tape.below(4) {
        let mut record = tape::object(&mut tape, WORDS, 4);
        record["content"] = tape::json(&mut tape, WORDS, 0);
        match format {
            TransferFormat::Yaml => writeln!(out, "---\n{record}").expect("memory"),
            TransferFormat::Csv => {
                let quoted = |text: String| format!("\"{}\"", text.replace('"', "\"\""));
                let members = record.as_object().into_iter().flatten();
                let (names, values): (Vec<_>, Vec<_>) =
                    members.map(|(name, value)| (quoted(name.clone()), quoted(value.to_string()))).unzip();
                writeln!(out, "{}\n{}", names.join(","), values.join(",")).expect("memory");
            }
            _ => writeln!(out, "{record}").expect("memory"),
        }
    }
    out.into_bytes()
}

fn check(format: TransferFormat, input: &[u8]) {
    let file = match input.split_first() {
        Some((byte, rest)) if byte % 2 == 1 => composed(format, rest),
        _ => tape::bytes(input, FILE),
    };
    let mut decoder = Decoder::at(Timestamp::default());
    let (mut count, mut read) = (0, 0);
    let mut reader = Reader::new(format, file.as_slice()).expect("bytes are always readable");
    for record in reader.by_ref() {
        count += 1;
        match record {
            Ok(raw) => {
                read += serde_json::to_string(&raw.members).map_or(0, |text| text.len());
                if let Ok(record) = decoder.decode(raw) {
                    comes_back(&record);
                }
            }
            Err(ReadError::Record(_, faults)) => assert!(faults.iter().all(|fault| !fault.message.is_empty())),
            Err(ReadError::End(_, fault)) => assert!(!fault.message.is_empty()),
            Err(ReadError::File(error)) => panic!("memory is always readable: {error}"),
        }
    }
    assert!(count <= file.len() + 1, "{count} records in {} bytes", file.len());
    assert!(read <= most(format, file.len()), "{read} bytes read from {}", file.len());
    assert!(reader.left_out().len() <= file.len());
}

/// The most that a file of this size can be read as. JSON can write a character as six; each row of
/// CSV repeats the header; a YAML alias repeats its target, at most a hundred times the events.
fn most(format: TransferFormat, file: usize) -> usize {
    match format {
        TransferFormat::Csv => 64 + 8 * file + file * file,
        TransferFormat::Yaml => 64 + 800 * file,
        _ => 64 + 8 * file,
    }
}

fn comes_back(record: &Record) {
    for format in FORMATS {
        let (mut writer, mut out) = (Writer::new(format), String::new());
        writer.begin(&mut out).expect("a head");
        writer.write(&record.prompt, record.session.as_ref(), &mut out).expect("a prompt");
        writer.end(&mut out);
        let prompts: Vec<Prompt> = Reader::new(format, out.as_bytes())
            .expect("bytes are always readable")
            .map(|raw| {
                let raw = raw.unwrap_or_else(|trouble| panic!("{format:?} {trouble:?} in {out:?}"));
                let read = Decoder::at(Timestamp::default()).decode(raw);
                read.unwrap_or_else(|faults| panic!("{format:?} {faults:?} in {out:?}")).prompt
            })
            .collect();
        assert_eq!(prompts, std::slice::from_ref(&record.prompt), "{format:?}: {out:?}");
    }
}

#[test]
fn import_json() {
    bolero::check!(name = "import_json").with_max_len(1024).for_each(|input: &[u8]| check(TransferFormat::Json, input));
}

#[test]
fn import_jsonl() {
    bolero::check!(name = "import_jsonl")
        .with_max_len(1024)
        .for_each(|input: &[u8]| check(TransferFormat::Jsonl, input));
}

#[test]
fn import_csv() {
    bolero::check!(name = "import_csv").with_max_len(1024).for_each(|input: &[u8]| check(TransferFormat::Csv, input));
}

#[test]
fn import_yaml() {
    bolero::check!(name = "import_yaml").with_max_len(1024).for_each(|input: &[u8]| check(TransferFormat::Yaml, input));
}
