//! Deserialises checked values, so that errors have the value's position.
//!
//! serde attributes an error to what is being read when it arises. A check after reading would be
//! attributed to the enclosing map; these check while reading, so the line in the message is right.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

/// Reads a map as `W` and checks it.
pub(super) fn map<'de, D, W, T>(deserializer: D, check: fn(W) -> Result<T, String>) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    W: Deserialize<'de>,
{
    deserializer.deserialize_map(MapThen { check, read: PhantomData })
}

/// Reads and checks a number.
pub(super) fn number<'de, D, T>(deserializer: D, check: fn(f64) -> Result<T, String>) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
{
    deserializer.deserialize_f64(NumberThen { check })
}

/// Reads and checks a text.
pub(super) fn text<'de, D, T>(deserializer: D, check: fn(&str) -> Result<T, String>) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
{
    deserializer.deserialize_str(TextThen { check })
}

struct MapThen<W, T> {
    check: fn(W) -> Result<T, String>,
    read: PhantomData<W>,
}

impl<'de, W: Deserialize<'de>, T> Visitor<'de> for MapThen<W, T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        (self.check)(W::deserialize(MapAccessDeserializer::new(map))?).map_err(A::Error::custom)
    }
}

struct NumberThen<T> {
    check: fn(f64) -> Result<T, String>,
}

impl<T> Visitor<'_> for NumberThen<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        (self.check)(number).map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        self.visit_f64(number as f64)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        self.visit_f64(number as f64)
    }
}

struct TextThen<T> {
    check: fn(&str) -> Result<T, String>,
}

impl<T> Visitor<'_> for TextThen<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        (self.check)(text).map_err(E::custom)
    }
}
