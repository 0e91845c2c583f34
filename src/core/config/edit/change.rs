//! `config set`: changes one value and leaves the rest of the file as it was.
//!
//! The edit works on the file's text, comments included, and the result is verified: read again, it
//! must differ from the old one in this value alone, keep every comment, and be a valid
//! configuration as a whole. Only then is the file replaced.

use std::io::ErrorKind;
use std::str::FromStr as _;

use serde_json::Value;
use yaml_edit::path::YamlPath as _;
use yaml_edit::{Document, ScalarValue, YamlFile, YamlValue};

use super::{of_text, validate_text};
use crate::config::expand::{self, Expanded, VariableLookup};
use crate::config::kind::Kind;
use crate::config::merge::is_redacted;
use crate::config::tree::{self, Node};
use crate::config::{Config, Origins, Paths, REDACTED, keys};
use crate::error::{ConfigError, ConfigFault, ConfigSource, Error};
use crate::files;

/// The byte order mark some editors write at the start of a file. It is preserved.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Sets `key` to `raw` in the configuration file, creating it if missing. Lists are separated by
/// commas, `${NAME}` stays as it is. Keeps comments, order and links; makes the file private.
///
/// # Errors
/// `config_invalid` for an unknown key, a wrong value, an invalid result, or a file too unusual to
/// change safely; `file` when it cannot be read or written. On error the file is untouched.
pub fn set(paths: &Paths, key: &str, raw: &str) -> Result<(), Error> {
    let changed = with(paths, key, raw)?;
    validate_text(paths, &changed)?;
    // Only the program's own folder is created: a mistyped --config must not create folders.
    if paths.config_file.parent() == Some(&paths.home) {
        files::make_private_folder(&paths.home)?;
    }
    files::write_atomically(&paths.config_file, changed.as_bytes(), files::PRIVATE_FILE)
}

/// The configuration the file would give if `key` were set to `raw`. Nothing is written.
///
/// # Errors
/// As [`set`].
pub fn as_if_set(paths: &Paths, key: &str, raw: &str) -> Result<(Config, Origins), Error> {
    of_text(paths, Some(&with(paths, key, raw)?))
}

/// The file's text with `key` set to `raw`.
fn with(paths: &Paths, key: &str, raw: &str) -> Result<String, Error> {
    let value = checked(key, raw)?;
    let text = match crate::config::bytes(paths) {
        Ok(bytes) => crate::config::utf8(bytes, &paths.shown(&paths.config_file))?,
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        Err(error) => return Err(files::failure("read", &paths.shown(&paths.config_file), &error)),
    };
    Ok(changed(paths, &text, key, &value)?)
}

/// The value to write: checked where possible, as written where it refers to variables.
fn checked(key: &str, raw: &str) -> Result<Value, ConfigError> {
    let refuse = |message: String| {
        let key = crate::redact::mask(key).into_owned();
        ConfigError::one(ConfigFault { source: ConfigSource::Argument, key, line: None, column: None, message })
    };
    let path = keys::segments(key);
    let Some(known) = keys::find(key) else {
        let message = match keys::named(&path) {
            keys::KeyLookup::Section => {
                let below = keys::children(&path);
                let such = if below.is_empty() { "a name".to_owned() } else { below.join(", ") };
                format!("is a section; add what to set in it, separated by a dot ({such})")
            }
            _ => format!("is not a known key; {}", keys::suggestion(&path)),
        };
        return Err(refuse(message));
    };
    match expand::expand(raw, VariableLookup::Unknown).map_err(refuse)? {
        Expanded::Unknown if known.kind == Kind::List => {
            Ok(raw.split(',').map(str::trim).filter(|item| !item.is_empty()).collect())
        }
        Expanded::Unknown => Ok(raw.into()),
        Expanded::Plain(plain) | Expanded::Filled(plain) => {
            if is_redacted(known.kind, &plain) {
                return Err(refuse(format!(
                    "{REDACTED} is the placeholder for a hidden secret; give the secret itself"
                )));
            }
            let value = known.kind.parse(&plain).map_err(refuse)?;
            Ok(escaped(value))
        }
    }
}

/// Escapes texts so that the file gives them back unchanged.
pub(super) fn escaped(value: Value) -> Value {
    match value {
        Value::String(text) => expand::escape(&text).into(),
        Value::Array(items) => items.into_iter().map(escaped).collect(),
        Value::Object(fields) => fields.into_iter().map(|(key, value)| (key, escaped(value))).collect(),
        other => other,
    }
}

