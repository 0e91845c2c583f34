//! The program. Its parts are in the library and wired together in [`aludel::run`].

use std::process::ExitCode;

/// Gives memory back while a long batch runs, which the allocator of the system hardly does, and is
/// faster where many small values are made on several threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    aludel::run()
}
