//! Checks where a server can listen, and binds it.
//!
//! By default only on this machine: without `server.auth`, a server that listens beyond loopback is
//! open to its whole network. A host name is resolved once; all its addresses must be
//! loopback, and those addresses are bound. Hosts and origins that are none are rejected here, too.

use std::net::{IpAddr, SocketAddr};

use aludel_core::config::ServerConfig;
use aludel_core::engine::Engine;
use aludel_core::error::{ConfigError, ConfigFault, Error, Result};
use tokio::net::{TcpListener, lookup_host};

use super::cors;
use super::host::Host;
use super::serve::Options;

/// Binds the listener.
///
/// # Errors
/// `config_invalid` when the configuration asks for what this server cannot do, or does not allow
/// this address; `conflict` when binding fails.
pub(in crate::server) async fn listen(engine: &Engine, options: &Options) -> Result<TcpListener> {
    let mut faults = faults_of(&engine.config().server);
    let resolved = lookup_host((bindable(&options.host), options.port)).await.map(Vec::from_iter);
    let server = &engine.config().server;
    if let Ok(addresses) = &resolved {
        faults.extend(exposure(options, addresses, server.auth.enabled || server.insecure_no_auth));
    }
    if !faults.is_empty() {
        let placed = |(key, message)| engine.origins().fault(engine.paths(), key, message);
        return Err(ConfigError { faults: faults.into_iter().map(placed).collect::<Vec<ConfigFault>>() }.into());
    }
    let unreachable = |error: &std::io::Error| Error::Conflict(explain(options, error));
    let addresses = resolved.map_err(|error| unreachable(&error))?;
    TcpListener::bind(addresses.as_slice()).await.map_err(|error| unreachable(&error))
}

/// The warning at the start of a server that others can reach.
pub(in crate::server) fn warning(address: SocketAddr, config: &ServerConfig) -> Option<String> {
    if is_this_machine(address.ip()) {
        return None;
    }
    let mut text = if config.auth.enabled {
        format!(
            "warning: {address} is plain HTTP: whoever can read the traffic can use the tokens in it; put a proxy with TLS in front of the server"
        )
    } else {
        format!(
            "warning: anyone who can reach {address} can read the stored prompts and spend on the providers: requests need no token (`server.insecure_no_auth`)"
        )
    };
    if config.allowed_hosts.is_empty() {
        text += "\nwarning: clients on other machines are refused until the name they call this server by is in `server.allowed_hosts`";
    }
    Some(text)
}

/// The address to bind for a host as people write it. `localhost` is always 127.0.0.1.
fn bindable(host: &str) -> &str {
    if host.eq_ignore_ascii_case("localhost") {
        return "127.0.0.1";
    }
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
}

/// True for 127.0.0.0/8 and ::1, including IPv4 mapped into IPv6.
fn is_this_machine(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

/// A key and its fault.
type KeyFault = (&'static str, String);

/// The fault of listening beyond this machine without permission.
fn exposure(options: &Options, addresses: &[SocketAddr], is_allowed: bool) -> Option<KeyFault> {
    let address = addresses.iter().map(SocketAddr::ip).find(|address| !is_this_machine(*address))?;
    if is_allowed {
        return None;
    }
    let host = &options.host;
    let meaning =
        if bindable(host).parse::<IpAddr>().is_ok() { String::new() } else { format!(", which is {address},") };
    Some((
        "server.host",
        format!(
            "listening on {host}{meaning} would open the server to other machines, and requests need no token: \
             set `server.auth.enabled: true` and `server.auth.secret`, use localhost, or allow it with `--insecure-no-auth` \
             (in the configuration `server.insecure_no_auth: true`)"
        ),
    ))
}

fn faults_of(server: &ServerConfig) -> Vec<KeyFault> {
    let no_host = server.allowed_hosts.iter().filter(|text| Host::parse_allowed(text).is_none()).map(|text| {
        let shown: String = text.chars().take(60).collect();
        (
            "server.allowed_hosts",
            format!(
                "`{shown}` is not a host: write a name or an address, with a port or without, such as prompts.example"
            ),
        )
    });
    no_host.chain(cors::faults(server)).collect()
}

fn explain(options: &Options, error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    let Options { host, port } = options;
    match error.kind() {
        ErrorKind::AddrInUse => {
            format!(
                "port {port} of {host} is in use: stop what listens there, or choose another with `--port` (0 takes any that is free)"
            )
        }
        ErrorKind::PermissionDenied => {
            format!(
                "port {port} of {host} needs rights this program does not have: choose one from 1024 up with `--port`"
            )
        }
        ErrorKind::AddrNotAvailable => {
            format!("{host} is not an address of this machine: choose another with `--host`, such as localhost")
        }
        _ => format!("cannot listen on port {port} of {host}: {error}; choose another with `--host` or `--port`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(list: &[&str]) -> Vec<SocketAddr> {
        list.iter().map(|address| SocketAddr::new(address.parse().unwrap(), 80)).collect()
    }

    fn fault(host: &str, list: &[&str], is_allowed: bool) -> Option<KeyFault> {
        exposure(&Options { host: host.into(), port: 80 }, &addresses(list), is_allowed)
    }

    #[test]
    fn every_address_of_a_host_must_be_this_machines() {
        for list in [&["127.0.0.1"][..], &["127.8.9.10", "::1"], &["::ffff:127.0.0.1"]] {
            assert_eq!(fault("here", list, false), None, "{list:?}");
        }
        for list in [&["0.0.0.0"][..], &["::"], &["127.0.0.1", "192.168.1.2"], &["::ffff:10.0.0.1"], &["fe80::1"]] {
            assert_eq!(fault("there", list, false).unwrap().0, "server.host", "{list:?}");
            assert_eq!(fault("there", list, true), None, "{list:?}");
        }
    }

    #[test]
    fn a_refused_address_is_told_with_what_to_do() {
        let (_, text) = fault("0.0.0.0", &["0.0.0.0"], false).unwrap();
        assert!(text.starts_with("listening on 0.0.0.0 would"), "{text}");
        assert!(text.contains("--insecure-no-auth") && text.contains("server.insecure_no_auth: true"), "{text}");
        let (_, text) = fault("office", &["127.0.0.1", "10.0.0.7"], false).unwrap();
        assert!(text.starts_with("listening on office, which is 10.0.0.7, would"), "{text}");
    }
}
