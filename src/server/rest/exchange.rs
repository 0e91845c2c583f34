//! What a route takes and answers, as data: the fifth column of the table of routes.
//!
//! Nothing is described a second time here. Requests are named by their types, whose fields and
//! schema the core has; results by the types that are written; failures by the closed table of codes,
//! most of which follow from the effect of the operation and the shape of the request
//! (`openapi::failures`). `openapi` makes the document from it, and the tests check every response
//! against that document.
//!
//! To describe a new route, begin with what it takes: [`Exchange::query`], [`Exchange::body`] or
//! [`Exchange::nothing`]. Then add what it answers with [`Exchange::gives`] for JSON, or
//! [`Exchange::answers`] with an [`Answer`] for other media types and headers, and the codes that
//! only this route has with [`Exchange::fails`]:
//!
//! ```ignore
//! Exchange::query::<ExportRequest>().answers(Answer::file(200, "The prompts.", &["application/jsonl"]))
//! Exchange::nothing().answers(Answer::file(200, "Metrics.", &["text/plain"]))
//! ```

use aludel_core::api::{Field, Request};
use aludel_core::error::Code;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

use super::accept::{EVENTS, JSON};

/// Most answers of a route, and most media types of an answer.
const SLOTS: usize = 5;

/// What a route takes and answers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Exchange {
    /// The fields of the query string, including those in the path.
    pub(super) query: &'static [Field],
    /// The JSON body.
    pub(super) body: Option<Body>,
    /// Media types of a file that can be sent instead, with the fields of the query.
    pub(super) uploads: &'static [&'static str],
    /// Request headers.
    pub(super) headers: &'static [Header],
    /// Answers other than failures.
    pub(super) answers: [Option<Answer>; SLOTS],
    /// Failures that do not follow from the operation and what is taken.
    pub(super) codes: &'static [Code],
    /// Another name for a field of the query: the field and the name.
    pub(super) alias: Option<(&'static str, &'static str)>,
}

/// A JSON body: the fields of a request, without those in the path.
#[derive(Debug, Clone, Copy)]
pub(super) struct Body {
    pub(super) fields: &'static [Field],
    pub(super) rules: fn() -> Vec<Value>,
    pub(super) is_required: bool,
    /// A request that works, as JSON.
    pub(super) example: Option<&'static str>,
}

/// A header of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    /// Its name.
    pub(super) name: &'static str,
    /// What it does.
    pub(super) about: &'static str,
    /// The pattern of its value; any text without one.
    pub(super) pattern: Option<&'static str>,
    /// Values that work.
    pub(super) examples: &'static [&'static str],
    /// Failures that it brings.
    pub(super) codes: &'static [Code],
}

/// An answer that is no failure.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) about: &'static str,
    pub(super) media: [Option<Media>; SLOTS],
    pub(super) headers: &'static [AnswerHeader],
    /// Where the body has the ids of prompts or jobs that other routes take: the parameter of those
    /// routes, and a JSON pointer.
    pub(super) links: &'static [(&'static str, &'static str)],
}

/// A media type of an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Media {
    pub(super) name: &'static str,
    /// The schema of the whole body, or of the data of each event of a stream.
    pub(super) schema: Option<SchemaOf>,
}

/// A header of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AnswerHeader {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) is_always: bool,
}

/// The schema of a type, whose definitions go to the generator.
pub(super) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// The revision that a change requires.
pub(super) const IF_MATCH: Header = Header {
    name: "If-Match",
    about: "The `ETag` of the revision that is to be changed. If the prompt has changed since, the answer is 409 `conflict`.",
    pattern: Some("^([*]|\"[1-9][0-9]{0,8}\")$"),
    examples: &["*"],
    codes: &[Code::Conflict],
};
/// The revision that the client has.
pub(super) const IF_NONE_MATCH: Header = Header {
    name: "If-None-Match",
    about: "The `ETag` of what the client has: 304 without a body while it still holds.",
    pattern: None,
    examples: &["\"0\""],
    codes: &[],
};
/// Whether to wait.
pub(super) const PREFER: Header = Header {
    name: "Prefer",
    about: "With `respond-async` the work becomes a job: 202 with its `Location`, and it goes on without the client (RFC 7240).",
    pattern: None,
    examples: &["respond-async"],
    codes: &[],
};
/// Where to go on.
pub(super) const LAST_EVENT_ID: Header = Header {
    name: "Last-Event-ID",
    about: "The id of the last event that the client has; the next one is the first to be sent. Overrides `from`.",
    pattern: Some("^[0-9]{1,9}$"),
    examples: &["0"],
    codes: &[Code::InvalidRequest],
};

