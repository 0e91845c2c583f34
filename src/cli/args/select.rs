//! The options of `aludel select` and `aludel why`.

use aludel_core::api::{SelectRequest, WhyRequest};
use clap::Args;
use serde_json::Value;

use super::global::GlobalsLast;
use super::judging::JudgingArgs;
use super::raw::Raw;

const SELECT_EXAMPLES: &str = "\
Examples:
  aludel select 7a3f9c21 5e0b44d9
  aludel select 7a3f9c21 5e0b44d9 @last --task \"Summarise a contract\"
  aludel select 7a3f9c21 5e0b44d9 --criteria code --judge-provider anthropic
  aludel select 7a3f9c21 5e0b44d9 --criteria ./tone.yaml --quiet
  aludel select 7a3f9c21 5e0b44d9 --confidence 0.9
  aludel select 7a3f9c21 5e0b44d9 --judge-provider openai/gpt-6-sol,anthropic

Each pair is judged in both orders, so that position bias cancels out. Four or
more prompts are rated first; then the most informative pairs are compared,
until one prompt is the best with the probability of --confidence. A judge's
error rates come from `aludel judge audit`: without it the probability stays
low. Prompts made from the same request need no --task. --quiet prints only the
winner's text. `aludel why ID` shows later what the judge said.";

/// Let the judge choose the best of several prompts
#[derive(Debug, Default, Args)]
#[command(after_help = SELECT_EXAMPLES, globals_last())]
pub(crate) struct SelectArgs {
    /// The prompts, 2 to 64: ids, six or more of their first or last characters, or @last
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,

    #[command(flatten)]
    pub judging: JudgingArgs,
}

impl SelectArgs {
    /// The raw request, except a criteria file ([`JudgingArgs::criteria_file`]).
    pub(crate) fn request(&self) -> Value {
        self.judging.add_to(Raw::of::<SelectRequest>().items("prompt_ids", &self.ids)).into_value()
    }
}

const WHY_EXAMPLES: &str = "\
Examples:
  aludel why @last
  aludel why 7a3f9c21 --limit 1
  aludel why 7a3f9c21 --format json | jq '.judgements[0].opponents'

Calls no model: rankings and judgements are recomputed from what is stored, with
what is known of the judges now. If that changes a winner, both are shown.";

/// Explain how a prompt was made and ranked
#[derive(Debug, Default, Args)]
#[command(after_help = WHY_EXAMPLES, globals_last())]
pub(crate) struct WhyArgs {
    /// The id, six or more of its first or last characters, or @last
    #[arg(value_name = "ID")]
    pub id: String,
    /// Maximum judgements to show, newest first, 1 to 1000 (10)
    #[arg(long, short = 'n', value_name = "N", allow_negative_numbers = true)]
    pub limit: Option<String>,
}

impl WhyArgs {
    /// The raw request.
    pub(crate) fn request(&self) -> Value {
        Raw::of::<WhyRequest>().set("prompt_id", self.id.as_str()).text("limit", self.limit.as_ref()).into_value()
    }
}
