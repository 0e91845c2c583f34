//! Hostile or broken input through every entry: the program stays within 256 MB and reports it.
//!
//! [`files`] has endless files, [`texts`] the shapes of `aludel_core::text::adversarial` through
//! every entry. The system bounds memory ([`crate::support::Home::bounded`]). Growth in line with
//! length is counted: by [`growth`] for whole operations, by the core's own tests for functions.

mod files;
mod growth;
mod texts;
