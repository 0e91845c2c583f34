//! Rules the compiler does not enforce: the core's layers, independent faces, file headers.
//!
//! An import can only point down, or sideways inside its own layer of the core; a face never
//! imports another. The map in `src/core/lib.rs` has the layers. Sizes are only printed.

use std::fs;
use std::path::{Path, PathBuf};

/// The layer of each module of the core; the longest prefix decides.
const CORE_LAYERS: &[(&str, u8)] = &[
    ("domain", 0),
    ("error", 0),
    ("event", 0),
    ("event/run", 1),
    ("api", 1),
    ("ids", 1),
    ("ledger", 1),
    ("offload", 1),
    ("operation", 1),
    ("provider", 1),
    ("store", 1),
    ("text", 1),
    ("time", 1),
    ("redact", 1),
    ("assets", 2),
    ("config", 2),
    ("drafts", 2),
    ("embed", 2),
    ("files", 2),
    ("provider/builtin", 2),
    ("provider/registry", 2),
    ("provider/sim", 2),
    ("provider/transport", 2),
    ("store/sqlite", 2),
    ("notices", 2),
    ("trace", 2),
    ("unsaved", 2),
    ("compare", 3),
    ("job", 3),
    ("judge", 3),
    ("pipeline", 3),
    ("probe", 3),
    ("prompting", 3),
    ("rank", 3),
    ("search", 3),
    ("statistics", 3),
    ("transfer", 3),
    ("engine", 4),
    ("lib", 9),
];

/// Imports of a type or a re-export that the table above would misread, with the reason.
const KNOWN: &[(&str, &str, &str)] = &[
    ("error", "config", "`Error` wraps every subsystem's own error, and `ConfigError` is one"),
    ("event", "event/run", "the vocabulary re-exports its channel"),
];

