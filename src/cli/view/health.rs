//! How a server is, with a line for each thing that it depends on.

use aludel_core::domain::{HealthReport, HealthStatus};

use super::page::{Page, Role};
use super::symbols::{BAD, GOOD};

/// Writes the report.
pub(crate) fn health(page: &mut Page, report: &HealthReport) {
    let widest = report.dependencies.iter().map(|dependency| dependency.name.chars().count()).max().unwrap_or(0);
    for dependency in &report.dependencies {
        let (mark, role) = mark(dependency.status);
        let took = dependency.latency_ms.map_or_else(String::new, |ms| format!("{ms} ms"));
        let detail = dependency.detail.as_deref().unwrap_or_default();
        let line = format!("{:widest$}  {took:>7}  {detail}", dependency.name);
        page.marked(role, mark, line.trim_end(), widest + 13);
    }
    if !report.dependencies.is_empty() {
        page.gap();
    }
    let (_, role) = mark(report.status);
    let HealthReport { status, version, uptime, .. } = report;
    page.painted(role, &format!("{}: aludel {version}, up for {uptime}", status.as_str()));
}

fn mark(status: HealthStatus) -> (&'static str, Role) {
    match status {
        HealthStatus::Ok => (GOOD.as_str(), Role::Good),
        HealthStatus::Degraded => ("!", Role::Warning),
        HealthStatus::Down => (BAD.as_str(), Role::Bad),
    }
}
