//! Notices that stored prompts have changed, by whichever process.
//!
//! The database counts changes ([`Store::change_count`](crate::store::Store::change_count)); a
//! [`StoreChanges`] reads that number once in a while. Only when it has changed are the offered
//! prompts read, to tell whether they have. Nothing is read while nobody waits.

use std::collections::BTreeMap;
use std::hash::Hasher as _;
use std::time::Duration;

use xxhash_rust::xxh3::Xxh3Default;

use super::Engine;
use crate::domain::{PromptId, limits};
use crate::error::Result;
use crate::store::PageSpec;

/// How often a change is looked for; changes in between are reported as one.
pub const POLLED_EVERY: Duration = Duration::from_secs(1);

/// What has changed since the last report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreChange {
    /// Prompts were stored, edited, deleted or restored.
    pub stored: bool,
    /// The [offered prompts](Engine::offered_prompts) are others, or one of them was edited.
    pub offered: bool,
}

/// Reports changes of the stored and the offered prompts.
pub struct StoreChanges {
    engine: Engine,
    seen: Option<Seen>,
}

/// What was there at the last look.
#[derive(PartialEq, Eq)]
struct Seen {
    changes: u64,
    /// The names of the personas.
    personas: Vec<String>,
    /// A fingerprint of the stored prompts that are offered.
    offered: u64,
}

impl Engine {
    /// Watches for changes from now on.
    pub async fn store_changes(&self) -> StoreChanges {
        let mut changes = StoreChanges { engine: self.clone(), seen: None };
        changes.look().await;
        changes
    }

    /// The revisions of these prompts; one that is not stored is left out.
    ///
    /// # Errors
    /// `storage`.
    pub async fn revisions(&self, ids: Vec<PromptId>) -> Result<BTreeMap<PromptId, u32>> {
        let found = self.store().fetch_summaries(ids).await?;
        Ok(found.into_iter().map(|prompt| (prompt.id, prompt.revision)).collect())
    }
}

impl StoreChanges {
    /// Waits for the next change. While the database cannot be read there is none. Needs a runtime
    /// with time. Cancel-safe: what is not reported is reported the next time.
    pub async fn next(&mut self) -> StoreChange {
        loop {
            tokio::time::sleep(POLLED_EVERY).await;
            if let Some(change) = self.look().await {
                return change;
            }
        }
    }

    /// What has changed since the last look, if anything.
    async fn look(&mut self) -> Option<StoreChange> {
        let now = match self.read().await {
            Ok(now) => now,
            Err(error) => {
                tracing::debug!(%error, "whether stored prompts have changed cannot be read");
                return None;
            }
        };
        let change = self.seen.as_ref().map(|before| StoreChange {
            stored: before.changes != now.changes,
            offered: before.offered != now.offered || before.personas != now.personas,
        });
        self.seen = Some(now);
        change.filter(|change| change.stored || change.offered)
    }

    async fn read(&self) -> Result<Seen> {
        let changes = self.engine.store().change_count().await?;
        let personas = self.engine.known().personas;
        let offered = match &self.seen {
            Some(seen) if seen.changes == changes => seen.offered,
            _ => self.engine.fingerprint_of_offered().await?,
        };
        Ok(Seen { changes, personas, offered })
    }
}

impl Engine {
    /// A number that differs when other stored prompts are offered, or one of them was edited.
    async fn fingerprint_of_offered(&self) -> Result<u64> {
        let limit = u32::try_from(limits::MAX_LIMIT).unwrap_or(u32::MAX);
        let (mut hasher, mut cursor) = (Xxh3Default::new(), None);
        loop {
            let page = PageSpec { limit, offset: 0, cursor };
            let page = self.store().outlines(Self::offered(), page).await?;
            for prompt in &page.items {
                hasher.update(prompt.id.0.as_bytes());
                hasher.update(&prompt.revision.to_le_bytes());
            }
            cursor = page.next_cursor;
            if cursor.is_none() {
                return Ok(hasher.finish());
            }
        }
    }
}
