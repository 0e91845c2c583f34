//! The request of `token`: who a token is for, what it allows, and for how long.

use super::field::{Field, Kind};
use super::{Decoded, Moment, Request};
use crate::domain::{Scope, Scopes, limits};

/// Asks for a token.
#[derive(Debug, Clone, PartialEq)]
pub struct TokenRequest {
    /// Who it is for, for people and reports.
    pub subject: Option<String>,
    /// What it allows.
    pub scopes: Scopes,
    /// How long it is valid (an age counts from now), or until when; `None`: 30 days.
    pub ttl: Option<Moment>,
    /// US dollars that its bearer can spend a day (UTC).
    pub budget_usd: Option<f64>,
    /// Calls to models that its bearer can make a day (UTC), including retries; 1..=1,000,000.
    pub max_calls: Option<u64>,
}

impl Request for TokenRequest {
    const FIELDS: &'static [Field] = &[
        Field::new("subject", Kind::Name { min: 1 }, "Who it is for; nobody in particular by default."),
        Field::new("scope", Kind::Choices(&["read", "write", "spend", "admin"]), "What it allows; read by default."),
        Field::new("ttl", Kind::Moment, "How long it is valid, such as 12h, or until when; 30d by default."),
        Field::new(
            "budget_usd",
            Kind::Number { min: limits::MIN_BUDGET_USD, max: limits::MAX_BUDGET_USD },
            "US dollars that its bearer can spend a day (UTC). No limit by default.",
        ),
        Field::new(
            "max_calls",
            Kind::Integer { min: 1, max: limits::MAX_CALLS },
            "Calls to models that its bearer can make a day (UTC), including retries. No limit by default.",
        ),
    ];

    fn from_decoded(mut values: Decoded) -> Self {
        let scopes = values.texts("scope").unwrap_or_else(|| vec![Scope::Read.as_str().to_owned()]);
        Self {
            subject: values.text("subject"),
            scopes: scopes.iter().filter_map(|name| Scope::parse(name)).collect(),
            ttl: values.moment("ttl"),
            budget_usd: values.number("budget_usd"),
            max_calls: values.integer("max_calls"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scope_can_be_asked_for() {
        let Kind::Choices(words) = TokenRequest::FIELDS[1].kind else { panic!("it is no choice") };
        assert_eq!(words, Scope::ALL.map(Scope::as_str));
    }
}
