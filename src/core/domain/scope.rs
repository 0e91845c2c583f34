//! What a token allows its bearer to do.
//!
//! | scope | allows | includes |
//! |---|---|---|
//! | `read` | list, search, show, compare and export what is stored; watch jobs; measures of the server | |
//! | `write` | change, delete, restore and import prompts; stop jobs | `read` |
//! | `spend` | whatever calls models: generate, batch, judge, optimise, resume a job; its results are stored | `read` |
//! | `admin` | everything | all others |
//!
//! `spend` and `write` do not include each other: a client that generates cannot delete, and one that
//! tidies up costs nothing. Which operation needs which scope is in [`crate::operation::scope_of`].

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One permission of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Reads what is stored.
    Read,
    /// Changes what is stored.
    Write,
    /// Calls models, which costs money.
    Spend,
    /// Everything.
    Admin,
}

impl Scope {
    /// All scopes, the least first.
    pub const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Spend, Self::Admin];

    /// The name in a token and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Spend => "spend",
            Self::Admin => "admin",
        }
    }

    /// The scope with this name. Names are case-sensitive (RFC 6749, section 3.3).
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == name)
    }

    /// True if this scope allows what needs `needed`.
    pub const fn includes(self, needed: Self) -> bool {
        matches!(
            (self, needed),
            (Self::Admin, _) | (_, Self::Read) | (Self::Write, Self::Write) | (Self::Spend, Self::Spend)
        )
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The scopes of a token: a set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Scopes(u8);

impl Scopes {
    /// Reads a `scope` claim: names separated by spaces (RFC 6749, section 3.3). Unknown names are
    /// ignored, as they may be another service's.
    pub fn parse(claim: &str) -> Self {
        claim.split(' ').filter_map(Scope::parse).collect()
    }

    /// True if one of them allows what needs `needed`.
    pub fn allow(self, needed: Scope) -> bool {
        self.iter().any(|scope| scope.includes(needed))
    }

    /// What both allow.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        Scope::ALL.into_iter().filter(|needed| self.allow(*needed) && other.allow(*needed)).collect()
    }

    /// The scopes, the least first.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.into_iter().filter(move |scope| self.0 & Self::bit(*scope) != 0)
    }

    const fn bit(scope: Scope) -> u8 {
        1 << scope as u8
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(scopes.into_iter().fold(0, |bits, scope| bits | Self::bit(scope)))
    }
}

/// As the `scope` claim of a token.
impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(Scope::as_str).collect();
        f.write_str(&names.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_allows_itself_and_reading_and_admin_allows_all() {
        let allowed = |claim: &str| Scope::ALL.map(|needed| Scopes::parse(claim).allow(needed));
        assert_eq!(allowed("read"), [true, false, false, false]);
        assert_eq!(allowed("write"), [true, true, false, false]);
        assert_eq!(allowed("spend"), [true, false, true, false]);
        assert_eq!(allowed("admin"), [true; 4]);
        assert_eq!(allowed("spend write"), [true, true, true, false]);
    }

    #[test]
    fn what_two_sets_allow_is_what_each_allows() {
        let both = |one: &str, other: &str| Scopes::parse(one).intersection(Scopes::parse(other)).to_string();
        assert_eq!(both("admin", "read"), "read");
        assert_eq!(both("admin", "spend"), "read spend");
        assert_eq!(both("write", "spend"), "read");
        assert_eq!(both("admin", "admin"), "read write spend admin");
        assert_eq!(both("", "admin"), "");
    }

    #[test]
    fn unknown_scopes_allow_nothing() {
        for claim in ["", " ", "Read", "reads", "openid profile", "read,spend", "read\tspend"] {
            assert!(!Scope::ALL.into_iter().any(|needed| Scopes::parse(claim).allow(needed)), "{claim:?}");
        }
        assert_eq!(Scopes::parse("  openid spend  read spend").to_string(), "read spend");
    }
}
