//! Details inside the sentences of a request: who it is for, how long, in which tone and form, by when, about what.
//!
//! Each is a quotation from the request. They repeat what the sentences say, in a form that can be checked at a
//! glance, and tell which questions need not be asked.

use super::super::cues::facets as words;
use super::super::cues::{self, sentences};
use super::{Parts, Passage};
use crate::text::facts::{self, Facts};

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
    /// Clauses inside the task that rule something out ("without …").
    pub exclusions: Vec<String>,
    /// Numbers with the words that make them a quantity.
    pub quantities: Vec<String>,
    /// The facts of the prose.
    pub facts: Facts,
}

/// Reads the details of the passages.
pub(super) fn facets(parts: &Parts) -> Facets {
    let prose = clip(&parts.prose);
    // The same length in both, so that a place in one is a place in the other.
    let lower = prose.to_lowercase();
    let lower = if lower.len() == prose.len() { lower } else { prose.to_ascii_lowercase() };
    let text = Text { prose, lower: &lower };
    let task: String = parts.task.iter().map(Passage::plain).collect::<Vec<_>>().join("\n");
    let task_lower = task.to_lowercase();
    let task_lower = if task_lower.len() == task.len() { task_lower } else { task.to_ascii_lowercase() };
    let facts = facts::facts(prose);
    // A quotation cut through a number would hold another number than the request.
    let whole =
        |found: &String| facts::numbers(found).iter().all(|number| facts.numbers.iter().any(|given| given == number));
    let quantities: Vec<String> = quantities(&text).into_iter().filter(whole).collect();
    let mut found = Facets {
        subject: subject(&Text { prose: &task, lower: &task_lower }),
        goal: after_cue(&text, words::GOAL_CUES),
        audience: audience(&text),
        length: length(&text, &quantities),
        tone: tone(&text),
        deadline: deadline(&text),
        formats: formats(&lower),
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
    let mut end =
        rest.find(['.', ',', ';', '!', '?', '\n', '(', ')', ':', '。', '、', '，', '—']).unwrap_or(rest.len());
    // A mark between digits or before a letter is part of a word.
    while end < rest.len()
        && rest[end..].starts_with(['.', ',', ':'])
        && rest[end + 1..].starts_with(char::is_alphanumeric)
    {
        let next =
            rest[end + 1..].find(['.', ',', ';', '!', '?', '\n', '(', ')', ':']).map_or(rest.len(), |n| end + 1 + n);
        end = next;
    }
    for stop in words::CLAUSE_ENDS {
        if let Some(at) = rest[..end].find(stop)
            && at > 0
        {
            end = at;
        }
    }
    let found = text.slice(from, from + end)?.trim();
    (!found.is_empty() && found.chars().count() <= LONGEST).then_some(found)
}

fn after_cue(text: &Text<'_>, cues: &[&str]) -> Option<String> {
    let at = cues.iter().filter_map(|cue| cues::find(text.lower, cue)).min()?;
    let rest = text.lower.get(at..)?;
    let end = rest.find(['.', ';', '!', '?', '\n']).unwrap_or(rest.len());
    let found = text.slice(at, at + end)?.trim();
    (found.split_whitespace().count() > 2 && found.chars().count() <= LONGEST).then(|| found.to_owned())
}

fn subject(text: &Text<'_>) -> Option<String> {
    let mut places: Vec<usize> =
        words::SUBJECT_CUES.iter().filter_map(|cue| cues::find(text.lower, cue).map(|at| at + cue.len())).collect();
    places.sort_unstable();
    let found = places.into_iter().find_map(|at| clause(text, at));
    let found = found.filter(|subject| !facts::numbers(subject).first().is_some_and(|n| subject.starts_with(n)));
    found.map(str::to_owned).or_else(|| {
        let line = text.prose.lines().next()?;
        let lower = line.to_lowercase();
        let verb = cues::beginning(&lower, sentences::REQUEST_VERBS).filter(|_| lower.len() == line.len())?;
        let mut object = line[verb.len()..].trim().trim_end_matches(['.', '!', '?', '。']);
        for article in
            ["me a ", "me an ", "a ", "an ", "the ", "me ", "my ", "this ", "mir ", "einen ", "eine ", "ein "]
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

/// A phrase after "for" or "to" that names readers, or a sentence about them.
fn audience(text: &Text<'_>) -> Option<String> {
    for cue in [
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
    ] {
        for (at, _) in text.lower.match_indices(cue) {
            if !stands_alone(text.lower, at, cue.len()) {
                continue;
            }
            let from = at + cue.len();
            if let Some(phrase) = clause(text, from)
                && phrase.split_whitespace().count() <= 9
                && cues::any(&phrase.to_lowercase(), words::READERS)
            {
                return Some(phrase.to_owned());
            }
        }
    }
    sentence_with(text, sentences::AUDIENCE_CUES)
}

fn sentence_with(text: &Text<'_>, cues: &[&str]) -> Option<String> {
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
        let glued = tail
            .find(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '.' | ')' | ':' | '"' | '?' | '!'))
            .unwrap_or(tail.len());
        end += glued;
        let unit: Vec<&str> = text.prose[end..]
            .split(['\n', ',', ';', '.', ')', '(', ':', '"', '。', '?', '!'])
            .next()
            .unwrap_or("")
            .split_whitespace()
            .take(2)
            .collect();
        let mut phrase = text.prose[start..end].trim().to_owned();
        for word in unit {
            let lower = word.to_lowercase();
            if [
                "and", "or", "the", "a", "of", "in", "to", "for", "with", "is", "are", "und", "et", "y", "that", "by",
                "on", "at", "from",
            ]
            .contains(&lower.as_str())
            {
                break;
            }
            phrase.push(' ');
            phrase.push_str(word);
            if words::LENGTH_UNITS.contains(&lower.as_str()) {
                break;
            }
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
    words::LIMIT_CUES
        .iter()
        .filter(|cue| {
            before.ends_with(**cue)
                && !before[..before.len() - cue.len()].ends_with(char::is_alphanumeric)
                && symbol - before.len() <= 1
        })
        .map(|cue| before.len() - cue.len())
        .min()
        .unwrap_or(symbol)
}

fn length(text: &Text<'_>, quantities: &[String]) -> Option<String> {
    let measured: Vec<String> = quantities
        .iter()
        .filter(|quantity| {
            let lower = quantity.to_lowercase();
            words::LENGTH_UNITS
                .iter()
                .any(|unit| cues::find(&lower, unit).is_some() || lower.split(['-', ' ']).any(|word| word == *unit))
        })
        .map(|quantity| {
            quantity.strip_prefix("in ").or_else(|| quantity.strip_prefix("In ")).unwrap_or(quantity).to_owned()
        })
        .collect();
    if !measured.is_empty() {
        return Some(measured.join(", "));
    }
    words::LENGTH_WORDS
        .iter()
        .filter_map(|word| cues::find(text.lower, word).map(|at| (at, word)))
        .min()
        .and_then(|(at, word)| text.slice(at, at + word.len()))
        .map(str::to_owned)
}

fn tone(text: &Text<'_>) -> Option<String> {
    let mut found: Vec<(usize, &str)> =
        words::TONES.iter().filter_map(|tone| cues::find(text.lower, tone).map(|at| (at, *tone))).collect();
    found.sort_unstable();
    found.dedup_by(|later, earlier| later.0 < earlier.0 + earlier.1.len());
    let quoted: Vec<&str> = found.into_iter().filter_map(|(at, tone)| text.slice(at, at + tone.len())).collect();
    (!quoted.is_empty()).then(|| quoted.join(", "))
}

fn deadline(text: &Text<'_>) -> Option<String> {
    for cue in words::DEADLINE_CUES {
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

fn formats(lower: &str) -> Vec<String> {
    let mut found: Vec<(usize, &str)> = sentences::FORMAT_NOUNS
        .iter()
        .filter(|noun| {
            !matches!(**noun, "list" | "sections" | "paragraph" | "paragraphs" | "headings" | "array" | "表" | "liste")
        })
        .filter_map(|noun| cues::find(lower, noun).map(|at| (at, *noun)))
        .collect();
    found.sort_unstable();
    found.into_iter().map(|(_, noun)| noun.to_owned()).collect()
}

/// "without …", "no …" inside the task.
fn exclusions(text: &Text<'_>) -> Vec<String> {
    ["without", "ohne", "sans", "sin", "no", "avoiding", "excluding"]
        .iter()
        .filter_map(|cue| {
            let at = cues::find(text.lower, cue)?;
            let phrase = clause(text, at)?;
            let count = phrase.split_whitespace().count();
            let limit = ["no more", "no less", "no fewer", "no longer", "no one", "no matter", "sin embargo"]
                .iter()
                .any(|other| phrase.to_lowercase().starts_with(other));
            ((2..=9).contains(&count) && !limit).then(|| phrase.to_owned())
        })
        .collect()
}
