//! The query parser: any query gives bounded conditions, and a text is found by its own words.

use std::collections::HashSet;

use aludel_core::text::query::{LONGEST_PHRASE, MOST_TERMS, TextQuery};
use aludel_core::text::terms::finding_terms;

use crate::tape;

const WORDS: &[&str] = &[
    "\"",
    "OR",
    " OR ",
    "-",
    "*",
    "-\"",
    "prompt",
    "prompts",
    "generation",
    "generati*",
    "os.path",
    "parseHttpUrl",
    "C++",
    "漢字",
    "かな",
    "don't",
    "'",
    "(",
    ")",
    ":",
    "a",
    "_",
    "..",
    "\t",
    "naïve",
    "ﬁ",
    "İ",
    "10.5",
    "aB",
];

#[test]
fn query() {
    bolero::check!(name = "query").with_max_len(1024).for_each(|input: &[u8]| {
        let typed = tape::text(input, WORDS);
        let query = TextQuery::parse(&typed);
        assert_eq!(query, TextQuery::parse(&typed));
        let phrases = || query.clauses.iter().flat_map(|clause| &clause.any);
        assert!(query.clauses.iter().all(|clause| !clause.any.is_empty()));
        assert!(phrases().all(|phrase| (1..=LONGEST_PHRASE).contains(&phrase.terms.len())));
        assert!(phrases().flat_map(|phrase| &phrase.terms).all(|term| !term.is_empty()));
        assert!(phrases().map(|phrase| phrase.terms.len()).sum::<usize>() <= MOST_TERMS);
        let seen: HashSet<_> = query.clauses.iter().collect();
        assert_eq!(seen.len(), query.clauses.len(), "a condition stands twice");
        assert!(!query.matches::<String>(&[]), "nothing is found in nothing");

        // Purely alphabetic words, possibly an operator: each must be found in its own text.
        let words: Vec<&str> = typed
            .split(|character: char| !character.is_ascii_alphabetic())
            .filter(|word| !word.is_empty() && *word != "OR" && word.len() < 40)
            .take(40)
            .collect();
        let (plain, text) = (TextQuery::parse(&words.join(" ")), words.join(" "));
        let field = finding_terms(&text);
        assert!(plain.is_empty() || plain.matches(&[field]), "{text:?} does not find itself");
    });
}
