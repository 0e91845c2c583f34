//! Copies text to the system's clipboard and to the terminal's (OSC 52), and long texts to a file.
//!
//! Over SSH the system's clipboard is another machine's, so only the terminal's is used; in tmux or
//! screen both are. OSC 52 has no reply, so it is never said to have worked. A thread owns the
//! system's clipboard: its content goes with the thread, and a stuck display delays nothing.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use aludel_core::config::Environment;
use aludel_core::files::{PRIVATE_FILE, make_private_folder, write_atomically};
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// Longest text in bytes that terminals do not cut: xterm takes some 75,000 in base64, others less.
use crate::tui::message::Copied;

const LONGEST: usize = 64 * 1024;
/// How long the system's clipboard may take.
const SYSTEM_TIMEOUT: Duration = Duration::from_millis(500);
/// How long leaving waits for a clipboard manager to take over the content.
const HANDOVER_TIMEOUT: Duration = Duration::from_millis(300);

/// What the environment says about clipboards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClipboardEnvironment {
    /// True over SSH.
    pub is_remote: bool,
    /// True within tmux or screen.
    pub is_multiplexed: bool,
    /// True if there is a display.
    pub has_display: bool,
}

impl ClipboardEnvironment {
    /// Reads `SSH_CONNECTION`, `TMUX`, `STY` and `DISPLAY`.
    pub(crate) fn from_environment(environment: &Environment) -> Self {
        let is_set = |name| environment.get(name).is_some();
        Self {
            is_remote: is_set("SSH_CONNECTION"),
            is_multiplexed: is_set("TMUX") || is_set("STY"),
            has_display: cfg!(any(windows, target_os = "macos")) || is_set("DISPLAY"),
        }
    }

    /// True if the system's clipboard is the user's.
    const fn has_system(self) -> bool {
        self.has_display && !self.is_remote
    }

    /// True if the terminal's clipboard is used too, given whether the system's took the text.
    const fn asks_terminal(self, system_has_it: bool) -> bool {
        self.is_remote || self.is_multiplexed || !system_has_it
    }
}

/// The clipboards.
pub(crate) struct Clipboard {
    surroundings: ClipboardEnvironment,
    /// The file for long texts, and its path as shown.
    file: (PathBuf, String),
    system: Option<SystemClipboard>,
}

impl Clipboard {
    /// The clipboards of `surroundings`; `file` is the file for long texts, and its path as shown.
    pub(crate) const fn new(surroundings: ClipboardEnvironment, file: (PathBuf, String)) -> Self {
        Self { surroundings, file, system: None }
    }

    /// Copies `text`; `terminal` sends it to the terminal.
    pub(crate) async fn copy(
        &mut self,
        text: &str,
        terminal: impl FnOnce(&str) -> std::io::Result<()>,
    ) -> std::io::Result<Copied> {
        let mut copied = Copied { system: self.offer(text).await, ..Copied::default() };
        if self.surroundings.asks_terminal(copied.system) {
            terminal(text)?;
            copied.terminal = true;
            if text.len() > LONGEST {
                copied.file = Some(self.write_file(text).await);
            }
        }
        Ok(copied)
    }

    async fn offer(&mut self, text: &str) -> bool {
        if !self.surroundings.has_system() {
            return false;
        }
        if self.system.is_none() {
            self.system = SystemClipboard::start();
        }
        let taken = self.system.as_ref().and_then(|system| system.offer(text));
        match taken {
            Some(taken) => matches!(timeout(SYSTEM_TIMEOUT, taken).await, Ok(Ok(true))),
            None => false,
        }
    }

    async fn write_file(&self, text: &str) -> Result<String, String> {
        let ((path, shown), text) = (self.file.clone(), text.to_owned());
        let written = spawn_blocking(move || {
            path.parent().map_or(Ok(()), make_private_folder)?;
            write_atomically(&path, text.as_bytes(), PRIVATE_FILE)
        });
        match written.await {
            Ok(Ok(())) => Ok(shown),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err("no file could be written".to_owned()),
        }
    }
}

