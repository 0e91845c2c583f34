//! Working on the configuration file: what `config show|get|set|validate|export|init` do.
//!
//! Changing a value ([`set`]) keeps comments and order, checks the whole resulting file and replaces it atomically at
//! mode 0600; whatever fails before that leaves the file as it was. Looking ([`show`], [`get`], [`export`]) never
//! gives out a secret. The commands' own words and formats are the command line's.

mod change;
mod starter;
mod view;

#[cfg(test)]
mod tests;

pub use change::{as_if_set, set};
pub use starter::init;
pub use view::{Setting, export, get, show};

use super::error::ConfigError;
use super::expand::Variables;
use super::merge::Merged;
use super::{Config, Origins, Paths, build, check};
use crate::error::Error;

/// Checks the configuration file alone: no environment, no flags, no providers. References to variables are checked
/// for their form, and what depends on their values is not. A missing file is right unless it was named.
///
/// # Errors
/// `config_invalid` with every fault; `file` when it cannot be read.
pub fn validate(paths: &Paths) -> Result<(), Error> {
    match super::read(paths)? {
        Some(text) => validate_text(paths, &text).map_err(Error::from),
        None => Ok(()),
    }
}

/// What the file says by itself, with where: no environment, no flags; what depends on a variable is at its default. The
/// defaults where there is no file.
///
/// # Errors
/// As [`validate`].
pub fn of_file(paths: &Paths) -> Result<(Config, Origins), Error> {
    let text = super::read(paths)?;
    of_text(paths, text.as_deref())
}

/// What a text says that is or will be the file.
fn of_text(paths: &Paths, text: Option<&str>) -> Result<(Config, Origins), Error> {
    let mut merged = Merged::default();
    if let Some(text) = text {
        merged.add_file(&paths.config_file, text, paths, Variables::Unknown);
    }
    check::check(&mut merged, paths);
    ConfigError::unless_empty(std::mem::take(&mut merged.faults))?;
    Ok((build::config(&merged)?, merged.origins))
}

/// Every fault of a text that is or will be the file.
fn validate_text(paths: &Paths, text: &str) -> Result<(), ConfigError> {
    let mut merged = Merged::default();
    merged.add_file(&paths.config_file, text, paths, Variables::Unknown);
    check::check(&mut merged, paths);
    ConfigError::unless_empty(merged.faults)
}
