//! The kinds of assets: where their files are, and whether users can add to them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::THEMES_WITHOUT_FILE;

/// The kind of an asset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AssetKind {
    /// The field a prompt is for.
    Persona,
    /// The system message of a phase.
    Phase,
    /// How a variant is shaped.
    Strategy,
    /// The form that suits a family of models.
    Form,
    /// The judge's instructions.
    Judge,
    /// The judge's criteria.
    Rubric,
    /// The text that the embedded writer adds to a request.
    Frame,
    /// Facts about models.
    Catalog,
    /// How the workbench looks.
    Theme,
}

impl AssetKind {
    /// All kinds, in listing order.
    pub const ALL: [Self; 9] = [
        Self::Persona,
        Self::Phase,
        Self::Strategy,
        Self::Form,
        Self::Judge,
        Self::Rubric,
        Self::Frame,
        Self::Catalog,
        Self::Theme,
    ];

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Persona => "persona",
            Self::Phase => "phase",
            Self::Strategy => "strategy",
            Self::Form => "form",
            Self::Judge => "judge",
            Self::Rubric => "rubric",
            Self::Frame => "frame",
            Self::Catalog => "catalog",
            Self::Theme => "theme",
        }
    }

    /// The folder of its files below the user's folder; empty for that folder itself.
    pub const fn folder(self) -> &'static str {
        match self {
            Self::Persona => "personas",
            Self::Phase => "phases",
            Self::Strategy => "strategies",
            Self::Form => "forms",
            Self::Judge | Self::Rubric => "judge",
            Self::Frame => "frames",
            Self::Catalog => "",
            Self::Theme => "themes",
        }
    }

    /// The extension of its files.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Rubric | Self::Frame | Self::Catalog | Self::Theme => "yaml",
            _ => "md",
        }
    }

    /// True when users can add new names; for other kinds only the built-in names have a meaning.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Persona | Self::Rubric | Self::Theme)
    }

    /// True for a name that files of this kind cannot have.
    pub(super) fn reserves(self, name: &str) -> bool {
        self == Self::Theme && THEMES_WITHOUT_FILE.contains(&name)
    }
}
