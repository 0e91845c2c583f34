//! Fuzz targets: everything that reads foreign input, with properties that hold for any bytes.
//!
//! Under `cargo test` each runs for a second on random bytes, after its corpus
//! (`__fuzz__/<target>/corpus` and `crashes`, next to this file). Longer runs, and one seed:
//!
//!     BOLERO_RANDOM_TEST_TIME_MS=20000 cargo test --test fuzz -- --nocapture frame
//!     BOLERO_RANDOM_SEED=… cargo test --test fuzz frame
//!
//! `coverage.sh TARGET SECONDS` runs one guided by coverage, with libFuzzer; it needs a C++
//! compiler. The first byte of an input says how to read the rest ([`tape::bytes`]): as is after
//! `0`.
#![expect(clippy::expect_used, clippy::panic, reason = "a property that does not hold stops the run")]

mod config;
mod frame;
mod import;
#[cfg(feature = "tui")]
mod keymap;
mod query;
mod request;
mod shown;
mod tape;
mod theme;
mod wire;
mod yaml;
