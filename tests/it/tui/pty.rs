//! A terminal for tests: the program runs in it, keys go in, and the screen is read cell by cell.
//!
//! Tests wait for words on the screen, never for time. All output is kept for checking bytes.

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::support::Home;

/// How long a word can take to appear.
const PATIENCE: Duration = Duration::from_secs(30);

/// The program on a pseudo-terminal.
pub(crate) struct Pty {
    /// `None` once it was removed.
    master: Option<Box<dyn MasterPty + Send>>,
    keys: Option<Box<dyn Write + Send>>,
    child: Box<dyn Child + Send + Sync>,
    output: Receiver<Vec<u8>>,
    terminal: vt100::Parser,
    /// Everything the program wrote.
    pub(crate) written: Vec<u8>,
}

/// The connection between the program and the terminal.
#[derive(Clone, Copy)]
struct Line {
    bytes_per_s: u64,
}

impl Line {
    /// Faster than any output.
    const QUICK: Self = Self { bytes_per_s: 1 << 40 };

    /// Bytes in transit together: a fortieth of a second.
    fn piece(self) -> usize {
        usize::try_from(self.bytes_per_s / 40).expect("a size").max(1)
    }

    /// Waits while the connection, free at this time, carries these bytes; returns when it is free.
    fn carry(self, bytes: usize, free_at: Instant) -> Instant {
        let takes = Duration::from_nanos(bytes as u64 * 1_000_000_000 / self.bytes_per_s);
        let free_at = free_at.max(Instant::now()) + takes;
        let (_alive, silence) = sync_channel::<()>(1);
        _ = silence.recv_timeout(free_at.saturating_duration_since(Instant::now()));
        free_at
    }
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

fn nonzero(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).expect("a size")
}

/// Sets a minimal environment in this home.
fn set_surroundings(command: &mut CommandBuilder, home: &Home) {
    command.env_clear();
    command.env("HOME", home.path());
    command.env("TERM", "xterm-256color");
    command.env("PATH", "/usr/bin:/bin");
    command.cwd(home.path());
}

impl Pty {
    /// The workbench of `home` on 120 columns and 40 rows.
    pub(crate) fn workbench(home: &Home) -> Self {
        Self::workbench_with(home, &[])
    }

