//! The MCP face: over an in-process pipe with the library's own client, and as bytes where the client would hide them.

mod lifecycle;
mod tools;
