//! Errors of the configuration: where, which key, what was expected.
//!
//! An error lists every fault found. A fault in a file has its line, counted from 1. A message
//! never holds a secret: values of secret keys are not echoed, values from `${NAME}` are shown as
//! written, and everything else passes [`crate::redact::mask`].

use std::fmt;
use std::path::{Path, PathBuf};

/// Every fault of one configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// Every fault found, at least one: of the file by line, then of the environment, then flags.
    pub faults: Vec<ConfigFault>,
}

/// The source of a faulty value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigSource {
    /// A file, as shown to people: the user's home folder is written `~`.
    File(PathBuf),
    /// An environment variable, by name.
    Environment(String),
    /// A flag, by name with its dashes.
    Flag(String),
    /// A value given to `config set`.
    Argument,
}

/// One fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigFault {
    /// Where it is.
    pub source: ConfigSource,
    /// Dotted key, such as `generation.default_count`; empty for the whole file or variable.
    pub key: String,
    /// Line in the file, from 1.
    pub line: Option<usize>,
    /// Column in the line, from 1, for YAML syntax errors.
    pub column: Option<usize>,
    /// What was expected, and the fix.
    pub message: String,
}

impl ConfigError {
    /// An error with a single fault.
    pub fn one(fault: ConfigFault) -> Self {
        Self { faults: vec![fault] }
    }

    /// Fails when there are faults, those of the file first, by line.
    pub(crate) fn unless_empty(mut faults: Vec<ConfigFault>) -> Result<(), Self> {
        if faults.is_empty() {
            return Ok(());
        }
        faults.sort_by_key(|fault| {
            let place = match fault.source {
                ConfigSource::File(_) => 0,
                ConfigSource::Environment(_) => 1,
                ConfigSource::Flag(_) | ConfigSource::Argument => 2,
            };
            (place, fault.line.unwrap_or(usize::MAX))
        });
        Err(Self { faults })
    }
}

impl ConfigFault {
    /// A fault in a file, given as shown to people, with its line from 1 where known.
    pub fn in_file(path: &Path, key: impl Into<String>, line: Option<usize>, message: impl Into<String>) -> Self {
        let source = ConfigSource::File(path.to_owned());
        Self { source, key: key.into(), line, column: None, message: message.into() }
    }

    /// A fault of an environment variable.
    pub(crate) fn environment(name: &str, key: &str, message: impl Into<String>) -> Self {
        let source = ConfigSource::Environment(name.to_owned());
        Self { source, key: key.to_owned(), line: None, column: None, message: message.into() }
    }
}

/// `~/.aludel/config.yaml:12: generation.default_count: expected …`, or with the variable or flag.
impl fmt::Display for ConfigFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            ConfigSource::File(path) => {
                write!(f, "{}", path.display())?;
                if let Some(line) = self.line {
                    write!(f, ":{line}")?;
                }
                if let Some(column) = self.column {
                    write!(f, ":{column}")?;
                }
                f.write_str(": ")?;
            }
            ConfigSource::Environment(name) => write!(f, "environment variable {name}: ")?,
            ConfigSource::Flag(name) => write!(f, "{name}: ")?,
            ConfigSource::Argument => {}
        }
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.message)
    }
}

/// One fault per line.
impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, fault) in self.faults.iter().enumerate() {
            if position > 0 {
                f.write_str("\n")?;
            }
            fault.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigError {}