/// A text for the system's clipboard, and the channel for whether it was taken.
type Offer = (String, oneshot::Sender<bool>);

/// The system's clipboard, owned by a thread that ends when this is dropped.
struct SystemClipboard {
    offers: Option<SyncSender<Offer>>,
    ended: Receiver<()>,
}

impl SystemClipboard {
    /// `None` if no thread can be started.
    fn start() -> Option<Self> {
        let (offers, taken) = sync_channel::<Offer>(1);
        let (ending, ended) = sync_channel(1);
        let serve = move || {
            let mut clipboard = arboard::Clipboard::new();
            for (text, answer) in taken {
                let is_taken = match &mut clipboard {
                    Ok(clipboard) => clipboard.set_text(text).is_ok(),
                    Err(_) => false,
                };
                _ = answer.send(is_taken);
            }
            // Hands its content to the clipboard manager, if there is one.
            drop(clipboard);
            _ = ending.send(());
        };
        std::thread::Builder::new().name("clipboard".to_owned()).spawn(serve).ok()?;
        Some(Self { offers: Some(offers), ended })
    }

    /// Offers `text`; `None` if the one before is not taken yet.
    fn offer(&self, text: &str) -> Option<oneshot::Receiver<bool>> {
        let (answer, taken) = oneshot::channel();
        self.offers.as_ref()?.try_send((text.to_owned(), answer)).ok()?;
        Some(taken)
    }
}

impl Drop for SystemClipboard {
    fn drop(&mut self) {
        self.offers = None;
        _ = self.ended.recv_timeout(HANDOVER_TIMEOUT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surroundings(variables: &[&str]) -> ClipboardEnvironment {
        ClipboardEnvironment::from_environment(&Environment::from_pairs(variables.iter().map(|name| (*name, "x"))))
    }

    /// Copies `text` without a display, and returns what the terminal got.
    async fn copied(text: &str, folder: &std::path::Path) -> (Copied, String) {
        let file = folder.join("new/copied.txt");
        let mut clipboard = Clipboard::new(ClipboardEnvironment::default(), (file, "~/copied.txt".into()));
        let mut handed = String::new();
        let copied = clipboard.copy(text, |text| {
            handed.push_str(text);
            Ok(())
        });
        (copied.await.unwrap(), handed)
    }

    #[test]
    fn at_the_other_end_of_a_line_the_systems_clipboard_is_not_the_users() {
        assert!(!surroundings(&["SSH_CONNECTION", "DISPLAY"]).has_system());
        assert!(surroundings(&["TMUX", "DISPLAY"]).has_system());
        assert!(surroundings(&["SSH_CONNECTION"]).asks_terminal(true));
        assert!(surroundings(&["TMUX"]).asks_terminal(true));
        let local = surroundings(&["DISPLAY"]);
        assert!(!local.asks_terminal(true) && local.asks_terminal(false));
    }

    #[tokio::test]
    async fn what_terminals_may_cut_is_in_a_file_too() {
        let folder = tempfile::tempdir().unwrap();
        let (short, handed) = copied(&"x".repeat(LONGEST), folder.path()).await;
        assert_eq!((short, handed.len()), (Copied { terminal: true, ..Copied::default() }, LONGEST));
        assert!(!folder.path().join("new").exists());
        let (long, handed) = copied(&"x".repeat(LONGEST + 1), folder.path()).await;
        assert_eq!((long.terminal, handed.len()), (true, LONGEST + 1));
        assert_eq!(long.told(), "sent to the terminal's clipboard (OSC 52); it is long, so it is in ~/copied.txt too");
        assert_eq!(std::fs::read(folder.path().join("new/copied.txt")).unwrap().len(), LONGEST + 1);
    }

    #[tokio::test]
    async fn a_file_that_cannot_be_written_is_told() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("new"), "a file where the folder would be").unwrap();
        let (long, _) = copied(&"x".repeat(LONGEST + 1), folder.path()).await;
        assert!(long.told().contains("terminals may cut it, and "), "{}", long.told());
    }
}
