//! The commands of the plain workbench, and how they are parsed.
//!
//! Short words and numbers. A number refers to a prompt of the last listing, from 1. Values meant
//! for the core stay text: it decodes them, and refuses the invalid ones in its own words.

/// A typed command.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Command {
    /// List the commands.
    Help,
    /// Enter another request.
    New,
    /// Run the request again.
    Again,
    /// List stored prompts, the newest first; this many, if a number was typed.
    List(Option<String>),
    /// Search stored prompts.
    Search {
        /// The query.
        query: String,
        /// True to search by meaning, false by words.
        by_meaning: bool,
    },
    /// Show a prompt and its facts.
    Show(usize),
    /// Print only the text of a prompt.
    Print(usize),
    /// Compare prompts.
    Compare(Vec<usize>),
    /// Run the judge.
    Judge {
        /// The prompts; empty for all.
        places: Vec<usize>,
        /// Their task; `None` to use their own request.
        task: Option<String>,
    },
    /// Add tags.
    Tag {
        /// The prompt.
        place: usize,
        /// The tags, separated by commas.
        labels: String,
    },
    /// Change a run setting; `None` resets it to the configuration.
    Set(String, Option<String>),
    /// List the run settings.
    Settings,
    /// List the jobs.
    Jobs {
        /// True to include finished ones.
        all: bool,
    },
    /// Make a batch of the rows of a file.
    Batch(String),
    /// Show a job; of a batch also its first rows.
    Job(String),
    /// Show the next rows of the batch that was shown last.
    More,
    /// Show a row of that batch.
    Row(u64),
    /// Stop a job.
    Stop(String),
    /// Resume a job, with a new budget if one was typed.
    Resume(String, Option<String>),
    /// Leave.
    Quit,
}

/// The syntax of each command, and what it does. The first word is the command.
pub(super) const COMMANDS: [(&str, &str); 21] = [
    ("help", "these lines"),
    ("new", "enter another request"),
    ("again", "run the last request again"),
    ("list [COUNT]", "list stored prompts, newest first"),
    ("search WORDS", "search stored prompts by words"),
    ("meaning WORDS", "search stored prompts by meaning"),
    ("show N", "show prompt N and its details"),
    ("print N", "only the text of prompt N, to copy"),
    ("compare N M", "differences between two or more prompts"),
    ("judge [N M] [for TASK]", "which is best; by default all that were listed last"),
    ("tag N LABELS", "add labels to prompt N, separated by commas"),
    (
        "set [NAME VALUE]",
        "how requests are run: count, persona, provider, phases, temperature; without a value as configured",
    ),
    ("jobs [all]", "list jobs that are running, here or elsewhere, or can be resumed; all: finished ones too"),
    ("job ID", "show a job; of a batch also its rows, those that failed first"),
    ("more", "more rows of that batch"),
    ("row N", "row N of that batch: its error or its best prompt"),
    ("stop ID", "stop a job; what is finished is kept"),
    (
        "resume ID [DOLLARS]",
        "do the rest of a job, with a new budget if one is named; calls models, which may cost money",
    ),
    ("batch FILE", "prompts for all rows of a file, as a job; says first what that can cost"),
    ("quit", "quit; the end of input quits too"),
    ("Ctrl-C", "stop the run and keep what is finished"),
];

/// Parses a line.
///
/// # Errors
/// A sentence that says what was expected.
pub(super) fn parse(line: &str) -> Result<Command, String> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    match word.to_lowercase().as_str() {
        "help" | "?" => Ok(Command::Help),
        "new" => Ok(Command::New),
        "again" => Ok(Command::Again),
        "list" => Ok(Command::List((!rest.is_empty()).then(|| rest.to_owned()))),
        "search" | "meaning" if rest.is_empty() => Err(format!("{word} needs words: {word} say sorry to a customer")),
        "search" => Ok(Command::Search { query: rest.to_owned(), by_meaning: false }),
        "meaning" => Ok(Command::Search { query: rest.to_owned(), by_meaning: true }),
        "show" => place(word, rest).map(Command::Show),
        "print" | "copy" => place(word, rest).map(Command::Print),
        "compare" => match places(rest)? {
            places if places.len() < 2 => Err("compare needs two numbers or more: compare 1 2".to_owned()),
            places => Ok(Command::Compare(places)),
        },
        "judge" => judge(rest),
        "tag" => tag(rest),
        "set" => Ok(set(rest)),
        "jobs" if !matches!(rest, "" | "all") => Err("jobs takes nothing, or all: jobs all".to_owned()),
        "jobs" => Ok(Command::Jobs { all: rest == "all" }),
        "batch" if rest.is_empty() => Err("batch needs a file with a request a row: batch rows.csv".to_owned()),
        "batch" => Ok(Command::Batch(rest.to_owned())),
        "job" | "stop" | "resume" if rest.is_empty() => {
            Err(format!("{word} needs the id of a job, which jobs lists: {word} 7a3f9c21"))
        }
        "job" => Ok(Command::Job(rest.to_owned())),
        "stop" => Ok(Command::Stop(rest.to_owned())),
        "resume" => {
            let (id, budget) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            Ok(Command::Resume(id.to_owned(), Some(budget.trim().to_owned()).filter(|budget| !budget.is_empty())))
        }
        "more" => Ok(Command::More),
        "row" => match rest.replace(',', "").parse() {
            Ok(row @ 1..) => Ok(Command::Row(row)),
            _ => Err("row needs the number of a row, from 1: row 7".to_owned()),
        },
        "quit" | "exit" | "q" => Ok(Command::Quit),
        _ => Err(format!("{word} is not a command; help lists them, and new takes a request")),
    }
}

