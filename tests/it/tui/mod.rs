//! The workbench as a user meets it: the built program on a pseudo-terminal, its bytes read as a terminal reads them.

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