/// The key of a request that is done once. The document adds it to every route that honours it.
pub(super) const IDEMPOTENCY_KEY: Header = Header {
    name: "Idempotency-Key",
    about: "A new string for each request, in double quotes. For 24 hours the same request under it gets the same answer and is not done again; another request under it is refused.",
    pattern: Some("^\"[ !#-Z^-~]{1,255}\"$"),
    examples: &["\"8e03978e-40d5-43dd-bc93-6894a57f9324\""],
    codes: &[Code::InvalidRequest, Code::Conflict, Code::ValidationFailed],
};

/// Marks an answer that was given before.
pub(super) const REPLAYED: AnswerHeader = AnswerHeader {
    name: "Idempotency-Replayed",
    about: "`true` for the answer to an earlier request under the same key.",
    is_always: false,
};
const ETAG: AnswerHeader = AnswerHeader { name: "ETag", about: "The revision, for `If-Match`.", is_always: true };
const LOCATION: AnswerHeader = AnswerHeader { name: "Location", about: "The path of what was made.", is_always: true };
const APPLIED: AnswerHeader =
    AnswerHeader { name: "Preference-Applied", about: "The preference that was followed.", is_always: true };
const TOTAL: AnswerHeader =
    AnswerHeader { name: "X-Total-Count", about: "How many prompts match in all.", is_always: true };
const DISPOSITION: AnswerHeader =
    AnswerHeader { name: "Content-Disposition", about: "The name for a file (RFC 6266).", is_always: true };
const METADATA: AnswerHeader = AnswerHeader {
    name: "X-Model-Metadata",
    about: "Tokens and cost of embedding the query, as JSON.",
    is_always: true,
};
const WARNINGS: AnswerHeader =
    AnswerHeader { name: "X-Warnings", about: "Warnings, as a JSON list of texts; absent if none.", is_always: false };

/// Headers of answers with a revision.
pub(super) const TAGGED: &[AnswerHeader] = &[ETAG];
/// Headers of answers with a new prompt.
pub(super) const TAGGED_AND_PLACED: &[AnswerHeader] = &[ETAG, LOCATION];
/// Headers of answers with a job that was resumed.
pub(super) const PLACED: &[AnswerHeader] = &[LOCATION];
/// Headers of answers with search results.
pub(super) const COUNTED: &[AnswerHeader] = &[TOTAL, METADATA, WARNINGS];

/// Headers of answers with an export.
pub(super) const EXPORTED: &[AnswerHeader] = &[TOTAL, DISPOSITION];

/// The links of a body that is a prompt.
pub(super) const TO_PROMPT: &[(&str, &str)] = &[("prompt_id", "/id")];
/// The links of a body with a list of prompts.
pub(super) const TO_PROMPTS: &[(&str, &str)] = &[("prompt_id", "/prompts/0/id")];
/// The links of a body that is a list of prompts.
pub(super) const TO_FOUND: &[(&str, &str)] = &[("prompt_id", "/0/id")];
/// The links of a body that is a job.
pub(super) const TO_JOB: &[(&str, &str)] = &[("job_id", "/id")];
/// The links of a body with a list of jobs.
pub(super) const TO_JOBS: &[(&str, &str)] = &[("job_id", "/jobs/0/id")];

impl Exchange {
    /// Takes nothing but the path. Further members of a query are refused unless the handler ignores them.
    pub(super) const fn nothing() -> Self {
        Self { query: &[], body: None, uploads: &[], headers: &[], answers: [None; SLOTS], codes: &[], alias: None }
    }

    /// Takes these fields in the query string; those that are in the path, there.
    pub(super) const fn query<R: Request>() -> Self {
        Self { query: R::FIELDS, ..Self::nothing() }
    }

