//! Commands that print keys, and those that fail to, in a real shell.

use super::*;
use crate::provider::settings::KeyCommand;

fn of(command: &str) -> Key {
    withholding(command, &[])
}

/// A key command that withholds these environment variables.
fn withholding(line: &str, withheld: &[&str]) -> Key {
    let withheld = withheld.iter().map(|&name| name.to_owned()).collect();
    Key::new("acme", KeySource::Command(KeyCommand { line: line.to_owned(), withheld }))
}

async fn failure(command: &str) -> String {
    let error = of(command).get().await.unwrap_err();
    assert_eq!(error.failure, ProviderFailure::Auth);
    assert!(error.message.contains("`providers.acme.api_key_cmd`"), "{error}");
    error.message
}

#[tokio::test]
async fn the_first_line_of_what_a_command_prints_is_the_key_and_is_masked_from_then_on() {
    let key = of("echo; echo '  key-of-the-command  '; echo more").get().await.unwrap().unwrap();
    assert_eq!(key.expose(), "key-of-the-command");
    assert_eq!(redact::mask("it was key-of-the-command"), "it was ***");
}

#[tokio::test]
async fn a_command_runs_once_and_again_after_a_refusal() {
    let folder = tempfile::tempdir().unwrap();
    let count = folder.path().join("count");
    let key = of(&format!("echo x >> {0}; echo key$(wc -l < {0})", count.display()));
    let all = futures_util::future::join_all((0..8).map(|_| key.get())).await;
    assert!(all.iter().all(|got| got.as_ref().unwrap().as_ref().unwrap().expose().trim() == "key1"));
    let first = all.into_iter().next().unwrap().unwrap().unwrap();
    key.refused(&Secret::from("another")).await;
    assert_eq!(key.get().await.unwrap().unwrap(), first);
    key.refused(&first).await;
    assert_eq!(key.get().await.unwrap().unwrap().expose(), "key2");
}

#[tokio::test]
async fn calls_that_wait_for_one_run_share_its_failure() {
    let folder = tempfile::tempdir().unwrap();
    let count = folder.path().join("count");
    let key = of(&format!("echo x >> {}; sleep 0.2; exit 3", count.display()));
    let all = futures_util::future::join_all((0..8).map(|_| key.get())).await;
    assert!(all.iter().all(Result::is_err));
    assert_eq!(std::fs::read_to_string(&count).unwrap().lines().count(), 1);
    assert!(key.get().await.is_err());
    assert_eq!(std::fs::read_to_string(&count).unwrap().lines().count(), 2, "a later call tries anew");
}

#[tokio::test]
async fn a_command_that_gives_no_key_says_why_and_not_what_it_printed() {
    let failed = failure("echo canary-on-stdout; echo canary-on-stderr >&2; exit 3").await;
    assert!(failed.contains("exit status: 3") && !failed.contains("canary"), "{failed}");
    assert!(failure("true").await.contains("printed nothing"));
    assert!(failure("printf '\\377\\376'").await.contains("not UTF-8"));
    assert!(failure("cat").await.contains("printed nothing"), "standard input is empty");
}

#[tokio::test]
async fn a_command_that_prints_without_end_is_stopped() {
    let failed = failure("yes canary").await;
    assert!(failed.contains("failed") && !failed.contains("canary"), "{failed}");
}

#[tokio::test(start_paused = true)]
async fn a_command_that_does_not_end_is_given_up() {
    let failed = failure("exec sleep 100").await;
    assert!(failed.contains("did not finish within 30 s"), "{failed}");
}

#[tokio::test]
async fn a_given_key_is_kept_after_a_refusal_and_no_key_is_none() {
    let key = Key::new("acme", KeySource::Given(Secret::from("k")));
    key.refused(&Secret::from("k")).await;
    assert_eq!(key.get().await.unwrap().unwrap().expose(), "k");
    assert_eq!(Key::new("acme", KeySource::None).get().await.unwrap(), None);
}

#[tokio::test]
async fn the_key_is_taken_when_it_is_printed_although_the_command_goes_on() {
    for goes_on in ["echo the-key; exec sleep 100", "echo the-key; exec >&-; sleep 100", "echo the-key & sleep 100"] {
        assert_eq!(of(goes_on).get().await.unwrap().unwrap().expose(), "the-key", "{goes_on}");
    }
}

#[tokio::test]
async fn the_key_is_taken_although_a_child_keeps_the_output_open() {
    for leaves in ["sleep 100 & echo the-key", "sleep 100 & printf the-key"] {
        assert_eq!(of(leaves).get().await.unwrap().unwrap().expose(), "the-key", "{leaves}");
    }
}

/// True while the process runs; false for a zombie.
fn runs(process: &str) -> bool {
    let status = std::process::Command::new("ps").args(["-o", "stat=", "-p", process]).output().unwrap();
    let stat = String::from_utf8(status.stdout).unwrap();
    !stat.trim().is_empty() && !stat.trim().starts_with('Z')
}

/// The process id that a command writes into a file, once it is there.
async fn process_in(file: &std::path::Path) -> String {
    loop {
        if let Ok(id) = std::fs::read_to_string(file)
            && id.ends_with('\n')
        {
            return id.trim().to_owned();
        }
        tokio::task::yield_now().await;
    }
}

async fn until_it_ends(process: &str) {
    while runs(process) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn the_children_of_a_command_end_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("process");
    let child = format!("sleep 1000 & echo $! > {}", file.display());
    for (ends, has_key) in [("echo the-key", true), ("exit 3", false), ("exec sleep 1000", false)] {
        let _ = std::fs::remove_file(&file);
        let key = of(&format!("{child}; {ends}"));
        if ends.starts_with("exec") {
            let mut call = Box::pin(key.get());
            let process = tokio::select! {
                _ = &mut call => panic!("it printed nothing"),
                process = process_in(&file) => process,
            };
            assert!(runs(&process), "while the call waits");
            drop(call);
        } else {
            assert_eq!(key.get().await.is_ok(), has_key, "{ends}");
        }
        until_it_ends(&process_in(&file).await).await;
    }
}

#[tokio::test]
async fn output_without_an_end_is_refused_with_or_without_lines() {
    for endless in ["yes canary", "yes ''", "tr '\\0' x < /dev/zero", "echo canary; tr '\\0' x < /dev/zero"] {
        let failed = failure(endless).await;
        assert!(failed.contains("64 KiB") && !failed.contains("canary"), "{endless}: {failed}");
    }
}

#[tokio::test]
async fn a_command_gets_the_environment_without_what_is_withheld() {
    // Variables that every process of the tests has; nothing is set.
    let printed = |withheld: &'static [&'static str]| async move {
        let key = withholding("echo \"key ${PATH:+has-path} ${CARGO_MANIFEST_DIR:+has-folder}\"", withheld);
        key.get().await.unwrap().unwrap().expose().to_owned()
    };
    assert_eq!(printed(&[]).await, "key has-path has-folder");
    assert_eq!(printed(&["CARGO_MANIFEST_DIR"]).await, "key has-path");
}

#[test]
fn a_command_is_never_shown() {
    let command = KeyCommand { line: "fetch --token canary".to_owned(), withheld: ["X_API_KEY".to_owned()].into() };
    let shown = format!("{:?}", KeySource::Command(command));
    assert!(shown.contains("X_API_KEY") && !shown.contains("canary"), "{shown}");
}
