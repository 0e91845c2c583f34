//! The workbench without a terminal: a raw request goes its whole way, through update, effect and executor, and the
//! answers come back as messages. So the four faces can be compared, and what drawing costs be measured.
//!
//! For tests and benches: [`run()`] shows a request through, [`Sheet`] paints what is told to it, [`open`] is the whole
//! loop on a screen that nobody sees, [`beside()`] puts two texts beside each other.

mod sheet;
#[cfg(test)]
mod tests;
mod unseen;

use aludel_core::engine::Engine;
use aludel_core::error::Problem;
use aludel_core::event::{RunState, RunView};
use aludel_core::text::diff::words;
use serde_json::Value;
use tokio::time::Instant;

use super::effect::Effect;
use super::executor::Executor;
use super::message::Message;
use super::model::Model;
use super::model::compare::{Arrangement, SideBySide};
use super::update::{Cx, update};
use super::widgets::scroll::Follow;

pub use sheet::{Following, Sheet};
pub use unseen::open;

/// Runs `raw` as the workbench would and gives what it would show at the end. Needs a tokio runtime.
///
/// # Errors
/// The problem it would show: of a request that was refused, or of a run that has no result.
pub async fn run(engine: Engine, raw: Value) -> Result<RunView, Box<Problem>> {
    let started = Instant::now();
    let mut model = Model::new(super::defaults(&engine), Follow::default());
    let (mut executor, mut messages) = Executor::new(engine);
    let mut next = Some(Message::Run(raw));
    while let Some(message) = next {
        let now = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        for effect in update(&mut model, message, Cx { now }) {
            if let Effect::Core(effect) = effect {
                executor.perform(effect);
            }
        }
        next = if model.live_run().is_some() { messages.recv().await } else { None };
    }
    let ended = executor.finish(messages).await;
    let Some(run) = model.run else { return Err(Box::new(nothing_ran())) };
    match (run.refusal, run.view.state) {
        (Some(problem), _) | (None, RunState::Failed(problem)) => Err(problem),
        (None, state) => ended.map(|()| RunView { state, ..run.view }).map_err(|error| Box::new(error.into())),
    }
}

/// How many rows two texts take beside each other, in columns of `width`: all that Compare does of them, from the words to
/// the rows.
pub fn beside(first: &str, second: &str, width: u16) -> usize {
    let mut beside = SideBySide::new(&words(first, second));
    beside.reflow(Arrangement::SideBySide, width);
    beside.len()
}

/// Cannot happen: a request is always either run or refused.
fn nothing_ran() -> Problem {
    aludel_core::error::Error::Internal("the workbench took no run up".to_owned()).into()
}
