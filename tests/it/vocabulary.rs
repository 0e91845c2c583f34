//! Retired names: none of them names a type or a module again.

use std::fs;
use std::path::{Path, PathBuf};

/// The old name and its replacement.
const RETIRED: &[(&str, &str)] = &[
    ("Beside", "SideBySide"),
    ("Desk", "DraftState"),
    ("DeskNews", "DraftReply"),
    ("Door", "Launcher"),
    ("Flights", "InFlight"),
    ("Hold", "BudgetGuard"),
    ("Manners", "CallPolicy"),
    ("Matter", "SelectionInput"),
    ("Newcomer", "DetectedProvider"),
    ("Newcomers", "DetectedProviders"),
    ("News", "HistoryReply"),
    ("Shelf", "CacheNamespace"),
    ("ShelfLimits", "NamespaceLimits"),
    ("Sparing", "RepaintOptimiser"),
    ("SpendBook", "CallLog"),
    ("Till", "RunBudget"),
    ("Trouble", "ReadError or CodesError"),
    ("Upkeep", "IndexMaintenance"),
    ("Vessel", "PhasePane"),
    ("Wish", "HistoryCommand"),
    ("book", "call_log"),
    ("desk", "drafts"),
    ("newcomers", "detected_providers"),
    ("sparing", "repaint"),
    ("telling", "messages"),
    ("till", "run_budget"),
    ("told", "notices"),
    ("unattended", "without_command_line"),
    ("upkeep", "maintenance"),
    ("vessels", "phase_panes"),
];

/// The keyword before the name of a type or a module.
const KEYWORDS: [&str; 5] = ["struct", "enum", "trait", "type", "mod"];

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of ours") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The names of types and modules defined in a line of code.
fn names_given(line: &str) -> Vec<&str> {
    let mut words = line.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    let mut names = Vec::new();
    while let Some(word) = words.next() {
        if KEYWORDS.contains(&word) {
            names.extend(words.next());
        }
    }
    names
}

/// Test modules are named after what they test, and so are snapshots.
fn is_of_tests(file: &Path) -> bool {
    file.components().any(|part| part.as_os_str().to_string_lossy().trim_end_matches(".rs").ends_with("tests"))
}

#[test]
fn retired_names_have_not_come_back() {
    let mut files = Vec::new();
    rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    let mut found = Vec::new();
    for file in files.iter().filter(|file| !is_of_tests(file)) {
        let text = fs::read_to_string(file).expect("a readable file");
        let code = text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
        for (number, line) in code {
            for name in names_given(line) {
                if let Some((_, now)) = RETIRED.iter().find(|(retired, _)| *retired == name) {
                    found.push(format!("{}:{}: `{name}` is called `{now}`", file.display(), number + 1));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn names_of_types_and_modules_are_seen() {
    assert_eq!(names_given("pub(crate) struct Till {"), ["Till"]);
    assert_eq!(names_given("mod told;"), ["told"]);
    assert_eq!(names_given("type Door = fn(Engine) -> Result<()>;"), ["Door"]);
    assert!(names_given("let till = engine.told();").is_empty());
}
