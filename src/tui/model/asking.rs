//! A box that asks for a text: what it is about, what has been typed, and what became of it.

use std::path::Path;

use aludel_core::domain::{Prompt, PromptId};
use aludel_core::error::{Code, Problem};
use serde_json::{Map, Value, json};

use super::Composer;
use crate::tui::action::Context;
use crate::tui::effect::{HistoryCommand, Ticket};

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum About {
    /// The tags of this revision of a prompt, by commas.
    Tags(PromptId, u32),
    /// The notes on this revision of a prompt: as many lines as one likes.
    Notes(PromptId, u32),
    /// The file that prompts which pass these filters are written to.
    Export(Map<String, Value>),
    /// The file whose prompts are stored.
    Import,
    /// What prompts are judged for.
    Task,
}

impl About {
    /// True where a file is asked for.
    pub(crate) const fn is_file(&self) -> bool {
        matches!(self, Self::Export(_) | Self::Import)
    }
}

/// How far it is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Stage {
    /// Keys type.
    Typing,
    /// The core was asked.
    Waiting(Ticket),
    /// It refused; what was typed is as it was.
    Refused(Box<Problem>),
    /// It is done, and there is something to say about it.
    Answered(Vec<String>),
    /// It is about to be closed with what was typed: once more, and that is gone.
    Leaving,
}

/// A box that asks for a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Asking {
    /// What is asked for.
    pub(crate) about: About,
    /// What has been typed.
    pub(crate) field: Composer,
    /// How far it is.
    pub(crate) stage: Stage,
    /// What stood there when it was opened.
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

    /// Asks where prompts that pass `filters` are to be written.
    pub(crate) fn export(filters: Map<String, Value>) -> Self {
        Self::new(About::Export(filters), Composer::line().holding("prompts.json"))
    }

    /// Asks which file is to be read.
    pub(crate) fn import() -> Self {
        Self::new(About::Import, Composer::line())
    }

    /// Asks what prompts are to be judged for, `task` so far.
    pub(crate) fn task(task: &str) -> Self {
        Self::new(About::Task, Composer::default().holding(task))
    }

    fn new(about: About, field: Composer) -> Self {
        let before = field.text();
        Self { about, field, stage: Stage::Typing, before }
    }

    /// Closes it, unless a text would be lost that nobody said is to go: true when it may close.
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

    /// Where its keys are looked up.
    pub(crate) const fn context(&self) -> Context {
        match self.about {
            About::Notes(..) | About::Task => Context::Composer,
            About::Tags(..) | About::Export(_) | About::Import => Context::Search,
        }
    }

    /// What is wished of what is stored once it is typed; `None` where nothing is.
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
                // Who was told that a file is there and asks again means it.
                let replace = matches!(&self.stage, Stage::Refused(problem) if problem.code == Code::Conflict);
                HistoryCommand::Export { raw: raw.into(), path, replace }
            }
            About::Import => HistoryCommand::Import(text.trim().to_owned()),
            About::Task => return None,
        })
    }
}

/// The format that the ending of a file's name stands for; what stands for none is for the core to refuse.
fn format_of(path: &str) -> Option<String> {
    let ending = Path::new(path).extension()?.to_str()?.to_ascii_lowercase();
    Some(match ending.as_str() {
        "ndjson" => "jsonl".to_owned(),
        "yml" => "yaml".to_owned(),
        "md" => "markdown".to_owned(),
        _ => ending,
    })
}
