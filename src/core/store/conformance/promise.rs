//! What text search promises users: a word is found in any case, as written and by its parts.
//!
//! Expectations are computed in the simplest way from the written text. Only the query may use
//! `core::text`: an expectation that splits or folds words like the index would share its faults.

use std::collections::{BTreeMap, BTreeSet};

use super::Check;
use crate::domain::{Filter, PromptId};
use crate::store::{Lexical, Store, samples};
use crate::text::query::TextQuery;

pub(super) const CHECKS: &[Check] = &[
    Check { name: "a word is found in any case and by its parts", run: words_in_any_case },
    Check { name: "a phrase is found in any case and as parts", run: phrases_in_any_case },
    Check { name: "a word in the middle of another is not found", run: not_within },
    Check { name: "a word is found by its beginnings in any case", run: beginnings_in_any_case },
    Check { name: "what is excluded is not found in any case", run: excluded_in_any_case },
];

/// Sentences that people wrote, two a line or more.
const RECORDED: [&str; 2] = [
    include_str!("../../../../tests/fixtures/paraphrases/natural.tsv"),
    include_str!("../../../../tests/fixtures/paraphrases/pairs.tsv"),
];

/// Words of mixed case, with digits, hyphens and apostrophes, and of source code.
const WORDS: &str = "
    GitHub GitLab PostgreSQL JavaScript TypeScript OpenAI YouTube iPhone iPad LaTeX BibTeX MySQL SQLite NoSQL MongoDB
    LinkedIn WhatsApp PayPal eBay macOS iOS watchOS DevOps MLOps GraphQL gRPC OAuth OAuth2 WebSocket WebAssembly IntelliJ
    PyTorch TensorFlow NumPy SciPy JupyterLab McDonald MacBook DeepMind ChatGPT LangChain HuggingFace DuckDB CouchDB
    RabbitMQ OpenSSL LibreSSL WordPress PowerPoint PowerShell FreeBSD OpenBSD XMLHttpRequest parseHttpUrl parseHTTPUrl
    getElementById toString camelCase PascalCase snake_case SCREAMING_SNAKE_CASE max_rows MAX_ROWS maxRows MaxRows
    is_valid_2 __init__ _private self.value os.path.join std::vec::Vec HashMap BTreeMap Vec<u8> i32 u64 f32 x86_64 amd64
    utf8 UTF-8 utf-16le base64 Base64Url sha256 SHA-256 SHA512 md5 RSA-2048 AES256 h264 H265 mp3 MP4 mpeg4 K8s i18n l10n
    a11y GPT-4 GPT4 gpt-4o Llama3 llama-3.1 Claude3 v1.2.3 1.0 3.14 2nd 3rd 10x 24/7 100% 5G 4K 3D 2D B2B C3PO R2D2 F16
    COVID-19 H2O CO2 PM2.5 ISO-8601 ISO8601 RFC2119 RFC-7231 IPv4 IPv6 HTTP/2 HTTPS TLS1.3 WiFi Wi-Fi e-mail E-Mail
    well-known state-of-the-art up-to-date mother-in-law co-op re-enter X-ray T-shirt read-only Jean-Luc Coca-Cola
    don't can't won't it's I'm we're they've she'd O'Brien O\u{2019}Neil D'Artagnan rock'n'roll l'\u{e9}t\u{e9} qu'il
    l'Homme Peter's boss' caf\u{e9} na\u{ef}ve Z\u{fc}rich S\u{e3}o \u{c5}ngstr\u{f6}m Stra\u{df}e \u{141}\u{f3}d\u{17a}
    \u{41c}\u{43e}\u{441}\u{43a}\u{432}\u{430} \u{39f}\u{394}\u{39f}\u{3a3} \u{3bf}\u{3b4}\u{3cc}\u{3c2} foo.bar a.b.c
    main.rs README.md Cargo.toml package.json index.html config.yaml .gitignore Dockerfile Makefile en_US en-GB
    user@example.com example.org #hashtag @mention C++ C# F# Node.js Vue.js D3.js ASP.NET .NET R&D AT&T Q&A
