//! Every fault at every provider: the outcome, the number of calls, and what is kept.
//!
//! One engine, a provider per cell, all in parallel. A cell has up to three forms. *Alone*: the
//! only variant meets the fault and the run fails. *Beside*: the second variant meets it in its
//! last phase and the first is kept. *Passing*: it happens once and the retry succeeds. The
//! snapshot is the measured matrix; every cell is also checked against the contract's table.

use std::fmt::Write as _;
use std::sync::Arc;

use aludel_core::domain::{ModelMetadata, Phase, Step};
use aludel_core::error::Problem;
use futures_util::StreamExt;
use serde_json::json;

use super::canary::Canary;
use super::fault::{Expected, Fault, ProviderAddress, Verdict};
use super::lab::{FinishedRun, KEY, Lab};
use super::stage::{Actor, ReceivedCall, good_text};
use super::vendors::{INPUT_TOKENS, MODEL, OPENROUTER_COST, OUTPUT_TOKENS, Vendor};

/// Retries of a call in the matrix.
const MAX_RETRIES: u32 = 2;

/// Parallel runs.
const SIDE_BY_SIDE: usize = 48;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    Alone,
    Beside,
    Passing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Cell {
    fault: Fault,
    fault_name: &'static str,
    vendor: Vendor,
    form: Form,
}

impl Cell {
    fn name(self) -> String {
        let form = match self.form {
            Form::Alone => "alone",
            Form::Beside => "beside",
            Form::Passing => "passing",
        };
        format!("{}-{form}-{}", self.vendor.name(), self.fault_name)
    }

    fn expected(self) -> Expected {
        self.fault.expected(self.vendor)
    }

    /// Slow faults get one call; the others show that they would be retried.
    fn max_retries(self) -> u32 {
        if self.fault.is_bulky() { 0 } else { MAX_RETRIES }
    }

    /// The forms that apply to a fault.
    fn forms(fault: Fault, vendor: Vendor) -> Vec<Form> {
        let mut forms = vec![Form::Alone];
        if fault.is_bulky() {
            if vendor == Vendor::OpenAi {
                forms.push(Form::Beside);
            }
            return forms;
        }
        // Without a server no variant succeeds, so nothing is kept. `program` has one that dies.
        if fault.place() == ProviderAddress::Stage {
            forms.push(Form::Beside);
            if fault.expected(vendor).retried {
                forms.push(Form::Passing);
            }
        }
        forms
    }

    /// True for a request that meets the fault.
    fn meets_it(self, asked: &ReceivedCall) -> bool {
        match self.form {
            Form::Alone => true,
            Form::Beside => asked.is(Phase::Coagulatio, 1),
            Form::Passing => asked.nth == 0,
        }
    }

    fn actor(self, elsewhere: &str) -> Actor {
        let elsewhere = elsewhere.to_owned();
        let mut actor = Actor::new(self.name(), self.vendor).playing(move |asked| {
            let meets_it = self.meets_it(asked);
            let is_cured = self.fault == Fault::RefusedTemperature && !asked.has_temperature;
            let script = || self.fault.script(self.vendor, &asked.key, &elsewhere).expect("a fault of this vendor");
            (meets_it && !is_cured).then(script)
        });
        actor.place = self.fault.place();
        actor.timeout_s = self.fault.timeout_s();
        actor.max_retries = self.max_retries();
        actor
    }

    fn request(self) -> serde_json::Value {
        match self.form {
            Form::Alone | Form::Passing => json!({"provider": self.name(), "count": 1, "phases": ["coagulatio"]}),
            Form::Beside => json!({"provider": self.name(), "count": 2, "phases": ["solutio", "coagulatio"]}),
        }
    }
}

