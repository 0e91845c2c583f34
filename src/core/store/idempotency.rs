//! The part of the storage seam behind `Idempotency-Key`: which requests were answered, and how.
//!
//! A key is claimed before its request is served, and answered or released afterwards. While it is
//! claimed it is leased, as a job is: when its process dies, the lease runs out and the request can
//! be made again. Every claim has an id of its own, so a process that overslept cannot answer for
//! the one that claimed the key after it. Keys of different owners never meet.
//!
//! Leases and expiry use the backend's own clock, so the guarantees hold across processes.

use std::fmt;
use std::time::Duration;

use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::Pending;
use crate::domain::SessionId;

/// Storage of idempotency keys.
pub trait IdempotencyStore: Send + Sync {
    /// Claims a key, atomically, and deletes expired ones. A key whose lease has run out without an
    /// answer is claimed anew, whatever its request was.
    fn claim_key(&self, claim: NewKeyClaim) -> Pending<KeyClaim>;

    /// Renews the lease. False when the key is no longer held.
    fn renew_key(&self, held: HeldKey, lease: Duration) -> Pending<bool>;

    /// Stores the answer, for this long from now on. Does nothing when the key is no longer held.
    fn answer_key(&self, held: HeldKey, answer: KeyedAnswer, stored_for: Duration) -> Pending<()>;

    /// Releases the key, which is then unknown. Does nothing when it is no longer held.
    fn release_key(&self, held: HeldKey) -> Pending<()>;

    /// Deletes expired keys; returns how many. A key without an answer expires once its lease has.
    fn delete_expired_keys(&self) -> Pending<u64>;
}

/// A SHA-256 over the parts of a request that determine its answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint(pub [u8; 32]);

impl Fingerprint {
    /// The fingerprint of these parts, in this order. Each is preceded by its length.
    pub fn of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hasher = Fingerprinter::default();
        for part in parts {
            hasher.add(&(part.len() as u64).to_be_bytes());
            hasher.add(part);
        }
        hasher.finish()
    }
}

/// Computes the fingerprint of bytes that arrive in pieces.
#[derive(Debug, Default)]
pub struct Fingerprinter(Sha256);

impl Fingerprinter {
    /// Adds the next piece.
    pub fn add(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    /// The fingerprint of all pieces.
    pub fn finish(self) -> Fingerprint {
        Fingerprint(self.0.finalize().into())
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({:02x}{:02x}…)", self.0[0], self.0[1])
    }
}

/// A key to claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKeyClaim {
    /// The key and the new claim.
    pub held: HeldKey,
    /// The request.
    pub fingerprint: Fingerprint,
    /// How long it is held without renewing.
    pub lease: Duration,
}

/// A claimed key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldKey {
    /// The caller's identity; empty where requests need none.
    pub owner: String,
    /// The key.
    pub key: String,
    /// The claim; unique.
    pub claim: Uuid,
}

/// What claiming a key came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyClaim {
    /// It is held now.
    Held,
    /// The same request is in progress under another claim.
    InProgress,
    /// It belongs to another request.
    OtherRequest,
    /// The request was answered.
    Answered(KeyedAnswer),
}

/// An answer as recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyedAnswer {
    /// The run or the job that the request started, if any.
    pub run: Option<SessionId>,
    /// HTTP status.
    pub status: u16,
    /// Header names and values that are repeated.
    pub headers: Vec<(String, String)>,
    /// The body. `None` where it was too large to keep, or its prompts were deleted meanwhile.
    pub body: Option<Vec<u8>>,
}
