//! On whose behalf an engine acts: the caller whose token is charged, and the trace it belongs to.
//!
//! A server makes an engine for each request with [`Engine::with_context`]. Every account that such
//! an engine opens carries the context, so each call to a provider is recorded, limited and traced
//! for that request, whatever operation makes it. Without a context the user acts for themselves.

use std::sync::Arc;

use super::Engine;
use crate::domain::{Scope, Scopes, TraceContext};
use crate::error::{Error, Result};
use crate::ledger::Caller;

/// The context of a server's request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestContext {
    /// The bearer of the token that was presented.
    pub caller: Option<Arc<Caller>>,
    /// What that token allows; `None` allows everything.
    pub scopes: Option<Scopes>,
    /// The distributed trace of the request.
    pub trace: Option<Arc<TraceContext>>,
}

impl Engine {
    /// The same engine acting in this context.
    #[must_use]
    pub fn with_context(&self, context: RequestContext) -> Self {
        Self { context, ..self.clone() }
    }

    /// Checks that the token it acts for has a scope.
    ///
    /// # Errors
    /// `forbidden`.
    pub fn require(&self, needed: Scope) -> Result<()> {
        match self.context.scopes {
            Some(scopes) if !scopes.allow(needed) => Err(Error::Scope { needed: needed.as_str() }),
            _ => Ok(()),
        }
    }

    /// The context it acts in.
    pub fn context(&self) -> &RequestContext {
        &self.context
    }
}
