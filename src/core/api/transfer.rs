//! Requests that move prompts out and in: export, import, the import of the Go program's file.

use super::field::{Field, Kind};
use super::prompts::ListRequest;
use super::{Decoded, Moment, Request};
use crate::domain::{Phase, Timestamp};
use crate::store::Filter;

/// What filters a list filters an export, in the same words.
const FILTERS: [Field; 7] = [
    ListRequest::FIELDS[3],
    ListRequest::FIELDS[4],
    ListRequest::FIELDS[5],
    ListRequest::FIELDS[6],
    ListRequest::FIELDS[7],
    ListRequest::FIELDS[8],
    ListRequest::FIELDS[9],
];

/// Asks for stored prompts as a text in some format.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExportRequest {
    /// Its name; JSON by default.
    pub format: Option<String>,
    /// Only the newest so many.
    pub limit: Option<u32>,
    /// The last step's phase.
    pub phase: Option<Phase>,
    /// The last step's provider.
    pub provider: Option<String>,
    /// The last step's model.
    pub model: Option<String>,
    /// The persona.
    pub persona: Option<String>,
    /// All of these tags.
    pub tags: Vec<String>,
    /// Made at this moment or later.
    pub since: Option<Moment>,
    /// Made at this moment or earlier; a day counts whole.
    pub until: Option<Moment>,
}

impl ExportRequest {
    /// Which prompts, seen from this moment.
    pub fn filter(&self, now: Timestamp) -> Filter {
        Filter {
            tags: self.tags.clone(),
            phase: self.phase,
            provider: self.provider.clone(),
            model: self.model.clone(),
            persona: self.persona.clone(),
            session_id: None,
            since: self.since.map(|moment| moment.as_since(now)),
            until: self.until.map(|moment| moment.as_until(now)),
        }
    }
}

impl Request for ExportRequest {
    const FIELDS: &'static [Field] = &[
        Field::new(
            "format",
            Kind::Choice(&["json", "jsonl", "csv", "yaml", "markdown"]),
            "The format of the text; json by default. All but markdown, which is for reading, can be imported.",
        ),
        ListRequest::FIELDS[0],
        FILTERS[0],
        FILTERS[1],
        FILTERS[2],
        FILTERS[3],
        FILTERS[4],
        FILTERS[5],
        FILTERS[6],
    ];

    fn from_decoded(mut values: Decoded) -> Self {
        Self {
            format: values.text("format"),
            limit: values.count("limit"),
            phase: values.phase("phase"),
            provider: values.text("provider"),
            model: values.text("model"),
            persona: values.text("persona"),
            tags: values.texts("tags").unwrap_or_default(),
            since: values.moment("since"),
            until: values.moment("until"),
        }
    }
}

/// Asks for the prompts of a file to be stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportRequest {
    /// The file's format; told from its name or its first bytes when not given.
    pub format: Option<String>,
    /// Store nothing.
    pub dry_run: bool,
    /// Make no vectors at the end.
    pub no_vectors: bool,
}

impl Request for ImportRequest {
    const FIELDS: &'static [Field] = &[
        Field::new(
            "format",
            Kind::Choice(&["json", "jsonl", "csv", "yaml"]),
            "The file's format; told from its name or its first bytes by default.",
        ),
        DRY_RUN,
        NO_VECTORS,
    ];

    fn from_decoded(mut values: Decoded) -> Self {
        Self {
            format: values.text("format"),
            dry_run: values.boolean("dry_run").unwrap_or(false),
            no_vectors: values.boolean("no_vectors").unwrap_or(false),
        }
    }
}

const NO_VECTORS: Field = Field::new(
    "no_vectors",
    Kind::Boolean,
    "Make no vectors at the end; `reindex`, the servers and the workbench make up for it. False by default.",
);

const DRY_RUN: Field =
    Field::new("dry_run", Kind::Boolean, "Check everything and say what would be done; false by default.");

/// Asks for the prompts of the Go program's database to be stored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportAlchemyRequest {
    /// Store nothing.
    pub dry_run: bool,
    /// Make no vectors at the end.
    pub no_vectors: bool,
}

impl Request for ImportAlchemyRequest {
    const FIELDS: &'static [Field] = &[DRY_RUN, NO_VECTORS];

    fn from_decoded(mut values: Decoded) -> Self {
        Self {
            dry_run: values.boolean("dry_run").unwrap_or(false),
            no_vectors: values.boolean("no_vectors").unwrap_or(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_export_is_filtered_by_what_filters_a_list() {
        let names: Vec<&str> = ExportRequest::FIELDS.iter().map(|field| field.name).collect();
        let wanted = ["format", "limit", "phase", "provider", "model", "persona", "tags", "since", "until"];
        assert_eq!(names, wanted);
    }
}
