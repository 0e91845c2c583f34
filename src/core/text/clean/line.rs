//! Classifies a line of Markdown: a code fence, a rule, or neither.
//!
//! Each test has a counterpart for the beginning of a line, because replies are streamed.

use crate::visited::visit;

/// Namespace of the line tests. All take it without its line feed.
pub(super) struct Line;

/// The longest line that counts as a fence, in bytes.
pub(super) const LONGEST_FENCE: usize = 80;

/// Info strings of fences that models put around prompts rather than code.
const PROSE_INFO: &[&str] = &["", "markdown", "md", "text", "txt", "plaintext", "plain", "prompt", "xml"];

/// Further info strings for a fence around an announced prompt.
const DATA_INFO: &[&str] = &["yaml", "yml", "json", "html"];

impl Line {
    /// The trimmed info string of a fence line (```` ```rust ```` gives `rust`), if it is one.
    pub(super) fn fence(line: &str) -> Option<&str> {
        visit(line.len());
        let text = line.trim();
        let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let info = text.trim_start_matches(mark);
        let is_fence = text.len() - info.len() >= 3 && !info.contains('`') && text.len() <= LONGEST_FENCE;
        is_fence.then(|| info.trim())
    }

    /// True while a line with this prefix can still become a fence.
    #[cfg(test)]
    pub(super) fn could_be_fence(prefix: &str) -> bool {
        let text = prefix.trim_start();
        if text.len() > LONGEST_FENCE {
            return false;
        }
        visit(prefix.len());
        let Some(mark) = text.chars().next().filter(|c| matches!(c, '`' | '~')) else { return text.is_empty() };
        let info = text.trim_start_matches(mark);
        let is_whole = text.len() - info.len() >= 3;
        info.is_empty() || (is_whole && !info.contains('`'))
    }

    /// True for a fence that can enclose a whole prompt.
    pub(super) fn opens_outer_fence(line: &str, introduced: bool) -> bool {
        Self::fence(line).is_some_and(|info| {
            let info = info.to_ascii_lowercase();
            PROSE_INFO.contains(&info.as_str()) || (introduced && DATA_INFO.contains(&info.as_str()))
        })
    }

    /// True for a horizontal rule: three or more of one of `-`, `*`, `_`, and blanks.
    pub(super) fn is_rule(line: &str) -> bool {
        Self::could_be_rule(line) && line.chars().filter(|c| !c.is_whitespace()).count() >= 3
    }

    /// True while a line with this prefix can still become a rule.
    pub(super) fn could_be_rule(prefix: &str) -> bool {
        visit(prefix.len());
        let mut marks = prefix.chars().filter(|c| !c.is_whitespace());
        let Some(first) = marks.next() else { return true };
        matches!(first, '-' | '*' | '_') && marks.all(|mark| mark == first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_are_told_from_inline_code() {
        assert_eq!(Line::fence("```rust"), Some("rust"));
        assert_eq!(Line::fence("  ~~~~"), Some(""));
        assert_eq!(Line::fence("``` a ` b"), None);
        assert_eq!(Line::fence("``x"), None);
        assert!(!Line::could_be_fence("`x"));
    }

    #[test]
    fn code_is_no_outer_fence() {
        assert!(Line::opens_outer_fence("```markdown", false));
        assert!(!Line::opens_outer_fence("```python", true));
        assert!(Line::opens_outer_fence("```json", true) && !Line::opens_outer_fence("```json", false));
    }

    #[test]
    fn rules_are_told_from_lists_and_emphasis() {
        assert!(Line::is_rule("---") && Line::is_rule("* * *") && !Line::is_rule("--"));
        assert!(!Line::could_be_rule("- item") && !Line::could_be_rule("**Bold"));
    }
}
