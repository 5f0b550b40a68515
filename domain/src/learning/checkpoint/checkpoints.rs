//! The Checkpoints of a deployment.

use std::sync::Arc;

use crate::background::job::PaidJobs;
use ports::training::Trainer;

/// The Checkpoints of a deployment. Cheap to clone.
#[derive(Clone)]
pub struct Checkpoints {
    pub paid: PaidJobs,
    /// None without a decision model in process: then nothing is trained.
    pub trainer: Option<Arc<dyn Trainer>>,
}
