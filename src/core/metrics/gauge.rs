//! A gauge of things that exist, each counted as long as its guard lives.

use prometheus_client::metrics::gauge::Gauge;

/// Counts one thing in a gauge until dropped, whatever ends it.
#[derive(Debug)]
pub struct GaugeGuard(Gauge);

impl GaugeGuard {
    /// Adds one to the gauge.
    pub fn new(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for GaugeGuard {
    fn drop(&mut self) {
        self.0.dec();
    }
}
