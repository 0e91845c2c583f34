//! A request's body as it arrives: at a minimum pace, and drained if it is dropped early.
//!
//! A body that stops for ten seconds, or brings less than 10 KiB in ten, fails with [`TooSlow`].
//! One dropped before its end, because the request was rejected, is read and discarded for a while:
//! closing a connection with unread bytes resets it, and a client that still sends would see the
//! reset and not the response (RFC 9112, section 9.6). A body waiting for `100 Continue` is not
//! drained: its client sees the response first.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderMap, header};
use futures_util::StreamExt;
use hyper::body::{Frame, SizeHint};
use tokio::runtime::Handle;
use tokio::time::{Instant, Sleep, sleep_until};

/// The longest silence, and the interval for measuring the pace.
const SILENCE: Duration = Duration::from_secs(10);
/// Fewest bytes in that interval: 1 KiB a second.
const LEAST: u64 = 10 * 1024;
/// Most bytes to discard for a client that was already answered.
const MOST_DISCARDED: usize = 64 * 1024 * 1024;
/// Time limit for discarding.
const LONGEST_DISCARDING: Duration = Duration::from_secs(30);

/// The body arrived too slowly.
#[derive(Debug)]
pub(in crate::server) struct TooSlow;

impl fmt::Display for TooSlow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the body arrives too slowly: nothing came for 10 seconds, or less than 1 KiB a second")
    }
}

impl std::error::Error for TooSlow {}

/// An arriving body. Dropped before its end, it is drained within limits.
pub(in crate::server) struct Upload {
    paced: Option<Paced>,
    is_awaited: bool,
}

impl Upload {
    /// Wraps the body of a request with these headers.
    pub(in crate::server) fn new(body: Body, headers: &HeaderMap) -> Self {
        Self { paced: Some(Paced::new(body)), is_awaited: !headers.contains_key(header::EXPECT) }
    }
}

impl HttpBody for Upload {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = self.get_mut();
        this.is_awaited = true;
        this.paced.as_mut().map_or(Poll::Ready(None), |paced| Pin::new(paced).poll_frame(context))
    }

    fn is_end_stream(&self) -> bool {
        self.paced.as_ref().is_none_or(Paced::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.paced.as_ref().map_or_else(SizeHint::default, Paced::size_hint)
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        if self.is_end_stream() || !self.is_awaited {
            return;
        }
        if let (Some(rest), Ok(runtime)) = (self.paced.take(), Handle::try_current()) {
            runtime.spawn(discard(rest));
        }
    }
}

/// Reads and discards the rest, within limits.
async fn discard(rest: Paced) {
    let mut pieces = Body::new(rest).into_data_stream();
    let mut count = 0;
    let reading = async {
        while let Some(Ok(piece)) = pieces.next().await {
            count += piece.len();
            if count > MOST_DISCARDED {
                return;
            }
        }
    };
    // The client has its response either way.
    let _ = tokio::time::timeout(LONGEST_DISCARDING, reading).await;
}

/// A body that fails with [`TooSlow`].
struct Paced {
    inner: Body,
    /// Fires when the pace is next checked.
    alarm: Pin<Box<Sleep>>,
    /// The start of the measurement, and the bytes since then.
    since: Instant,
    came: u64,
    /// When the last byte came.
    last: Instant,
    has_ended: bool,
}

impl Paced {
    fn new(inner: Body) -> Self {
        let now = Instant::now();
        let alarm = Box::pin(sleep_until(now + SILENCE));
        Self { alarm, since: now, came: 0, last: now, has_ended: inner.is_end_stream(), inner }
    }

    fn note(&mut self, count: usize) {
        self.came += count as u64;
        self.last = Instant::now();
        self.set_alarm();
    }

    fn set_alarm(&mut self) {
        let next = self.last.min(self.since) + SILENCE;
        self.alarm.as_mut().reset(next);
    }

    /// True when the pace is sufficient; starts the next measurement.
    fn keeps_pace(&mut self) -> bool {
        let now = Instant::now();
        if now >= self.last + SILENCE {
            return false;
        }
        if now >= self.since + SILENCE {
            if self.came < LEAST {
                return false;
            }
            (self.since, self.came) = (now, 0);
        }
        self.set_alarm();
        true
    }
}

