//! `personas` and `templates`: what is said to models, listed, shown, copied for editing.

use std::path::PathBuf;

use super::Engine;
use crate::assets::{AssetInfo, AssetKind, AssetText};
use crate::error::Result;

impl Engine {
    /// The personas, the user's own included. One that cannot be used says why in its `problem`.
    pub fn personas(&self) -> Vec<AssetInfo> {
        self.inner.assets.personas()
    }

    /// A persona's file, as it is in force.
    ///
    /// # Errors
    /// `validation_failed` when there is none of this name; `file` when the user's cannot be read.
    pub fn persona_text(&self, name: &str) -> Result<AssetText> {
        self.inner.assets.text(AssetKind::Persona, name)
    }

    /// Copies a persona into the user's folder for editing; gives the file.
    ///
    /// # Errors
    /// As [`Engine::persona_text`]; `conflict` when the user has it already; `file` when it cannot be written.
    pub fn copy_persona(&self, name: &str) -> Result<PathBuf> {
        self.inner.assets.copy_to_user(AssetKind::Persona, name)
    }

    /// The templates: what a phase, a strategy, a form or the judge says to a model; and the catalogue of models.
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
