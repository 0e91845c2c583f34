//! The environment, read once.
//!
//! [`Environment::from_process`] is the only place in the program that reads environment variables;
//! all else works on the snapshot, so tests never change the process. The snapshot knows the short
//! names of the contract (`ALUDEL_CONFIG`, `ALUDEL_HOME`, `ALUDEL_MODE`, `ALUDEL_LOG_LEVEL`,
//! `ALUDEL_LEARNING_ENABLED`) and the long ones, `ALUDEL_SECTION__KEY`, for the keys in
//! [`super::keys`]. A variable that is set but empty counts as not set.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::bindings::ProviderConfig;
use super::keys::{self, KeyLookup};
use super::settings::{Config, sounds_secret};
use crate::domain::ProviderKind;

/// The prefix of all our variables.
pub(super) const PREFIX: &str = "ALUDEL_";

/// Short names and their keys.
pub(super) const SHORT_NAMES: [(&str, &str); 3] =
    [("ALUDEL_MODE", "mode"), ("ALUDEL_LOG_LEVEL", "log.level"), ("ALUDEL_LEARNING_ENABLED", "learning.enabled")];

/// Our variables that set paths and no key.
const PLACES: [&str; 2] = ["ALUDEL_CONFIG", "ALUDEL_HOME"];

/// A snapshot of the environment variables.
#[derive(Clone, Default)]
pub struct Environment {
    variables: BTreeMap<String, String>,
}

/// The variable of the user's home folder.
const HOME: &str = "HOME";

/// What one of our variables means.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum VariableMeaning {
    /// It sets this key.
    Sets(String),
    /// It sets nothing. The message says why and suggests a likely name.
    Unknown(String),
}

impl Environment {
    /// Reads the variables of this process. Those that are not valid UTF-8 are left out.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
    pub fn from_process() -> Self {
        // `vars` panics on invalid UTF-8, so the lossless iterator is read and filtered.
        let mut variables: BTreeMap<String, String> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        // A service or a bare container can run without HOME. The system still knows the folder.
        if !variables.contains_key(HOME)
            && let Some(home) = std::env::home_dir().and_then(|home| home.into_os_string().into_string().ok())
        {
            variables.insert(HOME.to_owned(), home);
        }
        Self { variables }
    }

    /// A made-up environment, for tests.
    pub fn from_pairs<N: Into<String>, V: Into<String>>(pairs: impl IntoIterator<Item = (N, V)>) -> Self {
        Self { variables: pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect() }
    }

    /// The value of a variable; `None` when it is not set or empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The variables that hold secrets of anything but the provider `name`: those named like a key,
    /// our own that set a secret, and those whose value is a configured secret or a word of one.
    pub fn secrets_of_others(&self, config: &Config, name: &str, kind: ProviderKind) -> BTreeSet<String> {
        let own = ProviderConfig::key_variables(name, kind);
        let words: Vec<&str> = config.secrets().flat_map(|secret| secret.expose().split_whitespace()).collect();
        let is_secret = |variable: &str, value: &str| {
            variable.to_ascii_uppercase().ends_with("_API_KEY")
                || variable.starts_with(PREFIX) && sounds_secret(variable)
                || words.contains(&value.trim())
        };
        let secret =
            self.variables.iter().filter(|(variable, value)| !own.contains(variable) && is_secret(variable, value));
        secret.map(|(variable, _)| variable.clone()).collect()
    }

    /// False where the locale is ASCII or not UTF-8 (POSIX, Base Definitions 8.2): decoration must
    /// be ASCII then. A locale that is unset or names no character set is ignored.
    pub fn shows_unicode(&self) -> bool {
        let Some(locale) = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| self.get(name)) else {
            return true;
        };
        match locale.split('@').next().unwrap_or_default().split_once('.') {
            Some((_, characters)) => matches!(characters.to_ascii_lowercase().as_str(), "utf-8" | "utf8"),
            None => !matches!(locale, "C" | "POSIX"),
        }
    }

    /// True when the user wants no colour (<https://no-color.org>: `NO_COLOR` set and not empty).
    pub fn no_color(&self) -> bool {
        self.get("NO_COLOR").is_some()
    }

    /// The user's home folder: `HOME`, or `USERPROFILE` on Windows.
    pub fn home(&self) -> Option<&str> {
        self.get(HOME).or_else(|| if cfg!(windows) { self.get("USERPROFILE") } else { None })
    }

    /// Our variables that set keys, by name. Short names come first, so that long ones win.
    pub(super) fn settings(&self) -> impl Iterator<Item = (&str, &str, VariableMeaning)> {
        let ours = || {
            self.variables
                .range(PREFIX.to_owned()..)
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .take_while(|(name, _)| name.starts_with(PREFIX))
                .filter(|(name, value)| !value.is_empty() && !PLACES.contains(name))
        };
        let short = ours().filter_map(|(name, value)| {
            let key = SHORT_NAMES.iter().find(|(short, _)| *short == name)?.1;
            Some((name, value, VariableMeaning::Sets(key.to_owned())))
        });
        let long = ours()
            .filter(|(name, _)| !SHORT_NAMES.iter().any(|(short, _)| short == name))
            .filter_map(|(name, value)| Some((name, value, meaning_of(name)?)));
        short.chain(long)
    }
}

