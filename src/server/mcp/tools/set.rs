//! The tools that one server offers: all, those that only read, or those chosen by name.

use std::sync::{Arc, Mutex, PoisonError};

use aludel_core::api::Known;
use aludel_core::domain::{Scope, Scopes};
use aludel_core::error::{Error, Result};
use aludel_core::operation::{self, Effect};
use rmcp::model::Tool;

use super::{ALIASES, Definition, TOOLS};

/// A choice of tools, in the order of [`TOOLS`]. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ToolSet {
    tools: Arc<[&'static Definition]>,
    read_only: bool,
    listed: Arc<Mutex<Option<Listing>>>,
}

/// The tools as they were listed, and the names that were known then.
#[derive(Debug)]
struct Listing {
    known: Known,
    tools: Vec<Tool>,
}

impl Default for ToolSet {
    fn default() -> Self {
        Self::of(TOOLS.iter().collect(), false)
    }
}

impl ToolSet {
    fn of(tools: Arc<[&'static Definition]>, read_only: bool) -> Self {
        Self { tools, read_only, listed: Arc::default() }
    }

    /// The tools of these names, or all; with `read_only`, of those the ones that neither change
    /// anything nor spend money.
    ///
    /// # Errors
    /// `validation_failed` for a name that is no tool's, or a tool that does more than read.
    pub fn choose(names: Option<&[String]>, read_only: bool) -> Result<Self> {
        if let Some(names) = names {
            names.iter().try_for_each(|name| check(name, read_only))?;
        }
        let is_named = |tool: &Definition| names.is_none_or(|names| names.iter().any(|name| is_of(tool, name)));
        let chosen = TOOLS.iter().filter(|tool| is_named(tool) && (!read_only || only_reads(tool)));
        Ok(Self::of(chosen.collect(), read_only))
    }

    /// The tools.
    pub fn iter(&self) -> impl Iterator<Item = &'static Definition> {
        self.tools.iter().copied()
    }

    /// The tool of this name or alias.
    pub(in crate::server::mcp) fn find(&self, name: &str) -> Option<&'static Definition> {
        self.iter().find(|tool| is_of(tool, name))
    }

    /// The tools as `tools/list` shows them, with these known names. Schemas take long to build, so
    /// they are kept until other names are known.
    pub(in crate::server::mcp) fn listed(&self, known: Known) -> Vec<Tool> {
        let mut last = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some(listing) if listing.known == known => listing.tools.clone(),
            _ => {
                let tools: Vec<Tool> = self.iter().map(|tool| tool.listed(&known)).collect();
                *last = Some(Listing { known, tools: tools.clone() });
                tools
            }
        }
    }

    /// What a session with these tools may do; `None` for everything. A tool that reads can have
    /// arguments that make it spend, such as a comparison with a judge.
    pub(in crate::server::mcp) fn scopes(&self) -> Option<Scopes> {
        self.read_only.then(|| Scopes::from_iter([Scope::Read]))
    }
}

/// True if `name` is the tool's name or an alias of it.
fn is_of(tool: &Definition, name: &str) -> bool {
    tool.name == name || ALIASES.iter().any(|(alias, real)| *alias == name && *real == tool.name)
}

fn only_reads(tool: &Definition) -> bool {
    matches!(operation::of(tool.operation).effect, Effect::Reads | Effect::Searches)
}

fn check(name: &str, read_only: bool) -> Result<()> {
    let Some(tool) = TOOLS.iter().find(|tool| is_of(tool, name)) else {
        let known: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
        return Err(Error::value("tools", format!("there is no tool `{name}`; there are {}", known.join(", "))));
    };
    if read_only && !only_reads(tool) {
        let detail = format!("`{name}` does more than read: leave it out, or leave out `--read-only`");
        return Err(Error::value("tools", detail));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(chosen: Option<&[&str]>, read_only: bool) -> Result<Vec<&'static str>> {
        let chosen = chosen.map(|names| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        Ok(ToolSet::choose(chosen.as_deref(), read_only)?.iter().map(|tool| tool.name).collect())
    }

    #[test]
    fn tools_are_chosen_by_name_and_keep_their_order() {
        assert_eq!(names(None, false).unwrap().len(), TOOLS.len());
        let two = names(Some(&["spend", "generate_prompt", "spend"]), false).unwrap();
        assert_eq!(two, ["generate_prompts", "spend"]);
    }

    #[test]
    fn a_set_that_reads_has_nothing_that_changes_or_spends() {
        let reading = names(None, true).unwrap();
        for name in ["search_prompts", "get_prompt_details", "export_prompts", "spend", "job_status"] {
            assert!(reading.contains(&name), "{name}");
        }
        for name in
            ["generate_prompts", "start_batch", "update_prompt", "delete_prompt", "restore_prompt", "job_cancel"]
        {
            assert!(!reading.contains(&name), "{name}");
        }
    }

    #[test]
    fn tools_are_listed_with_the_names_that_are_known_now() {
        let tools = ToolSet::default();
        let listed = |persona: &str| {
            let known = Known { personas: vec![persona.to_owned()], ..Known::default() };
            serde_json::to_string(&tools.listed(known)).unwrap()
        };
        let first = listed("pirate-of-old");
        assert!(first.contains("pirate-of-old"));
        let second = listed("sailor-of-new");
        assert!(second.contains("sailor-of-new") && !second.contains("pirate-of-old"));
        assert_eq!(listed("pirate-of-old"), first);
    }

    #[test]
    fn an_unknown_name_and_one_that_does_more_are_refused() {
        let unknown = names(Some(&["spend", "nope"]), false).unwrap_err().to_string();
        assert!(unknown.contains("`nope`") && unknown.contains("generate_prompts, "), "{unknown}");
        let more = names(Some(&["delete_prompt"]), true).unwrap_err().to_string();
        assert!(more.contains("`delete_prompt`") && more.contains("--read-only"), "{more}");
    }
}
