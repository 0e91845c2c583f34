//! Which excerpt is shown, how it is cut, and what is marked.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::store::{PromptForm as _, samples};
use crate::text::terms;

/// The excerpt with matches in brackets.
fn shown(typed: &str, texts: &[&str]) -> String {
    let snippet = best(&TextQuery::parse(typed), texts);
    let mut out = String::new();
    for (place, c) in (0_u32..).zip(snippet.text.chars()) {
        if snippet.marks.iter().any(|mark| mark.1 == place) {
            out.push(']');
        }
        if snippet.marks.iter().any(|mark| mark.0 == place) {
            out.push('[');
        }
        out.push(c);
    }
    if snippet.marks.last().is_some_and(|mark| mark.1 as usize == snippet.text.chars().count()) {
        out.push(']');
    }
    out
}

#[test]
fn a_short_text_is_shown_whole_with_its_matches_marked() {
    assert_eq!(shown("haiku seas", &["Write a haiku\n\tabout the sea"]), "Write a [haiku] about the [sea]");
    assert_eq!(shown("\"about the sea\" -x", &["a haiku about the  sea"]), "a haiku [about the sea]");
    assert_eq!(shown("url", &["call parseHTTPUrl()"]), "call parseHTTP[Url]()");
    assert_eq!(shown("generati*", &["the generation gap"]), "the [generation] gap");
    assert_eq!(shown("generati*", &["a generationFoxesfox"]), "a [generationFoxesfox]");
    assert_eq!(shown("cafe", &["au Café"]), "au [Café]");
    assert_eq!(shown("a b", &["a b a"]), "[a] [b] [a]");
}

#[test]
fn runs_without_spaces_are_marked_as_typed() {
    assert_eq!(shown("提示词", &["好的提示词很好"]), "好的[提示词]很好");
    assert_eq!(shown("提示词", &["提示词提示词"]), "[提示词][提示词]");
    assert_eq!(shown("词", &["好的提示词很好 词"]), "好的提示[词]很好 [词]");
    assert_eq!(shown("示*", &["好的提示词"]), "好的提[示]词");
}

#[test]
fn a_long_text_is_cut_at_words_around_the_matches() {
    let text = format!("{}the quick fox {}", "before ".repeat(60), "after ".repeat(60));
    let snippet = best(&TextQuery::parse("quick"), &[&text]);
    assert!(snippet.text.starts_with("…before ") && snippet.text.ends_with("after…"), "{snippet:?}");
    assert!((LENGTH - 2 * REACH..=LENGTH + 2).contains(&snippet.text.chars().count()), "{snippet:?}");
    assert_eq!(snippet.marks.len(), 1);
}

#[test]
fn the_piece_with_most_of_the_query_is_chosen() {
    let filler = "nothing to see here. ".repeat(20);
    let text = format!("a fox {filler} fox fox fox {filler} a quick fox {filler}");
    assert!(shown("quick fox", &[&text]).contains("[quick] [fox]"));
    assert_eq!(shown("quick fox", &["a fox", "the quick fox", "quick foxes"]), "the [quick] [fox]");
    assert_eq!(shown("fox", &["none", "a fox", "fox"]), "a [fox]");
}

#[test]
fn without_a_match_the_first_text_begins_the_piece() {
    let text = "one two three ".repeat(40);
    let expected = beginning(&text);
    assert_eq!(best(&TextQuery::parse("nowhere"), &[&text, "x"]), expected);
    assert!(expected.text.starts_with("one two") && expected.text.ends_with('…') && expected.marks.is_empty());
    assert!(!expected.text.trim_end_matches('…').ends_with(' '));
    assert_eq!(beginning(" \n a\u{0}b\r\nc  "), Snippet { text: "a b c".into(), marks: vec![] });
    assert_eq!(best(&TextQuery::default(), &[]), Snippet::default());
}

