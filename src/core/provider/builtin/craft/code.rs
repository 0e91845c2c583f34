//! The craft of programs, queries and configuration.

use super::{Craft, Domain, Slot};

pub(super) static CODE: Craft = Craft {
    name: "code",
    called: "writing code",
    domain: Domain::Code,
    role: "experienced {language} developer",
    requirements: &[
        "Write complete code that runs as given, with every import it needs.",
        "Prefer the standard library unless the task names something else.",
        "Handle empty, invalid and boundary input on purpose, and let each choice be visible in the code.",
        "Choose names and structure that make the code readable without comments; comment only what is not obvious.",
    ],
    steps: &[
        "settle the interface: what goes in, what comes out, and what counts as invalid",
        "choose the simplest approach that is correct, and note its cost in time and memory",
        "write the code",
        "walk through it with an ordinary case, an empty case and a case at the edge of what is allowed, and correct what you find",
    ],
    output: &[
        "Give the code in one fenced block that can be copied and run.",
        "After it, explain in a few sentences how it works and which assumptions it rests on.",
        "Show a short usage example with its expected result.",
    ],
    checks: &[
        "The code runs without changes and does exactly what the task asks, no more.",
        "Every requirement of the task can be pointed to in the code.",
        "Edge cases give a defined result or a clear error.",
    ],
    questions: &[
        (Slot::Language, "the programming language and its version"),
        (Slot::Detail, "the exact form of input and output"),
        (
            Slot::Words("invalid | error | errors | exception | raise | raises | エラー"),
            "how invalid input should be treated",
        ),
        (
            Slot::Words("fast | speed | performance | efficient | million | large | memory"),
            "how large the input can become and whether speed matters",
        ),
    ],
    example: "Before writing the code, state what it should do for {item} as a small input-and-result example, and let the code reproduce it",
    item: "one simple case",
};

pub(super) static WEB: Craft = Craft {
    name: "web",
    called: "building a web page",
    domain: Domain::Code,
    role: "experienced web developer with an eye for design",
    requirements: &[
        "Write semantic, accessible markup: headings in order, labels, alternative texts, enough contrast.",
        "Make it work on small and large screens.",
        "Use the texts, names, prices and colours that are given; where a text is missing, write a short neutral one and mark it.",
        "Load nothing from elsewhere unless the task asks for it.",
    ],
    steps: &[
        "lay out the sections and what each has to achieve",
        "write the markup",
        "write the styles, from small screens up",
        "go through it by keyboard and at several widths in your mind, and mend what breaks",
    ],
    output: &[
        "Give the complete code in fenced blocks, a block for each file, ready to be opened in a browser.",
        "After it, name in a few lines what has to be replaced before it goes live.",
    ],
    checks: &[
        "Every section and text asked for is there, word for word.",
        "The page is valid, readable and usable by keyboard and on a phone.",
        "Nothing is invented: no address, number, name or review that was not given.",
    ],
    questions: &[
        (
            Slot::Words("color | colors | colour | colours | style | modern | minimal | font"),
            "the look, such as colours and style",
        ),
        (Slot::Words("sections | section | contact | hero | form | pages"), "the sections and their texts"),
        (Slot::Words("react | vue | svelte | html | css | tailwind | bootstrap | javascript"), "the technology to use"),
    ],
    example: "Build {item} completely first, and keep its style and structure for the rest",
    item: "the first section",
};

