//! The Providers screen: the providers, how each is set up, and the results of test calls.
//!
//! Plain data; [`crate::tui::screens::providers`] handles keys and replies.

use std::collections::BTreeMap;

use aludel_core::domain::ProviderTest;
use aludel_core::engine::ProviderDetails;
use aludel_core::error::Problem;

use crate::tui::effect::Ticket;

/// A test call to a provider.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Test {
    /// It was sent.
    Waiting(Ticket),
    /// It succeeded or failed.
    Done(Box<ProviderTest>),
    /// The core refused to send it.
    Refused(Box<Problem>),
}

/// The Providers screen.
#[derive(Debug, Default)]
pub(crate) struct Providers {
    /// The pending request.
    pub(crate) asked: Option<Ticket>,
    /// The providers; `None` before the first reply.
    pub(crate) rows: Option<Vec<ProviderDetails>>,
    /// The selected row.
    pub(crate) marked: usize,
    /// The first visible row.
    pub(crate) top: usize,
    /// The first visible row of the selected provider's details.
    pub(crate) details_top: usize,
    /// Test calls of this session, by provider name.
    pub(crate) tests: BTreeMap<String, Test>,
    /// The last ticket issued.
    pub(crate) last_ticket: Ticket,
}

impl Providers {
    /// The next ticket.
    pub(crate) fn ticket(&mut self) -> Ticket {
        self.last_ticket = self.last_ticket.next();
        self.last_ticket
    }

    /// The providers; empty before the first reply.
    pub(crate) fn rows(&self) -> &[ProviderDetails] {
        self.rows.as_deref().unwrap_or_default()
    }

    /// The selected provider.
    pub(crate) fn marked(&self) -> Option<&ProviderDetails> {
        self.rows().get(self.marked)
    }

    /// The test call to the selected provider.
    pub(crate) fn test(&self) -> Option<&Test> {
        self.tests.get(&self.marked()?.info.name)
    }

    /// True while a reply is pending.
    pub(crate) fn is_waiting(&self) -> bool {
        self.asked.is_some() || self.tests.values().any(|test| matches!(test, Test::Waiting(_)))
    }
}
