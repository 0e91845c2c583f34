//! Finds the commit this program is built from, for `aludel version`.
//!
//! Reads git's files directly, so that it works without git; a source tree without them (a release
//! archive) builds without a commit. The commit's date comes from git if available. Sets
//! `ALUDEL_COMMIT` ("abcdef1") and `ALUDEL_COMMIT_DATE` ("2026-11-21"), each empty if unknown, and
//! `ALUDEL_VERSION_LINE` ("0.1.0 (commit abcdef1, 2026-11-21)").

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const SHORT_COMMIT: usize = 7;

fn main() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    watch(&root.join("src/build.rs"));
    let commit = commit(&root).unwrap_or_default();
    let date = if commit.is_empty() { None } else { date(&root, &commit) }.unwrap_or_default();
    let commit = commit.get(..SHORT_COMMIT).unwrap_or_default();
    let version = env!("CARGO_PKG_VERSION");
    let line = match (commit, date.as_str()) {
        ("", _) => version.to_owned(),
        (commit, "") => format!("{version} (commit {commit})"),
        (commit, date) => format!("{version} (commit {commit}, {date})"),
    };
    tell(&format!("rustc-env=ALUDEL_COMMIT={commit}"));
    tell(&format!("rustc-env=ALUDEL_COMMIT_DATE={date}"));
    tell(&format!("rustc-env=ALUDEL_VERSION_LINE={line}"));
}

/// The full hash of the commit that is checked out.
fn commit(root: &Path) -> Option<String> {
    let folder = git_folder(root)?;
    watch(&folder.join("HEAD"));
    // A commit changes the branch, not HEAD; the log of HEAD grows with both.
    watch(&folder.join("logs/HEAD"));
    let head = read(&folder.join("HEAD"))?;
    let Some(branch) = head.strip_prefix("ref: ") else { return hexadecimal(&head) };
    let shared = read(&folder.join("commondir")).map_or_else(|| folder.clone(), |path| folder.join(path));
    watch(&shared.join(branch));
    if let Some(commit) = read(&shared.join(branch)) {
        return hexadecimal(&commit);
    }
    watch(&shared.join("packed-refs"));
    let packed = read(&shared.join("packed-refs"))?;
    packed.lines().find_map(|line| hexadecimal(line.strip_suffix(branch)?.trim_end()))
}

/// The folder of this work tree's git files: `.git`, or the target of the file `.git`.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let path = root.join(".git");
    if path.is_dir() {
        return Some(path);
    }
    Some(root.join(read(&path)?.strip_prefix("gitdir: ")?))
}

fn date(root: &Path, commit: &str) -> Option<String> {
    let mut git = Command::new("git");
    git.arg("-C").arg(root).args(["show", "--no-patch", "--format=%cs", commit]);
    let output = git.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

fn hexadecimal(text: &str) -> Option<String> {
    let long = text.len() >= 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    long.then(|| text.to_owned())
}

fn read(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

/// Reruns this script when the file changes. A missing file would rerun it every time.
fn watch(path: &Path) {
    if path.exists() {
        tell(&format!("rerun-if-changed={}", path.display()));
    }
}

/// Tells cargo. A closed pipe means that the build is over.
fn tell(instruction: &str) {
    let _ = writeln!(std::io::stdout(), "cargo:{instruction}");
}
