//! The providers as shown: who could write, how each is set up, and what a real call to one told.
//!
//! Plain data; what keys and answers do to it is in [`crate::tui::screens::providers`].

use std::collections::BTreeMap;

use aludel_core::domain::ProviderTest;
use aludel_core::engine::ProviderFacts;
use aludel_core::error::Problem;

use crate::tui::effect::Ticket;

/// A real call to a provider.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Test {
    /// It was asked.
    Waiting(Ticket),
    /// It answered, or did not.
    Done(Box<ProviderTest>),
    /// The core did not ask it.
    Refused(Box<Problem>),
}

/// The screen of the providers.
#[derive(Debug, Default)]
pub(crate) struct Providers {
    /// The question under way.
    pub(crate) asked: Option<Ticket>,
    /// The providers; `None` before the first answer.
    pub(crate) rows: Option<Vec<ProviderFacts>>,
    /// The marked row.
    pub(crate) marked: usize,
    /// The first visible row.
    pub(crate) top: usize,
    /// The first visible row of what is known of the marked one.
    pub(crate) details_top: usize,
    /// Calls of this sitting, by the provider's name.
    pub(crate) tests: BTreeMap<String, Test>,
    /// The last ticket given out.
    pub(crate) last_ticket: Ticket,
}

impl Providers {
    /// The next ticket.
    pub(crate) fn ticket(&mut self) -> Ticket {
        self.last_ticket = self.last_ticket.next();
        self.last_ticket
    }

    /// The providers, none before the first answer.
    pub(crate) fn rows(&self) -> &[ProviderFacts] {
        self.rows.as_deref().unwrap_or_default()
    }

    /// The marked one.
    pub(crate) fn marked(&self) -> Option<&ProviderFacts> {
        self.rows().get(self.marked)
    }

    /// The call to the marked one.
    pub(crate) fn test(&self) -> Option<&Test> {
        self.tests.get(&self.marked()?.info.name)
    }

    /// True while an answer is waited for.
    pub(crate) fn is_waiting(&self) -> bool {
        self.asked.is_some() || self.tests.values().any(|test| matches!(test, Test::Waiting(_)))
    }
}
