//! The way in and out for everything stored: records as JSON, JSON lines, CSV, YAML; Markdown for reading.
//!
//! What one of the first four is written as, it is read back as: every field of a prompt, its texts byte for byte, moments to
//! the millisecond. Both ways hold one record and one block at a time ([`RECORD_BYTES`] is the most a record may
//! have), so a file may have any size; of a pipe, 4 GiB are taken ([`spool()`]). A file is read twice: [`import()`] checks every record before it stores
//! the first. With a prompt goes its run (`session`), so that a history comes back as it was. [`alchemy`] maps the rows of the Go program prompt-alchemy.
//!
//! # What a record must hold
//! `content` alone. What else is missing gets a default; an `id` that is missing is made from the texts, so that a second
//! import finds the prompt again. Values are held to the limits of the contract, as a request's are, but for the
//! texts models wrote (`content`, also that of steps), which are as long as a provider may answer.
//!
//! # Where to go next
//! [`TransferFormat`] for how a format is told, `read` and `write` for the two ways, `record` for what a record means,
//! `intake` for what becomes of records that are stored already.

pub mod alchemy;
mod bytes;
mod csv;
mod export;
mod format;
mod import;
mod intake;
mod json;
mod markdown;
mod read;
mod record;
mod session;
mod spool;
mod write;
mod yaml;

#[cfg(test)]
mod tests;

pub use export::{Export, ExportedPrompts};
pub use format::TransferFormat;
pub use import::{Input, Stage, TransferProgress, import};
pub use intake::Intake;
pub use read::{Place, RECORD_BYTES, ReadError, Reader};
pub use record::{Decoder, Record, stable_id};
pub use spool::spool;
pub use write::Writer;
