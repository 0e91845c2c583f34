//! Reads a command's texts: from an argument, standard input or a file.
//!
//! Reads at most [`limits::BODY_BYTES`], like the HTTP server, so that an endless pipe ends in an
//! error and not in full memory. A byte order mark at the beginning and one line end at the end are
//! removed. The core validates the text.

use std::io::{ErrorKind, IsTerminal, Read};
use std::path::Path;

use aludel_core::domain::limits;
use aludel_core::error::{Code, Error, Result};

/// The name of standard input in messages.
const STDIN: &str = "standard input";

/// The source of a command's main text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source<'a> {
    /// The argument itself.
    Argument(&'a str),
    /// Standard input.
    Stdin,
    /// A file.
    File(&'a Path),
}

impl<'a> Source<'a> {
    /// Chooses the source. `stdin_is_terminal` is true if a person would have to type.
    ///
    /// # Errors
    /// `invalid_request` if the text is given twice or not at all.
    pub(crate) fn choose(text: Option<&'a str>, file: Option<&'a Path>, stdin_is_terminal: bool) -> Result<Self> {
        match (text, file) {
            (Some(_), Some(_)) => Err(shape(
                "input",
                "is given twice: give it as TEXT, with --input-file or on standard input, and only once",
            )),
            (Some("-"), None) => Ok(Self::Stdin),
            (Some(text), None) => Ok(Self::Argument(text)),
            (None, Some(path)) if path.as_os_str() == "-" => Ok(Self::Stdin),
            (None, Some(path)) => Ok(Self::File(path)),
            (None, None) if stdin_is_terminal => Err(shape(
                "input",
                "is missing: give it as TEXT (aludel generate \"Write a haiku\"), with --input-file FILE, or on standard input",
            )),
            (None, None) => Ok(Self::Stdin),
        }
    }

    /// Reads the text; `field` names it in errors.
    ///
    /// # Errors
    /// `file` if unreadable; `invalid_request` if not UTF-8; `payload_too_large` over 4 MiB.
    pub(crate) fn read(self, field: &str) -> Result<String> {
        match self {
            Self::Argument(text) => Ok(text.to_owned()),
            Self::Stdin => text_of(std::io::stdin().lock(), field, STDIN),
            Self::File(path) => file(path, field),
        }
    }
}

/// True if standard input is a terminal.
pub(crate) fn stdin_is_terminal() -> bool {
    std::io::stdin().is_terminal()
}

/// Reads the text of an option: the value itself, `@FILE` for a file's content, `-` for standard
/// input. A text that begins with `@` is written with `@@`.
///
/// # Errors
/// As [`Source::read`].
pub(crate) fn text_or_file(given: &str, field: &str) -> Result<String> {
    if given == "-" {
        return Source::Stdin.read(field);
    }
    match given.strip_prefix('@') {
        Some(rest) if rest.starts_with('@') => Ok(rest.to_owned()),
        Some(path) => file(Path::new(path), field),
        None => Ok(given.to_owned()),
    }
}

/// Reads a file; `field` names it in errors.
fn file(path: &Path, field: &str) -> Result<String> {
    let failed = |error: &std::io::Error| Error::File { action: "read", path: path.into(), reason: reason(error) };
    let opened = std::fs::File::open(path).map_err(|error| failed(&error))?;
    if opened.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(failed(&ErrorKind::IsADirectory.into()));
    }
    text_of(opened, field, &format!("`{}`", path.display())).map_err(|error| match error {
        Error::File { action, reason, .. } => Error::File { action, path: path.into(), reason },
        other => other,
    })
}

fn text_of(source: impl Read, field: &str, name: &str) -> Result<String> {
    let mut bytes = Vec::new();
    let most = limits::BODY_BYTES as u64;
    source.take(most + 1).read_to_end(&mut bytes).map_err(|error| Error::File {
        action: "read",
        path: name.into(),
        reason: reason(&error),
    })?;
    if bytes.len() > limits::BODY_BYTES {
        let detail = format!(
            "{field}: {name} holds more than 4 MiB; at most {} characters are allowed: shorten it",
            limits::TEXT_CHARS
        );
        return Err(Error::Refused { code: Code::PayloadTooLarge, detail });
    }
    let mut text = String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        shape(field, format!("{name} is not UTF-8 text: the byte at offset {offset} is invalid; convert it first, for example with iconv"))
    })?;
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

fn shape(field: &str, message: impl Into<String>) -> Error {
    Error::shape(field, message)
}

/// Decodes the whole of standard input as text.
///
/// # Errors
/// As [`Source::read`].
pub(crate) fn text_of_stdin(bytes: &[u8], field: &str) -> Result<String> {
    text_of(bytes, field, STDIN)
}

/// The error for unreadable standard input.
pub(crate) fn unreadable_stdin(error: &std::io::Error) -> Error {
    Error::File { action: "read", path: STDIN.into(), reason: reason(error) }
}

/// What an I/O error means, and what to do.
pub(crate) fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file or folder; check the path".into(),
        ErrorKind::PermissionDenied => "permission denied; check who owns it and its mode".into(),
        ErrorKind::IsADirectory => "it is a folder; name a file".into(),
        ErrorKind::NotADirectory => "a part of the path is a file, not a folder; check the path".into(),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "the disk is full; make room and try again".into(),
        ErrorKind::ReadOnlyFilesystem => "the file system is read-only; choose another place".into(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<String> {
        text_of(bytes, "input", "standard input")
    }

    #[test]
    fn one_line_end_and_the_byte_order_mark_belong_to_the_file() {
        assert_eq!(read("\u{feff}two\n\n".as_bytes()).unwrap(), "two\n");
        assert_eq!(read(b"dos\r\n").unwrap(), "dos");
        assert_eq!(read(b"").unwrap(), "");
    }

    #[test]
    fn bytes_that_are_no_utf_8_are_named_by_offset() {
        let error = read(b"caf\xe9 au lait").unwrap_err();
        assert_eq!(error.code(), Code::InvalidRequest);
        assert!(error.to_string().contains("offset 3"), "{error}");
    }

    #[test]
    fn an_endless_pipe_is_refused() {
        let error = text_of(std::io::repeat(b'y'), "input", "standard input").unwrap_err();
        assert_eq!(error.code(), Code::PayloadTooLarge);
    }

    #[test]
    fn a_terminal_with_no_text_is_told_how_to_give_it() {
        let error = Source::choose(None, None, true).unwrap_err();
        assert!(error.to_string().contains("--input-file"), "{error}");
        assert_eq!(Source::choose(None, None, false).unwrap(), Source::Stdin);
        assert_eq!(Source::choose(Some("-"), None, true).unwrap(), Source::Stdin);
        assert!(Source::choose(Some("text"), Some("file".as_ref()), false).is_err());
    }

    #[test]
    fn two_at_signs_begin_a_text() {
        assert_eq!(text_or_file("@@home", "context").unwrap(), "@home");
        assert_eq!(text_or_file("plain", "context").unwrap(), "plain");
        assert_eq!(text_or_file("@/nowhere/at/all", "context").unwrap_err().code(), Code::File);
    }
}
