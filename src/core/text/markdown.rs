//! User text inside Markdown: fenced as a block, or escaped within a line.
//!
//! The text cannot end its fence or become markup of the surrounding document (CommonMark 0.31).

/// The text in a fence longer than any run of backticks in it (section 4.5), and a line end.
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

/// Text within a line, with markup escaped.
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
