//! Reads standard input that was piped in next to a TEXT argument, without waiting for ever.
//!
//! A separate thread reads, so that waiting can end: after [`FIRST_BYTE`] if the input was not
//! asked for, and at the run's time limit in any case. Signals still end the process meanwhile. If
//! the pipe stays silent, its thread is left behind and ends with the process.

use std::io::{ErrorKind, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use aludel_core::domain::limits;
use aludel_core::error::{Code, Error, Result};

use super::input;

/// How long a pipe that was not asked for may stay silent.
pub(crate) const FIRST_BYTE: Duration = Duration::from_secs(3);

/// Bytes per read.
const CHUNK_BYTES: usize = 64 * 1024;

/// How soon a non-blocking pipe is read again.
const RETRY_INTERVAL: Duration = Duration::from_millis(10);

/// What was read from standard input.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piped {
    /// All of it.
    Text(String),
    /// Nothing within the time for the first byte.
    Silent,
}

/// How long reading may take.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wait {
    /// The time for the first byte; `None` for no limit.
    pub first_byte: Option<Duration>,
    /// The deadline of the run, and its time limit.
    pub until: Option<(Instant, Duration)>,
}

/// True if standard input is a pipe or a file, so that it can hold text. Terminals, devices and
/// sockets do not count; a closed descriptor is the null device by now.
#[cfg(unix)]
pub(crate) fn may_hold_text() -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::FileTypeExt;
    let stdin = std::io::stdin().as_fd().try_clone_to_owned().map(std::fs::File::from);
    stdin.and_then(|file| file.metadata()).is_ok_and(|metadata| {
        let kind = metadata.file_type();
        kind.is_fifo() || kind.is_file()
    })
}

/// Always false: the kind of standard input is unknown on this system.
#[cfg(not(unix))]
pub(crate) fn may_hold_text() -> bool {
    false
}

/// Reads standard input to its end, as the text of `field`.
///
/// # Errors
/// As for a file (`file`, `invalid_request`, `payload_too_large`); `provider_timeout` if late.
pub(crate) fn read(field: &str, wait: Wait) -> Result<Piped> {
    let (sender, receiver) = sync_channel(1);
    std::thread::spawn(move || send_chunks(std::io::stdin().lock(), &sender));
    text_from(&receiver, field, wait)
}

/// Sends all input, and closes the channel at its end.
fn send_chunks(source: impl Read, sender: &SyncSender<std::io::Result<Vec<u8>>>) {
    let mut source = source.take(limits::BODY_BYTES as u64 + 1);
    loop {
        let mut chunk = vec![0; CHUNK_BYTES];
        let sent = match source.read(&mut chunk) {
            Ok(0) => return,
            Ok(length) => {
                chunk.truncate(length);
                sender.send(Ok(chunk))
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                std::thread::sleep(RETRY_INTERVAL);
                continue;
            }
            Err(error) => {
                let _ = sender.send(Err(error));
                return;
            }
        };
        if sent.is_err() {
            return;
        }
    }
}

fn text_from(receiver: &Receiver<std::io::Result<Vec<u8>>>, field: &str, wait: Wait) -> Result<Piped> {
    let first_until = wait.first_byte.map(|time| Instant::now() + time);
    let mut bytes = Vec::new();
    loop {
        let silent_at = first_until.filter(|_| bytes.is_empty());
        let ends = silent_at.into_iter().chain(wait.until.map(|(deadline, _)| deadline)).min();
        let received = match ends {
            None => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(end) => receiver.recv_timeout(end.saturating_duration_since(Instant::now())),
        };
        match received {
            Ok(Ok(chunk)) => bytes.extend_from_slice(&chunk),
            Ok(Err(error)) => return Err(input::unreadable_stdin(&error)),
            Err(RecvTimeoutError::Disconnected) => return input::text_of_stdin(&bytes, field).map(Piped::Text),
            Err(RecvTimeoutError::Timeout) => match wait.until {
                Some((deadline, limit)) if Instant::now() >= deadline => return Err(out_of_time(field, limit)),
                _ => return Ok(Piped::Silent),
            },
        }
    }
}

fn out_of_time(field: &str, limit: Duration) -> Error {
    let seconds = limit.as_secs_f64();
    let detail = format!(
        "{field}: the timeout of {seconds} s passed before standard input ended; raise --timeout, or ignore standard input with --no-stdin"
    );
    Error::Refused { code: Code::ProviderTimeout, detail }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads chunks that were sent, with the sender kept open or dropped.
    fn read_of(chunks: &[&[u8]], is_open: bool, wait: Wait) -> Result<Piped> {
        let (sender, receiver) = sync_channel(chunks.len() + 1);
        for chunk in chunks {
            sender.send(Ok(chunk.to_vec())).unwrap();
        }
        let kept = is_open.then_some(sender);
        let read = text_from(&receiver, "context[0]", wait);
        drop(kept);
        read
    }

    const SOON: Option<Duration> = Some(Duration::from_millis(5));

    #[test]
    fn pieces_of_a_character_come_together() {
        let read = read_of(&[b"caf\xc3", b"\xa9\n"], false, Wait { first_byte: SOON, until: None });
        assert_eq!(read.unwrap(), Piped::Text("café".into()));
    }

    #[test]
    fn a_pipe_without_a_byte_is_silent_and_one_with_a_byte_is_waited_for() {
        assert_eq!(read_of(&[], true, Wait { first_byte: SOON, until: None }).unwrap(), Piped::Silent);
        let limit = Duration::from_millis(20);
        let wait = Wait { first_byte: SOON, until: Some((Instant::now() + limit, limit)) };
        let error = read_of(&[b"one"], true, wait).unwrap_err();
        assert_eq!(error.code(), Code::ProviderTimeout);
        assert!(error.to_string().starts_with("context[0]: the timeout of 0.02 s passed"), "{error}");
    }

    #[test]
    fn the_end_of_the_runs_time_outranks_the_wait_for_a_first_byte() {
        let limit = Duration::from_millis(1);
        let wait = Wait { first_byte: Some(FIRST_BYTE), until: Some((Instant::now() + limit, limit)) };
        assert_eq!(read_of(&[], true, wait).unwrap_err().code(), Code::ProviderTimeout);
    }
}
