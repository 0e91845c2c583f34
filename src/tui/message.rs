//! What may change the model: keys, pastes, sizes, time, and the answers to what was asked of the core.

use aludel_core::engine::Newcomer;
use aludel_core::error::Problem;
use aludel_core::event::Event;
use crossterm::event::KeyEvent;
use serde_json::Value;

use super::effect::Ticket;
use super::model::Names;

/// Anything that may change the model.
#[derive(Debug, Clone)]
pub(crate) enum Message {
    /// A key was pressed.
    Key(KeyEvent),
    /// A text was pasted, of any length. It is typed, never obeyed.
    Paste(String),
    /// The terminal has this size now.
    Resize {
        /// Columns.
        width: u16,
        /// Rows.
        height: u16,
    },
    /// The terminal gained or lost the user's attention.
    Attention(bool),
    /// Time has passed; see [`crate::tui::update::next_change`].
    Tick,
    /// Asks for a run of this raw request, whoever wrote it.
    Run(Value),
    /// Events of the run with this ticket, in order.
    RunEvents {
        /// Which run.
        ticket: Ticket,
        /// What happened, at least one event.
        events: Vec<Event>,
    },
    /// The run with this ticket was refused before it began.
    RunRefused {
        /// Which run.
        ticket: Ticket,
        /// Why.
        problem: Box<Problem>,
    },
    /// The names that exist here.
    Names(Names),
    /// Providers that could be used and that nobody configured, at least one; told once.
    Newcomers(Vec<Newcomer>),
    /// Back from the shell; `false` when this terminal cannot suspend.
    Resumed(bool),
}