/// The modules in which a library that does input or output can be named.
const FENCED: &[(&str, &[&str])] = &[
    ("rusqlite", &["store/sqlite"]),
    ("reqwest", &["provider/transport"]),
    ("tracing_appender", &["trace"]),
    ("secrecy", &["config"]),
    ("ndarray", &["embed"]),
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of ours") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// A file's module path below `base`: `store/sqlite/writer.rs` is `store/sqlite/writer`, `store/mod.rs` is `store`.
fn module_of(base: &Path, file: &Path) -> String {
    let relative = file.strip_prefix(base).expect("below its base").with_extension("");
    let text = relative.to_str().expect("UTF-8").replace('\\', "/");
    text.strip_suffix("/mod").map_or(text.clone(), str::to_owned)
}

/// The code of a file, without comments and tests.
fn code_of(file: &Path) -> String {
    let text = fs::read_to_string(file).expect("a readable file");
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

fn is_test_file(module: &str) -> bool {
    module
        .split('/')
        .any(|part| part == "tests" || part.ends_with("_tests") || part == "conformance" || part == "samples")
}

fn layer_of(module: &str) -> u8 {
    CORE_LAYERS
        .iter()
        .filter(|(prefix, _)| module == *prefix || module.starts_with(&format!("{prefix}/")))
        .max_by_key(|(prefix, _)| prefix.len())
        .unwrap_or_else(|| panic!("`{module}` has no layer: add it to the table and to the map in src/core/lib.rs"))
        .1
}

/// The paths that follow `crate::` in a text, braces of `use` trees opened one level.
fn crate_paths(code: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if let Some(tree) = rest.strip_prefix('{') {
            let inside = tree.split('}').next().unwrap_or_default();
            paths.extend(inside.split(',').map(|part| path_prefix(part.trim())));
        } else {
            paths.push(path_prefix(rest));
        }
    }
    paths.retain(|path| !path.is_empty());
    paths
}

/// `provider::sim::Sim` is `provider/sim`: the lower-case segments at the beginning.
fn path_prefix(text: &str) -> String {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(text.len());
    let is_module = |part: &&str| part.chars().next().is_some_and(char::is_lowercase);
    text[..end].split("::").take_while(is_module).collect::<Vec<_>>().join("/")
}

#[test]
fn imports_of_the_core_point_down() {
    let base = root().join("src/core");
    let mut wrong = Vec::new();
    for file in rust_files(&base) {
        let module = module_of(&base, &file);
        if module == "lib" || is_test_file(&module) {
            continue;
        }
        for target in crate_paths(&code_of(&file)) {
            let top = target.split('/').next().unwrap_or_default();
            if !CORE_LAYERS.iter().any(|(prefix, _)| *prefix == top) {
                continue; // a function or macro of the crate's root
            }
            let known = KNOWN.iter().any(|(from, to, _)| module.starts_with(from) && target.starts_with(to));
            if layer_of(&target) > layer_of(&module) && !known {
                wrong.push(format!("{module} (L{}) imports {target} (L{})", layer_of(&module), layer_of(&target)));
            }
        }
    }
    assert!(wrong.is_empty(), "imports that point up:\n{}", wrong.join("\n"));
}

#[test]
fn libraries_that_touch_the_world_stay_behind_their_fences() {
    let base = root().join("src/core");
    let mut wrong = Vec::new();
    for file in rust_files(&base) {
        let module = module_of(&base, &file);
        let code = code_of(&file);
        for (library, places) in FENCED {
            let inside = places.iter().any(|place| module == *place || module.starts_with(&format!("{place}/")));
            if !inside && !is_test_file(&module) && code.contains(&format!("{library}::")) {
                wrong.push(format!("{module} names {library}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_face_imports_another() {
    let faces = ["cli", "server", "tui"];
    let mut wrong = Vec::new();
    for face in faces {
        let base = root().join("src").join(face);
        assert!(base.is_dir(), "the face `{face}` has gone");
        for file in rust_files(&base) {
            let code = code_of(&file);
            for other in faces.iter().filter(|other| **other != face) {
                if code.contains(&format!("crate::{other}::")) || code.contains(&format!("crate::{other};")) {
                    wrong.push(format!("{} imports {other}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The files that write to a standard stream, and what keeps text there from driving a terminal.
const OUTPUTS: &[(&str, &str)] = &[
    ("src/build.rs", "speaks to cargo"),
    ("src/core/build.rs", "speaks to cargo"),
    ("src/cli/printer.rs", "takes `Shown` alone"),
    ("src/core/trace/file.rs", "escapes"),
    ("src/core/trace/line.rs", "escapes all but its styles"),
    ("src/server/mcp/stdio.rs", "JSON for a program"),
    ("src/server/rest/serve.rs", "its own address"),
    ("src/tui/plain/mod.rs", "goes through `plain::lines::Out`"),
    ("src/tui/terminal/modes.rs", "sequences of its own"),
    ("src/tui/terminal/panicking.rs", "a test"),
    ("src/tui/terminal/screen.rs", "frames that passed `safe::guard`"),
    ("src/without_command_line.rs", "escapes"),
];

#[test]
fn no_output_is_opened_but_where_text_is_escaped() {
    let opens = |code: &str| {
        let calls = [
            "stdout().lock",
            "stderr().lock",
            "stdout(),",
            "stderr(),",
            "::stdout()",
            "::stderr()",
            "println!",
            "print!(",
        ];
        // Any file can ask whether a stream is a terminal.
        let code = ["stdin", "stdout", "stderr"].iter().fold(code.to_owned(), |code, name| {
            code.replace(&format!("std::io::{name}().is_terminal()"), "")
                .replace(&format!("io::{name}().is_terminal()"), "")
        });
        calls.iter().any(|call| code.contains(call))
    };
    let base = root();
    let open: Vec<String> = rust_files(&base.join("src"))
        .iter()
        .filter(|file| !is_test_file(&module_of(&base.join("src"), file)) && opens(&code_of(file)))
        .map(|file| file.strip_prefix(&base).expect("below the root").display().to_string())
        .filter(|file| !OUTPUTS.iter().any(|(known, _)| known == file))
        .collect();
    assert!(open.is_empty(), "write through the printer, or say in OUTPUTS what keeps the text harmless: {open:?}");
}

#[test]
fn every_file_opens_with_a_header() {
    let mut files = rust_files(&root().join("src"));
    files.extend(rust_files(&root().join("tests")));
    let bare: Vec<_> = files
        .iter()
        .filter(|file| !fs::read_to_string(file).expect("a readable file").starts_with("//!"))
        .map(|file| file.display().to_string())
        .collect();
    assert!(bare.is_empty(), "files without a `//!` header:\n{}", bare.join("\n"));
}

#[test]
fn sizes_are_reported() {
    let mut sizes: Vec<(usize, String)> = rust_files(&root().join("src"))
        .iter()
        .map(|file| (code_of(file).lines().count(), file.display().to_string()))
        .collect();
    sizes.sort();
    assert!(!sizes.is_empty());
    println!("median {} lines of code", sizes[sizes.len() / 2].0);
    for (lines, file) in sizes.iter().rev().take_while(|(lines, _)| *lines > 500) {
        println!("{lines} {file}");
    }
}
