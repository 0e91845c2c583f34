//! Every operation of the program, under one name for all faces, all wire formats and the database.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An operation of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// Generates prompts from many requests.
    Batch,
    /// Compares prompts side by side.
    Compare,
    /// Prints a shell's completions.
    Completions,
    /// Prints the configuration as a file.
    ConfigExport,
    /// Reads one configuration value.
    ConfigGet,
    /// Writes a first configuration file.
    ConfigInit,
    /// Lists the paths in use.
    ConfigPath,
    /// Changes one configuration value.
    ConfigSet,
    /// Shows the whole configuration.
    ConfigShow,
    /// Checks the configuration.
    ConfigValidate,
    /// Moves prompts to the trash, or deletes them for good.
    Delete,
    /// Shows the operations of the REST server to people.
    Docs,
    /// Writes prompts to a file.
    Export,
    /// Generates prompts from a request.
    Generate,
    /// Reports whether a server is healthy.
    Health,
    /// Lists runs and their results.
    History,
    /// Runs the REST server.
    HttpServer,
    /// Reads prompts from a file.
    Import,
    /// Lists jobs that are running or can be resumed.
    Jobs,
    /// Follows a job.
    JobsFollow,
    /// Returns what came of a job.
    JobsResult,
    /// Resumes a job.
    JobsResume,
    /// Shows one job.
    JobsShow,
    /// Stops a job.
    JobsStop,
    /// Tests a judge.
    JudgeAudit,
    /// Exports what was learned.
    LearningExport,
    /// Lists stored prompts, page by page.
    List,
    /// Writes the manual pages.
    Man,
    /// Prints the configuration of an MCP host.
    McpConfig,
    /// Measures stored prompts.
    Metrics,
    /// Migrates the database to the current schema.
    Migrate,
    /// Describes the REST server for programs.
    OpenApi,
    /// Opens a persona in the editor.
    PersonasEdit,
    /// Lists the personas.
    PersonasList,
    /// Shows one persona.
    PersonasShow,
    /// Lists the providers.
    Providers,
    /// Rebuilds indexes and vectors.
    Reindex,
    /// Finds prompts by words or meaning.
    Search,
    /// Has the judge choose among prompts.
    Select,
    /// Runs the MCP server.
    Serve,
    /// Shows one prompt.
    Show,
    /// Finds the prompts nearest to one.
    Similar,
    /// Reports what calls cost.
    Spend,
    /// Reports totals of what is stored.
    Stats,
    /// Opens a template in the editor.
    TemplatesEdit,
    /// Lists the templates.
    TemplatesList,
    /// Shows one template.
    TemplatesShow,
    /// Tests whether providers answer.
    TestProviders,
    /// Makes a token for clients of the servers.
    Token,
    /// Empties the trash.
    TrashEmpty,
    /// Lists the trash.
    TrashList,
    /// Restores prompts from the trash.
    TrashRestore,
    /// Runs the workbench.
    Tui,
    /// Changes the tags and notes of a prompt.
    Update,
    /// Checks the installation.
    Validate,
    /// Prints the version.
    Version,
    /// Explains how a prompt got its place.
    Why,
}

impl Operation {
    /// All operations, by name.
    pub const ALL: [Self; 57] = [
        Self::Batch,
        Self::Compare,
        Self::Completions,
        Self::ConfigExport,
        Self::ConfigGet,
        Self::ConfigInit,
        Self::ConfigPath,
        Self::ConfigSet,
        Self::ConfigShow,
        Self::ConfigValidate,
        Self::Delete,
        Self::Docs,
        Self::Export,
        Self::Generate,
        Self::Health,
        Self::History,
        Self::HttpServer,
        Self::Import,
        Self::Jobs,
        Self::JobsFollow,
        Self::JobsResult,
        Self::JobsResume,
        Self::JobsShow,
        Self::JobsStop,
        Self::JudgeAudit,
        Self::LearningExport,
        Self::List,
        Self::Man,
        Self::McpConfig,
        Self::Metrics,
        Self::Migrate,
        Self::OpenApi,
        Self::PersonasEdit,
        Self::PersonasList,
        Self::PersonasShow,
        Self::Providers,
        Self::Reindex,
        Self::Search,
        Self::Select,
        Self::Serve,
        Self::Show,
        Self::Similar,
        Self::Spend,
        Self::Stats,
        Self::TemplatesEdit,
        Self::TemplatesList,
        Self::TemplatesShow,
        Self::TestProviders,
        Self::Token,
        Self::TrashEmpty,
        Self::TrashList,
        Self::TrashRestore,
        Self::Tui,
        Self::Update,
        Self::Validate,
        Self::Version,
        Self::Why,
    ];

    /// Its name: on the command line, in events, in what is stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Batch => "batch",
            Self::Compare => "compare",
            Self::Completions => "completions",
            Self::ConfigExport => "config export",
            Self::ConfigGet => "config get",
            Self::ConfigInit => "config init",
            Self::ConfigPath => "config path",
            Self::ConfigSet => "config set",
            Self::ConfigShow => "config show",
            Self::ConfigValidate => "config validate",
            Self::Delete => "delete",
            Self::Docs => "docs",
            Self::Export => "export",
            Self::Generate => "generate",
            Self::Health => "health",
            Self::History => "history",
            Self::HttpServer => "http-server",
            Self::Import => "import",
            Self::Jobs => "jobs",
            Self::JobsFollow => "jobs follow",
            Self::JobsResult => "jobs result",
            Self::JobsResume => "jobs resume",
            Self::JobsShow => "jobs show",
            Self::JobsStop => "jobs stop",
            Self::JudgeAudit => "judge audit",
            Self::LearningExport => "learning export",
            Self::List => "list",
            Self::Man => "man",
            Self::McpConfig => "mcp-config",
            Self::Metrics => "metrics",
            Self::Migrate => "migrate",
            Self::OpenApi => "openapi",
            Self::PersonasEdit => "personas edit",
            Self::PersonasList => "personas list",
            Self::PersonasShow => "personas show",
            Self::Providers => "providers",
            Self::Reindex => "reindex",
            Self::Search => "search",
            Self::Select => "select",
            Self::Serve => "serve",
            Self::Show => "show",
            Self::Similar => "similar",
            Self::Spend => "spend",
            Self::Stats => "stats",
            Self::TemplatesEdit => "templates edit",
            Self::TemplatesList => "templates list",
            Self::TemplatesShow => "templates show",
            Self::TestProviders => "test-providers",
            Self::Token => "token",
            Self::TrashEmpty => "trash empty",
            Self::TrashList => "trash list",
            Self::TrashRestore => "trash restore",
            Self::Tui => "tui",
            Self::Update => "update",
            Self::Validate => "validate",
            Self::Version => "version",
            Self::Why => "why",
        }
    }

    /// The operation with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.as_str() == name)
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl Serialize for Operation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Operation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::parse(&name).ok_or_else(|| serde::de::Error::custom(format!("`{name}` is no operation")))
    }
}

impl JsonSchema for Operation {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Operation".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": Self::ALL.map(Self::as_str).to_vec() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_a_name_of_its_own_and_they_are_in_order() {
        let names = Operation::ALL.map(Operation::as_str);
        assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
        assert_eq!(names.map(Operation::parse), Operation::ALL.map(Some));
        assert_eq!(Operation::parse("compile"), None);
    }
}
