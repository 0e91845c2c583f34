//! The list of all settings: key, value and origin of each.

use crate::tui::effect::{CoreResult, Ticket};

/// One setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SettingRow {
    /// Dotted key.
    pub(crate) key: String,
    /// Its value; empty if it is unset and has no default.
    pub(crate) value: String,
    /// The origin of the value: `default`, a file and line, a variable, a flag.
    pub(crate) origin: String,
    /// The values it accepts, worded to follow "changes it: ".
    pub(crate) takes: String,
    /// True if it was set explicitly.
    pub(crate) is_set: bool,
}

/// The list of settings.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Listing {
    /// The request it waits for.
    pub(crate) ticket: Ticket,
    /// What has been typed.
    pub(crate) filter: String,
    /// The selected row among the matching ones.
    pub(crate) marked: usize,
    /// The settings; `None` before the reply.
    pub(crate) rows: Option<CoreResult<Vec<SettingRow>>>,
}

impl Listing {
    /// A list before its reply.
    pub(crate) const fn asked(ticket: Ticket) -> Self {
        Self { ticket, filter: String::new(), marked: 0, rows: None }
    }

    /// Takes in the settings, if they answer its question.
    pub(crate) fn take_in(&mut self, ticket: Ticket, outcome: CoreResult<Vec<SettingRow>>) {
        if self.ticket == ticket {
            self.rows = Some(outcome);
        }
    }

    /// The settings that match every word that was typed.
    pub(crate) fn matching(&self) -> Vec<&SettingRow> {
        let filter = self.filter.to_lowercase();
        let matches = |row: &&SettingRow| {
            let text = format!("{} {} {}", row.key, row.value, row.origin).to_lowercase();
            filter.split_whitespace().all(|word| text.contains(word))
        };
        self.rows.iter().flatten().flatten().filter(matches).collect()
    }
}
