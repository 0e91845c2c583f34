//! Bodies that are files: the rows of a batch, the prompts of an import.
//!
//! They can be far more than fit in memory, so they are written to an unnamed temporary file as
//! they arrive, at most [`UPLOAD_BYTES`] each and [`UPLOADS`] at once. As with other bodies, the
//! request takes a slot of the server only when all has arrived.

use std::fs::File;
use std::sync::Arc;

use aludel_core::error::{Code, Error, Result};
use aludel_core::store::{Fingerprint, Fingerprinter};
use aludel_core::transfer::{RowFormat, TransferFormat};
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, Method, header};
use futures_util::StreamExt;
use tokio::io::{AsyncSeekExt as _, AsyncWriteExt as _};
use tokio::sync::Semaphore;

use super::{idempotency, routes};
use crate::server::http::arrival::did_not_arrive;

/// Most bytes of one file.
const UPLOAD_BYTES: u64 = 256 << 20;

/// Most files that arrive at once.
const UPLOADS: usize = 4;

/// The media types of rows.
const ROW_FORMATS: [(&str, RowFormat); 7] = [
    ("application/x-ndjson", RowFormat::Jsonl),
    ("application/jsonl", RowFormat::Jsonl),
    ("application/json-lines", RowFormat::Jsonl),
    ("text/csv", RowFormat::Csv),
    ("application/yaml", RowFormat::Yaml),
    ("application/x-yaml", RowFormat::Yaml),
    ("text/plain", RowFormat::Text),
];

/// The media types of prompts to import. Those that say nothing of the format leave it to the text.
const PROMPT_FORMATS: [(&str, Option<TransferFormat>); 9] = [
    ("application/json", Some(TransferFormat::Json)),
    ("application/x-ndjson", Some(TransferFormat::Jsonl)),
    ("application/jsonl", Some(TransferFormat::Jsonl)),
    ("application/json-lines", Some(TransferFormat::Jsonl)),
    ("text/csv", Some(TransferFormat::Csv)),
    ("application/yaml", Some(TransferFormat::Yaml)),
    ("application/x-yaml", Some(TransferFormat::Yaml)),
    ("text/plain", None),
    ("application/octet-stream", None),
];

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UploadKind {
    /// The rows of a batch, in this format.
    Rows(RowFormat),
    /// Prompts to import, in this format if the request says it.
    Prompts(Option<TransferFormat>),
}

/// The names of the media types of rows.
pub(super) const ROW_MEDIA_TYPES: [&str; ROW_FORMATS.len()] = names(&ROW_FORMATS);
/// The names of the media types of prompts.
pub(super) const PROMPT_MEDIA_TYPES: [&str; PROMPT_FORMATS.len()] = names(&PROMPT_FORMATS);

