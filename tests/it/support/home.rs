//! A clean home: a folder of its own, the built program, and an otherwise empty environment.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::CommandOutput;

/// A home folder that lives as long as the test. The program's files are in `.aludel` below it.
pub(crate) struct Home {
    folder: TempDir,
}

impl Home {
    /// An empty home.
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    /// The home folder itself; commands run in it.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The program's own folder. The program makes it, unless a test writes into it.
    pub(crate) fn data(&self) -> PathBuf {
        self.path().join(".aludel")
    }

    /// The path of the database.
    pub(crate) fn database(&self) -> PathBuf {
        self.data().join("aludel.db")
    }

    /// Writes a file below the home folder, with its folders, and returns its path.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).expect("folders");
        }
        std::fs::write(&path, content).expect("a file");
        path
    }

    /// Writes the configuration file.
    pub(crate) fn config(&self, yaml: &str) -> PathBuf {
        self.write(".aludel/config.yaml", yaml)
    }

    /// Makes a scripted provider of this name the only one, so that every phase uses it.
    pub(crate) fn sim(&self, name: &str, script: &str) {
        let path = self.write(&format!("{name}.yaml"), script);
        self.config(&format!("providers:\n  {name}:\n    kind: sim\n    script: {}\n", path.display()));
    }

    /// As [`Home::sim`] with the script `tests/fixtures/sim/NAME.yaml`.
    pub(crate) fn sim_fixture(&self, name: &str) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/sim/{name}.yaml"));
        self.sim(name, &std::fs::read_to_string(path).expect("the fixture"));
    }

    /// The built program in this home, with `HOME` as its environment and no Ollama to find, so
    /// that the developer's own is left alone.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aludel"));
        command.env_clear().env("HOME", self.path()).env("OLLAMA_HOST", "127.0.0.1:1").current_dir(self.path());
        command
    }

    /// As [`Home::command`], with at most 256 MiB of data: the heap and the stacks of all threads
    /// (`RLIMIT_DATA`), stricter than 256 MB of resident memory. Ended after ten minutes.
    #[cfg(all(target_os = "linux", feature = "server"))]
    pub(crate) fn bounded(&self) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "ulimit -d 262144 && exec timeout 600 \"$@\"", "sh", env!("CARGO_BIN_EXE_aludel")]);
        command.env_clear().env("HOME", self.path()).env("OLLAMA_HOST", "127.0.0.1:1").current_dir(self.path());
        command
    }

    /// Runs [`Home::bounded`] to its end, with these bytes on standard input.
    #[cfg(all(target_os = "linux", feature = "server"))]
    pub(crate) fn run_bounded(&self, arguments: &[&str], stdin: &[u8]) -> CommandOutput {
        let mut command = self.bounded();
        command.args(arguments);
        run(command, stdin)
    }

    /// Runs the program to its end, with the null device as standard input.
    pub(crate) fn run(&self, arguments: &[&str]) -> CommandOutput {
        let mut command = self.command();
        command.args(arguments).stdin(Stdio::null());
        CommandOutput::from(command.output().expect("the program runs to its end"))
    }

    /// Runs the program to its end, with these bytes on standard input.
    pub(crate) fn run_with_stdin(&self, arguments: &[&str], stdin: &[u8]) -> CommandOutput {
        let mut command = self.command();
        command.args(arguments);
        run(command, stdin)
    }

    /// Runs the program to its end with variables added to its environment.
    pub(crate) fn run_with_env(&self, arguments: &[&str], variables: &[(&str, &str)]) -> CommandOutput {
        let mut command = self.command();
        command.args(arguments).envs(variables.iter().copied()).stdin(Stdio::null());
        CommandOutput::from(command.output().expect("the program runs to its end"))
    }
}

fn run(mut command: Command, stdin: &[u8]) -> CommandOutput {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    let stdin = stdin.to_vec();
    // A program that reads nothing closes the pipe, which is no failure; one that reads and writes
    // at once would block if nobody read.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&stdin)));
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("the writer ends");
    CommandOutput::from(output)
}
