//! Runs a command for the key it prints.
//!
//! The command gets no input and not the keys of other providers. The key is its first non-blank
//! line, taken without waiting for the end of the output, which a background process may keep open.
//! A command that keeps running after its key gets a moment to fail, since some print before they
//! fail. It runs in its own process group, killed once the key is there, time is up or the call is
//! dropped. A daemon in a session of its own, such as gpg-agent, survives.

use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::{Instant, timeout, timeout_at};

use crate::config::Secret;
use crate::provider::settings::KeyCommand;

/// The longest a command can run.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a command can fail after printing a key, or its output can come after its end.
const GRACE: Duration = Duration::from_secs(1);

/// The maximum output, in bytes.
const LONGEST_OUTPUT: usize = 64 * 1024;

/// Bytes read at a time.
const PIECE: usize = 4096;

/// Runs the command; returns the key, or why there is none.
pub(super) async fn run(command: &KeyCommand) -> Result<Secret, String> {
    let mut group = Group::start(command).map_err(|error| format!("cannot be started: {error}"))?;
    let ended = timeout(COMMAND_TIMEOUT, group.output()).await.unwrap_or_else(|_| {
        let limit = COMMAND_TIMEOUT.as_secs();
        Err(format!("did not finish within {limit} s; it must not prompt for input"))
    });
    drop(group);
    key_in(&ended?)
}

/// A command and its child processes.
struct Group {
    child: Child,
    output: Option<ChildStdout>,
    printed: Vec<u8>,
    #[cfg(unix)]
    id: Option<rustix::process::Pid>,
}

impl Group {
    fn start(command: &KeyCommand) -> std::io::Result<Self> {
        let mut shell = shell(&command.line);
        for name in &command.withheld {
            shell.env_remove(name);
        }
        shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        #[cfg(unix)]
        shell.process_group(0);
        let mut child = shell.spawn()?;
        #[cfg(unix)]
        let id = child.id().and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw);
        Ok(Self {
            output: child.stdout.take(),
            printed: Vec::new(),
            child,
            #[cfg(unix)]
            id,
        })
    }

    /// Reads the output until it contains a key.
    async fn output(&mut self) -> Result<Vec<u8>, String> {
        let waited_for = |error: std::io::Error| format!("cannot be waited for: {error}");
        let mut key_since: Option<Instant> = None;
        let status = loop {
            if key_since.is_none() && has_line(&self.printed) {
                key_since = Some(Instant::now());
            }
            let step = async {
                tokio::select! {
                    read = read(&mut self.output, &mut self.printed) => read.map(|()| None),
                    status = self.child.wait() => status.map(Some),
                }
            };
            let step = match key_since {
                Some(since) => match timeout_at(since + GRACE, step).await {
                    Ok(step) => step,
                    Err(_) => return Ok(std::mem::take(&mut self.printed)), // Still running, but the key is there.
                },
                None => step.await,
            };
            self.check_length()?;
            if let Some(status) = step.map_err(waited_for)? {
                break status;
            }
        };
        self.rest(status).await
    }

    /// Reads the remaining output of a command that ended.
    async fn rest(&mut self, status: ExitStatus) -> Result<Vec<u8>, String> {
        if !status.success() {
            return Err(format!("failed ({status}); run it in a shell to see why"));
        }
        let end = Instant::now() + GRACE;
        while self.output.is_some() && !has_line(&self.printed) {
            let read = timeout_at(end, read(&mut self.output, &mut self.printed)).await;
            self.check_length()?;
            if !matches!(read, Ok(Ok(()))) {
                break;
            }
        }
        Ok(std::mem::take(&mut self.printed))
    }

    fn check_length(&self) -> Result<(), String> {
        if self.printed.len() <= LONGEST_OUTPUT {
            return Ok(());
        }
        let limit = LONGEST_OUTPUT / 1024;
        Err(format!("failed: it printed over {limit} KiB; it must print the key and nothing else"))
    }
}

/// Kills the whole group; the runtime reaps the command itself.
impl Drop for Group {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(id) = self.id {
            // An error means that everything in the group has already ended.
            let _ = rustix::process::kill_process_group(id, rustix::process::Signal::KILL);
        }
    }
}

/// Reads the next piece; waits forever at the end of the output.
async fn read(output: &mut Option<ChildStdout>, printed: &mut Vec<u8>) -> std::io::Result<()> {
    let Some(open) = output else { return std::future::pending().await };
    let mut piece = [0_u8; PIECE];
    let count = open.read(&mut piece).await?;
    printed.extend_from_slice(&piece[..count]);
    if count == 0 {
        *output = None;
    }
    Ok(())
}

/// True once a non-blank line is complete.
fn has_line(printed: &[u8]) -> bool {
    let lines = printed.split_inclusive(|&byte| byte == b'\n');
    lines.filter(|line| line.ends_with(b"\n")).any(|line| !line.trim_ascii().is_empty())
}

/// The first non-blank line.
fn key_in(printed: &[u8]) -> Result<Secret, String> {
    let mut lines = printed.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let Some(line) = lines.find(|line| !line.is_empty()) else {
        return Err("printed nothing; it must print the key".to_owned());
    };
    let key = std::str::from_utf8(line).map_err(|_| "printed something that is not UTF-8".to_owned())?;
    Ok(Secret::from(key.trim()))
}

#[cfg(unix)]
fn shell(line: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(line);
    shell
}

#[cfg(not(unix))]
fn shell(line: &str) -> Command {
    let mut shell = Command::new("cmd");
    shell.arg("/C").arg(line);
    shell
}
