//! Runs a command for the key it prints.
//!
//! The command gets no input and none of the keys of others. Its first line that is not blank is the key, and is taken
//! without waiting for the end of the output, which a process left in the background may keep open. A command that
//! goes on after its key has a moment to fail: what some print before they fail is no key. It runs in a process group
//! of its own, which ends when the key is there, the time is up or the call is dropped; a daemon that made a session
//! of its own, such as gpg-agent, stays.

use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::{Instant, timeout, timeout_at};

use super::KeyCommand;
use crate::config::Secret;

/// The longest a command may take.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a command may still fail after it has printed a key, and how long output is waited for after its end.
const GRACE: Duration = Duration::from_secs(1);

/// The most a command may print, in bytes.
const LONGEST_OUTPUT: usize = 64 * 1024;

/// Bytes read at a time.
const PIECE: usize = 4096;

/// Runs the command; the key, or why there is none.
pub(super) async fn run(command: &KeyCommand) -> Result<Secret, String> {
    let mut group = Group::start(command).map_err(|error| format!("cannot be started: {error}"))?;
    let ended = timeout(COMMAND_TIMEOUT, group.output()).await.unwrap_or_else(|_| {
        let limit = COMMAND_TIMEOUT.as_secs();
        Err(format!("did not finish within {limit} s; it must not prompt for input"))
    });
    drop(group);
    key_in(&ended?)
}

/// A command and what it started.
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

    /// What it prints, as far as a key may be in it.
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
                    Err(_) => return Ok(std::mem::take(&mut self.printed)), // It goes on, and the key is there.
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

    /// What is left of the output of a command that ended.
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

/// The whole group is killed; the runtime waits for the command itself.
impl Drop for Group {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(id) = self.id {
            // The group is gone where everything in it has ended, which is as well.
            let _ = rustix::process::kill_process_group(id, rustix::process::Signal::KILL);
        }
    }
}

/// Reads the next piece; waits for ever once there is no more.
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

/// True once a line that is not blank has come to its end.
fn has_line(printed: &[u8]) -> bool {
    let lines = printed.split_inclusive(|&byte| byte == b'\n');
    lines.filter(|line| line.ends_with(b"\n")).any(|line| !line.trim_ascii().is_empty())
}

/// The first line that is not blank.
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
