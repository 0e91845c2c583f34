//! Texts of users inside Markdown: fenced whole, or escaped within a line.
//!
//! Nothing of a text can end the fence it stands in or become markup of the document around it (CommonMark 0.31).

/// The text in a fence longer than any run of backticks in it (section 4.5), with a line end behind it.
pub fn fenced(content: &str) -> String {
    let (mut longest, mut run) = (0, 0);
    for character in content.chars() {
        run = if character == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat((longest + 1).max(3));
    let end = if content.ends_with('\n') { "" } else { "\n" };
    format!("{fence}text\n{content}{end}{fence}\n")
}

/// Words inside a line: what would be markup is escaped.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '\\' | '`' | '*' | '_' | '|' | '<' | '[' | ']' | '#') {
            safe.push('\\');
        }
        safe.push(character);
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_longer_than_any_in_the_text() {
        assert_eq!(fenced("plain"), "```text\nplain\n```\n");
        assert!(fenced("````rust\nfn main() {}\n````\n").starts_with("`````text\n````rust"));
    }

    #[test]
    fn markup_in_a_line_is_escaped() {
        assert_eq!(escaped("a|b *c*"), "a\\|b \\*c\\*");
    }
}
