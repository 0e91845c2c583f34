//! How many connections the file descriptors of this process allow.
//!
//! Many systems start programs with a soft limit of 1024 and a far higher hard one, which every
//! process may raise its own to (getrlimit(2)). The server raises it as far as it has use for.

/// Descriptors kept for everything but the connections of clients: the database, which has several
/// per thread, files, and the connections to providers.
const RESERVE: u64 = 256;
/// Descriptors kept for each request that is served.
const PER_REQUEST: u64 = 2;
/// Most connections that wait for a request or their client. An idle one takes about 12 KB.
const MOST_WAITING: u64 = 10_000;

/// The most connections to hold open, after raising the limit of descriptors.
pub(in crate::server) fn most_connections(max_connections: usize) -> usize {
    let served = max_connections as u64;
    let wanted = MOST_WAITING + served;
    let reserve = RESERVE + PER_REQUEST * served;
    let most = fitting(wanted, reserve, raise_to(wanted + reserve));
    usize::try_from(most).unwrap_or(usize::MAX)
}

/// How many connections fit; half of the descriptors if there are too few for the reserve.
fn fitting(wanted: u64, reserve: u64, descriptors: u64) -> u64 {
    descriptors.saturating_sub(reserve).max(descriptors / 2).min(wanted)
}

/// Raises the soft limit to `wanted`, or as far as it goes; returns what it then is.
#[cfg(unix)]
fn raise_to(wanted: u64) -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let current = current.unwrap_or(u64::MAX);
    let possible = wanted.min(maximum.unwrap_or(u64::MAX));
    if possible <= current {
        return current;
    }
    match setrlimit(Resource::Nofile, Rlimit { current: Some(possible), maximum }) {
        Ok(()) => possible,
        Err(error) => {
            tracing::debug!(%error, "the limit of file descriptors stays as it is");
            current
        }
    }
}

/// Systems without such a limit.
#[cfg(not(unix))]
fn raise_to(wanted: u64) -> u64 {
    wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_the_reserve_and_at_least_half() {
        assert_eq!(fitting(10_100, 456, 1_000_000), 10_100);
        assert_eq!(fitting(10_100, 456, 1024), 568);
        assert_eq!(fitting(10_100, 456, 256), 128);
    }

    #[cfg(unix)]
    #[test]
    fn a_limit_is_raised_and_never_lowered() {
        let before = raise_to(0);
        assert!(raise_to(before) == before && raise_to(1) == before);
    }
}
