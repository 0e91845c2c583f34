//! The catalogue as an asset: our text, and the user's laid over it.
//!
//! What a text means is [`crate::provider::catalog`]'s; here it is put together, and its faults become those of a file.

use super::{AssetFault, AssetKind, AssetText, CATALOG, Origin, table};
use crate::provider::catalog::Catalog;

/// Reads the text in force, ours or the user's. A user's is laid over ours.
pub(super) fn parse(asset: &AssetText) -> Result<Catalog, AssetFault> {
    let catalog = match asset.origin {
        Origin::Builtin => Catalog::parse(&asset.text),
        Origin::User(_) => {
            // Ours has no faults to be taken for the user's: the tests read it.
            let ours = Catalog::parse(table::text(AssetKind::Catalog, CATALOG).unwrap_or_default());
            ours.and_then(|ours| ours.with_user_rows(&asset.text))
        }
    };
    catalog.map_err(|faults| AssetFault::of_yaml(&faults))
}

/// What it is for, in a sentence.
pub(super) fn description(catalog: &Catalog) -> String {
    format!("What is known of {} models: limits, prices, parameters; your rows take precedence.", catalog.len())
}

/// The comment at the head of a text, which explains the format.
pub(super) fn head(text: &str) -> &str {
    let end = text.split_inclusive('\n').take_while(|line| line.starts_with('#')).map(str::len).sum();
    &text[..end]
}
