//! A connection that fails when its client stops reading.
//!
//! A client that does not read would hold its response, its slot and its run indefinitely. After
//! [`WRITE_TIMEOUT`] without progress a write fails, which ends the connection and its work. Slow
//! readers and connections with nothing to write are not affected.

use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// How long a write can make no progress.
const WRITE_TIMEOUT: Duration = Duration::from_mins(1);

/// A stream whose writes time out.
pub(in crate::server) struct WriteTimeout<S> {
    inner: S,
    /// Runs while a write is pending.
    alarm: Option<Pin<Box<Sleep>>>,
}

impl<S: AsyncWrite + Unpin> WriteTimeout<S> {
    pub(in crate::server) fn new(inner: S) -> Self {
        Self { inner, alarm: None }
    }

    /// Passes on what is ready; fails after waiting too long.
    fn guarded<T>(&mut self, context: &mut Context<'_>, writing: Poll<Result<T>>) -> Poll<Result<T>> {
        if writing.is_ready() {
            self.alarm = None;
            return writing;
        }
        let alarm = self.alarm.get_or_insert_with(|| Box::pin(sleep(WRITE_TIMEOUT)));
        ready!(alarm.as_mut().poll(context));
        alarm.as_mut().reset(Instant::now() + WRITE_TIMEOUT);
        Poll::Ready(Err(Error::new(ErrorKind::TimedOut, "the client does not read its response")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeout<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.inner).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeout<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        let writing = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.guarded(context, writing)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let writing = Pin::new(&mut self.inner).poll_write_vectored(context, pieces);
        self.guarded(context, writing)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let flushing = Pin::new(&mut self.inner).poll_flush(context);
        self.guarded(context, flushing)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let ending = Pin::new(&mut self.inner).poll_shutdown(context);
        self.guarded(context, ending)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn who_takes_nothing_is_cut_off_and_who_takes_little_is_not() {
        let (ours, mut theirs) = duplex(1);
        let mut stream = WriteTimeout::new(ours);
        let slow = tokio::spawn(async move {
            for _ in 0..10 {
                tokio::time::sleep(WRITE_TIMEOUT / 2).await;
                theirs.read_u8().await.unwrap();
            }
            theirs
        });
        stream.write_all(&[0; 10]).await.unwrap();
        let _theirs = slow.await.unwrap();
        stream.write_all(&[0]).await.unwrap();
        tokio::time::sleep(WRITE_TIMEOUT * 10).await;
        let begun = Instant::now();
        assert_eq!(stream.write_all(&[0]).await.unwrap_err().kind(), ErrorKind::TimedOut);
        assert_eq!(begun.elapsed(), WRITE_TIMEOUT);
    }
}
