//! Limits how fast one client may send requests.
//!
//! Every client has a bucket of `server.rate_limiting.burst` requests, refilled at
//! `requests_per_minute`. A client is the token that it presented, else the address it calls from;
//! an IPv6 client has a whole /64 (RFC 6177), which counts as one. Answers carry `RateLimit-Policy`
//! and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11), refusals `Retry-After` too.
//!
//! Memory is bounded: a full bucket is forgotten, and beyond [`MOST_CLIENTS`] clients share
//! [`SHARED_BUCKETS`] buckets until there are fewer.

use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use aludel_core::config::RateLimitConfig;
use aludel_core::engine::RequestContext;
use aludel_core::error::{Code, Error, Problem};
use aludel_core::ledger::Caller;
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue};
use governor::clock::{Clock, MonotonicClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DashMapStateStore;
use governor::{Quota, RateLimiter};

use super::connections::Connection;
use super::error::Refusal;

/// The policy of the server, as a structured field.
pub(super) const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
/// What is left to the client, as a structured field.
pub(super) const LIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// Most clients with a bucket of their own.
const MOST_CLIENTS: usize = 100_000;
/// Buckets for all clients while there are more than that.
const SHARED_BUCKETS: u16 = 4096;
/// Requests between two removals of full buckets.
const SWEEP_EVERY: u32 = 10_000;

/// Whose bucket a request is taken from.
#[derive(Debug, Clone)]
enum Client {
    Token(Arc<Caller>),
    Address(IpAddr),
    /// Requests that did not come over a socket.
    Unknown,
    Shared(u64),
}

impl Client {
    fn of(extensions: &Extensions) -> Self {
        let caller = extensions.get::<RequestContext>().and_then(|context| context.caller.clone());
        let address = || extensions.get::<Connection>().map(|connection| network(connection.peer().ip()));
        caller.map(Self::Token).or_else(|| address().map(Self::Address)).unwrap_or(Self::Unknown)
    }

    fn identity(&self) -> (u8, &[u8], u64) {
        match self {
            Self::Token(caller) => (0, caller.id.as_bytes(), 0),
            Self::Address(IpAddr::V4(address)) => (1, &[], u64::from(address.to_bits())),
            Self::Address(IpAddr::V6(address)) => (2, &[], (address.to_bits() >> 64) as u64),
            Self::Unknown => (3, &[], 0),
            Self::Shared(bucket) => (4, &[], *bucket),
        }
    }
}

impl PartialEq for Client {
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for Client {}

impl Hash for Client {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

/// The part of an address that belongs to one client.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
        v4 @ IpAddr::V4(_) => v4,
    }
}

/// The limiter of one server.
pub(super) struct RateLimit<C: Clock = MonotonicClock> {
    buckets: RateLimiter<Client, DashMapStateStore<Client>, C, StateInformationMiddleware>,
    clock: C,
    config: RateLimitConfig,
    burst: u32,
    /// The time in which one request is refilled.
    refill: Duration,
    policy: HeaderValue,
    requests: AtomicU32,
    most_clients: usize,
    is_crowded: AtomicBool,
    hasher: RandomState,
}

/// Whether a request may pass, and what is left to its client.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Allowance {
    /// Requests that may follow at once.
    remaining: u32,
    /// Seconds until the bucket is full or, for a refused request, until the next one may pass.
    wait_s: u64,
    refused: bool,
}

impl RateLimit {
    /// The limiter, if it is configured.
    pub(super) fn new(config: &RateLimitConfig) -> Option<Self> {
        config.enabled.then(|| Self::with_clock(config, MonotonicClock))
    }
}

impl<C: Clock + Clone> RateLimit<C> {
    fn with_clock(config: &RateLimitConfig, clock: C) -> Self {
        let (burst, per_minute) = (non_zero(config.burst), non_zero(config.requests_per_minute));
        let quota = Quota::per_minute(per_minute).allow_burst(burst);
        let refill = quota.replenish_interval();
        // The window in which a whole bucket is refilled, so that q/w is the lasting rate.
        let policy = format!("\"default\";q={burst};w={}", whole_seconds(refill * burst.get()));
        let policy = HeaderValue::try_from(policy).unwrap_or_else(|_| HeaderValue::from_static("\"default\""));
        Self {
            buckets: RateLimiter::new(quota, DashMapStateStore::default(), clock.clone()),
            clock,
            config: config.clone(),
            burst: burst.get(),
            refill,
            policy,
            requests: AtomicU32::new(0),
            most_clients: MOST_CLIENTS,
            is_crowded: AtomicBool::new(false),
            hasher: RandomState::new(),
        }
    }

    /// Takes a request out of its client's bucket.
    pub(super) fn take(&self, extensions: &Extensions) -> Allowance {
        self.take_for(Client::of(extensions))
    }

    fn take_for(&self, client: Client) -> Allowance {
        if self.requests.fetch_add(1, Ordering::Relaxed) % SWEEP_EVERY == SWEEP_EVERY - 1 {
            self.forget_full_buckets();
        }
        let client = if self.is_crowded.load(Ordering::Relaxed) {
            Client::Shared(self.hasher.hash_one(&client) % u64::from(SHARED_BUCKETS))
        } else {
            client
        };
        match self.buckets.check_key(&client) {
            Ok(state) => {
                let remaining = state.remaining_burst_capacity();
                let wait_s = whole_seconds(self.refill * self.burst.saturating_sub(remaining));
                Allowance { remaining, wait_s, refused: false }
            }
            Err(until) => {
                let wait_s = whole_seconds(until.wait_time_from(self.clock.now()));
                Allowance { remaining: 0, wait_s, refused: true }
            }
        }
    }