const fn names<T: Copy, const N: usize>(formats: &[(&'static str, T); N]) -> [&'static str; N] {
    let (mut names, mut at) = ([""; N], 0);
    while at < N {
        names[at] = formats[at].0;
        at += 1;
    }
    names
}

/// A file that has arrived, in the extensions of its request.
#[derive(Debug, Clone)]
pub(super) struct FileUpload {
    /// What it holds.
    pub(super) kind: UploadKind,
    /// Its bytes, from the first on.
    pub(super) file: Arc<File>,
    /// Of its bytes, for a request with an idempotency key.
    pub(super) fingerprint: Option<Fingerprint>,
}

/// The uploads of one server. Clones share them.
#[derive(Debug, Clone)]
pub(super) struct FileUploads(Arc<Semaphore>);

/// What these headers announce, by its media type.
fn announced<T: Copy>(headers: &HeaderMap, formats: &[(&str, T)]) -> Option<T> {
    let sent = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let essence = sent.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    formats.iter().find(|(media_type, _)| *media_type == essence).map(|(_, format)| *format)
}

/// The file that this request brings, if its body is one.
///
/// # Errors
/// `unsupported_media_type` for an import of another type.
pub(super) fn expected(request: &Request) -> Result<Option<UploadKind>> {
    if request.method() != Method::POST {
        return Ok(None);
    }
    match request.uri().path() {
        routes::BATCH => Ok(announced(request.headers(), &ROW_FORMATS).map(UploadKind::Rows)),
        routes::IMPORT => match announced(request.headers(), &PROMPT_FORMATS) {
            Some(format) => Ok(Some(UploadKind::Prompts(format))),
            None => Err(Error::Refused {
                code: Code::UnsupportedMediaType,
                detail: "prompts are imported as JSON, JSON lines, CSV or YAML: send a `Content-Type` of \
                         application/json, application/x-ndjson, text/csv or application/yaml"
                    .into(),
            }),
        },
        _ => Ok(None),
    }
}

impl FileUploads {
    pub(super) fn new() -> Self {
        Self(Arc::new(Semaphore::new(UPLOADS)))
    }

    /// Writes the whole body to a temporary file.
    ///
    /// # Errors
    /// `payload_too_large`; `overloaded` while too many others arrive; `invalid_request` when it is
    /// cut short; `file` when it cannot be written.
    pub(super) async fn whole(&self, kind: UploadKind, headers: &HeaderMap, body: Body) -> Result<FileUpload> {
        let announced = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
        if announced.is_some_and(|length: u64| length > UPLOAD_BYTES) {
            return Err(too_large());
        }
        let _place = self.0.try_acquire().map_err(|_| too_many())?;
        let mut file = tokio::fs::File::from_std(tempfile::tempfile().map_err(unwritable)?);
        let (mut pieces, mut count) = (body.into_data_stream(), 0);
        let mut fingerprinter = headers.contains_key(idempotency::KEY).then(Fingerprinter::default);
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(did_not_arrive)?;
            count += piece.len() as u64;
            if count > UPLOAD_BYTES {
                return Err(too_large());
            }
            if let Some(fingerprinter) = &mut fingerprinter {
                fingerprinter.add(&piece);
            }
            file.write_all(&piece).await.map_err(unwritable)?;
        }
        file.flush().await.map_err(unwritable)?;
        file.rewind().await.map_err(unwritable)?;
        let fingerprint = fingerprinter.map(Fingerprinter::finish);
        Ok(FileUpload { kind, file: Arc::new(file.into_std().await), fingerprint })
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the signature of `map_err`")]
fn unwritable(error: std::io::Error) -> Error {
    Error::Internal(format!("a body cannot be written to a temporary file: {error}"))
}

fn too_many() -> Error {
    let detail = format!("{UPLOADS} files are arriving, the maximum: try again in a moment");
    Error::Refused { code: Code::Overloaded, detail }
}

fn too_large() -> Error {
    Error::Refused {
        code: Code::PayloadTooLarge,
        detail: format!("the body is larger than {} MiB: send it in several parts", UPLOAD_BYTES >> 20),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    async fn uploaded(uploads: &FileUploads, size: usize) -> Result<FileUpload> {
        uploads.whole(UploadKind::Rows(RowFormat::Text), &HeaderMap::new(), Body::from(vec![b'x'; size])).await
    }

    #[tokio::test]
    async fn rows_are_read_from_the_first_byte_on() {
        let upload = uploaded(&FileUploads::new(), 100_000).await.unwrap();
        let mut text = String::new();
        Arc::into_inner(upload.file).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "x".repeat(100_000));
    }

    #[tokio::test]
    async fn one_byte_too_many_is_refused_announced_or_not() {
        let uploads = FileUploads::new();
        let piece = axum::body::Bytes::from(vec![b'x'; 1 << 20]);
        let pieces = (0..257).map(move |_| Ok::<_, std::io::Error>(piece.clone()));
        let body = Body::from_stream(futures_util::stream::iter(pieces));
        let refused = uploads.whole(UploadKind::Rows(RowFormat::Text), &HeaderMap::new(), body).await.unwrap_err();
        assert_eq!(refused.code(), Code::PayloadTooLarge);
        let headers = HeaderMap::from_iter([(header::CONTENT_LENGTH, (UPLOAD_BYTES + 1).into())]);
        let refused = uploads.whole(UploadKind::Rows(RowFormat::Text), &headers, Body::empty()).await.unwrap_err();
        assert_eq!(refused.code(), Code::PayloadTooLarge);
        assert_eq!(uploads.0.available_permits(), UPLOADS);
    }

    #[tokio::test]
    async fn a_fifth_upload_is_told_to_come_back() {
        let uploads = FileUploads::new();
        let held = uploads.0.acquire_many(4).await.unwrap();
        assert_eq!(uploaded(&uploads, 1).await.unwrap_err().code(), Code::Overloaded);
        drop(held);
        assert!(uploaded(&uploads, 1).await.is_ok());
    }

    #[test]
    fn the_media_type_says_the_format() {
        let format = |text: &'static str| {
            announced(
                &HeaderMap::from_iter([(header::CONTENT_TYPE, axum::http::HeaderValue::from_static(text))]),
                &ROW_FORMATS,
            )
        };
        assert_eq!(format("Text/CSV; charset=utf-8"), Some(RowFormat::Csv));
        assert_eq!(format("application/x-ndjson"), Some(RowFormat::Jsonl));
        assert_eq!((format("application/json"), format("image/png")), (None, None));
    }
}
