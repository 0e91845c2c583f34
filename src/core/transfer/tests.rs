//! Round trips through every lossless format and a real store, bad files, and memory use.

use std::io::{Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::domain::{Filter, ModelMetadata, Order, Phase, Prompt, PromptId, SessionId, Source, Step, Timestamp};
use crate::error::{Code, Error, Result};
use crate::store::sqlite::SqliteStore;
use crate::store::{PageSpec, Session, Store, samples};
use crate::text::shown;
use crate::time::from_millis;

const LOSSLESS: [TransferFormat; 4] =
    [TransferFormat::Json, TransferFormat::Jsonl, TransferFormat::Csv, TransferFormat::Yaml];

/// A prompt written without its run.
const NO_RUN: Option<&Session> = None;

/// Texts that some format could misread.
const HOSTILE: [&str; 34] = [
    "---",
    "--- ",
    "...\n",
    "- a\n- b",
    "=1+1",
    "'=1+1",
    "'",
    "''x",
    "+49",
    "@cmd",
    "\ttab",
    "a\rb",
    "a\r\nb\r\n",
    "trailing \t ",
    " leading",
    "\nleading line",
    "two\n\n\nlines\n\n",
    "  indented\nthen not",
    "null",
    "~",
    "true",
    "012",
    "1e3",
    "0x1F",
    "2026-11-21",
    "\u{2028}\u{2029}\u{85}",
    "\u{feff}mark\u{fffe}",
    "\u{7f}\u{1b}[31m\u{1}",
    "\"quoted\", 'so', `this`",
    "a: b # c",
    "{\"id\": [1}",
    "😀 é 海 \u{200d}",
    "| > & * ! % @",
    "{{ x }} <b> \\n \\u0041",
];

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => proptest::sample::select(&HOSTILE[..]).prop_map(str::to_owned),
        1 => "[ -~]{0,12}",
        1 => proptest::collection::vec(any::<char>().prop_filter("no NUL", |c| *c != '\0'), 0..8)
            .prop_map(String::from_iter),
        1 => Just("\n".to_owned()),
    ];
    proptest::collection::vec(piece, 0..5).prop_map(|pieces| pieces.concat())
}

fn solid_text() -> impl Strategy<Value = String> {
    (text(), "[a-z]", text()).prop_map(|(before, solid, after)| format!("{before}{solid}{after}"))
}

/// A valid name of at most `most` characters.
fn name(most: usize) -> impl Strategy<Value = String> {
    let fit = move |text: String| {
        let mut name = String::new();
        for character in text.chars().take(most) {
            name.push(character);
            if shown::unfit_for_a_name(&name).is_some() {
                name.pop();
            }
        }
        name
    };
    text().prop_map(fit)
}

fn tags() -> impl Strategy<Value = Vec<String>> {
    let tag = prop_oneof![
        "[=+@'a-z-][a-z ]{0,8}[a-z]",
        Just("null".to_owned()),
        Just("[x".to_owned()),
        Just("海😀".to_owned())
    ];
    proptest::collection::btree_set(tag, 0..5).prop_map(|tags| tags.into_iter().collect())
}

fn account() -> impl Strategy<Value = ModelMetadata> {
    (
        name(200),
        any::<u64>(),
        proptest::option::of(0.0..1e9_f64),
        any::<u32>(),
        any::<bool>(),
        proptest::option::of(name(200)),
    )
        .prop_map(|(provider, tokens, cost_usd, calls, cached, other)| ModelMetadata {
            model: provider.clone(),
            provider,
            input_tokens: tokens,
            output_tokens: tokens / 3,
            total_tokens: tokens,
            cost_usd,
            most_usd: None,
            latency_ms: tokens / 7,
            first_token_ms: Some(tokens).filter(|_| cached),
            calls,
            retries: calls / 2,
            cached,
            fallback_from: other.clone(),
            estimated: !cached,
            embedding_provider: other.clone(),
            embedding_model: other,
        })
}

fn phase() -> impl Strategy<Value = Phase> {
    proptest::sample::select(&Phase::ALL[..])
}

