//! Every fault, how a server of each vendor causes it, and how the contract says it must end.
//!
//! [`Fault::script`] is the cause, [`Fault::expected`] the effect, each from its own source: the
//! vendors' messages ([`vendors`](super::vendors)) and the contract. A vendor without such a fault
//! gives the reason. Faults below HTTP have no script; [`Fault::place`] is their address.

use aludel_core::domain::Timestamp;
use aludel_core::error::Code;
use aludel_core::provider::transport::testing::Script;

use super::vendors::{Answer, Complaint, MODEL, Missing, Reply, StreamFault, Vendor, Wait, repeating};

/// The text of a complete answer, in three pieces; answers are cut in the middle one.
pub(super) const PIECES: [&str; 3] =
    ["Heat the alembic gently. ", "The spirit vaporises, 蒸留, and drips. ", "Keep the receiver cool."];

/// In the middle piece: a token of several bytes, and a character of three.
const TOKEN: &str = "vaporises";
const CHARACTER: &str = "蒸";

/// Seconds from now to the date given in `Retry-After`.
const DATE_AHEAD_S: u32 = 2;

const MEGABYTE: usize = 1_000_000;

/// A way to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Fault {
    BadKey,
    Forbidden,
    UnknownModel,
    RefusedTemperature,
    BadRequest,
    TooLong,
    OutOfCredit,
    RateLimitSeconds,
    RateLimitDate,
    RateLimitRetryInfo,
    RateLimitMilliseconds,
    RateLimitUnsaid,
    RateLimitAnHour,
    QuotaUsedUp,
    Internal,
    GatewayPage,
    Unavailable,
    Overloaded,
    NobodyListens,
    Reset,
    CutInToken,
    CutInCharacter,
    CutInEvent,
    EndsEarly,
    HangsBeforeHead,
    HangsBeforeToken,
    HangsAfterToken,
    Endless,
    StreamInternal,
    StreamOverloaded,
    Empty,
    RefusalFirst,
    RefusalSecond,
    RefusalByFilter,
    TenMegabytes,
    TenMegabyteLine,
    TenMegabyteError,
    GarbageBytes,
    GarbagePage,
    GarbageJson,
    UntrustedCertificate,
    NoTls,
    RedirectFound,
    RedirectTemporary,
}

/// The address of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProviderAddress {
    /// The server that plays scripts.
    Stage,
    /// A port without a listener.
    Nowhere,
    /// A server with an untrusted certificate.
    Untrusted,
    /// A server that does not support TLS and answers in plain text.
    Plain,
}

/// How a persistent fault must end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Expected {
    pub(super) verdict: Verdict,
    /// Whether the call is retried.
    pub(super) retried: bool,
    /// What the message must contain, ignoring case.
    pub(super) tells: &'static [&'static str],
}

/// The outcome of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// A failure with this code; `upstream` is the HTTP status to report, `None` if none failed.
    Fails { code: Code, upstream: Option<u16> },
    /// A complete answer after another request, and a warning with this word.
    Answers { warning: &'static str },
}

impl Fault {
    /// Each with its name, in the order of the contract's sentence.
    pub(super) const ALL: &[(Self, &str)] = &[
        (Self::BadKey, "bad-key"),
        (Self::Forbidden, "forbidden"),
        (Self::UnknownModel, "unknown-model"),
        (Self::RefusedTemperature, "refused-temperature"),
        (Self::BadRequest, "bad-request"),
        (Self::TooLong, "too-long"),
        (Self::OutOfCredit, "out-of-credit"),
        (Self::RateLimitSeconds, "rate-limit-seconds"),
        (Self::RateLimitDate, "rate-limit-date"),
        (Self::RateLimitRetryInfo, "rate-limit-retry-info"),
        (Self::RateLimitMilliseconds, "rate-limit-milliseconds"),
        (Self::RateLimitUnsaid, "rate-limit-unsaid"),
        (Self::RateLimitAnHour, "rate-limit-an-hour"),
        (Self::QuotaUsedUp, "quota-used-up"),
        (Self::Internal, "500"),
        (Self::GatewayPage, "502-page"),
        (Self::Unavailable, "503"),
        (Self::Overloaded, "529"),
        (Self::NobodyListens, "nobody-listens"),
        (Self::Reset, "reset"),
        (Self::CutInToken, "cut-in-token"),
        (Self::CutInCharacter, "cut-in-character"),
        (Self::CutInEvent, "cut-in-event"),
        (Self::EndsEarly, "ends-early"),
        (Self::HangsBeforeHead, "hangs-before-head"),
        (Self::HangsBeforeToken, "hangs-before-token"),
        (Self::HangsAfterToken, "hangs-after-token"),
        (Self::Endless, "endless"),
        (Self::StreamInternal, "error-in-stream"),
        (Self::StreamOverloaded, "overload-in-stream"),
        (Self::Empty, "empty"),
        (Self::RefusalFirst, "refusal"),
        (Self::RefusalSecond, "refusal-otherwise"),
        (Self::RefusalByFilter, "refusal-by-filter"),
        (Self::TenMegabytes, "ten-megabytes"),
        (Self::TenMegabyteLine, "ten-megabyte-line"),
        (Self::TenMegabyteError, "ten-megabyte-error"),
        (Self::GarbageBytes, "garbage-bytes"),
        (Self::GarbagePage, "garbage-page"),
        (Self::GarbageJson, "garbage-json"),
        (Self::UntrustedCertificate, "untrusted-certificate"),
        (Self::NoTls, "no-tls"),
        (Self::RedirectFound, "redirect-302"),
        (Self::RedirectTemporary, "redirect-307"),
    ];

