//! The result of a store operation: a future that can also be waited for without a runtime.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use tokio::sync::oneshot;

use crate::error::{Error, Result};

/// The result of a [`Store`](super::Store) operation.
#[must_use = "a pending answer does nothing unless awaited or waited for"]
pub struct Pending<T>(State<T>);

enum State<T> {
    Ready(Option<Result<T>>),
    Coming(oneshot::Receiver<Result<T>>, Unattended),
}

/// Called with a failure once the result has been detached.
type Unattended = Arc<OnceLock<OnFailure>>;

type OnFailure = Box<dyn Fn(&Error) + Send + Sync>;

/// The sending half of a [`Pending`].
pub struct Completer<T>(oneshot::Sender<Result<T>>, Unattended);

impl<T> Completer<T> {
    /// Sends the result; the receiver may be gone.
    pub fn complete(self, answer: Result<T>) {
        let Self(sender, unattended) = self;
        if let Err(Err(error)) = sender.send(answer)
            && let Some(on_failure) = unattended.get()
        {
            on_failure(&error);
        }
    }
}

impl<T> Pending<T> {
    /// Creates a result that is ready.
    pub fn ready(answer: Result<T>) -> Self {
        Self(State::Ready(Some(answer)))
    }

    /// Creates a result to come and its sender; dropping the sender fails it with `storage`.
    pub fn coming() -> (Completer<T>, Self) {
        let (sender, receiver) = oneshot::channel();
        let unattended = Unattended::default();
        (Completer(sender, Arc::clone(&unattended)), Self(State::Coming(receiver, unattended)))
    }

    /// Blocks the thread until the result is ready. Not for use inside a runtime's worker.
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
    /// Detaches the operation. A failure is logged.
    pub fn unattended(self) {
        self.unattended_but(|_| {});
    }

    /// As [`Pending::unattended`], also passing a failure to `on_failure`, on any thread.
    pub fn unattended_but(self, on_failure: impl Fn(&Error) + Send + Sync + 'static) {
        self.left_to(move |error| {
            log_unattended(error);
            on_failure(error);
        });
    }

    /// As [`Pending::unattended`], for unimportant writes: a failure is logged as info.
    pub fn unattended_aside(self) {
        self.unattended_aside_but(|| {});
    }

    /// As [`Pending::unattended_aside`], also calling `on_failure` on a failure.
    pub fn unattended_aside_but(self, on_failure: impl Fn() + Send + Sync + 'static) {
        self.left_to(move |error| {
            tracing::info!(%error, "the database failed to write what nobody misses");
            on_failure();
        });
    }

    fn left_to(self, on_failure: impl Fn(&Error) + Send + Sync + 'static) {
        match self.0 {
            State::Ready(Some(Err(error))) => on_failure(&error),
            State::Ready(_) => {}
            State::Coming(mut receiver, unattended) => {
                let on_failure = unattended.get_or_init(|| Box::new(on_failure));
                // From here on the sender calls `on_failure`; an earlier result is still here.
                receiver.close();
                if let Ok(Err(error)) = receiver.try_recv() {
                    on_failure(&error);
                }
            }
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