    /// Takes a JSON object of these fields; those that are in the path, there.
    pub(super) const fn body<R: Request>(example: Option<&'static str>) -> Self {
        let body = Body { fields: R::FIELDS, rules: R::rules, is_required: true, example };
        Self { body: Some(body), ..Self::nothing() }
    }

    /// As [`Exchange::body`], which can be left out.
    pub(super) const fn optional_body<R: Request>() -> Self {
        let body = Body { fields: R::FIELDS, rules: R::rules, is_required: false, example: None };
        Self { body: Some(body), ..Self::nothing() }
    }

    /// Takes a file of these media types instead of JSON, with these fields in the query string.
    pub(super) const fn or_uploads<R: Request>(mut self, media: &'static [&'static str]) -> Self {
        self.query = R::FIELDS;
        self.uploads = media;
        self
    }

    /// Takes a file of these media types, with these fields in the query string.
    pub(super) const fn upload<R: Request>(media: &'static [&'static str]) -> Self {
        Self::nothing().or_uploads::<R>(media)
    }

    /// Also takes `name` for `field` in the query string.
    pub(super) const fn alias(mut self, field: &'static str, name: &'static str) -> Self {
        self.alias = Some((field, name));
        self
    }

    /// Takes these headers.
    pub(super) const fn headers(mut self, headers: &'static [Header]) -> Self {
        self.headers = headers;
        self
    }

    /// Answers with JSON.
    pub(super) const fn gives<T: JsonSchema>(self, status: u16, about: &'static str) -> Self {
        self.answers(Answer::json::<T>(status, about))
    }

    /// Adds an answer.
    pub(super) const fn answers(mut self, answer: Answer) -> Self {
        let mut at = 0;
        while self.answers[at].is_some() {
            at += 1;
        }
        self.answers[at] = Some(answer);
        self
    }

    /// Adds failures that do not follow from the operation and what it takes.
    pub(super) const fn fails(mut self, codes: &'static [Code]) -> Self {
        self.codes = codes;
        self
    }
}

impl Answer {
    const fn empty(status: u16, about: &'static str) -> Self {
        Self { status, about, media: [None; SLOTS], headers: &[], links: &[] }
    }

    /// Not changed since: 304 without a body.
    pub(super) const fn not_modified() -> Self {
        Self::empty(304, "Not changed since.").with_headers(TAGGED)
    }

    /// A JSON body.
    pub(super) const fn json<T: JsonSchema>(status: u16, about: &'static str) -> Self {
        Self::empty(status, about).or(Media { name: JSON, schema: Some(SchemaGenerator::subschema_for::<T>) })
    }

    /// A body of one of these media types, which are not JSON.
    pub(super) const fn file(status: u16, about: &'static str, media: &'static [&'static str]) -> Self {
        Self::empty(status, about).or_file(media)
    }

    /// Or a body of one of these media types, which are not JSON.
    pub(super) const fn or_file(mut self, media: &'static [&'static str]) -> Self {
        let mut at = 0;
        while at < media.len() {
            self = self.or(Media { name: media[at], schema: None });
            at += 1;
        }
        self
    }

    /// Events, each with `T` as its data.
    pub(super) const fn events<T: JsonSchema>(status: u16, about: &'static str) -> Self {
        Self::empty(status, about).or_events::<T>()
    }

    /// Or, by the client's `Accept`, events.
    pub(super) const fn or_events<T: JsonSchema>(self) -> Self {
        self.or(Media { name: EVENTS, schema: Some(SchemaGenerator::subschema_for::<T>) })
    }

    const fn or(mut self, media: Media) -> Self {
        let mut at = 0;
        while self.media[at].is_some() {
            at += 1;
        }
        self.media[at] = Some(media);
        self
    }

    /// Has these headers.
    pub(super) const fn with_headers(mut self, headers: &'static [AnswerHeader]) -> Self {
        self.headers = headers;
        self
    }

    /// Has ids for other routes.
    pub(super) const fn with_links(mut self, links: &'static [(&'static str, &'static str)]) -> Self {
        self.links = links;
        self
    }

    /// The job that work has become: 202.
    pub(super) const fn job<T: JsonSchema>() -> Self {
        Self::json::<T>(202, "The work is a job now.").with_headers(&[LOCATION, APPLIED]).with_links(TO_JOB)
    }
}
