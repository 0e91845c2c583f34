//! The program. Its parts are in the library and wired together in [`aludel::run`].

use std::process::ExitCode;

fn main() -> ExitCode {
    aludel::run()
}
