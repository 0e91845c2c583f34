//! The model catalogue as an asset: the built-in rows, overlaid by the user's.
//!
//! Parsed by [`crate::provider::catalog`] and merged here. Faults become those of a file.

use super::{AssetFault, AssetText, Origin};
use crate::provider::catalog::Catalog;

/// Parses the effective text. A user's text is laid over the built-in one.
pub(super) fn parse(asset: &AssetText) -> Result<Catalog, AssetFault> {
    let catalog = match asset.origin {
        Origin::Builtin => Catalog::builtin(),
        // The tests check the built-in rows, so any fault is the user's.
        Origin::User(_) => Catalog::builtin().and_then(|ours| ours.with_user_rows(&asset.text)),
    };
    catalog.map_err(|faults| AssetFault::of_yaml(&faults))
}

/// Describes the catalogue in a sentence.
pub(super) fn description(catalog: &Catalog) -> String {
    format!("Known data of {} models: limits, prices, parameters; your rows take precedence.", catalog.len())
}

/// The comment at the top of a text, which explains the format.
pub(super) fn head(text: &str) -> &str {
    let end = text.split_inclusive('\n').take_while(|line| line.starts_with('#')).map(str::len).sum();
    &text[..end]
}