";

/// Searches a store and caches the results.
struct Searcher<'store> {
    store: &'store dyn Store,
    ids: Vec<PromptId>,
    known: BTreeMap<String, BTreeSet<usize>>,
}

impl Searcher<'_> {
    /// Stores a prompt for each text; the prompts differ in nothing else.
    fn over<'store>(store: &'store dyn Store, texts: &[String]) -> Searcher<'store> {
        let mut prompts = samples::prompts(u32::try_from(texts.len()).unwrap());
        for (prompt, text) in prompts.iter_mut().zip(texts) {
            prompt.content.clone_from(text);
            prompt.original_input = "-".into();
            prompt.tags.clear();
            prompt.notes = None;
        }
        for some in prompts.chunks(100) {
            store.append(some.to_vec()).wait().unwrap();
        }
        let ids = prompts.into_iter().map(|prompt| prompt.id).collect();
        Searcher { store, ids, known: BTreeMap::new() }
    }

    /// The numbers of the texts that are found.
    fn found(&mut self, typed: &str) -> BTreeSet<usize> {
        if let Some(known) = self.known.get(typed) {
            return known.clone();
        }
        let wanted = Lexical { query: TextQuery::parse(typed), filter: Filter::default(), limit: 10_000, offset: 0 };
        let found = self.store.lexical(wanted).wait().unwrap();
        let number = |id| self.ids.iter().position(|known| *known == id).unwrap();
        let numbers: BTreeSet<usize> = found.hits.iter().map(|hit| number(hit.id)).collect();
        self.known.insert(typed.to_owned(), numbers.clone());
        numbers
    }
}

/// The words between blanks, without surrounding punctuation.
fn written(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
}

