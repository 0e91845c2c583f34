//! `aludel migrate`: shows or updates the database's schema. `--from` is an import, see `import`.

use super::import::import_alchemy;
use crate::cli::Invocation;
use crate::cli::args::MigrateArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::CommandResult;

pub(crate) fn migrate(args: &MigrateArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    if let Some(path) = &args.from {
        return import_alchemy(path, args, invocation);
    }
    let engine = invocation.engine()?;
    let printer = &invocation.printer;
    let paths = engine.paths();
    let database = paths.shown(&paths.database).display().to_string();
    if args.status || args.dry_run {
        let status = engine.migration_status()?;
        printer.value(&status, |page| match (status.exists, status.pending.is_empty()) {
            (false, _) => page.line(format!("{database} does not exist yet; the first run makes it")),
            (true, true) => page.line(format!("{database} is up to date (format {})", status.current)),
            (true, false) => {
                let intent = if args.dry_run { "would be migrated" } else { "needs to be migrated" };
                page.line(format!("{database} {intent} from format {} to {}:", status.current, status.latest));
                status.pending.iter().for_each(|name| page.line(format!("  {name}")));
            }
        })?;
        return Ok(Exit::Done);
    }
    let report = engine.migrate()?;
    let backup = report.backup.as_ref().map(|path| paths.shown(path).display().to_string());
    printer.value(&report, |page| {
        if report.applied.is_empty() {
            page.line(format!("{database} is up to date (format {})", report.to));
            return;
        }
        page.line(format!("{database} was migrated from format {} to {}:", report.from, report.to));
        report.applied.iter().for_each(|name| page.line(format!("  {name}")));
        if let Some(backup) = &backup {
            page.line(format!("a backup of it is {backup}"));
        }
    })?;
    Ok(Exit::Done)
}
