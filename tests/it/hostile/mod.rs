//! Nothing from a model, a file or an import can drive a terminal: a database, files and providers
//! full of hostile values, and all that prints.
//!
//! The oracle is a plain table ([`oracle`]) that shares nothing with the escaping code. The
//! database is filled underneath the program ([`database`]), column by column as SQLite lists them,
//! so new columns are covered; the commands come from clap's tree, so new ones must be added here.

mod commands;
mod database;
mod oracle;
mod providers;
#[cfg(all(unix, feature = "tui"))]
mod workbench;

/// Sets the title, clears the screen, asks for a report, rings, reorders, hides, overwrites.
pub(crate) const HOSTILE: &str =
    "\u{1b}]0;PWN\u{7}\u{1b}[2J\u{9b}6n\u{202e}txet\u{2066}\u{e0041}\u{e007f}pay\u{200b}pal\rover\u{8}\u{7f}";
