//! Which task type a request is, and which programming language it names.

use super::super::craft::{self, Craft};
use super::super::cues::tasks::{LANGUAGES, TASKS, TaskCues};
use super::super::cues::{self, sentences as words};
use super::{Material, MaterialKind, polish};
use crate::text::facts::find_word;
use crate::text::language::is_ideographic;

/// How much of the prose is looked at beside the request itself, in characters.
const LOOKED_AT: usize = 2000;
/// A request of at most so many words without any cue is a bare subject.
const SUBJECT_WORDS: usize = 6;

/// The task type of a request, given the sentence it turns on, all its prose, and the material it brings.
pub(super) fn craft_of(request: &str, prose: &str, material: &[Material]) -> &'static Craft {
    let request = polish::bare(request);
    let rest: String = prose.chars().take(LOOKED_AT).flat_map(char::to_lowercase).collect();
    let has_code = material.iter().any(|material| {
        matches!(material.kind, MaterialKind::Code { .. })
            || (material.kind == MaterialKind::Placeholder && names_code(&material.text))
    });
    let has_trace = material.iter().any(|material| material.kind == MaterialKind::Lines && names_fault(&material.text));
    let mut best: (&'static Craft, i32) = (&craft::OTHER, 0);
    for cues in TASKS {
        let mut score = score(cues, &request, &rest);
        match cues.task {
            "code-review" if has_code && request.contains("review") => score += 60,
            "code-review" if request.contains("review") && code_language(&request, &[]).is_some() => score += 40,
            "debug" if has_trace => score += 50,
            "trip" | "recipe" if score > 3 => score += 15,
            "debug" | "refactor" if has_code && score > 0 => score += 20,
            _ => {}
        }
        if score > best.1 {
            best = (craft::by_name(cues.task), score);
        }
    }
    if best.1 > 0 {
        return best.0;
    }
    let verbless = cues::beginning(&request, words::REQUEST_VERBS).is_none() && !request.ends_with('?');
    let count = request.split_whitespace().count();
    let brief = count <= SUBJECT_WORDS && request.chars().filter(|c| is_ideographic(*c)).count() <= SUBJECT_WORDS;
    if verbless && brief && count > 0 && prose.trim().len() <= request.len() + 80 && material.is_empty() {
        return craft::by_name("topic");
    }
    if request.ends_with(['?', '？', '؟']) { craft::by_name("question") } else { &craft::OTHER }
}

/// Points for the verb in front, for the nouns in the request (more the nearer to its beginning, more the longer),
/// and a little for nouns elsewhere.
fn score(cues: &TaskCues, request: &str, rest: &str) -> i32 {
    let mut score = 0;
    // The verb in front is no noun of its own: "plan a trip" asks for a trip.
    let mut from = 0;
    if let Some(verb) = cues::beginning(request, cues.verbs) {
        from = verb.len();
        score += match cues.task {
            "question" => 22,
            "improve" | "story" => 12,
            _ => 45,
        };
    }
    let nearest = cues::each(cues.nouns).filter_map(|noun| {
        cues::find(&request[from..], noun).map(|at| from + at).map(|at| {
            let before = if noun.chars().any(is_ideographic) {
                request[..at].chars().count() / 3
            } else {
                request[..at].split_whitespace().count()
            };
            let words = noun.split([' ', '-']).count();
            let weak = if cues.task == "improve" { 16 } else { 0 };
            40 - weak - 2 * i32::try_from(before.min(14)).unwrap_or(14) + 3 * i32::try_from(words.min(4)).unwrap_or(1)
        })
    });
    if let Some(points) = nearest.max() {
        score += points.max(4);
    } else if !matches!(cues.task, "question" | "improve") && cues::any(rest, cues.nouns) {
        score += 3;
    }
    score
}

fn names_code(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["diff", "code", "patch", "source", "snippet", "function", "file"].iter().any(|word| lower.contains(word))
}

