//! Every form of a retry delay, every status, and excerpts of bodies.

use proptest::prelude::*;

use super::*;

/// Sat, 21 Nov 2026 05:29:25 GMT.
const NOW_MS: i64 = 1_795_238_965_000;

fn headers(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn wait(pairs: &[(&str, &str)]) -> Option<Duration> {
    retry_after(&headers(pairs), NOW_MS)
}

fn answer(status: u16, headers: &[(String, String)]) -> ErrorAnswer<'_> {
    ErrorAnswer { status, headers, body: b"", model: "gpt-6-luna", received_ms: NOW_MS }
}

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

#[test]
fn every_form_of_retry_after_is_read() {
    for (value, expected) in [
        ("2", Some(ms(2000))),
        (" 0.25 ", Some(ms(250))),
        ("0", Some(ms(0))),
        ("Sat, 21 Nov 2026 05:29:35 GMT", Some(ms(10_000))),
        ("Saturday, 21-Nov-26 05:29:26 GMT", Some(ms(1000))),
        ("Sat, 21 Nov 2026 05:29:24 GMT", Some(ms(0))),
        ("Thu, 01 Jan 1970 00:00:00 GMT", Some(ms(0))),
        ("Sat, 21 Nov 2099 05:29:35 GMT", Some(LONGEST_WAIT)),
        ("1e400", Some(LONGEST_WAIT)),
        ("999999999999", Some(LONGEST_WAIT)),
        ("-1", None),
        ("inf", None),
        ("NaN", None),
        ("soon", None),
        ("", None),
    ] {
        assert_eq!(wait(&[("retry-after", value)]), expected, "{value:?}");
    }
    assert_eq!(wait(&[]), None);
}

#[test]
fn milliseconds_go_before_seconds() {
    assert_eq!(wait(&[("retry-after", "2"), ("retry-after-ms", "1500.5")]), Some(Duration::from_micros(1_500_500)));
    assert_eq!(wait(&[("retry-after-ms", "soon"), ("retry-after", "2")]), Some(ms(2000)));
}

#[test]
fn a_limit_with_nothing_left_tells_a_wait_where_nothing_else_does() {
    let spent = [("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", "1s")];
    assert_eq!(wait(&spent), Some(ms(1000)));
    assert_eq!(wait(&[spent[0], spent[1], ("retry-after", "5")]), Some(ms(5000)));
    let left = [("x-ratelimit-remaining-requests", "3"), ("x-ratelimit-reset-requests", "1s")];
    assert_eq!(wait(&left), None, "something is left, so this is not what was hit");
    let both = [spent[0], spent[1], ("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", "6m0s")];
    assert_eq!(wait(&both), Some(ms(30_000)), "a call passes before the whole limit is back");
}

#[test]
fn the_moment_a_limit_begins_anew_is_a_wait() {
    let wait_until = |remaining, at| wait(&[("x-ratelimit-remaining", remaining), ("x-ratelimit-reset", at)]);
    assert_eq!(wait_until("0", "1795238970000"), Some(ms(5000)));
    assert_eq!(wait_until("0", "1895238970000"), Some(LONGEST_WAIT));
    assert_eq!(wait_until("1", "1795238970000"), None);
    assert_eq!(wait_until("0", "1795238960000"), None);
    assert_eq!(wait_until("0", "soon"), None);
}

#[test]
fn durations_of_go_and_protobuf_are_read() {
    for (text, expected) in [
        ("34s", Some(ms(34_000))),
        ("1.5s", Some(ms(1500))),
        ("20ms", Some(ms(20))),
        ("6m0s", Some(ms(360_000))),
        ("1h2m3.5s", Some(ms(3_723_500))),
        ("250µs", Some(Duration::from_micros(250))),
        ("0s", Some(ms(0))),
        ("9999999h", Some(LONGEST_WAIT)),
        ("-1s", None),
        ("1", None),
        ("s", None),
        ("", None),
        ("1 s", None),
        ("1.2.3s", None),
        ("1d", None),
    ] {
        assert_eq!(duration(text), expected, "{text:?}");
    }
}

#[test]
fn statuses_are_the_failures_of_the_contract() {
    use ProviderFailure as F;
    for (status, failure) in [
        (200, F::Unavailable),
        (302, F::Unavailable),
        (400, F::Rejected),
        (401, F::Auth),
        (402, F::QuotaExhausted),
        (403, F::Auth),
        (404, F::Rejected),
        (405, F::Rejected),
        (408, F::Unavailable),
        (409, F::Unavailable),
        (413, F::Rejected),
        (418, F::Rejected),
        (422, F::Rejected),
        (429, F::RateLimited),
        (500, F::Unavailable),
        (502, F::Unavailable),
        (503, F::Unavailable),
        (504, F::Unavailable),
        (529, F::RateLimited),
        (599, F::Unavailable),
    ] {
        let error = by_status("work", &answer(status, &[]), "");
        assert_eq!((error.failure, error.upstream_status), (failure, Some(status)), "{status}");
        assert!(error.message.contains("; "), "{status} says what to do: {error}");
    }
}

