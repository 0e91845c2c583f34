//! The options of `aludel update`.

use aludel_core::api::UpdateRequest;
use clap::Args;
use serde_json::Value;

use super::global::GlobalsLast;
use super::raw::Raw;

const EXAMPLES: &str = "\
Examples:
  aludel update 7a3f9c21 --add-tag keeper --notes \"Worked for the newsletter\"
  aludel update @last --tags draft,lyon
  aludel update @last --notes \"\"
  aludel update @last --content @improved.txt

New content makes a new prompt derived from the old one, and prints it;
everything else changes in place. Empty notes remove the notes.";

/// Change a prompt's tags, notes or text
#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES, globals_last())]
pub(crate) struct UpdateArgs {
    /// The id, six or more of its first or last characters, or @last
    #[arg(value_name = "ID")]
    pub id: String,
    /// Replace all tags with these, separated by commas; an empty list removes them
    #[arg(long, value_name = "LIST")]
    pub tags: Vec<String>,
    /// Add a tag; may be repeated
    #[arg(long, value_name = "TAG")]
    pub add_tag: Vec<String>,
    /// Remove a tag; may be repeated
    #[arg(long, value_name = "TAG")]
    pub remove_tag: Vec<String>,
    /// Replace the notes; `-` reads standard input, an empty text removes them
    #[arg(long, value_name = "TEXT|@FILE")]
    pub notes: Option<String>,
    /// Make a new prompt with this text; @FILE reads a file, `-` standard input
    #[arg(long, value_name = "TEXT|@FILE")]
    pub content: Option<String>,
}

impl UpdateArgs {
    /// The raw request, with `notes` and `content` already read.
    pub(crate) fn request(&self, notes: Option<&String>, content: Option<&String>) -> Value {
        let raw = Raw::of::<UpdateRequest>()
            .set("prompt_id", self.id.as_str())
            .list("tags", &self.tags)
            .items("add_tags", &self.add_tag)
            .items("remove_tags", &self.remove_tag)
            .text("content", content);
        let raw = match notes.map(String::as_str) {
            None => raw,
            Some("") => raw.set("notes", Value::Null),
            Some(notes) => raw.set("notes", notes),
        };
        raw.into_value()
    }
}
