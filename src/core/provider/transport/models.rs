//! The models that a provider itself lists.

use std::pin::Pin;
use std::sync::Arc;

use tokio::time::Instant;

use super::link::ProviderClient;
use crate::error::{ProviderError, ProviderFailure};
use crate::provider::checked::is_name;
use crate::provider::timeout::Timeouts;

/// The maximum number of pages; a longer list is truncated.
const MOST_PAGES: usize = 20;

/// The maximum size of a page. The longest known list, OpenRouter's, is under one MiB.
const LONGEST_PAGE: usize = 4 * 1024 * 1024;

/// The most models that an error lists.
const SHOWN: usize = 20;

/// A pending list.
pub type Listing = Pin<Box<dyn Future<Output = Result<Vec<String>, ProviderError>> + Send>>;

impl ProviderClient {
    /// Like [`ProviderClient::models`], without a borrow.
    pub fn listing(self: &Arc<Self>, patience: Timeouts) -> Listing {
        let link = Arc::clone(self);
        Box::pin(async move { link.models(patience).await })
    }

    /// All models the provider lists, in its order, over all pages, without invalid names.
    ///
    /// # Errors
    /// As any call; `provider_unavailable` for a body that is not a list.
    pub(super) async fn models(&self, patience: Timeouts) -> Result<Vec<String>, ProviderError> {
        let start = Instant::now();
        let mut models: Vec<String> = Vec::new();
        let mut page: Option<String> = None;
        for _ in 0..MOST_PAGES {
            let left = Timeouts { whole: patience.whole.saturating_sub(start.elapsed()), ..patience };
            let body = self.fetch(self.wire.models(page.as_deref()), "", left, LONGEST_PAGE).await?;
            let read = self.wire.read_models(&body).map_err(|error| self.unread(&body, "", error))?;
            models.extend(read.models.into_iter().filter(|model| is_name(model)));
            match read.next {
                // A repeated page token would loop forever.
                Some(next) if page.as_ref() != Some(&next) => page = Some(next),
                _ => break,
            }
        }
        Ok(models)
    }
}

/// The error for a call without a model; lists the available ones.
pub(super) async fn none_named(link: &ProviderClient, patience: Timeouts) -> ProviderError {
    let name = &link.name;
    let models = match link.models(patience).await {
        Ok(models) => models,
        // Why the list failed is the first thing to fix.
        Err(error) => return error.before_sending(),
    };
    let (shown, more) = models.split_at(models.len().min(SHOWN));
    let list = match (shown, more) {
        ([], _) => "it has none yet".to_owned(),
        (_, []) => format!("it has {}", shown.join(", ")),
        (_, _) => format!("it has {} and {} more", shown.join(", "), more.len()),
    };
    let message = format!("no model is set: write `{name}/MODEL`, or set `providers.{name}.model`; {list}");
    link.failed(ProviderFailure::Rejected, message).before_sending()
}
