//! The workbench without a terminal: the real update, effects, executor and messages.
//!
//! For tests, which compare the four faces, and benches, which measure drawing. [`run()`] runs a
//! request, [`batch()`] a file of rows, [`OffscreenTerminal`] draws the events it is given, [`open`] runs the whole loop off screen, and
//! [`beside()`] lays out two texts side by side.

mod batch;
mod offscreen;
mod sheet;
#[cfg(test)]
mod tests;

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

pub use batch::batch;
pub use offscreen::open;
pub use sheet::{FollowMode, OffscreenTerminal};

/// Runs `raw` and returns what the workbench would show at the end. Needs a tokio runtime.
///
/// # Errors
/// The problem it would show, for a request that was refused or a run without a result.
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

/// The number of rows that two texts take side by side, in columns of `width`. Does everything
/// Compare does with them, from splitting words to laying out rows.
pub fn beside(first: &str, second: &str, width: u16) -> usize {
    let mut beside = SideBySide::new(&words(first, second));
    beside.reflow(Arrangement::SideBySide, width);
    beside.len()
}

/// Cannot happen: a request is always either run or refused.
fn nothing_ran() -> Problem {
    aludel_core::error::Error::Internal("the workbench took no run up".to_owned()).into()
}
