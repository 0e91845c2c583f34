//! What the tests share: clean homes, the built program, and scripts for the scripted provider.

mod home;
mod jobs;
mod said;

pub(crate) use home::Home;
pub(crate) use jobs::cancelled_job;
pub(crate) use said::CommandOutput;

/// The marks a scripted judge needs to pass its test, as map entries: one for each worsened copy.
pub(crate) fn worse_marks() -> String {
    let cases = aludel_core::judge::audit::cases().expect("the cases");
    let last = |worse: &str| serde_json::to_string(worse.lines().last().expect("a line")).expect("a string");
    cases.iter().map(|case| format!("{}: -1.6", last(&case.worse))).collect::<Vec<_>>().join(", ")
}
