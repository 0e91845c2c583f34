//! The version of this program: version, commit, and the commit's date.

use serde::Serialize;

/// The version of the package.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The commit it was built from, seven characters; empty if built outside a repository.
const COMMIT: &str = env!("ALUDEL_COMMIT");
/// The date of that commit; empty if unknown.
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
    /// The commit it was built from; null if unknown.
    pub commit: Option<&'static str>,
    /// The date of that commit; null if unknown.
    pub commit_date: Option<&'static str>,
}

/// The version for programs.
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
