//! Operations on the configuration file: `config show|get|set|validate|export|init`.
//!
//! [`set`] preserves comments and order, checks the whole resulting file and replaces it atomically
//! at mode 0600; any earlier failure leaves the file as it was. [`show`], [`get`] and [`export`]
//! never reveal a secret. Messages and formats are up to the command line.

mod change;
mod starter;
mod view;

#[cfg(test)]
mod tests;

pub use change::{as_if_set, set};
pub use starter::init;
pub use view::{Setting, export, get, show};

use super::expand::VariableLookup;
use super::merge::Merged;
use super::{Config, Origins, Paths, build, check};
use crate::error::{ConfigError, Error};

/// Checks the configuration file alone, without environment, flags or providers. References to
/// variables are checked for form only. A missing file is valid unless it was named.
///
/// # Errors
/// `config_invalid` with every fault; `file` when it cannot be read.
pub fn validate(paths: &Paths) -> Result<(), Error> {
    match super::read(paths)? {
        Some(text) => validate_text(paths, &text).map_err(Error::from),
        None => Ok(()),
    }
}

/// The configuration of the file alone, with origins: no environment, no flags. What depends on a
/// variable has its default, as does everything if there is no file.
///
/// # Errors
/// As [`validate`].
pub fn of_file(paths: &Paths) -> Result<(Config, Origins), Error> {
    let text = super::read(paths)?;
    of_text(paths, text.as_deref())
}

/// The configuration of a text that is or will be the file.
fn of_text(paths: &Paths, text: Option<&str>) -> Result<(Config, Origins), Error> {
    let mut merged = Merged::default();
    if let Some(text) = text {
        merged.add_file(&paths.config_file, text, paths, VariableLookup::Unknown);
    }
    check::check(&mut merged, paths);
    ConfigError::unless_empty(std::mem::take(&mut merged.faults))?;
    Ok((build::config(&merged)?, merged.origins))
}

/// Checks a text that is or will be the file.
fn validate_text(paths: &Paths, text: &str) -> Result<(), ConfigError> {
    let mut merged = Merged::default();
    merged.add_file(&paths.config_file, text, paths, VariableLookup::Unknown);
    check::check(&mut merged, paths);
    ConfigError::unless_empty(merged.faults)
}
