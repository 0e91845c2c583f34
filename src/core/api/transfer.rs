//! Requests to export and import prompts, including those of the Go program.

use super::field::{Field, Kind};
use super::filter::{Filters, LIMIT, MODEL, PERSONA, PHASE, PROVIDER, SINCE, TAGS, UNTIL};
use super::{Decoded, Request};

/// Asks to export stored prompts in some format.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExportRequest {
    /// Its name; JSON by default.
    pub format: Option<String>,
    /// Only this many of the newest.
    pub limit: Option<u32>,
    /// Of which prompts.
    pub filters: Filters,
}

impl Request for ExportRequest {
    const FIELDS: &'static [Field] = &[
        Field::new(
            "format",
            Kind::Choice(&["json", "jsonl", "csv", "yaml", "markdown"]),
            "The format of the text; json by default. All but markdown, which is for reading, can be imported.",
        ),
        LIMIT,
        PHASE,
        PROVIDER,
        MODEL,
        PERSONA,
        TAGS,
        SINCE,
        UNTIL,
    ];

    fn from_decoded(mut values: Decoded) -> Self {
        Self {
            format: values.text("format"),
            limit: values.count("limit"),
            filters: Filters::from_decoded(&mut values),
        }
    }
}

/// Asks to import the prompts of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportRequest {
    /// The file's format; detected from its name or first bytes by default.
    pub format: Option<String>,
    /// Store nothing.
    pub dry_run: bool,
    /// Make no vectors once the prompts are stored.
    pub no_vectors: bool,
}

impl ImportRequest {
    /// True when imported prompts should get vectors as soon as they are stored.
    pub fn makes_vectors(&self) -> bool {
        !self.dry_run && !self.no_vectors
    }
}

impl Request for ImportRequest {
    const FIELDS: &'static [Field] = &[
        Field::new(
            "format",
            Kind::Choice(&["json", "jsonl", "csv", "yaml"]),
            "The file's format; detected from its name or its first bytes by default.",
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
    "Make no vectors; `reindex`, the servers and the workbench make them later. False by default.",
);

const DRY_RUN: Field =
    Field::new("dry_run", Kind::Boolean, "Check everything and report what would be done; false by default.");

/// Asks to import the prompts of the Go program's database.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportAlchemyRequest {
    /// Store nothing.
    pub dry_run: bool,
    /// Make no vectors once the prompts are stored.
    pub no_vectors: bool,
}

impl ImportAlchemyRequest {
    /// True when imported prompts should get vectors as soon as they are stored.
    pub fn makes_vectors(self) -> bool {
        !self.dry_run && !self.no_vectors
    }
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
