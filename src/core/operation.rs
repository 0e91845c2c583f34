//! The table of operations: the description and the effect of each, and the faces that have it.
//!
//! Each face has its own list of operations with its specifics: a path, a tool description, a key.
//! The lists are checked against this table: those of the servers and the workbench at compile time
//! ([`has_all`]), that of the command line by a test, because its tree is built at run time.

use crate::domain::{Operation, Scope};

/// A user interface of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Face {
    /// The command line.
    Cli,
    /// The REST server.
    Rest,
    /// The MCP server.
    Mcp,
    /// The workbench.
    Tui,
}

impl Face {
    /// All faces.
    pub const ALL: &[Self] = &[Self::Cli, Self::Rest, Self::Mcp, Self::Tui];
}

/// The effect of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Reads local data.
    Reads,
    /// Reads local data, and may call a provider about it.
    Searches,
    /// Calls providers, and may add to the store.
    Generates,
    /// Changes the store or a file of the user.
    Changes,
    /// Deletes stored data; idempotent.
    Deletes,
    /// Starts a face.
    Serves,
}

/// The table row of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// A one-line description for the user.
    pub about: &'static str,
    /// Its effect.
    pub effect: Effect,
    /// The faces that have it.
    pub faces: &'static [Face],
}

const fn row(about: &'static str, effect: Effect, faces: &'static [Face]) -> Row {
    Row { about, effect, faces }
}

/// The row of an operation.
#[expect(clippy::match_same_arms, reason = "a row each, in the order of names")]
pub const fn of(operation: Operation) -> Row {
    match operation {
        Operation::Batch => row("Generate prompts for many requests at once", Effect::Generates, Face::ALL),
        Operation::Compare => row("Compare prompts: what differs, which is best", Effect::Searches, Face::ALL),
        Operation::Completions => row("Print a completion script for a shell", Effect::Reads, &[Face::Cli]),
        Operation::ConfigExport => {
            row("Print the configuration in force as a file, secrets hidden", Effect::Reads, &[Face::Cli])
        }
        Operation::ConfigGet => row("Print one value", Effect::Reads, &[Face::Cli]),
        Operation::ConfigInit => row("Write a commented file to start from", Effect::Changes, &[Face::Cli]),
        Operation::ConfigPath => row("Print the path of the file", Effect::Reads, &[Face::Cli]),
        Operation::ConfigSet => {
            row("Change one value in the file, keeping its comments and order", Effect::Changes, &[Face::Cli])
        }
        Operation::ConfigShow => {
            row("Show every value in force, secrets hidden", Effect::Reads, &[Face::Cli, Face::Tui])
        }
        Operation::ConfigValidate => row("Check only the configuration file", Effect::Reads, &[Face::Cli]),
        Operation::Delete => row("Delete prompts", Effect::Deletes, Face::ALL),
        Operation::Docs => row("Show the operations of the REST server", Effect::Reads, &[Face::Rest]),
        Operation::Export => row("Export stored prompts to back up, move or read", Effect::Reads, Face::ALL),
        Operation::Generate => row("Turn a request into ranked prompts", Effect::Generates, Face::ALL),
        Operation::Health => {
            row("Report whether a server is alive, ready and well", Effect::Reads, &[Face::Cli, Face::Rest])
        }
        Operation::History => {
            row("List runs with their variants, newest first", Effect::Reads, &[Face::Cli, Face::Tui])
        }
        Operation::HttpServer => row("Serve REST over HTTP", Effect::Serves, &[Face::Cli]),
        Operation::Import => row("Import prompts from a file", Effect::Changes, &[Face::Cli, Face::Rest, Face::Tui]),
        Operation::Jobs => {
            row("List, follow, stop and resume jobs", Effect::Reads, &[Face::Cli, Face::Rest, Face::Tui])
        }
        Operation::JobsFollow => row("Watch a job until it ends", Effect::Reads, &[Face::Cli, Face::Rest]),
        Operation::JobsResult => row("Show what came of a job: its result, its rows", Effect::Reads, Face::ALL),
        Operation::JobsResume => row("Resume an interrupted, stopped or failed job", Effect::Generates, Face::ALL),
        Operation::JobsShow => row("Show a job: its request, state and result", Effect::Reads, Face::ALL),
        Operation::JobsStop => row("Stop a job; what is finished is kept", Effect::Changes, Face::ALL),
        Operation::JudgeAudit => row("Test a judge", Effect::Generates, &[Face::Cli]),
        Operation::LearningExport => row("Export what was learned from feedback", Effect::Reads, &[Face::Rest]),
        Operation::List => row("List stored prompts, newest first", Effect::Reads, Face::ALL),
        Operation::Man => row("Print the manual page", Effect::Reads, &[Face::Cli]),
        Operation::McpConfig => row("Print or install the configuration of an MCP host", Effect::Changes, &[Face::Cli]),
        Operation::Metrics => {
            row("Measure prompts: cost, latency, length, quality, rank", Effect::Reads, &[Face::Cli, Face::Mcp])
        }
        Operation::Migrate => row("Migrate the database to the newest schema", Effect::Changes, &[Face::Cli]),
        Operation::OpenApi => row("Describe the REST server as an OpenAPI document", Effect::Reads, &[Face::Rest]),
        Operation::PersonasEdit => row("Edit a copy of one", Effect::Changes, &[Face::Cli]),
        Operation::PersonasList => row("List them", Effect::Reads, &[Face::Cli]),
        Operation::PersonasShow => row("Print one as it is used", Effect::Reads, &[Face::Cli]),
        Operation::Providers => row("List providers, and why one cannot be used", Effect::Reads, Face::ALL),
        Operation::Reindex => row("Rebuild the search indexes", Effect::Changes, &[Face::Cli]),
        Operation::Search => row("Find stored prompts by words or by meaning", Effect::Searches, Face::ALL),
        Operation::Select => row("Let the judge choose the best of several prompts", Effect::Generates, Face::ALL),
        Operation::Serve => row("Serve MCP over standard input and output", Effect::Serves, &[Face::Cli]),
        Operation::Show => row("Show a prompt with every step", Effect::Reads, Face::ALL),
        Operation::Similar => {
            row("Find stored prompts similar to one of them", Effect::Reads, &[Face::Cli, Face::Rest, Face::Mcp])
        }
        Operation::Spend => row("Show what was spent, and the budgets in force", Effect::Reads, Face::ALL),
        Operation::Stats => row(
            "Show totals of stored prompts by day, phase, provider and model",
            Effect::Reads,
            &[Face::Cli, Face::Rest, Face::Tui],
        ),
        Operation::TemplatesEdit => row("Edit a copy of one", Effect::Changes, &[Face::Cli]),
        Operation::TemplatesList => row("List them", Effect::Reads, &[Face::Cli]),
        Operation::TemplatesShow => row("Print one as it is used", Effect::Reads, &[Face::Cli]),
        Operation::TestProviders => row(
            "Test each provider with a real call, and say what is wrong",
            Effect::Generates,
            &[Face::Cli, Face::Tui],
        ),
        Operation::Token => row("Make a token for clients of the servers", Effect::Reads, &[Face::Cli]),
        Operation::TrashEmpty => {
            row("Delete for good: the given prompts, or all in the trash", Effect::Deletes, &[Face::Cli])
        }
        Operation::TrashList => {
            row("List deleted prompts, last deleted first", Effect::Reads, &[Face::Cli, Face::Rest])
        }
        Operation::TrashRestore => row("Restore deleted prompts", Effect::Changes, &[Face::Cli, Face::Rest, Face::Mcp]),
        Operation::Tui => row("Open the workbench", Effect::Serves, &[Face::Cli]),
        Operation::Update => row("Change a prompt's tags, notes or text", Effect::Changes, Face::ALL),
        Operation::Validate => {
            row("Check configuration, providers, templates and database", Effect::Reads, &[Face::Cli, Face::Mcp])
        }
        Operation::Version => row("Print the version", Effect::Reads, &[Face::Cli, Face::Mcp]),
        Operation::Why => {
            row("Explain how a prompt was made and ranked", Effect::Reads, &[Face::Cli, Face::Rest, Face::Mcp])
        }
    }
}

