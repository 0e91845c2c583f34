//! What a server counts of HTTP, and the text that `/metrics` answers with.
//!
//! The engine's own metrics, the server's and some of the process's are in one registry, written in
//! the Prometheus text format. Labels are bounded whatever clients send: a route is one of the table
//! or `unmatched`, a method one that the server knows or `other`.

use std::fmt;
use std::time::Duration;

use aludel_core::engine::Engine;
use aludel_core::metrics::{DURATION_BUCKETS, GaugeGuard};
use aludel_core::time::{Clock, SystemClock};
use axum::http::{Method, StatusCode};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::prometheus_text;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use super::process;
use crate::server::VERSION;
use crate::server::http::load::Load;

/// The media type of the text.
pub(super) const CONTENT_TYPE: &str = prometheus_text::CONTENT_TYPE;

/// The methods that a label names.
const METHODS: [(Method, &str); 7] = [
    (Method::GET, "GET"),
    (Method::HEAD, "HEAD"),
    (Method::POST, "POST"),
    (Method::PUT, "PUT"),
    (Method::PATCH, "PATCH"),
    (Method::DELETE, "DELETE"),
    (Method::OPTIONS, "OPTIONS"),
];

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AnswerLabels {
    method: &'static str,
    route: &'static str,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    method: &'static str,
    route: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct BuildLabels {
    version: &'static str,
}

/// The counters of one server.
#[derive(Debug)]
pub(super) struct HttpMetrics {
    registry: Registry,
    requests: Family<AnswerLabels, Counter>,
    duration: Family<RequestLabels, Histogram, fn() -> Histogram>,
    in_progress: Gauge,
    event_streams: Gauge,
    connections: Gauge,
    rate_limited: Counter,
}

impl HttpMetrics {
    /// The counters of a server over this engine that starts now.
    pub(super) fn new(engine: &Engine, load: &Load) -> Self {
        let mut metrics = Self {
            registry: Registry::default(),
            requests: Family::default(),
            duration: Family::new_with_constructor(|| Histogram::new(DURATION_BUCKETS)),
            in_progress: Gauge::default(),
            event_streams: Gauge::default(),
            connections: Gauge::default(),
            rate_limited: Counter::default(),
        };
        metrics.register();
        engine.register_metrics(&mut metrics.registry);
        let started_at = Duration::from_millis(u64::try_from(SystemClock.now().as_millisecond()).unwrap_or(0));
        metrics.registry.register_collector(Box::new(ServerState { load: load.clone(), started_at }));
        metrics
    }

    fn register(&mut self) {
        let registry = &mut self.registry;
        let about = "Requests that were answered, by method, route and status; 499 for a client that left before that";
        registry.register("aludel_http_requests", about, self.requests.clone());
        let about = "From the head of a request to the end of its answer";
        registry.register_with_unit("aludel_http_request_duration", about, Unit::Seconds, self.duration.clone());
        let about = "Requests whose answer is not complete";
        registry.register("aludel_http_requests_in_progress", about, self.in_progress.clone());
        registry.register("aludel_http_event_streams", "Event streams that are open", self.event_streams.clone());
        registry.register("aludel_http_connections", "Connections that are open", self.connections.clone());
        let about = "Requests refused because their client sent too many";
        registry.register("aludel_http_rate_limited", about, self.rate_limited.clone());
        let build = Family::<BuildLabels, Gauge>::default();
        build.get_or_create(&BuildLabels { version: VERSION }).set(1);
        registry.register("aludel_build_info", "The version that runs", build);
    }

    /// Counts a request whose answer is complete.
    pub(super) fn answered(&self, method: &Method, route: &'static str, status: StatusCode, took: Duration) {
        let method = METHODS.iter().find(|(known, _)| known == method).map_or("other", |(_, name)| *name);
        self.requests.get_or_create(&AnswerLabels { method, route, status: status.as_u16() }).inc();
        self.duration.get_or_create(&RequestLabels { method, route }).observe(took.as_secs_f64());
    }

    /// Counts a request as in progress.
    pub(super) fn request(&self) -> GaugeGuard {
        GaugeGuard::new(&self.in_progress)
    }

    /// Counts an event stream as open.
    pub(super) fn event_stream(&self) -> GaugeGuard {
        GaugeGuard::new(&self.event_streams)
    }

    /// Counts a connection as open.
    pub(super) fn connection(&self) -> GaugeGuard {
        GaugeGuard::new(&self.connections)
    }

    /// Counts a request that its client's rate did not allow.
    pub(super) fn rate_limited(&self) {
        self.rate_limited.inc();
    }

    /// All metrics as text.
    ///
    /// # Errors
    /// Fails only if a metric cannot be written, which is a defect.
    pub(super) fn text(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        prometheus_text::encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

/// What is read when the metrics are asked for: the slots of the server, and its process.
#[derive(Debug)]
struct ServerState {
    load: Load,
    /// Since 1970.
    started_at: Duration,
}

impl Collector for ServerState {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        let about = "Most requests served at once (`server.max_connections`)";
        gauge(&mut encoder, "aludel_http_request_slots", about, f64::from(self.load.slots()))?;
        let about = "Requests that are being served and hold a slot";
        gauge(&mut encoder, "aludel_http_request_slots_in_use", about, f64::from(self.load.slots_in_use()))?;
        let about = "When the server started, in seconds since 1970";
        gauge(&mut encoder, "process_start_time_seconds", about, self.started_at.as_secs_f64())?;
        for figure in process::figures() {
            gauge(&mut encoder, figure.name, figure.about, figure.value)?;
        }
        let Some(cpu) = process::cpu_time() else { return Ok(()) };
        let counter = prometheus_client::metrics::counter::ConstCounter::new(cpu.as_secs_f64());
        let about = "Processor time used, in seconds";
        counter.encode(encoder.encode_descriptor("process_cpu_seconds", about, None, counter.metric_type())?)
    }
}

fn gauge(encoder: &mut DescriptorEncoder, name: &str, about: &str, value: f64) -> fmt::Result {
    let gauge = ConstGauge::new(value);
    gauge.encode(encoder.encode_descriptor(name, about, None, gauge.metric_type())?)
}
