//! Nothing from a model, a file or an import drives a terminal: a database, files and providers full of hostile values, and
//! everything that prints.
//!
//! What is looked for is a plain table of this test's own ([`oracle`]); it shares nothing with the code that escapes.
//! The database is filled below the program ([`database`]), column by column as SQLite lists them, so a column that
//! comes later is hostile too; the commands are those of the tree that clap has, so one that comes later must be
//! added here.

mod commands;
mod database;
mod oracle;
mod providers;
#[cfg(all(unix, feature = "tui"))]
mod workbench;

/// Retitles the window, clears the screen, asks for a report, rings, reorders, hides a word, writes over the line.
pub(crate) const HOSTILE: &str =
    "\u{1b}]0;PWN\u{7}\u{1b}[2J\u{9b}6n\u{202e}txet\u{2066}\u{e0041}\u{e007f}pay\u{200b}pal\rover\u{8}\u{7f}";
