//! The program. What it does is in the library; where its parts are put together is [`aludel::run`].

use std::process::ExitCode;

fn main() -> ExitCode {
    aludel::run()
}
