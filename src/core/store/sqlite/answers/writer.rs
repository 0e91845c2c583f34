//! The thread that writes queued responses in one transaction, without answering the senders.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;

use rusqlite::TransactionBehavior;

use super::{CacheFile, QUEUE, file, rows};
use crate::error::Error;
use crate::provider::cache::{AnswerKey, CacheNamespace, CachedAnswer, NamespaceLimits};
use crate::store::sqlite::connection::Connected;
use crate::store::sqlite::failure::{Failure, SqliteResult};

/// A response to cache.
pub(super) struct Put {
    pub(super) namespace: CacheNamespace,
    pub(super) limits: NamespaceLimits,
    pub(super) key: AnswerKey,
    pub(super) answer: Arc<CachedAnswer>,
}

/// Ends when all senders are gone and everything is written.
pub(super) struct WriterThread {
    place: Arc<CacheFile>,
    waiting: Receiver<Put>,
    opened: Option<Connected>,
}

impl WriterThread {
    pub(super) fn new(place: Arc<CacheFile>, waiting: Receiver<Put>) -> Self {
        Self { place, waiting, opened: None }
    }

    pub(super) fn run(mut self) {
        while let Ok(first) = self.waiting.recv() {
            let batch: Vec<Put> = std::iter::once(first).chain(self.waiting.try_iter().take(QUEUE - 1)).collect();
            if self.place.is_resting() {
                continue;
            }
            if let Err(failure) = self.write(&batch) {
                self.opened = None;
                self.place.cannot_be_used(&failure);
            }
        }
    }

    fn write(&mut self, batch: &[Put]) -> SqliteResult<()> {
        let committed = if self.place.damaged.swap(false, Ordering::Relaxed) {
            self.check().and_then(|()| self.commit(batch))
        } else {
            self.commit(batch)
        };
        match committed {
            Err(failure) if file::is_damage(&failure) => {
                self.begin_anew(&failure)?;
                self.commit(batch)
            }
            other => other,
        }
    }

    /// Checks the whole file; fails if it is damaged.
    fn check(&mut self) -> SqliteResult<()> {
        let connection = &self.current()?.connection;
        let verdict: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        if verdict == "ok" {
            return Ok(());
        }
        let corrupt = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
        Err(rusqlite::Error::SqliteFailure(corrupt, Some(verdict)).into())
    }

    fn begin_anew(&mut self, failure: &Failure) -> SqliteResult<()> {
        self.opened = None;
        let reason = file::reason(failure);
        let stuck = |error| Error::Storage(format!("it is damaged ({reason}) and cannot be moved aside: {error}"));
        let aside = file::set_aside(&self.place.path).map_err(stuck)?;
        tracing::warn!(reason, aside = %aside.display(), "the cache of answers was damaged and was recreated");
        Ok(())
    }

    fn current(&mut self) -> SqliteResult<&mut Connected> {
        let opened = match self.opened.take().filter(|opened| opened.is_current(&self.place.path)) {
            Some(opened) => opened,
            None => file::open_for_writing(&self.place.path, self.place.patience)?,
        };
        Ok(self.opened.insert(opened))
    }

    fn commit(&mut self, batch: &[Put]) -> SqliteResult<()> {
        let connection = &mut self.current()?.connection;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut touched = HashMap::new();
        for put in batch {
            rows::put(&transaction, put)?;
            let made = put.answer.made_at.as_millisecond();
            let newest = touched.entry(put.namespace).or_insert((put.limits, made));
            *newest = (put.limits, made.max(newest.1));
        }
        for (namespace, (limits, now_ms)) in touched {
            rows::trim(&transaction, namespace, limits, rows::NAMESPACE_BYTES, now_ms)?;
        }
        transaction.commit()?;
        Ok(())
    }
}