#[test]
fn a_dot_behind_a_letter_parts_a_word_that_begins_with_a_digit() {
    assert_eq!(shown("ru*", &["1,000runningos.path"]), "1,000[runningos].path");
    assert_eq!(shown("model", &["a 3d.model"]), "a 3d.[model]");
    assert_eq!(shown("3.14", &["it is 3.14"]), "it is [3.14]");
}

#[test]
fn a_prompt_is_shown_by_the_text_that_matched() {
    let prompt = samples::prompt(4);
    let text = |typed| of_prompt(&TextQuery::parse(typed), prompt.texts()).text;
    assert!(text("editor").starts_with("You are a careful editor."));
    assert_eq!(text("number"), prompt.original_input);
    assert_eq!(text("note"), "note 4");
    assert_eq!(text("tag"), "sea, tag-4");
}

#[test]
fn what_reads_as_one_character_is_not_cut() {
    let family = "👨‍👩‍👧‍👦".repeat(60);
    let snippet = best(&TextQuery::parse("fox"), &[&format!("{family}fox{family}")]);
    let inside = snippet.text.trim_matches('…').replace("fox", "");
    assert!(!inside.is_empty() && inside.replace("👨‍👩‍👧‍👦", "").is_empty(), "{snippet:?}");
    // One endless grapheme is still cut.
    let endless = format!("e{}", "\u{301}".repeat(5_000));
    assert_eq!(beginning(&endless).text.chars().count(), LENGTH + 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn marks_are_in_order_and_what_they_mark_matches(
        words in proptest::collection::vec(select(vec![
            "fox", "Foxes", "quick", "the", "os.path", "parseHttpUrl", "提示词", "词", "é", "\u{301}", "👨‍👩‍👧", "\n", "a\u{1}b",
            "running", "x".repeat(90).leak(), "generation", "ไทย", "1,000", "の", "-", "\u{202e}",
        ]), 0..120),
        gap in select(vec!["", " ", "\n\n", ", "]),
        typed in select(vec![
            "fox", "quick fox", "\"the quick\"", "os.path http", "提示词", "词", "示 OR の", "x* -fox", "ru* generati*", "1000",
            "\"fox the fox\" ไ", "\"提示词 fox\"*", "é a",
        ]),
    ) {
        let text = words.join(gap);
        let query = TextQuery::parse(typed);
        let snippet = best(&query, &[&text]);
        let characters: Vec<char> = snippet.text.chars().collect();
        prop_assert!(characters.len() <= LENGTH + 2);
        prop_assert!(!snippet.text.contains(char::is_control));
        let body = snippet.text.strip_prefix('…').unwrap_or(&snippet.text);
        prop_assert!(one_line(&text).contains(body.strip_suffix('…').unwrap_or(body)));
        let mut before = None;
        for (from, to) in &snippet.marks {
            prop_assert!(from < to && *to as usize <= characters.len());
            prop_assert!(before.is_none_or(|end| end <= *from), "marks overlap");
            before = Some(*to);
            let marked: String = characters[*from as usize..*to as usize].iter().collect();
            let wanted = |term: &String| {
                let phrases = query.clauses.iter().filter(|clause| !clause.is_excluded).flat_map(|clause| &clause.any);
                phrases.into_iter().any(|phrase| (0..phrase.terms.len()).any(|place| phrase.allows(place, term)))
            };
            let found = terms::terms(&marked);
            // Either each of its parts is asked for, or a beginning of the whole is, as in `generationFoxesfox`.
            let matches = found.iter().all(wanted) || wanted(&marked.to_lowercase());
            prop_assert!(!found.is_empty() && matches, "{:?} of {:?} is marked", marked, snippet);
        }
        let single = query.clauses.len() == 1 && !query.is_empty();
        if single && words.len() < 100 && query.matches(&[terms::finding_terms(&text)]) {
            prop_assert!(!snippet.marks.is_empty(), "{:?} has no mark for {}", snippet, typed);
        }
    }
}
