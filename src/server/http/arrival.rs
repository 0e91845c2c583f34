//! Collects request bodies before their requests are served.
//!
//! A request only takes one of the server's slots when its body is complete, so slow senders keep
//! nobody waiting. The memory for bodies is bounded: each by `limits::BODY_BYTES`, all together by
//! [`ROOM`], and each must keep the pace that `upload` enforces.

use std::sync::Arc;

use aludel_core::domain::limits;
use aludel_core::error::{Code, Error, Result};
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, header};
use futures_util::StreamExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::upload::TooSlow;

/// The most bytes of unread bodies, over all requests: sixteen of the largest.
const ROOM: usize = 16 * limits::BODY_BYTES;

/// The budget for bodies in memory. Clones share it.
#[derive(Debug, Clone)]
pub(in crate::server) struct BodyBudget(Arc<Semaphore>);

/// A body and its part of the budget, which it returns when dropped.
struct BufferedBody {
    bytes: Vec<u8>,
    room: Option<OwnedSemaphorePermit>,
}

impl AsRef<[u8]> for BufferedBody {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl BodyBudget {
    pub(in crate::server) fn new() -> Self {
        Self(Arc::new(Semaphore::new(ROOM)))
    }

    /// Reads the whole body. It returns its room when it is dropped.
    ///
    /// # Errors
    /// `payload_too_large`; `overloaded` without room; `invalid_request` when it is cut short.
    pub(in crate::server) async fn whole(&self, headers: &HeaderMap, body: Body) -> Result<Bytes> {
        let announced = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
        if announced.is_some_and(|length: u64| length > limits::BODY_BYTES as u64) {
            return Err(too_large());
        }
        let mut gathered = BufferedBody { bytes: Vec::new(), room: None };
        let mut pieces = body.into_data_stream();
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(did_not_arrive)?;
            if gathered.bytes.len() + piece.len() > limits::BODY_BYTES {
                return Err(too_large());
            }
            gathered.take_room(&self.0, piece.len())?;
            gathered.bytes.extend_from_slice(&piece);
        }
        Ok(Bytes::from_owner(gathered))
    }
}

impl BufferedBody {
    fn take_room(&mut self, room: &Arc<Semaphore>, count: usize) -> Result<()> {
        // A piece is no larger than a body, so its length fits.
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let more = Arc::clone(room).try_acquire_many_owned(count).map_err(|_| no_room())?;
        match &mut self.room {
            Some(room) => room.merge(more),
            None => self.room = Some(more),
        }
        Ok(())
    }
}

pub(in crate::server) fn did_not_arrive(error: axum::Error) -> Error {
    let error = error.into_inner();
    if error.is::<TooSlow>() {
        return Error::shape("", error.to_string());
    }
    Error::shape("", format!("the request body was cut off: {error}"))
}

fn no_room() -> Error {
    let detail = format!(
        "more than {} MiB of request bodies are in progress, the maximum: try again in a moment",
        ROOM / (1024 * 1024)
    );
    Error::Refused { code: Code::Overloaded, detail }
}

fn too_large() -> Error {
    Error::Refused {
        code: Code::PayloadTooLarge,
        detail: format!(
            "the body is larger than {} MiB: shorten it, or send it in parts",
            limits::BODY_BYTES / (1024 * 1024)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn gather(arrivals: &BodyBudget, size: usize) -> Result<Bytes> {
        arrivals.whole(&HeaderMap::new(), Body::from(vec![b' '; size])).await
    }

    #[tokio::test]
    async fn bodies_take_room_together_until_they_are_dropped() {
        let arrivals = BodyBudget::new();
        let mut held = Vec::new();
        for _ in 0..16 {
            held.push(gather(&arrivals, limits::BODY_BYTES).await.unwrap());
        }
        assert_eq!(gather(&arrivals, 1).await.unwrap_err().code(), Code::Overloaded);
        held.pop();
        assert_eq!(gather(&arrivals, 1).await.unwrap().len(), 1);
        drop(held);
        assert_eq!(arrivals.0.available_permits(), ROOM);
    }

    #[tokio::test]
    async fn the_largest_body_is_taken_and_one_byte_more_is_not() {
        let arrivals = BodyBudget::new();
        assert!(gather(&arrivals, limits::BODY_BYTES).await.is_ok());
        assert_eq!(gather(&arrivals, limits::BODY_BYTES + 1).await.unwrap_err().code(), Code::PayloadTooLarge);
        assert_eq!(arrivals.0.available_permits(), ROOM);
    }
}
