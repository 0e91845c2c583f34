//! Requests to find stored prompts by words, by meaning or by another prompt, and to reindex them.

use serde_json::{Value, json};

use super::field::{Field, Kind};
use super::fields::{FIELDS, FIELDS_BRIEF, fields_from};
use super::filter::{Filters, LIMIT, MODEL, OFFSET, PERSONA, PHASE, PROVIDER, SINCE, TAGS, UNTIL};
use super::prompts::PROMPT_ID;
use super::{Decoded, PromptKey, Request};
use crate::domain::{PromptFields, limits};
use crate::error::Fault;

const QUERY: Field = Field::new(
    "query",
    Kind::Text { min: 1, max: limits::QUERY_CHARS },
    "What to look for. By words, all words must occur: \"several words\" for a phrase, begin* for a prefix, -word to \
     exclude a word, a OR b for either.",
)
.required();

const SEMANTIC: Field = Field::new("semantic", Kind::Boolean, "Search by meaning instead of words; false by default.");
const HYBRID: Field = Field::new(
    "hybrid",
    Kind::Boolean,
    "Search by words and by meaning, and combine the two rankings; false by default.",
);

/// What a search compares.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SearchBy {
    /// By words.
    #[default]
    Text,
    /// By meaning (embeddings).
    Meaning,
    /// By both, fused.
    Both,
}

/// Asks for the prompts that match a query, best first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchRequest {
    /// What to look for.
    pub query: String,
    /// The kind of search.
    pub by: SearchBy,
    /// Most rows; 10 by default.
    pub limit: Option<u32>,
    /// Rows to skip.
    pub offset: u64,
    /// Among which prompts.
    pub filters: Filters,
    /// Which fields of each; all by default.
    pub fields: Option<PromptFields>,
    /// True when the request named two kinds of search.
    is_contradictory: bool,
}

impl Request for SearchRequest {
    const FIELDS: &'static [Field] =
        &[QUERY, SEMANTIC, HYBRID, LIMIT, OFFSET, PHASE, PROVIDER, MODEL, PERSONA, TAGS, SINCE, UNTIL, FIELDS];

    fn from_decoded(mut values: Decoded) -> Self {
        let semantic = values.boolean("semantic").unwrap_or(false);
        let hybrid = values.boolean("hybrid").unwrap_or(false);
        Self {
            query: values.text("query").unwrap_or_default(),
            by: match (semantic, hybrid) {
                (_, true) => SearchBy::Both,
                (true, false) => SearchBy::Meaning,
                (false, false) => SearchBy::Text,
            },
            limit: values.count("limit"),
            offset: values.integer("offset").unwrap_or(0),
            filters: Filters::from_decoded(&mut values),
            fields: fields_from(&mut values),
            is_contradictory: semantic && hybrid,
        }
    }

    fn rules() -> Vec<Value> {
        let both = json!({ "semantic": { "const": true }, "hybrid": { "const": true } });
        vec![json!({ "not": { "required": ["semantic", "hybrid"], "properties": both } })]
    }

    fn cross_check(&self) -> Vec<Fault> {
        if self.is_contradictory {
            return vec![Fault::new(
                "hybrid",
                "cannot be combined with semantic: hybrid includes it, so give one or the other",
            )];
        }
        Vec::new()
    }
}

impl SearchRequest {
    /// The same with brief fields, unless certain fields were requested.
    fn brief(self) -> Self {
        Self { fields: self.fields.or(Some(PromptFields::BRIEF)), ..self }
    }
}

/// A [`SearchRequest`] with brief fields, as offered to models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BriefSearchRequest(SearchRequest);

impl Request for BriefSearchRequest {
    const FIELDS: &'static [Field] =
        &[QUERY, SEMANTIC, HYBRID, LIMIT, OFFSET, PHASE, PROVIDER, MODEL, PERSONA, TAGS, SINCE, UNTIL, FIELDS_BRIEF];

    fn from_decoded(values: Decoded) -> Self {
        Self(SearchRequest::from_decoded(values).brief())
    }

    fn rules() -> Vec<Value> {
        SearchRequest::rules()
    }

