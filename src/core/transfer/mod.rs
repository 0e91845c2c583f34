//! Import and export of prompts: records as JSON, JSON lines, CSV or YAML; Markdown for reading.
//!
//! The first four round-trip: every field of a prompt, texts byte for byte, moments to the
//! millisecond. Both directions hold one record and one block at a time (a record has at most
//! [`RECORD_BYTES`]), so files can have any size, except YAML, which is read at once
//! ([`YAML_BYTES`]); of a pipe, 4 GiB are taken ([`spool()`]). A file is read twice: [`import()`]
//! checks every record before storing the first. Prompts are exported with their run (`session`),
//! to restore the history. [`alchemy`] imports from prompt-alchemy.
//!
//! # Required fields
//! Only `content`. Other missing fields get a default; a missing `id` is derived from the texts, so
//! that a second import finds the prompt again. Values are held to the limits of the contract, as
//! in requests, except texts written by models (`content`, also of steps), which can be as long as
//! a provider's response.
//!
//! # Where to go next
//! [`TransferFormat`] for detecting formats, `read` and `write` for the two directions, `record`
//! for decoding a record, `intake` for records that already exist, `rows` for those of a batch.

pub mod alchemy;
mod bytes;
mod csv;
mod export;
mod format;
mod import;
mod intake;
mod json;
mod markdown;
mod quotes;
mod read;
mod record;
mod rows;
mod session;
mod spool;
mod write;
mod yaml;

#[cfg(test)]
mod tests;

pub use bytes::head_of;
pub use export::{Export, ExportedPrompts};
pub use format::TransferFormat;
pub use import::{Input, Stage, TransferProgress, import};
pub use intake::RecordImporter;
pub use read::{RECORD_BYTES, RawRecord, ReadError, Reader, RecordPosition, YAML_BYTES};
pub use record::{Decoder, Record, stable_id};
pub use rows::{RowFormat, RowReader};
pub use spool::{spool, spool_whole};
pub use write::Writer;
