//! The evaluation runs of a deployment.

use crate::{
    background::job::PaidJobs,
    learning::{checkpoint::Checkpoints, judge::Judges},
};

/// The evaluation runs of a deployment. Cheap to clone.
#[derive(Clone)]
pub struct Evaluations {
    pub paid: PaidJobs,
    pub judges: Judges,
    /// The Checkpoints that can be evaluated; their trainer makes the models that answer.
    pub checkpoints: Checkpoints,
}
