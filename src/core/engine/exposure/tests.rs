//! The findings of `validate` for files with various modes.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use super::*;
use crate::config::{self, Environment, Flags};
use crate::engine::CheckStatus;

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// A home in a temporary folder, whose data folder and files have the right modes.
struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        let home = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(home.data()).unwrap();
        chmod(&home.data(), 0o700);
        for (name, folder) in [("config.yaml", ""), ("aludel.db", ""), ("mine.md", "personas"), ("a.log", "logs")] {
            fs::create_dir_all(home.data().join(folder)).unwrap();
            chmod(&home.data().join(folder), 0o700);
            let file = home.data().join(folder).join(name);
            fs::write(&file, "").unwrap();
            chmod(&file, 0o600);
        }
        home
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join(".aludel")
    }

    fn loaded(&self) -> config::Loaded {
        let environment = Environment::from_pairs([("HOME", self.folder.path().to_str().unwrap())]);
        config::load(&Flags::default(), &environment).unwrap()
    }

    /// The findings, one a line: all warnings, or the single passing check.
    fn said(&self) -> Vec<String> {
        let checks = Engine::open(self.loaded()).check_permissions();
        assert!(checks.iter().all(|check| check.name == "permissions" && check.status != CheckStatus::Failed));
        checks.into_iter().map(|check| check.detail).collect()
    }
}

const WELL: &str = "the configuration and the data folder are yours alone";

#[test]
fn what_is_the_users_alone_is_said_to_be() {
    let home = Home::new();
    assert_eq!(home.said(), [WELL]);
    fs::remove_dir_all(home.data()).unwrap();
    assert_eq!(home.said(), [WELL], "what is not there exposes nothing");
}

#[test]
fn everything_that_others_read_or_change_is_named_with_its_mode_and_its_mend() {
    for (path, mode, what, fix) in [
        ("config.yaml", 0o644, "can be read by other users (mode 0644)", "chmod 600 ~/.aludel/config.yaml"),
        ("config.yaml", 0o640, "can be read by its group (mode 0640)", "chmod 600 ~/.aludel/config.yaml"),
        ("config.yaml", 0o622, "can be changed by other users (mode 0622)", "chmod 600 ~/.aludel/config.yaml"),
        ("", 0o755, "can be read by other users (mode 0755)", "chmod 700 ~/.aludel"),
        ("", 0o777, "can be changed by other users (mode 0777)", "chmod 700 ~/.aludel"),
        ("", 0o1777, "can be changed by other users (mode 1777)", "chmod 700 ~/.aludel"),
        ("aludel.db", 0o644, "can be read by other users (mode 0644)", "chmod 600 ~/.aludel/aludel.db"),
        ("logs", 0o755, "can be read by other users (mode 0755)", "chmod 700 ~/.aludel/logs"),
        ("logs/a.log", 0o604, "can be read by other users (mode 0604)", "chmod 600 ~/.aludel/logs/a.log"),
        ("personas", 0o770, "can be changed by its group (mode 0770)", "chmod go-w ~/.aludel/personas"),
        (
            "personas/mine.md",
            0o666,
            "can be changed by other users (mode 0666)",
            "chmod go-w ~/.aludel/personas/mine.md",
        ),
    ] {
        let home = Home::new();
        chmod(&home.data().join(path), mode);
        let said = home.said();
        assert_eq!(said.len(), 1, "{path} {mode:o}: {said:?}");
        let shown = if path.is_empty() { "~/.aludel".to_owned() } else { format!("~/.aludel/{path}") };
        assert!(said[0].starts_with(&format!("{shown} {what}")), "{said:?}");
        assert!(said[0].ends_with(&format!("; run `{fix}`")), "{said:?}");
    }
}

#[test]
fn a_template_may_be_read_by_others() {
    let home = Home::new();
    chmod(&home.data().join("personas/mine.md"), 0o644);
    chmod(&home.data().join("personas"), 0o755);
    assert_eq!(home.said(), [WELL]);
}

