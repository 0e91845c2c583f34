//! The options of `aludel compare`.

use aludel_core::api::CompareRequest;
use clap::Args;
use serde_json::Value;

use super::global::GlobalsLast;
use super::judging::JudgingArgs;
use super::raw::Raw;

const EXAMPLES: &str = "\
Examples:
  aludel compare f3afd65f 7a3f9c21
  aludel compare f3afd65f @last --task \"Review a pull request\"
  aludel compare f3afd65f 7a3f9c21 --format html > comparison.html
  aludel compare f3afd65f 7a3f9c21 0a0b0c0d --task \"Review code\" --format json

Two prompts are shown side by side with a word diff, several as a table. With a
task the judge says which is best for it. Without colour, removed words are in
[-...-] and added words in {+...+}.";

/// Compare prompts: what differs, which is best
#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES, globals_last())]
pub(crate) struct CompareArgs {
    /// The prompts, 2 to 64: ids, six or more of their first or last characters, or @last
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,

    #[command(flatten)]
    pub judging: JudgingArgs,
}

impl CompareArgs {
    /// The raw request.
    pub(crate) fn request(&self) -> Value {
        self.judging.add_to(Raw::of::<CompareRequest>().items("prompt_ids", &self.ids)).into_value()
    }
}
