//! Every setting as shown: its key, its value and where that comes from.

use aludel_core::error::Problem;

use crate::tui::effect::Ticket;

/// One setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SettingRow {
    /// Dotted key.
    pub(crate) key: String,
    /// Its value; empty when it is not set and has no default.
    pub(crate) value: String,
    /// Where the value comes from: `default`, a file and line, a variable, a flag.
    pub(crate) origin: String,
    /// What it can be set to, to stand after "changes it: ".
    pub(crate) takes: String,
    /// True when somebody set it.
    pub(crate) is_set: bool,
}

/// The list of them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Listing {
    /// The question that it answers.
    pub(crate) ticket: Ticket,
    /// What has been typed.
    pub(crate) filter: String,
    /// Which of the matching rows is marked.
    pub(crate) marked: usize,
    /// The settings; `None` before the answer.
    pub(crate) rows: Option<Result<Vec<SettingRow>, Box<Problem>>>,
}

impl Listing {
    /// Before the answer.
    pub(crate) const fn asked(ticket: Ticket) -> Self {
        Self { ticket, filter: String::new(), marked: 0, rows: None }
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