    fn cross_check(&self) -> Vec<Fault> {
        self.0.cross_check()
    }
}

impl From<BriefSearchRequest> for SearchRequest {
    fn from(BriefSearchRequest(request): BriefSearchRequest) -> Self {
        request
    }
}

/// Asks for the prompts nearest in meaning to a query, for faces that name the kind of search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SemanticSearchRequest(SearchRequest);

impl Request for SemanticSearchRequest {
    const FIELDS: &'static [Field] = &[
        Field::new(
            "query",
            Kind::Text { min: 1, max: limits::QUERY_CHARS },
            "What the prompts should be about, in any words.",
        )
        .required(),
        LIMIT,
        OFFSET,
        PHASE,
        PROVIDER,
        MODEL,
        PERSONA,
        TAGS,
        SINCE,
        UNTIL,
        FIELDS_BRIEF,
    ];

    fn from_decoded(values: Decoded) -> Self {
        Self(SearchRequest { by: SearchBy::Meaning, ..SearchRequest::from_decoded(values) }.brief())
    }
}

impl From<SemanticSearchRequest> for SearchRequest {
    fn from(SemanticSearchRequest(request): SemanticSearchRequest) -> Self {
        request
    }
}

/// Asks for the prompts nearest to a stored one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimilarRequest {
    /// Which prompt.
    pub prompt_id: PromptKey,
    /// Most rows; 10 by default.
    pub limit: Option<u32>,
    /// Rows to skip.
    pub offset: u64,
    /// Among which prompts.
    pub filters: Filters,
    /// Which fields of each; all by default.
    pub fields: Option<PromptFields>,
}

impl Request for SimilarRequest {
    const FIELDS: &'static [Field] =
        &[PROMPT_ID, LIMIT, OFFSET, PHASE, PROVIDER, MODEL, PERSONA, TAGS, SINCE, UNTIL, FIELDS];

    fn from_decoded(mut values: Decoded) -> Self {
        Self {
            prompt_id: values.key("prompt_id").unwrap_or(PromptKey::Last),
            limit: values.count("limit"),
            offset: values.integer("offset").unwrap_or(0),
            filters: Filters::from_decoded(&mut values),
            fields: fields_from(&mut values),
        }
    }
}

/// A [`SimilarRequest`] with brief fields, as offered to models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BriefSimilarRequest(SimilarRequest);

impl Request for BriefSimilarRequest {
    const FIELDS: &'static [Field] =
        &[PROMPT_ID, LIMIT, OFFSET, PHASE, PROVIDER, MODEL, PERSONA, TAGS, SINCE, UNTIL, FIELDS_BRIEF];

    fn from_decoded(values: Decoded) -> Self {
        let request = SimilarRequest::from_decoded(values);
        Self(SimilarRequest { fields: request.fields.or(Some(PromptFields::BRIEF)), ..request })
    }
}

impl From<BriefSimilarRequest> for SimilarRequest {
    fn from(BriefSimilarRequest(request): BriefSimilarRequest) -> Self {
        request
    }
}

/// Asks to rebuild the search indices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReindexRequest {
    /// The text index.
    pub text: bool,
    /// The missing vectors.
    pub vectors: bool,
    /// All vectors of the current model, not only the missing ones.
    pub all: bool,
}

