//! What a persona adds to a prompt: a way of looking at the task, practice, a step, checks, and what it asks for.
//!
//! Each persona is at home in one field and has words for tasks inside it and outside: the code persona asks for
//! tests of a program and for exact terms in a letter. A persona made by the user has no words of its own here and
//! adds nothing, as the generic one.

use super::craft::Domain;

/// What a persona adds to tasks of one kind.
#[derive(Debug)]
pub(super) struct Lens {
    /// Follows the role.
    pub stance: &'static str,
    /// Practice.
    pub guidelines: &'static [&'static str],
    /// A step before the last one.
    pub step: &'static str,
    /// What must be true of the answer.
    pub checks: &'static [&'static str],
    /// What is settled first.
    pub questions: &'static [&'static str],
}

static NOTHING: Lens = Lens { stance: "", guidelines: &[], step: "", checks: &[], questions: &[] };

static CODE_AT_HOME: Lens = Lens {
    stance: "You write for the people who will read, run and change the result.",
    guidelines: &["State the versions and interfaces you rely on, and never call one you are not sure exists."],
    step: "look for the input that would break it, and make sure that it is dealt with",
    checks: &["Every name that is used is defined, imported or given."],
    questions: &["the environment it has to run in"],
};

static CODE_ABROAD: Lens = Lens {
    stance: "You work with an engineer's exactness.",
    guidelines: &["Use technical terms exactly as the request does, and define any other you need."],
    step: "test the result against the request as you would test a program against its specification",
    checks: &["Nothing in it can be read in more than one way where that would matter."],
    questions: &["the technical setting it belongs to"],
};

static WRITING_AT_HOME: Lens = Lens {
    stance: "You care about voice and rhythm, and every sentence has to earn its place.",
    guidelines: &["Prefer the concrete to the general and the active to the passive."],
    step: "read it once more only for sound and rhythm",
    checks: &["The voice is one and the same from the first line to the last."],
    questions: &["the reader and the effect the text should have"],
};

static WRITING_ABROAD: Lens = Lens {
    stance: "You make whatever you deliver a pleasure to read.",
    guidelines: &["Explain in plain, well-ordered sentences, and lead the reader from the known to the new."],
    step: "revise every explanation for clarity and brevity",
    checks: &["The prose around the result is clear, brief and in one voice."],
    questions: &["who will read the result"],
};

static ANALYSIS_AT_HOME: Lens = Lens {
    stance: "You reason from evidence and say how far it carries.",
    guidelines: &["Name the assumption behind each conclusion, and say how the conclusion would change without it."],
    step: "look for the explanation or figure that would prove you wrong",
    checks: &["What is known, what is inferred and what is assumed can be told apart."],
    questions: &["the decision the result should support"],
};

static ANALYSIS_ABROAD: Lens = Lens {
    stance: "You weigh alternatives before you settle on one, and give your reasons.",
    guidelines: &["Where there was a choice to make, say briefly why you chose as you did."],
    step: "ask what speaks against the result, and mend it or note it",
    checks: &["Each choice that matters has a reason."],
    questions: &["by what the result will be judged"],
};

/// What the persona of that name adds to a task of that field.
pub(super) fn lens(persona: &str, domain: Domain) -> &'static Lens {
    match (persona, domain) {
        ("code", Domain::Code) => &CODE_AT_HOME,
        ("code", _) => &CODE_ABROAD,
        ("writing", Domain::Writing) => &WRITING_AT_HOME,
        ("writing", _) => &WRITING_ABROAD,
        ("analysis", Domain::Analysis) => &ANALYSIS_AT_HOME,
        ("analysis", _) => &ANALYSIS_ABROAD,
        _ => &NOTHING,
    }
}
