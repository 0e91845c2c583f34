//! The five network providers where they break: every fault of their servers, end to end.
//!
//! [`vendors`] has the vendors' protocols, [`fault`] the faults and how they must end, [`stage`]
//! the server that plays them, [`lab`] an engine over it, [`house`] the built program over it. The
//! tests: [`matrix`] (every fault at every provider), [`program`] and [`faces`] (some of them as
//! users meet them), [`cancel`], [`fallback`], [`limits`] (caps and the cache), [`keys`] (no key
//! ever leaks), [`noise`] (meaningless bytes).

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
#[cfg(feature = "server")]
mod tokens;
mod vendors;
