//! The server's instructions to a model: what the server is for, and which of its tools to begin with.
//!
//! They name no tool that the server does not offer (`--tools`, `--read-only`).

use super::tools::ToolSet;

const PURPOSE: &str = "aludel turns a rough idea into tested prompts for language models and keeps them.";
const GENERATION: &str = "`generate_prompts` writes variants of a prompt for a request and ranks them, best first; show \
    the user the first one's `content` unless they ask for more.";
const ELSEWHERE: &str = "Stored prompts are resources as well, and the personas and those tagged `mcp` are prompts.";
/// The tools that find stored prompts, and how.
const FINDERS: [(&str, &str); 3] = [
    ("search_prompts", "`search_prompts` (by words)"),
    ("semantic_search_prompts", "`semantic_search_prompts` (by meaning)"),
    ("list_prompts", "`list_prompts` (the newest, or by filters)"),
];

/// The instructions of a server with these tools.
pub(super) fn of(tools: &ToolSet) -> String {
    let has = |name: &str| tools.find(name).is_some();
    let finders: Vec<&str> = FINDERS.iter().filter(|(name, _)| has(name)).map(|(_, how)| *how).collect();
    let found = match finders.as_slice() {
        [] => None,
        [one] => Some(format!("{one} finds what was made before.")),
        [first @ .., last] => Some(format!("{} and {last} find what was made before.", first.join(", "))),
    };
    let parts = [
        Some(PURPOSE.to_owned()),
        has("generate_prompts").then(|| GENERATION.to_owned()),
        found,
        has("get_prompt_details").then(|| "`get_prompt_details` shows one prompt whole.".to_owned()),
        Some(ELSEWHERE.to_owned()),
    ];
    parts.into_iter().flatten().collect::<Vec<String>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_that_is_named_is_offered() {
        let whole = of(&ToolSet::default());
        let named: Vec<&str> = whole.split('`').skip(1).step_by(2).collect();
        assert!(named.contains(&"generate_prompts"), "{whole}");
        for name in named {
            let is_field_or_tag = ["content", "mcp"].contains(&name);
            assert!(is_field_or_tag || ToolSet::default().find(name).is_some(), "{name}");
        }
    }

    #[test]
    fn no_tool_is_named_that_is_not_offered() {
        let named = |tools: Option<&[String]>, read_only| of(&ToolSet::choose(tools, read_only).unwrap());
        let reading = named(None, true);
        assert!(!reading.contains("generate_prompts") && reading.contains("`search_prompts`"), "{reading}");
        let two = named(Some(&["list_prompts".into(), "spend".into()]), false);
        assert!(two.contains("`list_prompts` (the newest, or by filters) finds"), "{two}");
        assert!(!two.contains("search_prompts") && !two.contains("get_prompt_details"), "{two}");
    }
}
