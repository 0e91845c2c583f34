//! The file of `--output-file`: checked before anything is spent, written whole or not at all.
//!
//! An existing file is replaced atomically: a reader sees the old content or the new.

use std::fs::File;
use std::io::{BufWriter, IsTerminal, Write};
use std::path::Path;

use aludel_core::error::{Error, Result};
use aludel_core::files;
use aludel_core::text::shown::escape;

use crate::cli::input::reason;

/// The file for a result.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OutputFile<'a> {
    path: &'a Path,
}

impl<'a> OutputFile<'a> {
    /// Checks that the file can be written.
    ///
    /// # Errors
    /// `file` if its folder is missing or not writable, or if it is a folder itself.
    pub(crate) fn prepare(path: &'a Path) -> Result<Self> {
        let file = Self { path };
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        match std::fs::metadata(folder) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(file.error(format!("`{}` is a file, not a folder; check the path", folder.display()))),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(file.error(format!("there is no folder `{}`; make it first", folder.display())));
            }
            Err(error) => return Err(file.error(reason(&error))),
        }
        if path.is_dir() {
            return Err(file.error("it is a folder; name a file in it".into()));
        }
        if !file.is_special() {
            tempfile::NamedTempFile::new_in(folder).map_err(|error| file.error(reason(&error)))?;
        }
        Ok(file)
    }

    /// Writes the text.
    ///
    /// # Errors
    /// `file`.
    pub(crate) fn write(self, text: &str) -> Result<()> {
        if self.is_special() {
            let mut file = self.begin()?;
            file.write(text)?;
            return file.finish().map(drop);
        }
        files::write_atomically(self.path, text.as_bytes(), self.mode())
    }

    /// Starts writing. Nothing is visible before [`WholeFile::finish`], except on a pipe or device.
    ///
    /// # Errors
    /// `file`.
    pub(crate) fn begin(self) -> Result<WholeFile<'a>> {
        let target = if self.is_special() {
            let opened = std::fs::OpenOptions::new().write(true).open(self.path);
            let opened = opened.map_err(|error| self.error(reason(&error)))?;
            Target::Special { is_terminal: opened.is_terminal(), file: BufWriter::new(opened) }
        } else {
            Target::New(files::NewFile::begin(self.path, self.mode())?)
        };
        Ok(WholeFile { file: self, target })
    }

    /// True for a pipe or a device, such as /dev/stdout, which cannot be replaced.
    fn is_special(self) -> bool {
        std::fs::metadata(self.path).is_ok_and(|found| !found.is_file())
    }

    /// The mode of the existing file, so that nobody gains access; else 0666 less the umask.
    fn mode(self) -> u32 {
        #[cfg(unix)]
        if let Ok(found) = std::fs::metadata(self.path) {
            return std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o777;
        }
        0o666
    }

    /// The path.
    pub(crate) fn path(self) -> &'a Path {
        self.path
    }

    fn error(self, reason: String) -> Error {
        Error::File { action: "write", path: self.path.into(), reason }
    }
}

/// A file that is written in chunks.
pub(crate) struct WholeFile<'a> {
    file: OutputFile<'a>,
    target: Target,
}

enum Target {
    New(files::NewFile),
    Special {
        file: BufWriter<File>,
        /// True for a terminal, for which the text must be escaped.
        is_terminal: bool,
    },
}

impl<'a> WholeFile<'a> {
    /// Writes the next chunk.
    ///
    /// # Errors
    /// `file`; dropping it then leaves nothing half-written.
    pub(crate) fn write(&mut self, text: &str) -> Result<()> {
        match &mut self.target {
            Target::New(file) => file.write(text.as_bytes()),
            Target::Special { file, is_terminal } => {
                let text = if *is_terminal { escape(text) } else { text.into() };
                file.write_all(text.as_bytes()).map_err(|error| self.file.error(reason(&error)))
            }
        }
    }

    /// Gives the file its name; returns the path.
    ///
    /// # Errors
    /// `file`.
    pub(crate) fn finish(self) -> Result<&'a Path> {
        match self.target {
            Target::New(file) => file.finish()?,
            Target::Special { mut file, .. } => file.flush().map_err(|error| self.file.error(reason(&error)))?,
        }
        Ok(self.file.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_folder_is_refused_before_anything_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let error = OutputFile::prepare(&folder.path().join("none/out.json")).unwrap_err();
        assert!(error.to_string().contains("make it first"), "{error}");
        assert!(OutputFile::prepare(folder.path()).unwrap_err().to_string().contains("it is a folder"));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn an_existing_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.txt");
        std::fs::write(&path, "old").unwrap();
        let file = OutputFile::prepare(&path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        file.write("new").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