impl HttpBody for Paced {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = self.get_mut();
        if this.has_ended {
            return Poll::Ready(None);
        }
        if let Poll::Ready(frame) = Pin::new(&mut this.inner).poll_frame(context) {
            match &frame {
                Some(Ok(frame)) => this.note(frame.data_ref().map_or(0, Bytes::len)),
                Some(Err(_)) | None => this.has_ended = true,
            }
            return Poll::Ready(frame);
        }
        loop {
            ready!(this.alarm.as_mut().poll(context));
            if !this.keeps_pace() {
                this.has_ended = true;
                return Poll::Ready(Some(Err(axum::Error::new(TooSlow))));
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.has_ended || self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::stream;

    use super::*;

    /// Pieces of `size` bytes, the n-th after `wait` more. Counts those that were read.
    fn body(size: usize, wait: Duration, taken: &Arc<AtomicUsize>) -> Body {
        let taken = Arc::clone(taken);
        Body::from_stream(stream::unfold((), move |()| {
            let taken = Arc::clone(&taken);
            async move {
                tokio::time::sleep(wait).await;
                taken.fetch_add(1, Ordering::Relaxed);
                Some((Ok::<_, std::io::Error>(Bytes::from(vec![b' '; size])), ()))
            }
        }))
    }

    /// Reads until an error or a thousand pieces. Returns how many, and the time taken.
    async fn read(size: usize, wait: Duration) -> (usize, Duration) {
        let begun = Instant::now();
        let upload = Upload::new(body(size, wait, &Arc::default()), &HeaderMap::new());
        let mut pieces = Body::new(upload).into_data_stream();
        let mut count = 0;
        while let Some(piece) = pieces.next().await {
            let Err(error) = piece else {
                count += 1;
                if count == 1000 {
                    break;
                }
                continue;
            };
            assert!(error.into_inner().to_string().contains("too slowly"));
            break;
        }
        (count, begun.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_stops_or_trickles_is_given_up_and_a_slow_one_is_not() {
        let second = Duration::from_secs(1);
        assert_eq!(read(1_000_000, 11 * second).await, (0, 10 * second));
        assert_eq!(read(1, 9 * second).await, (1, 10 * second));
        assert_eq!(read(1023, second).await, (10, 10 * second));
        assert_eq!(read(1200, second).await.0, 1000);
        assert_eq!(read(20_000, 9 * second).await.0, 1000);
    }

    #[tokio::test(start_paused = true)]
    async fn a_fast_beginning_does_not_pay_for_a_trickle() {
        let first = stream::once(async { Ok::<_, std::io::Error>(Bytes::from(vec![b' '; 4_000_000])) });
        let trickle = stream::unfold((), |()| async {
            tokio::time::sleep(Duration::from_secs(5)).await;
            Some((Ok(Bytes::from_static(b" ")), ()))
        });
        let upload = Upload::new(Body::from_stream(first.chain(Box::pin(trickle))), &HeaderMap::new());
        let begun = Instant::now();
        let pieces: Vec<_> = Body::new(upload).into_data_stream().collect().await;
        assert!(pieces.last().unwrap().is_err());
        assert_eq!(begun.elapsed(), Duration::from_secs(20));
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_is_dropped_is_read_on_within_limits() {
        let taken = Arc::default();
        drop(Upload::new(body(1024 * 1024, Duration::ZERO, &taken), &HeaderMap::new()));
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(taken.load(Ordering::Relaxed), 65);
        let slow = Arc::default();
        drop(Upload::new(body(20_000, Duration::from_secs(7), &slow), &HeaderMap::new()));
        tokio::time::sleep(Duration::from_mins(2)).await;
        assert_eq!(slow.load(Ordering::Relaxed), 4);
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_waits_to_be_asked_for_is_not_asked_for_when_dropped() {
        let headers = HeaderMap::from_iter([(header::EXPECT, "100-continue".parse().unwrap())]);
        let taken = Arc::default();
        drop(Upload::new(body(1024, Duration::ZERO, &taken), &headers));
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(taken.load(Ordering::Relaxed), 0);
    }
}
