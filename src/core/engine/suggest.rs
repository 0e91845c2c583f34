//! Suggests values for what a user has begun to type: ids of prompts, names that exist here.

use super::Engine;
use crate::api::StatsRequest;
use crate::domain::{Filter, Phase, StatsBy, Suggestions, limits};
use crate::error::Result;
use crate::store::PageSpec;

/// Most suggestions at once, as the Model Context Protocol has it.
const MOST: u32 = 100;
/// Ids that are counted; beyond, only that there are more is known.
const COUNTED: usize = 1000;

impl Engine {
    /// The ids of stored prompts that begin or end with what was typed, newest first.
    ///
    /// # Errors
    /// `storage`.
    pub async fn suggest_ids(&self, typed: &str) -> Result<Suggestions> {
        if typed.is_empty() {
            let page = PageSpec { limit: MOST, offset: 0, cursor: None };
            let newest = self.store().outlines(Filter::default(), page).await?;
            let total = self.store().count(Filter::default()).await?;
            let values: Vec<String> = newest.items.iter().map(|prompt| prompt.id.to_string()).collect();
            let has_more = total > values.len() as u64;
            return Ok(Suggestions { values, total: Some(total), has_more });
        }
        let ids = self.store().resolve(typed.to_owned(), COUNTED + 1).await?;
        let total = (ids.len() <= COUNTED).then_some(ids.len() as u64);
        let values: Vec<String> = ids.iter().take(MOST as usize).map(ToString::to_string).collect();
        Ok(Suggestions { has_more: ids.len() > values.len(), values, total })
    }

    /// The values of an argument that begin with what was typed, whatever its case. Known are those
    /// of arguments named `persona`, `provider`, `phase`, `tag` and `tags`; others have none.
    ///
    /// # Errors
    /// `storage`.
    pub async fn suggest_values(&self, argument: &str, typed: &str) -> Result<Suggestions> {
        let known = match argument {
            "persona" => self.known().personas,
            "provider" => self.known().providers,
            "phase" => Phase::ALL.iter().map(|phase| phase.as_str().to_owned()).collect(),
            "tag" | "tags" => self.tags().await?,
            _ => Vec::new(),
        };
        let typed = typed.to_lowercase();
        let mut values: Vec<String> =
            known.into_iter().filter(|value| value.to_lowercase().starts_with(&typed)).collect();
        let total = values.len();
        values.truncate(MOST as usize);
        Ok(Suggestions { values, total: Some(total as u64), has_more: total > MOST as usize })
    }

    /// The tags of stored prompts, most used first.
    async fn tags(&self) -> Result<Vec<String>> {
        let limit = u32::try_from(limits::MAX_LIMIT).ok();
        let request = StatsRequest { by: Some(vec![StatsBy::Tag]), limit, ..StatsRequest::default() };
        let groups = self.stats(request).await?.groups;
        Ok(groups.into_iter().flat_map(|group| group.lines).map(|line| line.key).collect())
    }
}
