//! What any HTTP server here needs, and nothing of what it serves: the socket and its connections,
//! orderly shutdown, the checks against other sites' pages, limits, and headers.
//!
//! A server says in a [`Service`] how it answers; [`Server`] puts it behind a socket that `bind`
//! allows. Requests carry their [`connections::Connection`] in their extensions. What a refusal
//! looks like is the server's own.

pub(super) mod arrival;
mod bind;
pub(super) mod connections;
pub(super) mod cors;
mod descriptors;
pub(super) mod guard;
pub(super) mod headers;
mod host;
pub(super) mod load;
pub(super) mod rate_limit;
pub(super) mod request_id;
mod serve;
mod stall;
pub(super) mod trace;
pub(super) mod upload;

pub use serve::{Options, Server, StopHandle};
pub(super) use serve::{Service, serve};
