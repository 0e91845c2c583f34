//! Spools input that can be read only once, such as a pipe, because imports read twice.
//!
//! The input is parsed while it is written, and spooling stops where the import would fail anyway:
//! an unknown format, a record without an end, [`MOST_BAD`] bad records, [`MOST_SPOOLED`] bytes. So
//! `/dev/zero` ends at once instead of filling the disk.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek as _, Write as _};
use std::path::Path;

use super::bytes::head_of;
use super::format::TransferFormat;
use super::read::{ReadError, Reader};
use super::record::Decoder;
use crate::domain::Timestamp;
use crate::error::Result;
use crate::files;

/// Maximum bytes spooled.
const MOST_SPOOLED: u64 = 4 << 30;

/// Bad records after which spooling stops.
const MOST_BAD: u64 = 1000;

/// Copies the input to an unnamed temporary file, rewound to its beginning. `format` is detected
/// from `name` and the first bytes if not given.
///
/// # Errors
/// `validation_failed` for an unknown format; `file` on failure, or past [`MOST_SPOOLED`].
pub fn spool(source: impl Read, name: &Path, format: Option<TransferFormat>) -> Result<File> {
    spool_up_to(MOST_SPOOLED, source, name, format)
}

/// As [`spool`], but looks at nothing: for input that is checked elsewhere.
///
/// # Errors
/// `file` on failure, or past [`MOST_SPOOLED`].
pub fn spool_whole(source: impl Read, name: &Path) -> Result<File> {
    let failed = |error: &io::Error| files::failure("read", name, error);
    let mut file = tempfile::tempfile().map_err(|error| failed(&error))?;
    let mut copied = TeeReader { source, file: &mut file, left: MOST_SPOOLED };
    io::copy(&mut copied, &mut io::sink()).map_err(|error| failed(&error))?;
    file.rewind().map_err(|error| failed(&error))?;
    Ok(file)
}

fn spool_up_to(most: u64, mut source: impl Read, name: &Path, format: Option<TransferFormat>) -> Result<File> {
    let failed = |error: &io::Error| files::failure("read", name, error);
    let head = head_of(&mut source).map_err(|error| failed(&error))?;
    let format = match format {
        Some(format) => format,
        None => TransferFormat::tell(name, &head)?,
    };
    let mut file = tempfile::tempfile().map_err(|error| failed(&error))?;
    let copied = TeeReader { source: Cursor::new(head).chain(source), file: &mut file, left: most };
    let mut decoder = Decoder::at(Timestamp::default());
    let mut bad = 0;
    for record in Reader::new(format, copied).map_err(|error| failed(&error))? {
        match record {
            Ok(raw) => bad += u64::from(decoder.decode(raw).is_err()),
            Err(ReadError::Record(..)) => bad += 1,
            Err(ReadError::End(..)) => break,
            Err(ReadError::File(error)) => return Err(failed(&error)),
        }
        if bad >= MOST_BAD {
            break;
        }
    }
    file.rewind().map_err(|error| failed(&error))?;
    Ok(file)
}

/// Copies what is read of `source` to a file.
struct TeeReader<'f, R> {
    source: R,
    file: &'f mut File,
    /// Bytes that can still be copied.
    left: u64,
}

impl<R: Read> Read for TeeReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        self.left = self.left.checked_sub(count as u64).ok_or_else(|| {
            let limit = MOST_SPOOLED >> 30;
            let reason = format!("the pipe exceeded {limit} GiB, the maximum; write it to a file and import that");
            io::Error::new(io::ErrorKind::FileTooLarge, reason)
        })?;
        self.file.write_all(&buffer[..count])?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    fn spooled(format: Option<TransferFormat>, source: impl Read) -> Result<u64> {
        let file = spool_up_to(100 << 20, source, Path::new("standard input"), format)?;
        Ok(file.metadata().unwrap().len())
    }

    #[test]
    fn what_can_be_read_is_put_aside_whole() {
        let text = "{\"content\": \"a\"}\n".repeat(1000) + "not JSON\n{\"content\": \"b\"}";
        assert_eq!(spooled(Some(TransferFormat::Jsonl), text.as_bytes()).unwrap(), text.len() as u64);
        assert_eq!(spooled(None, text.replace("not JSON", "").as_bytes()).unwrap(), text.len() as u64 - 8);
        let mut file = spool(&b"content: x"[..], Path::new("-"), None).unwrap();
        assert_eq!(io::read_to_string(&mut file).unwrap(), "content: x");
    }

    #[test]
    fn what_never_becomes_a_record_ends_at_the_limit() {
        for byte in [b' ', b'\n'] {
            let error = spool_up_to(1 << 20, io::repeat(byte), Path::new("-"), Some(TransferFormat::Json)).unwrap_err();
            assert_eq!(error.code(), Code::File);
            assert!(error.to_string().contains("write it to a file"), "{error}");
        }
    }

    #[test]
    fn an_endless_source_is_left_where_it_would_be_refused() {
        let error = spooled(None, io::repeat(0)).unwrap_err();
        assert_eq!(error.code(), Code::ValidationFailed);
        for (format, byte) in [(TransferFormat::Json, 0), (TransferFormat::Jsonl, 0), (TransferFormat::Csv, b'"')] {
            // A record is refused at 64 MiB.
            assert!(spooled(Some(format), io::repeat(byte)).unwrap() < 66 << 20, "{format:?}");
        }
    }

    /// A repeated piece.
    struct Endless(&'static [u8], usize);

    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            for byte in &mut *buffer {
                *byte = self.0[self.1 % self.0.len()];
                self.1 += 1;
            }
            Ok(buffer.len())
        }
    }

    #[test]
    fn a_record_of_endless_members_is_left_at_its_limit() {
        let object = || b"{".chain(Endless(b"\"a\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16],", 0));
        assert!(spooled(Some(TransferFormat::Json), object()).unwrap() < 66 << 20);
    }

    #[test]
    fn endless_yaml_is_left_at_its_limit() {
        let error = spooled(Some(TransferFormat::Yaml), Endless(b"--- a\n", 0)).unwrap_err();
        assert_eq!(error.code(), Code::File);
        assert!(error.to_string().contains("10 MiB"), "{error}");
    }

    #[test]
    fn endless_bad_records_are_left_after_a_thousand() {
        for (format, line) in
            [(TransferFormat::Jsonl, &b"y\n"[..]), (TransferFormat::Jsonl, b"{}\n"), (TransferFormat::Json, b"{}\n")]
        {
            assert!(spooled(Some(format), Endless(line, 0)).unwrap() < 1 << 20, "{format:?}");
        }
    }
}
