//! Why a command failed.
//!
//! Most failures are errors of the core, shown as the same problem on every face. The others exist
//! only on a command line: usage as clap reports it, a closed standard output, a signal.

use aludel_core::error::{Code, Error, Problem};

use super::exit::Exit;

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An error of the core, or one of this face with a code of the core.
    Error(Error),
    /// A run that failed, with the problem of its last event.
    Problem(Box<Problem>),
    /// The command line is invalid; also `--help`, which clap reports the same way.
    Usage(Box<clap::Error>),
    /// The reader of standard output closed it. Not an error.
    PipeClosed,
    /// Everything was reported already; only the exit code is left.
    Reported(Exit),
}

/// The result of a command.
pub(crate) type CommandResult<T = ()> = Result<T, Failure>;

impl Failure {
    /// The exit code for it.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Error(error) => Exit::from(error.code()),
            Self::Problem(problem) => Exit::from(problem.code),
            Self::Usage(error) if error.use_stderr() => Exit::from(Code::InvalidRequest),
            Self::Usage(_) | Self::PipeClosed => Exit::Done,
            Self::Reported(exit) => *exit,
        }
    }
}

/// Combines a command's result with that of closing the engine: two failures become one problem. A
/// failed close outranks a reached cap and a signal, because data is lost.
pub(crate) fn with_close_result<T>(outcome: CommandResult<T>, closed: Result<(), Error>) -> CommandResult<T> {
    let Err(unwritten) = closed.map_err(Problem::from) else { return outcome };
    let first = match outcome {
        Err(Failure::Error(error)) => Problem::from(error),
        Err(Failure::Problem(problem)) => *problem,
        // There is no problem to combine with.
        Ok(_) | Err(Failure::Usage(_) | Failure::PipeClosed | Failure::Reported(_)) => {
            return Err(Failure::Problem(Box::new(unwritten)));
        }
    };
    let outranks = Exit::from(first.code) == Exit::BudgetExceeded;
    let (mut told, other) = if outranks { (unwritten, first) } else { (first, unwritten) };
    told.detail = format!("{}\n{}", told.detail, other.detail);
    Err(Failure::Problem(Box::new(told)))
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        Self::Usage(Box::new(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(outcome: CommandResult<Exit>, closed: Result<(), Error>) -> Exit {
        with_close_result(outcome, closed).unwrap_or_else(|failure| failure.exit())
    }

    fn problem(error: Error) -> CommandResult<Exit> {
        Err(Failure::Problem(Box::new(Problem::from(error))))
    }

    #[test]
    fn what_could_not_be_stored_outranks_a_cap_and_a_signal() {
        let unwritten = || Err(Error::Storage("what a call cost is not written down".into()));
        assert_eq!(ended(Ok(Exit::Done), Ok(())), Exit::Done);
        assert_eq!(ended(Ok(Exit::Done), unwritten()), Exit::Failed);
        assert_eq!(ended(problem(Error::Budget("the cap is reached".into())), unwritten()), Exit::Failed);
        assert_eq!(ended(Err(Failure::Reported(Exit::Interrupted)), unwritten()), Exit::Failed);
        assert_eq!(ended(problem(Error::value("count", "is 0")), unwritten()), Exit::BadInput);
    }

    #[test]
    fn of_two_failures_one_problem_says_both() {
        let cap = problem(Error::Budget("the cap is reached".into()));
        let Err(Failure::Problem(told)) = with_close_result(cap, Err(Error::Storage("no space is left".into()))) else {
            panic!("no problem is told")
        };
        assert_eq!(told.code, Code::Storage);
        assert!(told.detail.contains("no space is left") && told.detail.contains("the cap is reached"), "{told:?}");
    }
}