#[test]
fn messages_say_what_was_said_and_what_to_do() {
    let shown = |status, said| by_status("work", &answer(status, &[]), said).to_string();
    let shown = [
        shown(200, "hello"),
        shown(302, ""),
        shown(400, "Unknown parameter: 'foo'."),
        shown(401, "Incorrect API key provided: sk-abcd********wxyz."),
        shown(402, ""),
        shown(403, ""),
        shown(404, "The model does not exist"),
        shown(408, ""),
        shown(413, ""),
        shown(429, "Rate limit reached"),
        shown(500, ""),
        shown(503, ""),
        Cause::TooLong.error("work", "m", "").to_string(),
        Cause::Declined.error("work", "m", "I cannot help with that.").to_string(),
        Cause::NotFound.error("work", "", "").to_string(),
    ];
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn only_a_wait_that_helps_is_told() {
    let asked = headers(&[("retry-after", "7")]);
    assert_eq!(by_status("p", &answer(429, &asked), "").retry_after, Some(ms(7000)));
    assert_eq!(by_status("p", &answer(503, &asked), "").retry_after, Some(ms(7000)));
    assert_eq!(by_status("p", &answer(401, &asked), "").retry_after, None);
    assert_eq!(by_cause(Cause::NoCredit, "p", &answer(429, &asked), "").retry_after, None);
}

#[test]
fn a_word_on_retries_is_heeded_where_a_retry_could_help() {
    for (status, said, expected) in [
        (500, "false", Some(false)),
        (429, "false", Some(false)),
        (500, "true", Some(true)),
        (400, "true", Some(true)),
        (401, "true", None),
        (402, "true", None),
        (500, "perhaps", None),
        (302, "true", Some(false)),
    ] {
        let error = by_status("p", &answer(status, &headers(&[("x-should-retry", said)])), "");
        assert_eq!(error.should_retry, expected, "{status} {said}");
        assert_eq!(error.is_retryable(), expected.unwrap_or(status == 500), "{status} {said}");
    }
}

#[test]
fn a_redirect_names_the_place_but_not_its_path() {
    let shown = |place| by_status("p", &answer(307, &headers(&[("location", place)])), "").message;
    assert!(
        shown("https://other.example:8443/v1/chat?key=abc").contains("host (status 307): https://other.example:8443;")
    );
    for hidden in ["https://user:secret@other.example/", "/v2/chat", "?token=secret"] {
        assert!(!shown(hidden).contains("secret") && !shown(hidden).contains("v2"), "{hidden}");
    }
}

#[test]
fn an_excerpt_is_one_short_line() {
    assert_eq!(excerpt(b"  bad\r\n\tgateway \x1b[31m\0 \xff "), "bad gateway [31m \u{FFFD}");
    assert_eq!(excerpt("a\u{202E}b\u{200B}c".as_bytes()), "abc");
    assert_eq!(excerpt(b""), "");
    let long = excerpt("é".repeat(1000).as_bytes());
    assert_eq!(long.chars().count(), EXCERPT_CHARACTERS);
    assert!(long.ends_with("é…"));
    assert_eq!(excerpt("é".repeat(EXCERPT_CHARACTERS).as_bytes()), "é".repeat(EXCERPT_CHARACTERS));
}

#[test]
fn a_page_is_told_by_its_title() {
    let page =
        b"\n<!DOCTYPE html>\n<html><head><Title id=a>502 Bad\n Gateway</title></head><body>sk-secretsecret</body>";
    assert_eq!(excerpt(page), "an HTML page, `502 Bad Gateway`");
    assert_eq!(excerpt(b"<html><body>oops</body></html>"), "an HTML page");
    assert_eq!(excerpt(b"<html><title>never closed"), "an HTML page");
}

#[test]
fn no_key_is_in_an_excerpt() {
    for said in [
        "Incorrect API key provided: sk-proj-abcdefgh12345.",
        "Incorrect API key provided: sk-proj-********2345.",
        r#"{"authorization": "Bearer abcdefgh12345"}"#,
        &format!("{} sk-abcdefgh12345", "x".repeat(EXCERPT_CHARACTERS - 10)),
        "sk-abc\u{200B}defgh12345",
    ] {
        let shown = excerpt(said.as_bytes());
        assert!(!shown.contains("345") && !shown.contains("abc"), "{shown}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_body_gives_one_short_line(body in prop::collection::vec(any::<u8>(), 0..600), html in any::<bool>()) {
        let body = if html { [b"<html><title>", body.as_slice()].concat() } else { body };
        let shown = excerpt(&body);
        prop_assert!(shown.chars().count() <= EXCERPT_CHARACTERS + 20);
        prop_assert!(!shown.chars().any(char::is_control));
    }

    #[test]
    fn any_header_gives_a_wait_within_bounds(value in "[0-9a-zA-Z.,:+ µ-]{0,30}", name in 0..4_usize) {
        let name = ["retry-after", "retry-after-ms", "x-ratelimit-reset-requests", "x-ratelimit-reset-tokens"][name];
        let spent = [("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-remaining-tokens", "0"), (name, value.as_str())];
        prop_assert!(wait(&spent).is_none_or(|wait| wait <= LONGEST_WAIT));
    }
}
