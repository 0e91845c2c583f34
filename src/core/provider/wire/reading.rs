//! JSON helpers shared by the readers: values, texts, counts, vectors, causes of errors.
//!
//! A missing field or one of the wrong type is `None`: vendors add and omit fields. Only invalid
//! JSON is an error, since it is not the protocol.

use serde_json::Value;

use super::failure::Cause;
use crate::error::ProviderError;
use crate::provider::checked::ended_early;

/// Parses `bytes` as JSON.
///
/// # Errors
/// `provider_unavailable` for invalid or truncated JSON, such as an event cut in the middle.
pub(super) fn json(provider: &str, bytes: &[u8]) -> Result<Value, ProviderError> {
    serde_json::from_slice(bytes)
        .map_err(|error| if error.is_eof() { ended_early(provider) } else { garbage(provider, bytes) })
}

/// The error for `bytes` that are not of the protocol.
pub(super) fn garbage(provider: &str, bytes: &[u8]) -> ProviderError {
    Cause::Garbage.error(provider, "", &String::from_utf8_lossy(bytes))
}

/// The cause of an error without a telling message: by its status, if it is an error status.
pub(super) fn cause_by_status(status: Option<u16>) -> Cause {
    status.filter(|status| *status >= 300).map_or(Cause::Failing, Cause::of_status)
}

/// A non-empty text.
pub(super) fn text(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.is_empty())
}

/// A token count. Zero means unknown: some servers report 0 instead of counting.
pub(super) fn tokens(value: &Value) -> Option<u64> {
    value.as_u64().filter(|count| *count > 0)
}

/// The field `of` of each entry of `list`, skipping entries without it; `None` if it is no list.
pub(super) fn names<'a>(list: &'a Value, of: &str) -> Option<Vec<&'a str>> {
    Some(list.as_array()?.iter().filter_map(|entry| text(&entry[of])).collect())
}

/// A non-empty vector of numbers; `None` for anything else.
fn vector(value: &Value) -> Option<Vec<f32>> {
    #[expect(clippy::cast_possible_truncation, reason = "vectors are kept in single precision")]
    let numbers: Option<Vec<f32>> = value.as_array()?.iter().map(|number| Some(number.as_f64()? as f32)).collect();
    numbers.filter(|numbers| !numbers.is_empty() && numbers.iter().all(|number| number.is_finite()))
}

/// Finite vectors, all of the same length; `None` otherwise.
pub(super) fn vectors<'a>(values: impl Iterator<Item = &'a Value>) -> Option<Vec<Vec<f32>>> {
    let vectors = values.map(vector).collect::<Option<Vec<_>>>()?;
    let dimensions = vectors.first().map_or(0, Vec::len);
    vectors.iter().all(|vector| vector.len() == dimensions).then_some(vectors)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::error::ProviderFailure;

    #[test]
    fn what_is_no_json_is_told_with_its_beginning() {
        let error = json("p", b"Bad gateway").unwrap_err();
        assert_eq!(error.failure, ProviderFailure::Unavailable);
        assert!(error.message.contains("does not follow its protocol: Bad gateway;"), "{}", error.message);
    }

    #[test]
    fn what_breaks_off_is_a_cut_answer() {
        for cut in ["", "{", r#"{"text":"ab"#, r#"{"text":"a","#] {
            assert_eq!(json("p", cut.as_bytes()), Err(ended_early("p")), "{cut}");
        }
    }

    #[test]
    fn no_tokens_are_no_count() {
        assert_eq!(
            [json!(0), json!(7), json!(-1), json!("7"), json!(null)].map(|n| tokens(&n)),
            [None, Some(7), None, None, None]
        );
    }

    #[test]
    fn a_vector_is_numbers_alone() {
        assert_eq!(vector(&json!([0.5, 1])), Some(vec![0.5, 1.0]));
        for none in [json!([]), json!([0.5, null]), json!("AAAA"), json!(null)] {
            assert_eq!(vector(&none), None, "{none}");
        }
    }
}
