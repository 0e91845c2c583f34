//! Both framings, and above all the same frames for every split.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

/// The result of a stream: its frames, and the fault that ends it.
type FramingResult = (Vec<Frame>, Option<FrameFault>);

fn cut<'a>(framing: Framing, pieces: impl IntoIterator<Item = &'a [u8]>) -> FramingResult {
    let mut framer = Framer::new(framing);
    let mut frames = Vec::new();
    for piece in pieces {
        match framer.push(piece) {
            Ok(more) => frames.extend(more),
            Err(fault) => return (frames, Some(fault)),
        }
    }
    // A fault that frames were given before comes with the next call.
    while let Ok(more) = framer.finish() {
        if more.is_empty() {
            return (frames, None);
        }
        frames.extend(more);
    }
    (frames, framer.finish().err())
}

fn whole(framing: Framing, stream: &[u8]) -> FramingResult {
    cut(framing, [stream])
}

fn data(data: &str) -> Frame {
    event("", data)
}

fn event(event: &str, data: &str) -> Frame {
    Frame::Data { event: event.to_owned(), data: data.to_owned() }
}

/// The frames of a valid stream, which must be the same byte by byte.
fn frames(framing: Framing, stream: impl AsRef<[u8]>) -> Vec<Frame> {
    let stream = stream.as_ref();
    let (frames, fault) = whole(framing, stream);
    assert_eq!(fault, None);
    assert_eq!(cut(framing, stream.chunks(1)), (frames.clone(), None), "byte by byte");
    frames
}

#[test]
fn every_line_ending_ends_an_event() {
    for ending in ["\n", "\r\n", "\r"] {
        let stream = ["event: delta", "data: {\"a\":1}", "", "data: b", "", ""].join(ending);
        assert_eq!(frames(Framing::Sse, stream), [event("delta", "{\"a\":1}"), data("b")], "{ending:?}");
    }
    assert_eq!(frames(Framing::Sse, "data: a\r\rdata: b\n\r\ndata: c\r\n\n"), [data("a"), data("b"), data("c")]);
}

#[test]
fn a_return_and_its_line_feed_may_come_apart() {
    let pieces: [&[u8]; 4] = [b"data: a\r", b"\n\r", b"", b"\ndata: b\r\n\r\n"];
    assert_eq!(cut(Framing::Sse, pieces), (vec![data("a"), data("b")], None));
}

#[test]
fn several_data_lines_are_one_event() {
    assert_eq!(frames(Framing::Sse, "data: a\ndata:\ndata:  b\n\n"), [data("a\n\n b")]);
    assert_eq!(frames(Framing::Sse, "data\n\ndata\ndata\n\n"), [data(""), data("\n")]);
}

#[test]
fn only_one_leading_space_is_removed() {
    assert_eq!(frames(Framing::Sse, "data:a\n\ndata: a\n\ndata:  a: b\n\n"), [data("a"), data("a"), data(" a: b")]);
}

#[test]
fn comments_are_signs_of_life() {
    let stream = ": OPENROUTER PROCESSING\n\n:\ndata: a\n: between\ndata: b\n\n";
    assert_eq!(frames(Framing::Sse, stream), [Frame::Comment, Frame::Comment, Frame::Comment, data("a\nb")]);
}

#[test]
fn fields_for_reconnecting_and_unknown_ones_are_ignored() {
    assert_eq!(frames(Framing::Sse, "id: 7\nretry: 10\nnoise\nfoo: bar\ndata: a\n\n"), [data("a")]);
}

#[test]
fn an_event_without_data_is_dropped_and_its_name_forgotten() {
    assert_eq!(frames(Framing::Sse, "event: ping\n\ndata: a\n\n"), [data("a")]);
}

#[test]
fn a_byte_order_mark_is_taken_off_the_beginning_alone() {
    assert_eq!(frames(Framing::Sse, "\u{FEFF}data: a\n\ndata: \u{FEFF}b\n\n"), [data("a"), data("\u{FEFF}b")]);
    assert_eq!(frames(Framing::Lines, "\u{FEFF}{}\n\u{FEFF}{}\n"), [data("{}"), data("\u{FEFF}{}")]);
}

#[test]
fn the_end_completes_what_is_open() {
    assert_eq!(frames(Framing::Sse, "data: a\n\nevent: x\ndata: b"), [data("a"), event("x", "b")]);
    assert_eq!(frames(Framing::Sse, "data: b\r"), [data("b")]);
    assert_eq!(frames(Framing::Sse, "event: x"), []);
    assert_eq!(frames(Framing::Lines, "{\"a\":1}\n{\"b\":2}"), [data("{\"a\":1}"), data("{\"b\":2}")]);
}

