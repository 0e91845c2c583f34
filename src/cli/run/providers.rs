//! `aludel providers`: lists the providers, and why one cannot be used.

use serde_json::json;

use crate::cli::Invocation;
use crate::cli::args::ProvidersArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::CommandResult;
use crate::cli::format::Format;
use crate::cli::printer::json_line;
use crate::cli::view;
use crate::cli::wait;

pub(crate) fn providers(args: &ProvidersArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let engine = invocation.engine()?;
    let printer = &invocation.printer;
    let (providers, unlisted) = wait::on_a_runtime(async {
        let mut providers = engine.providers().await;
        let unlisted = if args.models { engine.list_models(&mut providers).await } else { Vec::new() };
        (providers, unlisted)
    })?;
    match printer.format() {
        Format::Jsonl => printer.data(&providers.iter().map(json_line).collect::<CommandResult<String>>()?)?,
        Format::Markdown => printer.data(view::document_of_providers(&providers, args.models))?,
        Format::Text if printer.is_quiet() => {
            let usable = providers.iter().filter(|provider| provider.available);
            printer.data(view::lines(usable.map(|provider| &provider.name)))?;
        }
        Format::Text | Format::Json | Format::Yaml | Format::Csv | Format::Html => {
            printer.value(&json!({ "providers": providers }), |page| view::providers(page, &providers, args.models))?;
        }
    }
    for error in &unlisted {
        printer.say(format!("only the models that aludel knows are listed: {error}"));
    }
    Ok(Exit::Done)
}
