//! Hosts as clients write them: in `Host`, a request's target, `Origin` and `server.allowed_hosts`.
//!
//! Hosts are compared by meaning: case, a trailing dot and the spelling of an IPv6 address do not
//! matter, and a port is optional (RFC 9110, section 7.2; RFC 3986, section 3.2). Anything else is
//! not a host and matches nothing: user information, a path, an IPv6 address without brackets,
//! numbers that only some resolvers take for an address.

use std::net::{Ipv4Addr, Ipv6Addr};

/// The longest name of the domain name system, in characters.
const LONGEST_NAME: usize = 253;

/// A host and, if given, its port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::server) struct Host {
    name: Name,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Name {
    V4(Ipv4Addr),
    V6(Ipv6Addr),
    /// In lower case, without a trailing dot.
    Dns(String),
}

impl Host {
    /// Parses `name`, `name:port`, `127.0.0.1:port` or `[::1]:port`.
    pub(in crate::server) fn parse(text: &str) -> Option<Self> {
        let (name, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (address, port) = rest.split_once(']')?;
                (Name::V6(address.parse().ok()?), if port.is_empty() { "" } else { port.strip_prefix(':')? })
            }
            None => {
                let (name, port) = text.split_once(':').unwrap_or((text, ""));
                (Name::parse(name)?, port)
            }
        };
        let port = if port.is_empty() { None } else { Some(number(port)?) };
        Some(Self { name, port })
    }

    /// Parses an entry of `server.allowed_hosts`, where an IPv6 address needs no brackets.
    pub(in crate::server) fn parse_allowed(text: &str) -> Option<Self> {
        match text.parse() {
            Ok(address) => Some(Self { name: Name::V6(address), port: None }),
            Err(_) => Self::parse(text),
        }
    }

    /// True for this machine's own names: localhost, 127.0.0.1 and `[::1]`, at any port.
    pub(in crate::server) fn is_this_machine(&self) -> bool {
        match &self.name {
            Name::V4(address) => *address == Ipv4Addr::LOCALHOST,
            Name::V6(address) => *address == Ipv6Addr::LOCALHOST,
            Name::Dns(name) => name == "localhost",
        }
    }

    /// True when `other` is this host. Without a port, this one matches any.
    pub(in crate::server) fn covers(&self, other: &Self) -> bool {
        self.name == other.name && (self.port.is_none() || self.port == other.port)
    }
}

impl Name {
    fn parse(text: &str) -> Option<Self> {
        let text = text.strip_suffix('.').unwrap_or(text);
        if let Ok(address) = text.parse() {
            return Some(Self::V4(address));
        }
        let is_name = (1..=LONGEST_NAME).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
        is_name.then(|| Self::Dns(text.to_ascii_lowercase()))
    }
}

/// A port: only digits, so `+80` is invalid.
fn number(text: &str) -> Option<u16> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_this_machine(text: &str) -> bool {
        Host::parse(text).is_some_and(|host| host.is_this_machine())
    }

    #[test]
    fn this_machine_is_known_in_every_spelling() {
        let spellings = [
            "localhost",
            "LocalHost",
            "localhost.",
            "localhost:8080",
            "localhost.:8080",
            "localhost:",
            "127.0.0.1",
            "127.0.0.1:65535",
            "[::1]",
            "[::1]:80",
            "[0:0:0:0:0:0:0:1]",
            "[0000::0001]:1",
        ];
        for text in spellings {
            assert!(is_this_machine(text), "{text}");
        }
    }

    #[test]
    fn nothing_else_is_this_machine() {
        let others = [
            "",
            ".",
            ":8080",
            "localhost..",
            "localhost.evil.example",
            "evil.localhost",
            "localhost:80:80",
            "localhost:+80",
            "localhost:65536",
            "localhost:8080@evil.example",
            "user@localhost",
            "localhost/",
            "localhost ",
            "127.0.0.2",
            "127.1",
            "0x7f.0.0.1",
            "2130706433",
            "0.0.0.0",
            "::1",
            "[::1",
            "[::1]x",
            "[::1]8080",
            "[::2]",
            "[::ffff:127.0.0.1]",
            "[::1%25lo]",
            "[127.0.0.1]",
        ];
        for text in others {
            assert!(!is_this_machine(text), "{text}");
        }
    }

    #[test]
    fn an_entry_without_a_port_covers_every_port() {
        let covers = |entry: &str, host: &str| {
            Host::parse_allowed(entry).expect("an entry").covers(&Host::parse(host).expect("a host"))
        };
        assert!(
            covers("prompts.example", "Prompts.Example.:9000")
                && covers("prompts.example:9000", "prompts.example:9000")
        );
        assert!(!covers("prompts.example:9000", "prompts.example") && !covers("prompts.example", "example"));
        assert!(
            covers("fd00::7", "[fd00::7]:80") && covers("[fd00::7]", "[fd00:0::7]") && covers("10.0.0.7", "10.0.0.7:1")
        );
    }

    #[test]
    fn what_is_no_host_is_no_entry() {
        for text in ["", "*", "*.example", "http://prompts.example", "prompts.example/", "a b", "é.example"] {
            assert_eq!(Host::parse_allowed(text), None, "{text}");
        }
    }
}
