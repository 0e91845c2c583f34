//! The paths of the user's files.
//!
//! Everything is in one folder, `~/.aludel`, or where `--data-dir` or `ALUDEL_HOME` say. Only the
//! configuration file (`--config`, `ALUDEL_CONFIG`) and the database (`storage.database`) can be
//! elsewhere. Resolving paths creates no folder: the first writer does.

use std::path::{Path, PathBuf};

use super::{Environment, Flags};
use crate::error::{ConfigError, ConfigFault, Error};

/// The variable of the folder for temporary files.
const TMPDIR: &str = "TMPDIR";

/// The user's folders and files. All absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// The folder that holds all others.
    pub home: PathBuf,
    /// The configuration file; may be missing.
    pub config_file: PathBuf,
    /// The database.
    pub database: PathBuf,
    /// The cache of answers. The file can be deleted.
    pub cache: PathBuf,
    /// The folder of log files.
    pub logs: PathBuf,
    /// The user's own phase templates.
    pub phases: PathBuf,
    /// The user's own personas.
    pub personas: PathBuf,
    /// The user's own judge templates.
    pub judge: PathBuf,
    /// The user's own themes.
    pub themes: PathBuf,
    /// The folder of drafts: what was being written when a workbench ended.
    pub drafts: PathBuf,
    /// The labels made in the workbench, one per line.
    pub labels: PathBuf,
    /// The last copied text that was too long for some terminals.
    pub copied: PathBuf,
    /// The system's folder of temporary files.
    pub temporary: PathBuf,
    /// The same as shown to people: `$TMPDIR` if that is set.
    pub shown_temporary: PathBuf,
    /// True when the user named the configuration file. It must then exist.
    pub(super) config_named: bool,
    /// The user's home folder, for showing paths with `~`.
    pub(super) user_home: Option<PathBuf>,
}

impl Paths {
    /// Resolves the paths from flags and environment without reading the configuration, so
    /// `database` is the default. [`super::load`] returns the paths with the configuration applied.
    ///
    /// # Errors
    /// `config_invalid` when no home folder is found; `file` when the data folder is not a folder.
    pub fn resolve(flags: &Flags, environment: &Environment) -> Result<Self, Error> {
        let user_home = environment.home().map(PathBuf::from);
        let home = match (&flags.data_dir, environment.get("ALUDEL_HOME")) {
            (Some(folder), _) => absolute(folder)?,
            (None, Some(folder)) => absolute(Path::new(folder))?,
            (None, None) => match &user_home {
                Some(folder) => absolute(folder)?.join(".aludel"),
                None => return Err(no_home().into()),
            },
        };
        if std::fs::metadata(&home).is_ok_and(|found| !found.is_dir()) {
            return Err(Error::File {
                action: "use",
                path: home,
                reason: "it is a file and must be a folder; move it away, or choose another folder with --data-dir or ALUDEL_HOME".to_owned(),
            });
        }
        let (temporary, shown_temporary) = match environment.get(TMPDIR) {
            Some(folder) => (PathBuf::from(folder), PathBuf::from(format!("${TMPDIR}"))),
            None => (std::env::temp_dir(), std::env::temp_dir()),
        };
        let named = flags.config.as_deref().or(environment.get("ALUDEL_CONFIG").map(Path::new));
        Ok(Self {
            config_file: named.map_or_else(|| Ok(home.join("config.yaml")), absolute)?,
            config_named: named.is_some(),
            database: home.join("aludel.db"),
            cache: home.join("cache.db"),
            logs: home.join("logs"),
            phases: home.join("phases"),
            personas: home.join("personas"),
            judge: home.join("judge"),
            themes: home.join("themes"),
            drafts: home.join("drafts"),
            labels: home.join("labels.jsonl"),
            copied: home.join("copied.txt"),
            temporary,
            shown_temporary,
            home,
            user_home,
        })
    }

    /// The path as shown to people: the user's home folder is written `~`.
    pub fn shown(&self, path: &Path) -> PathBuf {
        match self.user_home.as_ref().and_then(|home| path.strip_prefix(home).ok()) {
            Some(rest) => Path::new("~").join(rest),
            None => path.to_owned(),
        }
    }

