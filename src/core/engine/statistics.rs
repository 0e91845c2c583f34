//! `stats`, `metrics`: measures the stored prompts.

use std::ops::ControlFlow;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::Engine;
use super::retrieve::no_prompt;
use crate::api::{MetricsRequest, PromptKey, ShowRequest, StatsRequest};
use crate::domain::{MetricsReport, Order, Prompt, PromptMetrics, StatsBy, StatsReport, limits};
use crate::error::{Error, Result};
use crate::statistics;
pub use crate::store::MeasureProgress;
use crate::store::{MeasureWatch, PageSpec, Store};

impl Engine {
    /// Totals of the filtered prompts: overall and by day, phase, provider, model, persona or tag.
    ///
    /// # Errors
    /// `storage`.
    pub async fn stats(&self, request: StatsRequest) -> Result<StatsReport> {
        self.stats_watched(request, |_| {}).await
    }

    /// Like [`Engine::stats`]. If a filter makes it count prompts one by one, `watch` gets the
    /// progress. Dropping the future ends the count.
    ///
    /// # Errors
    /// `storage`.
    pub async fn stats_watched(
        &self,
        request: StatsRequest,
        watch: impl Fn(MeasureProgress) + Send + Sync + 'static,
    ) -> Result<StatsReport> {
        let dropped = CancellationToken::new();
        let _ends_with_this = dropped.clone().drop_guard();
        let watch = MeasureWatch::by(move |progress| {
            watch(progress);
            if dropped.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let filter = request.filters.into_filter(self.inner.clock.now());
        let (since, until) = (filter.since, filter.until);
        let by = request.by.unwrap_or_else(|| StatsBy::USUAL.to_vec());
        let asked = by.clone();
        let measured = self.run_blocking(move |store| store.measure_watched(filter, asked, watch).wait()).await?;
        let groups = statistics::groups(&by, measured.groups, request.limit);
        Ok(StatsReport { since, until, total: measured.total, groups })
    }

    /// Measures the named prompts, or the newest that pass the filters, one by one and together.
    ///
    /// # Errors
    /// `not_found`; `validation_failed` for a shortened id that could mean several; `storage`.
    pub async fn metrics(&self, request: MetricsRequest) -> Result<MetricsReport> {
        if !request.prompt_ids.is_empty() {
            let prompts = self.named(&request.prompt_ids).await?;
            return self.run_blocking(move |store| measured(store, &prompts, prompts.len() as u64)).await;
        }
        let filter = request.filters.into_filter(self.inner.clock.now());
        let limit = request.limit.unwrap_or(limits::DEFAULT_MEASURED);
        self.run_blocking(move |store| {
            let matched = store.count(filter.clone()).wait()?;
            let newest = PageSpec { limit, offset: 0, cursor: None };
            let prompts = store.page(filter, Order::Newest, newest).wait()?.items;
            measured(store, &prompts, matched)
        })
        .await
    }

    /// Measures one prompt.
    ///
    /// # Errors
    /// As [`Engine::metrics`].
    pub async fn prompt_metrics(&self, request: ShowRequest) -> Result<PromptMetrics> {
        let named = MetricsRequest { prompt_ids: vec![request.prompt_id.clone()], ..MetricsRequest::default() };
        self.metrics(named).await?.prompts.pop().ok_or_else(|| no_prompt(&request.prompt_id))
    }

    /// The prompts for these keys, without duplicates.
    async fn named(&self, keys: &[PromptKey]) -> Result<Vec<Prompt>> {
        let mut prompts: Vec<Prompt> = Vec::with_capacity(keys.len());
        for key in keys {
            let id = self.resolve(key).await?;
            let prompt = self.store().get(id).await?.ok_or_else(|| no_prompt(key))?;
            if prompts.iter().all(|known| known.id != id) {
                prompts.push(prompt);
            }
        }
        Ok(prompts)
    }

    /// Runs slow work on tokio's blocking threads, or in place if there is no runtime.
    pub(super) async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Store) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return work(&**self.store()) };
        let store = Arc::clone(self.store());
        let done = runtime.spawn_blocking(move || work(&*store)).await;
        done.unwrap_or_else(|defect| Err(Error::Internal(format!("a report ended abnormally: {defect}"))))
    }
}

fn measured(store: &dyn Store, prompts: &[Prompt], matched: u64) -> Result<MetricsReport> {
    let relations = store.relations(prompts.iter().map(|prompt| prompt.id).collect()).wait()?;
    Ok(statistics::metrics(prompts, relations, matched))
}
