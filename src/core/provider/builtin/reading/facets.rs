//! Details inside the sentences of a request: who it is for, how long, in which tone and form, by when, about what.
//!
//! Each is a quotation from the request. They repeat what the sentences say, in a form that can be checked at a
//! glance, and tell which questions need not be asked.

use super::super::craft::Domain;
use super::super::cues::facets as words;
use super::super::cues::{self, sentences};
use super::{Parts, Passage};
use crate::text::facts::{self, Facts};
use crate::text::language::is_ideographic;

pub(super) use super::super::cues::facets::TONES;

/// How much prose is looked into, in bytes: more than people write by hand.
const LOOKED_AT: usize = 12_000;
/// The longest quotation taken for a detail, in characters.
const LONGEST: usize = 120;

/// Details of a request, quoted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::provider::builtin) struct Facets {
    /// What it is about.
    pub subject: Option<String>,
    /// What it is good for.
    pub goal: Option<String>,
    /// Who reads or uses the result.
    pub audience: Option<String>,
    /// How long it is to be.
    pub length: Option<String>,
    /// How it is to sound.
    pub tone: Option<String>,
    /// By when.
    pub deadline: Option<String>,
    /// Forms it names, as written.
    pub formats: Vec<String>,
    /// Clauses inside the task that rule something out: after a comma, "no hashtags".
    pub exclusions: Vec<String>,
    /// Numbers with the words that make them a quantity.
    pub quantities: Vec<String>,
    /// The facts of the prose.
    pub facts: Facts,
}

/// Reads the details of the passages.
pub(super) fn facets(parts: &Parts) -> Facets {
    let prose = clip(&parts.prose);
    let lower = cues::lower(prose);
    let text = Text { prose, lower: &lower };
    let task: String = parts.task.iter().map(Passage::plain).collect::<Vec<_>>().join("\n");
    let task_lower = cues::lower(&task);
    let facts = facts::facts(prose);
    // A quotation cut through a number would hold another number than the request.
    let whole =
        |found: &String| facts::numbers(found).iter().all(|number| facts.numbers.iter().any(|given| given == number));
    let quantities: Vec<String> = quantities(&text).into_iter().filter(whole).collect();
    let is_code = parts.craft.is_some_and(|craft| craft.domain == Domain::Code && craft.name != "code-review");
    let takes_time = parts.craft.is_some_and(|craft| matches!(craft.name, "story" | "talk" | "lesson" | "plan"));
    let mut found = Facets {
        subject: subject(&Text { prose: &task, lower: &task_lower }),
        goal: after_cue(&text, words::GOAL_CUES),
        audience: audience(&text, parts.craft.is_none_or(|craft| craft.name != "cover-letter")),
        length: length(&text, &quantities, takes_time),
        tone: tone(&text),
        deadline: deadline(&text),
        formats: formats(&text, is_code),
        exclusions: exclusions(&Text { prose: &task, lower: &task_lower }),
        quantities,
        facts: Facts::default(),
    };
    for detail in [
        &mut found.subject,
        &mut found.goal,
        &mut found.audience,
        &mut found.length,
        &mut found.tone,
        &mut found.deadline,
    ] {
        *detail = detail.take().filter(whole);
    }
    found.exclusions.retain(whole);
    found.facts = facts;
    found
}

/// A text beside itself in small letters, byte for byte alike.
struct Text<'t> {
    prose: &'t str,
    lower: &'t str,
}

impl<'t> Text<'t> {
    fn slice(&self, from: usize, to: usize) -> Option<&'t str> {
        self.prose.get(from..to)
    }
}

fn clip(text: &str) -> &str {
    let mut end = text.len().min(LOOKED_AT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// From `from` to the end of the clause.
fn clause<'t>(text: &Text<'t>, from: usize) -> Option<&'t str> {
    let rest = text.lower.get(from..)?;
    let mut end = cues::clause_end(rest, &['.', ',', ';', '!', '?', '\n', '(', ')', ':', '。', '、', '，', '—']);
    for stop in cues::each(words::CLAUSE_ENDS) {
        if let Some(at) = blank_before_word(&rest[..end], stop)
            && at > 0
            && !rest[at + stop.len() + 1..].trim_start().starts_with(|c: char| c.is_ascii_digit())
        {
            end = at;
        }
    }
    let found = text.slice(from, from + end)?.trim();
    (!found.is_empty() && found.chars().count() <= LONGEST).then_some(found)
}

/// Where `word` stands in `text` between blanks: the place of the blank before it.
fn blank_before_word(text: &str, word: &str) -> Option<usize> {
    text.match_indices(word)
        .map(|(at, _)| at)
        .find(|at| text[..*at].ends_with(' ') && text[at + word.len()..].starts_with(' '))
        .map(|at| at - 1)
}