    /// Makes a user's path absolute: `~/` is the home folder, a relative path starts at `base`.
    pub(super) fn absolute_of(&self, text: &str, base: Option<&Path>) -> PathBuf {
        let expanded = match (text.strip_prefix('~'), &self.user_home) {
            (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with(['/', std::path::MAIN_SEPARATOR]) => {
                home.join(rest.trim_start_matches(['/', std::path::MAIN_SEPARATOR]))
            }
            _ => PathBuf::from(text),
        };
        match base {
            Some(base) => base.join(expanded),
            // Only an empty path, or a working folder that is gone, cannot be made absolute.
            None => std::path::absolute(&expanded).unwrap_or(expanded),
        }
    }
}

fn absolute(path: &Path) -> Result<PathBuf, Error> {
    std::path::absolute(path).map_err(|error| Error::File {
        action: "find",
        path: path.to_owned(),
        reason: format!("{error}; give an absolute path"),
    })
}

fn no_home() -> ConfigError {
    let message =
        "is not set, so there is no home folder; set it, or choose the data folder with --data-dir or ALUDEL_HOME";
    ConfigError::one(ConfigFault::environment("HOME", "", message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    fn environment() -> Environment {
        Environment::from_pairs([("HOME", "/nowhere/me")])
    }

    #[test]
    fn everything_is_below_the_home_folder_by_default() {
        let paths = Paths::resolve(&Flags::default(), &environment()).unwrap();
        assert_eq!(paths.home, Path::new("/nowhere/me/.aludel"));
        assert_eq!(paths.config_file, paths.home.join("config.yaml"));
        assert_eq!(paths.database, paths.home.join("aludel.db"));
        assert_eq!(paths.shown(&paths.config_file), Path::new("~/.aludel/config.yaml"));
        assert_eq!(paths.shown(Path::new("/etc/x")), Path::new("/etc/x"));
    }

    #[test]
    fn the_flag_wins_over_the_variable_and_the_variable_over_the_default() {
        let environment = Environment::from_pairs([
            ("HOME", "/nowhere/me"),
            ("ALUDEL_HOME", "/nowhere/env"),
            ("ALUDEL_CONFIG", "/nowhere/env.yaml"),
        ]);
        let paths = Paths::resolve(&Flags::default(), &environment).unwrap();
        assert_eq!(paths.home, Path::new("/nowhere/env"));
        assert_eq!(paths.config_file, Path::new("/nowhere/env.yaml"));
        let flags = Flags {
            data_dir: Some("/nowhere/flag".into()),
            config: Some("/nowhere/flag.yaml".into()),
            settings: vec![],
        };
        let paths = Paths::resolve(&flags, &environment).unwrap();
        assert_eq!(paths.home, Path::new("/nowhere/flag"));
        assert_eq!(paths.config_file, Path::new("/nowhere/flag.yaml"));
    }

    #[test]
    fn without_a_home_the_error_says_what_to_do() {
        let nothing = Environment::default();
        let error = Paths::resolve(&Flags::default(), &nothing).unwrap_err();
        assert_eq!(error.code(), Code::ConfigInvalid);
        assert!(error.to_string().contains("HOME") && error.to_string().contains("--data-dir"));
        let flags = Flags { data_dir: Some("/nowhere/x".into()), ..Flags::default() };
        assert!(Paths::resolve(&flags, &nothing).is_ok());
    }

    #[test]
    fn a_data_folder_that_is_a_file_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let flags = Flags { data_dir: Some(file.path().into()), ..Flags::default() };
        let error = Paths::resolve(&flags, &environment()).unwrap_err();
        assert_eq!(error.code(), Code::File);
        assert!(error.to_string().contains("must be a folder"), "{error}");
    }

    #[test]
    fn user_paths_know_the_tilde_and_start_at_their_base() {
        let paths = Paths::resolve(&Flags::default(), &environment()).unwrap();
        let base = Some(Path::new("/base"));
        assert_eq!(paths.absolute_of("~/x", base), Path::new("/nowhere/me/x"));
        assert_eq!(paths.absolute_of("~", base), Path::new("/nowhere/me/"));
        assert_eq!(paths.absolute_of("~other/x", base), Path::new("/base/~other/x"));
        assert_eq!(paths.absolute_of("x/y", base), Path::new("/base/x/y"));
        assert_eq!(paths.absolute_of("/x", base), Path::new("/x"));
    }
}