    /// As [`Pty::workbench`] with variables added to the environment.
    pub(crate) fn workbench_with(home: &Home, variables: &[(&str, &str)]) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_aludel"));
        command.arg("tui");
        Self::run(home, command, variables)
    }

    /// As [`Pty::workbench`] on a terminal of another size.
    pub(crate) fn workbench_at(home: &Home, columns: u16, rows: u16) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_aludel"));
        command.arg("tui");
        Self::run_at(home, command, &[], (columns, rows))
    }

    /// As [`Pty::workbench`] over a connection of this many bytes a second.
    pub(crate) fn workbench_over(home: &Home, bytes_per_s: u64) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_aludel"));
        command.arg("tui");
        let far = [("SSH_CONNECTION", "192.0.2.1 1 192.0.2.2 22")];
        Self::run_over(Line { bytes_per_s }, home, command, &far, (120, 40))
    }

    /// The workbench, started by hand in a shell with job control whose prompt is `shell> `.
    pub(crate) fn workbench_in_a_shell(home: &Home) -> Self {
        let mut shell = CommandBuilder::new("/bin/sh");
        shell.arg("-i");
        let mut pty = Self::run(home, shell, &[("PS1", "shell> ")]);
        pty.wait_for("shell>");
        pty.send(&format!("set -m; {} tui\n", env!("CARGO_BIN_EXE_aludel")));
        pty.wait_for("Nothing here yet");
        pty
    }

    /// Any command in `home`.
    pub(crate) fn run(home: &Home, command: CommandBuilder, variables: &[(&str, &str)]) -> Self {
        Self::run_at(home, command, variables, (120, 40))
    }

    fn run_at(home: &Home, command: CommandBuilder, variables: &[(&str, &str)], size: (u16, u16)) -> Self {
        Self::run_over(Line::QUICK, home, command, variables, size)
    }

    fn run_over(
        line: Line,
        home: &Home,
        mut command: CommandBuilder,
        variables: &[(&str, &str)],
        (columns, rows): (u16, u16),
    ) -> Self {
        set_surroundings(&mut command, home);
        for (name, value) in variables {
            command.env(name, value);
        }
        let pair = native_pty_system().openpty(size(columns, rows)).expect("a pseudo-terminal");
        let child = pair.slave.spawn_command(command).expect("the program starts");
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let keys = pair.master.take_writer().expect("a writer");
        let (sender, output) = sync_channel(64);
        // Ends by itself when the terminal is gone.
        std::thread::spawn(move || {
            let (mut buffer, mut free_at) = ([0; 16 * 1024], Instant::now());
            let most = line.piece().min(buffer.len());
            while let Ok(length @ 1..) = reader.read(&mut buffer[..most]) {
                free_at = line.carry(length, free_at);
                if sender.send(buffer[..length].to_vec()).is_err() {
                    break;
                }
            }
        });
        let terminal = vt100::Parser::new(nonzero(rows), nonzero(columns), 0);
        Self { master: Some(pair.master), keys: Some(keys), child, output, terminal, written: Vec::new() }
    }

    /// Sends these bytes as if typed.
    pub(crate) fn send(&mut self, bytes: &str) {
        let keys = self.keys.as_mut().expect("a terminal");
        keys.write_all(bytes.as_bytes()).and_then(|()| keys.flush()).expect("the program reads");
    }

    /// Types a text and waits until it is on the screen.
    pub(crate) fn type_text(&mut self, text: &str) {
        self.send(text);
        self.wait_for(text);
    }

    /// Reads output for this long.
    pub(crate) fn watch(&mut self, time: Duration) {
        let end = Instant::now() + time;
        while let Ok(piece) = self.output.recv_timeout(end.saturating_duration_since(Instant::now())) {
            self.take(&piece);
        }
    }

    /// The text on the screen.
    pub(crate) fn screen(&self) -> String {
        self.terminal.screen().contents()
    }

    /// The state of the terminal.
    pub(crate) fn terminal(&self) -> &vt100::Screen {
        self.terminal.screen()
    }

    /// Waits until `text` is on the screen.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, text: &str) {
        self.wait_until(text, |screen| screen.contents().contains(text));
    }

    /// Waits until the screen is as `asked`.
    #[track_caller]
    pub(crate) fn wait_until(&mut self, what: &str, asked: impl Fn(&vt100::Screen) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !asked(self.terminal.screen()) {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.take(&bytes),
                Err(RecvTimeoutError::Timeout) => panic!("{what:?} never came:\n{}", self.screen()),
                Err(RecvTimeoutError::Disconnected) => panic!("{what:?}: the program ended:\n{}", self.screen()),
            }
        }
    }

    /// Changes the size.
    pub(crate) fn resize(&mut self, columns: u16, rows: u16) {
        // The size first, so that output drawn for it is read with it.
        self.terminal.screen_mut().set_size(nonzero(rows), nonzero(columns));
        let master = self.master.as_ref().expect("a terminal");
        master.resize(size(columns, rows)).expect("a new size");
    }

    /// The program's process.
    pub(crate) fn process(&self) -> String {
        self.child.process_id().expect("a process").to_string()
    }

    /// The process in the foreground of the terminal, where a shell controls it.
    pub(crate) fn foreground(&self) -> String {
        let master = self.master.as_ref().expect("a terminal");
        master.process_group_leader().expect("a process").to_string()
    }

    /// Waits for the end, reading everything written until then, and returns the exit code.
    #[track_caller]
    pub(crate) fn end(&mut self) -> u32 {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now()).min(Duration::from_millis(50));
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.take(&bytes),
                Err(_) => {
                    if let Some(status) = self.child.try_wait().expect("a child") {
                        while let Ok(bytes) = self.output.try_recv() {
                            self.take(&bytes);
                        }
                        return status.exit_code();
                    }
                }
            }
            assert!(Instant::now() < deadline, "it does not end:\n{}", self.screen());
        }
    }

    /// Takes the terminal away, like closing a window, and waits for the program's end.
    ///
    /// The reader only releases the terminal with the next bytes, so there must be some output.
    #[track_caller]
    pub(crate) fn take_away(&mut self) {
        (self.master, self.keys, self.output) = (None, None, sync_channel(1).1);
        let (_alive, silence) = sync_channel::<()>(1);
        let deadline = Instant::now() + PATIENCE;
        while self.child.try_wait().expect("a child").is_none() {
            assert!(Instant::now() < deadline, "it does not end without a terminal");
            _ = silence.recv_timeout(Duration::from_millis(20));
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.written.extend_from_slice(bytes);
        self.terminal.process(bytes);
    }
}

/// The program on a pseudo-terminal that is only read on demand, so it can vanish at any time.
pub(crate) struct Unread {
    master: Box<dyn MasterPty + Send>,
    reader: Box<dyn Read + Send>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
}

impl Unread {
    pub(crate) fn run(home: &Home, mut command: CommandBuilder) -> Self {
        set_surroundings(&mut command, home);
        let pair = native_pty_system().openpty(size(120, 40)).expect("a pseudo-terminal");
        let child = pair.slave.spawn_command(command).expect("the program starts");
        let reader = pair.master.try_clone_reader().expect("a reader");
        let keys = pair.master.take_writer().expect("a writer");
        Self { master: pair.master, reader, keys, child }
    }

    /// Reads until `text` was written in one piece.
    pub(crate) fn read_until(&mut self, text: &str) {
        let mut read = Vec::new();
        let mut buffer = [0; 16 * 1024];
        while !String::from_utf8_lossy(&read).contains(text) {
            let length = self.reader.read(&mut buffer).expect("the program writes");
            read.extend_from_slice(&buffer[..length]);
        }
    }

    /// Sends these bytes as if typed.
    pub(crate) fn send(&mut self, bytes: &str) {
        self.keys.write_all(bytes.as_bytes()).and_then(|()| self.keys.flush()).expect("the program reads");
    }

    /// Takes the terminal away after this long, and waits for the program's end.
    #[track_caller]
    pub(crate) fn take_away_after(self, time: Duration) {
        let Self { master, reader, keys, mut child } = self;
        let (_alive, silence) = sync_channel::<()>(1);
        _ = silence.recv_timeout(time);
        drop((master, reader, keys));
        let deadline = Instant::now() + PATIENCE;
        while child.try_wait().expect("a child").is_none() {
            if Instant::now() > deadline {
                _ = child.kill();
                panic!("it does not end without a terminal");
            }
            _ = silence.recv_timeout(Duration::from_millis(5));
        }
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        // A failed test leaves nothing running.
        _ = self.child.kill();
    }
}