fn after_cue(text: &Text<'_>, cues: &str) -> Option<String> {
    let (at, _) = cues::first(text.lower, cues)?;
    let rest = text.lower.get(at..)?;
    let end = cues::clause_end(rest, &['.', ';', '!', '?', '\n']);
    let found = text.slice(at, at + end)?.trim();
    (found.split_whitespace().count() > 2 && found.chars().count() <= LONGEST).then(|| found.to_owned())
}

fn subject(text: &Text<'_>) -> Option<String> {
    let mut places: Vec<usize> = cues::each(words::SUBJECT_CUES)
        .filter_map(|cue| cues::find(text.lower, cue).map(|at| at + cue.len()))
        .collect();
    places.sort_unstable();
    let found = places.into_iter().find_map(|at| clause(text, at));
    let found = found.filter(|subject| !facts::numbers(subject).first().is_some_and(|n| subject.starts_with(n)));
    found.map(str::to_owned).or_else(|| {
        let line = text.prose.lines().next()?;
        let lower = cues::lower(line);
        let verb = cues::beginning(&lower, sentences::REQUEST_VERBS)?;
        let mut object = line[verb.len()..].trim().trim_end_matches(['.', '!', '?', '。']);
        for article in
            ["me a ", "me an ", "a ", "an ", "the ", "me ", "my ", "bitte ", "this ", "mir ", "einen ", "eine ", "ein "]
        {
            object = object.strip_prefix(article).unwrap_or(object);
        }
        let ends = |(at, _): &(usize, &str)| *at > 12 && !object[at + 1..].starts_with(|c: char| c.is_ascii_digit());
        let end = object.match_indices([',', ';', ':']).find(ends).map_or(object.len(), |(at, _)| at);
        let object = object[..end].trim();
        (!object.is_empty() && object.chars().count() <= LONGEST).then(|| object.to_owned())
    })
}

/// True when no letter or digit touches the `length` bytes at `at`.
fn stands_alone(text: &str, at: usize, length: usize) -> bool {
    !text[..at].ends_with(char::is_alphanumeric) && !text[at + length..].starts_with(char::is_alphanumeric)
}

/// A phrase after "for" that names readers, or a sentence about them. An application is written "for" the applicant,
/// so there the phrase is no reader (`for_names_readers` is false).
fn audience(text: &Text<'_>, for_names_readers: bool) -> Option<String> {
    let cues = [
        "for",
        "aimed at",
        "aimed towards",
        "intended for",
        "suitable for",
        "targeted at",
        "to",
        "für",
        "pour",
        "para",
        "для",
    ];
    for cue in cues.into_iter().filter(|_| for_names_readers) {
        for (at, _) in text.lower.match_indices(cue) {
            if !stands_alone(text.lower, at, cue.len()) {
                continue;
            }
            let Some(phrase) = clause(text, at + cue.len()) else { continue };
            let lower = phrase.to_lowercase();
            let count = lower.split_whitespace().count();
            if count <= 9 && (cues::any(&lower, words::READERS) || (cue != "to" && count <= 4 && names_people(&lower)))
            {
                return Some(phrase.to_owned());
            }
        }
    }
    sentence_with(text, sentences::AUDIENCE_CUES)
}

/// True for a phrase whose last word names people by its ending: buyers, investors, cyclists.
fn names_people(phrase: &str) -> bool {
    let last = phrase.split_whitespace().last().unwrap_or_default();
    ["ers", "ors", "ists", "ants", "ians", "ees", "eurs", "ores"]
        .iter()
        .any(|end| last.len() > end.len() + 2 && last.ends_with(end))
        && !cues::holds(words::NOT_PEOPLE, last)
}

fn sentence_with(text: &Text<'_>, cues: &str) -> Option<String> {
    text.prose.split(['\n']).flat_map(crate::text::sentences::sentences).find_map(|sentence| {
        let found = cues::any(&sentence.to_lowercase(), cues) && sentence.chars().count() <= LONGEST;
        found.then(|| sentence.trim_end_matches(['.', '。', '!']).to_owned())
    })
}

