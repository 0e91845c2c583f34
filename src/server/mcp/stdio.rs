//! Standard input and output as the async pair a transport needs.
//!
//! Hosts start servers with pipes (Python, Rust) or socket pairs (Node). The reactor drives both,
//! at ten times the calls per second of tokio's standard streams, whose every read crosses threads.
//! A pipe is reopened through `/proc`, so that making it non-blocking does not affect others who
//! share the descriptor; a socket's other end is another description anyway.
//!
//! A closed peer is noticed at once, even if nothing is written: that is how a killed host looks.
//!
//! A file or terminal on standard input is read by a detached thread. It can stay blocked in a read
//! when the server ends, and must not keep the runtime from closing, as tokio's own would.

use std::io;
use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncWrite};

/// The stream of incoming messages.
pub(super) type Input = Box<dyn AsyncRead + Send + Unpin>;
/// The stream of outgoing messages.
pub(super) type Output = Box<dyn AsyncWrite + Send + Unpin>;

/// Resolves when the output has no reader left; never if that cannot be detected.
pub(super) type Hangup = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Both ends.
pub(super) struct Stdio {
    pub(super) input: Input,
    pub(super) output: Output,
    pub(super) hangup: Hangup,
}

/// Opens both ends. Needs a runtime with IO.
///
/// # Errors
/// When standard input cannot be read in any way.
pub(super) fn open() -> io::Result<Stdio> {
    Ok(Stdio { input: input()?, output: output(), hangup: hangup() })
}

#[cfg(unix)]
fn hangup() -> Hangup {
    watch::hangup(&io::stdout()).unwrap_or_else(|_| Box::pin(std::future::pending()))
}

#[cfg(not(unix))]
fn hangup() -> Hangup {
    Box::pin(std::future::pending())
}

#[cfg(unix)]
fn input() -> io::Result<Input> {
    if let Some(pipe) = pipe::input() {
        return Ok(pipe);
    }
    match socket::open(&io::stdin()) {
        Some(socket) => Ok(Box::new(socket)),
        None => relay(),
    }
}

#[cfg(unix)]
fn output() -> Output {
    if let Some(pipe) = pipe::output() {
        return pipe;
    }
    match socket::open(&io::stdout()) {
        Some(socket) => Box::new(socket),
        None => Box::new(tokio::io::stdout()),
    }
}

/// Starts a thread that copies standard input into a socket pair, which the reactor can read.
#[cfg(unix)]
fn relay() -> io::Result<Input> {
    let (ours, mut theirs) = std::os::unix::net::UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    std::thread::Builder::new().name("stdin".into()).spawn(move || {
        // Either end closing is the end of input; there is nothing to report.
        let _ = io::copy(&mut io::stdin().lock(), &mut theirs);
    })?;
    Ok(Box::new(tokio::net::UnixStream::from_std(ours)?))
}

#[cfg(not(unix))]
fn input() -> io::Result<Input> {
    Ok(Box::new(tokio::io::stdin()))
}

#[cfg(not(unix))]
fn output() -> Output {
    Box::new(tokio::io::stdout())
}

#[cfg(target_os = "linux")]
mod pipe {
    //! Pipes, reopened. Opening checks that it is a pipe, and fails if it has no reader.

    use tokio::net::unix::pipe::OpenOptions;

    use super::{Input, Output};

    pub(super) fn input() -> Option<Input> {
        Some(Box::new(OpenOptions::new().open_receiver("/proc/self/fd/0").ok()?))
    }

    pub(super) fn output() -> Option<Output> {
        Some(Box::new(OpenOptions::new().open_sender("/proc/self/fd/1").ok()?))
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
mod pipe {
    //! Without `/proc` a pipe cannot be reopened.

    use super::{Input, Output};

    pub(super) fn input() -> Option<Input> {
        None
    }

    pub(super) fn output() -> Option<Output> {
        None
    }
}

#[cfg(unix)]
mod watch {
    //! Watches for the reader to hang up.

    use std::io;
    use std::os::fd::AsFd;

    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;

    use super::Hangup;

    /// Resolves when the other end of a pipe or socket is closed.
    ///
    /// # Errors
    /// When the descriptor has no other end, such as a file.
    pub(super) fn hangup(descriptor: &impl AsFd) -> io::Result<Hangup> {
        let descriptor = descriptor.as_fd().try_clone_to_owned()?;
        #[expect(deprecated, reason = "its successor is unsafe, and what it asks for holds: the descriptor is owned")]
        let descriptor = AsyncFd::with_interest(descriptor, Interest::WRITABLE)?;
        Ok(Box::pin(async move {
            while let Ok(mut ready) = descriptor.writable().await {
                if ready.ready().is_write_closed() {
                    return;
                }
                ready.clear_ready();
            }
            // Without the reactor there is nothing left to watch.
            std::future::pending::<()>().await;
        }))
    }
}

#[cfg(unix)]
mod socket {
    //! Unix sockets.

    use std::os::fd::AsFd;
    use std::os::unix::net::UnixStream;

    /// The descriptor as a socket of the reactor, if it is a Unix socket.
    pub(super) fn open(descriptor: &impl AsFd) -> Option<tokio::net::UnixStream> {
        let stream = UnixStream::from(descriptor.as_fd().try_clone_to_owned().ok()?);
        // Only a Unix socket has an address of that family.
        stream.local_addr().ok()?;
        stream.set_nonblocking(true).ok()?;
        tokio::net::UnixStream::from_std(stream).ok()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::net::UnixStream;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use futures_util::FutureExt;

    use super::{socket, watch};

    #[tokio::test]
    async fn the_end_of_who_reads_is_seen_without_writing() {
        let (reader, writer) = std::io::pipe().unwrap();
        let mut pipe = watch::hangup(&writer).unwrap();
        assert!(pipe.as_mut().now_or_never().is_none());
        drop(reader);
        pipe.await;
        let (ours, theirs) = UnixStream::pair().unwrap();
        let mut socket = watch::hangup(&ours).unwrap();
        assert!(socket.as_mut().now_or_never().is_none());
        theirs.shutdown(std::net::Shutdown::Write).unwrap();
        tokio::task::yield_now().await;
        assert!(socket.as_mut().now_or_never().is_none());
        drop(theirs);
        socket.await;
    }

    #[tokio::test]
    async fn a_file_has_no_other_end() {
        assert!(watch::hangup(&tempfile::tempfile().unwrap()).is_err());
    }

    #[tokio::test]
    async fn a_socket_is_taken_and_carries_both_ways() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let mut socket = socket::open(&ours).unwrap();
        let mut peer = socket::open(&theirs).unwrap();
        socket.write_all(b"ping\n").await.unwrap();
        let mut read = [0; 5];
        peer.read_exact(&mut read).await.unwrap();
        assert_eq!(&read, b"ping\n");
    }

    #[tokio::test]
    async fn a_file_is_no_socket() {
        assert!(socket::open(&tempfile::tempfile().unwrap()).is_none());
    }
}
