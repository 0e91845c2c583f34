//! `aludel test-providers`: a real call to each, shown as they answer.
//!
//! A provider that fails is a result and not an error of the command: everything that was found goes to standard
//! output, and the exit code tells that one failed.

use std::cell::RefCell;

use aludel_core::api::TestProvidersRequest;
use aludel_core::domain::{ProviderTest, ProviderTests};
use aludel_core::engine::Engine;
use aludel_core::error::Error;

use crate::cli::Invocation;
use crate::cli::args::TestProvidersArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Outcome};
use crate::cli::format::Format;
use crate::cli::interrupt::Interrupts;
use crate::cli::printer::{Printer, json_line};
use crate::cli::progress::{self, Progress};
use crate::cli::view;
use crate::cli::wait;

pub(crate) fn test_providers(args: &TestProvidersArgs, invocation: &Invocation<'_>) -> Outcome<Exit> {
    let engine = invocation.engine()?;
    let request: TestProvidersRequest = engine.decode(args.request())?;
    let printer = &invocation.printer;
    let tests = wait::on_a_runtime(watch(&engine, request, printer))??;
    match printer.format() {
        Format::Jsonl => printer.data(&tests.providers.iter().map(json_line).collect::<Outcome<String>>()?)?,
        Format::Markdown => printer.data(view::document_of_provider_tests(&tests))?,
        _ => printer.value(&tests, |page| view::provider_tests(page, &tests))?,
    }
    if tests.ok { Ok(Exit::Done) } else { Err(Failure::Said(Exit::ProviderFailed)) }
}

/// Tests them, drawing who has answered. A signal ends it, and with it the calls.
async fn watch(engine: &Engine, request: TestProvidersRequest, printer: &Printer) -> Outcome<ProviderTests> {
    let mut interrupts = Interrupts::listen()
        .map_err(|error| Error::Internal(format!("cannot install the signal handlers: {error}")))?;
    let mut ticks = tokio::time::interval(progress::INTERVAL);
    let mut progress = printer.may_draw().then(Progress::new);
    let known: RefCell<Vec<ProviderTest>> = RefCell::default();
    let tests = engine.test_providers(request, |test| known.borrow_mut().push(test.clone()));
    tokio::pin!(tests);
    let outcome = loop {
        tokio::select! {
            biased;
            () = interrupts.next() => break Err(Failure::Said(Exit::Interrupted)),
            tests = &mut tests => break Ok(tests),
            _ = ticks.tick(), if progress.is_some() => {
                if let Some(progress) = &mut progress {
                    progress.draw_lines(printer, |frame| view::provider_test_progress(&known.borrow(), frame));
                }
            }
        }
    };
    if let Some(progress) = &mut progress {
        progress.clear(printer);
    }
    outcome
}
