//! A configured key map: a preset, and the user's keys for single actions.
//!
//! All faults are reported at once, each with its dotted configuration key: a name that is not an
//! action, a text that is not a key, a key that terminals cannot tell from another, a letter where
//! letters are typed, and a key with two meanings in one place.

use std::collections::{BTreeMap, HashMap};

use aludel_core::config::KEYMAPS;

use super::{Chord, Keymap};
use crate::tui::action::{ACTIONS, ActionInfo, Context};

/// A fault in a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The dotted key of the configuration.
    pub(crate) key: String,
    /// What is wrong, and how to fix it.
    pub(crate) message: String,
}

/// The keys that the `emacs` preset changes, by action name.
const EMACS: &[(&str, &[&str])] = &[
    ("palette", &["Alt+X"]),
    ("line-up", &["Up", "Ctrl+P"]),
    ("line-down", &["Down", "Ctrl+N"]),
    ("text-up", &["PageUp", "Alt+V"]),
    ("text-down", &["PageDown", "Ctrl+V"]),
    ("up", &["k", "Up", "Ctrl+P"]),
    ("down", &["j", "Down", "Ctrl+N"]),
    ("page-up", &["PageUp", "Alt+V"]),
    ("page-down", &["PageDown", "Space", "Ctrl+V"]),
    ("top", &["g", "Home", "Alt+<"]),
    ("bottom", &["G", "End", "Alt+>"]),
    ("search-up", &["Up", "Ctrl+P"]),
    ("search-down", &["Down", "Ctrl+N"]),
    ("find-up", &["Up", "Ctrl+P"]),
    ("find-down", &["Down", "Ctrl+N"]),
    ("search-page-up", &["PageUp", "Alt+V"]),
    ("search-page-down", &["PageDown", "Ctrl+V"]),
];

/// The keys that the `vi` preset changes, by action name. Alt with a letter is left free, because
/// it also means `Esc` and the letter; vi commands replace those keys.
const VI: &[(&str, &[&str])] = &[
    ("word-left", &["Ctrl+Left", "Alt+Left"]),
    ("word-right", &["Ctrl+Right", "Alt+Right"]),
    ("del-word", &["Ctrl+W", "Alt+Backspace"]),
    ("del-word-after", &["Ctrl+Delete"]),
    ("select-all", &[]),
    ("undo", &["Ctrl+_"]),
    ("redo", &[]),
];

/// Keys that terminals send as other keys.
const ALIKE: [(&str, &str); 3] = [("Ctrl+I", "Tab"), ("Ctrl+M", "Enter"), ("Ctrl+[", "Esc")];

/// The default keys.
pub(super) fn listed() -> HashMap<&'static str, Vec<Chord>> {
    ACTIONS.iter().map(|info| (info.id, chords(info.keys))).collect()
}

fn chords(keys: &[&str]) -> Vec<Chord> {
    keys.iter().filter_map(|key| key.parse().ok()).collect()
}

/// The key map of this preset, overridden by the user's keys, by action name.
///
/// # Errors
/// All faults found.
pub(crate) fn read(preset: &str, own: &BTreeMap<String, Vec<String>>) -> Result<Keymap, Vec<Fault>> {
    let mut faults = Vec::new();
    let mut keys = listed();
    match preset {
        "emacs" => keys.extend(EMACS.iter().map(|(id, keys)| (*id, chords(keys)))),
        "vi" => keys.extend(VI.iter().map(|(id, keys)| (*id, chords(keys)))),
        known if KEYMAPS.contains(&known) => {}
        other => {
            let message = format!("`{other}` is not a key map; choose one of {}", KEYMAPS.join(", "));
            faults.push(Fault { key: "tui.keymap".to_owned(), message });
        }
    }
    for (id, texts) in own {
        let Some(info) = ACTIONS.iter().find(|info| info.id == id) else {
            faults.push(fault(id, unknown(id)));
            continue;
        };
        let mut chords = Vec::new();
        for text in texts {
            match chord(info, text) {
                Ok(chord) => chords.push(chord),
                Err(message) => faults.push(fault(id, message)),
            }
        }
        keys.insert(info.id, chords);
    }
    faults.extend(clashes(&keys, own));
    if !faults.is_empty() {
        return Err(faults);
    }
    let keymap = Keymap::of(keys);
    Ok(if preset == "vi" { keymap.modal() } else { keymap })
}

fn fault(id: &str, message: String) -> Fault {
    Fault { key: format!("tui.keys.{id}"), message }
}

/// Parses a key for an entry of the table.
fn chord(info: &ActionInfo, text: &str) -> Result<Chord, String> {
    let chord: Chord = text.parse().map_err(|_| {
        format!("`{text}` is not a key; write it as Ctrl+R, Alt+Left, Shift+Tab, F5, PageDown, Space, x or ?")
    })?;
    if let Some((_, other)) = ALIKE.iter().find(|(alike, _)| alike.parse::<Chord>() == Ok(chord)) {
        return Err(format!("`{text}` is sent as {other} by terminals; choose another key"));
    }
    let types_there = Context::FOCUSES.into_iter().any(|context| context.types() && info.works_in(context));
    if types_there && chord.typed().is_some() {
        let id = info.id;
        return Err(format!(
            "`{text}` is typed as text where `{id}` works; combine it with Ctrl or Alt, or a key such as F5"
        ));
    }
    Ok(chord)
}

