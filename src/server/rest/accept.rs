//! Negotiates a response's media type from an `Accept` header (RFC 9110, section 12.5.1).
//!
//! Pure. The most specific matching range decides a type's quality. Among types of equal quality
//! the one named first wins; types that only match `*/*` follow in the order of the offer.
//! Parameters other than `q` are ignored.

use aludel_core::error::{Code, Error, Result};
use axum::http::{HeaderMap, header};

/// The default media type of routes.
pub(super) const JSON: &str = "application/json";
/// The media type of a run that its client wants to watch.
pub(super) const EVENTS: &str = "text/event-stream";

/// The best of `offers` for this client, or the first without a preference.
///
/// # Errors
/// `not_acceptable` when the client accepts none of them.
pub(super) fn negotiate(headers: &HeaderMap, offers: &[&'static str]) -> Result<&'static str> {
    let texts: Vec<&str> = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
    let wanted = texts.join(",");
    choose(&wanted, offers).ok_or_else(|| Error::Refused {
        code: Code::NotAcceptable,
        detail: format!(
            "this route answers with {}; ask for it in `Accept`, or leave the header out",
            offers.join(" or ")
        ),
    })
}

/// One range of an `Accept` header.
struct Range<'a> {
    kind: &'a str,
    subkind: &'a str,
    quality: f32,
    position: usize,
}

impl Range<'_> {
    /// How specifically it matches `offer`: 2 exactly, 1 by its type, 0 by `*/*`; `None` if not.
    fn closeness(&self, offer: &str) -> Option<u8> {
        let (kind, subkind) = offer.split_once('/')?;
        match (self.kind, self.subkind) {
            ("*", "*") => Some(0),
            (named, "*") if named.eq_ignore_ascii_case(kind) => Some(1),
            (named, rest) if named.eq_ignore_ascii_case(kind) && rest.eq_ignore_ascii_case(subkind) => Some(2),
            _ => None,
        }
    }
}

fn choose(accept: &str, offers: &[&'static str]) -> Option<&'static str> {
    let ranges: Vec<Range<'_>> =
        accept.split(',').enumerate().filter_map(|(position, text)| parse(position, text)).collect();
    if ranges.is_empty() {
        return offers.first().copied();
    }
    offers
        .iter()
        .enumerate()
        .filter_map(|(order, offer)| {
            let (closeness, range) = ranges
                .iter()
                .filter_map(|range| range.closeness(offer).map(|closeness| (closeness, range)))
                .max_by_key(|(closeness, _)| *closeness)?;
            let place = if closeness == 2 { range.position } else { usize::MAX };
            (range.quality > 0.0).then_some((range.quality, place, order, *offer))
        })
        .min_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)))
        .map(|(.., offer)| offer)
}

fn parse(position: usize, text: &str) -> Option<Range<'_>> {
    let mut parts = text.split(';').map(str::trim);
    let (kind, subkind) = parts.next()?.split_once('/')?;
    let quality = parts
        .find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")))
        .map_or(1.0, |quality| quality.parse::<f32>().unwrap_or(0.0).clamp(0.0, 1.0));
    Some(Range { kind, subkind, quality, position })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(accept: &str) -> Option<&'static str> {
        choose(accept, &[JSON, EVENTS])
    }

    #[test]
    fn the_first_offer_is_the_default() {
        for accept in ["", "*/*", "application/*", "text/html, */*;q=0.1"] {
            assert_eq!(best(accept), Some(JSON), "{accept}");
        }
    }

    #[test]
    fn a_named_type_wins_by_quality_then_by_place() {
        assert_eq!(best("text/event-stream"), Some(EVENTS));
        assert_eq!(best("TEXT/Event-Stream; charset=utf-8"), Some(EVENTS));
        assert_eq!(best("text/event-stream, application/json"), Some(EVENTS));
        assert_eq!(best("application/json, text/event-stream"), Some(JSON));
        assert_eq!(best("application/json;q=0.5, text/event-stream;q=0.6"), Some(EVENTS));
        assert_eq!(best("text/event-stream, */*"), Some(EVENTS));
    }

    #[test]
    fn what_the_client_refuses_is_not_given() {
        assert_eq!(best("text/html"), None);
        assert_eq!(best("*/*;q=0"), None);
        assert_eq!(best("application/json;q=0, */*"), Some(EVENTS));
        assert_eq!(choose("text/event-stream", &[JSON]), None);
    }
}