/// The scope that a token needs for an operation. One that may call a provider only if asked to,
/// such as a comparison with a judge, checks [`Scope::Spend`] itself.
pub const fn scope_of(operation: Operation) -> Scope {
    match of(operation).effect {
        // Searching by meaning may embed the query: too cheap to keep readers from it.
        Effect::Reads | Effect::Searches => Scope::Read,
        Effect::Generates => Scope::Spend,
        Effect::Changes | Effect::Deletes => Scope::Write,
        Effect::Serves => Scope::Admin,
    }
}

/// True for operations that a server performs only for the bearer of a token, even if it needs
/// none otherwise.
pub const fn always_needs_token(operation: Operation) -> bool {
    matches!(operation, Operation::LearningExport)
}

impl Row {
    /// True if this face has it.
    pub const fn is_on(&self, face: Face) -> bool {
        let mut at = 0;
        while at < self.faces.len() {
            if self.faces[at] as u8 == face as u8 {
                return true;
            }
            at += 1;
        }
        false
    }
}

/// True if a face's list has exactly the operations it should. For `const` assertions.
pub const fn has_all(face: Face, listed: &[Operation]) -> bool {
    let mut at = 0;
    while at < Operation::ALL.len() {
        let operation = Operation::ALL[at];
        if is_listed(operation, listed) != of(operation).is_on(face) {
            return false;
        }
        at += 1;
    }
    true
}

const fn is_listed(operation: Operation, listed: &[Operation]) -> bool {
    let mut at = 0;
    while at < listed.len() {
        if listed[at] as u8 == operation as u8 {
            return true;
        }
        at += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_what_its_face_has_and_nothing_else() {
        let of_rest: Vec<Operation> =
            Operation::ALL.into_iter().filter(|operation| of(*operation).is_on(Face::Rest)).collect();
        assert!(has_all(Face::Rest, &of_rest));
        assert!(!has_all(Face::Rest, &of_rest[1..]));
        assert!(!has_all(Face::Rest, &[&of_rest[..], &[Operation::Man]].concat()));
    }

    #[test]
    fn every_operation_says_what_it_does_in_a_line() {
        for operation in Operation::ALL {
            let Row { about, faces, .. } = of(operation);
            assert!(about.starts_with(char::is_uppercase) && about.len() <= 80 && !about.ends_with('.'), "{about}");
            assert!(!faces.is_empty(), "{operation}");
        }
    }
}