/// The message for an unknown action name; suggests the most similar one, if any.
fn unknown(id: &str) -> String {
    let alike = |known: &str| {
        let front = known.bytes().zip(id.bytes()).take_while(|(a, b)| a == b).count();
        let back = known.bytes().rev().zip(id.bytes().rev()).take_while(|(a, b)| a == b).count();
        (front + back).min(known.len().min(id.len()))
    };
    let nearest = ACTIONS.iter().map(|info| (alike(info.id), info.id)).max_by_key(|(alike, _)| *alike);
    match nearest.filter(|(alike, _)| *alike >= 3) {
        Some((_, nearest)) => format!("is not an action of the workbench; did you mean `{nearest}`?"),
        None => "is not an action of the workbench; the palette (Ctrl+P) shows the name of each".to_owned(),
    }
}

/// Every configured key that already has another meaning in the same place.
fn clashes(keys: &HashMap<&'static str, Vec<Chord>>, own: &BTreeMap<String, Vec<String>>) -> Vec<Fault> {
    let mut faults: Vec<Fault> = Vec::new();
    for context in Context::FOCUSES {
        let mut seen: HashMap<Chord, &ActionInfo> = HashMap::new();
        for info in ACTIONS.iter().filter(|info| info.works_in(context)) {
            for chord in keys.get(info.id).into_iter().flatten() {
                let Some(other) = seen.insert(*chord, info).filter(|other| other.action != info.action) else {
                    continue;
                };
                // The fault is reported on the key that the user configured.
                let (mine, theirs) = if own.contains_key(info.id) { (info, other) } else { (other, info) };
                let message = format!(
                    "{chord} is already the key of `{}` ({}); give that another with `tui.keys.{}`",
                    theirs.id, theirs.label, theirs.id
                );
                let fault = fault(mine.id, message);
                if !faults.contains(&fault) {
                    faults.push(fault);
                }
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::action::Action;

    fn own(pairs: &[(&str, &[&str])]) -> BTreeMap<String, Vec<String>> {
        pairs.iter().map(|(id, keys)| ((*id).to_owned(), keys.iter().map(|key| (*key).to_owned()).collect())).collect()
    }

    fn faults(pairs: &[(&str, &[&str])]) -> Vec<String> {
        let faults = read("standard", &own(pairs)).unwrap_err();
        faults.into_iter().map(|fault| format!("{}: {}", fault.key, fault.message)).collect()
    }

    #[test]
    fn every_preset_is_whole_and_without_a_clash() {
        for preset in KEYMAPS {
            assert_eq!(read(preset, &BTreeMap::new()).err(), None, "{preset}");
        }
        for (id, keys) in EMACS.iter().chain(VI) {
            assert!(ACTIONS.iter().any(|info| info.id == *id), "{id}");
            assert_eq!(chords(keys).len(), keys.len(), "{id}");
        }
        assert_eq!(read("vim", &BTreeMap::new()).unwrap_err()[0].key, "tui.keymap");
        let modal = KEYMAPS.iter().filter(|preset| read(preset, &BTreeMap::new()).unwrap().is_modal());
        assert_eq!(modal.collect::<Vec<_>>(), [&"vi"]);
    }

    #[test]
    fn keys_of_ones_own_replace_those_of_the_list() {
        let keymap = read("standard", &own(&[("run", &["Ctrl+T", "F5"])])).unwrap();
        let action = |key: &str| keymap.action(Context::Composer, key.parse().unwrap());
        assert_eq!([action("F5"), action("Ctrl+T"), action("Ctrl+J")], [Some(Action::Run), Some(Action::Run), None]);
        assert_eq!(keymap.key(Context::Composer, Action::Run).unwrap().to_string(), "^T");
        assert_eq!(keymap.spell(Context::Composer, "{run}"), "^T");
    }

    #[test]
    fn every_fault_is_named_with_its_field() {
        let told = faults(&[("rnu", &["F5"]), ("run", &["Hyper+R"]), ("zoom", &["Ctrl+I"]), ("quit", &["q"])]);
        assert_eq!(told.len(), 4, "{told:#?}");
        assert!(told[0].starts_with("tui.keys.quit: `q` is typed as text where"), "{told:#?}");
        assert!(told[1].starts_with("tui.keys.rnu: is not an action"), "{told:#?}");
        assert!(told[2].starts_with("tui.keys.run: `Hyper+R` is not a key"), "{told:#?}");
        assert!(told[3].starts_with("tui.keys.zoom: `Ctrl+I` is sent as Tab"), "{told:#?}");
    }

    #[test]
    fn a_clash_is_told_once_and_names_both() {
        let told = faults(&[("run", &["F2"])]);
        assert_eq!(told.len(), 1, "{told:#?}");
        assert!(told[0].starts_with("tui.keys.run: F2 is already the key of `run-settings`"), "{told:#?}");
        assert!(faults(&[("zoom", &["y"])])[0].contains("`copy`"));
    }

    #[test]
    fn a_slip_of_the_hand_finds_its_name() {
        assert!(unknown("stop-or-qiut").contains("`stop-or-quit`"));
        assert!(!unknown("xyzzy").contains("did you mean"));
    }
}