#[test]
fn nothing_gives_nothing() {
    for framing in [Framing::Sse, Framing::Lines] {
        assert_eq!(frames(framing, ""), []);
        assert_eq!(frames(framing, "\n\n\r\n"), []);
    }
}

#[test]
fn blank_lines_between_lines_of_json_are_skipped() {
    assert_eq!(frames(Framing::Lines, "\n{}\r\n \r\n\n[1]\n\t\n"), [data("{}"), data("[1]")]);
    assert_eq!(frames(Framing::Lines, "{\"a\":\r1}\n"), [data("{\"a\":\r1}")], "a return alone ends no line of JSON");
}

#[test]
fn bytes_that_are_no_utf8_are_a_fault_after_the_frames_before_them() {
    let stream = b"data: a\n\ndata: \xff\n\ndata: b\n\n";
    assert_eq!(whole(Framing::Sse, stream), (vec![data("a")], Some(FrameFault::NotUtf8)));
    let mut framer = Framer::new(Framing::Sse);
    assert_eq!(framer.push(stream), Ok(vec![data("a")]));
    assert_eq!(framer.push(b""), Err(FrameFault::NotUtf8));
    assert_eq!(framer.finish(), Err(FrameFault::NotUtf8));
}

#[test]
fn a_character_cut_by_the_end_is_a_fault_of_its_own() {
    assert_eq!(whole(Framing::Lines, b"{}\n\"\xE2\x82"), (vec![data("{}")], Some(FrameFault::CutCharacter)));
    assert_eq!(whole(Framing::Lines, b"{}\n\"\xE2\x82\n"), (vec![data("{}")], Some(FrameFault::NotUtf8)));
}

#[test]
fn an_endless_line_is_a_fault_at_the_limit() {
    let mut line = b"data:".to_vec();
    line.resize(MAX_FRAME_BYTES, b'x');
    let mut framer = Framer::new(Framing::Sse);
    assert_eq!(framer.push(&line), Ok(vec![]), "just fits");
    assert_eq!(framer.clone().push(b"\n\n").map(|frames| frames.len()), Ok(1));
    assert_eq!(framer.push(b"x"), Err(FrameFault::TooLong));
    assert_eq!(framer.push(b"\n\n"), Err(FrameFault::TooLong));
    line.push(b'x');
    line.extend(b"\n\n");
    assert_eq!(whole(Framing::Sse, &line), (vec![], Some(FrameFault::TooLong)));
}

#[test]
fn an_event_of_endlessly_many_lines_is_a_fault_too() {
    let mut line = vec![b'x'; 1024 * 1024];
    line[..5].copy_from_slice(b"data:");
    line.push(b'\n');
    let mut framer = Framer::new(Framing::Sse);
    let taken = (0..100).take_while(|_| framer.push(&line).is_ok()).count();
    assert_eq!(taken, 16, "sixteen lines less their field names are held, one more would pass the limit");
}

#[test]
fn a_mebibyte_byte_by_byte_takes_linear_time() {
    let mut line = vec![b'x'; 1024 * 1024];
    line[..6].copy_from_slice(b"data: ");
    let start = Instant::now();
    let (frames, fault) = cut(Framing::Sse, line.chunks(1));
    assert_eq!((frames.len(), fault), (1, None));
    assert!(start.elapsed() < Duration::from_secs(20), "2^39 looks at a byte would take an hour");
}

/// Every recorded answer, with its framing.
fn recorded() -> Vec<(PathBuf, Framing, Vec<u8>)> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/wire");
    let mut found = Vec::new();
    for folder in fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let framing = match path.extension().and_then(|extension| extension.to_str()) {
                Some("sse") => Framing::Sse,
                Some("ndjson") => Framing::Lines,
                _ => continue,
            };
            let stream = fs::read(&path).unwrap();
            found.push((path, framing, stream));
        }
    }
    found.sort_by(|one, other| one.0.cmp(&other.0));
    found
}

#[test]
fn every_recorded_answer_gives_the_same_frames_at_every_split() {
    let recorded = recorded();
    assert!(!recorded.is_empty());
    for (path, framing, stream) in recorded {
        let expected = whole(framing, &stream);
        assert!(!expected.0.is_empty() || expected.1.is_some(), "{} has no frame", path.display());
        assert_eq!(cut(framing, stream.chunks(1)), expected, "{} byte by byte", path.display());
        for at in 0..=stream.len() {
            let (before, after) = stream.split_at(at);
            assert_eq!(cut(framing, [before, after]), expected, "{} split at {at}", path.display());
        }
    }
}

