//! The output and exit code of a command, with the checks that tests make.

use std::process::Output;

use serde_json::Value;

/// The output and exit code of a command.
#[derive(Debug)]
pub(crate) struct CommandOutput {
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
    /// The exit code; -1 when a signal ended it.
    pub(crate) code: i32,
}

impl From<Output> for CommandOutput {
    fn from(output: Output) -> Self {
        Self {
            stdout: String::from_utf8(output.stdout).expect("UTF-8 on standard output"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8 on standard error"),
            code: output.status.code().unwrap_or(-1),
        }
    }
}

impl CommandOutput {
    /// Asserts success without any standard error.
    #[track_caller]
    pub(crate) fn quietly_done(self) -> Self {
        let said = self.done();
        assert_eq!(said.stderr, "", "standard error is not empty");
        said
    }

    /// Asserts success.
    #[track_caller]
    pub(crate) fn done(self) -> Self {
        assert_eq!(self.code, 0, "it failed: {}", self.stderr);
        self
    }

    /// Asserts failure with this exit code and no standard output.
    #[track_caller]
    pub(crate) fn failed(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        assert_eq!(self.stdout, "", "a failure put out data");
        self
    }

    /// Standard output as one JSON value.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error} in: {}", self.stdout))
    }

    /// Standard output as JSON values, one per line.
    #[track_caller]
    pub(crate) fn json_lines(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON in every line")).collect()
    }

    /// Standard error as the JSON of a problem.
    #[track_caller]
    pub(crate) fn problem(&self) -> Value {
        serde_json::from_str(&self.stderr).unwrap_or_else(|error| panic!("{error} in: {}", self.stderr))
    }
}
