//! A box that asks for a text: its purpose, what has been typed, and the result.

use std::path::Path;

use aludel_core::domain::{Prompt, PromptId, SessionId};
use aludel_core::error::{Code, Problem};
use serde_json::{Map, Value, json};

use super::Composer;
use crate::tui::action::Context;
use crate::tui::effect::{HistoryCommand, Ticket};

/// What a box asks for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum About {
    /// The tags of this revision of a prompt, separated by commas.
    Tags(PromptId, u32),
    /// The notes on this revision of a prompt, of any number of lines.
    Notes(PromptId, u32),
    /// The file to write the prompts matching these filters to.
    Export(Map<String, Value>),
    /// The file to import prompts from.
    Import,
    /// The file of rows to make a batch of.
    Batch,
    /// A new cap for this batch, which has reached the one with this name.
    Cap(SessionId, &'static str),
    /// The task that prompts are judged for.
    Task,
}

impl About {
    /// True for a file.
    pub(crate) const fn is_file(&self) -> bool {
        matches!(self, Self::Export(_) | Self::Import | Self::Batch)
    }
}

/// The progress of a box.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Stage {
    /// Keys type.
    Typing,
    /// The core has been asked.
    Waiting(Ticket),
    /// The core refused; the text is unchanged.
    Refused(Box<Problem>),
    /// Done, with something to report.
    Answered(Vec<String>),
    /// Closing would lose the text: closing again discards it.
    Leaving,
}

/// A box that asks for a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Asking {
    /// What is asked for.
    pub(crate) about: About,
    /// What has been typed.
    pub(crate) field: Composer,
    /// Its progress.
    pub(crate) stage: Stage,
    /// The text when it was opened.
    before: String,
}

impl Asking {
    /// Asks for the tags of `prompt`.
    pub(crate) fn tags(prompt: &Prompt) -> Self {
        Self::new(About::Tags(prompt.id, prompt.revision), Composer::line().holding(&prompt.tags.join(", ")))
    }

    /// Asks for the notes on `prompt`.
    pub(crate) fn notes(prompt: &Prompt) -> Self {
        let notes = prompt.notes.as_deref().unwrap_or_default();
        Self::new(About::Notes(prompt.id, prompt.revision), Composer::default().holding(notes))
    }

    /// Asks for the file to write the prompts matching `filters` to.
    pub(crate) fn export(filters: Map<String, Value>) -> Self {
        Self::new(About::Export(filters), Composer::line().holding("prompts.json"))
    }

    /// Asks for the file to import.
    pub(crate) fn import() -> Self {
        Self::new(About::Import, Composer::line())
    }

    /// Asks for the file of rows to make a batch of.
    pub(crate) fn batch() -> Self {
        Self::new(About::Batch, Composer::line())
    }

    /// Asks for a new cap for a batch, starting with the one it has reached.
    pub(crate) fn cap(job: SessionId, name: &'static str, reached: &Value) -> Self {
        Self::new(About::Cap(job, name), Composer::line().holding(&reached.to_string()))
    }

    /// Asks for the task to judge prompts for, starting with `task`.
    pub(crate) fn task(task: &str) -> Self {
        Self::new(About::Task, Composer::default().holding(task))
    }

    fn new(about: About, field: Composer) -> Self {
        let before = field.text();
        Self { about, field, stage: Stage::Typing, before }
    }

    /// Returns true if the box can close. The first attempt with unsaved text only asks.
    pub(crate) fn leave(&mut self) -> bool {
        let is_kept = match self.stage {
            Stage::Leaving | Stage::Waiting(_) | Stage::Answered(_) => true,
            Stage::Typing | Stage::Refused(_) => self.about.is_file() || self.field.text() == self.before,
        };
        if !is_kept {
            self.stage = Stage::Leaving;
        }
        is_kept
    }

    /// The context of its keys.
    pub(crate) const fn context(&self) -> Context {
        match self.about {
            About::Notes(..) | About::Task => Context::Composer,
            About::Tags(..) | About::Export(_) | About::Import | About::Batch | About::Cap(..) => Context::Search,
        }
    }

    /// The command that carries it out; `None` if it needs none.
    pub(crate) fn command(&self) -> Option<HistoryCommand> {
        let text = self.field.text();
        Some(match &self.about {
            About::Tags(id, revision) => {
                let tags: Vec<&str> = text.split(',').map(str::trim).filter(|tag| !tag.is_empty()).collect();
                HistoryCommand::Update(json!({ "prompt_id": id, "revision": revision, "tags": tags }))
            }
            About::Notes(id, revision) => {
                let notes = if text.trim().is_empty() { Value::Null } else { text.into() };
                HistoryCommand::Update(json!({ "prompt_id": id, "revision": revision, "notes": notes }))
            }
            About::Export(filters) => {
                let mut raw = filters.clone();
                let path = text.trim().to_owned();
                if let Some(format) = format_of(&path) {
                    raw.insert("format".to_owned(), format.into());
                }
                // Repeating the export after a conflict confirms the replacement.
                let replace = matches!(&self.stage, Stage::Refused(problem) if problem.code == Code::Conflict);
                HistoryCommand::Export { raw: raw.into(), path, replace }
            }
            About::Import => HistoryCommand::Import(text.trim().to_owned()),
            About::Batch | About::Cap(..) | About::Task => return None,
        })
    }
}

/// The format named by a file's extension. The core refuses unknown ones.
fn format_of(path: &str) -> Option<String> {
    let ending = Path::new(path).extension()?.to_str()?.to_ascii_lowercase();
    Some(match ending.as_str() {
        "ndjson" => "jsonl".to_owned(),
        "yml" => "yaml".to_owned(),
        "md" => "markdown".to_owned(),
        _ => ending,
    })
}
