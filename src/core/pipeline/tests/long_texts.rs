//! Long texts block nothing: they are cleaned and ranked on other threads, and a run still ends at
//! its timeout or cancellation. Tested on one thread, where work done in place would show.

use crate::domain::TokenUsage;
use crate::offload::INLINE_BYTES;
use crate::provider::{ChatRequest, Chunk, ChunkStream, Completion};
use crate::text::adversarial::SHAPES;
use crate::visited::visited;

use super::*;

/// Answers every request with one long chunk.
struct Flood {
    piece: String,
}

impl Flood {
    fn new() -> Self {
        let camel_case = SHAPES.iter().find(|shape| shape.name == "camel case").unwrap();
        Self { piece: camel_case.text(4 * INLINE_BYTES) }
    }
}

impl Provider for Flood {
    fn name(&self) -> &'static str {
        "flood"
    }

    fn default_model(&self) -> &'static str {
        "flood-1"
    }

    fn stream(&self, _: ChatRequest) -> ChunkStream {
        let done = Completion {
            provider: "flood".into(),
            model: "flood-1".into(),
            usage: TokenUsage { input_tokens: 1, output_tokens: 1, estimated: true },
            cost_usd: None,
            latency: Duration::from_millis(1),
            first_token: None,
            retries: 0,
            fallback_from: None,
            truncated: false,
            cached: false,
        };
        let chunks = [Ok(Chunk::Text(self.piece.clone())), Ok(Chunk::Done(done))];
        Box::pin(futures_util::stream::iter(chunks))
    }
}

/// A run of one phase with a long answer.
fn flooded(world: &World) -> Plan {
    let plan = world.plan(HEALTHY, 1);
    let provider: Arc<dyn Provider> = Arc::new(Flood::new());
    let phases = plan.phases[..1].iter().map(|phase| PhaseBinding { provider: Arc::clone(&provider), ..phase.clone() });
    Plan { phases: phases.collect(), ..plan }
}

#[tokio::test]
async fn long_answers_are_cleaned_and_ranked_on_another_thread() {
    let world = World::new();
    let plan = flooded(&world);
    let before = visited();
    let events = drain(world.start(plan)).await;
    assert_eq!(result(&events).prompts[0].content.len(), 4 * INLINE_BYTES);
    assert!(result(&events).prompts[0].score.is_some());
    let looked_at = visited() - before;
    assert!(looked_at < INLINE_BYTES as u64 / 4, "{looked_at} characters were looked at on the worker");
}

/// Follows a run and calls `then` when its variant has finished, while the ranking is running.
async fn follow(mut run: Run, then: impl AsyncFn(&crate::event::run::RunControl)) -> Vec<Event> {
    let control = run.control();
    let mut events = Vec::new();
    while let Some(event) = run.next().await {
        if matches!(event.kind, EventKind::VariantFinished { .. }) {
            then(&control).await;
        }
        events.push(event);
    }
    laws::check(&events).unwrap();
    events
}

fn is_ranked(events: &[Event]) -> bool {
    events.iter().any(|event| matches!(event.kind, EventKind::Ranked { .. }))
}

#[tokio::test]
async fn a_run_is_cancelled_while_it_ranks() {
    let world = World::new();
    let events = follow(world.start(flooded(&world)), async |control| control.cancel_all()).await;
    assert_eq!(events.last().unwrap().kind, EventKind::Cancelled {});
    assert!(!is_ranked(&events));
    assert_eq!(world.stored().await.len(), 1, "what had finished is kept");
}

#[tokio::test(start_paused = true)]
async fn a_run_out_of_time_while_it_ranks_gives_its_prompts_unranked_and_says_so() {
    let world = World::new();
    let plan = Plan { timeout: Some(Duration::from_mins(1)), ..flooded(&world) };
    let events = follow(world.start(plan), async |_| tokio::time::advance(Duration::from_mins(2)).await).await;
    let result = result(&events);
    assert!(!is_ranked(&events) && result.rankings.is_empty());
    assert_eq!((result.prompts.len(), result.prompts[0].score), (1, None));
    let warnings = format!("{:?}", result.warnings);
    assert!(warnings.contains("not ranked") && warnings.contains("timeout"), "{warnings}");
}
