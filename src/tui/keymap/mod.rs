//! From keys to actions.
//!
//! The map is made of [`ACTIONS`] alone. A key is looked up in the context that has the
//! focus and then in those whose keys work there too. Tests hold that every key of the list can be read, that no context gives a
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
        let mut bindings = HashMap::new();
        for context in Context::FOCUSES {
            for info in ACTIONS.iter().filter(|info| info.works_in(context)) {
                for chord in info.keys.iter().filter_map(|key| key.parse().ok()) {
                    bindings.insert((context, chord), info.action);
                }
            }
        }
        Self { bindings }
    }
}

/// The first key of `action`, as hints show it.
pub(crate) fn first_key(action: Action) -> String {
    let key = action.info().keys.first().and_then(|key| key.parse::<Chord>().ok());
    key.map_or_else(String::new, |chord| chord.to_string())
}

impl Keymap {
    /// The action that `chord` calls where `context` has the keys.
    pub(crate) fn action(&self, context: Context, chord: Chord) -> Option<Action> {
        self.bindings.get(&(context, chord)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_the_list_can_be_read_and_means_one_thing() {
        for context in Context::FOCUSES {
            let mut seen: HashMap<Chord, &str> = HashMap::new();
            for info in ACTIONS.iter().filter(|info| info.works_in(context)) {
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
            let letters_act = info.context.chain().contains(&Context::Navigate);
            let types = !letters_act && info.keys.iter().any(|key| key.chars().count() == 1);
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

    #[test]
    fn what_is_for_another_screen_has_no_key() {
        let keymap = Keymap::default();
        let chord = |key: &str| key.parse::<Chord>().unwrap();
        assert_eq!(keymap.action(Context::Search, chord("Ctrl+J")), None, "no run where no idea is seen");
        assert_eq!(keymap.action(Context::Search, chord("Enter")), Some(Action::Results));
        assert_eq!(keymap.action(Context::Search, chord("Ctrl+W")), Some(Action::DeleteWord));
        assert_eq!(keymap.action(Context::History, chord("Left")), Some(Action::ToList));
        assert_eq!(keymap.action(Context::Navigate, chord("D")), None);
        assert_eq!(keymap.action(Context::History, chord("1")), Some(Action::GoToWork));
    }
}
