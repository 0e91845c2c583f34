//! Tokens whose signature was checked, so that the next request of a client costs a lookup.
//!
//! A token says the same for as long as the secret does, so only its times are checked again. The
//! tokens are in memory alone, and their number is bounded.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use super::Bearer;
use super::claims::Times;

/// Most tokens. When there are more, all are forgotten.
const MOST_TOKENS: usize = 1024;
/// Longer tokens are checked each time, in bytes.
const LONGEST: usize = 1024;

/// The tokens of one key.
#[derive(Default)]
pub(super) struct VerifiedTokens(RwLock<HashMap<Box<str>, (Bearer, Times)>>);

impl VerifiedTokens {
    pub(super) fn get(&self, token: &str) -> Option<(Bearer, Times)> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(token).cloned()
    }

    pub(super) fn insert(&self, token: &str, bearer: &Bearer, times: Times) {
        if token.len() > LONGEST {
            return;
        }
        let mut tokens = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if tokens.len() >= MOST_TOKENS {
            tokens.clear();
        }
        tokens.insert(token.into(), (bearer.clone(), times));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Scopes;
    use crate::ledger::{Caller, CapPeriod};

    #[test]
    fn the_tokens_kept_are_bounded_in_number_and_length() {
        let tokens = VerifiedTokens::default();
        let caller = Caller { id: "ci".into(), budget: None, max_calls: None, period: CapPeriod::Day };
        let bearer = Bearer { caller: caller.into(), scopes: Scopes::default() };
        let times = Times::until(1.0);
        for number in 0..MOST_TOKENS * 2 {
            tokens.insert(&number.to_string(), &bearer, times);
            assert!(tokens.get(&number.to_string()).is_some());
        }
        assert!(tokens.0.read().unwrap().len() <= MOST_TOKENS);
        let long = "x".repeat(LONGEST + 1);
        tokens.insert(&long, &bearer, times);
        assert!(tokens.get(&long).is_none());
    }
}
