//! The evaluation runs of a deployment.

use crate::{
    background::job::PaidJobs,
    learning::{checkpoint::Checkpoints, judge::Judges},
    operations::inference::Inference,
};

/// The evaluation runs of a deployment. Cheap to clone.
#[derive(Clone)]
pub struct Evaluations {
    pub paid: PaidJobs,
    pub judges: Judges,
    /// The Checkpoints that can be evaluated; their trainer makes the models that answer.
    pub checkpoints: Checkpoints,
    /// The backends that can be evaluated.
    pub inference: Inference,
}

impl Evaluations {
    /// The evaluation runs of these Checkpoints' Judges, and of these backends.
    pub fn of(checkpoints: Checkpoints, inference: Inference) -> Self {
        Self { paid: checkpoints.paid.clone(), judges: checkpoints.judges.clone(), checkpoints, inference }
    }
}
