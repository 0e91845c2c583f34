//! Assets: the texts sent to models, the catalogue of models, and the workbench's themes, as files.
//! They are compiled in, and overridden by the user's files of the same name.
//!
//! | kind | folder | what |
//! |---|---|---|
//! | persona | `personas/*.md` | the field a prompt is for: role, guidance for each phase, checks; new ones may be added |
//! | phase | `phases/*.md` | the system message of a phase, a [template](crate::text::template) |
//! | strategy | `strategies/*.md` | how a variant is shaped; exactly the eight of [`STRATEGIES`] |
//! | form | `forms/*.md` | the form that suits a family of models |
//! | judge | `judge/*.md` | the judge's instructions, a template |
//! | rubric | `judge/*.yaml` | criteria of the judge and their weights; new ones may be added |
//! | catalog | `models.yaml` | limits, prices and parameters of models; the user's file is laid over ours row by row |
//! | frame | `frames/*.yaml` | what the embedded writer says around a request, by family of tasks |
//! | theme | `themes/*.yaml` | how the workbench draws each role; new ones may be added |
//!
//! A user's file is read on every use, so an edit takes effect with the next call, but parsed only
//! when its text has changed. An unusable file is an error that names the file and the line; it is
//! never skipped. The formats are in [`persona`], [`message`], [`rubric`], [`theme`] and
//! [`crate::provider::catalog`].

mod cache;
mod catalog;
pub mod frame;
mod front_matter;
mod kind;
pub mod message;
pub mod persona;
pub mod rubric;
mod table;
pub mod theme;
mod user;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::{Phase, TargetFamily};
use crate::error::{Error, Result};
use crate::provider::catalog::Catalog;
use cache::Cache;
pub use frame::Frame;
pub use front_matter::AssetFault;
pub use kind::AssetKind;
pub use message::{MessageTemplate, Wording};
pub use persona::{Check, Persona};
pub use rubric::{Criterion, Rubric};
pub use theme::{THEMES_WITHOUT_FILE, Theme};
pub use user::AssetDirs;

/// The strategies, in the order variants take them. The built-in writer has the same eight.
pub const STRATEGIES: [&str; 8] =
    ["direct", "stepwise", "structured", "example-led", "question-first", "constraint-first", "rubric", "minimal"];

/// The persona used when none is named.
pub const DEFAULT_PERSONA: &str = "generic";

/// The rubric used when none is named.
pub const DEFAULT_RUBRIC: &str = "default";

/// The name of the only catalogue.
const CATALOG: &str = "models";

/// Where an asset comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Compiled into the program.
    Builtin,
    /// The user's file.
    User(PathBuf),
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Builtin => f.pad("builtin"),
            Self::User(path) => f.pad(&path.display().to_string()),
        }
    }
}

/// One asset as listed to users.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AssetInfo {
    /// Its name: the name of its file without the extension.
    pub name: String,
    /// Its kind.
    pub kind: AssetKind,
    /// What it is for, in a sentence; empty if the file cannot be read.
    pub description: String,
    /// Where it comes from.
    pub origin: Origin,
    /// Why it cannot be used, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// An asset's text, as shown and as copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AssetText {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: AssetKind,
    /// Where it comes from.
    pub origin: Origin,
    /// The whole file.
    pub text: String,
}

/// All assets: the built-in ones, overridden by the user's.
#[derive(Debug, Default)]
pub struct Assets {
    dirs: Option<AssetDirs>,
    personas: Cache<Persona>,
    messages: Cache<MessageTemplate>,
    wordings: Cache<Wording>,
    rubrics: Cache<Rubric>,
    frames: Cache<Frame>,
    catalogs: Cache<Catalog>,
}

impl Assets {
    /// Assets with the user's folder, or without one. Reads nothing yet.
    pub fn new(dirs: Option<AssetDirs>) -> Self {
        Self { dirs, ..Self::default() }
    }

    /// Assets with the files below `root`, such as `~/.aludel`. Reads nothing yet.
    pub fn below(root: impl Into<PathBuf>) -> Self {
        Self::new(Some(AssetDirs::below(root)))
    }

    /// The persona of this name.
    ///
    /// # Errors
    /// `validation_failed` for field `persona` if there is none; `file` if the user's is unusable.
    pub fn persona(&self, name: &str) -> Result<Arc<Persona>> {
        let text = self.text(AssetKind::Persona, name)?;
        self.personas.get(&text, || persona::parse(&text.name, &text.text))
    }

