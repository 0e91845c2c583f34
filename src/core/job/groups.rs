//! Reads the recorded units of a job in groups, page by page, so that a job can have any number.
//!
//! The units `7`, `7/0` and `7/~` are one group, named `7`.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde_json::Value;

use crate::domain::SessionId;
use crate::error::Result;
use crate::store::{JobUnit, Store};

/// The number of units read at once.
const PAGE: u32 = 1_000;

/// The units of one group.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UnitGroup {
    /// Its name.
    pub name: String,
    /// The result of the unit of that name.
    pub head: Value,
    /// The results of the others, by the rest of their names.
    pub parts: BTreeMap<String, Value>,
}

/// Reads the groups of a job in the order of their names. Groups before the one that was read last
/// can change meanwhile.
pub struct UnitGroups {
    store: Arc<dyn Store>,
    job: SessionId,
    page: VecDeque<JobUnit>,
    after: Option<String>,
    is_over: bool,
}

impl UnitGroups {
    /// Reads the groups whose names are greater than `after`.
    pub fn after(store: Arc<dyn Store>, job: SessionId, after: &str) -> Self {
        Self { store, job, page: VecDeque::new(), after: Some(after.to_owned()), is_over: false }
    }

    /// The next group.
    ///
    /// # Errors
    /// `storage`.
    pub async fn next(&mut self) -> Result<Option<UnitGroup>> {
        let Some(JobUnit { unit, result, .. }) = self.take().await? else { return Ok(None) };
        let (name, rest) = unit.split_once('/').unwrap_or((&unit, ""));
        let mut group = UnitGroup { name: name.to_owned(), ..UnitGroup::default() };
        group.add(rest, result);
        while let Some(next) = self.peek().await? {
            let rest = match next.split_once('/') {
                Some((name, rest)) if name == group.name => rest.to_owned(),
                _ => break,
            };
            if let Some(JobUnit { result, .. }) = self.page.pop_front() {
                group.add(&rest, result);
            }
        }
        Ok(Some(group))
    }

    async fn take(&mut self) -> Result<Option<JobUnit>> {
        self.peek().await?;
        Ok(self.page.pop_front())
    }

    /// The name of the next unit.
    async fn peek(&mut self) -> Result<Option<&str>> {
        if self.page.is_empty() && !self.is_over {
            let page = self.store.job_units(self.job, self.after.clone(), PAGE).await?;
            self.is_over = page.is_empty();
            if let Some(last) = page.last() {
                self.after = Some(last.unit.clone());
            }
            self.page = page.into();
        }
        Ok(self.page.front().map(|unit| unit.unit.as_str()))
    }
}

impl UnitGroup {
    fn add(&mut self, rest: &str, result: Value) {
        if rest.is_empty() {
            self.head = result;
        } else {
            self.parts.insert(rest.to_owned(), result);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::Operation;
    use crate::event::EventKind;
    use crate::job::Journal;
    use crate::store::sqlite::SqliteStore;
    use crate::store::{JobProgress, NewJob, Worker};

    #[tokio::test]
    async fn groups_are_whole_wherever_a_page_ends() {
        const ID: SessionId = SessionId(uuid::Uuid::from_u128(9));
        let folder = tempfile::tempdir().unwrap();
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open(folder.path().join("aludel.db")));
        let started = EventKind::Started { operation: Operation::Batch, total: None, variants: 0, phases: Vec::new() };
        let (operation, about, request) = (Operation::Batch, "rows".to_owned(), json!({}));
        let new = NewJob { id: ID, operation, about, request, kept: false, total: None, started, caller: None };
        let worker = Worker { name: "this".to_owned(), lease: crate::job::LEASE };
        let journal = Journal::new(Arc::clone(&store), worker, new);
        journal.begin().await.unwrap();
        let unit = |unit: String| JobUnit { result: json!(unit), unit, is_whole: false };
        // Row 7 has seven parts, row 8 one, row 9 two, ...
        let mut expected = Vec::new();
        for row in 0..1_200 {
            let name = format!("{row:04}");
            journal.record(JobProgress { units: vec![unit(name.clone())], ..JobProgress::default() }).await.unwrap();
            let parts: Vec<String> = (0..row % 8).map(|part| format!("{part}/solutio")).collect();
            let known = BTreeMap::from([("0/solutio".to_owned(), json!("earlier"))]);
            let part = journal.part(&name, known);
            assert_eq!(part.result_of("0/solutio"), Some(&json!("earlier")));
            let units = parts.iter().map(|part| unit(part.clone())).collect();
            part.record(JobProgress { units, done: 5, ..JobProgress::default() }).await.unwrap();
            expected.push((name, parts));
        }
        let mut groups = UnitGroups::after(Arc::clone(&store), ID, "0006~");
        let mut found = Vec::new();
        while let Some(group) = groups.next().await.unwrap() {
            assert_eq!(group.head, json!(group.name));
            assert!(group.parts.iter().all(|(name, result)| json!(name) == *result));
            found.push((group.name, group.parts.into_keys().collect::<Vec<_>>()));
        }
        assert_eq!(found, expected[7..]);
        assert_eq!(store.job(ID).await.unwrap().unwrap().0.done, 0, "parts do not count as units of the job");
    }
}
