//! `personas` and `templates`: lists, shows and copies them and the themes.

use std::path::PathBuf;

use super::Engine;
use crate::assets::{AssetInfo, AssetKind, AssetText, Theme};
use crate::error::Result;

impl Engine {
    /// The personas, including the user's own. The `problem` of an unusable one gives the reason.
    pub fn personas(&self) -> Vec<AssetInfo> {
        self.inner.assets.personas()
    }

    /// The file of a persona that is in effect.
    ///
    /// # Errors
    /// `not_found` for an unknown name; `file` when the user's file cannot be read.
    pub fn persona_text(&self, name: &str) -> Result<AssetText> {
        self.inner.assets.persona_text(name)
    }

    /// Copies a persona into the user's folder for editing and returns the path.
    ///
    /// # Errors
    /// As [`Engine::persona_text`]; `conflict` when there already is a copy; `file`.
    pub fn copy_persona(&self, name: &str) -> Result<PathBuf> {
        let persona = self.inner.assets.persona_text(name)?;
        self.inner.assets.copy_to_user(AssetKind::Persona, &persona.name)
    }

    /// The workbench theme of this name, built in or the user's own.
    ///
    /// # Errors
    /// `validation_failed` for an unknown name; `file` when the user's file cannot be used.
    pub fn theme(&self, name: &str) -> Result<Theme> {
        self.inner.assets.theme(name)
    }

    /// The names that `tui.theme` accepts, with the user's own marked.
    pub fn theme_names(&self) -> Vec<String> {
        self.inner.assets.theme_names()
    }

    /// The templates for phases, strategies, forms and the judge; the model catalogue; the themes.
    pub fn templates(&self) -> Vec<AssetInfo> {
        self.inner.assets.templates()
    }

    /// The file of a template that is in effect.
    ///
    /// # Errors
    /// `not_found` for an unknown name; `file` when the user's file cannot be read.
    pub fn template_text(&self, name: &str) -> Result<AssetText> {
        self.inner.assets.template(name)
    }

    /// Copies a template into the user's folder for editing and returns the path.
    ///
    /// # Errors
    /// As [`Engine::template_text`]; `conflict` when there already is a copy; `file`.
    pub fn copy_template(&self, name: &str) -> Result<PathBuf> {
        let template = self.inner.assets.template(name)?;
        self.inner.assets.copy_to_user(template.kind, &template.name)
    }
}