fn judge(rest: &str) -> Result<Command, String> {
    let (numbers, task) = match rest.split_once("for ") {
        Some((numbers, task)) => (numbers, Some(task.trim().to_owned())),
        None => (rest, None),
    };
    Ok(Command::Judge { places: places(numbers)?, task })
}

fn tag(rest: &str) -> Result<Command, String> {
    let (number, labels) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let place = place("tag", number)?;
    match labels.trim() {
        "" => Err("tag needs a label: tag 1 keep".to_owned()),
        labels => Ok(Command::Tag { place, labels: labels.to_owned() }),
    }
}

fn set(rest: &str) -> Command {
    match rest.split_once(char::is_whitespace) {
        None if rest.is_empty() => Command::Settings,
        None => Command::Set(rest.to_owned(), None),
        Some((name, text)) => Command::Set(name.to_owned(), Some(text.trim().to_owned())),
    }
}

fn place(word: &str, text: &str) -> Result<usize, String> {
    match places(text)?[..] {
        [place] => Ok(place),
        _ => Err(format!("{word} needs one number: {word} 1")),
    }
}

fn places(text: &str) -> Result<Vec<usize>, String> {
    let number = |word: &str| match word.parse() {
        Ok(place @ 1..) => Ok(place),
        _ => Err(format!("{word} is not the number of a prompt; they start at 1")),
    };
    text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()).map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_of_the_help_is_understood() {
        for (usage, _) in COMMANDS.into_iter().filter(|(usage, _)| *usage != "Ctrl-C") {
            let typed = usage.replace(['[', ']'], "").replace('N', "1").replace('M', "2");
            let typed = typed.replace("COU1T", "9").replace("1A2E", "persona");
            assert!(parse(&typed).is_ok(), "{usage}: {typed}: {:?}", parse(&typed));
        }
    }

    #[test]
    fn numbers_and_words_are_read() {
        assert_eq!(parse(" show 2 "), Ok(Command::Show(2)));
        assert_eq!(parse("COPY 1"), Ok(Command::Print(1)));
        assert_eq!(parse("compare 1 3"), Ok(Command::Compare(vec![1, 3])));
        assert_eq!(
            parse("judge 1,2 for a reader in a hurry"),
            Ok(Command::Judge { places: vec![1, 2], task: Some("a reader in a hurry".into()) })
        );
        assert_eq!(parse("judge"), Ok(Command::Judge { places: vec![], task: None }));
        assert_eq!(parse("tag 2 for review, keep"), Ok(Command::Tag { place: 2, labels: "for review, keep".into() }));
        assert_eq!(parse("batch my rows.csv"), Ok(Command::Batch("my rows.csv".into())));
        assert_eq!(parse("resume 7a3f9c21"), Ok(Command::Resume("7a3f9c21".into(), None)));
        assert_eq!(parse("resume @last 2.50"), Ok(Command::Resume("@last".into(), Some("2.50".into()))));
        assert_eq!(parse("row 1,204"), Ok(Command::Row(1_204)));
        assert_eq!(parse("list 50"), Ok(Command::List(Some("50".into()))));
    }

    #[test]
    fn a_setting_is_a_name_and_perhaps_a_value() {
        assert_eq!(parse("set count 2"), Ok(Command::Set("count".into(), Some("2".into()))));
        assert_eq!(
            parse("set phases solutio, coagulatio"),
            Ok(Command::Set("phases".into(), Some("solutio, coagulatio".into())))
        );
        assert_eq!(parse("set count"), Ok(Command::Set("count".into(), None)));
        assert_eq!(parse("set"), Ok(Command::Settings));
    }

    #[test]
    fn what_is_not_understood_says_what_is_expected() {
        for (typed, expected) in [
            ("show", "one number"),
            ("show two", "not the number"),
            ("show 0", "start at 1"),
            ("compare 1", "two numbers"),
            ("tag 1", "a label"),
            ("search", "needs words"),
            ("jobs 3", "jobs all"),
            ("batch", "batch rows.csv"),
            ("job", "job 7a3f9c21"),
            ("stop", "stop 7a3f9c21"),
            ("resume", "resume 7a3f9c21"),
            ("row", "from 1"),
            ("row 0", "from 1"),
            ("frobnicate", "help"),
            ("", "help"),
        ] {
            let said = parse(typed).unwrap_err();
            assert!(said.contains(expected), "{typed}: {said}");
        }
    }
}
