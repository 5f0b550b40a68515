//! What the process has used so far, read from `/proc` (Linux).

use std::{fs, time::Duration};

use anyhow::Context as _;

/// CPU time of all living threads, from the first field of each `schedstat`, in milliseconds. The kernel adds a
/// thread's time when it leaves the core, hence the short sleep.
pub(crate) fn cpu_ms() -> anyhow::Result<f64> {
    std::thread::sleep(Duration::from_micros(1));
    let mut nanoseconds = 0.0;
    for task in fs::read_dir("/proc/self/task")? {
        // A thread may end before its file is read.
        let Ok(line) = fs::read_to_string(task?.path().join("schedstat")) else { continue };
        nanoseconds += line.split(' ').next().context("schedstat is empty")?.parse::<f64>()?;
    }
    Ok(nanoseconds / 1e6)
}

/// CPU time of the process, threads that have ended included, in seconds; it is counted in ticks of 10 ms.
pub(crate) fn process_seconds() -> anyhow::Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let (_, after_name) = stat.rsplit_once(") ").context("stat has no name")?;
    let ticks: Result<Vec<u64>, _> = after_name.split(' ').skip(11).take(2).map(str::parse).collect();
    Ok(ticks?.iter().sum::<u64>() as f64 / 1e2)
}

/// Resident memory now, in MiB.
pub(crate) fn resident_mb() -> anyhow::Result<u64> {
    status_mb("VmRSS:")
}

/// The most resident memory so far, in MiB.
pub(crate) fn peak_mb() -> anyhow::Result<u64> {
    status_mb("VmHWM:")
}

fn status_mb(field: &str) -> anyhow::Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with(field)).context("no such line")?;
    Ok(line.split_whitespace().nth(1).context("no value")?.parse::<u64>()? / 1024)
}
