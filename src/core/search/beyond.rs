//! The text of a prompt that is embedded as its content: what it says beyond the user's input.
//!
//! A prompt repeats the input it was made from, which has its own vector. Left in, it makes the
//! content vectors of one input alike, drowns what is in the content only, and uses up tokens of a
//! model that reads 256. Headings go too: "Task" and the like are not specific to a prompt.

use std::borrow::Cow;

/// The lines of `content` that are not headings and do not repeat `input`; all if none remain.
pub(super) fn beyond<'a>(input: &str, content: &'a str) -> Cow<'a, str> {
    let asked: Vec<String> = input.lines().map(words).filter(|line| !line.is_empty()).collect();
    let repeats = |line: &str| {
        let said = words(line);
        !said.is_empty() && asked.iter().any(|asked| asked.contains(&said) || is_most_of(asked, &said))
    };
    let kept: Vec<&str> = content.lines().filter(|line| !is_heading(line) && !repeats(line)).collect();
    let kept = kept.join("\n");
    if kept.trim().is_empty() { Cow::Borrowed(content) } else { Cow::Owned(kept.trim().to_owned()) }
}

/// A heading of Markdown: one to six `#` and a space (CommonMark 0.31, section 4.2).
fn is_heading(line: &str) -> bool {
    let rest = line.trim_start().trim_start_matches('#');
    let marks = line.trim_start().len() - rest.len();
    (1..=6).contains(&marks) && rest.starts_with(' ')
}

/// The words of a line in lower case, a space before and after each.
fn words(line: &str) -> String {
    let mut words = String::with_capacity(line.len() + 2);
    for word in line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        words.push(' ');
        words.extend(word.chars().flat_map(char::to_lowercase));
    }
    if !words.is_empty() {
        words.push(' ');
    }
    words
}

/// True if the words are most of the line.
fn is_most_of(these: &str, line: &str) -> bool {
    line.contains(these) && these.len() * 2 >= line.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_and_what_was_asked_for_are_left_out() {
        let content = "You are a cook.\n\n## Task\n\nBake a loaf of rye bread.\n\n## Steps\n\n- Weigh the flour.\n#hash\n- a loaf\n- rye";
        assert_eq!(beyond("bake a loaf of RYE bread", content), "You are a cook.\n\n\n\n\n- Weigh the flour.\n#hash");
    }

    #[test]
    fn words_are_compared_whole() {
        assert_eq!(beyond("a car", "Buy a carpet."), "Buy a carpet.");
        assert_eq!(beyond("a car", "Buy a car!\nSell it."), "Sell it.");
        assert_eq!(
            beyond("rye", "Let the rye dough rest.\nRye."),
            "Let the rye dough rest.",
            "it says more than was asked"
        );
        assert_eq!(beyond("First line\nsecond line", "The second line, again\nand more"), "and more");
    }

    #[test]
    fn where_nothing_would_be_left_all_of_it_counts() {
        assert_eq!(beyond("Name a boat", "# Name\n\nName a boat"), "# Name\n\nName a boat");
        assert_eq!(beyond("", "Anything"), "Anything");
        assert_eq!(beyond("Name a boat", ""), "");
        assert_eq!(beyond("海", "## 海\n波"), "波");
    }
}
