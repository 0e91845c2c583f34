//! An answer that is there already or will come: a future that a local command can also wait for without a runtime.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use tokio::sync::oneshot;

use crate::error::{Error, Result};

/// The answer of a [`Store`](super::Store) operation.
#[must_use = "a pending answer does nothing unless awaited or waited for"]
pub struct Pending<T>(State<T>);

enum State<T> {
    Ready(Option<Result<T>>),
    Coming(oneshot::Receiver<Result<T>>, Unattended),
}

/// True once it was said that nobody will wait, and that a failure is to be logged.
type Unattended = Arc<AtomicBool>;

/// The end of a [`Pending`] that fills it.
pub struct Completer<T>(oneshot::Sender<Result<T>>, Unattended);

impl<T> Completer<T> {
    /// Gives the answer; nobody may be waiting for it any more.
    pub fn complete(self, answer: Result<T>) {
        let Self(sender, unattended) = self;
        if let Err(Err(error)) = sender.send(answer)
            && unattended.load(Ordering::Acquire)
        {
            log_unattended(&error);
        }
    }
}

impl<T> Pending<T> {
    /// An answer that is there already.
    pub fn ready(answer: Result<T>) -> Self {
        Self(State::Ready(Some(answer)))
    }

    /// An answer to come, and the end that fills it. A [`Completer`] that is dropped fails it with `storage`.
    pub fn coming() -> (Completer<T>, Self) {
        let (sender, receiver) = oneshot::channel();
        let unattended = Unattended::default();
        (Completer(sender, Arc::clone(&unattended)), Self(State::Coming(receiver, unattended)))
    }

    /// Blocks the thread until the answer is there. Not for use inside a runtime's worker.
    ///
    /// # Errors
    /// The operation's own.
    pub fn wait(self) -> Result<T> {
        match self.0 {
            State::Ready(answer) => answer.unwrap_or_else(|| Err(gone())),
            State::Coming(receiver, _) => receiver.blocking_recv().unwrap_or_else(|_| Err(gone())),
        }
    }
}

impl Pending<()> {
    /// Lets it be done with nobody waiting. A failure is logged.
    pub fn unattended(self) {
        let answer = match self.0 {
            State::Ready(answer) => answer,
            State::Coming(mut receiver, unattended) => {
                unattended.store(true, Ordering::Release);
                // From here on the other end logs; what came before is still to be had.
                receiver.close();
                receiver.try_recv().ok()
            }
        };
        if let Some(Err(error)) = answer {
            log_unattended(&error);
        }
    }
}

fn log_unattended(error: &Error) {
    tracing::warn!(%error, "the database failed, and nobody was waiting for the answer");
}

fn gone() -> Error {
    Error::Storage("the database was closed before it answered".into())
}

// The answer is moved out, never pinned in place.
impl<T> Unpin for Pending<T> {}

impl<T> Future for Pending<T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            State::Ready(answer) => Poll::Ready(answer.take().unwrap_or_else(|| Err(gone()))),
            State::Coming(receiver, _) => {
                Pin::new(receiver).poll(cx).map(|answer| answer.unwrap_or_else(|_| Err(gone())))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_answer_can_be_awaited_ready_or_coming() {
        assert_eq!(Pending::ready(Ok(1)).await.unwrap(), 1);
        let (completer, pending) = Pending::coming();
        std::thread::spawn(move || completer.complete(Ok(2)));
        assert_eq!(pending.await.unwrap(), 2);
    }

    #[test]
    fn an_answer_can_be_waited_for_without_a_runtime() {
        let (completer, pending) = Pending::coming();
        std::thread::spawn(move || completer.complete(Ok(3)));
        assert_eq!(pending.wait().unwrap(), 3);
    }

    #[test]
    fn a_dropped_completer_is_a_storage_error() {
        let (completer, pending) = Pending::<()>::coming();
        drop(completer);
        assert_eq!(pending.wait().unwrap_err().code(), crate::error::Code::Storage);
    }
}
