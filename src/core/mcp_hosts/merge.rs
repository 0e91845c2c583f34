//! Puts an entry into the text of a JSON file and leaves everything else as it was.
//!
//! Comments, order, indentation, line ends and a byte order mark stay. The result is checked: read
//! again, it must differ from the original in this entry alone. A file that is not what the host can
//! read is refused.

use jsonc_parser::cst::{CstInputValue, CstRootNode};
use jsonc_parser::errors::ParseError;
use jsonc_parser::{ParseOptions, parse_to_serde_value};
use serde_json::{Map, Value};

use crate::domain::{McpConfigSyntax, McpInstallOutcome};

/// The byte order mark some editors write at the start of a file.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The text with `entry` as `name` in `section`, and how that changed it. `Err` says why it cannot
/// be done, and what to do.
pub(super) fn merge(
    text: &str,
    syntax: McpConfigSyntax,
    section: &str,
    name: &str,
    entry: &Map<String, Value>,
) -> Result<(String, McpInstallOutcome), String> {
    let (mark, body) = match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(body) => (BYTE_ORDER_MARK, body),
        None => ("", text),
    };
    let options = options(syntax);
    let before = read(body, &options).map_err(|error| invalid(syntax, &error))?;
    let wanted = with_entry(&before, section, name, entry)?;
    if wanted == before {
        return Ok((text.to_owned(), McpInstallOutcome::Unchanged));
    }
    let outcome = if before.get(section).and_then(|servers| servers.get(name)).is_some() {
        McpInstallOutcome::Replaced
    } else {
        McpInstallOutcome::Added
    };
    let edited = edit(body, &options, section, name, entry).map_err(|error| invalid(syntax, &error))?;
    match edited.filter(|edited| read(edited, &options).is_ok_and(|after| after == wanted)) {
        Some(edited) => Ok((format!("{mark}{edited}"), outcome)),
        None => Err(format!(
            "it cannot be changed without changing something else, perhaps because it has `{section}` or `{name}` twice; paste the entry by hand"
        )),
    }
}

/// What the host's own parser takes: VS Code takes comments and trailing commas, the others plain JSON.
fn options(syntax: McpConfigSyntax) -> ParseOptions {
    let lenient = syntax == McpConfigSyntax::Jsonc;
    ParseOptions {
        allow_comments: lenient,
        allow_trailing_commas: lenient,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// The value of a text; null if it is empty or only comments.
fn read(text: &str, options: &ParseOptions) -> Result<Value, ParseError> {
    parse_to_serde_value(text, options)
}

/// What the value has to become.
fn with_entry(before: &Value, section: &str, name: &str, entry: &Map<String, Value>) -> Result<Value, String> {
    let mut root = match before {
        Value::Null => Map::new(),
        Value::Object(root) => root.clone(),
        _ => return Err("it is not a JSON object; mend it and try again".to_owned()),
    };
    let servers = root.entry(section).or_insert_with(|| Value::Object(Map::new()));
    let Value::Object(servers) = servers else {
        return Err(format!("its `{section}` is not an object; mend it and try again"));
    };
    servers.insert(name.to_owned(), Value::Object(entry.clone()));
    Ok(Value::Object(root))
}

/// The edit itself; `None` if the text has no place for it.
fn edit(
    text: &str,
    options: &ParseOptions,
    section: &str,
    name: &str,
    entry: &Map<String, Value>,
) -> Result<Option<String>, ParseError> {
    let root = CstRootNode::parse(text, options)?;
    let servers = root.object_value_or_create().and_then(|object| object.object_value_or_create(section));
    let Some(servers) = servers else { return Ok(None) };
    let value = input(&Value::Object(entry.clone()));
    match servers.get(name) {
        Some(known) => known.set_value(value),
        None => drop(servers.append(name, value)),
    }
    Ok(Some(root.to_string()))
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(flag) => CstInputValue::Bool(*flag),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(fields) => {
            CstInputValue::Object(fields.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}

fn invalid(syntax: McpConfigSyntax, error: &ParseError) -> String {
    let language = if syntax == McpConfigSyntax::Jsonc { "JSON with comments" } else { "JSON" };
    format!(
        "line {}, column {} is not valid {language} ({}); mend it and try again",
        error.line_display(),
        error.column_display(),
        error.kind()
    )
}
