//! Short names for long texts: a title for people and a slug for programs.

use super::shown;
use super::terms::fold;

/// The first line of a text that is not blank, in at most `max` characters, with hidden characters
/// made visible and runs of white space as one blank. Empty for a blank text.
pub fn title(text: &str, max: usize) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    // Each word has a character at least, so these are enough.
    let words: Vec<&str> = line.split_whitespace().take(max + 1).collect();
    // A line can be one word of any length; making it visible can only lengthen it.
    let start: String = words.join(" ").chars().take(max + 1).collect();
    let visible = shown::escape_line(&start);
    if visible.chars().count() <= max {
        return visible.into_owned();
    }
    let kept: String = visible.chars().take(max.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// The words of a text's title in `a-z`, `0-9` and `_`, in at most `max` bytes, ending with a whole
/// word unless the first is longer. Empty for a text without such letters.
pub fn slug(text: &str, max: usize) -> String {
    let title = title(text, 4 * max);
    let folded = fold(&title);
    let mut slug = String::new();
    for word in folded.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        let gap = usize::from(!slug.is_empty());
        if slug.len() + gap + word.len() > max {
            if slug.is_empty() {
                slug.extend(word.chars().take(max));
            }
            break;
        }
        if gap == 1 {
            slug.push('_');
        }
        slug.push_str(word);
    }
    slug
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_the_first_line_with_its_white_space_collapsed() {
        assert_eq!(title("\n  \n Write  a\thaiku \nabout rivers", 60), "Write a haiku");
        assert_eq!(title(" \n\t", 60), "");
    }

    #[test]
    fn a_long_title_ends_with_an_ellipsis_within_the_limit() {
        assert_eq!(title("Write a haiku", 13), "Write a haiku");
        assert_eq!(title("Write a haiku", 8), "Write a…");
        assert_eq!(title(&"é".repeat(10_000), 5), "éééé…");
    }

    #[test]
    fn hidden_characters_of_a_title_are_visible_and_count() {
        assert_eq!(title("a\u{1b}[2Jb", 60), "a␛[2Jb");
        assert_eq!(title("\u{202e}abc", 9), "\\u{202e}…");
    }

    #[test]
    fn a_slug_has_whole_words_of_plain_letters() {
        assert_eq!(slug("Write a haiku about rivers!", 32), "write_a_haiku_about_rivers");
        assert_eq!(slug("Write a haiku about rivers!", 14), "write_a_haiku");
        assert_eq!(slug("Écris un poème à Zürich", 32), "ecris_un_poeme_a_zurich");
        assert_eq!(slug("abcdefgh", 4), "abcd");
        assert_eq!(slug("海について俳句を", 32), "");
        assert_eq!(slug("", 32), "");
    }
}
