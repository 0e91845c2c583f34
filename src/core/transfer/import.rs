//! Imports a file by reading it twice: first to check every record, then to store them.
//!
//! A file with a bad record is refused before anything is stored, with the faults, each with its
//! record, line and field. Memory holds one record while checking and one
//! batch while storing, and a YAML file whole. The import yields between records, so dropping the
//! future stops it.

use std::future::poll_fn;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::task::Poll;

use super::bytes::head_of;
use super::format::TransferFormat;
use super::intake::RecordImporter;
use super::read::{ReadError, Reader, RecordPosition};
use super::record::Decoder;
use crate::domain::{ImportReport, Timestamp};
use crate::error::{Error, Fault, Faults, Result};
use crate::files;
use crate::store::Store;

/// Records between two yields.
const STRIDE: u64 = 100;

/// An input file.
#[derive(Debug)]
pub struct Input<R> {
    /// The name shown to users: its path, or `standard input`.
    pub name: PathBuf,
    /// The bytes; read twice from the beginning.
    pub source: R,
}

/// The progress of an import or export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransferProgress {
    /// The current stage.
    pub stage: Stage,
    /// Prompts done in this stage.
    pub prompts: u64,
    /// Total prompts, if known.
    pub total: Option<u64>,
}

/// A stage of an import or export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Checking all records; nothing is stored yet.
    Checking,
    /// Storing records.
    Storing,
    /// Writing prompts.
    Writing,
}

/// Imports a file. `format` is detected from its name and first bytes if not given.
///
/// # Errors
/// `validation_failed` with the faults, nothing stored; `file` if it cannot be read; `storage`.
pub async fn import<R: Read + Seek>(
    store: &dyn Store,
    format: Option<TransferFormat>,
    dry_run: bool,
    mut input: Input<R>,
    now: Timestamp,
    mut watch: impl FnMut(TransferProgress),
) -> Result<ImportReport> {
    let format = match format {
        Some(format) => format,
        None => {
            let head = input.source.rewind().and_then(|()| head_of(&mut input.source));
            TransferFormat::tell(&input.name, &head.map_err(|error| unreadable(&input.name, &error))?)?
        }
    };
    let checked = check(format, &mut input, now, &mut watch).await?;
    let mut intake = RecordImporter::into(store, dry_run);
    intake.report.warnings = checked.warnings;
    let (name, mut decoder) = (input.name.clone(), Decoder::at(now));
    for read in reader(format, &mut input)? {
        let raw = read.map_err(|trouble| changed(&name, trouble))?;
        let place = raw.place;
        let record = decoder.decode(raw).map_err(|faults| changed(&name, ReadError::Record(place, faults)))?;
        intake.take(record).await?;
        if intake.report.records.is_multiple_of(STRIDE) {
            let (prompts, total) = (intake.report.records, Some(checked.records));
            watch(TransferProgress { stage: Stage::Storing, prompts, total });
            yield_to_tasks().await;
        }
    }
    intake.finish().await
}

/// The result of the first pass.
struct FirstPass {
    records: u64,
    warnings: Vec<String>,
}

async fn check<R: Read + Seek>(
    format: TransferFormat,
    input: &mut Input<R>,
    now: Timestamp,
    watch: &mut impl FnMut(TransferProgress),
) -> Result<FirstPass> {
    let name = input.name.clone();
    let mut decoder = Decoder::at(now);
    let (mut records, mut bad, mut faults) = (0_u64, 0_u64, Faults::default());
    let mut reader = reader(format, input)?;
    for read in reader.by_ref() {
        records += 1;
        let (place, found) = match read {
            Ok(raw) => {
                let place = raw.place;
                (place, decoder.decode(raw).err().unwrap_or_default())
            }
            Err(ReadError::Record(place, found)) => (place, found),
            Err(ReadError::End(place, found)) => (place, vec![found]),
            Err(ReadError::File(error)) => return Err(unreadable(&name, &error)),
        };
        if !found.is_empty() {
            bad += 1;
            for fault in &found {
                faults.push_with(|| placed(place, fault));
            }
        }
        if records.is_multiple_of(STRIDE) {
            watch(TransferProgress { stage: Stage::Checking, prompts: records, total: None });
            yield_to_tasks().await;
        }
    }
    if bad > 0 {
        let message = match bad {
            1 => "one record is bad; nothing was imported".to_owned(),
            bad => format!("{bad} records are bad; nothing was imported"),
        };
        let mut all = Faults::from(Fault::new("", message));
        all.extend_under("", faults);
        return Err(Error::Value(all));
    }
    let mut strange: Vec<String> = decoder.unknown_names().map(|name| format!("`{name}`")).collect();
    strange.extend(reader.left_out().iter().map(|name| format!("`{name}`")));
    let warnings = match strange.len() {
        0 => Vec::new(),
        _ => vec![format!("ignored, because a prompt has no such field: {}", strange.join(", "))],
    };
    Ok(FirstPass { records, warnings })
}

fn reader<R: Read + Seek>(format: TransferFormat, input: &mut Input<R>) -> Result<Reader<&mut R>> {
    let Input { name, source } = input;
    source.rewind().map_err(|error| unreadable(name, &error))?;
    Reader::new(format, source).map_err(|error| unreadable(name, &error))
}

/// A fault with its position prepended.
fn placed(place: RecordPosition, fault: &Fault) -> Fault {
    let field = match (place.record, fault.field.as_str()) {
        (0, _) => "header".to_owned(),
        (_, "") => place.to_string(),
        (_, field) => format!("{place}: {field}"),
    };
    Fault::new(field, fault.message.clone())
}

/// The error that the file changed after it was checked.
fn changed(name: &Path, trouble: ReadError) -> Error {
    match trouble {
        ReadError::File(error) => unreadable(name, &error),
        ReadError::Record(..) | ReadError::End(..) => Error::File {
            action: "read",
            path: name.to_owned(),
            reason: "it changed while it was read; what came before the change is stored: import it again".into(),
        },
    }
}

fn unreadable(name: &Path, error: &std::io::Error) -> Error {
    files::failure("read", name, error)
}

/// Yields to other tasks.
pub(super) async fn yield_to_tasks() {
    let mut has_yielded = false;
    poll_fn(|context| {
        if std::mem::replace(&mut has_yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
