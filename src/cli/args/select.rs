//! `aludel select` and `aludel why`: which prompts are judged, for what, by whom, and what that may take.

use std::path::PathBuf;

use aludel_core::api::{Criteria, SelectRequest, WhyRequest};
use clap::Args;
use serde_json::Value;

use super::global::GlobalsLast;
use super::raw::Raw;

const SELECT_EXAMPLES: &str = "\
Examples:
  aludel select 7a3f9c21 5e0b44d9
  aludel select 7a3f9c21 5e0b44d9 @last --task \"Summarise a contract\"
  aludel select 7a3f9c21 5e0b44d9 --criteria code --judge-provider anthropic
  aludel select 7a3f9c21 5e0b44d9 --criteria ./tone.yaml --quiet
  aludel select 7a3f9c21 5e0b44d9 --judge-provider openai/gpt-6-sol,anthropic

Each pair is judged twice, either prompt standing first once, so that a liking
for a place cancels out; of four prompts or more each is rated, and the best
three are compared. Prompts made from one input need no --task. With --quiet the
winner's text alone is printed. `aludel why ID` tells later what was said.";

/// Let the judge choose the best of several prompts
#[derive(Debug, Default, Args)]
#[command(after_help = SELECT_EXAMPLES, globals_last())]
pub(crate) struct SelectArgs {
    /// The prompts, 2 to 64: their ids, pieces of them, or @last
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,

    /// What the prompts are for; what they were made from unless said
    #[arg(long, value_name = "TEXT", help_heading = "How to judge")]
    pub task: Option<String>,
    /// Judge by this rubric, or by the one in a file: .yaml, .yml, or with a / in its name
    #[arg(long, value_name = "FILE|NAME", help_heading = "How to judge")]
    pub criteria: Option<String>,
    /// Compare every pair, however many there are
    #[arg(long, help_heading = "How to judge")]
    pub thorough: bool,
    /// Who judges, as NAME or NAME/MODEL; several with commas between are a panel
    #[arg(long, value_name = "LIST", help_heading = "How to judge")]
    pub judge_provider: Vec<String>,
    /// Stop after so many seconds
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, help_heading = "How to judge")]
    pub timeout: Option<String>,
    /// Take no answer from the cache and keep none
    #[arg(long, help_heading = "How to judge")]
    pub no_cache: bool,

    /// Most US dollars to spend: a call that could pass it is not made
    #[arg(long, value_name = "USD", allow_negative_numbers = true, help_heading = "What it may cost")]
    pub budget_usd: Option<String>,
    /// Most calls to models, retries included
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "What it may cost")]
    pub max_calls: Option<String>,
    /// US dollars for a million tokens of a model whose price is unknown
    #[arg(long, value_name = "USD", allow_negative_numbers = true, help_heading = "What it may cost")]
    pub assume_price: Option<String>,
}

impl SelectArgs {
    /// The raw request. A file of criteria is not in it ([`SelectArgs::criteria_file`]).
    pub(crate) fn request(&self) -> Value {
        Raw::of::<SelectRequest>()
            .items("prompt_ids", &self.ids)
            .text("task", self.task.as_ref())
            .text("criteria", self.criteria.as_ref().filter(|_| self.criteria_file().is_none()))
            .switch("thorough", self.thorough)
            .list("judge_provider", &self.judge_provider)
            .text("timeout_s", self.timeout.as_ref())
            .text("budget_usd", self.budget_usd.as_ref())
            .text("max_calls", self.max_calls.as_ref())
            .text("assume_price", self.assume_price.as_ref())
            .switch("no_cache", self.no_cache)
            .into_value()
    }

    /// The file of criteria, if one was named: whatever cannot be the name of a rubric.
    pub(crate) fn criteria_file(&self) -> Option<Criteria> {
        let given = self.criteria.as_deref()?;
        let is_file = given.contains(['/', '\\'])
            || [".yaml", ".yml"].iter().any(|ending| given.to_ascii_lowercase().ends_with(ending));
        is_file.then(|| Criteria::File(PathBuf::from(given)))
    }
}

const WHY_EXAMPLES: &str = "\
Examples:
  aludel why @last
  aludel why 7a3f9c21 --limit 1
  aludel why 7a3f9c21 --format json | jq '.judgements[0].opponents'

Asks nobody: rankings and judgements are added up anew from what is stored, with
what is known of the judges now. Where that changes a winner, both are told.";

/// Tell how a prompt came to be, and to its rank
#[derive(Debug, Default, Args)]
#[command(after_help = WHY_EXAMPLES, globals_last())]
pub(crate) struct WhyArgs {
    /// The id, six or more of its first or last characters, or @last
    #[arg(value_name = "ID")]
    pub id: String,
    /// Most judgements to tell, the newest first, 1 to 1000 (10)
    #[arg(long, short = 'n', value_name = "N", allow_negative_numbers = true)]
    pub limit: Option<String>,
}

impl WhyArgs {
    /// The raw request.
    pub(crate) fn request(&self) -> Value {
        Raw::of::<WhyRequest>().set("prompt_id", self.id.as_str()).text("limit", self.limit.as_ref()).into_value()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_cannot_be_the_name_of_a_rubric_is_a_file() {
        let of = |given: &str| SelectArgs { criteria: Some(given.into()), ..SelectArgs::default() };
        for file in ["tone.yaml", "./tone", "a\\b", "C.YML"] {
            assert_eq!(of(file).criteria_file(), Some(Criteria::File(file.into())));
            assert_eq!(of(file).request(), json!({}));
        }
        assert_eq!(of("code").criteria_file(), None);
        assert_eq!(of("code").request(), json!({ "criteria": "code" }));
    }

    #[test]
    fn a_panel_may_be_named_with_commas_or_one_by_one() {
        let of = |given: &[&str]| {
            let judge_provider = given.iter().map(|name| (*name).to_owned()).collect();
            SelectArgs { judge_provider, ..SelectArgs::default() }.request()
        };
        assert_eq!(of(&["a,b/m"]), json!({ "judge_provider": ["a", "b/m"] }));
        assert_eq!(of(&["a", "b/m"]), json!({ "judge_provider": ["a", "b/m"] }));
    }
}
