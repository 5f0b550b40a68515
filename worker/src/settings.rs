//! The workers' settings, named as in the settings file.

use std::thread::available_parallelism;

use domain::job::Lane;
use serde::Deserialize;

/// The workers' settings; `config.default.toml` describes each.
#[derive(Clone, Debug, Deserialize)]
pub struct Settings {
    worker_bulk_jobs: usize,
    worker_training_jobs: usize,
    worker_webhook_jobs: usize,
    queue_name: String,
    worker_drain_s: u64,
}

impl Settings {
    /// The jobs of a lane that one process runs at once.
    pub fn concurrency(&self, lane: Lane) -> usize {
        match lane {
            Lane::Bulk if self.worker_bulk_jobs == 0 => available_parallelism().map_or(2, usize::from),
            Lane::Bulk => self.worker_bulk_jobs,
            Lane::Training => self.worker_training_jobs.max(1),
            Lane::Webhooks => self.worker_webhook_jobs.max(1),
        }
    }

    /// What the queue's names begin with.
    pub fn queue_name(&self) -> &str {
        &self.queue_name
    }

    /// How long running jobs may go on once the process should end.
    pub fn drain(&self) -> std::time::Duration {
        std::time::Duration::from_secs(self.worker_drain_s)
    }

    /// # Errors
    /// A message that names the invalid setting.
    pub fn check(&self) -> Result<(), String> {
        let fine = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if self.queue_name.is_empty() || self.queue_name.len() > 64 || !self.queue_name.chars().all(fine) {
            return Err("queue_name must have 1 to 64 letters, digits, `-` or `_`".to_owned());
        }
        Ok(())
    }
}
