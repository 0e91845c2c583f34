//! Maps keys to actions, and actions to the keys that are shown.
//!
//! The map combines [`ACTIONS`], a preset and the user's keys (`custom`). A key is looked up in the
//! focused context, then in the contexts it chains to. Every text that names a key gets it here
//! ([`Keymap::keys`], [`Keymap::spell`]), so hints, help and palette are right under any map. Tests
//! check that every default key parses, that no context gives a key two meanings, and that
//! terminals neither swallow a default key nor confuse it with another.

mod chord;
mod custom;

use std::collections::HashMap;

pub(crate) use chord::Chord;
pub(crate) use custom::{Fault, read};

use super::action::{ACTIONS, Action, ActionInfo, Context};

/// The action of each key, by context, and the keys of each entry of the table.
#[derive(Debug, Clone)]
pub(crate) struct Keymap {
    bindings: HashMap<(Context, Chord), Action>,
    keys: HashMap<&'static str, Vec<Chord>>,
    /// True if the composer has modes.
    is_modal: bool,
}

/// The default keys.
impl Default for Keymap {
    fn default() -> Self {
        Self::of(custom::listed())
    }
}

impl Keymap {
    /// The map in which each entry, by name, has these keys.
    fn of(keys: HashMap<&'static str, Vec<Chord>>) -> Self {
        let mut bindings = HashMap::new();
        for context in Context::FOCUSES {
            for info in ACTIONS.iter().filter(|info| info.works_in(context)) {
                for chord in keys.get(info.id).into_iter().flatten() {
                    bindings.insert((context, *chord), info.action);
                }
            }
        }
        Self { bindings, keys, is_modal: false }
    }

    /// Turns on the composer's modes.
    fn modal(self) -> Self {
        Self { is_modal: true, ..self }
    }

    /// True if the composer has modes.
    pub(crate) const fn is_modal(&self) -> bool {
        self.is_modal
    }

    /// The action of `chord` while `context` has the focus.
    pub(crate) fn action(&self, context: Context, chord: Chord) -> Option<Action> {
        self.bindings.get(&(context, chord)).copied()
    }

    /// The keys of an entry of the table; the first is the one shown.
    pub(crate) fn keys(&self, info: &ActionInfo) -> &[Chord] {
        self.keys.get(info.id).map_or(&[], Vec::as_slice)
    }

    /// The key to show for `action` in `context`: the nearest that works there, else any.
    pub(crate) fn key(&self, context: Context, action: Action) -> Option<Chord> {
        let of_it = || ACTIONS.iter().filter(|info| info.action == action);
        let near = context
            .chain()
            .iter()
            .flat_map(|near| of_it().filter(move |info| info.context == *near && info.is_for(context.screen())));
        near.chain(of_it()).find_map(|info| self.keys(info).first().copied())
    }

    /// Replaces action names in braces with their keys: `{run} runs it` becomes `^J runs it`.
    pub(crate) fn spell(&self, context: Context, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let named = after.split_once('}').and_then(|(id, after)| {
                let info = ACTIONS.iter().find(|info| info.id == id)?;
                Some((info, after))
            });
            out.push_str(before);
            let Some((info, after)) = named else {
                out.push('{');
                rest = after;
                continue;
            };
            let key = self.key(context, info.action);
            out.push_str(&key.map_or_else(|| format!("`{}` of the palette", info.label), |chord| chord.to_string()));
            rest = after;
        }
        out + rest
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
                // Keys that need the newer keyboard protocol need an alternative.
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

    #[test]
    fn the_key_that_is_shown_is_the_nearest_that_works() {
        let keymap = Keymap::default();
        let shown = |context, action| keymap.key(context, action).unwrap().to_string();
        assert_eq!(shown(Context::Composer, Action::Help), "F1");
        assert_eq!(shown(Context::Navigate, Action::Help), "?");
        assert_eq!(shown(Context::History, Action::GoToWork), "1");
        assert_eq!(shown(Context::Search, Action::GoToWork), "Alt-1");
        assert_eq!(shown(Context::Composer, Action::Details), "e", "where it has no key, its own is shown");
    }

    #[test]
    fn texts_name_the_keys_of_the_map() {
        let spell = |text| Keymap::default().spell(Context::Navigate, text);
        assert_eq!(spell("{run} runs, {stop-or-quit} stops"), "^J runs, ^C stops");
        assert_eq!(spell("{no-such} and { and {{diff}}"), "{no-such} and { and {{diff}}");
    }

    #[test]
    fn what_has_no_key_is_called_by_its_name() {
        let mut keys = custom::listed();
        keys.insert("run", Vec::new());
        assert_eq!(Keymap::of(keys).spell(Context::Composer, "{run} runs"), "`run` of the palette runs");
    }
}