    /// The address of its provider.
    pub(super) const fn place(self) -> ProviderAddress {
        match self {
            Self::NobodyListens => ProviderAddress::Nowhere,
            Self::UntrustedCertificate => ProviderAddress::Untrusted,
            Self::NoTls => ProviderAddress::Plain,
            _ => ProviderAddress::Stage,
        }
    }

    /// True for faults with megabytes of data, where one call shows everything.
    pub(super) const fn is_bulky(self) -> bool {
        matches!(self, Self::Endless | Self::TenMegabytes | Self::TenMegabyteLine | Self::TenMegabyteError)
    }

    /// The silence limit of its provider, in seconds.
    pub(super) const fn timeout_s(self) -> u64 {
        match self {
            Self::HangsBeforeHead | Self::HangsBeforeToken | Self::HangsAfterToken => 1,
            _ => 60,
        }
    }

    /// The wait requested in the server's last answer, in seconds: minimum and maximum.
    pub(super) const fn asked_wait_s(self) -> Option<(f64, f64)> {
        match self {
            Self::RateLimitSeconds | Self::RateLimitRetryInfo => Some((1.0, 1.0)),
            Self::RateLimitDate => Some((0.0, 2.0)),
            Self::RateLimitMilliseconds => Some((0.3, 0.3)),
            Self::RateLimitAnHour => Some((3600.0, 3600.0)),
            _ => None,
        }
    }

    /// The minimum wait in milliseconds requested before each further request.
    pub(super) const fn least_wait_ms(self) -> u64 {
        match self {
            Self::RateLimitSeconds | Self::RateLimitRetryInfo => 1000,
            Self::RateLimitMilliseconds => 300,
            _ => 0,
        }
    }

    /// The earliest second since 1970 to retry a request that arrived at `arrived`. Dates are in
    /// whole seconds and written a moment later, so the wait itself says little.
    pub(super) fn named_second(self, arrived: Timestamp) -> Option<i64> {
        (self == Self::RateLimitDate).then(|| arrived.as_second() + i64::from(DATE_AHEAD_S))
    }

