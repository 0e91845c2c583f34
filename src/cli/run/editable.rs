//! `aludel personas` and `aludel templates`: lists, shows and copies them, and themes.

use std::io::IsTerminal;
use std::path::Path;
use std::process::Command;

use aludel_core::assets::{AssetInfo, AssetText, Origin};
use aludel_core::error::Error;
use serde_json::json;

use crate::cli::args::{EditableCommand, PersonasArgs, TemplatesArgs};
use crate::cli::exit::Exit;
use crate::cli::failure::CommandResult;
use crate::cli::view::{Column, Role, Table};
use crate::cli::{Invocation, input};

pub(crate) fn personas(args: &PersonasArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let engine = invocation.engine()?;
    match &args.command {
        None | Some(EditableCommand::List) => list(&engine.personas(), false, invocation),
        Some(EditableCommand::Show { name }) => show(&engine.persona_text(name)?, invocation),
        Some(EditableCommand::Edit { name }) => match engine.persona_text(name)?.origin {
            Origin::User(copy) => edit(&copy, invocation),
            Origin::Builtin => edit(&engine.copy_persona(name)?, invocation),
        },
    }?;
    Ok(Exit::Done)
}

pub(crate) fn templates(args: &TemplatesArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let engine = invocation.engine()?;
    match &args.command {
        None | Some(EditableCommand::List) => list(&engine.templates(), true, invocation),
        Some(EditableCommand::Show { name }) => show(&engine.template_text(name)?, invocation),
        Some(EditableCommand::Edit { name }) => match engine.template_text(name)?.origin {
            Origin::User(copy) => edit(&copy, invocation),
            Origin::Builtin => edit(&engine.copy_template(name)?, invocation),
        },
    }?;
    Ok(Exit::Done)
}

fn list(infos: &[AssetInfo], with_kind: bool, invocation: &Invocation<'_>) -> CommandResult {
    invocation.printer.value(&infos, |page| {
        let mut columns = vec![Column::words("name").painted(Role::Handle)];
        if with_kind {
            columns.push(Column::words("kind").painted(Role::Faint));
        }
        columns.extend([Column::words("from").painted(Role::Faint), Column::words("what it is for")]);
        let mut table = Table::new(columns).wrapping();
        for info in infos {
            let mut cells = vec![info.name.clone()];
            if with_kind {
                cells.push(info.kind.as_str().to_owned());
            }
            let from = if info.origin == Origin::Builtin { "built in" } else { "yours" };
            let problem = info.problem.as_ref().map(|problem| format!("cannot be used: {problem}"));
            cells.extend([from.to_owned(), problem.unwrap_or_else(|| info.description.clone())]);
            table.row(cells);
        }
        table.write(page);
    })
}

fn show(asset: &AssetText, invocation: &Invocation<'_>) -> CommandResult {
    invocation.printer.value(asset, |page| page.exactly(&asset.text))
}

/// Opens the copy in the user's editor; without a terminal, prints its path.
fn edit(copy: &Path, invocation: &Invocation<'_>) -> CommandResult {
    let environment = invocation.environment;
    let editor = environment.get("VISUAL").or(environment.get("EDITOR"));
    let has_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let line = copy.display().to_string();
    let Some(editor) = editor.filter(|_| has_terminal) else {
        return invocation.printer.value(&json!({ "path": copy }), |page| page.line(&line));
    };
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or(editor);
    let failed = |reason: String| Error::File { action: "edit", path: copy.into(), reason };
    let status = Command::new(program)
        .args(words)
        .arg(copy)
        .status()
        .map_err(|error| failed(format!("`{editor}` cannot be started: {}", input::reason(&error))))?;
    if !status.success() {
        return Err(failed(format!("`{editor}` ended with {status}")).into());
    }
    // Read the copy again, so that a mistake shows at once.
    let engine = invocation.engine()?;
    let infos = engine.personas().into_iter().chain(engine.templates());
    let problem = infos.filter(|info| info.origin == Origin::User(copy.into())).find_map(|info| info.problem);
    match problem {
        Some(problem) => Err(failed(format!("it is not valid yet: {problem}")).into()),
        None => {
            invocation.printer.note(format!("{line} is now used"));
            Ok(())
        }
    }
}
