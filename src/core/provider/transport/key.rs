//! Where a provider's key comes from, and the command that prints one.
//!
//! A command is run when the key is first needed and what it prints is kept in memory; after a refusal it is run again by the
//! next call. Calls that wait for the same run share its outcome. Its output goes into a [`Secret`] and nowhere else:
//! an error names the key of the configuration and the exit status.

use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::Command;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::config::Secret;
use crate::error::{ProviderError, ProviderFailure};
use crate::redact;

/// The longest a command may take.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(30);

/// The most a command may print before its first line ends, in bytes.
const LONGEST_OUTPUT: u64 = 64 * 1024;

/// Where a key comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum KeySource {
    /// There is none, and none is sent.
    #[default]
    None,
    /// This one.
    Given(Secret),
    /// The first line that a shell command prints.
    Command(String),
}

/// The key of one provider.
#[derive(Debug)]
pub(super) struct Key {
    provider: String,
    source: KeySource,
    last: Mutex<LastRun>,
}

/// What the command gave when it last ran.
#[derive(Debug, Default)]
struct LastRun {
    key: Option<Secret>,
    failure: Option<(Instant, ProviderError)>,
}

impl Key {
    pub(super) fn new(provider: impl Into<String>, source: KeySource) -> Self {
        Self { provider: provider.into(), source, last: Mutex::default() }
    }

    /// The key; `None` where the provider has none.
    ///
    /// # Errors
    /// `provider_auth` when the command gives none.
    pub(super) async fn get(&self) -> Result<Option<Secret>, ProviderError> {
        let command = match &self.source {
            KeySource::None => return Ok(None),
            KeySource::Given(key) => return Ok(Some(key.clone())),
            KeySource::Command(command) => command,
        };
        let asked = Instant::now();
        let mut last = self.last.lock().await;
        if let Some(key) = &last.key {
            return Ok(Some(key.clone()));
        }
        if let Some((failed, error)) = &last.failure
            && *failed >= asked
        {
            return Err(error.clone()); // it ran while this call waited for it
        }
        match run(command).await {
            Ok(key) => {
                redact::register(key.expose());
                *last = LastRun { key: Some(key.clone()), failure: None };
                Ok(Some(key))
            }
            Err(why) => {
                let name = &self.provider;
                let message = format!("no key: the command of `providers.{name}.api_key_cmd` {why}");
                let error = ProviderError::new(name, ProviderFailure::Auth, message);
                last.failure = Some((Instant::now(), error.clone()));
                Err(error)
            }
        }
    }

    /// The provider refused `key`: the next call runs the command again. Does nothing for a key that is given, or when
    /// another call has got a newer one meanwhile.
    pub(super) async fn refused(&self, key: &Secret) {
        let mut last = self.last.lock().await;
        if last.key.as_ref() == Some(key) {
            last.key = None;
        }
    }
}

/// Runs the command; its first line, or why there is none.
async fn run(command: &str) -> Result<Secret, String> {
    let child =
        shell(command).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true).spawn();
    let mut child = child.map_err(|error| format!("cannot be started: {error}"))?;
    let ended = timeout(COMMAND_TIMEOUT, async {
        let mut printed = Vec::new();
        if let Some(output) = child.stdout.take() {
            output.take(LONGEST_OUTPUT).read_to_end(&mut printed).await?;
        }
        Ok::<_, std::io::Error>((printed, child.wait().await?))
    });
    let (printed, status) = match ended.await {
        Ok(Ok(ended)) => ended,
        Ok(Err(error)) => return Err(format!("cannot be waited for: {error}")),
        Err(_) => {
            let limit = COMMAND_TIMEOUT.as_secs();
            return Err(format!("was not done after {limit} s; it must not ask for anything"));
        }
    };
    if !status.success() {
        return Err(format!("failed ({status}); run it in a shell to see why"));
    }
    let printed = String::from_utf8(printed).map_err(|_| "printed something that is not UTF-8".to_owned())?;
    match printed.trim().lines().next().map(str::trim_end) {
        Some(key) if !key.is_empty() => Ok(Secret::from(key)),
        _ => Err("printed nothing; it must print the key".to_owned()),
    }
}

#[cfg(unix)]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command);
    shell
}

#[cfg(not(unix))]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("cmd");
    shell.arg("/C").arg(command);
    shell
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn of(command: &str) -> Key {
        Key::new("acme", KeySource::Command(command.to_owned()))
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
        assert!(failed.contains("not done after 30 s"), "{failed}");
    }

    #[tokio::test]
    async fn a_given_key_is_kept_after_a_refusal_and_no_key_is_none() {
        let key = Key::new("acme", KeySource::Given(Secret::from("k")));
        key.refused(&Secret::from("k")).await;
        assert_eq!(key.get().await.unwrap().unwrap().expose(), "k");
        assert_eq!(Key::new("acme", KeySource::None).get().await.unwrap(), None);
    }
}
