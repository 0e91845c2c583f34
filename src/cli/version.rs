//! Which program this is: version, commit, and the commit's day.

use serde::Serialize;

/// The version of the package.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The commit it was built from, seven characters; empty when it was built outside a repository.
const COMMIT: &str = env!("ALUDEL_COMMIT");
/// The day of that commit; empty when unknown.
const COMMIT_DATE: &str = env!("ALUDEL_COMMIT_DATE");

/// What `--version` prints after the name: `0.1.0 (commit abcdef1, 2026-11-21)`.
pub(crate) const LINE: &str = env!("ALUDEL_VERSION_LINE");

/// The version for programs.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Build {
    /// `aludel`.
    pub name: &'static str,
    /// The version of the package.
    pub version: &'static str,
    /// The commit it was built from; null when unknown.
    pub commit: Option<&'static str>,
    /// The day of that commit; null when unknown.
    pub commit_date: Option<&'static str>,
}

/// Which program this is.
pub(crate) fn build() -> Build {
    let known = |text: &'static str| Some(text).filter(|text| !text.is_empty());
    Build { name: "aludel", version: VERSION, commit: known(COMMIT), commit_date: known(COMMIT_DATE) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_begins_with_the_version_and_names_the_commit_if_known() {
        assert!(LINE.starts_with(VERSION));
        assert_eq!(LINE.contains("commit"), build().commit.is_some());
    }
}
