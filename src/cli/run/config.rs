//! `aludel config`: shows and changes the configuration. The core validates it.

use aludel_core::assets::Assets;
use aludel_core::config::edit::{self, Setting};
use aludel_core::config::{Origin, Paths};
use aludel_core::error::{ConfigError, ConfigFault, ConfigSource, Error, Result};
use serde_json::{Value, json};

use crate::cli::Invocation;
use crate::cli::args::{ConfigArgs, ConfigCommand};
use crate::cli::exit::Exit;
use crate::cli::failure::CommandResult;
use crate::cli::format::Format;
use crate::cli::view::symbols::NONE;
use crate::cli::view::{Column, Page, Role, Table};

pub(crate) fn config(args: &ConfigArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    match &args.command {
        ConfigCommand::Show { origin } => show(*origin, invocation),
        ConfigCommand::Get { key } => get(key, invocation),
        ConfigCommand::Set { key, value } => set(key, value, invocation),
        ConfigCommand::Validate => validate(invocation),
        ConfigCommand::Export => export(invocation),
        ConfigCommand::Path => path(invocation),
        ConfigCommand::Init => init(invocation),
    }?;
    Ok(Exit::Done)
}

/// The paths in use; works with a broken file too.
fn paths(invocation: &Invocation<'_>) -> Result<Paths> {
    Paths::resolve(&invocation.globals.flags(), invocation.environment)
}

fn show(with_origin: bool, invocation: &Invocation<'_>) -> CommandResult {
    let loaded = invocation.load(&invocation.globals.flags())?;
    let settings = edit::show(&loaded)?;
    let shown = |origin: &Origin| match origin {
        Origin::File { path, line } => format!("{}:{line}", loaded.paths.shown(path).display()),
        other => other.to_string(),
    };
    let rows: Vec<Value> = settings
        .iter()
        .map(|setting| json!({ "key": setting.key, "value": setting.value, "origin": setting.origin.to_string() }))
        .collect();
    invocation.printer.value(&rows, |page| {
        let mut columns = vec![Column::words("key")];
        if with_origin {
            columns.push(Column::words("origin").painted(Role::Faint));
        }
        columns.push(Column::words("value").painted(Role::Heading));
        let mut table = Table::new(columns).wrapping();
        for setting in &settings {
            let origin = with_origin.then(|| shown(&setting.origin));
            let cells = [Some(setting.key.clone()), origin, Some(value_of(setting))];
            table.row(cells.into_iter().flatten().collect());
        }
        table.write(page);
    })
}

fn value_of(setting: &Setting) -> String {
    match &setting.value {
        Value::Null => NONE.to_string(),
        Value::Array(items) if items.is_empty() => NONE.to_string(),
        value => in_words(value),
    }
}

/// A value as a user types it: text without quotes, lists with commas.
fn in_words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(in_words).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

fn get(key: &str, invocation: &Invocation<'_>) -> CommandResult {
    let loaded = invocation.load(&invocation.globals.flags())?;
    let value = edit::get(&loaded, key)?;
    if value.is_null() && invocation.printer.format() == Format::Text {
        invocation.printer.note(format!("{key} is not set"));
        return Ok(());
    }
    let section = value.is_object().then(|| serde_yaml::to_string(&value).unwrap_or_default());
    invocation.printer.value(&value, |page| match &section {
        Some(yaml) => page.exactly(yaml),
        None => page.line(in_words(&value)),
    })
}

fn set(key: &str, value: &str, invocation: &Invocation<'_>) -> CommandResult {
    let paths = paths(invocation)?;
    check_workbench(key, value, &paths, invocation)?;
    edit::set(&paths, key, value)?;
    let file = paths.shown(&paths.config_file).display().to_string();
    tell(invocation, &json!({ "key": key, "file": paths.config_file }), |page| {
        page.line(format!("set {key} in {file}"));
    })
}

/// Refuses a value that would keep the workbench from opening, before it is written. Existing
/// faults of other keys are ignored, so that several faults can be fixed one by one.
fn check_workbench(key: &str, value: &str, paths: &Paths, invocation: &Invocation<'_>) -> CommandResult {
    let Some(check) = invocation.launchers.workbench_check.filter(|_| key.starts_with("tui.")) else { return Ok(()) };
    let assets = Assets::below(&paths.home);
    let (before, origins) = edit::of_file(paths)?;
    let (after, _) = edit::as_if_set(paths, key, value)?;
    let known = check(&before.tui, &assets);
    let new = check(&after.tui, &assets).into_iter().filter(|fault| fault.0 == key || !known.contains(fault));
    let faults = new.map(|(faulty, message)| {
        let fault = origins.fault(paths, &faulty, message);
        if faulty == key { ConfigFault { source: ConfigSource::Argument, line: None, ..fault } } else { fault }
    });
    refuse(faults.collect())
}

fn refuse(faults: Vec<ConfigFault>) -> CommandResult {
    if faults.is_empty() { Ok(()) } else { Err(Error::from(ConfigError { faults }).into()) }
}

fn validate(invocation: &Invocation<'_>) -> CommandResult {
    let paths = paths(invocation)?;
    edit::validate(&paths)?;
    if let Some(check) = invocation.launchers.workbench_check {
        let (config, origins) = edit::of_file(&paths)?;
        let faults = check(&config.tui, &Assets::below(&paths.home)).into_iter();
        let chosen = faults.filter(|(key, _)| origins.of(key) != Origin::Default);
        refuse(chosen.map(|(key, message)| origins.fault(&paths, &key, message)).collect())?;
    }
    let file = paths.shown(&paths.config_file).display().to_string();
    let sentence = if paths.config_file.exists() {
        format!("{file} is valid")
    } else {
        format!("{file} does not exist; the defaults apply")
    };
    tell(invocation, &json!({ "valid": true, "file": paths.config_file }), |page| page.line(&sentence))
}

fn export(invocation: &Invocation<'_>) -> CommandResult {
    let loaded = invocation.load(&invocation.globals.flags())?;
    match invocation.printer.format() {
        Format::Json | Format::Jsonl => invocation.printer.value(&edit::get(&loaded, "")?, |_| {}),
        _ => invocation.printer.exactly(&edit::export(&loaded)?),
    }
}

fn path(invocation: &Invocation<'_>) -> CommandResult {
    let paths = paths(invocation)?;
    let line = paths.config_file.display().to_string();
    invocation.printer.value(&json!({ "path": paths.config_file }), |page| page.line(&line))
}

fn init(invocation: &Invocation<'_>) -> CommandResult {
    let paths = paths(invocation)?;
    edit::init(&paths, invocation.globals.yes)?;
    let file = paths.shown(&paths.config_file).display().to_string();
    tell(invocation, &json!({ "path": paths.config_file }), |page| {
        page.line(format!("wrote {file}; everything in it is commented out, with examples"));
    })
}

/// Reports what was done: to people on standard error, to programs as data.
fn tell(invocation: &Invocation<'_>, value: &Value, text: impl FnOnce(&mut Page)) -> CommandResult {
    let printer = &invocation.printer;
    if printer.format() == Format::Text {
        if !printer.is_quiet() {
            printer.value(value, text)?;
        }
        return Ok(());
    }
    printer.value(value, |_| {})
}
