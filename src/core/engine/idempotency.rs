//! Requests that a client may repeat: answered once, under a key of the client's own.
//!
//! [`Engine::claim_key`] either returns what the request was answered with, or a [`ClaimedKey`] to
//! answer it under. A claimed key is leased and its lease renewed in the background, so that a
//! repetition is refused while the request is in progress, in any process on the database, and not
//! once that process has died. Dropping a claimed key releases it: the request can be made again.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::task::AbortOnDropHandle;

use super::Engine;
use crate::error::{Error, Result};
use crate::ids::{IdSource, SystemIds};
use crate::store::{Fingerprint, HeldKey, KeyClaim, KeyedAnswer, NewKeyClaim, Pending, Store};

/// How long an answer is kept.
pub const KEY_RETENTION: Duration = Duration::from_hours(24);
/// How long a key stays claimed once its process has died.
const LEASE: Duration = Duration::from_mins(1);
/// The field that faults name.
const KEY: &str = "Idempotency-Key";

/// A request with a key.
#[derive(Debug)]
pub enum KeyedRequest {
    /// It is new: do it, and answer it under this key.
    New(ClaimedKey),
    /// It was answered, in these words.
    Answered(KeyedAnswer),
}

/// A key that is claimed for a request in progress. Dropping it releases the key.
pub struct ClaimedKey {
    store: Arc<dyn Store>,
    held: Option<HeldKey>,
    _renewal: AbortOnDropHandle<()>,
}

impl Engine {
    /// Claims a key of the caller's for the request of this fingerprint. Needs a tokio runtime.
    ///
    /// # Errors
    /// `conflict` while the request is in progress, and when it was answered but the answer was not
    /// kept; `validation_failed` for a key of another request; `storage`.
    pub async fn claim_key(&self, key: &str, fingerprint: Fingerprint) -> Result<KeyedRequest> {
        let owner = self.context.caller.as_ref().map_or_else(String::new, |caller| caller.id.clone());
        // Unique among all processes, whatever this engine's own source of ids is.
        let held = HeldKey { owner, key: key.to_owned(), claim: SystemIds.next() };
        let claim = NewKeyClaim { held: held.clone(), fingerprint, lease: LEASE };
        match self.store().claim_key(claim).await? {
            KeyClaim::Held => Ok(KeyedRequest::New(ClaimedKey::new(Arc::clone(self.store()), held))),
            KeyClaim::InProgress => Err(Error::Conflict(
                "a request with this `Idempotency-Key` is in progress: repeat it in a moment".into(),
            )),
            KeyClaim::OtherRequest => Err(Error::value(
                KEY,
                "was used for another request within 24 hours: repeat that one unchanged, or choose a new key",
            )),
            KeyClaim::Answered(KeyedAnswer { body: None, run, .. }) => Err(not_kept(run)),
            KeyClaim::Answered(answer) => Ok(KeyedRequest::Answered(answer)),
        }
    }
}

fn not_kept(run: Option<crate::domain::SessionId>) -> Error {
    let made = run.map_or_else(String::new, |run| format!(" What it made is in the history, as run {run}."));
    Error::Conflict(format!(
        "the request with this `Idempotency-Key` was answered, but the answer is not kept: it was too large, or its \
         prompts were deleted.{made} To make the request again, choose a new key"
    ))
}

impl ClaimedKey {
    fn new(store: Arc<dyn Store>, held: HeldKey) -> Self {
        let renewal = AbortOnDropHandle::new(tokio::spawn(renew(Arc::clone(&store), held.clone())));
        Self { store, held: Some(held), _renewal: renewal }
    }

    /// Stores the answer for [`KEY_RETENTION`]. It is stored even if the result is not awaited.
    pub fn answer(mut self, answer: KeyedAnswer) -> Pending<()> {
        match self.held.take() {
            Some(held) => self.store.answer_key(held, answer, KEY_RETENTION),
            None => Pending::ready(Ok(())),
        }
    }
}

impl Drop for ClaimedKey {
    fn drop(&mut self) {
        if let Some(held) = self.held.take() {
            self.store.release_key(held).unattended_aside();
        }
    }
}

impl std::fmt::Debug for ClaimedKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ClaimedKey").field(&self.held).finish()
    }
}

/// Renews the lease until the key is no longer held.
async fn renew(store: Arc<dyn Store>, held: HeldKey) {
    loop {
        tokio::time::sleep(LEASE / 3).await;
        match store.renew_key(held.clone(), LEASE).await {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => tracing::warn!(%error, "the lease of an idempotency key could not be renewed"),
        }
    }
}
