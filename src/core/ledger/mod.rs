//! The ledger: who pays for a call, what it may cost at most, and what it did cost.
//!
//! Pure arithmetic. An [`Account`] travels with every request of a run, so that each call that goes out (a retry, a
//! fallback, the judge's) is counted where it goes out. Money is whole billionths of a US dollar, so that sums and
//! caps compare exactly.

mod money;

use std::sync::Arc;

pub use money::Money;

/// Who pays for the calls of one run. Cheap to clone; all clones are one account.
///
/// The default account has no caps and no book.
#[derive(Debug, Clone, Default)]
pub struct Account {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {}

/// Equal when they are the same account.
impl PartialEq for Account {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}
