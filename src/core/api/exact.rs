//! JSON Schema (2020-12) of a request, exactly as strict as the decoder, for OpenAPI.
//!
//! [`super::schema()`] is for models, which pay for every token and may not read every keyword. This
//! one is for programs that generate and check requests: what it allows is decoded, what it forbids
//! is refused. The character classes are computed from the decoder's own functions. Beyond a schema
//! are only values that name something, such as a cursor or the id of a stored prompt, and the few
//! other spellings of ids and times that parsers accept.

use std::fmt::Write as _;
use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::batch::OF_THE_BATCH;
use super::field::{Field, Kind};
use super::schema::property;
use super::{GenerateRequest, Known, Request};
use crate::domain::limits;
use crate::text::shown;

/// The characters that no name has, as the inside of a character class.
static UNFIT: LazyLock<String> =
    LazyLock::new(|| class_of(|c| shown::unfit_for_a_name(c.encode_utf8(&mut [0; 4])).is_some()));

/// White space, as the inside of a character class.
static SPACE: LazyLock<String> = LazyLock::new(|| class_of(char::is_whitespace));

/// The schema of a request of type `R`. `given` are fields that the caller takes from elsewhere,
/// such as a path.
pub fn exact_schema<R: Request>(given: &[&str], known: &Known) -> Value {
    exact_schema_of(R::FIELDS, R::rules(), given, known)
}

/// The schema of a request with these fields and rules, except the fields `given` elsewhere.
pub fn exact_schema_of(fields: &[Field], rules: Vec<Value>, given: &[&str], known: &Known) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for field in fields.iter().filter(|field| !given.contains(&field.name)) {
        let mut property = exact_property(field, known);
        if field.required {
            required.push(field.name);
        } else {
            property = or_null(property);
        }
        properties.insert(field.name.into(), property);
    }
    let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    match rules.as_slice() {
        [] => {}
        [Value::Object(rule)] => rule.iter().for_each(|(keyword, value)| schema[keyword] = value.clone()),
        _ => schema["allOf"] = Value::from(rules),
    }
    schema
}

/// The schema of one field, without null.
pub fn exact_property(field: &Field, known: &Known) -> Value {
    let mut property = exactly(field.kind, known);
    if let Value::Object(map) = &mut property {
        map.insert("description".into(), field.doc.into());
    }
    property
}

/// The schema of a field in a query string, where an empty tag is no tag (see `value_of_text`): a form
/// can be sent with an empty field.
pub fn exact_parameter(field: &Field, known: &Known) -> Value {
    let mut property = exact_property(field, known);
    if matches!(field.kind, Kind::Tags)
        && let Value::Object(map) = &mut property
    {
        let space = &*SPACE;
        let pattern = tag()["pattern"].as_str().map(|pattern| format!("^[{space}]*$|{pattern}"));
        map.insert("items".into(), json!({ "type": "string", "pattern": pattern }));
        map.shift_remove("maxItems");
        map.insert("contains".into(), json!({ "pattern": format!("[^{space}]") }));
        map.insert("minContains".into(), 0.into());
        map.insert("maxContains".into(), limits::MAX_TAGS.into());
    }
    property
}

fn exactly(kind: Kind, known: &Known) -> Value {
    match kind {
        Kind::Name { min } => name(min),
        Kind::Text { min: 0, max } => json!({ "type": "string", "maxLength": max }),
        Kind::Text { min, max } => {
            json!({ "type": "string", "minLength": min, "maxLength": max, "pattern": format!("[^{}]", *SPACE) })
        }
        Kind::Texts { items, max } => {
            json!({ "type": "array", "items": exactly(Kind::Text { min: 1, max }, known), "maxItems": items })
        }
        Kind::Provider => provider(known),
        Kind::Providers => json!({ "type": "array", "items": provider(known), "minItems": 1, "uniqueItems": true }),
        Kind::Judges { max } => one_or_several(&provider(known), max),
        Kind::Names { max } => one_or_several(&name(1), max),
        Kind::Tags => json!({ "type": "array", "items": tag(), "maxItems": limits::MAX_TAGS }),
        Kind::PromptKey | Kind::JobKey => key(),
        Kind::PromptKeys { min, max } => {
            json!({ "type": "array", "items": key(), "minItems": min, "maxItems": max, "uniqueItems": true })
        }
        Kind::Moment => json!({
            "type": "string",
            "anyOf": [
                { "format": "date" },
                { "format": "date-time" },
                { "pattern": "^[0-9]{1,9}[smhdw]$" }
            ],
            "examples": ["2026-11-21", "2026-11-21T08:30:00Z", "7d"]
        }),
        Kind::Rows { max } => json!({ "type": "array", "items": row(known), "minItems": 1, "maxItems": max }),
        Kind::Criteria => json!({ "anyOf": [
            exactly(Kind::Text { min: 1, max: limits::NAME_CHARS }, known),
            {
                "type": "object",
                "additionalProperties": {
                    "type": "number", "exclusiveMinimum": 0, "maximum": limits::MAX_WEIGHT
                },
                "minProperties": 1, "maxProperties": limits::MAX_CRITERIA
            }
        ] }),
        Kind::Integer { .. }
        | Kind::Number { .. }
        | Kind::Boolean
        | Kind::Choice(_)
        | Kind::Choices(_)
        | Kind::Phase
        | Kind::Phases
        | Kind::Persona => property(kind, known),
    }
}

