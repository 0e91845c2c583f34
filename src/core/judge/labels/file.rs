//! The labels file: one line for each label, on disk before it is confirmed.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use super::parse::LabelRecord;
use crate::error::{Error, Result};
use crate::files;

/// Appends a label in one write and syncs it. First ends a line that a crash left unfinished.
///
/// # Errors
/// `file`, with the fix.
pub fn append(path: &Path, record: &LabelRecord) -> Result<()> {
    let line = line_of(record)?;
    if let Some(folder) = path.parent() {
        files::make_private_folder(folder)?;
    }
    append_line(path, &line).map_err(|error| files::failure("write", path, &error))
}

/// Removes a label if it is the last one of the file; false if something was added since.
///
/// # Errors
/// `file`, with the fix.
pub fn take_back(path: &Path, record: &LabelRecord) -> Result<bool> {
    let line = line_of(record)?;
    take_line_back(path, &line).map_err(|error| files::failure("write", path, &error))
}

fn line_of(record: &LabelRecord) -> Result<String> {
    let json = serde_json::to_string(record)
        .map_err(|error| Error::Internal(format!("a label cannot be serialized: {error}")))?;
    Ok(json + "\n")
}

fn append_line(path: &Path, line: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, files::PRIVATE_FILE);
    let mut file = options.open(path)?;
    let is_whole = ends_with(&mut file, b"\n")?;
    let written = if is_whole { line.to_owned() } else { format!("\n{line}") };
    file.write_all(written.as_bytes())?;
    file.sync_all()
}

fn take_line_back(path: &Path, line: &str) -> io::Result<bool> {
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    let length = file.metadata()?.len();
    if length == 0 || !ends_with(&mut file, line.as_bytes())? {
        return Ok(false);
    }
    file.set_len(length - line.len() as u64)?;
    file.sync_all()?;
    Ok(true)
}

/// True if the file ends with `end` or is empty.
fn ends_with(file: &mut File, end: &[u8]) -> io::Result<bool> {
    let length = file.metadata()?.len();
    if length == 0 {
        return Ok(true);
    }
    let Some(start) = length.checked_sub(end.len() as u64) else { return Ok(false) };
    file.seek(SeekFrom::Start(start))?;
    let mut found = vec![0; end.len()];
    file.read_exact(&mut found)?;
    Ok(found == end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::labels::parse;

    fn record(text: &str) -> LabelRecord {
        LabelRecord {
            a_text: Some(text.into()),
            b_text: Some("other".into()),
            choice: Some("a".into()),
            ..LabelRecord::default()
        }
    }

    #[test]
    fn labels_are_added_and_taken_back_in_turn() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/labels.jsonl");
        append(&path, &record("one")).unwrap();
        append(&path, &record("two")).unwrap();
        assert_eq!(parse::read(&path).unwrap().len(), 2);
        assert!(!take_back(&path, &record("one")).unwrap(), "it is not the last one");
        assert!(take_back(&path, &record("two")).unwrap() && take_back(&path, &record("one")).unwrap());
        assert!(!take_back(&path, &record("one")).unwrap());
        assert_eq!(std::fs::read(&path).unwrap(), b"");
    }

    #[test]
    fn half_a_line_harms_only_itself() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels.jsonl");
        std::fs::write(&path, "{\"a_te").unwrap();
        append(&path, &record("one")).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 2);
        assert!(parse::read(&path).unwrap_err().to_string().contains("line 1: is not JSON"));
    }

    #[cfg(unix)]
    #[test]
    fn the_file_is_the_users_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels.jsonl");
        append(&path, &record("one")).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
