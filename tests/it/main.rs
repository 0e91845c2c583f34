//! The integration tests of all faces, one program so that everything is linked once.
//!
//! The built program runs in a home of its own with a cleared environment ([`support::Home`]);
//! faces that need no process run over an engine with repeatable clock and ids ([`seeded`]). None
//! touches the network or the developer's own folder.
#![expect(clippy::expect_used, clippy::panic, reason = "a test that cannot go on says why and stops")]

#[cfg(all(target_os = "linux", feature = "cli", feature = "server"))]
mod adversarial;
mod architecture;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod durability;
mod faulty_store;
#[cfg(feature = "cli")]
mod hostile;
#[cfg(feature = "cli")]
mod interop;
#[cfg(feature = "server")]
mod jwt;
#[cfg(feature = "server")]
mod mcp;
#[cfg(all(feature = "cli", feature = "server", feature = "tui"))]
mod parity;
#[cfg(feature = "cli")]
mod providers;
#[cfg(feature = "server")]
mod rest;
#[cfg(feature = "server")]
mod seeded;
#[cfg(all(unix, feature = "cli"))]
mod storage_faults;
#[cfg(feature = "cli")]
mod support;
#[cfg(all(unix, feature = "tui", feature = "cli"))]
mod tui;
mod vocabulary;
