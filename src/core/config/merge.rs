//! Merges the sources, file, environment and flags, and records where each value came from.
//!
//! Every source is checked against the table of keys as it is read: unknown and duplicate keys,
//! wrong types and values out of range are all collected, even if a later source overrides the
//! value. [`super::check`] then compares values with each other.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::env::VariableMeaning;
use super::expand::{self, Expanded, VariableLookup};
use super::keys::{self, Key, KeyLookup};
use super::kind::Kind;
use super::origin::{OriginKind, Origins, SourceFile};
use super::secret::REDACTED;
use super::tree::{self, Node, Step};
use super::{Environment, Flags, Paths};
use crate::error::{ConfigFault, ConfigSource};

/// The most faults reported for a file.
const MOST_FAULTS: usize = 50;

/// The most characters of a key in a message.
const KEY_SHOWN: usize = 120;

/// What a key was set to.
#[derive(Clone, PartialEq)]
pub(super) enum SettingValue {
    /// A checked value.
    Known(Value),
    /// A value that depends on an environment that was not read.
    Unknown,
}

/// The sources merged.
#[derive(Default)]
pub(super) struct Merged {
    /// Values by dotted key. Missing keys have their default.
    pub(super) values: BTreeMap<String, SettingValue>,
    /// Names of providers: those of the file in its order, then the others.
    pub(super) providers: Vec<String>,
    /// How many of `providers` are in the file.
    pub(super) in_file: usize,
    /// Where values came from.
    pub(super) origins: Origins,
    /// What is wrong.
    pub(super) faults: Vec<ConfigFault>,
}

impl Merged {
    /// Overlays the file's text.
    pub(super) fn add_file(&mut self, path: &Path, text: &str, paths: &Paths, variables: VariableLookup<'_>) {
        let file = SourceFile { path: path.to_owned(), text: text.to_owned() };
        self.origins.file = Some(Arc::new(file));
        let source = ConfigSource::File(paths.shown(path));
        match tree::parse(text) {
            Ok(Node::Section(entries)) => {
                let mut reader =
                    FileReader { merged: self, text, source, base: path.parent(), paths, variables, path: Vec::new() };
                reader.section(&entries);
                self.in_file = self.providers.len();
            }
            Ok(_) => self.faults.push(ConfigFault {
                source,
                key: String::new(),
                line: Some(1),
                column: None,
                message: "expected sections such as `generation:`, each with keys below it".to_owned(),
            }),
            Err(error) => self.faults.push(ConfigFault {
                source,
                key: String::new(),
                line: error.line,
                column: error.column,
                message: error.message,
            }),
        }
    }

    /// Overlays the environment variables.
    pub(super) fn add_environment(&mut self, environment: &Environment, paths: &Paths) {
        for (name, raw, meaning) in environment.settings() {
            match meaning {
                VariableMeaning::Unknown(message) => self.faults.push(ConfigFault::environment(name, "", message)),
                VariableMeaning::Sets(key) => {
                    let key = self.spelled_as_before(key);
                    let source = ConfigSource::Environment(name.to_owned());
                    self.add_raw(&key, raw, OriginKind::Environment(name.to_owned()), source, paths);
                }
            }
        }
    }

    /// Overlays the flags.
    pub(super) fn add_flags(&mut self, flags: &Flags, paths: &Paths) {
        for setting in &flags.settings {
            let source = ConfigSource::Flag(setting.flag.clone());
            self.add_raw(&setting.key, &setting.value, OriginKind::Flag(setting.flag.clone()), source, paths);
        }
    }

    /// Overlays one raw text.
    fn add_raw(&mut self, dotted: &str, raw: &str, place: OriginKind, source: ConfigSource, paths: &Paths) {
        let checked = match keys::find(dotted) {
            Some(key) => key.kind.parse(raw).map(|value| (key, value)),
            None => Err(format!("sets no known key; {}", keys::suggestion(&keys::segments(dotted)))),
        };
        match checked {
            Ok((key, value)) => {
                let value = made_absolute(key.kind, value, None, paths);
                self.set(dotted, SettingValue::Known(value), place);
            }
            Err(message) => {
                self.faults.push(ConfigFault { source, key: dotted.to_owned(), line: None, column: None, message });
            }
        }
    }

