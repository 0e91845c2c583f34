//! The five network providers end to end, where they break: every fault a server of theirs can show, and what is said,
//! kept and hidden then.
//!
//! [`vendors`] is how each vendor speaks, [`fault`] what can go wrong and how it must end, [`stage`] the server that plays
//! it, [`lab`] an engine over it, [`house`] the built program over it. The tests: [`matrix`] (every fault at every
//! provider), [`program`] and [`faces`] (some of them as a user meets them), [`cancel`], [`fallback`], [`limits`] (caps and
//! the cache), [`keys`] (no key is ever shown), [`noise`] (bytes that mean nothing).

mod canary;
#[cfg(unix)]
mod cancel;
#[cfg(feature = "server")]
mod faces;
#[cfg(feature = "server")]
mod fallback;
mod fault;
mod house;
#[cfg(all(unix, feature = "server"))]
mod keys;
mod lab;
mod limits;
mod matrix;
mod noise;
mod program;
#[cfg(feature = "server")]
mod rest_server;
mod stage;
mod vendors;
