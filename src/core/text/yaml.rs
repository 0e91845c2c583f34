//! YAML as a tree, before any validation.
//!
//! One parser decides both values and positions: [`locate`] reads the same text again, only when a
//! line is needed, and stops at the position. Duplicate keys are preserved, so that checks can name
//! the second. A byte order mark is skipped; tags are refused. Everything here refuses what nests
//! deeper than [`MOST_NESTED`] before the parser sees it ([`check`]). The callers know the allowed
//! keys: [`crate::config`], [`crate::provider::catalog`], and theme files. The last two read with a
//! [`Reader`], which collects all faults.

mod nesting;
mod reader;

use std::cell::Cell;
use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::Value;

use crate::redact;
pub use nesting::{MOST_NESTED, check};
pub use reader::{Fault, Faults};
pub(crate) use reader::{Reader, lacks};

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// A string, number, boolean or null.
    Scalar(Value),
    /// A list.
    List(Vec<Node>),
    /// A mapping: keys in the order of the text, including duplicates.
    Section(Vec<(String, Node)>),
}

/// One step down the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step<'a> {
    /// The key.
    pub key: &'a str,
    /// Which of several equal keys, from 0.
    pub occurrence: usize,
}

impl Step<'_> {
    /// A step to a list item, from 0.
    pub const fn item(at: usize) -> Self {
        Self { key: ITEM, occurrence: at }
    }
}

/// Stands for the key of a list item: no mapping key begins like this.
const ITEM: &str = "- ";

/// A syntax error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// From 1; `None` if unknown.
    pub line: Option<usize>,
    /// From 1.
    pub column: Option<usize>,
    /// The message, masked.
    pub message: String,
}

/// Parses YAML. An empty text, or one of comments only, is an empty section.
///
/// # Errors
/// The first syntax error, including tags and endless aliases.
pub fn parse(text: &str) -> Result<Node, SyntaxError> {
    let text = without_mark(text);
    let invalid = |error: SyntaxError| SyntaxError { message: sentence(&error.message), ..error };
    check(text).map_err(invalid)?;
    match serde_yaml::from_str::<Node>(text) {
        Ok(Node::Scalar(Value::Null)) => Ok(Node::Section(Vec::new())),
        Ok(node) => Ok(node),
        Err(error) => Err(invalid(refused(text, &error))),
    }
}

/// The parser's error, on an existing line: the parser puts the end of a text one line lower.
pub(crate) fn refused(text: &str, error: &serde_yaml::Error) -> SyntaxError {
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    let is_too_deep = message.contains("recursion limit exceeded");
    let lines = || text.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']).count();
    SyntaxError {
        line: error.location().map(|place| place.line().min(lines())),
        column: error.location().map(|place| place.column()),
        message: if is_too_deep { nesting::too_deep() } else { message.to_owned() },
    }
}