    /// The system message of a phase.
    ///
    /// # Errors
    /// `file` if the user's override is unusable.
    pub fn phase(&self, phase: Phase) -> Result<Arc<MessageTemplate>> {
        self.message(AssetKind::Phase, phase.as_str())
    }

    /// The text that shapes a variant.
    ///
    /// # Errors
    /// `validation_failed` if it is not in [`STRATEGIES`]; `file` if the user's is unusable.
    pub fn strategy(&self, name: &str) -> Result<Arc<Wording>> {
        self.wording(AssetKind::Strategy, name)
    }

    /// The form that suits a family of models.
    ///
    /// # Errors
    /// `file` if the user's override is unusable.
    pub fn form(&self, family: TargetFamily) -> Result<Arc<Wording>> {
        self.wording(AssetKind::Form, family.as_str())
    }

    /// The judge's message for comparing two candidates.
    ///
    /// # Errors
    /// `file` if the user's override is unusable.
    pub fn comparing(&self) -> Result<Arc<MessageTemplate>> {
        self.message(AssetKind::Judge, "compare")
    }

    /// The judge's message for rating one candidate.
    ///
    /// # Errors
    /// `file` if the user's override is unusable.
    pub fn rating(&self) -> Result<Arc<MessageTemplate>> {
        self.message(AssetKind::Judge, "rate")
    }

    /// The rubric of this name, with weights adding up to 1.
    ///
    /// # Errors
    /// `validation_failed` if there is none of this name; `file` if the user's is unusable.
    pub fn rubric(&self, name: &str) -> Result<Arc<Rubric>> {
        let text = self.text(AssetKind::Rubric, name)?;
        self.rubrics.get(&text, || rubric::parse(&text.name, &text.text))
    }

    /// The rubric for candidates written for `persona`: the one of that name, else
    /// [`DEFAULT_RUBRIC`].
    ///
    /// # Errors
    /// `file` if the user's is unusable.
    pub fn rubric_for(&self, persona: &str) -> Result<Arc<Rubric>> {
        let has_own = self.names(AssetKind::Rubric).iter().any(|name| name == persona);
        self.rubric(if has_own { persona } else { DEFAULT_RUBRIC })
    }

    /// Reads a rubric from any file, such as one given on the command line or by `judge.criteria`.
    /// Its `name` can differ from the file's.
    ///
    /// # Errors
    /// `file` when it cannot be read or used; the latter names the line.
    pub fn rubric_file(path: &Path) -> Result<Arc<Rubric>> {
        let failed = |action, reason: String| Error::File { action, path: path.to_owned(), reason };
        let text = user::read_text(path).map_err(|reason| failed("read", reason))?;
        let text = text.ok_or_else(|| failed("read", "there is no such file".to_owned()))?;
        let rubric = rubric::parse_any(&text).map_err(|fault| failed("use", fault.to_string()))?;
        Ok(Arc::new(rubric))
    }

    /// The frame of a family of tasks.
    ///
    /// # Errors
    /// `validation_failed` if there is none of this name; `file` if the user's is unusable.
    pub fn frame(&self, name: &str) -> Result<Arc<Frame>> {
        let builtin = frame::builtin(name)?.ok_or_else(|| self.unknown(AssetKind::Frame, name))?;
        match self.own_text(AssetKind::Frame, name)? {
            Some(own) => self.frames.get(&own, || frame::parse(&own.name, &own.text)),
            None => Ok(builtin),
        }
    }

    /// All effective frames: [`frame::GENERAL`], then the others in table order.
    ///
    /// # Errors
    /// `file` if one of the user's is unusable.
    pub fn frames(&self) -> Result<Vec<Arc<Frame>>> {
        // Most users have no frames, which a single check of the folder shows.
        let has_own = self.dirs.as_ref().is_some_and(|dirs| dirs.has_folder(AssetKind::Frame));
        let none = Self::default();
        let assets = if has_own { self } else { &none };
        Self::families().map(|name| assets.frame(name)).collect()
    }

