//! The presentation of results: pure functions from domain types to text.
//!
//! Nothing here reads, writes or decides; [`Page`] holds the properties of the output (colour,
//! width, terminal or not). JSON and YAML need no view: they are the serialised domain types. On a
//! terminal tables are cut to its width and times are ages; elsewhere nothing is cut.

mod compare;
mod csv;
mod frame;
mod generation;
mod health;
mod history;
mod import;
mod jobs;
mod judge;
mod labels;
mod list;
mod markdown;
mod metrics;
mod page;
mod plot;
mod prompt;
mod providers;
#[cfg(test)]
pub(crate) mod samples;
mod search;
mod select;
mod spend;
mod stats;
pub(crate) mod symbols;
mod table;
mod trash;
mod why;
mod words;

pub(crate) use compare::{comparison, document_of_comparison, page_of_comparison};
pub(crate) use csv::{csv, csv_of_found};
pub(crate) use frame::Frame;
pub(crate) use generation::{Summary, generation, remarks};
pub(crate) use health::health;
pub(crate) use history::history;
pub(crate) use import::import;
pub(crate) use jobs::{job, job_event, job_result, jobs, unit_of};
pub(crate) use judge::{judge_labels, judge_profile, judge_profiles};
pub(crate) use list::{Layout, list};
pub(crate) use markdown::{
    document_of_found, document_of_generation, document_of_history, document_of_list, document_of_prompt,
};
pub(crate) use metrics::{csv_of_metrics, document_of_metrics, metrics};
pub(crate) use page::{Page, Paint, Role};
pub(crate) use prompt::{changed, prompt};
pub(crate) use providers::{
    document_of_provider_tests, document_of_providers, provider_test_progress, provider_tests, providers,
};
pub(crate) use search::found;
pub(crate) use select::{document_of_selection, selection};
pub(crate) use spend::{csv_of_spend, document_of_spend, spend, spend_lines};
pub(crate) use stats::{csv_of_stats, document_of_stats, stats, stats_groups};
pub(crate) use table::{Column, Table, cut};
pub(crate) use trash::trash;
pub(crate) use why::why;
pub(crate) use words::{count_of, lines, one_line, span, spent};
