//! Which addresses mean this machine, and which would send a key over the network unencrypted.
//!
//! Works on parsed URLs, so every spelling counts: `127.1`, `2130706433` and `0x7f.1` are 127.0.0.1
//! (WHATWG URL, section 3.5), and so is `[::ffff:127.0.0.1]`. A name can end in a dot. Nothing is
//! resolved: `localhost` and names below it stay on the machine (RFC 6761, section 6.3).

use std::net::IpAddr;

use url::{Host, Url};

/// True for a URL whose host is this machine. Connecting to an unspecified address (`0.0.0.0`,
/// `[::]`) also reaches this machine.
pub fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => {
            let name = name.strip_suffix('.').unwrap_or(name);
            name == "localhost" || name.ends_with(".localhost")
        }
        Some(Host::Ipv4(address)) => is_here(IpAddr::V4(address)),
        Some(Host::Ipv6(address)) => is_here(IpAddr::V6(address)),
        None => false,
    }
}

/// [`is_this_machine`] of a text; false if it is not a URL.
pub fn is_on_this_machine(url: &str) -> bool {
    Url::parse(url.trim()).is_ok_and(|url| is_this_machine(&url))
}

/// True for a URL over which everything travels unencrypted to another machine.
pub fn is_in_the_clear(url: &str) -> bool {
    Url::parse(url.trim()).is_ok_and(|url| url.scheme() == "http" && !is_this_machine(&url))
}

fn is_here(address: IpAddr) -> bool {
    let address = address.to_canonical();
    address.is_loopback() || address.is_unspecified()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_many_names() {
        for here in [
            "http://localhost:11434",
            "http://LOCALHOST",
            "http://localhost.",
            "http://localhost.:80/v1",
            "http://a.localhost/v1",
            "http://127.0.0.1",
            "http://127.9.9.9:1",
            "http://127.1",
            "http://2130706433",
            "http://0x7f.1",
            "http://0177.0.0.1",
            "https://[::1]:2/v1",
            "http://[::ffff:127.0.0.1]",
            "http://[0:0:0:0:0:ffff:7f00:1]",
            "http://0.0.0.0:8000",
            "http://[::]:8000",
        ] {
            assert!(is_on_this_machine(here) && !is_in_the_clear(here), "{here}");
        }
        for elsewhere in [
            "http://gpu-box:11434",
            "http://10.0.0.1",
            "http://192.168.1.2",
            "http://128.1",
            "http://localhost.example.com",
            "http://notlocalhost",
            "http://127.0.0.1.example.com",
            "http://[::2]",
            "http://[::ffff:10.0.0.1]",
        ] {
            assert!(!is_on_this_machine(elsewhere) && is_in_the_clear(elsewhere), "{elsewhere}");
        }
    }

    #[test]
    fn what_is_encrypted_or_no_url_is_not_in_the_clear() {
        for url in ["https://api.example.com", "HTTPS://10.0.0.1", "http://[::1", "gpu-box", ""] {
            assert!(!is_in_the_clear(url), "{url}");
        }
        assert!(is_in_the_clear(" HTTP://gpu-box"));
    }
}
