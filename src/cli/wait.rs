//! Runs a future to its end: [`wait`] without a runtime, [`on_a_runtime`] with one.
//!
//! Without a runtime the thread sleeps until the future's waker wakes it. Futures with timers or
//! sockets do not work; those of the store do, which answers in place or from its writer thread.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use aludel_core::error::{Error, Result};

/// Threads of the runtime in addition to the waiting one: with 64 parallel variants, two handle the
/// events in half the time of one (`tests/benches/network.rs`).
const WORKERS: usize = 2;

/// Runs a future that needs timers or sockets, on its own runtime.
///
/// # Errors
/// `internal` if the runtime cannot start.
pub(crate) fn on_a_runtime<T>(future: impl Future<Output = T>) -> Result<T> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(WORKERS).enable_all().build();
    let runtime = runtime.map_err(|error| Error::Internal(format!("the runtime cannot start: {error}")))?;
    Ok(runtime.block_on(future))
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs a future without a runtime.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(answer) => return answer,
            Poll::Pending => std::thread::park(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_from_another_thread_wakes_the_waiting_one() {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let other = std::thread::spawn(move || sender.send(7));
        assert_eq!(wait(receiver), Ok(7));
        other.join().unwrap().unwrap();
    }
}
