//! The commands, one file each: read the input, call the engine, print the result.

mod batch;
mod compare;
mod config;
mod delete;
mod editable;
mod export;
mod generate;
mod health;
mod history;
mod import;
mod jobs;
mod judge;
mod launchers;
mod list;
mod mcp_config;
mod metrics;
mod migrate;
mod output_file;
mod providers;
mod reindex;
mod scripts;
mod search;
mod select;
mod show;
mod spend;
mod stats;
mod test_providers;
mod texts;
mod token;
mod trash;
mod update;
mod validate;
mod version;
mod watching;
mod why;

pub(crate) use batch::batch;
pub(crate) use compare::compare;
pub(crate) use config::config;
pub(crate) use delete::delete;
pub(crate) use editable::{personas, templates};
pub(crate) use export::export;
pub(crate) use generate::generate;
pub(crate) use health::health;
pub(crate) use history::history;
pub(crate) use import::import;
pub(crate) use jobs::jobs;
pub(crate) use judge::judge;
pub(crate) use launchers::{http_server, no_command, serve, workbench};
pub(crate) use list::list;
pub(crate) use mcp_config::mcp_config;
pub(crate) use metrics::metrics;
pub(crate) use migrate::migrate;
pub(crate) use providers::providers;
pub(crate) use reindex::reindex;
pub(crate) use scripts::{completions, man};
pub(crate) use search::{search, similar};
pub(crate) use select::select;
pub(crate) use show::show;
pub(crate) use spend::spend;
pub(crate) use stats::stats;
pub(crate) use test_providers::test_providers;
pub(crate) use token::token;
pub(crate) use trash::trash;
pub(crate) use update::update;
pub(crate) use validate::validate;
pub(crate) use version::version;
pub(crate) use why::why;

/// The message if no stored prompt matches.
fn nothing_stored(chooses_all: bool) -> &'static str {
    if chooses_all {
        "nothing is stored yet: aludel generate \"Write a haiku\" makes the first prompts"
    } else {
        "no stored prompt matches these filters"
    }
}

/// The error for a run with the result of another operation, which is a bug.
fn unexpected_outcome(outcome: &aludel_core::event::Outcome) -> crate::cli::failure::Failure {
    aludel_core::error::Error::Internal(format!("the run came to a result of {}", outcome.operation())).into()
}
