//! Models that cost nothing because they run on a machine of the user's own.
//!
//! An address is private if it cannot reach the internet: loopback, private and link-local ranges
//! (RFC 1918, 4193, 3927, 4291), `localhost` (RFC 6761), `.local` (RFC 6762), `.home.arpa` (RFC
//! 8375), `.internal` (ICANN, 2024), and names without a dot; nothing that cannot be parsed.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::domain::ProviderKind;

/// True for the embedded writer, and for a model run by an Ollama at a private address.
pub(super) fn costs_nothing(kind: ProviderKind, base_url: Option<&str>, model: &str) -> bool {
    match kind {
        ProviderKind::Builtin => true,
        // The default address is this machine.
        ProviderKind::Ollama => !is_passed_on(model) && base_url.is_none_or(is_private),
        _ => false,
    }
}

/// True for models that a local Ollama forwards to ollama.com: `gpt-oss:120b-cloud`, `glm-5:cloud`.
fn is_passed_on(model: &str) -> bool {
    model.rsplit_once(':').is_some_and(|(_, tag)| tag == "cloud" || tag.ends_with("-cloud"))
}

/// True if the URL's host is on this machine or its local network.
fn is_private(url: &str) -> bool {
    let Some(host) = host(url) else { return false };
    if let Ok(ip) = host.parse::<IpAddr>() {
        return is_private_ip(ip);
    }
    let name = host.strip_suffix('.').unwrap_or(&host);
    let is_below = |domain: &str| name.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    let is_word = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    // A bare number is an IP address: `http://134744072` is 8.8.8.8.
    let is_name = name.bytes().any(|byte| byte.is_ascii_alphabetic()) && !name.starts_with("0x");
    ["localhost", "local", "home.arpa", "internal"].into_iter().any(is_below)
        || (!name.is_empty() && is_word && is_name)
}

/// The host of a URL in lower case, an IPv6 address without brackets.
fn host(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    let host_and_port = authority.rsplit_once('@').map_or(authority, |(_, after)| after);
    let host = match host_and_port.strip_prefix('[') {
        Some(six) => six.split_once(']')?.0,
        None => host_and_port.split(':').next()?,
    };
    Some(host.to_ascii_lowercase())
}

fn is_private_ip(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(four) => is_private_v4(four),
        IpAddr::V6(six) => six.to_ipv4_mapped().map_or_else(|| is_private_v6(six), is_private_v4),
    }
}

fn is_private_v4(ip: Ipv4Addr) -> bool {
    ip.is_loopback() || ip.is_private() || ip.is_link_local() || ip.is_unspecified()
}

fn is_private_v6(ip: Ipv6Addr) -> bool {
    ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local() || ip.is_unspecified()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_this_machine_and_its_network_are_private() {
        for url in [
            "http://localhost:11434",
            "http://LOCALHOST/",
            "http://127.0.0.1:11434",
            "http://[::1]:11434",
            "http://[::ffff:10.0.0.1]",
            "http://10.1.2.3",
            "https://192.168.0.9/ollama",
            "http://172.16.5.5:1",
            "http://169.254.1.1",
            "http://[fd00::1]:11434",
            "http://0.0.0.0:11434",
            "http://gpu-box:11434",
            "http://gpu.local",
            "http://ollama.home.arpa:11434",
            "http://host.docker.internal:11434",
        ] {
            assert!(is_private(url), "{url}");
        }
    }

    #[test]
    fn all_other_addresses_are_not() {
        for url in [
            "https://ollama.com",
            "http://8.8.8.8",
            "http://172.32.0.1",
            "http://[2001:db8::1]",
            "http://[::ffff:8.8.8.8]",
            "http://localhost.example.com",
            "http://notlocal.example",
            "http://mylocalhost.com",
            "http://127.0.0.1@ollama.com",
            "http://134744072",
            "http://0x08080808",
            "localhost:11434",
            "http://",
            "",
        ] {
            assert!(!is_private(url), "{url}");
        }
    }

    #[test]
    fn only_what_is_answered_here_costs_nothing() {
        let free = |kind, url, model| costs_nothing(kind, url, model);
        assert!(free(ProviderKind::Builtin, None, "aludel"));
        assert!(free(ProviderKind::Ollama, None, "qwen3:8b"));
        assert!(free(ProviderKind::Ollama, Some("http://gpu-box:11434"), "cloudy"));
        assert!(!free(ProviderKind::Ollama, None, "gpt-oss:120b-cloud"));
        assert!(!free(ProviderKind::Ollama, None, "glm-5:cloud"));
        assert!(!free(ProviderKind::Ollama, Some("https://ollama.com"), "qwen3:8b"));
        assert!(!free(ProviderKind::OpenAi, Some("http://127.0.0.1:8000/v1"), "qwen3"));
        assert!(!free(ProviderKind::Sim, None, "scripted"));
    }
}