pub(super) static SQL: Craft = Craft {
    name: "sql",
    called: "writing a database query",
    domain: Domain::Code,
    role: "experienced database engineer",
    requirements: &[
        "Use only tables and columns that are given; if one is missing, say so instead of inventing it.",
        "Treat NULL values, duplicates and ties on purpose.",
        "Name columns explicitly rather than selecting everything.",
        "Keep to standard SQL where the dialect is not stated, and point out anything that depends on the dialect.",
    ],
    steps: &[
        "say what a single row of the result stands for",
        "identify the tables, the join keys and the filters",
        "write the query with readable aliases and consistent indentation",
        "check it in your head against rows with missing values, duplicates and ties",
    ],
    output: &[
        "Give the query in one fenced `sql` block.",
        "Below it, explain in a few sentences how it works and what you assumed about the data.",
    ],
    checks: &[
        "Every table and column in the query exists in the given schema.",
        "Joins do not multiply rows by accident, and grouping matches the columns selected.",
        "The result has exactly the columns and the order that were asked for.",
    ],
    questions: &[
        (
            Slot::Words(
                "postgresql | postgres | mysql | mariadb | sqlite | oracle | sql server | bigquery | snowflake | duckdb",
            ),
            "the database system and its version",
        ),
        (Slot::Material, "the schema of the tables involved"),
        (Slot::Words("ties | null | without any | missing"), "how ties and missing values should be treated"),
    ],
    example: "Before the query, show what a few input rows and the resulting rows would look like for {item}, using only the columns given",
    item: "one simple case",
};

pub(super) static REGEX: Craft = Craft {
    name: "regex",
    called: "writing a regular expression",
    domain: Domain::Code,
    role: "experienced developer who writes precise regular expressions",
    requirements: &[
        "Match everything that should match and nothing that should not.",
        "Say which regex flavour the pattern is written for, and avoid features that other flavours lack where a plain form exists.",
        "Decide explicitly whether the pattern is anchored to the whole text or may match inside it.",
        "Avoid nested repetition that can backtrack without bound.",
    ],
    steps: &[
        "describe in words what a match consists of, part by part",
        "write the pattern",
        "test it in your head against every example given, those that must match and those that must not",
        "tighten it wherever it accepts too much",
    ],
    output: &[
        "Give the pattern alone in a fenced block first.",
        "Then explain it part by part in a short list, and show which of the given examples match.",
    ],
    checks: &[
        "Every string that should match does, and every string that should be rejected is.",
        "Special characters are escaped where they are meant literally.",
        "The explanation matches the pattern as written.",
    ],
    questions: &[
        (Slot::Language, "the regex flavour or programming language"),
        (
            Slot::Words("whole | entire | anchored | anywhere | full match | exactly | inside | within"),
            "whether the whole text must match or a part is enough",
        ),
        (Slot::Words("case | upper | lower | uppercase | lowercase"), "whether letter case matters"),
    ],
    example: "Work through {item} first: say whether it should match and why, then derive the pattern from that",
    item: "one string that must match",
};

pub(super) static DEBUG: Craft = Craft {
    name: "debug",
    called: "finding and fixing a fault",
    domain: Domain::Code,
    role: "experienced {language} developer who is good at finding the causes of faults",
    requirements: &[
        "Reason from the evidence given: quote the exact line of the error or the code that each conclusion rests on.",
        "Separate what the evidence shows from what you suspect.",
        "Propose the smallest change that removes the cause rather than the symptom.",
        "Do not invent code or configuration that is not shown; ask for it where it matters.",
    ],
    steps: &[
        "read the error and name the exact place where it arises",
        "list the plausible causes, most likely first, with the evidence for and against each",
        "say how to confirm the most likely one",
        "give the fix and explain why it removes the cause",
        "name a test that would have caught it",
    ],
    output: &[
        "Begin with the most likely cause in one sentence.",
        "Then give the evidence, the fix as code, and how to verify it.",
        "End with what you would need to see if the fix does not help.",
    ],
    checks: &[
        "Each claim points to a line of the error or the code that was given.",
        "The fix addresses the cause and changes nothing unrelated.",
        "Whatever remains uncertain is marked as such.",
    ],
    questions: &[
        (Slot::Material, "the code around the failing line and the full error message"),
        (Slot::Words("expected | should | instead | crashes | crash"), "what was expected to happen instead"),
        (Slot::Version, "versions of the language, the libraries and the system"),
        (
            Slot::Words("since | after | upgraded | changed | updated | always | sometimes"),
            "what changed before the fault appeared and whether it can be reproduced",
        ),
    ],
    example: "Trace one concrete run first: follow {item} through the code to the point where it fails, and only then name the cause",
    item: "the failing call",
};

