//! Rules the compiler does not enforce: the core's layers, independent faces, file headers.
//!
//! An import can only point down, or sideways inside its own layer of the core, and no imports lead
//! from a module back to it, in the core or in a face; a face never imports another. The map in
//! `src/core/lib.rs` has the layers. Sizes are only printed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The layer of each module of the core; the longest prefix decides.
const CORE_LAYERS: &[(&str, u8)] = &[
    ("domain", 0),
    ("error", 0),
    ("event", 0),
    ("visited", 0),
    ("event/run", 1),
    ("api", 1),
    ("ids", 1),
    ("ledger", 1),
    ("metrics", 1),
    ("offload", 1),
    ("operation", 1),
    ("provider", 1),
    ("store", 1),
    ("text", 1),
    ("time", 1),
    ("redact", 1),
    ("assets", 2),
    ("auth", 2),
    ("config", 2),
    ("drafts", 2),
    ("embed", 2),
    ("files", 2),
    ("mcp_hosts", 2),
    ("provider/builtin", 2),
    ("provider/registry", 2),
    ("provider/settings", 2),
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

/// The modules in which a library that does input or output can be named.
const FENCED: &[(&str, &[&str])] = &[
    ("rusqlite", &["store/sqlite"]),
    ("reqwest", &["provider/transport"]),
    ("tracing_appender", &["trace"]),
    ("secrecy", &["config"]),
    ("jsonc_parser", &["mcp_hosts"]),
    ("jsonwebtoken", &["auth"]),
    ("prometheus_client", &["metrics", "engine/metrics"]),
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

/// The same without what is compiled for tests alone: what stands below `#[cfg(test)]` and the like, up to the end of
/// that item, which is known by its indentation.
fn code_without_tests(file: &Path) -> String {
    let code = code_of(file);
    let mut kept = Vec::new();
    let mut indentation_of_test = None;
    for line in code.lines() {
        let indentation = line.len() - line.trim_start().len();
        if let Some(of_test) = indentation_of_test {
            if indentation == of_test && line.ends_with([';', '}', ',']) {
                indentation_of_test = None;
            }
        } else if TEST_ONLY.iter().any(|attribute| line.trim_start().starts_with(attribute)) {
            indentation_of_test = Some(indentation);
        } else {
            kept.push(line);
        }
    }
    kept.join("\n")
}

/// How an item begins that is compiled for tests alone.
const TEST_ONLY: &[&str] = &["#[cfg(test)]", "#[cfg(any(test", "#[cfg(all(test"];

/// The modules below `base` that are compiled for tests alone, by their paths.
fn test_modules(base: &Path) -> BTreeSet<String> {
    let mut modules = BTreeSet::new();
    for file in rust_files(base) {
        let code = code_of(&file);
        let lines: Vec<&str> = code.lines().collect();
        for pair in lines.windows(2) {
            let declared = pair[1].strip_suffix(';').and_then(|line| line.rsplit_once("mod "));
            if let Some((_, name)) = declared
                && TEST_ONLY.iter().any(|attribute| pair[0].starts_with(attribute))
            {
                let parent = module_of(base, &file);
                let is_root = parent == "lib" || parent == "mod";
                modules.insert(if is_root { name.to_owned() } else { format!("{parent}/{name}") });
            }
        }
    }
    modules
}

/// Every path in the code of the module `own` that leads to a module of this crate, as segments from the crate's root:
/// those that begin with `crate`, `super` or `self`, and those that begin with one of `children`, the modules that `own`
/// declares. The trees of `use` are opened to their ends.
fn paths_in(code: &str, own: &[String], children: &BTreeSet<String>) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let mut rest = code;
    while let Some(start) = rest.find(is_part) {
        rest = &rest[start..];
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let first = rest[..end].split("::").next().unwrap_or_default();
        if rest[..end].contains("::") && (["crate", "super", "self"].contains(&first) || children.contains(first)) {
            for spelled in spelled(rest) {
                paths.extend(from_the_root(&spelled, own));
            }
        }
        rest = &rest[end..];
    }
    paths
}

/// The paths that a text begins with: `a::{b, c::D}` spells `a::b` and `a::c::D`.
fn spelled(text: &str) -> Vec<String> {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(text.len());
    let (path, rest) = text.split_at(end);
    if !path.ends_with("::") || !rest.starts_with('{') {
        return vec![path.to_owned()];
    }
    branches(rest).iter().flat_map(|branch| spelled(branch)).map(|below| format!("{path}{below}")).collect()
}

/// What stands between the brace that a text begins with and the one that closes it, cut at the commas between.
fn branches(text: &str) -> Vec<String> {
    let mut branches = vec![String::new()];
    let mut depth = 0;
    for c in text.chars() {
        depth -= usize::from(c == '}');
        if depth == 0 && c == '}' {
            break;
        }
        if c == ',' && depth == 1 {
            branches.push(String::new());
        } else if depth > 0 {
            branches.last_mut().expect("never empty").push(c);
        }
        depth += usize::from(c == '{');
    }
    branches.iter().map(|branch| branch.trim().to_owned()).collect()
}

/// A path in the module `own` as segments from the crate's root; `None` where it climbs higher than that.
fn from_the_root(path: &str, own: &[String]) -> Option<Vec<String>> {
    let mut segments: Vec<String> = own.to_vec();
    for (position, segment) in path.split("::").map(|segment| segment.trim_end_matches(':')).enumerate() {
        match segment {
            "crate" if position == 0 => segments.clear(),
            "super" => drop(segments.pop()?),
            "self" | "" => {}
            name => segments.push(name.to_owned()),
        }
    }
    Some(segments)
}

/// The imports among some modules of a crate: from which, to which, and the paths that do it.
type Imports = BTreeMap<(String, String), BTreeSet<String>>;

/// The imports among `modules`, which are paths below `base`, of their code without tests; `prefix` is where `base`
/// stands in its crate. A file belongs to the module with the longest path that it stands below.
fn imports_among(modules: &BTreeSet<String>, base: &Path, prefix: &[&str]) -> Imports {
    let for_tests = test_modules(base);
    let mut imports = Imports::new();
    for file in rust_files(base) {
        let name = module_of(base, &file);
        let own: Vec<String> = name.split('/').map(str::to_owned).collect();
        let is_below = |module: &String| name == *module || name.starts_with(&format!("{module}/"));
        let Some(from) = module_at(modules, &own) else { continue };
        if is_test_file(&name) || for_tests.iter().any(is_below) {
            continue;
        }
        let folder =
            if file.ends_with("mod.rs") { file.parent().map(Path::to_owned) } else { Some(file.with_extension("")) };
        let children = folder.filter(|folder| folder.is_dir()).map(|folder| children_of(&folder)).unwrap_or_default();
        let in_the_crate: Vec<String> = prefix.iter().map(|part| (*part).to_owned()).chain(own).collect();
        for path in paths_in(&code_without_tests(&file), &in_the_crate, &children) {
            let is_here = path.len() > prefix.len() && path.iter().zip(prefix).all(|(segment, part)| segment == part);
            let to = if is_here { module_at(modules, &path[prefix.len()..]) } else { None };
            if let Some(to) = to.filter(|to| *to != from) {
                imports.entry((from.clone(), to)).or_default().insert(format!("{name}: {}", path.join("::")));
            }
        }
    }
    imports
}

/// The module with the longest path that these segments begin with.
fn module_at(modules: &BTreeSet<String>, segments: &[String]) -> Option<String> {
    (1..=segments.len()).rev().map(|length| segments[..length].join("/")).find(|path| modules.contains(path))
}

/// The modules that stand as files or folders in a folder.
fn children_of(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("a folder of ours").map(|entry| entry.expect("an entry").path());
    let modules = entries.filter(|path| path.is_dir() || path.extension().is_some_and(|extension| extension == "rs"));
    let names = modules.filter_map(|path| path.file_stem().and_then(|name| name.to_str()).map(str::to_owned));
    names.filter(|name| !["mod", "lib", "main", "build"].contains(&name.as_str())).collect()
}

/// The modules that can be come to from each other, each set of them once.
fn circles(imports: &Imports) -> BTreeSet<BTreeSet<String>> {
    let reached_from = |start: &String| {
        let mut reached = BTreeSet::new();
        let mut waiting = vec![start];
        while let Some(module) = waiting.pop() {
            for (_, to) in imports.keys().filter(|(from, _)| from == module) {
                if reached.insert(to.clone()) {
                    waiting.push(to);
                }
            }
        }
        reached
    };
    let modules: BTreeSet<&String> = imports.keys().map(|(from, _)| from).collect();
    let reached: BTreeMap<&String, BTreeSet<String>> =
        modules.into_iter().map(|module| (module, reached_from(module))).collect();
    reached
        .iter()
        .filter(|(module, others)| others.contains(**module))
        .map(|(module, others)| {
            others
                .iter()
                .filter(|other| reached.get(other).is_some_and(|back| back.contains(*module)))
                .cloned()
                .collect()
        })
        .collect()
}

/// Circles for people: the modules of each, and what imports what.
fn told(circles: &BTreeSet<BTreeSet<String>>, imports: &Imports) -> String {
    let mut lines = Vec::new();
    for circle in circles {
        lines.push(format!("a circle of {circle:?}"));
        for ((from, to), paths) in imports {
            if circle.contains(from) && circle.contains(to) {
                lines.push(format!("  {from} imports {to}"));
                lines.extend(paths.iter().map(|path| format!("    {path}")));
            }
        }
    }
    lines.join("\n")
}

#[test]
fn paths_are_seen_in_trees_in_code_and_through_parents() {
    let code = "use crate::{a::{b, c::{D, e}}, f};\nuse super::super::g::H;\npub use child::I;\nfn x(y: &crate::j::K<crate::l::M>) -> super::n::O { std::mem::take(child::p()) }";
    let own = ["q".to_owned(), "r".to_owned(), "s".to_owned()];
    let children = BTreeSet::from(["child".to_owned()]);
    let paths: Vec<String> = paths_in(code, &own, &children).iter().map(|path| path.join("::")).collect();
    assert_eq!(
        paths,
        [
            "a::b",
            "a::c::D",
            "a::c::e",
            "f",
            "q::g::H",
            "q::r::s::child::I",
            "j::K",
            "l::M",
            "q::r::n::O",
            "q::r::s::child::p",
        ]
    );
}

#[test]
fn circles_are_found() {
    let of = |pairs: &[(&str, &str)]| -> Imports {
        pairs.iter().map(|(from, to)| ((String::from(*from), String::from(*to)), BTreeSet::new())).collect()
    };
    assert!(circles(&of(&[("a", "b"), ("b", "c"), ("a", "c")])).is_empty());
    let found = circles(&of(&[("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e"), ("e", "d")]));
    let texts = |names: &[&str]| names.iter().map(|name| String::from(*name)).collect::<BTreeSet<_>>();
    assert_eq!(found, BTreeSet::from([texts(&["a", "b", "c"]), texts(&["d", "e"])]));
}

/// The modules of the core among which no circle may be: the rows of the table above.
fn modules_of_the_core() -> BTreeSet<String> {
    CORE_LAYERS.iter().map(|(module, _)| String::from(*module)).filter(|module| module != "lib").collect()
}

#[test]
fn no_module_of_the_core_is_in_a_circle() {
    let imports = imports_among(&modules_of_the_core(), &root().join("src/core"), &[]);
    assert!(imports.len() > 100, "the walker sees {} imports between modules", imports.len());
    let circles = circles(&imports);
    assert!(circles.is_empty(), "{}", told(&circles, &imports));
}

#[test]
fn no_module_of_a_face_is_in_a_circle() {
    for face in FACES {
        let base = root().join("src").join(face);
        let imports = imports_among(&children_of(&base), &base, &[face]);
        let circles = circles(&imports);
        assert!(circles.is_empty(), "{face}: {}", told(&circles, &imports));
    }
}

/// The faces, which do not know each other.
const FACES: [&str; 3] = ["cli", "server", "tui"];

#[test]
fn imports_of_the_core_point_down() {
    let base = root().join("src/core");
    let for_tests = test_modules(&base);
    for file in rust_files(&base) {
        let module = module_of(&base, &file);
        if !is_test_file(&module) && !for_tests.contains(&module) && module != "build" {
            layer_of(&module);
        }
    }
    let mut wrong = Vec::new();
    for ((from, to), paths) in imports_among(&modules_of_the_core(), &base, &[]) {
        if layer_of(&to) > layer_of(&from) {
            wrong.push(format!("{from} (L{}) imports {to} (L{}): {paths:?}", layer_of(&from), layer_of(&to)));
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
    let mut wrong = Vec::new();
    for face in FACES {
        let base = root().join("src").join(face);
        assert!(base.is_dir(), "the face `{face}` has gone");
        for file in rust_files(&base) {
            let code = code_of(&file);
            for other in FACES.iter().filter(|other| **other != face) {
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
    ("src/server/http/serve.rs", "its own address"),
    ("src/server/mcp/stdio.rs", "JSON for a program"),
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
