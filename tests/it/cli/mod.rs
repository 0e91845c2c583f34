//! The command line, end to end: standard output, standard error and exit code.

mod bad_input;
mod bad_places;
mod batch;
mod cache;
mod compare;
mod config;
#[cfg(all(unix, feature = "server"))]
mod doors;
mod editable;
#[cfg(all(unix, feature = "server", feature = "tui"))]
mod examples;
mod formats;
mod generate;
mod help;
#[cfg(unix)]
mod interrupt;
mod jobs;
mod labels;
#[cfg(feature = "server")]
mod mcp_config;
#[cfg(unix)]
mod narrow;
mod output;
#[cfg(unix)]
mod piped;
mod providers;
mod readme;
mod search;
mod select;
#[cfg(all(feature = "server", unix))]
mod server_page;
mod spend;
mod statistics;
mod stored;
#[cfg(unix)]
mod terminal;
mod tested_providers;
mod transfer;
mod validate;

/// Everything a command wrote to a terminal. Questions are answered by the end of input, which no
/// terminal echoes into the output.
#[cfg(unix)]
pub(crate) fn on_a_terminal(home: &crate::support::Home, arguments: &[&str]) -> String {
    terminal::on_a_terminal(home, arguments, &[], "\u{4}").bytes
}

/// The terminal of a command while these keys were typed, and its exit code.
#[cfg(all(unix, feature = "server", feature = "tui"))]
fn ended_on_a_terminal(home: &crate::support::Home, arguments: &[&str], keys: &str) -> (String, u32) {
    let shown = terminal::on_a_terminal(home, arguments, &[("OLLAMA_HOST", "127.0.0.1:1")], keys);
    (shown.bytes, shown.code)
}

/// The lines a command wrote to a terminal of this width, without colours.
#[cfg(unix)]
fn on_a_narrow_terminal(
    home: &crate::support::Home,
    arguments: &[&str],
    columns: u16,
    variables: &[(&str, &str)],
) -> String {
    let variables = [&[("NO_COLOR", "1"), ("OLLAMA_HOST", "127.0.0.1:1")], variables].concat();
    let shown = terminal::on_columns(home, arguments, &variables, "", columns);
    assert_eq!(shown.code, 0, "{arguments:?}: {}", shown.bytes);
    terminal::without_codes(&shown.bytes).replace("\r\n", "\n")
}
