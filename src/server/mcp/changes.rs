//! Notifies clients that stored prompts have changed, by this process or another.
//!
//! A client of 2025-11-25 is notified from `notifications/initialized` on: of the lists always, of a
//! single resource after `resources/subscribe`. A client of 2026-07-28 opens `subscriptions/listen`
//! and is notified of what it asked for, as long as that request lasts.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aludel_core::api::PromptKey;
use aludel_core::domain::{PromptId, Scope};
use aludel_core::engine::{Engine, StoreChanges};
use aludel_core::error::Error;
use rmcp::model::{ResourceUpdatedNotificationParam, SubscriptionFilter};
use rmcp::service::{Peer, SubscriptionContext, SubscriptionSink};
use rmcp::{ErrorData, RoleServer};

use super::Handler;
use super::refusal::refusal;
use super::resources::{self, find};

/// Most resources that one client can subscribe to.
const MOST: usize = 1000;
/// How often a session is checked for its end.
const CHECKED_EVERY: Duration = Duration::from_secs(1);

/// The resources that one client subscribed to.
#[derive(Default)]
pub(super) struct Subscriptions {
    /// By URI.
    resources: Mutex<BTreeMap<String, Watched>>,
    is_watched: AtomicBool,
}

/// A prompt as it was when the client was last notified.
#[derive(Clone, Copy)]
struct Watched {
    id: PromptId,
    /// `None` if it was not stored.
    revision: Option<u32>,
}

impl Subscriptions {
    fn resources(&self) -> MutexGuard<'_, BTreeMap<String, Watched>> {
        // A map is valid whatever its holder did.
        self.resources.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The URIs whose prompt is another than at the last call.
    async fn updated(&self, engine: &Engine) -> Vec<String> {
        let ids: Vec<PromptId> = self.resources().values().map(|one| one.id).collect();
        if ids.is_empty() {
            return Vec::new();
        }
        let revisions = match engine.revisions(ids).await {
            Ok(revisions) => revisions,
            Err(error) => {
                tracing::debug!(%error, "subscribed prompts cannot be read");
                return Vec::new();
            }
        };
        let mut updated = Vec::new();
        for (uri, watched) in self.resources().iter_mut() {
            let now = revisions.get(&watched.id).copied();
            if std::mem::replace(&mut watched.revision, now) != now {
                updated.push(uri.clone());
            }
        }
        updated
    }
}

/// `resources/subscribe`. The URI must have a whole id: what is newest now, or has a unique shortened id
/// now, may be another prompt later.
pub(super) async fn subscribe(handler: &Handler, uri: String) -> Result<(), ErrorData> {
    let prompt = find(handler, &uri, "resources/subscribe").await?;
    if id(&uri).is_none() {
        let detail = format!("may name another prompt later: subscribe to {}", resources::uri(prompt.id));
        return Err(refusal("resources/subscribe", Error::value("uri", detail)));
    }
    let mut resources = handler.subscriptions().resources();
    if resources.len() >= MOST && !resources.contains_key(&uri) {
        let detail = format!("{MOST} resources are subscribed to, the maximum: unsubscribe from one first");
        return Err(refusal("resources/subscribe", Error::value("uri", detail)));
    }
    resources.insert(uri, Watched { id: prompt.id, revision: Some(prompt.revision) });
    Ok(())
}

/// `resources/unsubscribe`. Nothing happens for a URI that was not subscribed to.
pub(super) fn unsubscribe(handler: &Handler, uri: &str) {
    handler.subscriptions().resources().remove(uri);
}

/// Notifies a client of 2025-11-25 that may read until its session ends. Only the first call does
/// anything.
pub(super) async fn watch(handler: &Handler, peer: Peer<RoleServer>) {
    let may_read = handler.engine().require(Scope::Read).is_ok();
    if !may_read || handler.subscriptions().is_watched.swap(true, Ordering::Relaxed) {
        return;
    }
    let changes = handler.engine().store_changes().await;
    let handler = handler.clone();
    tokio::spawn(async move {
        let outlet = Outlet::Session(peer.clone());
        tokio::select! {
            () = report(handler.engine(), changes, handler.subscriptions(), &outlet) => {}
            () = handler.input_ended().cancelled() => {}
            () = closed(&peer) => {}
        }
    });
}

