//! Caches parsed assets for as long as their text is the same.
//!
//! An entry never goes stale, because the text itself is compared, not a date. There is one entry
//! per asset, so the cache does not grow. The text comes from [`super::user`] and [`super::table`].

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::{AssetFault, AssetText};
use crate::error::Result;

/// The last parse of each asset of one type, with the text it was made from.
#[derive(Debug)]
pub(super) struct Cache<T> {
    entries: Mutex<HashMap<String, (String, Arc<T>)>>,
}

impl<T> Default for Cache<T> {
    fn default() -> Self {
        Self { entries: Mutex::new(HashMap::new()) }
    }
}

impl<T> Cache<T> {
    /// Parses `asset`, or returns the cached parse of the same text. Errors name the file.
    pub(super) fn get(&self, asset: &AssetText, parse: impl FnOnce() -> Result<T, AssetFault>) -> Result<Arc<T>> {
        let key = format!("{}/{}", asset.kind.as_str(), asset.name);
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((text, parsed)) = entries.get(&key)
            && *text == asset.text
        {
            return Ok(Arc::clone(parsed));
        }
        let parsed = Arc::new(parse().map_err(|fault| fault.in_asset(asset))?);
        entries.insert(key, (asset.text.clone(), Arc::clone(&parsed)));
        Ok(parsed)
    }
}
