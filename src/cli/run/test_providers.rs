//! `aludel test-providers`: makes a real call to each provider, shown as they answer.
//!
//! A failing provider is a result, not an error of the command: all results go to standard output,
//! and the exit code says that one failed.

use aludel_core::api::TestProvidersRequest;
use aludel_core::error::Error;
use aludel_core::event::Outcome;

use super::watching::{Watcher, watch};
use crate::cli::Invocation;
use crate::cli::args::TestProvidersArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::{CommandResult, Failure};
use crate::cli::format::Format;
use crate::cli::interrupt::Interrupts;
use crate::cli::printer::json_line;
use crate::cli::view;
use crate::cli::wait;

pub(crate) fn test_providers(args: &TestProvidersArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let engine = invocation.engine()?;
    let request: TestProvidersRequest = engine.decode(args.request())?;
    let printer = &invocation.printer;
    let mut watcher = Watcher::of_progress(printer);
    let ended = wait::on_a_runtime(async {
        let mut interrupts = Interrupts::listen()
            .map_err(|error| Error::Internal(format!("cannot install the signal handlers: {error}")))?;
        watch(engine.test_providers(request), &mut watcher, &mut interrupts).await
    })?;
    watcher.clear();
    ended?;
    let tests = match watcher.result(|_| None)? {
        Outcome::TestProviders(tests) => tests,
        other => return Err(super::unexpected_outcome(&other)),
    };
    match printer.format() {
        Format::Jsonl => printer.data(&tests.providers.iter().map(json_line).collect::<CommandResult<String>>()?)?,
        Format::Markdown => printer.data(view::document_of_provider_tests(&tests))?,
        _ => printer.value(&tests, |page| view::provider_tests(page, &tests))?,
    }
    if tests.ok { Ok(Exit::Done) } else { Err(Failure::Reported(Exit::ProviderFailed)) }
}
