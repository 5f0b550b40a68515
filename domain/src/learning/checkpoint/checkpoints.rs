//! The Checkpoints of a deployment.

use std::sync::Arc;

use crate::{background::job::PaidJobs, learning::judge::Judges};
use ports::training::Trainer;

/// The Checkpoints of a deployment. Cheap to clone.
#[derive(Clone)]
pub struct Checkpoints {
    pub paid: PaidJobs,
    pub judges: Judges,
    /// None without a decision model in process: nothing is trained then.
    pub trainer: Option<Arc<dyn Trainer>>,
}
