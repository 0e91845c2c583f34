//! What the tests share: a clean home for each, the built program, and scripts for the scripted provider.

mod home;
mod said;

pub(crate) use home::Home;
pub(crate) use said::Said;
