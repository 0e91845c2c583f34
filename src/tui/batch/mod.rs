//! Batches, for both workbenches: a file of rows becomes an offer, which says what it can take.
//!
//! Nothing is sent and nothing is stored before the offer is accepted. `words` has the sentences
//! about an offer and about a batch under way.

pub(crate) mod words;

use std::fs::File;
use std::path::{Path, PathBuf};

use aludel_core::api::BatchRequest;
use aludel_core::engine::{BadRows, BatchInput, Engine, Estimate, Preflight, Prepared};
use aludel_core::error::{Error, Result};
use aludel_core::files;
use aludel_core::transfer::Input;
use serde_json::Value;

/// Rows between two reports of the check.
const REPORTED_EVERY: u64 = 100;

/// A checked batch that has not started: what it is, and the most that it can take.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BatchOffer {
    /// The file.
    pub(crate) path: String,
    /// Rows.
    pub(crate) rows: u64,
    /// What applies to each row that does not say otherwise, as name and value.
    pub(crate) settings: Vec<(String, String)>,
    /// The most that all rows can take.
    pub(crate) estimate: Estimate,
    /// How long it takes, if its models have made prompts here before.
    pub(crate) seconds: Option<f64>,
    /// The budget that consent gives it: only if it may cost more than passes without a question.
    pub(crate) budget_usd: Option<f64>,
}

/// Checks the rows of a file and prepares a batch of them. Another thread reads the file; it tells
/// `goes_on` how many rows are checked, and stops when that says false.
///
/// # Errors
/// As [`Engine::check_batch`]; `cancelled` when it was stopped.
pub(crate) async fn offer(
    engine: &Engine,
    raw: Value,
    path: &str,
    goes_on: impl Fn(u64) -> bool + Send + 'static,
) -> Result<(BatchOffer, Prepared)> {
    let request: BatchRequest = engine.decode(raw)?;
    let path = PathBuf::from(path);
    let (own, asked) = (engine.clone(), request.clone());
    let name = path.clone();
    let checked = tokio::task::spawn_blocking(move || {
        let mut input = BatchInput::File(open_input(&name)?);
        let reported = |rows: u64| !rows.is_multiple_of(REPORTED_EVERY) || goes_on(rows);
        let checked = own.check_batch_while(&asked, &mut input, BadRows::Refuse, true, reported)?;
        Ok::<_, Error>((input, checked))
    })
    .await;
    let failed = |error| Error::Internal(format!("the check of the rows ended abnormally: {error}"));
    let (input, checked) = checked.map_err(failed)??;
    let estimate = checked.estimate.clone().unwrap_or_default();
    let seconds = engine.expected_seconds(&request, &estimate).await?;
    let settings = settings(&request);
    let prepared = engine.prepare_batch(request, input, &checked)?;
    let budget_usd = match prepared.preflight() {
        Preflight::Ask(estimate) => estimate.most_usd,
        Preflight::Clear | Preflight::Unknown(_) => None,
    };
    let path = path.display().to_string();
    Ok((BatchOffer { path, rows: checked.rows, settings, estimate, seconds, budget_usd }, prepared))
}

/// Opens a file to read it twice.
///
/// # Errors
/// `validation_failed` for an empty name and for what is no regular file; `file` when it cannot be
/// read.
pub(crate) fn open_input(name: &Path) -> Result<Input<File>> {
    if name.as_os_str().is_empty() {
        return Err(Error::value("file", "is empty: name the file to read"));
    }
    let failed = |error: &std::io::Error| files::failure("read", name, error);
    let found = name.metadata().map_err(|error| failed(&error))?;
    if found.is_dir() {
        return Err(failed(&std::io::ErrorKind::IsADirectory.into()));
    }
    // Opening a pipe would block until something writes to it.
    if !found.is_file() {
        return Err(Error::value("file", "is not a regular file: copy its content to one first"));
    }
    let source = File::open(name).map_err(|error| failed(&error))?;
    Ok(Input { name: name.to_owned(), source })
}

/// What the request sets for its rows.
fn settings(request: &BatchRequest) -> Vec<(String, String)> {
    let mut settings: Vec<(String, String)> =
        request.defaults.iter().map(|(name, value)| (name.clone(), in_words(value))).collect();
    if !request.target_models.is_empty() {
        settings.push(("target_model".to_owned(), request.target_models.join(", ")));
    }
    settings
}

fn in_words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(in_words).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
