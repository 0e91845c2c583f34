//! The parts of a streamed chunk's JSON that matter.
//!
//! Nearly every chunk has the documented form and is parsed in one pass ([`Chunk::documented`]).
//! Others (a number for a text, a duplicate field, usage, an error) are parsed as a value that
//! omits fields of the wrong type ([`Chunk::of_value`]). If the former succeeds, both agree.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

/// A chunk of an answer.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Chunk<'a> {
    /// The model that answers.
    pub(super) model: Option<&'a str>,
    /// Pieces of answers, by choice.
    #[serde(borrow)]
    pub(super) choices: Vec<Choice<'a>>,
    // Fields that make it more than a piece of an answer.
    usage: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
    object: Option<&'a str>,
}

/// A piece of one choice.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) struct Choice<'a> {
    /// The index; some servers omit it.
    pub(super) index: Option<u64>,
    /// The text added.
    pub(super) delta: Option<Delta>,
    /// The finish reason.
    pub(super) finish_reason: Option<&'a str>,
}

/// The text added to an answer.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) struct Delta {
    pub(super) content: Option<String>,
    /// Reasoning has two names.
    pub(super) reasoning_content: Option<String>,
    pub(super) reasoning: Option<String>,
    pub(super) refusal: Option<String>,
}

impl<'a> Chunk<'a> {
    /// Parses a chunk of the documented form that is only a piece of an answer; else `None`.
    pub(super) fn documented(data: &'a str) -> Option<Self> {
        let chunk: Self = serde_json::from_str(data).ok()?;
        let is_plain = chunk.usage.is_none() && chunk.error.is_none() && chunk.object != Some("error");
        is_plain.then_some(chunk)
    }

    /// Reads a value of any form.
    pub(super) fn of_value(chunk: &'a Value) -> Self {
        let choices = chunk["choices"].as_array().into_iter().flatten();
        Self { model: chunk["model"].as_str(), choices: choices.map(Choice::of_value).collect(), ..Self::default() }
    }
}

impl<'a> Choice<'a> {
    fn of_value(choice: &'a Value) -> Self {
        Self {
            index: choice["index"].as_u64(),
            delta: choice["delta"].is_object().then(|| Delta::of_value(&choice["delta"])),
            finish_reason: choice["finish_reason"].as_str(),
        }
    }
}

impl Delta {
    fn of_value(delta: &Value) -> Self {
        let words = |name: &str| delta[name].as_str().map(str::to_owned);
        Self {
            content: words("content"),
            reasoning_content: words("reasoning_content"),
            reasoning: words("reasoning"),
            refusal: words("refusal"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// Generates a field's values: mostly of the documented type.
    fn value_or(documented: Value) -> BoxedStrategy<Value> {
        let others =
            [json!(null), json!(7), json!(-1), json!(true), json!("a\n\"b\" 蒸"), json!(["x"]), json!({"a": 1})];
        prop_oneof![4 => Just(documented), 1 => proptest::sample::select(others.to_vec())].boxed()
    }

    fn object(fields: &[(&'static str, BoxedStrategy<Value>)]) -> BoxedStrategy<Value> {
        let field = |(name, value): &(&'static str, BoxedStrategy<Value>)| {
            let name = *name;
            proptest::option::of(value.clone()).prop_map(move |value| Some((name.to_owned(), value?)))
        };
        let fields: Vec<_> = fields.iter().map(field).collect();
        fields
            .prop_map(|fields| fields.into_iter().flatten().collect::<serde_json::Map<_, _>>())
            .prop_map(Value::Object)
            .boxed()
    }

    fn chunks() -> BoxedStrategy<Value> {
        let text = || value_or(json!("some \u{e9}t\u{e9} text"));
        let delta = object(&[
            ("role", text()),
            ("content", text()),
            ("reasoning_content", text()),
            ("reasoning", text()),
            ("refusal", text()),
        ]);
        let choice =
            object(&[("index", value_or(json!(0))), ("delta", delta), ("finish_reason", value_or(json!("stop")))]);
        let choices = proptest::collection::vec(choice, 0..3).prop_map(Value::Array).boxed();
        let choices = prop_oneof![5 => choices, 1 => value_or(json!(null))].boxed();
        object(&[
            ("model", text()),
            ("choices", choices),
            ("usage", value_or(json!(null))),
            ("error", value_or(json!(null))),
            ("object", value_or(json!("chat.completion.chunk"))),
        ])
    }

    proptest! {
        #[test]
        fn both_ways_read_the_same(chunk in chunks()) {
            let text = chunk.to_string();
            if let Some(read) = Chunk::documented(&text) {
                let slowly = Chunk::of_value(&chunk);
                prop_assert_eq!((read.model, read.choices), (slowly.model, slowly.choices));
            }
        }
    }

    #[test]
    fn the_documented_form_is_read_in_one_pass() {
        let data = r#"{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","system_fingerprint":null,
            "choices":[{"index":0,"delta":{"role":"assistant","content":"hi\n"},"logprobs":null,"finish_reason":null}],"usage":null}"#;
        let chunk = Chunk::documented(data).unwrap();
        assert_eq!((chunk.model, chunk.choices[0].index), (Some("m"), Some(0)));
        assert_eq!(chunk.choices[0].delta.as_ref().unwrap().content.as_deref(), Some("hi\n"));
    }

    #[test]
    fn counts_and_errors_are_left_to_the_other_way() {
        for data in [
            r#"{"model":"m","choices":[],"usage":{"prompt_tokens":1}}"#,
            r#"{"choices":[],"error":"busy"}"#,
            r#"{"choices":[],"object":"error"}"#,
            r#"{"model":"m"}"#,
            r#"{"choices":[{"index":-1}]}"#,
        ] {
            assert!(Chunk::documented(data).is_none(), "{data}");
        }
    }
}
