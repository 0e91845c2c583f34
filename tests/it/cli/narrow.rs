//! Tables stay readable on 40 columns; where the locale is ASCII, our symbols are ASCII.

use std::collections::BTreeSet;

use super::on_a_narrow_terminal;
use crate::support::Home;

const COLUMNS: u16 = 40;

/// Every command that prints a table, or one fact per line.
const TABLES: [&[&str]; 24] = [
    &["list"],
    &["search", "trip"],
    &["similar", "@last"],
    &["history"],
    &["providers"],
    &["providers", "--models"],
    &["spend"],
    &["spend", "--by", "model"],
    &["stats"],
    &["stats", "--by", "tag,persona,phase"],
    &["metrics"],
    &["metrics", "@last"],
    &["personas"],
    &["templates"],
    &["config", "show"],
    &["config", "show", "--origin"],
    &["validate", "--quick"],
    &["test-providers", "builtin"],
    &["why", "@last"],
    &["judge", "audit", "builtin"],
    &["judge", "audit", "--list"],
    &["judge", "audit", "builtin", "--labels", "labels.jsonl"],
    &["compare", "@last", FIRST],
    &["select", "@last", FIRST, "--task", "Plan a trip"],
];

/// Placeholder for the first stored prompt.
const FIRST: &str = "FIRST";

fn home() -> Home {
    let home = Home::new();
    for (idea, tags) in [("Plan a trip to the sea", "travel,summer"), ("Say sorry to a customer", "work")] {
        home.run(&["generate", idea, "--count", "3", "--tags", tags, "--quiet"]).done();
    }
    home.write("labels.jsonl", "{\"a_text\": \"One\", \"b_text\": \"Two\", \"choice\": \"a\", \"task\": \"Count\"}\n");
    home
}

/// The commands, with the placeholder replaced by the id.
fn tables(home: &Home) -> Vec<Vec<String>> {
    let listed = home.run(&["list", "--sort", "oldest", "--format", "json"]).json();
    let first = listed["prompts"][0]["id"].as_str().expect("an id");
    TABLES.map(|words| words.iter().map(|word| word.replace(FIRST, first)).collect()).into()
}

#[test]
fn at_forty_columns_no_table_is_wider_and_no_word_is_broken() {
    let home = home();
    for arguments in tables(&home) {
        let arguments = &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..];
        let on = |columns| on_a_narrow_terminal(&home, arguments, columns, &[]);
        // Changes between two texts are in brackets.
        let bare = |text: String| ["[-", "-]", "{+", "+}"].iter().fold(text, |text, mark| text.replace(mark, " "));
        let (narrow, wide) = (on(COLUMNS), bare(on(400)));
        let known: BTreeSet<&str> = wide.split_whitespace().collect();
        // Progress is overwritten.
        for line in narrow.lines().filter(|line| !line.contains("waiting for") && !line.contains("testing the judge")) {
            assert!(line.chars().count() <= COLUMNS.into(), "{arguments:?}: too wide: {line}");
            let line = &bare(line.to_owned());
            let words: Vec<&str> = line.split_whitespace().collect();
            // Truncated words are marked, and times change.
            let is_whole = |word: &&str| {
                known.contains(*word)
                    || word.contains(['…', '─', '█'])
                    || word.chars().any(|c| c.is_ascii_digit())
                    || ["·", "≈"].contains(word)
            };
            // A word wider than a line must be broken.
            let has_long = known.iter().any(|word| {
                word.chars().count() > usize::from(COLUMNS) - 4 && words.iter().any(|part| word.contains(part))
            });
            assert!(has_long || words.iter().all(is_whole), "{arguments:?}: {line}\n{wide}");
        }
        let single = |line: &str| line.split_whitespace().count() == 1 && line.starts_with(&" ".repeat(12));
        let lines: Vec<&str> = narrow.lines().collect();
        assert!(
            !lines.windows(3).any(|three| three.iter().all(|line| single(line))),
            "{arguments:?}: a word a line\n{narrow}"
        );
    }
}

#[test]
fn under_an_ascii_locale_our_signs_are_ascii_and_data_is_what_it_was() {
    const DATA: &str = "Schön · — … ✓ ≈ 素数";
    let home = home();
    let locale = [("LC_ALL", "C")];
    for arguments in tables(&home) {
        let arguments = &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..];
        let said = home.run_with_env(arguments, &locale).done();
        assert!(said.stdout.is_ascii() && said.stderr.is_ascii(), "{arguments:?}: {}{}", said.stdout, said.stderr);
        let drawn = on_a_narrow_terminal(&home, arguments, COLUMNS, &locale);
        assert!(drawn.is_ascii(), "{arguments:?}: {drawn}");
    }
    home.run_with_env(&["generate", DATA, "--count", "1", "--quiet"], &locale).done();
    assert!(home.run_with_env(&["show", "@last"], &locale).done().stdout.contains(DATA));
    assert!(home.run_with_env(&["list"], &locale).done().stdout.contains(DATA));
    // In other locales they are unchanged.
    assert!(home.run_with_env(&["list"], &[("LC_ALL", "C.UTF-8")]).done().stdout.contains('≈'));
}
