//! Moves work over long texts off the async threads.
//!
//! An async worker that cleans or ranks megabytes handles no timeout, cancellation or signal
//! meanwhile. So long work runs on a blocking thread, and the caller awaits it: dropping the future
//! stops waiting at once, and the work, linear in its texts, ends by itself. Small work stays in
//! place, because moving it would cost more than doing it.

use crate::error::{Error, Result};

/// Work over up to this many bytes is done in place: it takes about a millisecond.
pub const INLINE_BYTES: usize = 64 * 1024;

/// Runs `work` over texts of `bytes` in total: in place if that is little or there is no runtime,
/// else on a blocking thread.
///
/// # Errors
/// `internal` when the work ended abnormally, or the runtime is shutting down.
pub async fn offload<T: Send + 'static>(bytes: usize, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    if bytes <= INLINE_BYTES {
        return Ok(work());
    }
    let Ok(runtime) = tokio::runtime::Handle::try_current() else { return Ok(work()) };
    let done = runtime.spawn_blocking(work).await;
    done.map_err(|defect| Error::Internal(format!("work over a long text ended abnormally: {defect}")))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use tokio_util::sync::CancellationToken;

    use super::*;

    #[tokio::test]
    async fn small_work_stays_and_large_work_goes_to_another_thread() {
        let here = thread::current().id();
        assert_eq!(offload(INLINE_BYTES, || thread::current().id()).await.unwrap(), here);
        assert_ne!(offload(INLINE_BYTES + 1, || thread::current().id()).await.unwrap(), here);
    }

    #[test]
    fn without_a_runtime_all_work_stays() {
        let here = thread::current().id();
        let work = offload(usize::MAX, || thread::current().id());
        assert_eq!(futures_util::FutureExt::now_or_never(work).unwrap().unwrap(), here);
    }

    /// On one thread: if the work ran on it, the token would never be cancelled and the test hang.
    #[tokio::test]
    async fn cancellation_acts_while_large_work_is_under_way() {
        let (release, released) = mpsc::sync_channel::<()>(1);
        let cancelled = CancellationToken::new();
        let canceller = tokio::spawn({
            let cancelled = cancelled.clone();
            async move { cancelled.cancel() }
        });
        let work = offload(usize::MAX, move || released.recv().is_ok());
        let ended_by_work = tokio::select! {
            done = work => done.unwrap(),
            () = cancelled.cancelled() => false,
        };
        assert!(!ended_by_work);
        canceller.await.unwrap();
        release.send(()).unwrap();
    }

    #[tokio::test]
    async fn work_that_panics_is_an_error() {
        let error = offload(usize::MAX, || assert_eq!(1, 2, "on purpose")).await.unwrap_err();
        assert!(error.to_string().contains("ended abnormally"), "{error}");
    }
}
