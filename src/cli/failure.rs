//! Why a command did not come to its end.
//!
//! Most are errors of the core, shown as the same problem on every face. The rest belong to a command line alone:
//! usage as clap sees it, a reader of standard output that went away, a signal.

use aludel_core::error::{Code, Error, Problem};

use super::exit::Exit;

/// Why a command did not come to its end.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An error of the core, or of this face in the core's words.
    Error(Error),
    /// A run that failed, as its last event told it.
    Problem(Box<Problem>),
    /// The command line itself cannot be read; also `--help`, which clap reports the same way.
    Usage(Box<clap::Error>),
    /// Whoever read standard output has had enough. Nothing is wrong.
    ReaderGone,
    /// Everything has been said; only the exit code is left.
    Said(Exit),
}

/// What a command gives back.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    /// The exit code it ends with.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Error(error) => Exit::from(error.code()),
            Self::Problem(problem) => Exit::from(problem.code),
            Self::Usage(error) if error.use_stderr() => Exit::from(Code::InvalidRequest),
            Self::Usage(_) | Self::ReaderGone => Exit::Done,
            Self::Said(exit) => *exit,
        }
    }
}

/// What a command came to, once the engine is closed too. Of two failures one problem is told, which says both. One of ours
/// outranks a cap that was reached and a signal, because something that was made is not stored.
pub(crate) fn and_closed<T>(outcome: Outcome<T>, closed: Result<(), Error>) -> Outcome<T> {
    let Err(unwritten) = closed.map_err(Problem::from) else { return outcome };
    let first = match outcome {
        Err(Failure::Error(error)) => Problem::from(error),
        Err(Failure::Problem(problem)) => *problem,
        // Nothing is left to tell of these.
        Ok(_) | Err(Failure::Usage(_) | Failure::ReaderGone | Failure::Said(_)) => {
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

    fn ended(outcome: Outcome<Exit>, closed: Result<(), Error>) -> Exit {
        and_closed(outcome, closed).unwrap_or_else(|failure| failure.exit())
    }

    fn problem(error: Error) -> Outcome<Exit> {
        Err(Failure::Problem(Box::new(Problem::from(error))))
    }

    #[test]
    fn what_could_not_be_stored_outranks_a_cap_and_a_signal() {
        let unwritten = || Err(Error::Storage("what a call cost is not written down".into()));
        assert_eq!(ended(Ok(Exit::Done), Ok(())), Exit::Done);
        assert_eq!(ended(Ok(Exit::Done), unwritten()), Exit::Failed);
        assert_eq!(ended(problem(Error::Budget("the cap is reached".into())), unwritten()), Exit::Failed);
        assert_eq!(ended(Err(Failure::Said(Exit::Interrupted)), unwritten()), Exit::Failed);
        assert_eq!(ended(problem(Error::value("count", "is 0")), unwritten()), Exit::BadInput);
    }

    #[test]
    fn of_two_failures_one_problem_says_both() {
        let cap = problem(Error::Budget("the cap is reached".into()));
        let Err(Failure::Problem(told)) = and_closed(cap, Err(Error::Storage("no space is left".into()))) else {
            panic!("no problem is told")
        };
        assert_eq!(told.code, Code::Storage);
        assert!(told.detail.contains("no space is left") && told.detail.contains("the cap is reached"), "{told:?}");
    }
}
