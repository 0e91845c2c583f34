//! A W3C trace context: which distributed trace a request belongs to (Trace Context, level 1:
//! W3C Recommendation of 23 November 2021).
//!
//! A server reads it from `traceparent` and `tracestate`, logs it, and passes it on to providers.

use std::fmt;

/// Characters of a `traceparent` of version 00.
const PARENT_CHARS: usize = 55;
/// Longest `tracestate` passed on, in bytes (section 3.3.1.5).
const MAX_STATE_BYTES: usize = 512;

/// The position of a request in a distributed trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceContext {
    trace: String,
    parent: String,
    flags: String,
    state: Option<String>,
}

impl TraceContext {
    /// Parses `traceparent`, and `tracestate` if there is one. `None` when `traceparent` is invalid;
    /// an unusable `tracestate` is dropped.
    pub fn parse(parent: &str, state: Option<&str>) -> Option<Self> {
        let mut parts = parent.split('-');
        let (version, trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let is_known = version == "00" && parent.len() == PARENT_CHARS;
        // A later version may append fields, and is read as if it were this one (section 3.2.4).
        let is_later = version != "00" && version != "ff" && is_hex(version, 2);
        let is_nonzero = |text: &str| text.bytes().any(|byte| byte != b'0');
        let is_valid = (is_known || is_later)
            && is_hex(trace, 32)
            && is_hex(span, 16)
            && is_hex(flags, 2)
            && is_nonzero(trace)
            && is_nonzero(span);
        let state = state.filter(|state| {
            !state.is_empty()
                && state.len() <= MAX_STATE_BYTES
                && state.bytes().all(|byte| (b' '..=b'~').contains(&byte))
        });
        is_valid.then(|| Self {
            trace: trace.to_owned(),
            parent: span.to_owned(),
            flags: flags.to_owned(),
            state: state.map(str::to_owned),
        })
    }

    /// The id of the whole trace: 32 lower-case hexadecimal digits.
    pub fn trace_id(&self) -> &str {
        &self.trace
    }

    /// The id of the span that made this request: 16 lower-case hexadecimal digits.
    pub fn parent_id(&self) -> &str {
        &self.parent
    }

    /// The `tracestate` to pass on.
    pub fn state(&self) -> Option<&str> {
        self.state.as_deref()
    }

    /// The same trace with another span as the parent: what a call made for this request sends.
    #[must_use]
    pub fn with_parent(&self, span: u64) -> Self {
        Self { parent: format!("{:016x}", span.max(1)), ..self.clone() }
    }
}

/// The value of a `traceparent` header.
impl fmt::Display for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{}-{}-{}", self.trace, self.parent, self.flags)
    }
}

fn is_hex(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_parent_is_read_and_written_back() {
        let context = TraceContext::parse(PARENT, Some("congo=t61rcWkgMzE")).unwrap();
        assert_eq!(context.to_string(), PARENT);
        assert_eq!(context.trace_id(), "4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!((context.parent_id(), context.state()), ("00f067aa0ba902b7", Some("congo=t61rcWkgMzE")));
        let next = context.with_parent(0xabc);
        assert_eq!(next.to_string(), "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000abc-01");
    }

    #[test]
    fn what_the_recommendation_forbids_is_no_context() {
        let bad = [
            "",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
        ];
        for text in bad {
            assert_eq!(TraceContext::parse(text, None), None, "{text}");
        }
        // A later version with more fields.
        assert!(TraceContext::parse("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more", None).is_some());
    }

    #[test]
    fn a_state_that_no_header_can_hold_is_dropped() {
        for state in ["", "a=\u{7f}", "größe=1", &"x".repeat(513)] {
            assert_eq!(TraceContext::parse(PARENT, Some(state)).unwrap().state(), None, "{state}");
        }
    }
}
