//! The options that filter stored prompts, the same for every command that has them.

use clap::Args;

use super::raw::Raw;

/// The filters.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Filters")]
pub(crate) struct FilterArgs {
    /// Only prompts that have all of these tags, separated by commas
    #[arg(long, value_name = "LIST")]
    pub tags: Vec<String>,
    /// Only prompts whose last phase was this
    #[arg(long, value_name = "PHASE")]
    pub phase: Option<String>,
    /// Only prompts whose last phase used this provider
    #[arg(long, value_name = "NAME")]
    pub provider: Option<String>,
    /// Only prompts whose last phase used this model
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Only prompts written for this persona
    #[arg(long, value_name = "NAME")]
    pub persona: Option<String>,
    /// Only prompts created then or later: 2026-11-21, 2026-11-21T08:30:00Z or 7d
    #[arg(long, value_name = "DATE")]
    pub since: Option<String>,
    /// Only prompts created then or earlier; a date includes the whole day
    #[arg(long, value_name = "DATE")]
    pub until: Option<String>,
}

impl FilterArgs {
    /// Adds the given filters to a raw request.
    pub(crate) fn add_to(&self, raw: Raw) -> Raw {
        raw.list("tags", &self.tags)
            .text("phase", self.phase.as_ref())
            .text("provider", self.provider.as_ref())
            .text("model", self.model.as_ref())
            .text("persona", self.persona.as_ref())
            .text("since", self.since.as_ref())
            .text("until", self.until.as_ref())
    }
}