fn quantities(text: &Text<'_>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut from = 0;
    for number in facts::numbers(text.prose) {
        let Some(at) = text.prose[from..].find(number).map(|n| from + n) else {
            continue;
        };
        if at < from {
            continue;
        }
        let start = limit_start(text, at);
        let mut end = at + number.len();
        // "between 5 and 10 words": the range is one quantity.
        if let Some(joiner) = [" and ", " to ", " or ", " und ", " bis ", " et ", " à ", " y ", " a "]
            .iter()
            .find(|j| text.lower[end..].starts_with(**j))
            && let Some(second) =
                facts::numbers(text.prose[end + joiner.len()..].split_whitespace().next().unwrap_or("")).first()
            && text.prose[end + joiner.len()..].starts_with(second)
        {
            end += joiner.len() + second.len();
        }
        from = end;
        let tail = &text.prose[end..];
        let is_end = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '.' | ')' | ':' | '"' | '?' | '!');
        // What is glued to a number makes it no quantity where it is too long for one.
        let mut near = tail.char_indices().take(LONGEST + 1);
        let Some(glued) = near.find_map(|(at, c)| is_end(c).then_some(at)).or_else(|| {
            let is_short = tail.char_indices().nth(LONGEST + 1).is_none();
            is_short.then_some(tail.len())
        }) else {
            continue;
        };
        end += glued;
        let mut phrase = text.prose[start..end].trim().to_owned();
        let ends_unit =
            |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '.' | ')' | '(' | ':' | '"' | '。' | '?' | '!');
        let unit = text.prose[end..].trim_start_matches(|c: char| c.is_whitespace() && c != '\n');
        if let Some(word) = unit.split(ends_unit).next().filter(|word| !word.is_empty())
            && !cues::holds(words::NOT_UNITS, &word.to_lowercase())
            && word.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '%' | '°' | '€' | '$' | '/'))
        {
            phrase.push(' ');
            phrase.push_str(word);
        }
        if !found.contains(&phrase) && phrase.chars().count() <= LONGEST {
            found.push(phrase);
        }
    }
    found
}

/// Where the words begin that make the number at `at` a limit.
fn limit_start(text: &Text<'_>, at: usize) -> usize {
    let symbol = text.prose[..at]
        .char_indices()
        .next_back()
        .filter(|(_, c)| matches!(c, '$' | '€' | '£' | '¥' | '~' | '≤' | '≥' | '<' | '>'))
        .map_or(at, |(n, _)| n);
    let before = text.lower[..symbol].trim_end();
    cues::each(words::LIMIT_CUES)
        .filter(|cue| {
            before.ends_with(cue)
                && !before[..before.len() - cue.len()].ends_with(char::is_alphanumeric)
                && symbol - before.len() <= 1
        })
        .map(|cue| before.len() - cue.len())
        .min()
        .unwrap_or(symbol)
}

/// Measured lengths, in units of text, or of time where the task is one that takes time.
fn length(text: &Text<'_>, quantities: &[String], takes_time: bool) -> Option<String> {
    let measured: Vec<&str> = quantities
        .iter()
        .filter(|quantity| {
            let lower = quantity.to_lowercase();
            let has = |units: &str| {
                lower.split([' ', '-']).any(|word| cues::each(units).any(|unit| word == unit || is_glued(word, unit)))
            };
            let counts_data =
                ["per", "each", "every", "a", "pro", "par"].iter().any(|word| lower.ends_with(&format!(" {word}")));
            !counts_data && (has(words::LENGTH_UNITS) || (takes_time && has(words::TIME_UNITS)))
        })
        .map(|quantity| quantity.strip_prefix("in ").or_else(|| quantity.strip_prefix("In ")).unwrap_or(quantity))
        .collect();
    if !measured.is_empty() {
        return Some(measured.join(", "));
    }
    let (at, word) = cues::first(text.lower, words::LENGTH_WORDS)?;
    text.slice(at, at + word.len()).map(str::to_owned)
}

/// A unit right behind its number, as in scripts without blanks: `200字`.
fn is_glued(word: &str, unit: &str) -> bool {
    !unit.is_ascii()
        && word.strip_suffix(unit).is_some_and(|number| number.chars().all(char::is_numeric) && !number.is_empty())
}

