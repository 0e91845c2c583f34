//! The workbench as users meet it: the built program on a pseudo-terminal, read like a terminal.

mod desk;
mod history;
mod label;
mod links;
mod manners;
mod mouse;
mod plain;
mod pty;
mod storms;
mod work;

pub(crate) use pty::Pty;