    fn set(&mut self, dotted: &str, given: SettingValue, place: OriginKind) {
        if let ["providers", name, ..] = keys::segments(dotted)[..] {
            self.add_provider(name);
        }
        self.values.insert(dotted.to_owned(), given);
        self.origins.places.insert(dotted.to_owned(), place);
    }

    fn add_provider(&mut self, name: &str) {
        if !self.providers.iter().any(|known| known == name) {
            self.providers.push(name.to_owned());
        }
    }

    /// A variable cannot spell `My-Server`, so it also matches a name the file spells that way.
    fn spelled_as_before(&self, key: String) -> String {
        let ["providers", name, rest @ ..] = &keys::segments(&key)[..] else { return key };
        let alike = |known: &&String| known.replace('-', "_").eq_ignore_ascii_case(name);
        let name = self.providers.iter().find(alike).map_or(*name, String::as_str);
        let spelled = ["providers", name].iter().chain(rest).copied().collect::<Vec<_>>().join(".");
        match self.values.keys().find(|known| known.eq_ignore_ascii_case(&spelled)) {
            Some(known) => known.clone(),
            None => spelled,
        }
    }

    /// The value of a key, when it is set and known.
    pub(super) fn known(&self, dotted: &str) -> Option<&Value> {
        match self.values.get(dotted)? {
            SettingValue::Known(value) => Some(value),
            SettingValue::Unknown => None,
        }
    }

    /// The text of a key, when it is set and known.
    pub(super) fn text(&self, dotted: &str) -> Option<&str> {
        self.known(dotted).and_then(Value::as_str)
    }

    /// True when a key is set, known or not.
    pub(super) fn is_set(&self, dotted: &str) -> bool {
        self.values.contains_key(dotted)
    }

    /// Adds a fault where the value of a key, or the first value in a section, came from.
    pub(super) fn fault_at(&mut self, dotted: &str, paths: &Paths, message: String) {
        let (source, line) = match self.origins.of(dotted) {
            super::Origin::File { path, line } => (ConfigSource::File(paths.shown(&path)), Some(line)),
            super::Origin::Environment { name } => (ConfigSource::Environment(name), None),
            super::Origin::Flag { name } => (ConfigSource::Flag(name), None),
            super::Origin::Default => match &self.origins.file {
                Some(file) => (ConfigSource::File(paths.shown(&file.path)), file.line(dotted)),
                None => (ConfigSource::Argument, None),
            },
        };
        self.faults.push(ConfigFault { source, key: dotted.to_owned(), line, column: None, message });
    }
}

/// Walks the tree of the file.
struct FileReader<'a> {
    merged: &'a mut Merged,
    text: &'a str,
    source: ConfigSource,
    base: Option<&'a Path>,
    paths: &'a Paths,
    variables: VariableLookup<'a>,
    path: Vec<Step<'a>>,
}

impl<'a> FileReader<'a> {
    fn section(&mut self, entries: &'a [(String, Node)]) {
        let mut seen: HashMap<&str, usize> = HashMap::new();
        for (key, node) in entries {
            if self.merged.faults.len() > MOST_FAULTS {
                return;
            }
            let times = seen.entry(key).or_default();
            let occurrence = *times;
            *times += 1;
            self.path.push(Step { key, occurrence });
            if occurrence == 0 {
                self.entry(node);
            } else {
                self.fault("is given twice; keep one of the two".to_owned());
            }
            self.path.pop();
        }
    }

    fn entry(&mut self, node: &'a Node) {
        let path: Vec<&str> = self.path.iter().map(|step| step.key).collect();
        match (keys::named(&path), node) {
            (KeyLookup::Nothing, _) => self.fault(format!("is not a known key; {}", keys::suggestion(&path))),
            (KeyLookup::Section, Node::Section(entries)) => {
                if let ["providers", name] = path[..] {
                    self.merged.add_provider(name);
                }
                self.section(entries);
            }
            // A section or key with nothing after its colon counts as absent.
            (KeyLookup::Section, Node::Scalar(Value::Null)) => {
                if let ["providers", name] = path[..] {
                    self.merged.add_provider(name);
                }
            }
            (KeyLookup::Key(_), Node::Scalar(Value::Null)) => {}
            (KeyLookup::Section, _) => {
                let known = keys::children(&path);
                let such = if known.is_empty() { "names".to_owned() } else { known.join(", ") };
                self.fault(format!("expected a section with keys below it ({such})"));
            }
            (KeyLookup::Key(key), node) => match self.value(key, node) {
                Ok(Some(given)) => {
                    let dotted = path.join(".");
                    self.merged.set(&dotted, given, OriginKind::File);
                }
                Ok(None) => {}
                Err(message) => self.fault(message),
            },
        }
    }

