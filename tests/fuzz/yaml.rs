//! YAML as a tree: bounded depth and size, faults on lines of the text, keys found where they are.

use aludel_core::text::yaml::{Node, Step, locate, parse};

use crate::tape;

const WORDS: &[&str] = &[
    "a",
    "b",
    "a: ",
    "b:\n",
    "{",
    "}",
    "[",
    "]",
    ",",
    ": ",
    "- ",
    "\n  ",
    "\n",
    "\n    ",
    "|\n",
    ">\n",
    "\"",
    "'",
    "#",
    "&x ",
    "*x",
    "? ",
    "!t ",
    "~",
    "1",
    "<<: ",
    "%YAML 1.2\n",
    "---\n",
    "...\n",
    "\\",
    "\t",
    "{a: ",
    "[[",
    "- - ",
];

fn depth(node: &Node) -> usize {
    match node {
        Node::Scalar(_) => 0,
        Node::List(items) => 1 + items.iter().map(depth).max().unwrap_or_default(),
        Node::Section(entries) => 1 + entries.iter().map(|(_, value)| depth(value)).max().unwrap_or_default(),
    }
}

fn size(node: &Node) -> usize {
    match node {
        Node::Scalar(_) => 1,
        Node::List(items) => 1 + items.iter().map(size).sum::<usize>(),
        Node::Section(entries) => 1 + entries.iter().map(|(_, value)| 1 + size(value)).sum::<usize>(),
    }
}

#[test]
fn yaml() {
    bolero::check!(name = "yaml").with_max_len(1024).for_each(|input: &[u8]| {
        let text = tape::text(input, WORDS);
        let lines = text.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']).count();
        match parse(&text) {
            Ok(node) => {
                assert!(depth(&node) <= 128);
                assert!(size(&node) <= 64 + 200 * text.len(), "{} nodes in {} bytes", size(&node), text.len());
                if let Node::Section(entries) = &node {
                    for (key, _) in entries.iter().take(5) {
                        let line = locate(&text, &[Step { key, occurrence: 0 }]).expect("a key that was read is there");
                        assert!((1..=lines).contains(&line), "line {line} of {lines}");
                    }
                }
            }
            Err(error) => {
                assert!(error.line.is_none_or(|line| (1..=lines).contains(&line)), "{error:?}");
                assert!(!error.message.is_empty() && error.message.len() < 4096, "{error:?}");
            }
        }
    });
}