    /// The server's reaction to a client that sent `key`. Redirects lead to `elsewhere`.
    ///
    /// # Errors
    /// The reason why this vendor has no such fault.
    pub(super) fn script(self, vendor: Vendor, key: &str, elsewhere: &str) -> Result<Script, Missing> {
        let complaint = |complaint| vendor.complaint(complaint).map(|reply| reply.script(key));
        let answer = vendor.answer(MODEL, &PIECES);
        let begun = || chunks(stream(vendor), &answer.opening).chunk(&answer.deltas[0]);
        let middle = &answer.deltas[1];
        Ok(match self {
            Self::BadKey => complaint(Complaint::BadKey)?,
            Self::Forbidden => complaint(Complaint::Forbidden)?,
            Self::UnknownModel => complaint(Complaint::UnknownModel)?,
            Self::RefusedTemperature => complaint(Complaint::RefusedTemperature)?,
            Self::BadRequest => complaint(Complaint::BadRequest)?,
            Self::TooLong => complaint(Complaint::TooLong)?,
            Self::OutOfCredit => complaint(Complaint::OutOfCredit)?,
            Self::RateLimitSeconds => complaint(Complaint::RateLimited(Wait::Seconds(1)))?,
            Self::RateLimitDate => complaint(Complaint::RateLimited(Wait::Date(DATE_AHEAD_S)))?,
            Self::RateLimitRetryInfo => complaint(Complaint::RateLimited(Wait::RetryInfo(1)))?,
            Self::RateLimitMilliseconds => complaint(Complaint::RateLimited(Wait::Milliseconds(300)))?,
            Self::RateLimitUnsaid => complaint(Complaint::RateLimited(Wait::Unsaid))?,
            Self::RateLimitAnHour => complaint(Complaint::RateLimited(Wait::Seconds(3600)))?,
            Self::QuotaUsedUp => complaint(Complaint::QuotaUsedUp)?,
            Self::Internal => complaint(Complaint::Internal)?,
            Self::GatewayPage => Reply::page(502, "Bad Gateway").script(key),
            Self::Unavailable => complaint(Complaint::Unavailable)?,
            Self::Overloaded => complaint(Complaint::Overloaded)?,
            // The first three never reach it.
            Self::NobodyListens | Self::UntrustedCertificate | Self::NoTls | Self::Reset => Script::nothing().reset(),
            Self::CutInToken => begun().chunk(until_within(middle, TOKEN, 4)).reset(),
            Self::CutInCharacter => begun().chunk(until_within(middle, CHARACTER, 1)).close(),
            Self::CutInEvent => begun().chunk(until_within(middle, PIECES[1], 0)).close(),
            Self::EndsEarly => begun().chunk(middle).end(),
            Self::HangsBeforeHead => Script::nothing().hang(),
            Self::HangsBeforeToken => stream(vendor).hang(),
            Self::HangsAfterToken => begun().hang(),
            Self::Endless => chunks(stream(vendor), &answer.opening).endless(long_delta(vendor)),
            Self::TenMegabytes => {
                let delta = long_delta(vendor);
                let deltas = std::iter::repeat_n(&delta, 10 * MEGABYTE / delta.len() + 1);
                chunks(chunks(stream(vendor), deltas), &answer.closing).end()
            }
            Self::TenMegabyteLine => {
                begun().chunk(until_within(middle, TOKEN, 0)).chunk(vec![b'x'; 10 * MEGABYTE]).end()
            }
            Self::TenMegabyteError => {
                let mut reply = Reply::page(500, "Internal Server Error");
                reply.body.resize(10 * MEGABYTE, b' ');
                reply.script(key)
            }
            Self::StreamInternal => {
                begun().chunk(repeating(&vendor.stream_fault(MODEL, StreamFault::Internal)?, key)).end()
            }
            Self::StreamOverloaded => begun().chunk(vendor.stream_fault(MODEL, StreamFault::Overloaded)?).end(),
            Self::Empty => whole(vendor, &vendor.answer(MODEL, &[])),
            Self::RefusalFirst => whole(vendor, &vendor.refusals(MODEL)?[0]),
            Self::RefusalSecond => whole(vendor, &vendor.refusals(MODEL)?[1]),
            Self::RefusalByFilter => complaint(Complaint::Moderated)?,
            Self::GarbageBytes => stream(vendor).chunk(noise(20_000)).end(),
            Self::GarbagePage => Reply::page(200, "Sign in to this network").script(key),
            Self::GarbageJson => Script::json(200, &serde_json::json!({"status": "ok", "uptime": 123})),
            Self::RedirectFound => redirect(302, vendor, key, elsewhere),
            Self::RedirectTemporary => redirect(307, vendor, key, elsewhere),
        })
    }