pub(super) static CODE_REVIEW: Craft = Craft {
    name: "code-review",
    called: "reviewing code",
    domain: Domain::Code,
    role: "experienced {language} developer who reviews code",
    requirements: &[
        "Report real defects first: wrong results, crashes, security holes, data loss, races.",
        "For each finding name the place, say why it matters, and propose a concrete change.",
        "Rate each finding by severity, and leave out matters of taste unless asked for them.",
        "Judge only the code shown; where a finding depends on code you cannot see, say so.",
    ],
    steps: &[
        "read the whole change and say to yourself what it is meant to do",
        "look for errors of logic, missing cases and broken error handling",
        "look for security, concurrency and performance problems",
        "check names, structure and tests",
        "drop every finding you cannot support with a line of the code",
    ],
    output: &[
        "List the findings, most severe first, each with its place, the problem, its effect and the proposed change.",
        "End with a short overall judgement; if nothing is wrong, say so plainly.",
    ],
    checks: &[
        "Every finding points to a line that exists in the code given.",
        "No finding is repeated, speculative or purely a matter of style.",
        "Each proposed change would compile and keep the intended behaviour.",
    ],
    questions: &[
        (Slot::Material, "the code or diff to review"),
        (Slot::Detail, "what the change is meant to achieve"),
        (
            Slot::Words("for | focus | security | performance | correctness | only"),
            "which kinds of problem matter most",
        ),
    ],
    example: "Write one finding about {item} in full first, and use its form and depth for all the others",
    item: "the most serious finding",
};

pub(super) static TESTS: Craft = Craft {
    name: "tests",
    called: "writing tests",
    domain: Domain::Code,
    role: "experienced {language} developer who writes tests that find faults",
    requirements: &[
        "Test observable behaviour rather than the inner workings.",
        "Cover ordinary cases, boundaries, empty and invalid input, and failure of anything the code depends on.",
        "Give each test one reason to fail and a name that says what it proves.",
        "Keep tests independent of each other, of the clock and of the network.",
    ],
    steps: &[
        "list the behaviours the code promises",
        "derive cases for each, including the ones most likely to be wrong",
        "write the tests with plain setup, action and expectation",
        "remove every test that could not fail",
    ],
    output: &[
        "Give the tests in one fenced block, ready to run.",
        "Then list the behaviours they cover and any that they leave out.",
    ],
    checks: &[
        "Each test would fail if the behaviour it names were broken.",
        "No test depends on another or on the order of running.",
        "Names used in the tests exist in the code given.",
    ],
    questions: &[
        (Slot::Material, "the code to be tested"),
        (Slot::Language, "the language and test framework"),
        (Slot::Detail, "which behaviour matters most"),
    ],
    example: "Write one complete test for {item} first, and model the others on it",
    item: "the most important behaviour",
};

pub(super) static REFACTOR: Craft = Craft {
    name: "refactor",
    called: "restructuring code",
    domain: Domain::Code,
    role: "experienced {language} developer with a feel for clear structure",
    requirements: &[
        "Keep the behaviour exactly as it is, public names and error cases included.",
        "Make each change for a reason you can state.",
        "Prefer small, separable changes to a rewrite.",
        "Do not add features, dependencies or abstractions that the code does not need yet.",
    ],
    steps: &[
        "say what the code does and what makes it hard to read, change or run fast",
        "choose the changes that help most for the least risk",
        "apply them and give the whole resulting code",
        "check that every input still gives the same result",
    ],
    output: &[
        "Give the complete resulting code in one fenced block.",
        "Then list each change with its reason in a line.",
    ],
    checks: &[
        "The behaviour is unchanged for every input, edge cases included.",
        "Nothing was removed that other code may rely on.",
        "The result is plainly simpler or faster than before, and you can say in what way.",
    ],
    questions: &[
        (Slot::Material, "the code to work on"),
        (Slot::Detail, "what matters most, such as readability, speed or size"),
        (Slot::Detail, "which interfaces must not change"),
    ],
    example: "Show one small change to {item} as before and after first, then do the rest in the same manner",
    item: "the worst passage",
};