fn names_fault(text: &str) -> bool {
    ["Error", "Exception", "Traceback", "panicked", "panic:", "error[", "FATAL", "Segmentation"]
        .iter()
        .any(|word| text.contains(word))
}

/// The programming language that a text or its code names first.
pub(super) fn code_language(prose: &str, material: &[Material]) -> Option<&'static str> {
    let lower: String = prose.chars().take(LOOKED_AT).flat_map(char::to_lowercase).collect();
    let named = LANGUAGES
        .iter()
        .filter_map(|(name, cues)| {
            cues::each(cues).filter_map(|cue| find_word_or_mark(&lower, cue)).min().map(|at| (at, *name))
        })
        .min();
    if let Some((_, name)) = named {
        return Some(name);
    }
    material.iter().find_map(|material| match &material.kind {
        MaterialKind::Code { info } => {
            let info = info.to_lowercase();
            LANGUAGES
                .iter()
                .find(|(name, cues)| name.to_lowercase() == info || cues::holds(cues, &info))
                .map(|(name, _)| *name)
        }
        _ => None,
    })
}

/// Names such as `c++` end in a mark, and stand next to letters in scripts without blanks.
fn find_word_or_mark(text: &str, cue: &str) -> Option<usize> {
    find_word(text, cue).or_else(|| {
        text.match_indices(cue).map(|(at, _)| at).find(|at| {
            let before = text[..*at].chars().next_back();
            let after = text[at + cue.len()..].chars().next();
            let apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() || is_ideographic(c));
            apart(before) && apart(after)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn task_types_are_told_from_ordinary_requests() {
        for (request, expected) in [
            ("Write a python function that finds prime numbers", "code"),
            ("Write a blog post about Python functions", "article"),
            ("Write me a cover letter for a junior data analyst position", "cover-letter"),
            ("Write a SQL query that lists the top customers", "sql"),
            ("I need a regex that matches ISO dates", "regex"),
            ("Translate the following email into French", "translate"),
            ("Summarise the meeting notes above", "summary"),
            ("Make my website better", "improve"),
            ("Compare PostgreSQL and MongoDB for a small shop", "compare"),
            ("Why is the sky blue?", "question"),
            ("Kubernetes", "topic"),
            ("poem", "poem"),
            ("Write a tweet about our new oat milk", "post"),
            ("Create a lesson plan on fractions", "lesson"),
            ("Act as a Linux terminal", "role-play"),
            ("Analyze this CSV of sales", "data"),
            ("Review this Rust code for bugs", "code-review"),
            ("Write unit tests for my parser", "tests"),
            ("Plan a trip to Lisbon", "trip"),
            ("Plan the launch of our app", "plan"),
            ("Make a landing page for a yoga studio", "web"),
            ("Generate multiple choice questions about cells", "quiz"),
            ("Ask me questions as an interviewer", "role-play"),
            ("Schreibe einen Beschwerdebrief an die Bahn", "complaint"),
            ("Напиши рассказ о море", "story"),
            ("Pythonで素数を返す関数を書いてください", "code"),
            ("Explain quantum entanglement to a child", "explain"),
            ("Give me ideas for a birthday party", "brainstorm"),
            ("Tell me a bedtime story about a dragon", "story"),
            ("Write a Dockerfile for a node app", "infrastructure"),
            ("Extract all names and dates from the text", "extract"),
        ] {
            assert_eq!(craft_of(request, request, &[]).name, expected, "{request}");
        }
    }

    #[test]
    fn programming_languages_are_told_and_common_words_are_not_taken_for_them() {
        assert_eq!(code_language("a golang service", &[]), Some("Go"));
        assert_eq!(code_language("let it go to c or r", &[]), None);
        assert_eq!(code_language("a C++ parser", &[]), Some("C++"));
        assert_eq!(code_language("pythonで書く", &[]), Some("Python"));
    }
}
