//! `aludel validate`: checks everything a run needs.

use aludel_core::api::ValidateRequest;
use aludel_core::engine::{CheckStatus, Validation};

use crate::cli::Invocation;
use crate::cli::args::ValidateArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::{CommandResult, Failure};
use crate::cli::view::symbols::{BAD, GOOD};
use crate::cli::view::{Page, Role};
use crate::cli::wait::wait;

pub(crate) fn validate(args: &ValidateArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let engine = invocation.engine()?;
    let request: ValidateRequest = engine.decode(args.request())?;
    let validation = wait(engine.validate(request));
    invocation.printer.value(&validation, |page| write(page, &validation))?;
    if validation.valid { Ok(Exit::Done) } else { Err(Failure::Reported(Exit::Failed)) }
}

/// Least columns for a finding next to the name of its check.
const NARROWEST: usize = 30;

fn write(page: &mut Page, validation: &Validation) {
    let widest = validation.checks.iter().map(|check| check.name.chars().count()).max().unwrap_or(0);
    for check in &validation.checks {
        let (mark, role) = match check.status {
            CheckStatus::Ok => (GOOD.as_str(), Role::Good),
            CheckStatus::Warning => ("!", Role::Warning),
            CheckStatus::Failed => (BAD.as_str(), Role::Bad),
        };
        if page.is_terminal() && page.width() < widest + 4 + NARROWEST {
            page.marked(role, mark, &check.name, 2);
            page.paragraph(Role::Body, &format!("  {}", check.detail), 2);
        } else {
            page.marked(role, mark, &format!("{:widest$}  {}", check.name, check.detail), widest + 4);
        }
    }
    let count = |status: CheckStatus| validation.checks.iter().filter(|check| check.status == status).count();
    let (failed, warnings) = (count(CheckStatus::Failed), count(CheckStatus::Warning));
    page.gap();
    match (failed, warnings) {
        (0, 0) => page.painted(Role::Good, "all checks passed"),
        (0, _) => page.painted(Role::Good, "all required checks passed"),
        (1, _) => page.painted(Role::Bad, "one check failed"),
        _ => page.painted(Role::Bad, &format!("{failed} checks failed")),
    }
}