    /// How it must end when it persists.
    pub(super) fn expected(self, vendor: Vendor) -> Expected {
        let fails =
            |code, upstream| Expected { verdict: Verdict::Fails { code, upstream }, retried: false, tells: &[] };
        let unavailable = |upstream| fails(Code::ProviderUnavailable, upstream).retried();
        let rejected = |upstream| fails(Code::ProviderRejected, upstream);
        let limited = |upstream| fails(Code::ProviderRateLimited, Some(upstream));
        match self {
            Self::BadKey if vendor == Vendor::Google => fails(Code::ProviderAuth, Some(400)).telling(&["key"]),
            Self::BadKey => fails(Code::ProviderAuth, Some(401)).telling(&["key"]),
            Self::Forbidden => fails(Code::ProviderAuth, Some(403)).telling(&["key"]),
            Self::UnknownModel => rejected(Some(404)).telling(&[MODEL]),
            Self::RefusedTemperature => {
                Expected { verdict: Verdict::Answers { warning: "temperature" }, retried: false, tells: &[] }
            }
            Self::RefusalByFilter if vendor == Vendor::OpenRouter => rejected(Some(403)).telling(&["declined"]),
            Self::RefusalByFilter if vendor == Vendor::OpenAi => rejected(Some(400)).telling(&["declined"]),
            // Anthropic's filter has no error type of its own, and its message may change.
            Self::BadRequest | Self::RefusalByFilter => rejected(Some(400)),
            Self::TooLong => rejected(Some(400)).telling(&["shorten"]),
            Self::OutOfCredit => limited(402).telling(&["credit"]),
            Self::RateLimitSeconds
            | Self::RateLimitDate
            | Self::RateLimitRetryInfo
            | Self::RateLimitMilliseconds
            | Self::RateLimitUnsaid => limited(429).retried(),
            Self::RateLimitAnHour => limited(429).telling(&["3600 s", "counts as down"]),
            Self::QuotaUsedUp => limited(429).telling(&["quota"]),
            Self::Internal | Self::TenMegabyteError => unavailable(Some(500)),
            Self::GatewayPage => unavailable(Some(502)),
            Self::Unavailable => unavailable(Some(503)),
            Self::Overloaded => limited(529).retried(),
            Self::NobodyListens => unavailable(None).telling(&["base_url"]),
            Self::UntrustedCertificate => unavailable(None).telling(&["certificate", "ca_file"]),
            Self::Reset
            | Self::CutInToken
            | Self::CutInCharacter
            | Self::CutInEvent
            | Self::EndsEarly
            | Self::GarbageBytes
            | Self::GarbagePage
            | Self::GarbageJson
            | Self::TenMegabyteLine
            | Self::NoTls => unavailable(None),
            Self::Endless | Self::TenMegabytes => unavailable(None).telling(&["4 MiB"]),
            Self::StreamInternal => unavailable(status_in_stream(vendor, StreamFault::Internal)),
            Self::StreamOverloaded => {
                fails(Code::ProviderRateLimited, status_in_stream(vendor, StreamFault::Overloaded)).retried()
            }
            Self::HangsBeforeHead | Self::HangsBeforeToken | Self::HangsAfterToken => {
                fails(Code::ProviderTimeout, None).telling(&["timeout_s"])
            }
            Self::Empty => rejected(None).telling(&["no text"]),
            Self::RefusalFirst | Self::RefusalSecond => rejected(None).telling(&["declined"]),
            Self::RedirectFound => fails(Code::ProviderUnavailable, Some(302)).telling(&["redirect"]),
            Self::RedirectTemporary => fails(Code::ProviderUnavailable, Some(307)).telling(&["redirect"]),
        }
    }
}

impl Expected {
    const fn retried(mut self) -> Self {
        self.retried = true;
        self
    }

    const fn telling(mut self, tells: &'static [&'static str]) -> Self {
        self.tells = tells;
        self
    }
}

/// The status of an error in a stream, if any: by type at Anthropic, else the number given.
fn status_in_stream(vendor: Vendor, fault: StreamFault) -> Option<u16> {
    match (vendor, fault) {
        (Vendor::Anthropic | Vendor::Google, StreamFault::Internal) => Some(500),
        (Vendor::OpenRouter, StreamFault::Internal) => Some(502),
        (Vendor::Anthropic, StreamFault::Overloaded) => Some(529),
        (Vendor::Google | Vendor::OpenRouter, StreamFault::Overloaded) => Some(429),
        (Vendor::OpenAi | Vendor::Ollama, _) => None,
    }
}

/// A frame cut `further` bytes after the start of `text` in it.
fn until_within(frame: &[u8], text: &str, further: usize) -> Vec<u8> {
    let found = frame.windows(text.len()).position(|window| window == text.as_bytes());
    frame[..found.expect("the text is in the frame") + further].to_vec()
}

/// A complete answer, every frame a chunk.
pub(super) fn whole(vendor: Vendor, answer: &Answer) -> Script {
    chunks(stream(vendor), answer.frames()).end()
}

/// The head of a stream.
fn stream(vendor: Vendor) -> Script {
    Script::stream(vendor.stream_type())
}

fn chunks<'a>(script: Script, frames: impl IntoIterator<Item = &'a Vec<u8>>) -> Script {
    frames.into_iter().fold(script, Script::chunk)
}

/// A frame with 15 kB of text.
fn long_delta(vendor: Vendor) -> Vec<u8> {
    vendor.delta(MODEL, &"All distilling and no draining. ".repeat(500))
}

fn redirect(status: u16, vendor: Vendor, key: &str, elsewhere: &str) -> Script {
    let path = vendor.chat_path(MODEL);
    let mark = if path.contains('?') { '&' } else { '?' };
    let location = format!("{elsewhere}{path}{mark}key={key}");
    Script::whole(status, &[("location", &location)], "")
}

/// Meaningless bytes, always the same.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x9E37_79B9_u32;
    let next = || {
        // Xorshift: its quality does not matter, it only has to look random.
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state.to_le_bytes()[1]
    };
    std::iter::repeat_with(next).take(length).collect()
}
