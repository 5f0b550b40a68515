//! What operators' tools ask of a process: its health and its metrics.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use domain::services::{ProbeResults, Probes, Services};
use metrics_exporter_prometheus::PrometheusHandle;

/// The health and the metrics of a process. Cheap to clone.
#[derive(Clone)]
pub struct ProcessStatus {
    probes: Arc<Probes>,
    metrics: PrometheusHandle,
    stopping: Arc<AtomicBool>,
}

impl ProcessStatus {
    pub fn new(services: Services, metrics: PrometheusHandle) -> Self {
        Self { probes: Arc::new(Probes::new(services)), metrics, stopping: Arc::default() }
    }

    /// Answers `/readyz` with 503 from now on.
    pub fn stop_being_ready(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// The probes of the health, which share their results.
    pub(crate) fn probes(&self) -> Arc<Probes> {
        self.probes.clone()
    }

    pub(crate) async fn probe(&self) -> ProbeResults {
        self.probes.read().await
    }

    /// All metrics in Prometheus' text format.
    pub(crate) fn metrics(&self) -> String {
        // It is recorded as a gauge because the counters of `metrics` are whole numbers.
        let kind = "# TYPE process_cpu_seconds_total ";
        self.metrics.render().replacen(&format!("{kind}gauge"), &format!("{kind}counter"), 1)
    }
}
