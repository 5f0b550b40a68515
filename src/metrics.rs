//! The descriptions of all metrics, and the metrics of the process itself. Other metrics are recorded where they occur.

use std::time::Duration;

use metrics::Unit;
use metrics_exporter_prometheus::{
    Matcher::{Full, Suffix},
    PrometheusBuilder, PrometheusHandle,
};

/// Upper bounds of the histogram buckets of durations, in seconds.
const DURATION_BUCKETS: [f64; 12] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];
/// Upper bounds of the histogram buckets of group sizes.
const GROUP_SIZE_BUCKETS: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

/// The counters, with their `# HELP` texts.
const COUNTERS: [(&str, &str); 15] = [
    ("gavel_requests_total", "Requests answered."),
    ("gavel_actions_total", "Messages moderated, by recommended action."),
    ("gavel_millicredits_total", "Thousandths of a credit moved in the ledger, by kind of entry."),
    ("gavel_backend_requests_total", "Inferences sent to each backend."),
    ("gavel_backend_retries_total", "Retries of requests to a server."),
    ("gavel_database_statements_total", "SQL statements, except those that begin or end transactions."),
    ("gavel_events_lost_total", "Events for subscriptions that could not be sent."),
    ("gavel_sign_ins_refused_total", "Sign-ins refused because of too many attempts."),
    ("gavel_mails_total", "E-mails, by outcome: sent or failed."),
    ("gavel_proofs_of_work_refused_total", "Sign-ins and sign-ups refused because of their proof of work."),
    ("gavel_holds_expired_total", "Holds that expired because a process died."),
    ("gavel_job_runs_total", "Runs of background jobs, by kind and outcome."),
    ("gavel_webhook_attempts_total", "Attempts to send webhooks, by outcome."),
    ("gavel_worker_restarts_total", "Restarts of a worker after its queue failed, by lane."),
    (
        "gavel_charges_in_doubt_total",
        "Charges with an unknown outcome, which were answered with 500 and are checked later.",
    ),
];
/// The histograms of durations.
const DURATIONS: [(&str, &str); 7] = [
    ("gavel_request_seconds", "Duration of requests."),
    ("gavel_engine_seconds", "Time that the model takes for a request."),
    ("gavel_job_seconds", "Duration of background job runs."),
    ("gavel_job_wait_seconds", "Time from when a background job is due until it starts."),
    ("gavel_webhook_seconds", "Duration of each attempt to send a webhook."),
    ("gavel_image_fetch_seconds", "Duration of picture downloads."),
    ("gavel_backend_upstream_seconds", "Duration of each attempt at a server."),
];

/// The metrics of the process, recorded as gauges under the names that Prometheus client libraries use.
/// `ProcessStatus::metrics` shows the processor time as the counter that it is.
const PROCESS: [(&str, &str); 6] = [
    ("process_cpu_seconds_total", "Processor time of the process, in seconds."),
    ("process_resident_memory_bytes", "Memory of the process, in bytes."),
    ("process_virtual_memory_bytes", "Address space of the process, in bytes."),
    ("process_threads", "Threads of the process."),
    ("process_open_fds", "Open files and connections of the process."),
    ("process_start_time_seconds", "When the process started, in seconds since 1970."),
];
/// Linux counts processor time in hundredths of a second on all architectures.
const TICKS_PER_SECOND: f64 = 100.0;

/// Updates the metrics of the process, and lets the exporter tidy up, every few seconds.
pub(crate) fn start_upkeep(exporter: PrometheusHandle) {
    tokio::spawn(async move {
        let mut every = tokio::time::interval(Duration::from_secs(5));
        loop {
            every.tick().await;
            read_process();
            exporter.run_upkeep();
        }
    });
}

/// Installs the recorder of the process's metrics.
pub(crate) fn install() -> anyhow::Result<PrometheusHandle> {
    let handle = PrometheusBuilder::new()
        .set_buckets_for_metric(Suffix("_seconds".to_owned()), &DURATION_BUCKETS)?
        .set_buckets_for_metric(Full("gavel_charge_group_size".to_owned()), &GROUP_SIZE_BUCKETS)?
        .install_recorder()?;
    for (name, help) in COUNTERS {
        metrics::describe_counter!(name, help);
    }
    for (name, help) in DURATIONS {
        metrics::describe_histogram!(name, Unit::Seconds, help);
    }
    metrics::describe_histogram!("gavel_charge_group_size", "Charges in one commit.");
    metrics::describe_gauge!(
        "gavel_backend_breaker_state",
        "Circuit breaker of a backend: 0 closed, 1 half open, 2 open."
    );
    metrics::describe_gauge!("gavel_jobs", "Background jobs that are queued or running.");
    metrics::describe_gauge!(
        "gavel_jobs_oldest_seconds",
        "How long the oldest queued or running job has been due."
    );
    metrics::describe_gauge!("gavel_build_info", "Always 1; the label is the version.");
    for (name, help) in PROCESS {
        metrics::describe_gauge!(name, help);
    }
    metrics::gauge!("process_start_time_seconds").set(chrono::Utc::now().timestamp() as f64);
    metrics::gauge!("gavel_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    Ok(handle)
}

/// Updates the metrics of the process from `/proc/self`, which only Linux has.
fn read_process() {
    let stat = proc_file("stat");
    if let (Some(user), Some(system)) = (ticks(&stat, 14), ticks(&stat, 15)) {
        metrics::gauge!("process_cpu_seconds_total").set((user + system) / TICKS_PER_SECOND);
    }
    let status = proc_file("status");
    for (metric, name) in
        [("process_resident_memory_bytes", "VmRSS:"), ("process_virtual_memory_bytes", "VmSize:")]
    {
        if let Some(kilobytes) = number(&status, name) {
            metrics::gauge!(metric).set(kilobytes * 1024.0);
        }
    }
    if let Some(threads) = number(&status, "Threads:") {
        metrics::gauge!("process_threads").set(threads);
    }
    if let Ok(files) = std::fs::read_dir("/proc/self/fd") {
        metrics::gauge!("process_open_fds").set(files.count() as f64);
    }
}

fn proc_file(name: &str) -> String {
    std::fs::read_to_string(format!("/proc/self/{name}")).unwrap_or_default()
}

/// A field of `/proc/self/stat`, numbered as in proc(5).
fn ticks(stat: &str, field: usize) -> Option<f64> {
    // The second field, the name in parentheses, may contain spaces.
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_whitespace().nth(field - 3)?.parse().ok()
}

/// The number after `name` in `/proc/self/status`.
fn number(status: &str, name: &str) -> Option<f64> {
    let value = status.lines().find_map(|line| line.strip_prefix(name))?;
    value.split_whitespace().next()?.parse().ok()
}
