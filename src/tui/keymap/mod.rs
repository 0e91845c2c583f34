//! From keys to actions.
//!
//! The map is made of [`ACTIONS`] alone. A key is looked up in the context that has the
//! focus and then among the global ones. Tests hold that every key of the list can be read, that no context gives a
//! key two meanings, and that none of them is one that terminals swallow or cannot tell apart.

mod chord;

use std::collections::HashMap;

pub(crate) use chord::Chord;

use super::action::{ACTIONS, Action, Context};

/// Which action each key calls, by context.
#[derive(Debug, Clone)]
pub(crate) struct Keymap {
    bindings: HashMap<(Context, Chord), Action>,
}

impl Default for Keymap {
    fn default() -> Self {
        let bindings = ACTIONS
            .iter()
            .flat_map(|info| info.keys.iter().map(move |key| (info, key)))
            .filter_map(|(info, key)| Some(((info.context, key.parse().ok()?), info.action)))
            .collect();
        Self { bindings }
    }
}

impl Keymap {
    /// The action that `chord` calls in `context`.
    pub(crate) fn action(&self, context: Context, chord: Chord) -> Option<Action> {
        let at = |context| self.bindings.get(&(context, chord)).copied();
        at(context).or_else(|| at(Context::Global))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_the_list_can_be_read_and_means_one_thing() {
        for context in [Context::Composer, Context::Navigate] {
            let mut seen: HashMap<Chord, &str> = HashMap::new();
            for info in ACTIONS.iter().filter(|info| info.context == context || info.context == Context::Global) {
                for key in info.keys {
                    let chord: Chord = key.parse().unwrap();
                    if let Some(other) = seen.insert(chord, info.id) {
                        panic!("{key} is both {other} and {} in {}", info.id, context.as_str());
                    }
                }
            }
        }
    }

    #[test]
    fn no_key_is_one_that_terminals_swallow_or_confuse() {
        for info in ACTIONS {
            for key in info.keys {
                assert!(!["Ctrl+S", "Ctrl+I", "Ctrl+M", "Ctrl+["].contains(key), "{key} of {}", info.id);
                // What needs the newer keyboard protocol needs a second key.
                assert!(*key != "Ctrl+Enter" || info.keys.len() > 1);
            }
            let types = info.context != Context::Navigate && info.keys.iter().any(|key| key.chars().count() == 1);
            assert!(!types, "{} would be typed", info.id);
        }
    }

    #[test]
    fn the_focus_decides_before_the_global_keys_do() {
        let keymap = Keymap::default();
        let chord = |key: &str| key.parse::<Chord>().unwrap();
        assert_eq!(keymap.action(Context::Composer, chord("Ctrl+D")), Some(Action::DeleteChar));
        assert_eq!(keymap.action(Context::Navigate, chord("Ctrl+D")), Some(Action::HalfDown));
        assert_eq!(keymap.action(Context::Navigate, chord("Ctrl+J")), Some(Action::Run));
        assert_eq!(keymap.action(Context::Navigate, chord("?")), Some(Action::Help));
        assert_eq!(keymap.action(Context::Composer, chord("?")), None);
    }
}