    /// The names of all families of tasks, [`frame::GENERAL`] first.
    pub fn families() -> impl Iterator<Item = &'static str> {
        table::names(AssetKind::Frame)
    }

    /// The model catalogue, with the user's rows over the built-in ones.
    ///
    /// # Errors
    /// `file` if the user's `models.yaml` is unusable.
    pub fn catalog(&self) -> Result<Arc<Catalog>> {
        let text = self.text(AssetKind::Catalog, CATALOG)?;
        self.catalogs.get(&text, || catalog::parse(&text))
    }

    fn message(&self, kind: AssetKind, name: &str) -> Result<Arc<MessageTemplate>> {
        let text = self.text(kind, name)?;
        self.messages.get(&text, || {
            let template = message::parse(&text.name, &text.text)?;
            // The tests try out built-in templates; the user's are tried out here.
            if text.origin != Origin::Builtin {
                template.try_out(kind)?;
            }
            Ok(template)
        })
    }

    fn wording(&self, kind: AssetKind, name: &str) -> Result<Arc<Wording>> {
        let text = self.text(kind, name)?;
        self.wordings.get(&text, || message::parse_wording(&text.name, &text.text))
    }

    /// The names of all personas: the built-in ones, then the user's own, by name.
    pub fn persona_names(&self) -> Vec<String> {
        self.names(AssetKind::Persona)
    }

    /// All personas as listed to users.
    pub fn personas(&self) -> Vec<AssetInfo> {
        self.list(AssetKind::Persona)
    }

    /// The values of `tui.theme`, with the user's own marked.
    pub fn theme_names(&self) -> Vec<String> {
        let mut names = THEMES_WITHOUT_FILE.map(str::to_owned).to_vec();
        names.extend(self.names(AssetKind::Theme).into_iter().map(|name| {
            let is_yours = self.origin(AssetKind::Theme, &name) != Origin::Builtin;
            if is_yours { format!("{name} (yours)") } else { name }
        }));
        names
    }

    /// All assets other than personas, by kind.
    pub fn templates(&self) -> Vec<AssetInfo> {
        AssetKind::ALL.into_iter().filter(|kind| *kind != AssetKind::Persona).flat_map(|kind| self.list(kind)).collect()
    }

    fn names(&self, kind: AssetKind) -> Vec<String> {
        let mut names: Vec<String> = table::names(kind).map(str::to_owned).collect();
        if kind.is_open() {
            let own = self.dirs.iter().flat_map(|dirs| dirs.names(kind));
            let own: Vec<String> =
                own.filter(|name| is_kebab_case(name) && !kind.reserves(name) && !names.contains(name)).collect();
            names.extend(own);
        }
        names
    }

    fn list(&self, kind: AssetKind) -> Vec<AssetInfo> {
        self.names(kind).into_iter().map(|name| self.info(kind, name)).collect()
    }

    fn info(&self, kind: AssetKind, name: String) -> AssetInfo {
        let origin = self.origin(kind, &name);
        match self.description(kind, &name) {
            Ok(description) => AssetInfo { name, kind, description, origin, problem: None },
            Err(error) => {
                AssetInfo { name, kind, description: String::new(), origin, problem: Some(error.to_string()) }
            }
        }
    }

    /// Parses the asset whole, so that a fault anywhere in it shows.
    fn description(&self, kind: AssetKind, name: &str) -> Result<String> {
        Ok(match kind {
            AssetKind::Persona => self.persona(name)?.description.clone(),
            AssetKind::Phase | AssetKind::Judge => self.message(kind, name)?.description.clone(),
            AssetKind::Strategy | AssetKind::Form => self.wording(kind, name)?.description.clone(),
            AssetKind::Rubric => self.rubric(name)?.description.clone(),
            AssetKind::Frame => self.frame(name)?.description.clone(),
            AssetKind::Catalog => catalog::description(&*self.catalog()?),
            AssetKind::Theme => self.theme_description(name)?,
        })
    }

    fn origin(&self, kind: AssetKind, name: &str) -> Origin {
        match self.dirs.as_ref().map(|dirs| dirs.path(kind, name)) {
            Some(path) if path.exists() => Origin::User(path),
            _ => Origin::Builtin,
        }
    }

    /// The effective text of an asset: the user's if there is one.
    ///
    /// # Errors
    /// `validation_failed` if there is none of this name; `file` if the user's cannot be read.
    pub fn text(&self, kind: AssetKind, name: &str) -> Result<AssetText> {
        let builtin = table::text(kind, name);
        if builtin.is_some() || (kind.is_open() && is_kebab_case(name) && !kind.reserves(name)) {
            if let Some(own) = self.own_text(kind, name)? {
                return Ok(own);
            }
            if let Some(text) = builtin {
                return Ok(AssetText { name: name.to_owned(), kind, origin: Origin::Builtin, text: text.to_owned() });
            }
        }
        Err(self.unknown(kind, name))
    }

    /// The user's file of an asset, if there is one.
    fn own_text(&self, kind: AssetKind, name: &str) -> Result<Option<AssetText>> {
        let read = self.dirs.as_ref().map_or(Ok(None), |dirs| dirs.read(kind, name))?;
        Ok(read.map(|(path, text)| AssetText { name: name.to_owned(), kind, origin: Origin::User(path), text }))
    }

    /// The text of a persona by its listed name.
    ///
    /// # Errors
    /// As [`Assets::template`].
    pub fn persona_text(&self, name: &str) -> Result<AssetText> {
        if !self.names(AssetKind::Persona).iter().any(|known| known == name) {
            let hint = "`aludel personas` lists them all";
            return Err(Error::NotFound { what: "persona", key: name.to_owned(), hint });
        }
        self.text(AssetKind::Persona, name)
    }

    /// The text of a template by its listed name, such as `coagulatio`, or `strategy/rubric` where
    /// the name alone is ambiguous.
    ///
    /// # Errors
    /// `not_found` if there is none of this name; `file` if the user's cannot be read.
    pub fn template(&self, name: &str) -> Result<AssetText> {
        let (wanted, bare) = name.split_once('/').map_or((None, name), |(kind, bare)| (Some(kind), bare));
        let kind = AssetKind::ALL.into_iter().find(|kind| {
            *kind != AssetKind::Persona
                && wanted.is_none_or(|wanted| wanted == kind.as_str())
                && self.names(*kind).iter().any(|known| known == bare)
        });
        let hint = "`aludel templates list` shows them all";
        let kind = kind.ok_or_else(|| Error::NotFound { what: "template", key: name.to_owned(), hint })?;
        self.text(kind, bare)
    }

    /// Copies the effective asset to the user's folder for editing and returns the path. Of the
    /// catalogue only the explanation on top is copied, as unchanged rows must not hide newer ones.
    ///
    /// # Errors
    /// As [`Assets::text`]; `conflict` if the user already has it or there is no user's folder;
    /// `file` if it cannot be written.
    pub fn copy_to_user(&self, kind: AssetKind, name: &str) -> Result<PathBuf> {
        let text = self.text(kind, name)?;
        let Some(dirs) = &self.dirs else {
            return Err(Error::Conflict("there is no data folder to copy to; set one with `--data-dir`".to_owned()));
        };
        if let Origin::User(path) = text.origin {
            return Err(Error::Conflict(format!("`{}` is there already; edit it in place", path.display())));
        }
        let copy = if kind == AssetKind::Catalog { catalog::head(&text.text) } else { &text.text };
        dirs.write_new(kind, name, copy)
    }

    /// All problems in the user's folder: unusable files, and files that nothing reads.
    pub fn problems(&self) -> Vec<Error> {
        let Some(dirs) = &self.dirs else { return Vec::new() };
        let mut problems = dirs.unread_files();
        for kind in AssetKind::ALL {
            let names = dirs.names(kind).into_iter().filter(|name| !kind.reserves(name));
            problems.extend(names.filter_map(|name| self.description(kind, &name).err()));
        }
        problems
    }

    fn unknown(&self, kind: AssetKind, name: &str) -> Error {
        let names = self.names(kind);
        let nearest = names.iter().max_by(|a, b| strsim::jaro(a, name).total_cmp(&strsim::jaro(b, name)));
        let guess = match nearest {
            Some(nearest) if strsim::jaro(nearest, name) > 0.7 => format!("; did you mean `{nearest}`?"),
            _ => String::new(),
        };
        let what = kind.as_str();
        let field = if kind == AssetKind::Rubric { "criteria" } else { what };
        let told = if kind == AssetKind::Theme { self.theme_names() } else { names };
        Error::value(field, format!("`{name}` is not a {what}; choose one of {}{guess}", told.join(", ")))
    }
}

/// The strategy of a variant: variant i takes the (i mod 8)th of [`STRATEGIES`].
pub fn strategy_for(variant: u32) -> &'static str {
    STRATEGIES[variant as usize % STRATEGIES.len()]
}

/// True for `gpt-4-notes`: groups of `a-z` and `0-9` joined by single dashes, 1 to 64 characters.
pub fn is_kebab_case(name: &str) -> bool {
    let is_group =
        |group: &str| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    name.len() <= 64 && name.split('-').all(is_group)
}

#[cfg(test)]
mod tests;
