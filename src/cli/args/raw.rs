//! Builds a request: collects the given options in the raw JSON object that the core decodes.

use aludel_core::api::{Field, Request, value_of_text};
use serde_json::{Map, Value};

/// The raw JSON object of a request.
#[derive(Debug)]
pub(crate) struct Raw {
    fields: &'static [Field],
    values: Map<String, Value>,
}

impl Raw {
    /// An empty object for this type of request.
    pub(crate) fn of<R: Request>() -> Self {
        Self { fields: R::FIELDS, values: Map::new() }
    }

    /// Sets a field from the text of an option, if given.
    pub(crate) fn text(mut self, name: &str, given: Option<&String>) -> Self {
        if let Some(text) = given {
            self.values.insert(name.to_owned(), value_of_text(self.fields, name, text));
        }
        self
    }

    /// Sets a list from a repeatable option; each text can have several items, separated by commas.
    pub(crate) fn list(mut self, name: &str, given: &[String]) -> Self {
        if !given.is_empty() {
            let items = given.iter().flat_map(|text| match value_of_text(self.fields, name, text) {
                Value::Array(items) => items,
                other => vec![other],
            });
            let items: Vec<Value> = items.collect();
            self.values.insert(name.to_owned(), Value::Array(items));
        }
        self
    }

    /// Sets a list from a repeatable option; each text is one item.
    pub(crate) fn items(mut self, name: &str, given: &[String]) -> Self {
        if !given.is_empty() {
            self.values.insert(name.to_owned(), given.into());
        }
        self
    }

    /// Sets a field to a value.
    pub(crate) fn set(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.values.insert(name.to_owned(), value.into());
        self
    }

    /// Sets a field to true if a switch was given.
    pub(crate) fn switch(self, name: &str, given: bool) -> Self {
        if given { self.set(name, true) } else { self }
    }

    /// Returns the object.
    pub(crate) fn into_value(self) -> Value {
        Value::Object(self.values)
    }
}

#[cfg(test)]
mod tests {
    use aludel_core::api::{GenerateRequest, UpdateRequest};
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_become_what_their_fields_take() {
        let raw = Raw::of::<GenerateRequest>()
            .text("count", Some(&"3".into()))
            .text("temperature", Some(&"NaN".into()))
            .text("persona", None)
            .list("tags", &["a,b".into(), "c".into()])
            .switch("auto_select", false)
            .set("save", false)
            .into_value();
        assert_eq!(raw, json!({"count": 3, "temperature": "NaN", "tags": ["a", "b", "c"], "save": false}));
    }

    #[test]
    fn items_are_not_split() {
        let raw = Raw::of::<UpdateRequest>().items("add_tags", &["a,b".into()]).into_value();
        assert_eq!(raw, json!({"add_tags": ["a,b"]}));
    }
}
