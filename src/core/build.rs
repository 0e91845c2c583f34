//! Joins the embedded writer's frames into one JSON file, which parses much faster than YAML.
//!
//! The YAML files are edited and shown; the program reads `frames.json` in `OUT_DIR`, by name.

use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/frames");
    let mut out = std::io::stdout();
    writeln!(out, "cargo::rerun-if-changed=build.rs\ncargo::rerun-if-changed={}", folder.display())?;
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "yaml"));
    files.sort();
    let mut frames = Vec::with_capacity(files.len());
    for file in files {
        let text = std::fs::read_to_string(&file)?;
        let frame = serde_yaml::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
        frames.push(frame);
    }
    #[expect(clippy::disallowed_methods, reason = "it is cargo that says where to write")]
    let target = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?).join("frames.json");
    Ok(std::fs::write(target, serde_json::to_string(&serde_json::Value::Array(frames))?)?)
}
