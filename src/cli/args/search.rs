//! The options of `aludel search` and `aludel similar`.

use aludel_core::api::{SearchRequest, SimilarRequest};
use clap::Args;
use serde_json::Value;

use super::filters::FilterArgs;
use super::global::GlobalsLast;
use super::raw::Raw;

const SEARCH_EXAMPLES: &str = "\
Examples:
  aludel search prime numbers
  aludel search '\"code review\" rust -unsafe'
  aludel search --semantic \"apologise to a customer\" --since 30d
  aludel search --hybrid \"meeting notes\" --tags work --limit 5
  pbpaste | aludel search --semantic -

By words, all words must occur: \"several words\" for a phrase, begin* for a
prefix, -word to exclude a word, a OR b for either. By meaning, the nearest
prompts come first, whatever their words.";

/// Find stored prompts by words or by meaning
#[derive(Debug, Default, Args)]
#[command(after_help = SEARCH_EXAMPLES, globals_last())]
pub(crate) struct SearchArgs {
    /// What to look for; - reads it from standard input
    #[arg(value_name = "TEXT")]
    pub text: Vec<String>,
    /// Search by meaning instead of by words
    #[arg(long)]
    pub semantic: bool,
    /// Search by words and by meaning, and combine the two rankings
    #[arg(long)]
    pub hybrid: bool,
    /// Maximum rows, 1 to 1000 (10)
    #[arg(long, short = 'n', value_name = "N", allow_negative_numbers = true)]
    pub limit: Option<String>,
    /// Rows to skip
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub offset: Option<String>,
    /// In text, one line per prompt, not grouped by run
    #[arg(long)]
    pub flat: bool,
    /// In json, jsonl and yaml, only these fields of each prompt (and its id), separated by commas
    #[arg(long, value_name = "NAMES")]
    pub fields: Vec<String>,

    #[command(flatten)]
    pub filters: FilterArgs,
}

impl SearchArgs {
    /// The raw request for this query, if there is one.
    pub(crate) fn request(&self, query: Option<String>) -> Value {
        let mut raw = Raw::of::<SearchRequest>();
        if let Some(query) = query {
            raw = raw.set("query", query);
        }
        let raw = raw
            .switch("semantic", self.semantic)
            .switch("hybrid", self.hybrid)
            .text("limit", self.limit.as_ref())
            .text("offset", self.offset.as_ref())
            .list("fields", &self.fields);
        self.filters.add_to(raw).into_value()
    }
}

const SIMILAR_EXAMPLES: &str = "\
Examples:
  aludel similar f3afd65f
  aludel similar @last --limit 5 --persona code";

/// Find stored prompts similar to one of them
#[derive(Debug, Default, Args)]
#[command(after_help = SIMILAR_EXAMPLES, globals_last())]
pub(crate) struct SimilarArgs {
    /// The id, six or more of its first or last characters, or @last
    #[arg(value_name = "ID")]
    pub id: String,
    /// Maximum rows, 1 to 1000 (10)
    #[arg(long, short = 'n', value_name = "N", allow_negative_numbers = true)]
    pub limit: Option<String>,
    /// Rows to skip
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub offset: Option<String>,
    /// In json, jsonl and yaml, only these fields of each prompt (and its id), separated by commas
    #[arg(long, value_name = "NAMES")]
    pub fields: Vec<String>,

    #[command(flatten)]
    pub filters: FilterArgs,
}

impl SimilarArgs {
    /// The raw request.
    pub(crate) fn request(&self) -> Value {
        let raw = Raw::of::<SimilarRequest>()
            .set("prompt_id", self.id.as_str())
            .text("limit", self.limit.as_ref())
            .text("offset", self.offset.as_ref())
            .list("fields", &self.fields);
        self.filters.add_to(raw).into_value()
    }
}
