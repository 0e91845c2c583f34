//! `delete`, `trash list`, `trash restore`, `trash empty`: deletes prompts and brings them back.
//!
//! Deleted prompts stay in the trash for `storage.trash_days`. Then they can no longer be listed or
//! restored. They are deleted for good by the next deletion or restoration, by the first write of a
//! process, and once a day while the program stays open ([`Engine::keep_indexed`]).

use std::time::Duration;

use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::sleep;

use super::Engine;
use super::retrieve::{ambiguous, no_prompt};
use crate::api::{DeleteRequest, EmptyTrashRequest, PromptKey, RestoreRequest, TrashRequest};
use crate::domain::{Filter, Prompt, PromptId, Timestamp, limits};
use crate::error::{Error, Result};
use crate::ledger::{Caps, Labels};
use crate::store::{Applied, Mutation};

/// How many matches of an ambiguous id are looked up.
const MOST_MATCHES: usize = 6;
/// How often a program that stays open deletes what has expired.
const EXPIRY_INTERVAL: Duration = Duration::from_hours(24);

/// What was deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Deletion {
    /// The ids of the deleted prompts.
    pub deleted: Vec<PromptId>,
    /// Until when they can be restored; null if they are deleted for good.
    #[serde(default, with = "crate::domain::moment::written_or_null")]
    #[schemars(with = "Option<String>")]
    pub restorable_until: Option<Timestamp>,
}

/// What was restored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Restoration {
    /// The restored prompts, each with its revision raised.
    pub restored: Vec<Prompt>,
}

/// A page of the trash.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrashPage {
    /// The prompts, last deleted first.
    pub prompts: Vec<TrashedPrompt>,
    /// How many prompts are in the trash.
    pub total: u64,
}

/// A prompt in the trash.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrashedPrompt {
    /// When it was deleted.
    #[serde(with = "crate::domain::moment::written")]
    #[schemars(with = "String")]
    pub deleted_at: Timestamp,
    /// Until when it can be restored.
    #[serde(with = "crate::domain::moment::written")]
    #[schemars(with = "String")]
    pub restorable_until: Timestamp,
    /// The prompt as it was when deleted.
    #[serde(flatten)]
    pub prompt: Prompt,
}

impl Engine {
    /// Moves these prompts, or all, to the trash, or deletes them for good.
    ///
    /// # Errors
    /// `not_found` naming the first key without a match, deleting nothing; `conflict`; `storage`.
    pub async fn delete(&self, request: DeleteRequest) -> Result<Deletion> {
        let at = self.inner.clock.now();
        let is_forever = request.forever || self.config().storage.trash_days == 0;
        let filter = Filter::default();
        let mutation = if request.all {
            if is_forever { Mutation::DeleteWhere { filter } } else { Mutation::TrashWhere { filter, at } }
        } else {
            let (ids, expected_revision) = (self.resolve_stored(&request.prompt_ids).await?, request.revision);
            if is_forever {
                Mutation::Delete { ids, expected_revision }
            } else {
                Mutation::Trash { ids, expected_revision, at }
            }
        };
        let deleted = self.gone(mutation).await?;
        self.expire_trash(at).await?;
        Ok(Deletion { deleted, restorable_until: (!is_forever).then(|| self.restorable_until(at)) })
    }

    /// A page of the trash.
    ///
    /// # Errors
    /// `storage`.
    pub async fn trash(&self, request: TrashRequest) -> Result<TrashPage> {
        let since = self.oldest_restorable(self.inner.clock.now());
        let limit = request.limit.unwrap_or(limits::DEFAULT_LIMIT);
        let page = self.store().trashed(since, limit, request.offset).await?;
        let prompts = page.prompts.into_iter().map(|trashed| TrashedPrompt {
            deleted_at: trashed.deleted_at,
            restorable_until: self.restorable_until(trashed.deleted_at),
            prompt: trashed.prompt,
        });
        Ok(TrashPage { prompts: prompts.collect(), total: page.total })
    }

    /// Restores prompts from the trash.
    ///
    /// # Errors
    /// `not_found` naming the first key without a match, restoring nothing; `conflict` when a
    /// prompt with the same id was stored meanwhile; `storage`.
    pub async fn restore(&self, request: RestoreRequest) -> Result<Restoration> {
        let at = self.inner.clock.now();
        self.expire_trash(at).await?;
        let ids = self.resolve_trashed(&request.prompt_ids).await?;
        match self.store().apply(Mutation::Restore { ids, at }).await? {
            Applied::Restored(restored) => {
                let account = self.account(Caps::default(), Labels { command: "trash", ..Labels::default() });
                self.index_later(&restored, account)();
                Ok(Restoration { restored })
            }
            other => Err(Error::Internal(format!("restoring answered {other:?}"))),
        }
    }

