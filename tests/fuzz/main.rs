//! Fuzz targets: everything that reads what others wrote, with properties that hold for any bytes.
//!
//! Under `cargo test` each runs for a second on random bytes, after its corpus (`__fuzz__/<target>/corpus` and
//! `crashes`, beside this file). Longer runs, and one seed again, as bolero says at a failure:
//!
//!     BOLERO_RANDOM_TEST_TIME_MS=20000 cargo test --test fuzz -- --nocapture frame
//!     BOLERO_RANDOM_SEED=… cargo test --test fuzz frame
//!
//! `coverage.sh TARGET SECONDS` runs one guided by coverage, with libFuzzer; it needs a C++ compiler. The first byte of an
//! input says how the rest is read ([`tape::bytes`]): after a `0` it is taken as it stands.
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