async fn closed(peer: &Peer<RoleServer>) {
    while !peer.is_transport_closed() {
        tokio::time::sleep(CHECKED_EVERY).await;
    }
}

/// What of a subscription's filter can be served: both lists, and the resources with a whole id.
pub(super) fn accepted(requested: &SubscriptionFilter) -> SubscriptionFilter {
    let mut accepted = requested.clone();
    accepted.tools_list_changed = None;
    if let Some(uris) = &mut accepted.resource_subscriptions {
        uris.retain(|uri| id(uri).is_some());
        uris.truncate(MOST);
    }
    accepted
}

/// The id in a URI; `None` if it is not whole.
fn id(uri: &str) -> Option<PromptId> {
    match resources::key(uri)? {
        PromptKey::Id(id) => Some(id),
        PromptKey::Fragment(_) | PromptKey::Last => None,
    }
}

/// `subscriptions/listen`, until the client cancels it or its input ends.
pub(super) async fn listen(handler: &Handler, subscription: SubscriptionContext) -> Result<(), ErrorData> {
    let engine = handler.engine();
    engine.require(Scope::Read).map_err(|error| refusal("subscriptions/listen", error))?;
    let changes = engine.store_changes().await;
    let subscriptions = Subscriptions::default();
    let uris = subscription.accepted().resource_subscriptions.clone().unwrap_or_default();
    subscriptions
        .resources()
        .extend(uris.into_iter().filter_map(|uri| id(&uri).map(|id| (uri, Watched { id, revision: None }))));
    subscriptions.updated(engine).await;
    let outlet = Outlet::Subscription(subscription.sink().clone());
    tokio::select! {
        () = report(engine, changes, &subscriptions, &outlet) => {}
        () = subscription.cancelled() => {}
        () = handler.input_ended().cancelled() => {}
    }
    Ok(())
}

/// Sends a notification for every change, until that fails.
async fn report(engine: &Engine, mut changes: StoreChanges, subscriptions: &Subscriptions, outlet: &Outlet) {
    loop {
        let change = changes.next().await;
        if change.stored {
            for uri in subscriptions.updated(engine).await {
                if !outlet.resource_updated(uri).await {
                    return;
                }
            }
            if !outlet.resources_changed().await {
                return;
            }
        }
        if change.offered && !outlet.prompts_changed().await {
            return;
        }
    }
}

/// Where notifications go. Each method returns false when nothing more can be sent; what a
/// subscription did not ask for is left out.
enum Outlet {
    Session(Peer<RoleServer>),
    Subscription(SubscriptionSink),
}

impl Outlet {
    async fn resources_changed(&self) -> bool {
        match self {
            Self::Session(peer) => peer.notify_resource_list_changed().await.is_ok(),
            Self::Subscription(sink) if sink.accepted().resources_list_changed == Some(true) => {
                sink.notify_resource_list_changed().await.is_ok()
            }
            Self::Subscription(_) => true,
        }
    }

    async fn prompts_changed(&self) -> bool {
        match self {
            Self::Session(peer) => peer.notify_prompt_list_changed().await.is_ok(),
            Self::Subscription(sink) if sink.accepted().prompts_list_changed == Some(true) => {
                sink.notify_prompt_list_changed().await.is_ok()
            }
            Self::Subscription(_) => true,
        }
    }

    async fn resource_updated(&self, uri: String) -> bool {
        match self {
            Self::Session(peer) => {
                peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await.is_ok()
            }
            Self::Subscription(sink) => sink.notify_resource_updated(uri).await.is_ok(),
        }
    }
}