    /// The checked value of a key; `None` for one that an export redacted.
    fn value(&self, key: &Key, node: &Node) -> Result<Option<SettingValue>, String> {
        let value = match node {
            Node::Scalar(Value::String(text)) => {
                match expand::expand(text, self.variables)? {
                    Expanded::Unknown => return Ok(Some(SettingValue::Unknown)),
                    // Only filled-in text is parsed as raw text: `${COUNT}` can be a number.
                    Expanded::Filled(filled) => key
                        .kind
                        .parse(&filled)
                        .map_err(|_| format!("expected {}, which {text:?} is not", key.kind.expected()))?,
                    Expanded::Plain(plain) if is_redacted(key.kind, &plain) => return Ok(None),
                    Expanded::Plain(plain) => key.kind.accept(&plain.into())?,
                }
            }
            Node::Scalar(scalar) => key.kind.accept(scalar)?,
            Node::List(items) => match self.list(items)? {
                Some(items) => key.kind.accept(&items)?,
                None => return Ok(Some(SettingValue::Unknown)),
            },
            Node::Section(_) => key.kind.accept(&Value::Object(serde_json::Map::new()))?,
        };
        Ok(Some(SettingValue::Known(made_absolute(key.kind, value, self.base, self.paths))))
    }

    /// The items of a list, expanded; `None` when one is unknown.
    fn list(&self, items: &[Node]) -> Result<Option<Value>, String> {
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            values.push(match item {
                Node::Scalar(Value::String(text)) => match expand::expand(text, self.variables)? {
                    Expanded::Unknown => return Ok(None),
                    Expanded::Filled(text) | Expanded::Plain(text) => text.into(),
                },
                Node::Scalar(scalar) => scalar.clone(),
                Node::List(_) => Value::Array(Vec::new()),
                Node::Section(_) => Value::Object(serde_json::Map::new()),
            });
        }
        Ok(Some(values.into()))
    }

    /// Adds a fault at the reader's position. They are capped, as each needs a search of the text.
    fn fault(&mut self, message: String) {
        if self.merged.faults.len() >= MOST_FAULTS {
            if self.merged.faults.len() == MOST_FAULTS {
                let message = format!("there are more faults; these are the first {MOST_FAULTS}");
                let source = self.source.clone();
                self.merged.faults.push(ConfigFault { source, key: String::new(), line: None, column: None, message });
            }
            return;
        }
        let key = self.path.iter().map(|step| step.key).collect::<Vec<_>>().join(".");
        let line = tree::locate(self.text, &self.path);
        let key = shortened(&crate::redact::mask(&key));
        self.merged.faults.push(ConfigFault { source: self.source.clone(), key, line, column: None, message });
    }
}

/// True for what an export writes in place of a secret.
pub(super) fn is_redacted(kind: Kind, text: &str) -> bool {
    match kind {
        Kind::Secret => text.trim() == REDACTED,
        Kind::Command => text.trim_end().ends_with(REDACTED),
        _ => false,
    }
}

/// A key, shortened when it is too long to be a name.
fn shortened(key: &str) -> String {
    match key.char_indices().nth(KEY_SHOWN) {
        Some((end, _)) => format!("{}…", &key[..end]),
        None => key.to_owned(),
    }
}

/// Resolves paths from the folder of the file that names them, or from the working folder.
fn made_absolute(kind: Kind, value: Value, base: Option<&Path>, paths: &Paths) -> Value {
    match (kind, value) {
        (Kind::Path | Kind::Database, Value::String(text)) => {
            paths.absolute_of(&text, base).to_string_lossy().into_owned().into()
        }
        (_, value) => value,
    }
}