/// All cells, and the reasons for those that do not exist.
fn cells() -> (Vec<Cell>, Vec<(Vendor, &'static str, &'static str)>) {
    let (mut cells, mut missing) = (Vec::new(), Vec::new());
    for (fault, fault_name) in Fault::ALL.iter().copied() {
        for vendor in Vendor::ALL {
            match fault.script(vendor, KEY, "") {
                Ok(_) => {
                    let forms = Cell::forms(fault, vendor).into_iter();
                    cells.extend(forms.map(|form| Cell { fault, fault_name, vendor, form }));
                }
                Err(reason) => missing.push((vendor, fault_name, reason)),
            }
        }
    }
    (cells, missing)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_fault_at_every_provider_ends_as_the_contract_says() {
    let (cells, missing) = cells();
    let lab = Arc::new(Lab::open("", |elsewhere| cells.iter().map(|cell| cell.actor(elsewhere)).collect()).await);
    let runs = cells.iter().map(|cell| {
        let (lab, cell) = (Arc::clone(&lab), *cell);
        async move { (cell, tokio::spawn(async move { examine(&lab, cell).await }).await) }
    });
    let mut examined: Vec<(Cell, Result<String, String>)> = futures_util::stream::iter(runs)
        .map(|run| run)
        .buffer_unordered(SIDE_BY_SIDE)
        .map(|(cell, joined)| (cell, joined.unwrap_or_else(|panic| Err(panic.to_string()))))
        .collect()
        .await;
    examined.sort_by_key(|(cell, _)| *cell);
    let wrong: Vec<String> = examined
        .iter()
        .filter_map(|(cell, outcome)| Some(format!("{}: {}", cell.name(), outcome.as_ref().err()?)))
        .collect();
    assert!(wrong.is_empty(), "{} of {} cells:\n{}", wrong.len(), examined.len(), wrong.join("\n"));
    assert_eq!(lab.stage.objections(), Vec::<String>::new());
    assert_eq!(lab.stage.elsewhere_asked(), 0, "a request went where none may go");
    let canary = Canary::of(KEY.to_owned());
    let configuration = [lab.folder.path().join("config.yaml")];
    assert_eq!(canary.found_below(lab.folder.path(), &configuration), Vec::<String>::new());
    insta::assert_snapshot!("matrix", table(&examined, &missing));
}

/// Runs a cell and checks it against the expectation; returns its entry in the matrix.
async fn examine(lab: &Lab, cell: Cell) -> Result<String, String> {
    let ran = lab.run(cell.request()).await?;
    if cell.fault == Fault::Endless {
        let asked = lab.stage.asked(&cell.name());
        for befallen in asked.iter().filter(|asked| cell.meets_it(asked)) {
            if !lab.stage.server().until_closed(befallen.connection).await {
                return Err("the server still talks to somebody".to_owned());
            }
        }
    }
    if ran.everything().contains(KEY) {
        return Err(format!("it shows the key: {}", ran.everything()));
    }
    let expected = cell.expected();
    match (cell.form, expected.verdict) {
        (_, Verdict::Answers { warning }) => cured(lab, cell, &ran, warning),
        (Form::Alone, Verdict::Fails { .. }) => failed(lab, cell, &ran),
        (Form::Beside, Verdict::Fails { .. }) => kept(lab, cell, &ran).await,
        (Form::Passing, Verdict::Fails { .. }) => passed(lab, cell, &ran),
    }
}

/// The run failed as it should.
fn failed(lab: &Lab, cell: Cell, ran: &FinishedRun) -> Result<String, String> {
    let problem = ran.failure()?;
    check_problem(cell, problem)?;
    let attempts = check_attempts(cell, ran, lab.stage.asked(&cell.name()).len())?;
    check_dates(lab, cell)?;
    let upstream = problem.upstream_status.map(|status| format!(" {status}")).unwrap_or_default();
    let code = problem.code.as_str().trim_start_matches("provider_");
    Ok(format!("{code}{upstream} ×{attempts}"))
}

/// The second variant failed as it should; the first is complete and stored.
async fn kept(lab: &Lab, cell: Cell, ran: &FinishedRun) -> Result<String, String> {
    let result = ran.result()?;
    let [prompt] = result.prompts.as_slice() else {
        return Err(format!("{} prompts are kept, not one", result.prompts.len()));
    };
    same("the variant that is kept", &prompt.variant, &0)?;
    same("its content", prompt.content.as_str(), good_text(Phase::Coagulatio, 0).as_str())?;
    same("its steps", &prompt.steps.len(), &2)?;
    prompt.steps.iter().try_for_each(|step| check_step(cell, step, 0))?;
    same("the stored prompt's content", lab.stored(prompt).await?.content.as_str(), prompt.content.as_str())?;
    let [failure] = result.failures.as_slice() else {
        return Err(format!("{} failures, not one", result.failures.len()));
    };
    same("the variant that failed", &failure.variant, &1)?;
    same("the phase it failed in", &failure.phase, &Some(Phase::Coagulatio))?;
    check_problem(cell, &failure.error)?;
    // One request per finished phase; the rest met the fault.
    check_attempts(cell, ran, lab.stage.asked(&cell.name()).len().saturating_sub(3))?;
    Ok(String::new())
}

/// It happened once, visibly, and the second call succeeded.
fn passed(lab: &Lab, cell: Cell, ran: &FinishedRun) -> Result<String, String> {
    let result = ran.result()?;
    let [prompt] = result.prompts.as_slice() else { return Err("there is no prompt".to_owned()) };
    same("the content", prompt.content.as_str(), good_text(Phase::Coagulatio, 0).as_str())?;
    prompt.steps.iter().try_for_each(|step| check_step(cell, step, 1))?;
    same("the requests", &lab.stage.asked(&cell.name()).len(), &2)?;
    let retries = ran.retries();
    same("the retries that were told", &retries.len(), &1)?;
    let least = cell.fault.least_wait_ms();
    if retries[0].1 < least || u128::from(least) > ran.took.as_millis() {
        return Err(format!("it waited {} ms where {least} were asked for", retries[0].1));
    }
    check_dates(lab, cell)?;
    Ok(" ↻".to_owned())
}

/// The call was repeated without the refused part, with a warning.
fn cured(lab: &Lab, cell: Cell, ran: &FinishedRun, warning: &str) -> Result<String, String> {
    let result = ran.result()?;
    same("the failures", &result.failures.len(), &0)?;
    let variants = if cell.form == Form::Beside { 2 } else { 1 };
    same("the prompts", &result.prompts.len(), &variants)?;
    if !result.warnings.iter().any(|said| said.contains(warning)) {
        return Err(format!("no warning of {warning}: {:?}", result.warnings));
    }
    let asked = lab.stage.asked(&cell.name());
    let with = asked.iter().filter(|asked| asked.has_temperature).count();
    if cell.form == Form::Alone {
        same("the requests with a temperature", &with, &1)?;
        same("the requests without one", &(asked.len() - with), &1)?;
    }
    Ok(if cell.form == Form::Alone { "answers ×2".to_owned() } else { String::new() })
}

fn check_problem(cell: Cell, problem: &Problem) -> Result<(), String> {
    let Expected { verdict: Verdict::Fails { code, upstream }, tells, .. } = cell.expected() else { return Ok(()) };
    let told = format!("{} ({:?}): {}", problem.code, problem.upstream_status, problem.detail);
    if problem.code != code || problem.status != code.row().status {
        return Err(format!("expected {code}, got {told}"));
    }
    // A stream that began well has a status, which may or may not be reported.
    let has_right_status = match upstream {
        Some(status) => problem.upstream_status == Some(status),
        None => problem.upstream_status.is_none_or(|status| status == 200),
    };
    if !has_right_status {
        return Err(format!("expected upstream status {upstream:?}, got {told}"));
    }
    same("the provider", &problem.provider.as_deref(), &Some(cell.name().as_str()))?;
    let asked = cell.fault.asked_wait_s();
    if problem.retry_after_s.is_some() != asked.is_some()
        || !problem.retry_after_s.zip(asked).is_none_or(|(told, (least, most))| (least..=most).contains(&told))
    {
        return Err(format!("it tells a wait of {:?} s where {asked:?} was asked for", problem.retry_after_s));
    }
    let words = problem.detail.to_lowercase();
    if let Some(untold) = tells.iter().find(|tell| !words.contains(&tell.to_lowercase())) {
        return Err(format!("it does not tell `{untold}`: {told}"));
    }
    if problem.detail.len() > 1200 || problem.detail.contains("<html") {
        return Err(format!("the whole body is in the message: {told}"));
    }
    Ok(())
}

/// Checks the attempts, as reported by the run and as seen by the server; returns their number.
fn check_attempts(cell: Cell, ran: &FinishedRun, seen: usize) -> Result<usize, String> {
    let retries = ran.retries();
    let attempts = retries.len() + 1;
    let expected = if cell.expected().retried { cell.max_retries() as usize + 1 } else { 1 };
    same("the attempts", &attempts, &expected)?;
    if cell.fault.place() == ProviderAddress::Stage {
        same("the requests the server saw", &seen, &expected)?;
    }
    let least = cell.fault.least_wait_ms();
    if let Some((_, wait)) = retries.iter().find(|(_, wait)| *wait < least) {
        return Err(format!("it waited {wait} ms where {least} were asked for"));
    }
    let in_all = u128::from(least) * retries.len() as u128;
    if ran.took.as_millis() < in_all {
        return Err(format!("it took {:?}, less than the waits it was asked for", ran.took));
    }
    Ok(attempts)
}

/// No retry came before a given date. Only for cells with one variant.
fn check_dates(lab: &Lab, cell: Cell) -> Result<(), String> {
    let asked = lab.stage.asked(&cell.name());
    let comes_early = |pair: &[ReceivedCall]| {
        let named = cell.fault.named_second(pair[0].arrived);
        named.is_some_and(|named| pair[1].arrived.as_second() < named)
    };
    if asked.windows(2).any(comes_early) {
        return Err("it came again before the date it was given".to_owned());
    }
    Ok(())
}

/// A successful step has the vendor's account, in our terms.
fn check_step(cell: Cell, step: &Step, retries: u32) -> Result<(), String> {
    let ModelMetadata { input_tokens, output_tokens, total_tokens, cost_usd, estimated, .. } = step.model_metadata;
    same("the model", step.model.as_str(), MODEL)?;
    same("the provider", step.provider.as_str(), cell.name().as_str())?;
    same("the tokens", &(input_tokens, output_tokens), &(INPUT_TOKENS, OUTPUT_TOKENS))?;
    same("the sum of the tokens", &total_tokens, &(INPUT_TOKENS + OUTPUT_TOKENS))?;
    same("whether the counts are ours", &estimated, &false)?;
    let cost = match cell.vendor {
        Vendor::OpenRouter => Some(OPENROUTER_COST),
        // A local server costs nothing.
        Vendor::Ollama => Some(0.0),
        _ => None,
    };
    same("the cost", &cost_usd, &cost)?;
    same("the retries", &step.model_metadata.retries, &retries)?;
    same("the first token's presence", &step.model_metadata.first_token_ms.is_some(), &true)
}

fn same<T: PartialEq + std::fmt::Debug + ?Sized>(what: &str, is: &T, should_be: &T) -> Result<(), String> {
    if is == should_be { Ok(()) } else { Err(format!("{what}: {is:?}, expected {should_be:?}")) }
}

/// The matrix for people: a row per fault, a column per provider, then the reasons for gaps.
fn table(examined: &[(Cell, Result<String, String>)], missing: &[(Vendor, &str, &str)]) -> String {
    let mut text = "code and upstream status × attempts; ↻ where a fault that passes is overcome by a retry;\n\
                    a fault of megabytes is given one attempt\n\n"
        .to_owned();
    let mut row = |name: &str, cells: Vec<String>| {
        let mut line = format!("{name:<24}");
        for cell in cells {
            let _ = write!(line, "{cell:<24}");
        }
        let _ = writeln!(text, "{}", line.trim_end());
    };
    row("", Vendor::ALL.iter().map(|vendor| vendor.name().to_owned()).collect());
    for (fault, name) in Fault::ALL {
        let cell_of = |vendor: &Vendor| {
            let parts = examined.iter().filter(|(cell, _)| cell.fault == *fault && cell.vendor == *vendor);
            let shown: String = parts.filter_map(|(_, outcome)| outcome.as_deref().ok()).collect();
            if shown.is_empty() { "–".to_owned() } else { shown }
        };
        row(name, Vendor::ALL.iter().map(cell_of).collect());
    }
    text.push('\n');
    for (vendor, fault, reason) in missing {
        let _ = writeln!(text, "– {} has no {fault}: {reason}", vendor.name());
    }
    text
}