/// The file's text with the value changed.
fn changed(paths: &Paths, text: &str, key: &str, value: &Value) -> Result<String, ConfigError> {
    let refuse = |line: Option<usize>, column: Option<usize>, key: &str, message: String| {
        let source = ConfigSource::File(paths.shown(&paths.config_file));
        ConfigError::one(ConfigFault { source, key: key.to_owned(), line, column, message })
    };
    let before = tree::parse(text).map_err(|error| refuse(error.line, error.column, "", error.message))?;
    let path = keys::segments(key);
    let mut wanted = before.clone();
    put(&mut wanted, &path, Node::from(value));
    let edited = edit(text, &path, value);
    let faithful =
        edited.filter(|edited| tree::parse(edited).as_ref() == Ok(&wanted) && comments(edited) == comments(text));
    faithful.ok_or_else(|| {
        let message = "cannot be changed without changing something else (an anchor, or a comment between a key and its value); change the file by hand";
        refuse(None, None, key, message.to_owned())
    })
}

/// The edit itself; `None` when the file's form does not allow it.
fn edit(text: &str, path: &[&str], value: &Value) -> Option<String> {
    let (mark, body) = match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(body) => (BYTE_ORDER_MARK, body),
        None => ("", text),
    };
    if is_only_comments(body) {
        return append(mark, body, path, value);
    }
    let document = Document::from_str(body).ok()?;
    let place = path.iter().map(|segment| escape_segment(segment)).collect::<Vec<_>>().join(".");
    match value {
        Value::Bool(flag) => document.try_set_path(&place, *flag),
        Value::Number(number) => document.try_set_path(&place, ScalarValue::parse(number.to_string())),
        Value::String(text) => document.try_set_path(&place, ScalarValue::string(text)),
        Value::Array(_) => document.try_set_path(&place, YamlValue::parse_raw(&value.to_string()).ok()?),
        Value::Null | Value::Object(_) => return None,
    }
    .ok()?;
    Some(format!("{mark}{document}"))
}

/// Appends the key to a text that has none, such as one of only comments.
fn append(mark: &str, body: &str, path: &[&str], value: &Value) -> Option<String> {
    let mut section = value.clone();
    for segment in path.iter().rev() {
        section = Value::Object([((*segment).to_owned(), section)].into_iter().collect());
    }
    let added = serde_yaml::to_string(&section).ok()?;
    let newline = if body.is_empty() || body.ends_with('\n') { "" } else { "\n" };
    Some(format!("{mark}{body}{newline}{added}"))
}

fn is_only_comments(text: &str) -> bool {
    text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'))
}

/// Escapes a segment for the editor's path, where dots and bare digits have another meaning.
fn escape_segment(segment: &str) -> String {
    let escaped = segment.replace('.', "\\.");
    if segment.bytes().all(|byte| byte.is_ascii_digit()) { format!("\\{escaped}") } else { escaped }
}

/// The comments of a text, in order.
fn comments(text: &str) -> Vec<String> {
    let file = YamlFile::parse(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)).tree();
    file.comments().map(|comment| comment.to_string().trim_end().to_owned()).collect()
}

/// Sets a value in the tree as the edit should, creating sections on the way.
fn put(node: &mut Node, path: &[&str], value: Node) {
    let Some((key, rest)) = path.split_first() else {
        *node = value;
        return;
    };
    if !matches!(node, Node::Section(_)) {
        *node = Node::Section(Vec::new());
    }
    let Node::Section(entries) = node else { return };
    if let Some((_, below)) = entries.iter_mut().find(|(known, _)| known == key) {
        put(below, rest, value);
    } else {
        let mut below = Node::Scalar(Value::Null);
        put(&mut below, rest, value);
        entries.push(((*key).to_owned(), below));
    }
}

impl From<&Value> for Node {
    fn from(value: &Value) -> Self {
        match value {
            Value::Array(items) => Self::List(items.iter().map(Self::from).collect()),
            Value::Object(fields) => {
                Self::Section(fields.iter().map(|(key, value)| (key.clone(), Self::from(value))).collect())
            }
            scalar => Self::Scalar(scalar.clone()),
        }
    }
}
