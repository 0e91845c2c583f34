//! Where each value of the configuration came from.
//!
//! Lines of the file are looked up on demand, so tracking origins costs a local command nothing.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::tree::{self, Step};
use super::{Paths, keys};
use crate::error::{ConfigFault, ConfigSource};

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Not set.
    Default,
    /// The configuration file.
    File {
        /// Which file.
        path: PathBuf,
        /// The line of the key, from 1.
        line: usize,
    },
    /// An environment variable.
    Environment {
        /// Its name.
        name: String,
    },
    /// A flag.
    Flag {
        /// Its name, with its dashes.
        name: String,
    },
}

/// `default`, `/home/me/.aludel/config.yaml:12`, `ALUDEL_LOG_LEVEL`, `--log-level`.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Environment { name } | Self::Flag { name } => f.write_str(name),
        }
    }
}

/// The origin of every value.
#[derive(Clone, Default)]
pub struct Origins {
    pub(super) file: Option<Arc<SourceFile>>,
    pub(super) places: BTreeMap<String, OriginKind>,
}

/// A file that was read, for looking up lines.
pub(super) struct SourceFile {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

/// An [`Origin`] whose line was not looked up yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum OriginKind {
    File,
    Environment(String),
    Flag(String),
}

impl Origins {
    /// The origin of a dotted key. For a section, that of its first value that is set.
    pub fn of(&self, key: &str) -> Origin {
        let place = self.places.get(key).or_else(|| {
            let section = format!("{key}.");
            let (first, place) = self.places.range(section.clone()..).next()?;
            first.starts_with(&section).then_some(place)
        });
        match place {
            None => Origin::Default,
            Some(OriginKind::Environment(name)) => Origin::Environment { name: name.clone() },
            Some(OriginKind::Flag(name)) => Origin::Flag { name: name.clone() },
            Some(OriginKind::File) => match &self.file {
                Some(file) => Origin::File { path: file.path.clone(), line: file.line(key).unwrap_or(1) },
                None => Origin::Default,
            },
        }
    }

    /// A fault of the value of `key`, at its origin.
    pub fn fault(&self, paths: &Paths, key: &str, message: impl Into<String>) -> ConfigFault {
        let source = match self.of(key) {
            Origin::File { path, line } => {
                return ConfigFault::in_file(&paths.shown(&path), key, Some(line), message);
            }
            Origin::Environment { name } => ConfigSource::Environment(name),
            Origin::Flag { name } => ConfigSource::Flag(name),
            Origin::Default => ConfigSource::Argument,
        };
        ConfigFault { source, key: key.to_owned(), line: None, column: None, message: message.into() }
    }

    /// The configuration file that was read, if there is one.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_ref().map(|file| file.path.as_path())
    }
}

impl SourceFile {
    /// The line of a dotted key, from 1.
    pub(super) fn line(&self, key: &str) -> Option<usize> {
        let steps: Vec<Step<'_>> = keys::segments(key).into_iter().map(|key| Step { key, occurrence: 0 }).collect();
        tree::locate(&self.text, &steps)
    }
}

/// Shows keys and origins without the file's text, which can hold secrets.
impl fmt::Debug for Origins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(&self.places).finish()
    }
}
