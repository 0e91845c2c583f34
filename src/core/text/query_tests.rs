//! Parsing queries, and what they match.

use proptest::prelude::*;

use super::*;
use crate::text::terms;

/// A query in the notation of these tests: clauses in brackets, alternatives with `|`, exclusions
/// with `-`. Joined-word alternatives are left out.
fn read(typed: &str) -> String {
    read_whole(typed, |phrase| !phrase.has_words_as_one())
}

fn read_whole(typed: &str, is_shown: impl Fn(&Phrase) -> bool) -> String {
    let phrase = |phrase: &Phrase| phrase.terms.join(" ") + if phrase.is_prefix { "*" } else { "" };
    let clause = |clause: &Clause| {
        let any: Vec<String> = clause.any.iter().filter(|phrase| is_shown(phrase)).map(phrase).collect();
        format!("{}[{}]", if clause.is_excluded { "-" } else { "" }, any.join("|"))
    };
    TextQuery::parse(typed).clauses.iter().map(clause).collect()
}

fn finds(typed: &str, text: &str) -> bool {
    TextQuery::parse(typed).matches(&[finding_terms(text)])
}

#[test]
fn words_must_all_be_there() {
    assert_eq!(read("  Write\tPROMPTS\nquickly "), "[write][prompt][quick]");
    assert_eq!(read("sea the sea Seas"), "[sea][the]");
    assert_eq!(read(""), "");
    assert_eq!(read("— ?! ... * - \" \"\" -\"\" -* ** "), "");
}

#[test]
fn quotes_hold_words_together() {
    assert_eq!(read("\"The Quick foxes\" x"), "[the quick fox][x]");
    assert_eq!(read("“the fox” „the sea“"), "[the fox][the sea]");
    assert_eq!(read("\"a b\"c\"d e\""), "[a b][c d][e]");
}

#[test]
fn a_quote_without_its_end_is_text() {
    assert_eq!(read("the \"quick fox"), "[the][quick][fox]");
    assert_eq!(read("a 5\" screen"), "[a][5][screen]");
}

#[test]
fn a_dash_before_a_word_or_a_quote_excludes() {
    assert_eq!(read("-draft poem -\"not this\""), "-[draft][poem]-[not this]");
    assert_eq!(read("--flag well-known - x"), "[flag][well known][x]");
    assert_eq!(read("-os.path"), "-[ospath|os path]");
}

#[test]
fn or_chooses_between_what_stands_beside_it() {
    assert_eq!(read("a OR b c"), "[a|b][c]");
    assert_eq!(read("x a OR \"b c\" OR d"), "[x][a|b c|d]");
    assert_eq!(read("a OR a"), "[a]");
    assert_eq!(read("a or b"), "[a][or][b]");
}

#[test]
fn an_or_with_nothing_to_choose_from_is_text() {
    assert_eq!(read("OR a"), "[or][a]");
    assert_eq!(read("a OR"), "[a][or]");
    assert_eq!(read("a OR -b"), "[a][or]-[b]");
    assert_eq!(read("-a OR b"), "-[a][or][b]");
    assert_eq!(read("a OR OR b"), "[a][or|b]");
    assert_eq!(read("\"OR\" a"), "[or][a]");
}

#[test]
fn what_gives_several_terms_is_a_phrase() {
    assert_eq!(read("x-y os.path max_rows"), "[x y][ospath|os path][maxrow|max row]");
    assert_eq!(read("parseHttpUrl"), "[parsehttpurl|pars http url|parsehttp url|pars httpurl]");
    let whole = |typed| read_whole(typed, |_| true);
    assert_eq!(whole("\"the http url\""), "[the http url|the_http url|the_http_url|the http_url]");
    assert_eq!(whole("\"in GitHub\""), "[in github|in git hub|in_git hub|in_git_hub]");
    assert_eq!(read("state-of-the-art"), "[state of the art]");
    assert!(finds("parseHttpUrl", "fn parse_http_url()"));
    assert!(!finds("os.path", "path os"));
}

#[test]
fn runs_without_spaces_are_looked_for_by_their_pairs() {
    assert_eq!(read("提示词"), "[提示 示词]");
    assert_eq!(read("\"提示词 for x\""), "[提示 示词 词 for x]");
    for found in
        ["提示", "示词", "提示词", "好的提示词", "提", "示", "词", "\"示词 for\"", "\"词 for\"", "提*", "提示*"]
    {
        assert!(finds(found, "好的提示词 for x"), "{found}");
    }
    for missed in ["词提", "示提", "提词", "\"提示 for\"", "\"词 x\""] {
        assert!(!finds(missed, "好的提示词 for x"), "{missed}");
    }
}