/// Words for tone where they describe the text: next to a word such as "tone", before the thing asked for, or after
/// "be", "sound", "keep it".
fn tone(text: &Text<'_>) -> Option<String> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut first_line = true;
    let mut base = 0;
    for sentence in text.lower.split_inclusive(['.', '\n', '!', '?', ';', '。']) {
        let spoken_of = cues::any(sentence, sentences::TONE_CUES);
        for tone in cues::each(words::TONES) {
            let Some(at) = cues::find(sentence, tone) else { continue };
            let before = sentence[..at].trim_end();
            let told = [
                "be", "more", "less", "is", "sound", "sounds", "keep it", "make it", "stay", "remain", "but",
                "be very", "be a bit",
            ]
            .iter()
            .any(|cue| before.ends_with(cue) && spoken_of_manner(before));
            let described = first_line
                && before.split_whitespace().count() <= 5
                && cues::beginning(before.trim_start(), sentences::REQUEST_VERBS).is_some();
            let after = sentence[at + tone.len()..].trim_start();
            let listed = before.ends_with(',')
                && (after.is_empty()
                    || after.starts_with([',', '.', ';'])
                    || after.starts_with("and ")
                    || after.starts_with("but "));
            if spoken_of || told || described || listed {
                found.push((base + at, base + at + tone.len()));
            }
        }
        first_line &= sentence.trim().is_empty();
        base += sentence.len();
    }
    found.sort_unstable();
    let start = found.first()?.0;
    // One stretch of words, so that "not boastful" and "slightly ironic" keep what goes before them.
    let clause_end = text.lower[start..].find(['.', ';', '\n', '!', '?', '。']).map_or(text.lower.len(), |n| start + n);
    let end = found.iter().map(|(_, end)| *end).filter(|end| *end <= clause_end && end - start <= 60).max()?;
    let before = text.lower[..start].trim_end();
    let modifier = [
        "not too", "a bit", "not", "slightly", "very", "mildly", "somewhat", "rather", "more", "less", "nicht",
        "etwas", "sehr", "un peu", "muy",
    ]
    .iter()
    .find(|word| before.ends_with(**word) && !before[..before.len() - word.len()].ends_with(char::is_alphanumeric));
    let start = modifier.map_or(start, |word| before.len() - word.len());
    text.slice(start, end).map(str::to_owned)
}

/// True when the words before a tone speak of how something is to be.
fn spoken_of_manner(before: &str) -> bool {
    cues::any(before, "should | must | it | be | keep | make | sound | stay")
}

fn deadline(text: &Text<'_>) -> Option<String> {
    for cue in cues::each(words::DEADLINE_CUES) {
        for (at, _) in text.lower.match_indices(cue).take(20) {
            if !stands_alone(text.lower, at, cue.len()) {
                continue;
            }
            let Some(phrase) = clause(text, at) else { continue };
            let lower = phrase.to_lowercase();
            if phrase.split_whitespace().count() <= 6 && cues::any(&lower, words::TIME_WORDS) {
                return Some(phrase.to_owned());
            }
        }
    }
    None
}

/// Forms the answer is asked in: named after "as", "in", "into" and the like. A form of what goes in is none.
fn formats(text: &Text<'_>, is_code: bool) -> Vec<String> {
    let mut found: Vec<(usize, &str)> = Vec::new();
    for noun in cues::each(sentences::FORMAT_NOUNS).filter(|noun| !cues::holds(words::WEAK_FORMATS, noun)) {
        for (at, _) in text.lower.match_indices(noun).take(8) {
            if !noun.chars().any(is_ideographic) && !stands_alone(text.lower, at, noun.len()) {
                continue;
            }
            let line = text.lower[..at].rsplit(['\n', '.', ';', '?', '!']).next().unwrap_or_default();
            let before: Vec<&str> = line.split_whitespace().rev().take(4).collect();
            let asked = before
                .iter()
                .any(|word| cues::holds(words::BEFORE_FORMATS, word.trim_matches(|c: char| !c.is_alphanumeric())));
            let of_code = is_code && !before.iter().any(|word| ["answer", "respond", "reply"].contains(word));
            let named = asked || before.is_empty();
            if named && !of_code && !found.iter().any(|(_, known)| *known == noun) {
                found.push((at, noun));
            }
        }
    }
    found.sort_unstable();
    found.into_iter().filter_map(|(at, noun)| text.slice(at, at + noun.len())).map(str::to_owned).collect()
}

/// ", without …", ", no …" inside the task: set off by a comma they are about the whole, not about a word before.
fn exclusions(text: &Text<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for cue in ["without", "ohne", "sans", "sin", "no", "avoiding", "excluding", "keine", "kein"] {
        for (at, _) in text.lower.match_indices(cue).take(20) {
            let before = text.lower[..at].trim_end();
            let set_off = before.ends_with([',', ';', '(', '-', '–', '—', '，', '、'])
                || before.ends_with(", and")
                || before.ends_with(", but");
            if !set_off || !stands_alone(text.lower, at, cue.len()) {
                continue;
            }
            let Some(phrase) = clause(text, at) else { continue };
            let lower = phrase.to_lowercase();
            let limit = ["no more", "no less", "no fewer", "no longer", "no one", "no matter", "sin embargo"]
                .iter()
                .any(|other| lower.starts_with(other));
            if (2..=9).contains(&phrase.split_whitespace().count()) && !limit {
                found.push(phrase.to_owned());
            }
        }
    }
    found
}
