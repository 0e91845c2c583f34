//! How moments are written: RFC 3339, UTC, always three decimals of a second.
//!
//! The fixed width makes written moments sort as text in time order: in a shell, a spreadsheet, a
//! script over `--format json`. Reading accepts any RFC 3339 timestamp.

use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;
use serde::{Deserialize, Deserializer, Serializer};

const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));

/// The moment as text, such as `2026-11-21T05:00:00.120Z`.
pub fn write_moment(moment: Timestamp) -> String {
    PRINTER.timestamp_to_string(&moment)
}

/// For `#[serde(with)]`.
pub(crate) mod written {
    use super::{Deserialize, Deserializer, Serializer, Timestamp, write_moment};

    pub(crate) fn serialize<S: Serializer>(moment: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&write_moment(*moment))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
        Timestamp::deserialize(deserializer)
    }
}

/// For `#[serde(with)]` on optional moments.
pub(crate) mod written_or_null {
    use super::{Deserialize, Deserializer, Serializer, Timestamp, written};

    #[expect(clippy::ref_option, reason = "serde gives a reference to the field")]
    pub(crate) fn serialize<S: Serializer>(moment: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
        match moment {
            Some(moment) => written::serialize(moment, serializer),
            None => serializer.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
        Option::deserialize(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_moments_sort_as_text() {
        let written: Vec<String> =
            [0, 90, 100, 123, 999, 1000].map(|ms| write_moment(Timestamp::from_millisecond(ms).unwrap())).to_vec();
        assert!(written.is_sorted(), "{written:?}");
        assert_eq!(written[2], "1970-01-01T00:00:00.100Z");
    }
}
