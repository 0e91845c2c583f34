//! Exports the prompts that pass a filter, as a sequence of text pieces.
//!
//! A piece is one page of prompts, so memory holds one page only. Pages follow each other by
//! cursor, so rows added or removed meanwhile neither hide nor duplicate others. A full export is
//! oldest first, as created; a limited one has the newest prompts, newest first, as in a list.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::format::TransferFormat;
use super::write::Writer;
use crate::domain::{Filter, Order, SessionId};
use crate::error::Result;
use crate::store::{PageSpec, Session, Store};

/// Prompts per piece.
const PAGE: u32 = 200;

/// A bounded export as one text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExportedPrompts {
    /// The format of `text`.
    pub format: TransferFormat,
    /// How many prompts are in `text`.
    pub count: u64,
    /// How many stored prompts pass the filters.
    pub total: u64,
    /// The prompts.
    pub text: String,
}

/// An export in progress.
pub struct Export {
    store: Arc<dyn Store>,
    filter: Filter,
    order: Order,
    /// How many prompts are left to write; `None` for all.
    left: Option<u32>,
    cursor: Option<String>,
    writer: Writer,
    at: ExportStage,
}

/// The state of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExportStage {
    Before,
    Within,
    Behind,
}

impl Export {
    /// Exports all prompts that pass, or the newest `limit` of them.
    pub fn of(store: Arc<dyn Store>, format: TransferFormat, filter: Filter, limit: Option<u32>) -> Self {
        let order = if limit.is_some() { Order::Newest } else { Order::Oldest };
        Self { store, filter, order, left: limit, cursor: None, writer: Writer::new(format), at: ExportStage::Before }
    }

    /// The number of prompts written so far.
    pub fn written(&self) -> u64 {
        self.writer.written()
    }

    /// The number of prompts to write, as of now.
    ///
    /// # Errors
    /// `storage`.
    pub async fn total(&self) -> Result<u64> {
        let passing = self.store.count(self.filter.clone()).await?;
        Ok(self.left.map_or(passing, |left| passing.min(self.written() + u64::from(left))))
    }

    /// The next piece of text; `None` at the end.
    ///
    /// # Errors
    /// `storage`.
    pub async fn next(&mut self) -> Result<Option<String>> {
        let mut text = String::new();
        match self.at {
            ExportStage::Behind => return Ok(None),
            ExportStage::Before => self.writer.begin(&mut text)?,
            ExportStage::Within => {}
        }
        self.at = ExportStage::Within;
        let limit = self.left.map_or(PAGE, |left| left.min(PAGE));
        let page = PageSpec { limit, offset: 0, cursor: self.cursor.take() };
        let page = self.store.page(self.filter.clone(), self.order, page).await?;
        let runs: HashSet<SessionId> = page.items.iter().map(|prompt| prompt.session_id).collect();
        let runs = self.store.fetch_sessions(runs.into_iter().collect()).await?;
        let runs: HashMap<SessionId, Session> = runs.into_iter().map(|run| (run.id, run)).collect();
        for prompt in &page.items {
            self.writer.write(prompt, runs.get(&prompt.session_id), &mut text)?;
        }
        self.left = self.left.map(|left| left.saturating_sub(u32::try_from(page.items.len()).unwrap_or(u32::MAX)));
        self.cursor = page.next_cursor.filter(|_| self.left != Some(0));
        if self.cursor.is_none() {
            self.writer.end(&mut text);
            self.at = ExportStage::Behind;
        }
        Ok(Some(text))
    }
}

impl std::fmt::Debug for Export {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Export").field("filter", &self.filter).field("writer", &self.writer).finish_non_exhaustive()
    }
}
