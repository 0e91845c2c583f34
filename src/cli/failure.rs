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
