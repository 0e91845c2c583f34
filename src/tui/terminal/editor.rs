//! Edits a text in the user's own editor.
//!
//! The editor is `$VISUAL`, else `$EDITOR`, else one that is installed. The variable is split into
//! words like a shell would, but no shell runs it, and the file is always one argument. The text is
//! in a temporary file that only the user can read, removed afterwards.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use aludel_core::config::Environment;
use aludel_core::domain::limits;
use aludel_core::files;
use tokio::process::Command;

/// Tried in this order if no variable names an editor.
use crate::tui::message::Edited;

const USUAL: &[&str] = if cfg!(windows) { &["notepad.exe"] } else { &["sensible-editor", "nano", "vim", "vi"] };

/// The user's editor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Editor {
    /// The variable that names it, and its value.
    named: Option<(&'static str, String)>,
    /// The folders of `PATH`.
    folders: Vec<PathBuf>,
}

impl Editor {
    /// Reads `VISUAL`, `EDITOR` and `PATH`.
    pub(crate) fn from_environment(environment: &Environment) -> Self {
        let named = ["VISUAL", "EDITOR"].into_iter().find_map(|name| Some((name, environment.get(name)?.to_owned())));
        let folders = environment.get("PATH").map(|path| std::env::split_paths(path).collect()).unwrap_or_default();
        Self { named, folders }
    }

    /// The words of the command, or why there are none.
    fn words(&self) -> Result<Vec<String>, String> {
        let Some((variable, command)) = &self.named else {
            let is_there = |name: &&&str| self.folders.iter().any(|folder| folder.join(name).is_file());
            return match USUAL.iter().find(is_there) {
                Some(name) => Ok(vec![(*name).to_owned()]),
                None => Err(format!("no editor found ({}); set EDITOR", USUAL.join(", "))),
            };
        };
        // Backslashes separate folders there, and quote nothing.
        let words = if cfg!(windows) {
            Some(command.split_whitespace().map(str::to_owned).collect())
        } else {
            shlex::split(command)
        };
        match words {
            Some(words) if !words.is_empty() => Ok(words),
            Some(_) => Err(format!("{variable} names no program")),
            None => Err(format!("{variable} has an unclosed quote: {command}")),
        }
    }

    /// Lets the user edit `text`. The terminal must already be released.
    pub(crate) async fn edit(&self, text: &str) -> Edited {
        match self.try_edit(text).await {
            Ok(text) => Edited::Saved(text),
            Err(reason) => Edited::Failed(reason),
        }
    }

    async fn try_edit(&self, text: &str) -> Result<String, String> {
        let words = self.words()?;
        let [program, arguments @ ..] = words.as_slice() else { return Err("there is no editor".to_owned()) };
        let file = write_temp_file(text).map_err(|error| format!("a temporary file cannot be written: {error}"))?;
        let status = Command::new(program).args(arguments).arg(file.as_os_str()).status().await;
        let status = status.map_err(|error| format!("`{program}` cannot be started: {error}"))?;
        if !status.success() {
            let how = status.code().map_or_else(|| "was killed".to_owned(), |code| format!("ended with {code}"));
            return Err(format!("`{program}` {how}"));
        }
        read_back(&file, text).map_err(|error| format!("the file that `{program}` wrote cannot be read: {error}"))
    }
}

/// Writes `text` to a private temporary file, removed on drop.
fn write_temp_file(text: &str) -> io::Result<tempfile::TempPath> {
    // `tempfile` creates files with mode 0600.
    let mut file = tempfile::Builder::new().prefix("aludel-").suffix(".md").tempfile()?;
    file.write_all(text.as_bytes())?;
    file.flush()?;
    Ok(file.into_temp_path())
}

/// Reads the file back. Drops the final line break that editors add.
fn read_back(file: &Path, before: &str) -> io::Result<String> {
    let bytes = files::read_up_to(file, limits::BODY_BYTES as u64)?;
    let mut text = String::from_utf8(bytes).map_err(io::Error::other)?;
    if !before.ends_with('\n') && text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    Ok(text)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn editor(pairs: &[(&str, &str)]) -> Editor {
        Editor::from_environment(&Environment::from_pairs(pairs.iter().copied()))
    }

    /// The command that runs a program of these lines in `folder`.
    fn program(folder: &Path, name: &str, lines: &str) -> String {
        let path = folder.join(name);
        std::fs::write(&path, lines).unwrap();
        format!("sh {}", path.display())
    }

    #[test]
    fn visual_goes_before_editor_and_editor_before_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        program(folder.path(), "vi", "true");
        let path = folder.path().to_str().unwrap();
        assert_eq!(editor(&[("VISUAL", "code --wait"), ("EDITOR", "ed")]).words().unwrap(), ["code", "--wait"]);
        assert_eq!(editor(&[("VISUAL", ""), ("EDITOR", "ed")]).words().unwrap(), ["ed"]);
        assert_eq!(editor(&[("EDITOR", "'/opt/my editor' -n")]).words().unwrap(), ["/opt/my editor", "-n"]);
        assert_eq!(editor(&[("PATH", path)]).words().unwrap(), ["vi"]);
        assert!(editor(&[("PATH", "/nowhere")]).words().unwrap_err().contains("set EDITOR"));
        assert!(editor(&[("EDITOR", "'half")]).words().unwrap_err().contains("EDITOR has an unclosed quote"));
    }

    #[tokio::test]
    async fn what_is_saved_comes_back_and_the_file_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let seen = folder.path().join("seen");
        let lines = format!("stat -c %a \"$2\" > {0}; echo \"$2\" >> {0}; echo \"$1\" >> \"$2\"", seen.display());
        let command = format!("{} 'two  words; rm -rf /'", program(folder.path(), "append", &lines));
        let edited = editor(&[("EDITOR", &command)]).edit("first\n").await;
        assert_eq!(edited, Edited::Saved("first\ntwo  words; rm -rf /\n".into()));
        let seen = std::fs::read_to_string(seen).unwrap();
        let (mode, file) = seen.trim().split_once('\n').unwrap();
        assert_eq!(mode, "600");
        assert!(!Path::new(file).exists(), "{file}");
    }

    #[tokio::test]
    async fn the_line_break_that_editors_add_is_no_part_of_the_text() {
        let folder = tempfile::tempdir().unwrap();
        let command = program(folder.path(), "end", "printf '\\n' >> \"$1\"");
        let editor = editor(&[("EDITOR", &command)]);
        assert_eq!(editor.edit("idea").await, Edited::Saved("idea".into()));
        assert_eq!(editor.edit("").await, Edited::Saved(String::new()));
        assert_eq!(editor.edit("idea\n").await, Edited::Saved("idea\n\n".into()));
    }

    #[tokio::test]
    async fn an_editor_that_fails_says_how() {
        let folder = tempfile::tempdir().unwrap();
        let failed = async |lines: &str| {
            let command = program(folder.path(), "fails", lines);
            match editor(&[("EDITOR", &command)]).edit("idea").await {
                Edited::Failed(reason) => reason,
                Edited::Saved(text) => panic!("{text:?} was saved"),
            }
        };
        assert!(failed("exit 3").await.ends_with("ended with 3"));
        assert!(failed("kill -9 $$").await.ends_with("was killed"));
        assert!(failed("rm \"$1\"").await.contains("cannot be read"));
        assert!(failed("printf '\\377' > \"$1\"").await.contains("cannot be read"));
        let missing = editor(&[("EDITOR", "/nowhere/ed")]).edit("idea").await;
        assert!(matches!(missing, Edited::Failed(reason) if reason.contains("`/nowhere/ed` cannot be started")));
    }
}
