//! What the program can do: every operation by one name, in all faces, on every wire and in what is stored.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One of the things that the program can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// Prompts beside each other.
    Compare,
    /// A shell's completions.
    Completions,
    /// The configuration as a file.
    ConfigExport,
    /// One value of the configuration.
    ConfigGet,
    /// A first configuration file.
    ConfigInit,
    /// Where things are.
    ConfigPath,
    /// A new value in the configuration.
    ConfigSet,
    /// All of the configuration.
    ConfigShow,
    /// The configuration checked.
    ConfigValidate,
    /// Prompts to the trash, or for good.
    Delete,
    /// Prompts as a file.
    Export,
    /// Prompts made of an idea.
    Generate,
    /// Whether a server is well.
    Health,
    /// Runs and what came of them.
    History,
    /// The REST server.
    HttpServer,
    /// Prompts from a file.
    Import,
    /// Long work that is under way or can be resumed.
    Jobs,
    /// A job watched.
    JobsFollow,
    /// A job taken up again.
    JobsResume,
    /// One job.
    JobsShow,
    /// A job stopped.
    JobsStop,
    /// A judge put to the test.
    JudgeAudit,
    /// Stored prompts by page.
    List,
    /// The manual pages.
    Man,
    /// Stored prompts measured.
    Metrics,
    /// The database brought to the present form.
    Migrate,
    /// A persona in the editor.
    PersonasEdit,
    /// The personas.
    PersonasList,
    /// One persona.
    PersonasShow,
    /// The providers.
    Providers,
    /// Indexes and vectors made anew.
    Reindex,
    /// Prompts found by words or meaning.
    Search,
    /// The judge's choice among prompts.
    Select,
    /// The MCP server.
    Serve,
    /// One prompt.
    Show,
    /// The prompts nearest to one.
    Similar,
    /// What calls cost.
    Spend,
    /// What is stored, added up.
    Stats,
    /// A template in the editor.
    TemplatesEdit,
    /// The templates.
    TemplatesList,
    /// One template.
    TemplatesShow,
    /// Providers asked whether they answer.
    TestProviders,
    /// The trash emptied.
    TrashEmpty,
    /// What is in the trash.
    TrashList,
    /// Prompts back from the trash.
    TrashRestore,
    /// The workbench.
    Tui,
    /// Tags and notes of a prompt changed.
    Update,
    /// The installation checked.
    Validate,
    /// Which version this is.
    Version,
    /// How a prompt came to its place.
    Why,
}

impl Operation {
    /// All of them, by name.
    pub const ALL: [Self; 50] = [
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
        Self::Export,
        Self::Generate,
        Self::Health,
        Self::History,
        Self::HttpServer,
        Self::Import,
        Self::Jobs,
        Self::JobsFollow,
        Self::JobsResume,
        Self::JobsShow,
        Self::JobsStop,
        Self::JudgeAudit,
        Self::List,
        Self::Man,
        Self::Metrics,
        Self::Migrate,
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
            Self::Export => "export",
            Self::Generate => "generate",
            Self::Health => "health",
            Self::History => "history",
            Self::HttpServer => "http-server",
            Self::Import => "import",
            Self::Jobs => "jobs",
            Self::JobsFollow => "jobs follow",
            Self::JobsResume => "jobs resume",
            Self::JobsShow => "jobs show",
            Self::JobsStop => "jobs stop",
            Self::JudgeAudit => "judge audit",
            Self::List => "list",
            Self::Man => "man",
            Self::Metrics => "metrics",
            Self::Migrate => "migrate",
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

    /// The operation of this name.
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
