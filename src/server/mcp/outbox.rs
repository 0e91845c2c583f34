//! Writes messages to the client, one per line, in a single task.
//!
//! Lines wait in a short queue; while it is full, no further message is read, so replies cannot
//! pile up for a client that does not read them. A broken output ends the session: nobody can
//! receive a result, so nothing more is spent on one.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Lines that can wait to be written.
const QUEUE: usize = 64;
/// Time limit for writing the last lines.
const FLUSH: Duration = Duration::from_secs(1);

/// The queue and its writer.
pub(super) struct Outbox {
    lines: Option<mpsc::Sender<Line>>,
    writer: Option<JoinHandle<()>>,
}

struct Line {
    bytes: Vec<u8>,
    written: Option<oneshot::Sender<io::Result<()>>>,
}

impl Outbox {
    /// Writes to `output`; fires `broken` when that fails.
    pub(super) fn new(output: impl AsyncWrite + Send + Unpin + 'static, broken: CancellationToken) -> Self {
        let (lines, waiting) = mpsc::channel(QUEUE);
        Self { lines: Some(lines), writer: Some(tokio::spawn(write(output, waiting, broken))) }
    }

    /// Waits for room in the queue and puts `line` there, if there is one. It is only taken out of
    /// `line` then, so dropping the future loses nothing. False when the output is broken.
    pub(super) async fn make_room(&self, line: &mut Option<Vec<u8>>) -> bool {
        let Some(lines) = &self.lines else { return false };
        let Ok(place) = lines.reserve().await else { return false };
        if let Some(bytes) = line.take() {
            place.send(Line { bytes, written: None });
        }
        true
    }

    /// Writes a line. The future resolves when it is written.
    pub(super) fn send(&self, bytes: Vec<u8>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let lines = self.lines.clone();
        async move {
            let broken = || io::Error::from(io::ErrorKind::BrokenPipe);
            let (written, done) = oneshot::channel();
            let line = Line { bytes, written: Some(written) };
            lines.ok_or_else(broken)?.send(line).await.map_err(|_| broken())?;
            done.await.map_err(|_| broken())?
        }
    }

    /// Writes the queued lines and ends. Does not wait for a client that stopped reading.
    pub(super) async fn close(&mut self) {
        self.lines = None;
        if let Some(mut writer) = self.writer.take()
            && tokio::time::timeout(FLUSH, &mut writer).await.is_err()
        {
            writer.abort();
        }
    }
}

async fn write(
    mut output: impl AsyncWrite + Send + Unpin,
    mut waiting: mpsc::Receiver<Line>,
    broken: CancellationToken,
) {
    while let Some(mut line) = waiting.recv().await {
        line.bytes.push(b'\n');
        let result = async {
            output.write_all(&line.bytes).await?;
            output.flush().await
        };
        let result = result.await;
        let failed = result.is_err();
        if let Some(written) = line.written {
            // The sender that waited for it may have been cancelled.
            let _ = written.send(result);
        }
        if failed {
            tracing::info!("the output is closed; what runs is cancelled");
            broken.cancel();
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncBufReadExt, BufReader, duplex};

    use super::*;

    #[tokio::test]
    async fn lines_are_written_in_order_and_the_last_before_the_end() {
        let (ours, theirs) = duplex(8);
        let mut outbox = Outbox::new(ours, CancellationToken::new());
        assert!(outbox.make_room(&mut Some(b"first".to_vec())).await);
        let second = tokio::spawn(outbox.send(b"the second".to_vec()));
        let mut lines = BufReader::new(theirs).lines();
        assert_eq!(lines.next_line().await.unwrap().unwrap(), "first");
        assert_eq!(lines.next_line().await.unwrap().unwrap(), "the second");
        second.await.unwrap().unwrap();
        outbox.close().await;
        assert_eq!(lines.next_line().await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_broken_output_is_told_and_nothing_more_is_taken() {
        let (ours, theirs) = duplex(8);
        let broken = CancellationToken::new();
        let outbox = Outbox::new(ours, broken.clone());
        drop(theirs);
        assert!(outbox.send(b"x".to_vec()).await.is_err());
        broken.cancelled().await;
        assert!(!outbox.make_room(&mut None).await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_nothing_fills_the_queue_and_is_not_waited_for_at_the_end() {
        let (ours, _theirs) = duplex(1);
        let mut outbox = Outbox::new(ours, CancellationToken::new());
        let mut taken = 0;
        while tokio::time::timeout(Duration::from_secs(1), outbox.make_room(&mut Some(b"xx".to_vec()))).await.is_ok() {
            taken += 1;
        }
        assert_eq!(taken, QUEUE + 1);
        outbox.close().await;
    }
}
