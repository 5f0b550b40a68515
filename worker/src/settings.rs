//! The workers' settings, named as in the settings file.

use std::{thread::available_parallelism, time::Duration};

use domain::background::job::Lane;
use serde::Deserialize;

/// The workers' settings; `config.default.toml` describes each.
#[derive(Clone, Debug, Deserialize)]
pub struct WorkerSettings {
    worker_bulk_jobs: usize,
    worker_training_jobs: usize,
    worker_webhook_jobs: usize,
    queue_name: String,
    worker_drain_s: u64,
}

/// The setting `queue_name` is not valid.
#[derive(Debug, thiserror::Error)]
#[error("queue_name must have 1 to 64 letters, digits, `-` or `_`")]
pub struct InvalidQueueName;

impl WorkerSettings {
    /// Maximum number of jobs of a lane that one process runs at once.
    pub fn concurrency(&self, lane: Lane) -> usize {
        match lane {
            Lane::Bulk if self.worker_bulk_jobs == 0 => available_parallelism().map_or(2, usize::from),
            Lane::Bulk => self.worker_bulk_jobs,
            Lane::Training => self.worker_training_jobs,
            Lane::Webhooks => self.worker_webhook_jobs,
        }
    }

    /// The prefix of the queue's names.
    pub fn queue_name(&self) -> &str {
        &self.queue_name
    }

    /// How long running jobs may continue after the process was told to stop.
    pub fn drain(&self) -> Duration {
        Duration::from_secs(self.worker_drain_s)
    }

    /// # Errors
    /// If the queue's name is not valid.
    pub fn check(&self) -> Result<(), InvalidQueueName> {
        let name = &self.queue_name;
        let valid = (1..=64).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
        if valid { Ok(()) } else { Err(InvalidQueueName) }
    }
}
