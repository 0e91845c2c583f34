//! The terminal: its modes, entered and left in one place, and the bytes of each frame.
//!
//! Always holds: whatever [`modes::enter`] changed, [`modes::leave`] undoes once, however the
//! program leaves: the end, an error, a panic (by a hook, which runs even if a panic aborts), a
//! suspension, an editor. Nothing here queries the terminal, because some never reply.

pub(crate) mod clipboard;
pub(crate) mod editor;
pub(crate) mod hangup;
pub(crate) mod input;
mod job;
pub(crate) mod modes;
pub(crate) mod output;
pub(crate) mod painter;
#[cfg(test)]
#[cfg(unix)]
mod panicking;
mod repaint;
pub(crate) mod screen;
mod signals;
mod unread;

pub(crate) use clipboard::Clipboard;
pub use clipboard::ClipboardEnvironment;
pub use editor::Editor;
pub(crate) use input::{Input, Keyboard};
pub(crate) use modes::Mouse;
pub(crate) use screen::{Screen, Surface};