/// The parts of a word as a person would split it: at punctuation, changes of case, and digits.
fn parts(word: &str) -> Vec<String> {
    let characters: Vec<char> = word.chars().collect();
    let mut parts = vec![String::new()];
    for (place, c) in characters.iter().enumerate() {
        let before = place.checked_sub(1).map(|before| characters[before]);
        let after = characters.get(place + 1);
        let begins = before.is_some_and(|before| {
            (before.is_lowercase() && c.is_uppercase())
                || (before.is_uppercase() && c.is_uppercase() && after.is_some_and(|after| after.is_lowercase()))
                || (before.is_alphabetic() && c.is_numeric())
                || (before.is_numeric() && c.is_alphabetic())
        });
        // A point between digits is part of the number.
        let is_point = matches!(c, '.' | ',')
            && before.is_some_and(char::is_numeric)
            && after.is_some_and(|after| after.is_numeric());
        if begins || (!c.is_alphanumeric() && !is_point) {
            parts.push(String::new());
        }
        if c.is_alphanumeric() || is_point {
            parts.last_mut().unwrap().push(*c);
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

fn cases(word: &str) -> [String; 3] {
    [word.to_owned(), word.to_lowercase(), word.to_uppercase()]
}

/// Letters and digits only, case-folded, `y` as `i`: `dying` and `dies` are one word.
fn bare(text: &str) -> String {
    let folded = text.to_uppercase().to_lowercase().replace('y', "i");
    folded.chars().filter(|c| c.is_alphanumeric()).collect()
}

fn sentences() -> Vec<String> {
    let lines = RECORDED.iter().flat_map(|file| file.lines());
    lines.map(|line| line.replace('\t', " ")).collect()
}

fn own_words() -> Vec<String> {
    WORDS.split_whitespace().map(str::to_owned).collect()
}

fn words_in_any_case(store: &dyn Store) {
    let recorded = sentences();
    let own = own_words();
    assert_eq!((recorded.len(), own.len() >= 200), (275, true));
    let in_sentence = own.iter().map(|word| format!("please mention {word} here"));
    let texts: Vec<String> = recorded.iter().cloned().chain(in_sentence).collect();
    let mut searcher = Searcher::over(store, &texts);
    for (number, text) in texts.iter().enumerate() {
        for word in written(text) {
            for form in std::iter::once(word.to_owned()).chain(parts(word)).flat_map(|form| cases(&form)) {
                let found = searcher.found(&form);
                assert!(found.contains(&number), "`{form}` does not find {text:?}");
                // Stemming changes the end of a word (`used` finds `using`), never its beginning.
                let begun: String = bare(&form).chars().take(2).collect();
                let stranger = found.iter().find(|other| !bare(&texts[**other]).contains(&begun));
                assert_eq!(stranger.map(|other| &texts[*other]), None, "`{form}` finds it");
            }
        }
    }
}

fn phrases_in_any_case(store: &dyn Store) {
    let texts = [
        "Set up GitHub Actions for PostgreSQL",
        "call parseHttpUrl in JavaScript now",
        "the iPhone15Pro and the SHA-256 sum",
        "git hub and post gres are other words",
        "a part is not apart, some one is not someone",
    ]
    .map(str::to_owned);
    let mut searcher = Searcher::over(store, &texts);
    for (typed, number) in [
        ("GitHub Actions", 0),
        ("up GitHub Actions for", 0),
        ("for PostgreSQL", 0),
        ("call parseHttpUrl in JavaScript", 1),
        ("http url", 1),
        ("parse http url", 1),
        ("url in javascript now", 1),
        ("the iPhone15Pro and", 2),
        ("iphone15pro and", 2),
        ("sha 256 sum", 2),
        ("SHA256 sum", 2),
    ] {
        for typed in cases(typed) {
            assert_eq!(searcher.found(&format!("\"{typed}\"")), BTreeSet::from([number]), "{typed}");
        }
    }
    for (typed, number) in [("\"git hub and\"", 3), ("\"a part\"", 4), ("\"some one\"", 4)] {
        assert_eq!(searcher.found(typed), BTreeSet::from([number]), "{typed}");
    }
    for typed in ["\"actions github\"", "\"github for\"", "\"http javascript\"", "\"not some\""] {
        assert_eq!(searcher.found(typed), BTreeSet::new(), "{typed}");
    }
}

fn not_within(store: &dyn Store) {
    let texts = ["a gigabit network", "GitHub", "the digits", "legit hubs", "iPhones"].map(str::to_owned);
    let mut searcher = Searcher::over(store, &texts);
    for (typed, numbers) in
        [("git", vec![1]), ("hub", vec![1, 3]), ("github", vec![1]), ("bit", vec![]), ("phone", vec![4])]
    {
        assert_eq!(searcher.found(typed), numbers.into_iter().collect(), "{typed}");
    }
}

fn beginnings_in_any_case(store: &dyn Store) {
    let texts = ["GitHub", "PostgreSQL", "parseHttpUrl", "max_rows", "sha256"].map(str::to_owned);
    let mut searcher = Searcher::over(store, &texts);
    for (number, text) in texts.iter().enumerate() {
        for length in 1..=text.len() {
            let begun = text[..length].trim_end_matches('_');
            for typed in cases(begun) {
                assert!(searcher.found(&format!("{typed}*")).contains(&number), "`{typed}*` does not find {text}");
            }
        }
    }
}

fn excluded_in_any_case(store: &dyn Store) {
    let texts = ["use GitHub now", "use GITHUB now", "use github now", "use gitlab now"].map(str::to_owned);
    let mut searcher = Searcher::over(store, &texts);
    for typed in cases("GitHub") {
        assert_eq!(searcher.found(&typed), BTreeSet::from([0, 1, 2]), "{typed}");
        assert_eq!(searcher.found(&format!("now -{typed}")), BTreeSet::from([3]), "{typed}");
    }
}