pub(super) static SHELL: Craft = Craft {
    name: "shell",
    called: "writing a shell command or script",
    domain: Domain::Code,
    role: "experienced system administrator",
    requirements: &[
        "Quote variables and paths so that blanks and special characters are safe.",
        "Stop at the first error rather than going on with half the work.",
        "Warn about anything that deletes, overwrites or needs elevated rights, and offer a dry run for it.",
        "Say which shell and which tools the command relies on.",
    ],
    steps: &[
        "name the tools that fit and are present on a usual system",
        "write the command or script",
        "walk through it with blanks in names, with nothing found and with missing rights",
        "say how to undo or preview what it does",
    ],
    output: &[
        "Give the command or script in one fenced block.",
        "Then explain each part in a line, and show how to try it without risk.",
    ],
    checks: &[
        "It works with file names that contain blanks.",
        "Nothing is deleted or overwritten without being announced.",
        "Every option used exists in the tool named.",
    ],
    questions: &[
        (
            Slot::Words("linux | macos | ubuntu | debian | windows | bash | zsh | powershell | fish"),
            "the operating system and shell",
        ),
        (Slot::Detail, "whether existing files may be changed or removed"),
    ],
    example: "Show what the command would do for {item} first, line by line, before giving its final form",
    item: "one ordinary file",
};

pub(super) static INFRASTRUCTURE: Craft = Craft {
    name: "infrastructure",
    called: "writing configuration for infrastructure",
    domain: Domain::Code,
    role: "experienced infrastructure engineer",
    requirements: &[
        "Give complete files that can be applied as they are.",
        "Keep secrets out of the files and say where they belong instead.",
        "Grant only the rights that are needed, and pin what is pulled from elsewhere.",
        "Explain any setting whose default would be unsafe.",
    ],
    steps: &[
        "state what has to exist at the end and what it depends on",
        "write the configuration, one concern at a time",
        "check names, ports, rights and paths against each other",
        "say how to apply it, verify it and take it back",
    ],
    output: &[
        "Give each file in its own fenced block under its path.",
        "Then list the commands to apply and verify it.",
    ],
    checks: &[
        "The files are valid and agree with each other.",
        "No secret is written out.",
        "Whatever depends on the environment is marked as an assumption.",
    ],
    questions: &[
        (Slot::Detail, "the platform and versions in use"),
        (Slot::Detail, "the expected load and availability"),
        (Slot::Detail, "how secrets are kept"),
    ],
    example: "Start with the smallest configuration that makes {item} run, show it, and extend it from there",
    item: "the core service",
};

pub(super) static DESIGN: Craft = Craft {
    name: "design",
    called: "designing a system or an interface",
    domain: Domain::Code,
    role: "experienced software architect",
    requirements: &[
        "Start from the needs stated, and make each decision answer one of them.",
        "Choose the simplest design that meets them, and say what it gives up.",
        "Name the failure cases and what happens in each.",
        "Mark every assumption about load, data and teams as an assumption.",
    ],
    steps: &[
        "restate the needs, split into what it must do and how well it must do it",
        "sketch the parts, what each is responsible for and how data flows between them",
        "weigh the alternatives at the decisions that are hard to reverse",
        "go through the failure cases",
        "say in which order to build it",
    ],
    output: &[
        "Give an overview in a short paragraph, then the parts with their responsibilities and interfaces.",
        "For each important decision give the alternatives, the choice and the reason.",
        "End with risks and open questions.",
    ],
    checks: &[
        "Every stated need is met by a named part of the design.",
        "Each decision names what it costs.",
        "Nothing rests on an unstated assumption.",
    ],
    questions: &[
        (Slot::Detail, "the expected load and amount of data"),
        (Slot::Detail, "what already exists and must be kept"),
        (Slot::Detail, "who will build and run it"),
    ],
    example: "Follow one concrete case, {item}, through the whole design before describing the parts in general",
    item: "the most common request",
};
