//! Which codec each kind speaks.

use std::sync::Arc;

use crate::domain::ProviderKind;
use crate::provider::wire::Wire;

/// The codec of a kind; `None` for those that speak over no network.
pub(super) fn wire_of(kind: ProviderKind) -> Option<Arc<dyn Wire>> {
    let _ = kind;
    None
}