/// The line, from 1, of the last key of `path`.
pub fn locate(text: &str, path: &[Step<'_>]) -> Option<usize> {
    let deserializer = serde_yaml::Deserializer::from_str(without_mark(text));
    let found = Cell::new(false);
    // The seeker stops by failing at the key, and the parser adds the position to the failure.
    let failure = Seek { path, found: &found }.deserialize(deserializer).err()?;
    failure.location().filter(|_| found.get()).map(|place| place.line())
}

fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// The parser's message with keys masked.
fn sentence(message: &str) -> String {
    format!("not valid YAML: {}", redact::mask(message))
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Scalar(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Scalar(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Scalar(value.into()))
    }

    // Numbers beyond 64 bits are out of every range, so rounding does not matter.
    fn visit_i128<E: serde::de::Error>(self, value: i128) -> Result<Node, E> {
        self.visit_f64(value as f64)
    }

    fn visit_u128<E: serde::de::Error>(self, value: u128) -> Result<Node, E> {
        self.visit_f64(value as f64)
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        // JSON has no infinity or NaN; as text they are refused by name.
        Ok(Node::Scalar(serde_json::Number::from_f64(value).map_or_else(|| value.to_string().into(), Value::Number)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Scalar(value.into()))
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Scalar(Value::Null))
    }

    fn visit_none<E>(self) -> Result<Node, E> {
        Ok(Node::Scalar(Value::Null))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Node, A::Error> {
        let mut section = Vec::new();
        while let Some(key) = entries.next_key_seed(KeySeed { stop_at: None, found: &Cell::new(false) })? {
            section.push((key.text, entries.next_value()?));
        }
        Ok(Node::Section(section))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, _: A) -> Result<Node, A::Error> {
        Err(A::Error::custom("a tag (`!name`) means nothing here; remove it, or put the text in quotes"))
    }
}

/// Reads a key as text; fails at the occurrence sought.
struct KeySeed<'a> {
    /// The key to stop at, after `occurrence` equal ones.
    stop_at: Option<&'a str>,
    /// Set when it stopped there, to distinguish this failure from others.
    found: &'a Cell<bool>,
}

struct Key {
    text: String,
}

impl<'de> DeserializeSeed<'de> for KeySeed<'_> {
    type Value = Key;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Key, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for KeySeed<'_> {
    type Value = Key;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key: one word, with a colon after it")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Key, E> {
        if self.stop_at == Some(text) {
            self.found.set(true);
            return Err(E::custom("here"));
        }
        Ok(Key { text: text.to_owned() })
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<Key, E> {
        self.visit_str(&value.to_string())
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Key, E> {
        self.visit_str(&value.to_string())
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Key, E> {
        self.visit_str(&value.to_string())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Key, E> {
        self.visit_str(&value.to_string())
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<Key, E> {
        self.visit_str("~")
    }
}

/// Follows one path and fails at its last key.
struct Seek<'a> {
    path: &'a [Step<'a>],
    found: &'a Cell<bool>,
}

impl<'de> DeserializeSeed<'de> for Seek<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seek<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a section")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let Some((step, rest)) = self.path.split_first() else { return Ok(()) };
        let mut passed = 0;
        loop {
            let stop_at = (rest.is_empty() && passed == step.occurrence).then_some(step.key);
            let Some(key) = entries.next_key_seed(KeySeed { stop_at, found: self.found })? else { return Ok(()) };
            let equal = key.text == step.key;
            if equal && passed == step.occurrence {
                return entries.next_value_seed(Seek { path: rest, found: self.found });
            }
            passed += usize::from(equal);
            entries.next_value::<IgnoredAny>()?;
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let Some((step, rest)) = self.path.split_first().filter(|(step, _)| step.key == ITEM) else { return Ok(()) };
        for _ in 0..step.occurrence {
            if items.next_element::<IgnoredAny>()?.is_none() {
                return Ok(());
            }
        }
        items.next_element_seed(Seek { path: rest, found: self.found })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn line(text: &str, path: &[&str]) -> Option<usize> {
        let steps: Vec<Step<'_>> = path.iter().map(|key| Step { key, occurrence: 0 }).collect();
        locate(text, &steps)
    }

    #[test]
    fn a_file_of_nothing_is_an_empty_section() {
        for text in ["", "\n", "# only a comment\n", "---\n", "\u{feff}", "~"] {
            assert_eq!(parse(text), Ok(Node::Section(vec![])), "{text:?}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_passed_over() {
        let text = "\u{feff}mode: server\n";
        assert_eq!(parse(text), Ok(Node::Section(vec![("mode".into(), Node::Scalar(json!("server")))])));
        assert_eq!(line(text, &["mode"]), Some(1));
    }

    #[test]
    fn the_line_of_a_key_is_that_of_the_key_not_of_its_value() {
        let text = "a: 1\n\n# note\nb:\n  c:\n    - 1\n  d: >\n    folded\n    text\n  'e': 2\n";
        assert_eq!(line(text, &["b"]), Some(4));
        assert_eq!(line(text, &["b", "c"]), Some(5));
        assert_eq!(line(text, &["b", "d"]), Some(7));
        assert_eq!(line(text, &["b", "e"]), Some(10));
        assert_eq!(line(text, &["b", "z"]), None);
        assert_eq!(line("{a: 1,\n b: {c: 2}}", &["b", "c"]), Some(2));
    }

    #[test]
    fn a_key_in_an_item_of_a_list_has_its_own_line() {
        let text = "a:\n  - x: 1\n    y: 2\n  - {x: 3,\n     y: 4}\nb: [1]\n";
        let step = |key| Step { key, occurrence: 0 };
        let line = |at, key| locate(text, &[step("a"), Step::item(at), step(key)]);
        assert_eq!([line(0, "x"), line(0, "y"), line(1, "x"), line(1, "y")], [Some(2), Some(3), Some(4), Some(5)]);
        assert_eq!([line(0, "z"), line(2, "x"), locate(text, &[step("b"), Step::item(0), step("x")])], [None; 3]);
    }

    #[test]
    fn the_second_of_two_equal_keys_has_its_own_line() {
        let text = "a:\n  x: 1\nb: 2\na:\n  x: 3\n";
        let step = |key, occurrence| Step { key, occurrence };
        assert_eq!(locate(text, &[step("a", 1)]), Some(4));
        assert_eq!(locate(text, &[step("a", 1), step("x", 0)]), Some(5));
        assert_eq!(locate(text, &[step("a", 2)]), None);
    }

    #[test]
    fn errors_of_syntax_have_line_and_column_and_no_secret() {
        let error = parse("a: 1\nb: [1, 2\nc: sk-canarycanarycanary\n").unwrap_err();
        assert!(error.line.is_some() && error.column.is_some(), "{error:?}");
        assert!(!error.message.contains("canary"), "{error:?}");
        assert!(error.message.starts_with("not valid YAML: "), "{error:?}");
        for text in ["a: !secret x", "a: *nowhere", "a: 1\n---\nb: 2", "? [a]\n: 1", "\tx: 1", "a: b: c"] {
            assert!(parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn what_nests_too_deep_is_refused_with_its_place() {
        for deep in ["{a: ", "[", "- ", "{ a: [", "[a: ["] {
            let error = parse(&deep.repeat(200_000 / deep.len())).unwrap_err();
            assert!(error.message.contains("nested more than 128 deep"), "{deep}: {error:?}");
            assert_eq!(error.line, Some(1), "{deep}");
        }
        let error = parse(&format!("a: 1\nb:\n  c: {}", "[".repeat(129))).unwrap_err();
        assert_eq!((error.line, error.column), (Some(3), Some(6 + 128)));
        assert!(parse(&format!("{}{}", "[".repeat(100), "]".repeat(100))).is_ok());
    }

    #[test]
    fn directives_without_end_are_refused() {
        let many = (0..5_000).fold(String::new(), |mut text, number| {
            let _ = writeln!(text, "%TAG !{number}! tag:x");
            text
        });
        let error = parse(&format!("{many}---\na: b\n")).unwrap_err();
        assert_eq!(error.line, Some(65), "{error:?}");
    }

    #[test]
    fn brackets_within_scalars_do_not_nest() {
        let many = "{[".repeat(300);
        for text in [
            format!("a: |\n  {many}\n  {many}\nb: >-\n  x\n  {many}\nc: d"),
            format!("a: '{many}''{many}'\nb: \"\\\"{many}\"\n"),
            format!("a: text {many}\n  {many}\nb: [x, '{many}']"),
            format!("# {many}\na: b # {many}\n- - # {many}").replace("\n- -", "\nc:\n- -"),
            format!("a{many}: x"),
            format!("- |1\n {many}\n- |-\n\n\n  {many}\n"),
        ] {
            assert!(check(&text).is_ok() && parse(&text).is_ok(), "{text}: {:?}", parse(&text));
        }
    }

    #[test]
    fn the_end_of_a_text_is_on_its_last_line() {
        assert_eq!(parse("a: {").unwrap_err().line, Some(1));
        assert_eq!(parse("a: {\n").unwrap_err().line, Some(2));
    }

    #[test]
    fn a_number_beyond_all_ranges_is_still_a_number() {
        for text in ["99999999999999999999999999", "-99999999999999999999999999"] {
            assert!(matches!(parse(text), Ok(Node::Scalar(Value::Number(_)))), "{text}");
        }
    }

    #[test]
    fn an_endless_alias_is_refused() {
        let mut bomb = String::from("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
        for level in 1..12 {
            let items = vec![format!("*a{}", level - 1); 10].join(",");
            let _ = writeln!(bomb, "a{level}: &a{level} [{items}]");
        }
        assert!(parse(&bomb).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn the_scanner_nests_as_the_parser_does(text in "([-?:,\\[\\]{}#&*!|>'\"%a \n]|: |- |\\[a|\\{a: |\n  |\n    |'a |\"a|\\|\n){0,60}") {
            fn depth(node: &Node) -> usize {
                match node {
                    Node::Scalar(_) => 0,
                    Node::List(items) => 1 + items.iter().map(depth).max().unwrap_or_default(),
                    Node::Section(entries) => 1 + entries.iter().map(|(_, value)| depth(value)).max().unwrap_or_default(),
                }
            }
            if let Ok(node) = serde_yaml::from_str::<Node>(&text) && !text.contains("? ") {
                let (nested, indented) = nesting::deepest(&text);
                prop_assert!(nested <= depth(&node) || text.contains('*'), "{} brackets in {:?}", nested, node);
                prop_assert!(depth(&node) <= 2 * (nested + indented) + 1, "{} {} in {:?}", nested, indented, node);
            }
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in "[a-c:{}\\[\\]\\-#&*!|>'\"%@` \n\t0-9]{0,60}") {
            let parsed = parse(&text);
            let found = line(&text, &["a"]);
            if let Ok(Node::Section(entries)) = parsed {
                prop_assert_eq!(found.is_some(), entries.iter().any(|(key, _)| key == "a"));
            }
        }
    }
}
