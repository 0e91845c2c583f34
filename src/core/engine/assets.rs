//! `personas` and `templates`: what is said to models, and themes; listed, shown, copied for editing.

use std::path::PathBuf;

use super::Engine;
use crate::assets::{AssetInfo, AssetKind, AssetText, Theme};
use crate::error::Result;

impl Engine {
    /// The personas, the user's own included. One that cannot be used says why in its `problem`.
    pub fn personas(&self) -> Vec<AssetInfo> {
        self.inner.assets.personas()
    }

    /// A persona's file, as it is in force.
    ///
    /// # Errors
    /// `not_found` when there is none of this name; `file` when the user's cannot be read.
    pub fn persona_text(&self, name: &str) -> Result<AssetText> {
        self.inner.assets.persona_text(name)
    }

    /// Copies a persona into the user's folder for editing; gives the file.
    ///
    /// # Errors
    /// As [`Engine::persona_text`]; `conflict` when the user has it already; `file` when it cannot be written.
    pub fn copy_persona(&self, name: &str) -> Result<PathBuf> {
        let persona = self.inner.assets.persona_text(name)?;
        self.inner.assets.copy_to_user(AssetKind::Persona, &persona.name)
    }

    /// How the workbench is drawn in the theme of this name, whose file may be the user's.
    ///
    /// # Errors
    /// `validation_failed` when there is none of this name; `file` when the user's cannot be used.
    pub fn theme(&self, name: &str) -> Result<Theme> {
        self.inner.assets.theme(name)
    }

    /// What `tui.theme` may name, the user's own marked as such.
    pub fn theme_names(&self) -> Vec<String> {
        self.inner.assets.theme_names()
    }

    /// The templates: what a phase, a strategy, a form or the judge says to a model; the catalogue of models; themes.
    pub fn templates(&self) -> Vec<AssetInfo> {
        self.inner.assets.templates()
    }

    /// A template's file, as it is in force.
    ///
    /// # Errors
    /// `not_found` when there is none of this name; `file` when the user's cannot be read.
    pub fn template_text(&self, name: &str) -> Result<AssetText> {
        self.inner.assets.template(name)
    }

    /// Copies a template into the user's folder for editing; gives the file.
    ///
    /// # Errors
    /// As [`Engine::template_text`]; `conflict` when the user has it already; `file` when it cannot be written.
    pub fn copy_template(&self, name: &str) -> Result<PathBuf> {
        let template = self.inner.assets.template(name)?;
        self.inner.assets.copy_to_user(template.kind, &template.name)
    }
}