fn name(min: usize) -> Value {
    let unfit = &*UNFIT;
    let pattern = match min {
        0 => format!("^[^{unfit}]*$"),
        _ => format!("^[^{unfit}]*[^{unfit}{}][^{unfit}]*$", *SPACE),
    };
    json!({ "type": "string", "minLength": min, "maxLength": limits::NAME_CHARS, "pattern": pattern })
}

fn tag() -> Value {
    let (unfit, space) = (&*UNFIT, &*SPACE);
    let (outer, inner) = (format!("[^,{unfit}{space}]"), format!("[^,{unfit}]"));
    let between = limits::TAG_CHARS.saturating_sub(2);
    let pattern = format!("^[{space}]*{outer}({inner}{{0,{between}}}{outer})?[{space}]*$");
    json!({ "type": "string", "minLength": 1, "pattern": pattern })
}

/// A known provider, optionally with a model.
fn provider(known: &Known) -> Value {
    let names: Vec<String> = known.providers.iter().map(|name| literally(name)).collect();
    let unfit = &*UNFIT;
    let pattern = format!("^({})(/[^{unfit}]*[^/{unfit}])?$", names.join("|"));
    let mut schema = json!({ "type": "string", "minLength": 1, "maxLength": limits::NAME_CHARS, "pattern": pattern });
    if !known.providers.is_empty() {
        schema["examples"] = json!(known.providers);
    }
    schema
}

/// A text as a regular expression.
fn literally(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for c in text.chars() {
        if r"\^$.|?*+()[]{}/".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

/// The id of a prompt or job, six or more characters from its beginning or end, or `@last`. Dashes
/// may stand anywhere.
fn key() -> Value {
    let fewest = limits::ID_FRAGMENT_CHARS;
    let pattern = format!("^(@last|(-*[0-9A-Fa-f]){{{fewest},32}}-*)$");
    json!({ "type": "string", "pattern": pattern, "examples": ["@last"] })
}

fn one_or_several(item: &Value, max: usize) -> Value {
    let several = json!({ "type": "array", "items": item, "minItems": 1, "maxItems": max, "uniqueItems": true });
    json!({ "anyOf": [item, several] })
}

/// A row of a batch: what a generation takes, except the limits of the batch, and an id.
fn row(known: &Known) -> Value {
    let mut row = exact_schema::<GenerateRequest>(&OF_THE_BATCH, known);
    let unfit = "\\u0000-\\u001f\\u007f-\\u009f";
    let id = json!({
        "description": "Identifies the row in the results; its number by default. No two rows may have the same.",
        "anyOf": [
            {
                "type": "string", "minLength": 1, "maxLength": limits::NAME_CHARS,
                "pattern": format!("^[^{unfit}]*[^{unfit}{}][^{unfit}]*$", *SPACE)
            },
            { "type": "integer" },
            { "type": "null" }
        ]
    });
    if let Some(Value::Object(properties)) = row.get_mut("properties") {
        properties.insert("id".into(), id);
    }
    row
}

/// An optional value can also be null, which means the same as absent.
fn or_null(mut schema: Value) -> Value {
    let Value::Object(map) = &mut schema else { return schema };
    if let Some(Value::Array(words)) = map.get_mut("enum") {
        words.push(Value::Null);
    }
    let kind = map.get("type").cloned();
    let Some(Value::Array(forms)) = map.get_mut("anyOf") else {
        if let Some(kind) = kind {
            map.insert("type".into(), json!([kind, "null"]));
        }
        return schema;
    };
    // The alternatives of a moment apply to texts alone.
    if let Some(kind) = kind {
        for form in forms.iter_mut() {
            form["type"] = kind.clone();
        }
    }
    forms.push(json!({ "type": "null" }));
    map.shift_remove("type");
    schema
}

/// The characters of a kind, as the inside of a character class that ECMA-262, Python and Rust read
/// the same: `\uXXXX` up to U+FFFF, and the character itself beyond.
fn class_of(is_one: impl Fn(char) -> bool) -> String {
    let mut class = String::new();
    let mut range: Option<(char, char)> = None;
    for c in ('\0'..=char::MAX).filter(|c| is_one(*c)) {
        range = match range {
            Some((first, last)) if u32::from(last) + 1 == u32::from(c) => Some((first, c)),
            Some(whole) => {
                push_range(&mut class, whole);
                Some((c, c))
            }
            None => Some((c, c)),
        };
    }
    if let Some(whole) = range {
        push_range(&mut class, whole);
    }
    class
}

fn push_range(class: &mut String, (first, last): (char, char)) {
    push_spelled(class, first);
    if last > first {
        class.push('-');
        push_spelled(class, last);
    }
}

fn push_spelled(class: &mut String, c: char) {
    match u32::from(c) {
        // Writing into memory cannot fail.
        code @ 0..=0xffff => drop(write!(class, "\\u{code:04x}")),
        _ => class.push(c),
    }
}

#[cfg(test)]
#[path = "exact_tests.rs"]
mod tests;