#[test]
fn a_star_makes_a_beginning() {
    assert_eq!(read("Haik*"), "[haik*]");
    assert_eq!(read("Haik** x*y"), "[haik*][x y]");
    assert_eq!(read("\"write a haik\"* \"write a haik*\" -dra*"), "[write a haik*]-[dra*]");
    assert_eq!(read("getUse*"), "[getuse*|getus|get use*]");
    assert_eq!(read("max_row*"), "[maxrow*|max row*]");
    assert!(finds("getUse*", "getUsers()"));
    for typed in ["10*", "1,000*", "1000*"] {
        assert!(finds(typed, "1,000 rows"), "{typed}");
    }
}

#[test]
fn a_beginning_longer_than_the_term_still_finds_the_word() {
    assert_eq!(read("generati*"), "[generati*|generat]");
    let words = [
        "generation",
        "generations",
        "generative",
        "relational",
        "happiness",
        "happily",
        "studies",
        "running",
        "planned",
        "optimization",
        "organizer",
        "hopefulness",
        "usefully",
        "decisiveness",
        "conditional",
        "capabilities",
        "management",
        "differently",
        "analogousness",
        "electricity",
        "dancing",
        "agencies",
        "flies",
        "believed",
    ];
    for word in words {
        for end in 1..=word.len() {
            assert!(finds(&format!("{}*", &word[..end]), word), "{}* must find {word}", &word[..end]);
        }
        assert!(!finds(&format!("{word}x*"), word), "{word}");
    }
}

#[test]
fn a_phrase_lies_within_one_field_and_clauses_need_not() {
    let fields = [terms::finding_terms("a quick fox"), terms::finding_terms("jumps high")];
    let matches = |typed| TextQuery::parse(typed).matches(&fields);
    assert!(matches("fox jumps"));
    assert!(!matches("\"fox jumps\""));
    assert!(matches("\"quick fox\" -\"fox jumps\""));
    assert!(!matches("fox -high"));
    assert!(matches("cat OR high"));
    assert!(!matches("cat OR dog"));
    assert!(matches("-cat -dog fox"));
}

#[test]
fn what_only_excludes_finds_nothing() {
    assert!(TextQuery::parse("-a -\"b c\"").is_empty());
    assert!(!finds("-cat", "dog"));
    assert!(!finds("", "dog"));
    assert!(!finds("", ""));
}

#[test]
fn a_prompt_is_found_by_each_of_its_texts() {
    let prompt = crate::store::samples::prompt(3);
    for typed in ["careful editor", "haiku number", "\"tag 3\"", "\"note 3\"", "uber", "海", "sea -river"] {
        assert!(TextQuery::parse(typed).finds(&prompt), "{typed}");
    }
    assert!(!TextQuery::parse("\"sea tag\"").finds(&prompt), "two tags are two fields");
}

#[test]
fn a_hostile_query_is_read_in_bounds() {
    let floods = [
        "\"".repeat(10_000),
        "a\" ".repeat(3_333),
        "* ".repeat(5_000),
        "OR ".repeat(3_333),
        "-\"".repeat(5_000),
        (0..1_500).map(|n| format!("w{n}x*")).collect::<Vec<_>>().join(" "),
        (0..1_500).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" OR "),
        "run* ".repeat(2_000),
        "词".repeat(10_000),
        "aB".repeat(5_000),
        format!("\"{}\"", "x y ".repeat(2_400)),
        "e\u{301}".repeat(5_000),
    ];
    for flood in floods {
        let query = TextQuery::parse(&flood);
        let terms: usize = query.clauses.iter().flat_map(|clause| &clause.any).map(|phrase| phrase.terms.len()).sum();
        assert!(terms <= MOST_TERMS, "{terms} terms of {:?}…", flood.chars().take(12).collect::<String>());
        query.matches(&[finding_terms(&flood)]);
    }
    assert_eq!(TextQuery::parse(&"词".repeat(500)).clauses[0].any[0].terms.len(), LONGEST_PHRASE);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_text_is_read_and_its_phrases_hold_terms(typed in any::<String>()) {
        let query = TextQuery::parse(&typed);
        for phrase in query.clauses.iter().flat_map(|clause| &clause.any) {
            prop_assert!(!phrase.terms.is_empty());
            prop_assert!(phrase.terms.iter().all(|term| !term.is_empty() && !term.contains([' ', '\0', '\n'])));
        }
    }

    #[test]
    fn a_text_is_found_by_all_its_words_and_by_itself_in_quotes(text in "[a-zA-Zé_.,' 提示词のไ0-9]{1,40}") {
        prop_assume!(!terms::terms(&text).is_empty());
        let words = text.replace("OR", "or");
        prop_assert!(finds(&words, &text), "{words:?}");
        let quoted = format!("\"{text}\"");
        prop_assert!(finds(&quoted, &text), "{quoted:?}");
    }

    #[test]
    fn a_word_is_found_by_its_beginnings(word in "[a-z]{1,12}", end in 1..12_usize) {
        let end = end.min(word.len());
        let term = terms::terms(&word).remove(0);
        let begun = &word[..end];
        // What stemming left of the word, or removed by a known ending.
        if term.starts_with(begun) {
            let typed = format!("{begun}*");
            prop_assert!(finds(&typed, &word), "{typed} in {word}");
        }
    }
}
