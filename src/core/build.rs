//! Writes our largest YAML files as JSON, which parses much faster.
//!
//! The YAML files are edited and shown; the program reads `frames.json`, with all frames of the
//! embedded writer, and `models.json` in `OUT_DIR`.

use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_yaml::Value;

fn main() -> Result<(), Box<dyn Error>> {
    #[expect(
        clippy::disallowed_methods,
        reason = "cargo says so when it runs the script, which may have been built elsewhere"
    )]
    let manifest = std::env::var("CARGO_MANIFEST_DIR")?;
    let assets = PathBuf::from(manifest).join("../../assets");
    let (folder, models) = (assets.join("frames"), assets.join("models.yaml"));
    let mut out = std::io::stdout();
    writeln!(out, "cargo::rerun-if-changed=build.rs")?;
    writeln!(out, "cargo::rerun-if-changed={}\ncargo::rerun-if-changed={}", folder.display(), models.display())?;
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "yaml"));
    files.sort();
    let frames = files.iter().map(|file| parsed(file)).collect::<Result<_, _>>()?;
    write("frames.json", &Value::Sequence(frames))?;
    write("models.json", &parsed(&models)?)
}

/// The tree of a file, with its keys in their order.
fn parsed(file: &Path) -> Result<Value, Box<dyn Error>> {
    let text = std::fs::read_to_string(file)?;
    Ok(serde_yaml::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?)
}

fn write(name: &str, tree: &Value) -> Result<(), Box<dyn Error>> {
    #[expect(clippy::disallowed_methods, reason = "it is cargo that says where to write")]
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    Ok(std::fs::write(folder.join(name), serde_json::to_string(tree)?)?)
}