fn step() -> impl Strategy<Value = Step> {
    (phase(), name(20), text(), account()).prop_map(|(phase, name, content, model_metadata)| Step {
        phase,
        provider: name.clone(),
        model: name,
        content,
        model_metadata,
    })
}

fn moment() -> impl Strategy<Value = Timestamp> {
    (-62_000_000_000_000..200_000_000_000_000_i64).prop_map(from_millis)
}

fn prompt() -> impl Strategy<Value = Prompt> {
    let names = (name(58), name(60), name(60), name(60));
    let numbers = (any::<u32>(), 0.0..=2.0_f64, 1..=1_000_000_u32, 1..=u32::MAX, proptest::option::of(0.0..=1.0_f64));
    let lists =
        (tags(), proptest::collection::vec(solid_text(), 0..3), proptest::collection::vec(step(), 0..3), account());
    let rest = (
        phase(),
        proptest::option::of(text()),
        proptest::option::of(any::<u128>()),
        proptest::sample::select(&[Source::Generated, Source::Optimized, Source::Imported, Source::Manual][..]),
        moment(),
        moment(),
    );
    ((any::<u128>(), any::<u128>()), (solid_text(), text()), names, numbers, lists, rest).prop_map(
        |(ids, texts, names, numbers, lists, (phase, notes, parent, source, created_at, updated_at))| Prompt {
            id: PromptId(Uuid::from_u128(ids.0)),
            session_id: SessionId(Uuid::from_u128(ids.1)),
            variant: numbers.0,
            content: texts.0,
            original_input: texts.1,
            phase,
            persona: format!("{}p", names.0),
            provider: names.1,
            model: names.2,
            temperature: numbers.1,
            max_tokens: numbers.2,
            tags: lists.0,
            context: lists.1,
            notes,
            parent_id: parent.map(|id| PromptId(Uuid::from_u128(id))),
            source,
            strategy: names.3,
            revision: numbers.3,
            score: numbers.4,
            score_formula: numbers.4.map(|_| 2),
            steps: lists.2,
            model_metadata: lists.3,
            created_at,
            updated_at,
        },
    )
}

fn written(format: TransferFormat, prompts: &[Prompt]) -> String {
    let (mut writer, mut text) = (Writer::new(format), String::new());
    writer.begin(&mut text).unwrap();
    for prompt in prompts {
        writer.write(prompt, NO_RUN, &mut text).unwrap();
    }
    writer.end(&mut text);
    text
}

