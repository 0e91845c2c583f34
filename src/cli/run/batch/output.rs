//! The lines of a batch: to standard output, or to a file that a later attempt can go on with.

use std::collections::{BTreeMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use aludel_core::domain::BatchRow;
use aludel_core::error::{Error, Result};
use serde::Deserialize;

use crate::cli::failure::CommandResult;
use crate::cli::input::reason;
use crate::cli::printer::{Printer, json_line};

/// Writes each row once.
pub(super) struct RowOutput<'a> {
    target: Target<'a>,
    /// With rows in order: the next one, and those that wait for it.
    order: Option<(u64, BTreeMap<u64, String>)>,
    /// The rows that were there at the beginning or have been taken since, if the file was there.
    written: HashSet<u64>,
    is_resumed: bool,
}

enum Target<'a> {
    Standard(&'a Printer),
    File { path: &'a Path, file: BufWriter<File> },
}

/// What is read of a line that is there.
#[derive(Deserialize)]
struct WrittenRow {
    row: u64,
}

impl<'a> RowOutput<'a> {
    /// Opens the file, or standard output. Of the file of a resumed batch the whole lines are kept.
    ///
    /// # Errors
    /// `file`.
    pub(super) fn open(path: Option<&'a Path>, is_ordered: bool, resumes: bool, printer: &'a Printer) -> Result<Self> {
        let (mut written, mut is_resumed) = (HashSet::new(), false);
        let target = match path {
            None => Target::Standard(printer),
            Some(path) => {
                let failed = |error: &std::io::Error| of_file(path, error);
                let is_special = path.metadata().is_ok_and(|found| !found.is_file());
                let opened =
                    OpenOptions::new().read(!is_special).write(true).create(!is_special).truncate(false).open(path);
                let mut file = opened.map_err(|error| failed(&error))?;
                is_resumed = resumes && !is_special;
                if !is_special {
                    let whole = read_rows(&mut file, &mut written).map_err(|error| failed(&error))?;
                    file.set_len(whole).map_err(|error| failed(&error))?;
                    file.seek(SeekFrom::Start(whole)).map_err(|error| failed(&error))?;
                }
                Target::File { path, file: BufWriter::new(file) }
            }
        };
        // Rows in order are the first ones.
        let next = written.len() as u64 + 1;
        Ok(Self { target, order: is_ordered.then(|| (next, BTreeMap::new())), written, is_resumed })
    }

    /// True if rows of earlier attempts belong in the output.
    pub(super) fn is_resumed(&self) -> bool {
        self.is_resumed
    }

    /// True if the lines go to standard output.
    pub(super) fn is_printed(&self) -> bool {
        matches!(self.target, Target::Standard(_))
    }

    /// Writes a row, or keeps it until those before it are written.
    ///
    /// # Errors
    /// `file`; a closed pipe.
    pub(super) fn take(&mut self, row: &BatchRow) -> CommandResult {
        // A row that is done while the earlier ones are read comes from the record and as an event.
        if self.is_resumed && !self.written.insert(row.row) {
            return Ok(());
        }
        let line = json_line(row)?;
        let Some((next, waiting)) = &mut self.order else { return self.target.write(line) };
        waiting.insert(row.row, line);
        while let Some(line) = waiting.remove(next) {
            self.target.write(line)?;
            *next += 1;
        }
        Ok(())
    }

    /// Hands what was written to the system.
    ///
    /// # Errors
    /// `file`.
    pub(super) fn flush(&mut self) -> CommandResult {
        if let Target::File { path, file } = &mut self.target {
            file.flush().map_err(|error| of_file(path, &error))?;
        }
        Ok(())
    }

    /// Waits until all that was written is durable.
    ///
    /// # Errors
    /// `file`.
    pub(super) fn finish(mut self) -> CommandResult {
        self.flush()?;
        if let Target::File { path, file } = &self.target
            && file.get_ref().metadata().is_ok_and(|found| found.is_file())
        {
            file.get_ref().sync_all().map_err(|error| of_file(path, &error))?;
        }
        Ok(())
    }
}

impl Target<'_> {
    fn write(&mut self, line: String) -> CommandResult {
        match self {
            Self::Standard(printer) => printer.data(line),
            Self::File { path, file } => {
                file.write_all(line.as_bytes()).map_err(|error| of_file(path, &error))?;
                Ok(())
            }
        }
    }
}

/// Collects the rows of the whole lines, and returns where the last of them ends.
fn read_rows(file: &mut File, written: &mut HashSet<u64>) -> std::io::Result<u64> {
    file.rewind()?;
    let (mut whole, mut line) = (0, Vec::new());
    let mut lines = BufReader::new(file);
    loop {
        line.clear();
        let count = lines.read_until(b'\n', &mut line)?;
        if count == 0 || !line.ends_with(b"\n") {
            return Ok(whole);
        }
        let Ok(WrittenRow { row }) = serde_json::from_slice(&line) else {
            let reason = "it holds a line that no batch wrote; name another file";
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, reason));
        };
        written.insert(row);
        whole += count as u64;
    }
}

fn of_file(path: &Path, error: &std::io::Error) -> Error {
    Error::File { action: "write", path: path.into(), reason: reason(error) }
}

#[cfg(test)]
mod tests {
    use aludel_core::config::Environment;
    use aludel_core::domain::RowStatus;

    use super::*;
    use crate::cli::format::Format;

    fn row(row: u64) -> BatchRow {
        BatchRow { row, id: format!("id {row}"), status: RowStatus::Ok, result: None, error: None }
    }

    /// The rows of the file after these were taken.
    fn rows_after(path: &Path, is_ordered: bool, taken: &[u64]) -> Vec<u64> {
        let printer = Printer::new(Format::Text, true, true, &Environment::default());
        let mut output = RowOutput::open(Some(path), is_ordered, true, &printer).unwrap();
        for number in taken {
            output.take(&row(*number)).unwrap();
        }
        output.finish().unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().map(|line| serde_json::from_str::<WrittenRow>(line).unwrap().row).collect()
    }

    #[test]
    fn each_row_is_written_once_over_several_attempts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.jsonl");
        assert_eq!(rows_after(&path, false, &[2, 1]), [2, 1]);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{text}{{\"row\":3,\"id\":\"half")).unwrap();
        assert_eq!(rows_after(&path, false, &[1, 2, 3, 5, 3]), [2, 1, 3, 5]);
    }

    #[test]
    fn rows_in_order_wait_for_those_before_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.jsonl");
        assert_eq!(rows_after(&path, true, &[3, 1, 5, 2]), [1, 2, 3]);
        assert_eq!(rows_after(&path, true, &[1, 2, 3, 5, 4]), [1, 2, 3, 4, 5]);
    }

    #[test]
    fn a_file_of_something_else_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.txt");
        std::fs::write(&path, "my notes\n").unwrap();
        let printer = Printer::new(Format::Text, true, true, &Environment::default());
        assert!(RowOutput::open(Some(&path), false, true, &printer).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "my notes\n");
    }
}
