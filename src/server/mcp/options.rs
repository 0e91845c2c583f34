//! What a host is offered: which tools, and how much it may spend.

use aludel_core::api::ServeRequest;
use aludel_core::error::Result;

use super::tools::ToolSet;

/// The options of a server.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The tools that are listed and can be called.
    pub tools: ToolSet,
    /// US dollars that all calls of one server may cost together; `None` if unlimited.
    pub budget_usd: Option<f64>,
}

impl Options {
    /// The options that were asked for.
    ///
    /// # Errors
    /// `validation_failed` for a tool that does not exist, or does more than read in a server that
    /// only reads.
    pub fn new(request: ServeRequest) -> Result<Self> {
        let ServeRequest { tools, read_only, budget_usd } = request;
        Ok(Self { tools: ToolSet::choose(tools.as_deref(), read_only)?, budget_usd })
    }
}
