//! A token that was made, as its maker sees it.

use schemars::JsonSchema;
use serde::Serialize;

use super::Timestamp;

/// A new token for clients of the servers. It is shown once and not stored.
#[derive(Clone, PartialEq, Serialize, JsonSchema)]
pub struct MintedToken {
    /// The token: what follows `Authorization: Bearer`.
    pub token: String,
    /// Who calls are charged to.
    pub caller: String,
    /// Who it is for, if it was said.
    pub subject: Option<String>,
    /// What it allows: `read`, `write`, `spend`, `admin`.
    pub scope: Vec<String>,
    /// When it expires.
    pub expires_at: Timestamp,
    /// US dollars that its bearer can spend a day (UTC); null if unlimited.
    pub budget_usd: Option<f64>,
    /// Calls to models that its bearer can make a day (UTC); null if unlimited.
    pub max_calls: Option<u64>,
}

/// Never shows the token.
impl std::fmt::Debug for MintedToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MintedToken")
            .field("caller", &self.caller)
            .field("scope", &self.scope)
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}
