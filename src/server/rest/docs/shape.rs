//! A JSON Schema in a few words, for a table: "whole number, 1 to 100", "list of Prompt or null".

use serde::Serialize;
use serde_json::Value;

const REFERENCE: &str = "#/components/schemas/";
/// Most words of an enum that are shown.
const WORDS: usize = 12;

/// A schema in words; `name` is a schema of the document, which the page links.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(super) struct Shape {
    before: String,
    name: Option<String>,
    after: String,
}

impl Shape {
    fn words(words: impl Into<String>) -> Self {
        Self { before: words.into(), ..Self::default() }
    }

    fn is_null(&self) -> bool {
        *self == Self::words("null")
    }

    fn prefixed(mut self, words: &str) -> Self {
        self.before.insert_str(0, words);
        self
    }

    fn suffixed(mut self, words: &str) -> Self {
        let end = if self.name.is_some() { &mut self.after } else { &mut self.before };
        end.push_str(words);
        self
    }

    fn text(&self) -> String {
        format!("{}{}{}", self.before, self.name.as_deref().unwrap_or_default(), self.after)
    }

    /// The schema in words.
    pub(super) fn of(schema: &Value) -> Self {
        if let Some(name) = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix(REFERENCE)) {
            return Self { name: Some(name.to_owned()), ..Self::default() };
        }
        for several in ["anyOf", "oneOf"] {
            if let Some(forms) = schema[several].as_array() {
                return Self::any_of(schema, forms);
            }
        }
        // A problem narrowed to the codes of a route.
        if let Some([first, ..]) = schema["allOf"].as_array().map(Vec::as_slice) {
            return Self::of(first);
        }
        if let Some(words) = schema["enum"].as_array() {
            return Self::one_of(words);
        }
        if let Some(only) = schema.get("const") {
            return Self::words(shown(only));
        }
        match &schema["type"] {
            Value::String(kind) => Self::of_kind(kind, schema),
            Value::Array(kinds) => {
                let kinds = kinds.iter().filter_map(Value::as_str);
                let (null, other): (Vec<&str>, Vec<&str>) = kinds.partition(|kind| *kind == "null");
                let shapes: Vec<String> = other.iter().map(|kind| Self::of_kind(kind, schema).text()).collect();
                let shape = match other.as_slice() {
                    [one] => Self::of_kind(one, schema),
                    _ => Self::words(shapes.join(" or ")),
                };
                if null.is_empty() { shape } else { shape.suffixed(" or null") }
            }
            _ => Self::words("any value"),
        }
    }

    fn any_of(schema: &Value, forms: &[Value]) -> Self {
        let shapes = forms.iter().map(|form| {
            // The type of a moment is beside its forms.
            let mut form = form.clone();
            if form.get("type").is_none() && form.get("$ref").is_none() && schema.get("type").is_some() {
                form["type"] = schema["type"].clone();
            }
            Self::of(&form)
        });
        let (null, other): (Vec<Self>, Vec<Self>) = shapes.partition(Self::is_null);
        let shape = match other.as_slice() {
            [one] => one.clone(),
            several => {
                let mut texts: Vec<String> = several.iter().map(Self::text).collect();
                texts.dedup();
                Self::words(texts.join(" or "))
            }
        };
        if null.is_empty() { shape } else { shape.suffixed(" or null") }
    }

    fn one_of(words: &[Value]) -> Self {
        let is_nullable = words.contains(&Value::Null);
        let words: Vec<String> = words.iter().filter(|word| !word.is_null()).map(shown).collect();
        let mut text = words.iter().take(WORDS).cloned().collect::<Vec<_>>().join(", ");
        if words.len() > WORDS {
            text = format!("{text} and {} more", words.len() - WORDS);
        }
        let text = if words.len() > 1 { format!("one of {text}") } else { text };
        Self::words(if is_nullable { format!("{text}, or null") } else { text })
    }

    fn of_kind(kind: &str, schema: &Value) -> Self {
        match kind {
            "array" => {
                let size = between(&schema["minItems"], &schema["maxItems"]);
                let list = Self::of(&schema["items"]).prefixed("list of ");
                if size.is_empty() { list } else { list.suffixed(&format!(" ({size})")) }
            }
            "integer" | "number" => {
                let kind = if kind == "integer" { "whole number" } else { "number" };
                let range = between(&schema["minimum"], &schema["maximum"]);
                Self::words(if range.is_empty() { kind.to_owned() } else { format!("{kind}, {range}") })
            }
            "boolean" => Self::words("true or false"),
            "string" => match schema["format"].as_str() {
                Some(format) => Self::words(format.to_owned()),
                None => {
                    let length = between(&schema["minLength"], &schema["maxLength"]);
                    Self::words(if length.is_empty() {
                        "text".to_owned()
                    } else {
                        format!("text, {length} characters")
                    })
                }
            },
            "object" => match schema.get("additionalProperties") {
                Some(values @ Value::Object(_)) => Self::of(values).prefixed("object of "),
                _ => Self::words("object"),
            },
            other => Self::words(other.to_owned()),
        }
    }
}

fn between(least: &Value, most: &Value) -> String {
    match (least, most) {
        (Value::Null, Value::Null) => String::new(),
        (least, Value::Null) => format!("{least} or more"),
        (Value::Null, most) => format!("at most {most}"),
        (least, most) => format!("{least} to {most}"),
    }
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_is_said_in_a_few_words() {
        let words = |schema: Value| Shape::of(&schema).text();
        assert_eq!(words(json!({ "type": "integer", "minimum": 1, "maximum": 100 })), "whole number, 1 to 100");
        assert_eq!(words(json!({ "type": ["string", "null"], "maxLength": 5 })), "text, at most 5 characters or null");
        assert_eq!(words(json!({ "type": "string", "enum": ["a", "b", null] })), "one of a, b, or null");
        assert_eq!(words(json!({ "type": "array", "items": { "$ref": "#/components/schemas/Job" } })), "list of Job");
        assert_eq!(
            words(json!({ "anyOf": [{ "$ref": "#/components/schemas/Job" }, { "type": "null" }] })),
            "Job or null"
        );
        assert_eq!(
            words(json!({ "type": "object", "additionalProperties": { "type": "number" } })),
            "object of number"
        );
        assert_eq!(words(json!(true)), "any value");
    }

    #[test]
    fn the_name_of_a_schema_is_apart_to_be_linked() {
        let shape = Shape::of(&json!({ "type": ["array", "null"], "items": { "$ref": "#/components/schemas/Job" } }));
        assert_eq!(
            (shape.before.as_str(), shape.name.as_deref(), shape.after.as_str()),
            ("list of ", Some("Job"), " or null")
        );
    }
}