    fn forget_full_buckets(&self) {
        self.buckets.retain_recent();
        self.is_crowded.store(self.buckets.len() > self.most_clients, Ordering::Relaxed);
    }

    /// The refusal of a request that may not pass.
    pub(super) fn refusal(&self, allowance: &Allowance) -> Option<Refusal> {
        if !allowance.refused {
            return None;
        }
        let RateLimitConfig { requests_per_minute, burst, .. } = self.config;
        let wait = allowance.wait_s;
        let detail = format!(
            "too many requests: a client may send {requests_per_minute} a minute (`server.rate_limiting.requests_per_minute`) and {burst} at once (`burst`); try again in {wait} s"
        );
        let mut problem = Problem::from(Error::Refused { code: Code::RateLimited, detail });
        problem.retry_after_s = Some(wait as f64);
        Some(Refusal::from(problem))
    }

    /// Adds the policy and what is left of it to an answer.
    pub(super) fn describe(&self, allowance: &Allowance, headers: &mut HeaderMap) {
        let Allowance { remaining, wait_s, .. } = allowance;
        headers.insert(POLICY, self.policy.clone());
        if let Ok(value) = HeaderValue::try_from(format!("\"default\";r={remaining};t={wait_s}")) {
            headers.insert(LIMIT, value);
        }
    }
}

/// The configuration allows no 0.
fn non_zero(count: u32) -> NonZeroU32 {
    NonZeroU32::new(count).unwrap_or(NonZeroU32::MIN)
}

/// Rounded up, at least one.
fn whole_seconds(wait: Duration) -> u64 {
    (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1)
}

#[cfg(test)]
mod tests {
    use governor::clock::FakeRelativeClock;

    use super::*;

    fn limit(requests_per_minute: u32, burst: u32) -> (RateLimit<FakeRelativeClock>, FakeRelativeClock) {
        let clock = FakeRelativeClock::default();
        let config = RateLimitConfig { enabled: true, requests_per_minute, burst };
        (RateLimit::with_clock(&config, clock.clone()), clock)
    }

    fn address(text: &str) -> Client {
        Client::Address(network(text.parse().unwrap()))
    }

    fn token(id: &str) -> Client {
        use aludel_core::ledger::CapPeriod;
        Client::Token(Arc::new(Caller { id: id.into(), budget: None, max_calls: None, period: CapPeriod::Day }))
    }

    #[test]
    fn a_burst_passes_and_then_the_rate_counts() {
        let (limit, clock) = limit(30, 3);
        let one = || limit.take_for(address("192.0.2.1"));
        assert_eq!(one(), Allowance { remaining: 2, wait_s: 2, refused: false });
        assert_eq!(one(), Allowance { remaining: 1, wait_s: 4, refused: false });
        assert_eq!(one(), Allowance { remaining: 0, wait_s: 6, refused: false });
        assert_eq!(one(), Allowance { remaining: 0, wait_s: 2, refused: true });
        clock.advance(Duration::from_millis(1900));
        assert_eq!(one(), Allowance { remaining: 0, wait_s: 1, refused: true });
        clock.advance(Duration::from_millis(100));
        assert!(!one().refused && one().refused);
        clock.advance(Duration::from_mins(1));
        assert_eq!(one().remaining, 2);
    }

    #[test]
    fn what_is_told_to_wait_is_enough() {
        for (per_minute, burst) in [(1, 1), (7, 2), (60, 100), (999, 5), (1_000_000, 3)] {
            let (limit, clock) = limit(per_minute, burst);
            let one = || limit.take_for(Client::Unknown);
            let refused = (0..=burst).map(|_| one()).find(|allowance| allowance.refused).expect("a refusal");
            assert!(refused.wait_s >= 1);
            clock.advance(Duration::from_secs(refused.wait_s));
            assert!(!one().refused, "{per_minute} {burst}");
        }
    }

    #[test]
    fn every_token_and_every_network_has_its_own_bucket() {
        let (limit, _) = limit(1, 1);
        let clients = [
            address("192.0.2.1"),
            address("192.0.2.2"),
            address("2001:db8:0:1::1"),
            address("2001:db8:0:2::1"),
            token("a"),
            token("b"),
        ];
        for client in clients {
            assert!(!limit.take_for(client).refused);
        }
        for client in [address("::ffff:192.0.2.1"), address("2001:db8:0:1:ffff::9"), token("a")] {
            assert!(limit.take_for(client).refused);
        }
    }

    #[test]
    fn a_full_bucket_is_forgotten() {
        let (limit, clock) = limit(60, 100);
        for host in 0..SWEEP_EVERY - 1 {
            limit.take_for(Client::Address(IpAddr::V4(host.into())));
        }
        assert_eq!(limit.buckets.len(), SWEEP_EVERY as usize - 1);
        clock.advance(Duration::from_secs(2));
        limit.take_for(address("192.0.2.1"));
        assert_eq!(limit.buckets.len(), 1);
    }

    #[test]
    fn a_crowd_shares_buckets_until_it_is_gone() {
        let (mut limit, clock) = limit(1, 2);
        limit.most_clients = 5000;
        let crowd = |from: u32, count: u32| {
            for host in from..from + count {
                limit.take_for(Client::Address(IpAddr::V4(host.into())));
            }
        };
        crowd(0, SWEEP_EVERY);
        assert!(limit.is_crowded.load(Ordering::Relaxed));
        crowd(SWEEP_EVERY, SWEEP_EVERY * 3);
        assert!(limit.buckets.len() <= SWEEP_EVERY as usize + usize::from(SHARED_BUCKETS));
        clock.advance(Duration::from_mins(3));
        crowd(0, SWEEP_EVERY);
        assert!(!limit.is_crowded.load(Ordering::Relaxed));
        assert!(!limit.take_for(token("a")).refused);
    }
}
