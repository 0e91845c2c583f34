//! The terminal: its modes, entered and left in one place, and the bytes of each frame.
//!
//! Always holds: whatever [`modes::enter`] changed, [`modes::leave`] undoes, once, from wherever the program leaves:
//! the end, an error, a panic (the hook shares it, and runs even where a panic aborts), a suspension. Nothing here asks
//! the terminal a question, because some never answer.

pub(crate) mod input;
mod job;
pub(crate) mod modes;
pub(crate) mod output;
pub(crate) mod screen;

pub(crate) use input::{Input, Keyboard};
pub(crate) use screen::{Screen, Surface};