/// Shows names without values, because values can be secrets.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.variables.keys()).finish()
    }
}

/// What `name` means; `None` for a variable that shares the prefix but resembles none of ours.
fn meaning_of(name: &str) -> Option<VariableMeaning> {
    let rest = name.strip_prefix(PREFIX)?;
    if rest.contains("__") {
        let segments: Vec<&str> = rest.split("__").collect();
        return Some(match keys::key_of_variable(&segments) {
            Some(key) => VariableMeaning::Sets(key),
            None => VariableMeaning::Unknown(unknown(name)),
        });
    }
    // A missing underscore is the usual slip; other variables with our prefix are ignored.
    let collapsed = |known: &str| known.replace("__", "_") == name;
    let slip = keys::variables().chain(SHORT_NAMES.iter().map(|(short, _)| (*short).to_owned()));
    slip.into_iter()
        .find(|known| collapsed(known))
        .map(|known| format!("sets no key; did you mean {known}?"))
        .or_else(|| one_underscore(rest))
        .map(VariableMeaning::Unknown)
}

/// The message for a section's name followed by a single underscore.
fn one_underscore(rest: &str) -> Option<String> {
    let sections = keys::children(&[]).into_iter().filter(|name| matches!(keys::named(&[name]), KeyLookup::Section));
    let (section, key) = sections.map(str::to_ascii_uppercase).find_map(|section| {
        let key = rest.strip_prefix(&section)?.strip_prefix('_')?.to_owned();
        (!key.is_empty()).then_some((section, key))
    })?;
    let begins = format!("{PREFIX}{section}__");
    let meant =
        keys::nearest(&key, keys::variables().filter_map(|known| Some(known.strip_prefix(&begins)?.to_owned())));
    let example = match (meant, section.as_str()) {
        (_, "PROVIDERS") => "PROVIDERS__OPENAI__API_KEY".to_owned(),
        (Some(meant), _) => format!("{section}__{meant}"),
        (None, _) => "GENERATION__DEFAULT_COUNT".to_owned(),
    };
    Some(format!("sets no key; write two underscores between a section and its key, as in {PREFIX}{example}"))
}

