//! Tokens made and verified by the same key. What other makers send is tested at the servers, with
//! an independent maker.

use super::*;
use crate::time::from_millis;

const NOW: i64 = 1_790_000_000;

fn key() -> TokenKey {
    keyed(None, None)
}

fn keyed(issuer: Option<&str>, audience: Option<&str>) -> TokenKey {
    TokenKey::new(&AuthConfig {
        enabled: true,
        kind: "jwt".into(),
        secret: Some("0123456789abcdef0123456789abcdef".into()),
        issuer: issuer.map(str::to_owned),
        audience: audience.map(str::to_owned),
    })
    .unwrap()
}

fn claims() -> NewClaims {
    NewClaims {
        sub: Some("ci".into()),
        jti: "one".into(),
        iat: NOW,
        exp: NOW + 600,
        scope: "read spend".into(),
        budget_usd: Some(2.5),
        max_calls: Some(7),
    }
}

fn at(seconds: i64) -> Timestamp {
    from_millis(seconds * 1000)
}

#[test]
fn a_token_says_who_calls_what_they_may_and_what_they_may_spend() {
    let token = key().sign(&claims()).unwrap();
    let Bearer { caller, scopes } = key().verify(&token, at(NOW)).unwrap();
    assert_eq!(caller.id, "ci/one");
    assert_eq!((caller.budget.unwrap().dollars(), caller.max_calls), (2.5, Some(7)));
    assert_eq!(scopes, Scopes::parse("read spend"));
}

#[test]
fn clocks_may_differ_by_half_a_minute() {
    let token = key().sign(&claims()).unwrap();
    let verify = |at| key().verify(&token, at).map(|_| ());
    assert_eq!(verify(from_millis((NOW + 630) * 1000 - 1)), Ok(()));
    assert_eq!(verify(at(NOW + 630)), Err(TokenError::Expired));
}

#[test]
fn a_token_that_was_valid_expires_and_a_changed_one_is_another() {
    let key = key();
    let token = key.sign(&claims()).unwrap();
    for _ in 0..2 {
        assert_eq!(key.verify(&token, at(NOW)).map(|bearer| bearer.caller.id.clone()), Ok("ci/one".into()));
    }
    assert_eq!(key.verify(&token, at(NOW + 631)), Err(TokenError::Expired));
    assert!(key.verify(&token, at(NOW)).is_ok());
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let forged = format!("{signed}.{}", signature.chars().rev().collect::<String>());
    assert_eq!(key.verify(&forged, at(NOW)), Err(TokenError::Invalid));
}

#[test]
fn another_secret_makes_another_signature() {
    let other = TokenKey::new(&AuthConfig {
        enabled: true,
        kind: "jwt".into(),
        secret: Some("another secret of 32 bytes or more".into()),
        issuer: None,
        audience: None,
    });
    let token = other.unwrap().sign(&claims()).unwrap();
    assert_eq!(key().verify(&token, at(NOW)).map(|_| ()), Err(TokenError::Invalid));
}

#[test]
fn issuer_and_audience_are_given_and_wanted() {
    let token = keyed(Some("us"), Some("them")).sign(&claims()).unwrap();
    let verify = |key: TokenKey| key.verify(&token, at(NOW)).map(|_| ());
    assert_eq!(verify(key()), Ok(()));
    assert_eq!(verify(keyed(Some("us"), Some("them"))), Ok(()));
    let refused = |claim| Err(TokenError::Claim { claim, wrong: "is not this server's" });
    assert_eq!(verify(keyed(Some("you"), Some("them"))), refused("iss"));
    assert_eq!(verify(keyed(Some("us"), Some("you"))), refused("aud"));
    let bare = key().sign(&claims()).unwrap();
    assert_eq!(keyed(Some("us"), None).verify(&bare, at(NOW)).map(|_| ()), refused("iss"));
    assert_eq!(keyed(None, Some("them")).verify(&bare, at(NOW)).map(|_| ()), refused("aud"));
}

#[test]
fn a_short_secret_makes_no_key_and_a_key_is_never_shown() {
    let config = |secret: Option<&str>| AuthConfig {
        enabled: true,
        kind: "jwt".into(),
        secret: secret.map(Into::into),
        issuer: None,
        audience: None,
    };
    assert!(TokenKey::new(&config(None)).is_none());
    assert!(TokenKey::new(&config(Some(&"s".repeat(31)))).is_none());
    let shown = format!("{:?}", TokenKey::new(&config(Some(&"canary".repeat(8)))).unwrap());
    assert!(!shown.contains("canary"), "{shown}");
}
