//! The options of every command that judges prompts.

use clap::Args;
use serde_json::json;

use super::caps::CapArgs;
use super::raw::Raw;

/// How to judge.
#[derive(Debug, Default, Args)]
pub(crate) struct JudgingArgs {
    /// What the prompts are for
    #[arg(long, value_name = "TEXT", help_heading = "Judging")]
    pub task: Option<String>,
    /// Judge by the rubric of this name, or by the one in a file: .yaml, .yml, or with a / in its name
    #[arg(long, value_name = "FILE|NAME", help_heading = "Judging")]
    pub criteria: Option<String>,
    /// Ask until one prompt is the best with this probability, 0.5 to 0.99 (0.8)
    #[arg(long, value_name = "P", allow_negative_numbers = true, help_heading = "Judging")]
    pub confidence: Option<String>,
    /// Compare up to every pair, until that probability is 0.95
    #[arg(long, help_heading = "Judging")]
    pub thorough: bool,
    /// The judge, as NAME or NAME/MODEL; several, separated by commas, form a panel
    #[arg(long, value_name = "LIST", help_heading = "Judging")]
    pub judge_provider: Vec<String>,
    /// Stop after this many seconds
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, help_heading = "Judging")]
    pub timeout: Option<String>,
    /// Neither read nor write the answer cache
    #[arg(long, help_heading = "Judging")]
    pub no_cache: bool,

    #[command(flatten)]
    pub caps: CapArgs,
}

impl JudgingArgs {
    /// Adds these options to a request, except a criteria file ([`JudgingArgs::criteria_file`]).
    pub(crate) fn add_to(&self, raw: Raw) -> Raw {
        let raw = match self.criteria_file() {
            Some(file) => raw.set("criteria", json!({ "file": file })),
            None => raw.text("criteria", self.criteria.as_ref()),
        };
        let raw = raw
            .text("task_description", self.task.as_ref())
            .text("confidence", self.confidence.as_ref())
            .switch("thorough", self.thorough)
            .list("judge_provider", &self.judge_provider)
            .text("timeout_s", self.timeout.as_ref())
            .switch("no_cache", self.no_cache);
        self.caps.add_to(raw)
    }

    /// The file of criteria, if one was named: whatever cannot be the name of a rubric.
    fn criteria_file(&self) -> Option<&str> {
        let given = self.criteria.as_deref()?;
        let is_file = given.contains(['/', '\\'])
            || [".yaml", ".yml"].iter().any(|ending| given.to_ascii_lowercase().ends_with(ending));
        is_file.then_some(given)
    }
}

#[cfg(test)]
mod tests {
    use aludel_core::api::SelectRequest;
    use serde_json::Value;

    use super::*;

    fn request(args: &JudgingArgs) -> Value {
        args.add_to(Raw::of::<SelectRequest>()).into_value()
    }

    #[test]
    fn what_cannot_be_the_name_of_a_rubric_is_a_file() {
        let of = |given: &str| JudgingArgs { criteria: Some(given.into()), ..JudgingArgs::default() };
        for file in ["tone.yaml", "./tone", "a\\b", "C.YML"] {
            assert_eq!(request(&of(file)), json!({ "criteria": { "file": file } }));
        }
        assert_eq!(request(&of("code")), json!({ "criteria": "code" }));
    }

    #[test]
    fn a_panel_may_be_named_with_commas_or_one_by_one() {
        let of = |given: &[&str]| {
            let judge_provider = given.iter().map(|name| (*name).to_owned()).collect();
            request(&JudgingArgs { judge_provider, ..JudgingArgs::default() })
        };
        assert_eq!(of(&["a,b/m"]), json!({ "judge_provider": ["a", "b/m"] }));
        assert_eq!(of(&["a", "b/m"]), json!({ "judge_provider": ["a", "b/m"] }));
    }
}
