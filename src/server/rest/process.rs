//! What the system knows of this process, as far as it is cheap to ask: the figures that the
//! Prometheus client libraries report of every process, under their standard names.
//!
//! On Linux from `/proc/self` (proc(5)); nothing on other systems, where only the processor time is
//! known.

use std::time::Duration;

/// A figure and its metric.
#[derive(Debug)]
pub(super) struct ProcessFigure {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) value: f64,
}

/// The figures that are known here.
#[cfg(target_os = "linux")]
pub(super) fn figures() -> Vec<ProcessFigure> {
    let memory = std::fs::read_to_string("/proc/self/status").ok().and_then(|status| resident_bytes(&status));
    let open = std::fs::read_dir("/proc/self/fd").ok().map(|open| open.count() as f64);
    let most = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.map(|most| most as f64);
    let figures = [
        ("process_resident_memory_bytes", "Memory in use, in bytes", memory),
        ("process_open_fds", "File descriptors that are open", open),
        ("process_max_fds", "Most file descriptors that may be open", most),
    ];
    let known = figures.into_iter().filter_map(|(name, about, value)| Some((name, about, value?)));
    known.map(|(name, about, value)| ProcessFigure { name, about, value }).collect()
}

/// Nothing is known.
#[cfg(not(target_os = "linux"))]
pub(super) fn figures() -> Vec<ProcessFigure> {
    Vec::new()
}

/// The memory in `/proc/self/status`, whose unit is always kB, meaning 1024 bytes.
#[cfg(any(target_os = "linux", test))]
fn resident_bytes(status: &str) -> Option<f64> {
    let rest = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(rest.trim().strip_suffix("kB")?.trim().parse::<f64>().ok()? * 1024.0)
}

/// The processor time of all threads so far.
#[cfg(unix)]
pub(super) fn cpu_time() -> Option<Duration> {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(Duration::new(u64::try_from(used.tv_sec).ok()?, u32::try_from(used.tv_nsec).ok()?))
}

/// Unknown on other systems.
#[cfg(not(unix))]
pub(super) fn cpu_time() -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_in_bytes() {
        assert_eq!(resident_bytes("Name:\taludel\nVmRSS:\t    2048 kB\nVmData:\t1 kB\n"), Some(2_097_152.0));
        assert_eq!(resident_bytes("Name:\taludel\n"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_has_memory_descriptors_and_time() {
        let figures = figures();
        assert_eq!(figures.len(), 3);
        assert!(figures.iter().all(|figure| figure.value > 0.0), "{figures:?}");
        assert!(cpu_time().unwrap() > Duration::ZERO);
    }
}
