//! The configuration set by global flags.
//!
//! A face fills this and passes it to [`super::load`]. Values stay raw text here, because the table
//! of keys checks them like any other source: a bad `--log-level` fails as a bad `log.level` does.

use std::path::PathBuf;

/// Settings given by flags, which have the highest precedence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flags {
    /// `--data-dir`: the folder for all of the user's data.
    pub data_dir: Option<PathBuf>,
    /// `--config`: the configuration file. It must exist.
    pub config: Option<PathBuf>,
    /// All other settings, in the order given; a later one wins.
    pub settings: Vec<FlagSetting>,
}

/// One setting given by a flag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlagSetting {
    /// The flag as the user typed it, with its dashes.
    pub flag: String,
    /// Dotted key, such as `log.level`.
    pub key: String,
    /// The value as typed.
    pub value: String,
}

impl Flags {
    /// Adds a setting whose flag is named after its key: `log.level` is `--log-level`.
    #[must_use]
    pub fn with(self, key: &str, value: impl Into<String>) -> Self {
        let flag = format!("--{}", key.replace(['.', '_'], "-"));
        self.with_flag(&flag, key, value)
    }

    /// Adds a setting of a flag with a name of its own, such as `--port` for `server.port`.
    #[must_use]
    pub fn with_flag(mut self, flag: &str, key: &str, value: impl Into<String>) -> Self {
        self.settings.push(FlagSetting { flag: flag.to_owned(), key: key.to_owned(), value: value.into() });
        self
    }
}
