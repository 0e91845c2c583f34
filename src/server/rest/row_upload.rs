//! Rows of a batch that are sent as a file: JSON lines, CSV, YAML or text.
//!
//! They can be far more than fit in memory, so they are written to an unnamed temporary file as
//! they arrive, at most [`UPLOAD_BYTES`] each and [`UPLOADS`] at once. As with other bodies, the
//! request takes a slot of the server only when all has arrived.

use std::fs::File;
use std::sync::Arc;

use aludel_core::error::{Code, Error, Result};
use aludel_core::store::{Fingerprint, Fingerprinter};
use aludel_core::transfer::RowFormat;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, Method, header};
use futures_util::StreamExt;
use tokio::io::{AsyncSeekExt as _, AsyncWriteExt as _};
use tokio::sync::Semaphore;

use super::arrival::did_not_arrive;
use super::{idempotency, routes};

/// Most bytes of one file of rows.
const UPLOAD_BYTES: u64 = 256 << 20;

/// Most files that arrive at once.
const UPLOADS: usize = 4;

/// The media types of rows.
const FORMATS: [(&str, RowFormat); 7] = [
    ("application/x-ndjson", RowFormat::Jsonl),
    ("application/jsonl", RowFormat::Jsonl),
    ("application/json-lines", RowFormat::Jsonl),
    ("text/csv", RowFormat::Csv),
    ("application/yaml", RowFormat::Yaml),
    ("application/x-yaml", RowFormat::Yaml),
    ("text/plain", RowFormat::Text),
];

/// The names of these media types.
pub(super) const MEDIA_TYPES: [&str; FORMATS.len()] = {
    let (mut names, mut at) = ([""; FORMATS.len()], 0);
    while at < names.len() {
        names[at] = FORMATS[at].0;
        at += 1;
    }
    names
};

/// Rows that have arrived, in the extensions of their request.
#[derive(Debug, Clone)]
pub(super) struct RowUpload {
    /// Their format.
    pub(super) format: RowFormat,
    /// The rows, from the first byte on.
    pub(super) file: Arc<File>,
    /// Of the rows, for a request with an idempotency key.
    pub(super) fingerprint: Option<Fingerprint>,
}

/// The uploads of one server. Clones share them.
#[derive(Debug, Clone)]
pub(super) struct RowUploads(Arc<Semaphore>);

/// The format of rows that these headers announce, if it is one of a file.
pub(super) fn format_of(headers: &HeaderMap) -> Option<RowFormat> {
    let sent = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let essence = sent.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    FORMATS.iter().find(|(media_type, _)| *media_type == essence).map(|(_, format)| *format)
}

/// The format of the rows that this request brings as a file.
pub(super) fn expected(request: &Request) -> Option<RowFormat> {
    let takes_rows = request.method() == Method::POST && request.uri().path() == routes::BATCH;
    format_of(request.headers()).filter(|_| takes_rows)
}

impl RowUploads {
    pub(super) fn new() -> Self {
        Self(Arc::new(Semaphore::new(UPLOADS)))
    }

    /// Writes the whole body to a temporary file.
    ///
    /// # Errors
    /// `payload_too_large`; `overloaded` while too many others arrive; `invalid_request` when it is
    /// cut short; `file` when it cannot be written.
    pub(super) async fn whole(&self, format: RowFormat, headers: &HeaderMap, body: Body) -> Result<RowUpload> {
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
        Ok(RowUpload { format, file: Arc::new(file.into_std().await), fingerprint })
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the signature of `map_err`")]
fn unwritable(error: std::io::Error) -> Error {
    Error::Internal(format!("the rows cannot be written to a temporary file: {error}"))
}

fn too_many() -> Error {
    let detail = format!("{UPLOADS} files of rows are arriving, the maximum: try again in a moment");
    Error::Refused { code: Code::Overloaded, detail }
}

fn too_large() -> Error {
    Error::Refused {
        code: Code::PayloadTooLarge,
        detail: format!("the rows are larger than {} MiB: send them in several batches", UPLOAD_BYTES >> 20),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    async fn uploaded(uploads: &RowUploads, size: usize) -> Result<RowUpload> {
        uploads.whole(RowFormat::Text, &HeaderMap::new(), Body::from(vec![b'x'; size])).await
    }

    #[tokio::test]
    async fn rows_are_read_from_the_first_byte_on() {
        let upload = uploaded(&RowUploads::new(), 100_000).await.unwrap();
        let mut text = String::new();
        Arc::into_inner(upload.file).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "x".repeat(100_000));
    }

    #[tokio::test]
    async fn one_byte_too_many_is_refused_announced_or_not() {
        let uploads = RowUploads::new();
        let piece = axum::body::Bytes::from(vec![b'x'; 1 << 20]);
        let pieces = (0..257).map(move |_| Ok::<_, std::io::Error>(piece.clone()));
        let body = Body::from_stream(futures_util::stream::iter(pieces));
        let refused = uploads.whole(RowFormat::Text, &HeaderMap::new(), body).await.unwrap_err();
        assert_eq!(refused.code(), Code::PayloadTooLarge);
        let headers = HeaderMap::from_iter([(header::CONTENT_LENGTH, (UPLOAD_BYTES + 1).into())]);
        let refused = uploads.whole(RowFormat::Text, &headers, Body::empty()).await.unwrap_err();
        assert_eq!(refused.code(), Code::PayloadTooLarge);
        assert_eq!(uploads.0.available_permits(), UPLOADS);
    }

    #[tokio::test]
    async fn a_fifth_upload_is_told_to_come_back() {
        let uploads = RowUploads::new();
        let held = uploads.0.acquire_many(4).await.unwrap();
        assert_eq!(uploaded(&uploads, 1).await.unwrap_err().code(), Code::Overloaded);
        drop(held);
        assert!(uploaded(&uploads, 1).await.is_ok());
    }

    #[test]
    fn the_media_type_says_the_format() {
        let format = |text: &'static str| {
            format_of(&HeaderMap::from_iter([(header::CONTENT_TYPE, axum::http::HeaderValue::from_static(text))]))
        };
        assert_eq!(format("Text/CSV; charset=utf-8"), Some(RowFormat::Csv));
        assert_eq!(format("application/x-ndjson"), Some(RowFormat::Jsonl));
        assert_eq!((format("application/json"), format("image/png")), (None, None));
    }
}