/// Bytes that resemble a stream often enough to reach every branch.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        Just(b"\n".to_vec()),
        Just(b"\r".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"data".to_vec()),
        Just(b"data:".to_vec()),
        Just(b"event: x".to_vec()),
        Just(b":".to_vec()),
        Just(b" ".to_vec()),
        Just(BYTE_ORDER_MARK.to_vec()),
        Just("é€𝄞".as_bytes().to_vec()),
        Just(vec![0xE2, 0x82]),
        prop::collection::vec(any::<u8>(), 0..4),
        "[a-z{}\":]{0,6}".prop_map(String::into_bytes),
    ];
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

/// Splits `bytes` at these places, modulo the length.
fn pieces<'a>(bytes: &'a [u8], places: &[usize]) -> Vec<&'a [u8]> {
    let mut places: Vec<usize> = places.iter().map(|place| place % (bytes.len() + 1)).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect()
}

fn framing() -> impl Strategy<Value = Framing> {
    prop_oneof![Just(Framing::Sse), Just(Framing::Lines)]
}

#[test]
fn bare_json_is_an_event_up_to_a_blank_line() {
    let error = "{\n  \"error\": {\n    \"code\": 500\n  }\n}";
    assert_eq!(frames(Framing::Sse, format!("data: a\r\n\r\n{error}\n")), [data("a"), data(error)]);
    assert_eq!(frames(Framing::Sse, format!("{error}\n\ndata: a\n\n")), [data(error), data("a")]);
    assert_eq!(frames(Framing::Sse, "[{\"error\": 1}\n,\n{}]"), [data("[{\"error\": 1}\n,\n{}]")]);
}

#[test]
fn within_an_event_bare_json_is_an_unknown_field_like_any_other() {
    assert_eq!(frames(Framing::Sse, "event: x\n{\"a\": 1}\ndata: a\n\n"), [event("x", "a")]);
    assert_eq!(frames(Framing::Sse, "data: a\n{\"a\": 1}\n\n"), [data("a")]);
}

/// An event as a server may write it: named or not, with any number of data lines and comments.
fn written_event() -> impl Strategy<Value = (String, String, bool)> {
    ("[a-z_.é ]{0,8}", "[ -~\n\u{80}-\u{10FFFF}]{0,30}", any::<bool>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_bytes_give_the_same_at_any_split(bytes in bytes(), places in prop::collection::vec(any::<usize>(), 0..8), framing in framing()) {
        let expected = whole(framing, &bytes);
        prop_assert_eq!(cut(framing, pieces(&bytes, &places)), expected.clone());
        prop_assert_eq!(cut(framing, bytes.chunks(1)), expected);
    }

    #[test]
    fn what_a_server_writes_is_what_is_read(
        events in prop::collection::vec(written_event(), 0..8),
        ending in prop_oneof![Just("\n"), Just("\r\n"), Just("\r")],
        places in prop::collection::vec(any::<usize>(), 0..8),
    ) {
        let (mut stream, mut expected) = (String::new(), Vec::new());
        for (name, data, is_commented) in &events {
            if *is_commented {
                stream.extend([": still there", ending]);
                expected.push(Frame::Comment);
            }
            stream.extend(["event: ", name, ending]);
            for line in data.split('\n') {
                stream.extend(["data: ", line, ending]);
            }
            stream += ending;
            expected.push(event(name, data));
        }
        prop_assert_eq!(cut(Framing::Sse, pieces(stream.as_bytes(), &places)), (expected, None));
    }

    #[test]
    fn lines_of_json_are_read_as_they_were_written(
        values in prop::collection::vec("\\PC{0,20}", 0..8),
        ending in prop_oneof![Just("\n"), Just("\r\n")],
        places in prop::collection::vec(any::<usize>(), 0..8),
    ) {
        let lines: Vec<String> = values.iter().map(|value| serde_json::to_string(value).unwrap()).collect();
        let stream = lines.iter().flat_map(|line| [line.as_str(), ending]).collect::<String>();
        let expected: Vec<Frame> = lines.iter().map(|line| data(line)).collect();
        prop_assert_eq!(cut(Framing::Lines, pieces(stream.as_bytes(), &places)), (expected, None));
    }
}
