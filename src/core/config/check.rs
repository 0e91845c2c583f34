//! Checks values against each other.
//!
//! Runs on the merged values, so a binding in the file can name a provider from the environment.
//! Values that depend on an environment that was not read are assumed to be right.

use serde_json::Value;

use super::Paths;
use super::address::is_in_the_clear;
use super::bindings::split_target;
use super::keys;
use super::merge::Merged;
use super::origin::OriginKind;
use super::settings::sounds_secret;
use crate::domain::{Phase, ProviderKind};
use crate::redact;

/// The shortest secret that can sign tokens: HS256 needs its hash's length (RFC 7518, section 3.2).
pub const SHORTEST_AUTH_SECRET: usize = 32;

/// Adds a fault for every contradiction.
pub(super) fn check(merged: &mut Merged, paths: &Paths) {
    for (key, message) in faults(merged) {
        merged.fault_at(&key, paths, message);
    }
}

fn faults(merged: &Merged) -> Vec<(String, String)> {
    let mut faults = Vec::new();
    for name in &merged.providers {
        let key = |leaf: &str| format!("providers.{name}.{leaf}");
        if ProviderKind::parse(name).is_none() && !merged.is_set(&key("kind")) {
            let kinds = ProviderKind::ALL.map(ProviderKind::as_str).join(", ");
            let message = format!("`{name}` is not a kind of provider, so it needs a `kind` ({kinds})");
            faults.push((format!("providers.{name}"), message));
        }
        let both_in_file = ["api_key", "api_key_cmd"]
            .iter()
            .all(|leaf| merged.origins.places.get(&key(leaf)) == Some(&OriginKind::File));
        if both_in_file {
            faults.push((key("api_key_cmd"), "is set together with `api_key`; keep one of the two".to_owned()));
        }
        if sends_a_key_in_the_clear(merged, name) {
            let message = format!(
                "is plain http to another machine, so the key would be sent unencrypted; write https://, or set `providers.{name}.allow_http: true` where the network is trusted"
            );
            faults.push((key("base_url"), message));
        }
    }
    let mut bindings: Vec<(String, &str)> = Vec::new();
    for phase in Phase::ALL {
        let provider = format!("phases.{phase}.provider");
        bindings.extend(merged.text(&provider).map(|name| (provider.clone(), name)));
        let fallback = format!("phases.{phase}.fallback");
        for target in merged.known(&fallback).and_then(Value::as_array).into_iter().flatten() {
            let (name, model) = split_target(target.as_str().unwrap_or_default());
            if model == Some("") {
                let message = format!("`{}/` names no model; remove the slash, or add the model", redact::mask(name));
                faults.push((fallback.clone(), message));
            }
            bindings.push((fallback.clone(), name));
        }
    }
    bindings.extend(merged.text("judge.provider").map(|name| ("judge.provider".to_owned(), name)));
    let embedding = "generation.default_embedding_model";
    if let Some(target) = merged.text(embedding) {
        let (name, model) = split_target(target);
        if model == Some("") {
            let message = format!("`{}/` names no model; remove the slash, or add the model", redact::mask(name));
            faults.push((embedding.to_owned(), message));
        }
        bindings.push((embedding.to_owned(), name));
    }
    for (key, name) in bindings {
        if !is_provider(merged, name) {
            faults.push((key, unknown_provider(merged, name)));
        }
    }
    if merged.known("server.auth.enabled") == Some(&Value::Bool(true)) {
        let key = "server.auth.secret";
        if !merged.is_set(key) {
            let message = format!(
                "is needed when `server.auth.enabled` is true: {SHORTEST_AUTH_SECRET} bytes or more, best as ${{NAME}} of an environment variable"
            );
            faults.push((key.to_owned(), message));
        } else if let Some(secret) = merged.text(key)
            && secret.len() < SHORTEST_AUTH_SECRET
        {
            let message = format!("expected {SHORTEST_AUTH_SECRET} bytes or more, got {}", secret.len());
            faults.push((key.to_owned(), message));
        }
    }
    faults
}

/// True when a provider on another machine would get a configured key over plain HTTP.
fn sends_a_key_in_the_clear(merged: &Merged, name: &str) -> bool {
    let key = |leaf: &str| format!("providers.{name}.{leaf}");
    let headers = key("headers.");
    let has_secret_header = || {
        let mut names = merged.values.keys().filter_map(|set| set.strip_prefix(&headers));
        names.any(sounds_secret)
    };
    merged.text(&key("base_url")).is_some_and(is_in_the_clear)
        && (merged.is_set(&key("api_key")) || merged.is_set(&key("api_key_cmd")) || has_secret_header())
        && merged.known(&key("allow_http")) != Some(&Value::Bool(true))
}

/// True for a configured provider or the name of a kind.
fn is_provider(merged: &Merged, name: &str) -> bool {
    merged.providers.iter().any(|known| known == name) || ProviderKind::parse(name).is_some()
}

fn unknown_provider(merged: &Merged, name: &str) -> String {
    let kinds = ProviderKind::ALL.map(ProviderKind::as_str);
    let known = || merged.providers.iter().map(String::as_str).chain(kinds);
    let shown = redact::mask(name);
    match keys::nearest(name, known()) {
        Some(nearest) => format!("`{shown}` is not a provider; did you mean `{nearest}`?"),
        None => format!("`{shown}` is not a provider; add `providers.{shown}`, or name one of {}", kinds.join(", ")),
    }
}
