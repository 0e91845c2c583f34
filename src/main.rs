//! The program. Its parts are in the library and wired together in [`aludel::run`].

use std::process::ExitCode;

/// Faster than the allocator of the system where many small values are made on several threads, as
/// a server does.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    aludel::run()
}