fn unknown(name: &str) -> String {
    // Compared without the common prefix, which would make all names look alike.
    let bare = |name: &str| name.trim_start_matches(PREFIX).to_owned();
    match keys::nearest(&bare(name), keys::variables().map(|known| bare(&known))) {
        Some(nearest) => format!("sets no known key; did you mean {PREFIX}{nearest}?"),
        None => "sets no known key; `aludel config show` lists them all".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meanings(pairs: &[(&str, &str)]) -> Vec<(String, VariableMeaning)> {
        let environment = Environment::from_pairs(pairs.iter().copied());
        environment.settings().map(|(name, _, meaning)| (name.to_owned(), meaning)).collect()
    }

    fn key(name: &str) -> Option<String> {
        match meanings(&[(name, "x")]).pop() {
            Some((_, VariableMeaning::Sets(key))) => Some(key),
            _ => None,
        }
    }

    #[test]
    fn double_underscores_separate_levels() {
        assert_eq!(key("ALUDEL_GENERATION__DEFAULT_COUNT").as_deref(), Some("generation.default_count"));
        assert_eq!(key("ALUDEL_PROVIDERS__OPENAI__API_KEY").as_deref(), Some("providers.openai.api_key"));
        assert_eq!(key("ALUDEL_PHASES__PRIMA_MATERIA__MODEL").as_deref(), Some("phases.prima-materia.model"));
        assert_eq!(key("ALUDEL_SERVER__RATE_LIMITING__BURST").as_deref(), Some("server.rate_limiting.burst"));
        assert_eq!(key("ALUDEL_PROVIDERS__ACME__HEADERS__X_TEAM").as_deref(), Some("providers.acme.headers.x-team"));
    }

    #[test]
    fn short_names_come_first_so_that_long_ones_win() {
        let found = meanings(&[("ALUDEL_LOG_LEVEL", "info"), ("ALUDEL_LOG__LEVEL", "debug")]);
        assert_eq!(
            found,
            [
                ("ALUDEL_LOG_LEVEL".to_owned(), VariableMeaning::Sets("log.level".into())),
                ("ALUDEL_LOG__LEVEL".to_owned(), VariableMeaning::Sets("log.level".into())),
            ]
        );
    }

    #[test]
    fn an_unknown_variable_is_named_with_the_nearest_known_one() {
        let found = meanings(&[("ALUDEL_GENERATION__DEFAULT_CUONT", "3")]);
        assert!(
            matches!(&found[..], [(_, VariableMeaning::Unknown(text))] if text.contains("ALUDEL_GENERATION__DEFAULT_COUNT")),
            "{found:?}"
        );
    }

    #[test]
    fn one_underscore_too_few_is_noticed_and_foreign_names_are_not_ours() {
        let found = meanings(&[("ALUDEL_GENERATION_DEFAULT_COUNT", "3"), ("ALUDEL_BUILD_NUMBER", "7")]);
        assert!(
            matches!(&found[..], [(_, VariableMeaning::Unknown(text))] if text.contains("ALUDEL_GENERATION__DEFAULT_COUNT")),
            "{found:?}"
        );
    }

    #[test]
    fn one_underscore_after_any_section_gets_a_hint() {
        let message = |name: &str| match meanings(&[(name, "x")]).pop() {
            Some((_, VariableMeaning::Unknown(message))) => message,
            other => panic!("{name}: {other:?}"),
        };
        for section in keys::children(&[]).into_iter().filter(|name| matches!(keys::named(&[name]), KeyLookup::Section))
        {
            let told = message(&format!("ALUDEL_{}_X", section.to_uppercase()));
            assert!(told.contains("two underscores") && told.contains("__"), "{section}: {told}");
        }
        assert!(message("ALUDEL_GENERATION_DEFAULT_CUONT").ends_with("ALUDEL_GENERATION__DEFAULT_COUNT"));
        assert!(message("ALUDEL_PROVIDERS_OPENAI_API_KEY").ends_with("ALUDEL_PROVIDERS__OPENAI__API_KEY"));
        assert_eq!(meanings(&[("ALUDEL_GENERATION", "x"), ("ALUDEL_GENERATIONS_X", "x"), ("ALUDEL_STRICT", "x")]), []);
    }

    #[test]
    fn empty_counts_as_not_set() {
        let environment = Environment::from_pairs([("NO_COLOR", ""), ("ALUDEL_MODE", "")]);
        assert!(!environment.no_color());
        assert_eq!(environment.settings().count(), 0);
    }

    #[test]
    fn debug_shows_names_alone() {
        let shown = format!("{:?}", Environment::from_pairs([("OPENAI_API_KEY", "canary")]));
        assert!(shown.contains("OPENAI_API_KEY") && !shown.contains("canary"));
    }

    #[test]
    fn the_locale_says_which_signs_can_be_shown_and_lc_all_first() {
        let shows = |pairs: &[(&str, &str)]| Environment::from_pairs(pairs.iter().copied()).shows_unicode();
        assert!(shows(&[]) && shows(&[("LANG", "de_DE.UTF-8")]) && shows(&[("LC_ALL", "C.utf8")]));
        assert!(shows(&[("LANG", "de_DE")]) && shows(&[("LC_ALL", "C.UTF-8"), ("LANG", "C")]));
        assert!(shows(&[("LC_ALL", ""), ("LC_CTYPE", "en_GB.UTF-8"), ("LANG", "C")]));
        assert!(!shows(&[("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")]) && !shows(&[("LC_CTYPE", "POSIX")]));
        assert!(!shows(&[("LANG", "de_DE.ISO-8859-15@euro")]));
    }
}
