//! aludel: a rough idea becomes a tested prompt. The faces, each behind a feature of its own name.

#[cfg(feature = "server")]
pub mod server;
