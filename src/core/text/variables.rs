//! The variables of a prompt: `{{name}}` in its text, filled in when the prompt is used.
//!
//! They are the [placeholders](super::facts::placeholders) in double braces. The other marks,
//! `${NAME}` and `<<name>>`, are ordinary code in many prompts, so they stay as they are.

use std::collections::HashSet;

use super::facts;

/// The names of the variables, each once, in the order of the text.
pub fn variables(text: &str) -> Vec<&str> {
    let mut seen = HashSet::new();
    marks(text).map(name).filter(|name| seen.insert(*name)).collect()
}

/// The text with each variable replaced by its value. One without a value stays as it is. Values are
/// inserted verbatim: braces inside them are not variables.
pub fn fill<'v>(text: &str, value: impl Fn(&str) -> Option<&'v str>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    for mark in marks(text) {
        // Marks come in order, so the next place where one stands is its own.
        let Some((before, after)) = rest.split_once(mark) else { break };
        filled.push_str(before);
        filled.push_str(value(name(mark)).unwrap_or(mark));
        rest = after;
    }
    filled.push_str(rest);
    filled
}

fn marks(text: &str) -> impl Iterator<Item = &str> {
    facts::placeholders(text).into_iter().filter(|mark| mark.starts_with("{{"))
}

fn name(mark: &str) -> &str {
    mark.trim_start_matches("{{").trim_end_matches("}}").trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_named_once_and_in_order() {
        let text = "Review {{diff}} of {{ repo.name }}, then {{diff}} again in ${HOME} and <<city>>.";
        assert_eq!(variables(text), ["diff", "repo.name"]);
        assert!(variables("no {variable} {{here, {{ two words }} {{}} {{\n}}").is_empty());
    }

    #[test]
    fn values_replace_every_mark_and_are_not_read_again() {
        let value = |name: &str| match name {
            "a" => Some("{{b}}"),
            "b" => Some("B"),
            _ => None,
        };
        assert_eq!(fill("{{a}} {{ b }}{{b}} {{c}} ${a}", value), "{{b}} BB {{c}} ${a}");
        assert_eq!(fill("nothing to fill", value), "nothing to fill");
        assert_eq!(fill("{{{{a}}", value), "{{{{b}}");
    }

    #[test]
    fn a_text_of_many_marks_is_filled_in_one_pass() {
        let text = "{{x}}".repeat(100_000);
        assert_eq!(fill(&text, |_| Some("y")), "y".repeat(100_000));
        assert_eq!(variables(&text), ["x"]);
    }
}
