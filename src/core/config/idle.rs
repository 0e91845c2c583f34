//! Keys that are read and checked but have no effect in this version.
//!
//! Remove a row when its key gets an effect. `config init` lists the keys, `validate` warns of
//! those that are set, and a run warns of those that would change it.

use super::{Origin, Origins};

/// A key or section without effect in this version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdleKey {
    /// The dotted key or section.
    pub key: &'static str,
    /// True when a run would differ if it had an effect.
    pub concerns_runs: bool,
}

const fn idle(key: &'static str, concerns_runs: bool) -> IdleKey {
    IdleKey { key, concerns_runs }
}

/// All idle keys.
pub const IDLE: &[IdleKey] = &[idle("learning", true)];

/// The idle keys that are set, with their origins.
pub fn idle_keys_in_use(origins: &Origins) -> impl Iterator<Item = (IdleKey, Origin)> {
    IDLE.iter().map(|idle| (*idle, origins.of(idle.key))).filter(|(_, origin)| *origin != Origin::Default)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::TABLE;

    #[test]
    fn every_idle_key_is_a_key_or_a_section_of_the_table() {
        for idle in IDLE {
            let section = format!("{}.", idle.key);
            assert!(
                TABLE.iter().any(|key| key.pattern == idle.key || key.pattern.starts_with(&section)),
                "{}",
                idle.key
            );
        }
    }
}
