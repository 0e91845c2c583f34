//! What a hostile or broken source sends through each way in: the program holds to 256 MB and says what is wrong.
//!
//! [`files`] has files without an end and without a bottom, [`texts`] the shapes of `aludel_core::text::adversarial` through
//! every entry. Memory is bounded by the system ([`crate::support::Home::bounded`]). That the work grows in line with the
//! length is counted: by [`growth`] for whole operations, by the core's own tests function by function.

mod files;
mod growth;
mod texts;
