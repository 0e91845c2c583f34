//! The configuration: YAML, environment and flags, merged, checked, with the origin of each value remembered.
//!
//! Precedence is flag, environment, file, default. [`load`] reports all faults of all sources at
//! once. The table of keys ([`keys`], `table`) is the single source of what can be set: checks,
//! environment variables, help and the defaults of the typed [`Config`] come from it.
//!
//! [`tree`] reads the file, `expand` fills in `${NAME}`, `merge` checks each value against its
//! `kind` and merges the sources, `check` compares values with each other, and `build` fills the
//! typed structs of `settings`. [`edit`] changes the file.

pub mod address;
mod bindings;
mod build;
mod check;
mod command;
pub mod edit;
mod env;
mod expand;
mod flags;
mod idle;
pub mod keys;
mod kind;
mod merge;
mod origin;
mod paths;
mod secret;
mod settings;
mod table;

#[cfg(test)]
mod tests;

use std::io::ErrorKind;
use std::path::Path;

pub use bindings::{PhaseConfig, PhasesConfig, ProviderConfig};
pub use check::SHORTEST_AUTH_SECRET;
pub use command::CommandLine;
pub use env::Environment;
pub use flags::{FlagSetting, Flags};
pub use idle::{IDLE, IdleKey, idle_keys_in_use};
pub use kind::Kind;
pub use origin::{Origin, Origins};
pub use paths::Paths;
pub use secret::{REDACTED, Secret};
pub use settings::{
    AuthConfig, CacheConfig, Config, CorsConfig, GenerationConfig, JudgeConfig, LearningConfig, LogConfig, LogFormat,
    Mode, RankingConfig, RateLimitConfig, RunConfig, ServerConfig, SpendConfig, StorageConfig, TuiConfig,
};
pub use table::{KEYMAPS, TABLE};

use crate::error::{ConfigError, ConfigFault, ConfigSource, Error};
use crate::files;
use crate::redact;
use crate::text::yaml as tree;

/// A configuration, ready for use.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The values.
    pub config: Config,
    /// All paths, with `storage.database` applied.
    pub paths: Paths,
    /// Where each value came from.
    pub origins: Origins,
    /// The environment it was read with. Keys that are not configured are looked up here.
    pub environment: Environment,
}

/// Reads and merges all sources, without YAML if there is no file. Secrets go to [`redact`].
///
/// # Errors
/// `config_invalid` with every fault; `file` when the data folder is not a folder or the file
/// cannot be read, including a named file that is missing.
pub fn load(flags: &Flags, environment: &Environment) -> Result<Loaded, Error> {
    let mut paths = Paths::resolve(flags, environment)?;
    let mut merged = merge::Merged::default();
    if let Some(text) = read(&paths)? {
        merged.add_file(&paths.config_file, &text, &paths, expand::VariableLookup::Given(environment));
    }
    merged.add_environment(environment, &paths);
    merged.add_flags(flags, &paths);
    check::check(&mut merged, &paths);
    ConfigError::unless_empty(std::mem::take(&mut merged.faults))?;
    let config = build::config(&merged)?;
    config.secrets().for_each(|secret| redact::register(secret.expose()));
    if let Some(database) = &config.storage.database {
        paths.database.clone_from(database);
    }
    Ok(Loaded { config, paths, origins: merged.origins, environment: environment.clone() })
}

/// The largest configuration file, in bytes: far above any real one.
const MOST_BYTES: u64 = 256 * 1024;

/// The bytes of the configuration file. A named one can be a pipe, such as a shell's `<(…)`.
fn bytes(paths: &Paths) -> std::io::Result<Vec<u8>> {
    let read = if paths.config_named { files::read_up_to } else { files::read_own };
    read(&paths.config_file, MOST_BYTES)
}

/// The text of the configuration file; `None` when it is missing and was not named.
fn read(paths: &Paths) -> Result<Option<String>, Error> {
    let refuse = |reason: String| {
        let path = paths.shown(&paths.config_file);
        Err(Error::File { action: "read", path, reason })
    };
    match bytes(paths) {
        Ok(bytes) => utf8(bytes, &paths.shown(&paths.config_file)).map(Some),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            if paths.config_named {
                return refuse(
                    "there is no such file; `aludel config init` with the same --config makes one".to_owned(),
                );
            }
            Ok(None)
        }
        Err(error) if matches!(error.kind(), ErrorKind::FileTooLarge | ErrorKind::InvalidInput) => {
            refuse(error.to_string())
        }
        Err(_) if paths.config_file.is_dir() => {
            refuse("it is a folder and must be a file; move it away, or name another file with --config".to_owned())
        }
        Err(error) => refuse(format!("{error}; check its permissions, or name another file with --config")),
    }
}

/// Decodes a file as UTF-8, or reports the line that is not.
fn utf8(bytes: Vec<u8>, shown: &Path) -> Result<String, Error> {
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..valid].split(|byte| *byte == b'\n').count();
        Error::Config(ConfigError::one(ConfigFault {
            source: ConfigSource::File(shown.to_owned()),
            key: String::new(),
            line: Some(line),
            column: None,
            message: "not valid UTF-8; save the file as UTF-8".to_owned(),
        }))
    })
}
