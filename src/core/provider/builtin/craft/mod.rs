//! What a good prompt of each task type says: the role, the practice, the steps, the output, the checks, what is
//! usually missing. Tables of plain sentences, one file a domain.
//!
//! Always: no digit and no number word in any sentence, nothing that is true of one subject only, every sentence
//! addresses the model that will do the task. `requirements`, `output` and `checks` are whole sentences; `steps` are
//! imperatives without capital and full stop, so that "First, …" can go before them. A test holds all of it.
//!
//! To add a task type: write a [`Craft`] here, list it in [`ALL`], and give it cue words in
//! [`super::cues::tasks`].

mod analysis;
mod code;
mod general;
mod writing;

pub(super) use general::OTHER;

/// The field a task type belongs to; a persona is at home in one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Domain {
    /// Programs, queries, configuration.
    Code,
    /// Texts for readers.
    Writing,
    /// Data, decisions, evidence.
    Analysis,
    /// Everything else.
    General,
}

/// Something a request can say, which makes a question about it needless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Slot {
    /// Who reads or uses the result.
    Audience,
    /// How long it is to be.
    Length,
    /// How it is to sound.
    Tone,
    /// The form of the answer.
    Format,
    /// The programming language.
    Language,
    /// The text, data or code to work on.
    Material,
    /// A version number.
    Version,
    /// Any of these cues.
    Words(&'static str),
    /// Details of any kind beyond the bare task.
    Detail,
}

/// The craft of one task type.
#[derive(Debug)]
pub(super) struct Craft {
    /// Short name, also the key of its cue words.
    pub name: &'static str,
    /// What the task is, as a noun phrase.
    pub called: &'static str,
    /// Its field.
    pub domain: Domain,
    /// Who should do it, without article; `{language}` stands for the programming language or "software".
    pub role: &'static str,
    /// Practice that holds for every task of this type.
    pub requirements: &'static [&'static str],
    /// The way to work.
    pub steps: &'static [&'static str],
    /// The form of the answer where the request names none.
    pub output: &'static [&'static str],
    /// What must be true of the answer.
    pub checks: &'static [&'static str],
    /// What is usually missing, as things to settle, unless the request says it.
    pub questions: &'static [(Slot, &'static str)],
    /// How to work through an example first; `{item}` stands for something named in the request.
    pub example: &'static str,
    /// What the example is made of where the request names nothing.
    pub item: &'static str,
}

/// All task types; where cue words leave a tie, the earlier one wins.
pub(super) static ALL: &[&Craft] = &[
    &code::SQL,
    &code::REGEX,
    &code::DEBUG,
    &code::CODE_REVIEW,
    &code::TESTS,
    &code::REFACTOR,
    &code::SHELL,
    &code::INFRASTRUCTURE,
    &code::DESIGN,
    &code::WEB,
    &code::CODE,
    &writing::COVER_LETTER,
    &writing::COMPLAINT,
    &writing::LETTER,
    &writing::EMAIL,
    &writing::POST,
    &writing::STORY,
    &writing::POEM,
    &writing::TALK,
    &writing::ARTICLE,
    &writing::TRANSLATE,
    &writing::SUMMARY,
    &writing::REWRITE,
    &writing::CRITIQUE,
    &analysis::EXTRACT,
    &analysis::COMPARE,
    &analysis::DATA,
    &analysis::REPORT,
    &analysis::MATH,
    &general::QUIZ,
    &general::LESSON,
    &general::EXPLAIN,
    &general::TRIP,
    &general::RECIPE,
    &general::PLAN,
    &general::BRAINSTORM,
    &general::IMAGE,
    &general::ROLE_PLAY,
    &general::IMPROVE,
    &general::QUESTION,
    &general::TOPIC,
    &general::OTHER,
];

/// The task type of that name; [`OTHER`] for an unknown one.
pub(super) fn by_name(name: &str) -> &'static Craft {
    ALL.iter().copied().find(|craft| craft.name == name).unwrap_or(&OTHER)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBER_WORDS: &[&str] = &[
        "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twice", "dozen", "hundred", "couple",
        "pair",
    ];

    #[test]
    fn no_sentence_holds_a_number() {
        for craft in ALL {
            let questions = craft.questions.iter().map(|(_, text)| *text);
            let lists = [craft.requirements, craft.steps, craft.output, craft.checks].concat();
            for text in lists.into_iter().chain(questions).chain([craft.role, craft.example, craft.called, craft.item])
            {
                assert!(!text.chars().any(char::is_numeric), "{}: {text}", craft.name);
                let words: Vec<String> = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect();
                assert!(!words.iter().any(|w| NUMBER_WORDS.contains(&w.as_str())), "{}: {text}", craft.name);
            }
        }
    }

    #[test]
    fn sentences_are_sentences_and_steps_are_not() {
        for craft in ALL {
            for text in [craft.requirements, craft.output, craft.checks].concat() {
                assert!(text.starts_with(char::is_uppercase) && text.ends_with('.'), "{}: {text}", craft.name);
            }
            for text in craft.steps {
                assert!(text.starts_with(char::is_lowercase) && !text.ends_with('.'), "{}: {text}", craft.name);
            }
            for (_, text) in craft.questions {
                assert!(text.starts_with(char::is_lowercase) && !text.ends_with(['.', '?']), "{}: {text}", craft.name);
            }
            assert!(
                !craft.requirements.is_empty() && craft.steps.len() >= 3 && craft.checks.len() >= 2,
                "{}",
                craft.name
            );
        }
    }

    #[test]
    fn names_are_distinct() {
        let mut names: Vec<_> = ALL.iter().map(|craft| craft.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL.len());
    }
}