#[test]
fn files_that_come_with_the_database_and_those_the_configuration_names_are_looked_at() {
    let home = Home::new();
    let rubric = home.folder.path().join("rubric.yaml");
    fs::write(&rubric, "").unwrap();
    chmod(&rubric, 0o602);
    fs::write(home.data().join("config.yaml"), "judge: {criteria: ~/rubric.yaml}\n").unwrap();
    for name in ["aludel.db-wal", "cache.db"] {
        fs::write(home.data().join(name), "").unwrap();
        chmod(&home.data().join(name), 0o640);
    }
    let said = home.said().join("\n");
    for path in
        ["~/.aludel/aludel.db-wal can be read", "~/.aludel/cache.db can be read", "~/rubric.yaml can be changed"]
    {
        assert!(said.contains(path), "{said}");
    }
}

#[test]
fn a_folder_above_that_others_can_change_is_named_unless_it_is_sticky() {
    let home = Home::new();
    for (mode, is_told) in [(0o777, true), (0o775, true), (0o1777, false), (0o755, false)] {
        chmod(home.folder.path(), mode);
        let said = home.said();
        assert_eq!(said[0].starts_with("~ can be changed"), is_told, "{mode:o}: {said:?}");
        assert_eq!(said[0].contains("is not sticky") && said[0].contains("chmod go-w"), is_told, "{said:?}");
    }
}

#[test]
fn a_link_is_followed_to_what_is_read_and_to_the_folders_above_it() {
    let home = Home::new();
    let open = home.folder.path().join("shared");
    fs::create_dir(&open).unwrap();
    chmod(&open, 0o777);
    fs::write(open.join("config.yaml"), "").unwrap();
    chmod(&open.join("config.yaml"), 0o666);
    fs::remove_file(home.data().join("config.yaml")).unwrap();
    std::os::unix::fs::symlink(open.join("config.yaml"), home.data().join("config.yaml")).unwrap();
    let said = home.said().join("\n");
    assert!(said.contains("~/.aludel/config.yaml can be changed by other users (mode 0666)"), "{said}");
    assert!(said.contains("~/shared can be changed by other users (mode 0777) and is not sticky"), "{said}");
}

#[test]
fn what_belongs_to_another_user_is_named() {
    let home = Home::new();
    let file = home.data().join("config.yaml");
    let is_root = fs::metadata(&file).unwrap().uid() == 0;
    // Root can give a file away. Other users check their own file as the user with the next id.
    let user = if is_root {
        std::os::unix::fs::chown(&file, Some(12_345), None).unwrap();
        0
    } else {
        fs::metadata(&file).unwrap().uid() + 1
    };
    let loaded = home.loaded();
    let found = unix::find_for(user, &loaded.paths, &loaded.config);
    let config = found.iter().find(|exposure| exposure.path == file).unwrap();
    assert!(config.what.contains("belongs to another user"), "{config:?}");
    assert_eq!(config.fix, format!("chown {user}"));
}

#[test]
fn many_findings_are_told_in_part() {
    let home = Home::new();
    for number in 0..40 {
        let path = home.data().join(format!("personas/p{number}.md"));
        fs::write(&path, "").unwrap();
        chmod(&path, 0o666);
    }
    let said = home.said();
    assert_eq!((said.len(), said[MOST_LISTED].as_str()), (MOST_LISTED + 1, "and 20 more"));
}

#[test]
fn a_path_is_quoted_for_the_shell_where_it_must_be() {
    for (path, shell) in [
        ("~/.aludel/config.yaml", "~/.aludel/config.yaml"),
        ("~/my data/c.yaml", "~/'my data/c.yaml'"),
        ("/x/it's; rm", "'/x/it'\\''s; rm'"),
        ("~", "~"),
    ] {
        assert_eq!(quoted(path), shell);
    }
}