impl Request for ReindexRequest {
    const FIELDS: &'static [Field] = &[
        Field::new("text", Kind::Boolean, "Rebuild the word index; true unless only vectors are requested."),
        Field::new("vectors", Kind::Boolean, "Make missing vectors; true unless only text is requested."),
        Field::new("all", Kind::Boolean, "Rebuild all vectors, including existing ones; false by default."),
    ];

    fn from_decoded(mut values: Decoded) -> Self {
        let (text, vectors) = (values.boolean("text"), values.boolean("vectors"));
        let all = values.boolean("all").unwrap_or(false);
        // Naming one of the two excludes the other.
        let text_now = text.unwrap_or(vectors != Some(true));
        let vectors_now = vectors.unwrap_or(text != Some(true) || all);
        Self { text: text_now, vectors: vectors_now, all }
    }

    fn cross_check(&self) -> Vec<Fault> {
        if !self.text && !self.vectors {
            return vec![Fault::new(
                "vectors",
                "excludes everything together with text: give one of the two, or neither",
            )];
        }
        if self.all && !self.vectors {
            return vec![Fault::new("all", "applies to vectors, which text excludes: drop one of the two")];
        }
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{Known, decode, schema};
    use crate::error::{Code, Error};

    fn search(raw: Value) -> Result<SearchRequest, Error> {
        decode(raw, &Known::default())
    }

    fn fields(error: &Error) -> Vec<&str> {
        error.faults().iter().map(|fault| fault.field.as_str()).collect()
    }

    #[test]
    fn a_query_alone_is_a_search_by_words() {
        let request = search(json!({ "query": "prime numbers" })).unwrap();
        assert_eq!((request.by, request.limit, request.offset), (SearchBy::Text, None, 0));
        assert_eq!(request.filters, Filters::default());
        assert_eq!(search(json!({ "query": "x", "semantic": true })).unwrap().by, SearchBy::Meaning);
        assert_eq!(search(json!({ "query": "x", "hybrid": true, "semantic": false })).unwrap().by, SearchBy::Both);
    }

    #[test]
    fn a_blank_a_long_and_a_missing_query_are_refused() {
        let missing = search(json!({})).unwrap_err();
        assert_eq!((missing.code(), fields(&missing)), (Code::InvalidRequest, vec!["query"]));
        for query in [" \n".to_owned(), String::new(), "é".repeat(limits::QUERY_CHARS + 1)] {
            let error = search(json!({ "query": query })).unwrap_err();
            assert_eq!((error.code(), fields(&error)), (Code::ValidationFailed, vec!["query"]));
        }
        assert!(search(json!({ "query": "é".repeat(limits::QUERY_CHARS) })).is_ok());
    }

    #[test]
    fn two_ways_at_once_are_refused() {
        let error = search(json!({ "query": "x", "hybrid": true, "semantic": true })).unwrap_err();
        assert_eq!((error.code(), fields(&error)), (Code::ValidationFailed, vec!["hybrid"]));
    }

    #[test]
    fn every_fault_is_listed_at_once() {
        let error =
            search(json!({ "query": "", "limit": 0, "phase": "x", "tags": ["a,b"], "since": "soon" })).unwrap_err();
        assert_eq!(fields(&error), ["query", "limit", "phase", "tags[0]", "since"]);
    }

    #[test]
    fn a_semantic_search_takes_no_other_way() {
        let known = Known::default();
        let request: SemanticSearchRequest = decode(json!({ "query": "x", "limit": 3 }), &known).unwrap();
        let request = SearchRequest::from(request);
        assert_eq!((request.by, request.limit), (SearchBy::Meaning, Some(3)));
        let error = decode::<SemanticSearchRequest>(json!({ "query": "x", "hybrid": true }), &known).unwrap_err();
        assert_eq!(fields(&error), ["hybrid"]);
        assert!(schema(SemanticSearchRequest::FIELDS, &known)["properties"].get("semantic").is_none());
    }

    #[test]
    fn what_is_named_alone_is_made_anew_alone() {
        let parts =
            |raw: Value| decode::<ReindexRequest>(raw, &Known::default()).map(|it| (it.text, it.vectors, it.all));
        assert_eq!(parts(json!({})).unwrap(), (true, true, false));
        assert_eq!(parts(json!({ "text": true })).unwrap(), (true, false, false));
        assert_eq!(parts(json!({ "vectors": true })).unwrap(), (false, true, false));
        assert_eq!(parts(json!({ "text": true, "vectors": true })).unwrap(), (true, true, false));
        assert_eq!(parts(json!({ "text": false })).unwrap(), (false, true, false));
        assert_eq!(parts(json!({ "all": true })).unwrap(), (true, true, true));
        assert!(parts(json!({ "text": false, "vectors": false })).is_err());
        assert_eq!(fields(&parts(json!({ "vectors": false, "all": true })).unwrap_err()), ["all"]);
    }
}