fn read(format: TransferFormat, bytes: &[u8]) -> std::result::Result<Vec<Prompt>, String> {
    let mut decoder = Decoder::at(Timestamp::UNIX_EPOCH);
    let mut prompts = Vec::new();
    for raw in Reader::new(format, bytes).unwrap() {
        let raw = raw.map_err(|trouble| format!("{trouble:?}"))?;
        prompts.push(decoder.decode(raw).map_err(|faults| format!("{faults:?}"))?.prompt);
    }
    let strange: Vec<&str> = decoder.unknown_names().collect();
    if strange.is_empty() { Ok(prompts) } else { Err(format!("strange names: {strange:?}")) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn what_is_written_is_read_back_in_every_field(prompts in proptest::collection::vec(prompt(), 0..4)) {
        for format in LOSSLESS {
            let text = written(format, &prompts);
            prop_assert_eq!(read(format, text.as_bytes()), Ok(prompts.clone()), "{}: {}", format.as_str(), text);
        }
    }

    #[test]
    fn a_mark_in_front_and_line_ends_of_windows_change_nothing(prompts in proptest::collection::vec(prompt(), 1..3)) {
        for format in [TransferFormat::Json, TransferFormat::Jsonl] {
            let text = format!("\u{feff}{}", written(format, &prompts).replace('\n', "\r\n"));
            prop_assert_eq!(read(format, text.as_bytes()), Ok(prompts.clone()));
        }
    }

    #[test]
    fn a_file_that_is_cut_off_never_gives_a_prompt_that_was_not_in_it(
        prompts in proptest::collection::vec(prompt(), 1..3), at in any::<proptest::sample::Index>()
    ) {
        for format in [TransferFormat::Json, TransferFormat::Jsonl] {
            let text = written(format, &prompts);
            let cut = &text.as_bytes()[..at.index(text.len() - 2)];
            if let Ok(read) = read(format, cut) {
                prop_assert!(prompts.starts_with(&read));
                prop_assert!(format == TransferFormat::Jsonl || cut.is_empty(), "a list without an end was taken");
            }
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        for format in LOSSLESS {
            let _ = read(format, &bytes);
        }
    }

    #[test]
    fn any_text_of_the_characters_that_matter_is_read_or_refused(
        text in "[\\[\\]{}:,\"'\\\\\n\r -|>#%&*!?=a1\u{feff}\u{2028}]{0,60}"
    ) {
        for format in LOSSLESS {
            let _ = read(format, text.as_bytes());
            let _ = read(format, format!("content,id\n{text}").as_bytes());
            let _ = read(format, format!("[{text}").as_bytes());
        }
    }
}

fn store() -> (tempfile::TempDir, SqliteStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("a.db"));
    (folder, store)
}

async fn exported(store: Arc<dyn Store>, format: TransferFormat) -> (String, usize) {
    let mut export = Export::of(store, format, Filter::default(), None);
    let (mut text, mut pieces) = (String::new(), 0);
    while let Some(piece) = export.next().await.unwrap() {
        text.push_str(&piece);
        pieces += 1;
    }
    (text, pieces)
}

async fn imported(
    store: &dyn Store,
    format: Option<TransferFormat>,
    text: &str,
) -> Result<crate::domain::ImportReport> {
    let input = Input { name: "prompts".into(), source: Cursor::new(text.as_bytes().to_vec()) };
    import(store, format, false, input, Timestamp::UNIX_EPOCH, |_| {}).await
}

async fn all(store: &dyn Store) -> Vec<Prompt> {
    let (mut prompts, mut cursor) = (Vec::new(), None);
    loop {
        let page = PageSpec { limit: 1000, offset: 0, cursor };
        let page = store.page(Filter::default(), Order::Oldest, page).await.unwrap();
        prompts.extend(page.items);
        cursor = page.next_cursor;
        if cursor.is_none() {
            return prompts;
        }
    }
}

#[tokio::test]
async fn every_format_carries_a_store_into_an_empty_one() {
    let (_folder, source) = store();
    let source: Arc<dyn Store> = Arc::new(source);
    let mut prompts = samples::prompts(250);
    for (prompt, hostile) in prompts.iter_mut().zip(HOSTILE.iter().cycle()) {
        prompt.content = format!("{hostile}x{hostile}");
        prompt.original_input = (*hostile).to_owned();
        prompt.notes = Some((*hostile).to_owned());
        prompt.context = vec![format!("x{hostile}")];
        prompt.parent_id = Some(PromptId(samples::id(3)));
    }
    source.append(prompts).await.unwrap();
    let stored = all(source.as_ref()).await;
    for format in LOSSLESS {
        let (text, pieces) = exported(Arc::clone(&source), format).await;
        assert!(pieces > 1, "it came in {pieces} pieces");
        let (_folder, target) = store();
        let report = imported(&target, None, &text).await.unwrap();
        assert_eq!((report.records, report.imported), (250, 250));
        assert!(report.warnings.is_empty());
        assert!(all(&target).await == stored, "{}", format.as_str());
        let again = imported(&target, Some(format), &text).await.unwrap();
        assert_eq!((again.imported, again.existing, again.conflicts), (0, 250, 0));
    }
}

async fn runs(store: &dyn Store) -> Vec<Session> {
    let page = PageSpec { limit: 1000, offset: 0, cursor: None };
    store.sessions(page).await.unwrap().items.into_iter().map(|run| run.session).collect()
}

#[tokio::test]
async fn a_run_comes_back_as_it_was_whatever_became_of_its_variants() {
    let (_folder, source) = store();
    let source: Arc<dyn Store> = Arc::new(source);
    for (seed, hostile) in (0..30).step_by(3).zip(HOSTILE.iter().cycle()) {
        let run = samples::session(seed);
        let original_input = if seed % 2 == 0 { run.original_input } else { (*hostile).to_owned() };
        source.begin_session(Session { count: 40 + seed, original_input, ..samples::session(seed) }).await.unwrap();
    }
    // One run was never begun by itself, and none has as many prompts as were requested.
    source.append(samples::prompts(33)).await.unwrap();
    let stored = runs(source.as_ref()).await;
    assert_eq!((stored.len(), stored[10].count), (11, 40));
    for format in LOSSLESS {
        let (text, _) = exported(Arc::clone(&source), format).await;
        let (_folder, target) = store();
        let report = imported(&target, None, &text).await.unwrap();
        assert_eq!((report.imported, report.warnings.as_slice()), (33, &[][..]), "{}", format.as_str());
        assert_eq!(runs(&target).await, stored, "{}", format.as_str());
        assert_eq!(all(&target).await, all(source.as_ref()).await, "{}", format.as_str());
    }
}

#[tokio::test]
async fn a_record_without_its_run_and_one_with_a_bad_run() {
    let (_folder, store) = store();
    let prompts = samples::prompts(2);
    let older = written(TransferFormat::Jsonl, &prompts);
    assert!(!older.contains("\"session\""));
    imported(&store, None, &older).await.unwrap();
    let told = runs(&store).await;
    assert_eq!((told.len(), told[0].count, told[0].operation.as_str()), (1, 2, "generate"));
    let bad = r#"{"content": "x", "session": {"operation": "generate", "phases": ["nigredo"], "count": 1}}"#;
    let said = refusal(&imported(&store, Some(TransferFormat::Jsonl), bad).await.unwrap_err());
    assert!(said[1].starts_with("record 1 (line 1): session.phases[0]: unknown variant `nigredo`"), "{said:?}");
    let long = format!(
        r#"{{"content": "x", "session": {{"operation": "{}", "persona": "p", "phases": [], "count": 1, "created_at": "2026-11-21T05:00:00Z"}}}}"#,
        "o".repeat(300)
    );
    let said = refusal(&imported(&store, Some(TransferFormat::Jsonl), &long).await.unwrap_err());
    assert!(said[1].contains("session.operation: is longer than 200 characters"), "{said:?}");
}

#[tokio::test]
async fn what_is_stored_already_is_kept_and_differences_are_told() {
    let (_folder, store) = store();
    let prompts = samples::prompts(3);
    store.append(prompts[..2].to_vec()).await.unwrap();
    let mut changed = prompts.clone();
    changed[1].content = "other".into();
    changed[1].tags = vec!["new".into()];
    changed.push(changed[2].clone());
    let report =
        imported(&store, Some(TransferFormat::Jsonl), &written(TransferFormat::Jsonl, &changed)).await.unwrap();
    assert_eq!((report.records, report.imported, report.existing, report.conflicts), (4, 1, 2, 1));
    let conflict = &report.conflicting[0];
    assert_eq!((conflict.id, conflict.place.as_str()), (prompts[1].id, "record 2 (line 2)"));
    assert_eq!(conflict.fields, ["content", "tags"]);
    assert_eq!(all(&store).await, prompts);
}

#[tokio::test]
async fn a_dry_run_counts_and_stores_nothing() {
    let (_folder, store) = store();
    let prompts = samples::prompts(2);
    store.append(prompts[..1].to_vec()).await.unwrap();
    let text = written(TransferFormat::Csv, &prompts);
    let input = Input { name: "a.csv".into(), source: Cursor::new(text.into_bytes()) };
    let report = import(&store, None, true, input, Timestamp::UNIX_EPOCH, |_| {}).await.unwrap();
    assert_eq!((report.imported, report.existing, report.dry_run), (1, 1, true));
    assert_eq!(all(&store).await.len(), 1);
}

fn refusal(error: &Error) -> Vec<String> {
    assert_eq!(error.code(), Code::ValidationFailed);
    error.faults().iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn a_file_with_bad_records_is_refused_whole_and_names_them() {
    let (_folder, store) = store();
    let text = "{\"content\": \"good\"}\n\n{\"content\": \" \", \"temperature\": 9}\n{oops\n{\"id\": \"x\", \"content\": \"c\"}\n";
    let said = refusal(&imported(&store, Some(TransferFormat::Jsonl), text).await.unwrap_err());
    assert_eq!(said[0], "3 records are bad; nothing was imported");
    assert!(said[1].starts_with("record 2 (line 3): content: is empty"), "{said:?}");
    assert!(said[2].starts_with("record 2 (line 3): temperature: is 9; it must be from 0 to 2"), "{said:?}");
    assert!(said[3].starts_with("record 3 (line 4, column 2): is not JSON"), "{said:?}");
    assert!(said[4].starts_with("record 4 (line 5): id: `x` is not an identifier"), "{said:?}");
    assert!(all(&store).await.is_empty());
    let many = "{\"content\": 1}\n".repeat(150);
    let error = imported(&store, Some(TransferFormat::Jsonl), &many).await.unwrap_err();
    assert_eq!((refusal(&error).len(), error.further_faults().as_deref()), (100, Some("and 51 more")));
}

#[tokio::test]
async fn faults_name_the_way_into_steps_and_the_line_in_every_format() {
    let (_folder, store) = store();
    for (format, text, said) in [
        (
            TransferFormat::Json,
            "[\n  {\"content\": \"a\"},\n  {\"content\": \"b\",\n \"steps\": [{\"phase\": \"nigredo\"}]}\n]",
            "record 2 (line 3, column 3): steps[0].phase: unknown variant `nigredo`",
        ),
        (TransferFormat::Csv, "content,score\na,0.5\nb,7\n", "record 2 (line 3): score: is 7; it must be from 0 to 1"),
        (TransferFormat::Csv, "content,score\na\n", "record 1 (line 2): has 1 columns, and the first row names 2"),
        (TransferFormat::Csv, "id,text\na,b\n", "header: the first row names no column `content`"),
        (
            TransferFormat::Yaml,
            "- content: a\n- content: b\n  phase: x\n",
            "record 2 (line 2): phase: there is no phase `x`",
        ),
        (
            TransferFormat::Yaml,
            "content: a\n---\ntemperature: .nan\ncontent: b\n",
            "record 2 (line 3): temperature: must be a finite",
        ),
        (TransferFormat::Yaml, "content: a\n---\ncontent: [b\n", "is not YAML"),
        (TransferFormat::Json, "[{\"content\": \"a\"", "the file ends in the middle"),
        (TransferFormat::Json, "[{\"content\": \"a\"} x", "expected a comma or the end of the list, found `x`"),
        (TransferFormat::Json, "hello", "expected a list of prompts or a prompt"),
    ] {
        let told = refusal(&imported(&store, Some(format), text).await.unwrap_err());
        assert!(told.iter().any(|line| line.contains(said)), "{said}: {told:?}");
    }
    assert!(all(&store).await.is_empty());
}

#[tokio::test]
async fn a_bad_record_of_yaml_hides_no_other() {
    let (_folder, store) = store();
    for (text, places) in [
        (
            "%YAML 1.2\n---\ncontent: a\n---\ncontent: [b\n...\n# c\n---\nphase: x\n",
            ["record 2 (line 6, column 1): is not YAML", "record 3 (line 9): content"],
        ),
        (
            "# mine\n  - content: [a\n  - content: b\n  - content: c\n    phase: x\n",
            ["record 1 (line 3, column 1): is not YAML", "record 3 (line 4): phase"],
        ),
        (
            "- content: \"a\n- !t b\n- content: c\n",
            ["record 1 (line 2, column 1): is not YAML", "record 2 (line 2): holds a value"],
        ),
    ] {
        let said = refusal(&imported(&store, Some(TransferFormat::Yaml), text).await.unwrap_err());
        assert_eq!(said[0], "2 records are bad; nothing was imported");
        assert!(places.iter().all(|place| said.iter().any(|line| line.starts_with(place))), "{said:?}");
    }
}

#[tokio::test]
async fn yaml_over_its_limit_is_refused_with_the_way_out() {
    let (_folder, store) = store();
    let document = |bytes: usize| format!("content: x # {}", "y".repeat(bytes - "content: x # ".len()));
    let report = imported(&store, Some(TransferFormat::Yaml), &document(YAML_BYTES)).await.unwrap();
    assert_eq!(report.imported, 1);
    let error = imported(&store, Some(TransferFormat::Yaml), &document(YAML_BYTES + 1)).await.unwrap_err();
    assert_eq!(error.code(), Code::File);
    assert!(error.to_string().contains("over 10 MiB") && error.to_string().contains("--format jsonl"), "{error}");
}

#[tokio::test]
async fn answers_of_other_commands_are_read_and_what_is_left_out_is_told_once() {
    let prompts = samples::prompts(2);
    let listed = serde_json::json!({ "prompts": prompts, "next_cursor": null });
    let mut found = serde_json::to_value(&prompts).unwrap();
    for prompt in found.as_array_mut().unwrap() {
        prompt["match"] = serde_json::json!({ "score": 1.0 });
        prompt["near_duplicate_of"] = serde_json::Value::Null;
    }
    let generated = serde_json::json!({ "session_id": prompts[0].session_id, "prompts": prompts, "rankings": [{}], "warnings": [] });
    let pretty = serde_json::to_string_pretty(&listed).unwrap();
    let yaml = serde_yaml::to_string(&listed).unwrap();
    for (text, warned) in [
        (listed.to_string(), vec![]),
        (pretty, vec![]),
        (yaml, vec![]),
        (found.to_string(), vec!["`match`, `near_duplicate_of`"]),
        (generated.to_string(), vec!["`rankings`"]),
        (serde_json::to_string_pretty(&prompts[0]).unwrap() + &prompts_line(&prompts[1]), vec![]),
    ] {
        let (_folder, store) = store();
        let report = imported(&store, None, &text).await.unwrap();
        assert_eq!(report.imported, 2);
        assert_eq!(report.warnings.len(), warned.len(), "{:?}", report.warnings);
        assert!(
            report.warnings.iter().zip(&warned).all(|(said, wanted)| said.ends_with(wanted)),
            "{:?}",
            report.warnings
        );
        assert_eq!(all(&store).await, prompts);
    }
}

fn prompts_line(prompt: &Prompt) -> String {
    written(TransferFormat::Jsonl, std::slice::from_ref(prompt))
}

#[tokio::test]
async fn an_empty_file_holds_nothing_in_any_format() {
    let (_folder, store) = store();
    for format in LOSSLESS {
        for text in ["", "\u{feff}", "\n"] {
            assert_eq!(imported(&store, Some(format), text).await.unwrap(), crate::domain::ImportReport::default());
        }
        assert_eq!(read(format, written(format, &[]).as_bytes()), Ok(vec![]));
    }
}

#[tokio::test]
async fn content_alone_is_a_record_and_a_second_import_finds_it() {
    let (_folder, store) = store();
    let rows = "content;tags;original_input\r\n\"Write\r\na haiku\";sea, poem;a haiku\r\nSing;;\r\n";
    for (imports, existing) in [(2, 0), (0, 2)] {
        let report = imported(&store, Some(TransferFormat::Csv), rows).await.unwrap();
        assert_eq!((report.imported, report.existing, report.conflicts), (imports, existing, 0));
    }
    let stored = all(&store).await;
    let haiku = stored.iter().find(|prompt| prompt.content.starts_with("Write")).unwrap();
    assert_eq!(haiku.content, "Write\r\na haiku");
    assert_eq!((haiku.tags.as_slice(), haiku.source), (&["sea".to_owned(), "poem".to_owned()][..], Source::Imported));
    let yaml = "# mine\n- content: |\n    One\n    two\n- content: Three\n";
    assert_eq!(imported(&store, None, yaml).await.unwrap().imported, 2);
}

#[tokio::test]
async fn rows_that_come_meanwhile_are_not_doubled() {
    let (_folder, store) = store();
    let store: Arc<dyn Store> = Arc::new(store);
    store.append(samples::prompts(300)).await.unwrap();
    let mut export = Export::of(Arc::clone(&store), TransferFormat::Jsonl, Filter::default(), None);
    let mut text = export.next().await.unwrap().unwrap();
    store.append((300..320).map(samples::prompt).collect()).await.unwrap();
    while let Some(piece) = export.next().await.unwrap() {
        text.push_str(&piece);
    }
    let ids: Vec<PromptId> = read(TransferFormat::Jsonl, text.as_bytes()).unwrap().iter().map(|it| it.id).collect();
    let distinct: std::collections::BTreeSet<_> = ids.iter().collect();
    assert_eq!(distinct.len(), ids.len());
    assert!(ids.len() >= 300);
}

#[tokio::test]
async fn of_a_limited_number_the_newest_come() {
    let (_folder, store) = store();
    let store: Arc<dyn Store> = Arc::new(store);
    store.append(samples::prompts(250)).await.unwrap();
    let mut export = Export::of(Arc::clone(&store), TransferFormat::Jsonl, Filter::default(), Some(201));
    assert_eq!(export.total().await.unwrap(), 201);
    let mut text = String::new();
    while let Some(piece) = export.next().await.unwrap() {
        text.push_str(&piece);
    }
    let read = read(TransferFormat::Jsonl, text.as_bytes()).unwrap();
    assert_eq!((read.len(), export.written()), (201, 201));
    assert_eq!(read[0], samples::prompt(249));
}

/// A file generated while it is read, counting the bytes read.
struct Endless {
    head: Vec<u8>,
    record: Vec<u8>,
    at: usize,
    taken: Arc<AtomicU64>,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let piece = match self.at.checked_sub(self.head.len()) {
            None => &self.head[self.at..],
            Some(at) => &self.record[at % self.record.len()..],
        };
        let count = piece.len().min(buffer.len());
        buffer[..count].copy_from_slice(&piece[..count]);
        self.at += count;
        self.taken.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

#[test]
fn reading_runs_ahead_by_no_more_than_a_record_and_a_block() {
    const RECORDS: usize = 200;
    let line = prompts_line(&samples::prompt(1));
    let row = written(TransferFormat::Csv, &[samples::prompt(1)]);
    let (header, row) = row.split_at(row.find('\n').unwrap() + 1);
    for (format, head, record) in [
        (TransferFormat::Json, "[", line.replace('\n', ",\n")),
        (TransferFormat::Jsonl, "", line.clone()),
        (TransferFormat::Csv, header, row.to_owned()),
    ] {
        let taken = Arc::new(AtomicU64::new(0));
        let record = record.into_bytes();
        let file = Endless { head: head.into(), record: record.clone(), at: 0, taken: Arc::clone(&taken) };
        let mut given = 0;
        for raw in Reader::new(format, file).unwrap().take(RECORDS) {
            raw.unwrap();
            given += record.len() as u64;
            let ahead = taken.load(Ordering::Relaxed).saturating_sub(given);
            assert!(ahead < 16_000 + 2 * record.len() as u64, "{}: {ahead} bytes ahead", format.as_str());
        }
        assert_eq!(given, (RECORDS * record.len()) as u64);
    }
}

#[test]
fn a_record_without_an_end_is_refused_with_the_limit() {
    let long = "a".repeat(1 << 16);
    for (format, head, record) in [
        (TransferFormat::Json, "[{\"content\": \"", long.clone()),
        (TransferFormat::Jsonl, "{\"content\": \"", long.clone()),
        (TransferFormat::Csv, "content\n\"", format!("{long}\n")),
    ] {
        let taken = Arc::new(AtomicU64::new(0));
        let file = Endless { head: head.into(), record: record.into(), at: 0, taken: Arc::clone(&taken) };
        let trouble = Reader::new(format, file).unwrap().next().unwrap().unwrap_err();
        let ReadError::End(_, fault) = trouble else { panic!("{}: {trouble:?}", format.as_str()) };
        assert!(fault.message.contains("over 64 MiB"), "{fault}");
        assert!(taken.load(Ordering::Relaxed) < 65 << 20);
    }
}

#[test]
fn a_document_for_reading_fences_every_text() {
    let mut prompt = samples::prompt(1);
    prompt.content = "```\n# Not a heading\n```".into();
    prompt.original_input = "a *haiku*\n# about".into();
    let text = written(TransferFormat::Markdown, &[prompt]);
    assert!(
        text.starts_with("# Prompts\n\n## 1. a \\*haiku\\* \\# about\n\n````text\n```\n# Not a heading\n```\n````\n"),
        "{text}"
    );
    assert!(text.contains("\n- tags: sea, tag-1\n") && text.contains("\n### solutio\n"), "{text}");
}
