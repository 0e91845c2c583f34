//! Streams a run, or the events of a job, as server-sent events (WHATWG HTML, section 9.2): one
//! message per event, its type as the name, its JSON as the data, the terminal event last.
//!
//! Events that are already queued are sent as one piece, so a fast run does not wake the connection
//! for every token. A quiet run sends a comment now and then to keep the connection alive. The
//! stream owns the [`Run`]: dropping it, as when a client disconnects, cancels the work. When the
//! server halts, the run is cancelled and the client still gets its last event.

use std::time::Duration;

use aludel_core::event::Event;
use aludel_core::event::run::Run;
use aludel_core::job::JobFollower;
use axum::body::{Body, Bytes};
use axum::http::{HeaderName, header};
use axum::response::{IntoResponse, Response};
use futures_util::Stream;
use tokio_util::sync::CancellationToken;

use super::accept::EVENTS;
use super::work::WorkMark;

/// Silence before a comment is sent.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Piece size, in bytes, from which no further event is added.
const PIECE: usize = 16 * 1024;
/// Asks proxies such as nginx not to buffer pieces.
const ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Responds with the stream of `run`. `halting` cancels it; `work` is told what was sent.
pub(super) fn answer(run: Run, halting: CancellationToken, work: Option<WorkMark>) -> Response {
    if let Some(work) = &work {
        work.streams();
    }
    streamed(Body::from_stream(pieces(run, halting, work)))
}

fn streamed(body: Body) -> Response {
    let headers = [(header::CONTENT_TYPE, EVENTS), (header::CACHE_CONTROL, "no-store"), (ACCEL_BUFFERING, "no")];
    (headers, body).into_response()
}

/// Streams a job's events, each with its number as id. `halting` ends the stream, not the job.
pub(super) fn answer_following(following: JobFollower, halting: CancellationToken) -> Response {
    let pieces = futures_util::stream::unfold((following, halting), |(mut following, halting)| async {
        let piece = next_of(&mut following, &halting).await?;
        Some((piece, (following, halting)))
    });
    streamed(Body::from_stream(pieces))
}

/// The next event of a job; `None` at its end or when it can no longer be read.
async fn next_of(following: &mut JobFollower, halting: &CancellationToken) -> Option<Result<Bytes, serde_json::Error>> {
    tokio::select! {
        biased;
        () = halting.cancelled() => None,
        next = following.next() => match next {
            Ok(event) => {
                let event = event?;
                let mut piece = format!("id: {}\n", event.seq).into_bytes();
                Some(frame(&mut piece, &event).map(|()| Bytes::from(piece)))
            }
            Err(error) => {
                tracing::warn!(%error, "a job can no longer be followed");
                None
            }
        },
        () = tokio::time::sleep(KEEP_ALIVE) => Some(Ok(Bytes::from_static(b": still at work\n\n"))),
    }
}

struct Streaming {
    run: Run,
    halting: CancellationToken,
    halted: bool,
    work: Option<WorkMark>,
}

fn pieces(
    run: Run,
    halting: CancellationToken,
    work: Option<WorkMark>,
) -> impl Stream<Item = Result<Bytes, serde_json::Error>> {
    futures_util::stream::unfold(Streaming { run, halting, halted: false, work }, |mut streaming| async {
        let piece = streaming.next().await?;
        Some((piece, streaming))
    })
}

impl Streaming {
    async fn next(&mut self) -> Option<Result<Bytes, serde_json::Error>> {
        let first = loop {
            tokio::select! {
                biased;
                event = self.run.next() => break event?,
                () = self.halting.cancelled(), if !self.halted => {
                    self.halted = true;
                    self.run.control().cancel_all();
                }
                () = tokio::time::sleep(KEEP_ALIVE) => return Some(Ok(Bytes::from_static(b": still at work\n\n"))),
            }
        };
        let mut piece = Vec::new();
        let mut next = Some(first);
        while let Some(event) = next {
            if let Err(error) = frame(&mut piece, &event) {
                return Some(Err(error));
            }
            if let Some(work) = &self.work {
                work.sent(&event.kind);
            }
            next = if piece.len() < PIECE { self.run.try_next() } else { None };
        }
        Some(Ok(Bytes::from(piece)))
    }
}

/// Appends one event. JSON contains no line breaks, so the data is one line.
fn frame(piece: &mut Vec<u8>, event: &Event) -> Result<(), serde_json::Error> {
    piece.extend_from_slice(b"event: ");
    piece.extend_from_slice(event.kind.name().as_bytes());
    piece.extend_from_slice(b"\ndata: ");
    serde_json::to_writer(&mut *piece, event)?;
    piece.extend_from_slice(b"\n\n");
    Ok(())
}

#[cfg(test)]
mod tests {
    use aludel_core::domain::{Phase, SessionId};
    use aludel_core::event::EventKind;
    use aludel_core::event::run::RunControl;
    use futures_util::{FutureExt, StreamExt};

    use super::*;

    fn session() -> SessionId {
        "01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21".parse().unwrap()
    }

    fn delta(text: &str) -> EventKind {
        EventKind::Delta { variant: 0, phase: Phase::Solutio, text: text.into() }
    }

    fn text(piece: Option<Result<Bytes, serde_json::Error>>) -> String {
        String::from_utf8(piece.unwrap().unwrap().to_vec()).unwrap()
    }

    #[tokio::test]
    async fn events_are_named_numbered_and_one_line_each() {
        let (sender, run) = Run::new(session(), RunControl::new(1));
        sender.send(delta("two\nlines")).await;
        sender.send(EventKind::Cancelled {}).await;
        let mut pieces = Box::pin(pieces(run, CancellationToken::new(), None));
        assert_eq!(
            text(pieces.next().await),
            concat!(
                "event: delta\n",
                r#"data: {"session_id":"01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21","seq":0,"type":"delta","variant":0,"#,
                r#""phase":"solutio","text":"two\nlines"}"#,
                "\n\nevent: cancelled\n",
                r#"data: {"session_id":"01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21","seq":1,"type":"cancelled"}"#,
                "\n\n"
            )
        );
        assert!(pieces.next().await.is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_quiet_run_is_kept_alive_by_comments() {
        let (sender, run) = Run::new(session(), RunControl::new(1));
        let mut pieces = Box::pin(pieces(run, CancellationToken::new(), None));
        assert!(text(pieces.next().await).starts_with(": "));
        sender.send(EventKind::Cancelled {}).await;
        assert!(text(pieces.next().await).starts_with("event: cancelled"));
    }

    #[tokio::test]
    async fn a_halt_cancels_the_run_and_waits_for_its_last_event() {
        let (sender, run) = Run::new(session(), RunControl::new(1));
        let (control, halting) = (run.control(), CancellationToken::new());
        let mut pieces = Box::pin(pieces(run, halting.clone(), None));
        halting.cancel();
        assert!(pieces.next().now_or_never().is_none());
        assert!(control.token().is_cancelled());
        sender.send(EventKind::Cancelled {}).await;
        assert!(text(pieces.next().await).starts_with("event: cancelled"));
    }

    #[tokio::test]
    async fn dropping_the_stream_cancels_the_run() {
        let (_sender, run) = Run::new(session(), RunControl::new(1));
        let control = run.control();
        drop(answer(run, CancellationToken::new(), None));
        assert!(control.token().is_cancelled());
    }
}