    /// Deletes prompts in the trash for good; all of them if none are named.
    ///
    /// # Errors
    /// As [`Engine::restore`].
    pub async fn empty_trash(&self, request: EmptyTrashRequest) -> Result<Deletion> {
        let ids = match request.prompt_ids.as_slice() {
            [] => None,
            keys => Some(self.resolve_trashed(keys).await?),
        };
        let deleted = self.gone(Mutation::EmptyTrash { ids, before: None }).await?;
        Ok(Deletion { deleted, restorable_until: None })
    }

    /// Deletes expired prompts from the trash for good.
    async fn expire_trash(&self, now: Timestamp) -> Result<()> {
        let before = Some(self.oldest_restorable(now));
        self.gone(Mutation::EmptyTrash { ids: None, before }).await.map(drop)
    }

    /// Deletes expired prompts from the trash and expired idempotency keys, now and once a day. Never
    /// returns.
    pub(super) async fn keep_trash_short(&self) {
        loop {
            if let Err(error) = self.expire_what_is_due().await {
                tracing::warn!(%error, "what has been in the trash for too long could not be deleted");
            }
            if let Err(error) = self.store().delete_expired_keys().await {
                tracing::warn!(%error, "expired idempotency keys could not be deleted");
            }
            sleep(EXPIRY_INTERVAL).await;
        }
    }

    /// Writes only if something has expired, so that no database is created or locked for nothing.
    pub(super) async fn expire_what_is_due(&self) -> Result<()> {
        let now = self.inner.clock.now();
        let held = self.store().trashed(Timestamp::MIN, 1, 0).await?.total;
        if held > self.store().trashed(self.oldest_restorable(now), 1, 0).await?.total {
            self.expire_trash(now).await?;
        }
        Ok(())
    }

    async fn gone(&self, mutation: Mutation) -> Result<Vec<PromptId>> {
        match self.store().apply(mutation).await? {
            Applied::Deleted(deleted) => Ok(deleted),
            other => Err(Error::Internal(format!("a deletion answered {other:?}"))),
        }
    }

    fn restorable_until(&self, deleted_at: Timestamp) -> Timestamp {
        deleted_at.saturating_add(days(self.config().storage.trash_days)).unwrap_or(Timestamp::MAX)
    }

    fn oldest_restorable(&self, now: Timestamp) -> Timestamp {
        oldest_restorable(self.config().storage.trash_days, now)
    }

    /// Resolves every key to a stored prompt, before anything is changed.
    async fn resolve_stored(&self, keys: &[PromptKey]) -> Result<Vec<PromptId>> {
        let mut ids = Vec::with_capacity(keys.len());
        for key in keys {
            let id = self.resolve(key).await?;
            if self.store().get(id).await?.is_none() {
                return Err(no_prompt(key));
            }
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        Ok(ids)
    }

    /// Resolves every key to a prompt in the trash.
    async fn resolve_trashed(&self, keys: &[PromptKey]) -> Result<Vec<PromptId>> {
        let mut ids = Vec::with_capacity(keys.len());
        for key in keys {
            let meanings = match key {
                PromptKey::Last => {
                    let last = self.store().trashed(Timestamp::MIN, 1, 0).await?;
                    last.prompts.iter().map(|trashed| trashed.prompt.id).collect()
                }
                PromptKey::Id(id) => self.store().resolve_trashed(id.to_string(), 1).await?,
                PromptKey::Fragment(digits) => self.store().resolve_trashed(digits.clone(), MOST_MATCHES).await?,
            };
            let id = match meanings.as_slice() {
                [] => return Err(not_in_trash(key)),
                [one] => *one,
                several => return Err(ambiguous(&key.to_string(), several)),
            };
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        Ok(ids)
    }
}

/// The time before which a deleted prompt can no longer be restored.
pub(super) fn oldest_restorable(trash_days: u32, now: Timestamp) -> Timestamp {
    now.saturating_sub(days(trash_days)).unwrap_or(Timestamp::MIN)
}

fn days(number: u32) -> SignedDuration {
    SignedDuration::from_hours(24 * i64::from(number))
}

fn not_in_trash(key: &PromptKey) -> Error {
    Error::NotFound {
        what: "prompt in the trash",
        key: key.to_string(),
        hint: "list the trash (`aludel trash list`, GET /api/v1/trash) to see what can be restored",
    }
}
