//! The options of `aludel judge`.

use std::path::PathBuf;

use aludel_core::api::JudgeAuditRequest;
use clap::{Args, Subcommand};
use serde_json::Value;

use super::caps::CapArgs;
use super::global::GlobalsLast;
use super::raw::Raw;

const AUDIT_EXAMPLES: &str = "\
Examples:
  aludel judge audit
  aludel judge audit anthropic/claude-sonnet-5-5 --budget-usd 0.50
  aludel judge audit --labels labels.jsonl --budget-usd 0.50
  aludel judge audit --list

96 short calls with known right answers: a text against itself, a padded copy,
a deliberately worsened copy, that copy with a plea to be chosen, and one in the
judge's own words, compared in both orders and rated. The result is stored for
the model; selections correct for its length bias and its errors and say how old
the test is. For an unusable judge the exit code is 1; the result is still
printed and stored. After eight calls in a row without a valid answer the test
ends with that error and stores nothing.

--labels measures how often the judge agrees with you. FILE holds pairs of
prompts with your choice, one per line, as `B` in the workbench writes them:
  {\"a\": ID, \"b\": ID, \"choice\": \"a\"}    or \"b\", or \"=\" for no difference
`a_text` and `b_text` give texts instead of ids; `task` says what both are for.
CSV with the header a,b,choice,task works too. Each pair is judged in both
orders. The 96 calls are not repeated; a judge that was never tested gets them
first. With 40 pairs the interval is about 10 % either way.";

const EXAMPLES: &str = "\
Examples:
  aludel judge audit
  aludel judge audit --list";

/// Test judges, and list earlier test results
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, arg_required_else_help = true, globals_last())]
pub(crate) struct JudgeArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: JudgeCommand,
}

/// What to do with judges.
#[derive(Debug, Subcommand)]
pub(crate) enum JudgeCommand {
    /// Test a judge: position, length, self-preference, stability, sensitivity, robustness
    Audit(JudgeAuditArgs),
}

/// The judge to test, and the budget.
#[derive(Debug, Default, Args)]
#[command(after_help = AUDIT_EXAMPLES, globals_last())]
pub(crate) struct JudgeAuditArgs {
    /// The judge to test, as NAME or NAME/MODEL; by default the usual judge
    #[arg(value_name = "JUDGE")]
    pub judge: Option<String>,
    /// List earlier test results instead
    #[arg(long, conflicts_with_all = ["judge", "labels", "budget_usd", "max_calls", "assume_price"])]
    pub list: bool,
    /// Measure how often the judge agrees with the choices in FILE, JSON lines or CSV; at most 10,000 pairs
    #[arg(long, value_name = "FILE")]
    pub labels: Option<PathBuf>,

    #[command(flatten)]
    pub caps: CapArgs,
}

impl JudgeAuditArgs {
    /// The raw request.
    pub(crate) fn request(&self) -> Value {
        self.caps.add_to(Raw::of::<JudgeAuditRequest>().text("judge_provider", self.judge.as_ref())).into_value()
    }
}
