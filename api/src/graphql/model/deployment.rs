//! The state of the deployment, as its operators see it.

use async_graphql::SimpleObject;
use chrono::{TimeDelta, Utc};
use domain::{
    background::job::{JobKind, Lane, QueueState},
    services::ProbeResults,
};
use ports::catalog::CatalogModel;

use crate::graphql::date_time::DateTime;

/// Whether each part works, by probes that are at most a second old.
#[derive(SimpleObject)]
pub(crate) struct DeploymentHealth {
    /// The database answers.
    database: bool,
    /// The database can be written.
    storage: bool,
    /// The tasks that charge run.
    charging: bool,
    /// The text model answers.
    text: bool,
    /// The image models answer.
    image: bool,
    /// The decision model answers.
    decision: bool,
    /// The queue of jobs answers; null where workers find jobs in the database.
    queue: Option<bool>,
}

impl From<ProbeResults> for DeploymentHealth {
    fn from(of: ProbeResults) -> Self {
        let ProbeResults { database, storage, billing, text, image, decision, queue } = of;
        Self { database, storage, charging: billing, text, image, decision, queue }
    }
}

/// The background jobs of a lane, which workers run beside those of the others.
#[derive(SimpleObject)]
pub(crate) struct JobQueue {
    /// `bulk`, `training` or `webhooks`.
    lane: String,
    /// The number of jobs that wait.
    queued: u64,
    /// The number of jobs that run.
    running: u64,
    /// Since when the oldest waiting job has been due; null without one.
    oldest_queued_at: Option<DateTime>,
}

impl JobQueue {
    /// The lanes with their open jobs.
    pub(super) fn all(states: &[QueueState]) -> Vec<Self> {
        Lane::ALL.iter().map(|lane| Self::of(*lane, states)).collect()
    }

    fn of(lane: Lane, states: &[QueueState]) -> Self {
        let mut queue =
            Self { lane: lane.as_str().to_owned(), queued: 0, running: 0, oldest_queued_at: None };
        let mut oldest_ms = None;
        for state in states.iter().filter(|state| lane_of(state) == Some(lane)) {
            let jobs = state.jobs.unsigned_abs();
            if state.state == "queued" {
                queue.queued += jobs;
                oldest_ms = oldest_ms.max(Some(state.oldest_ms));
            } else {
                queue.running += jobs;
            }
        }
        queue.oldest_queued_at = oldest_ms.map(|ms| DateTime(Utc::now() - TimeDelta::milliseconds(ms)));
        queue
    }
}

fn lane_of(state: &QueueState) -> Option<Lane> {
    state.kind.parse::<JobKind>().ok().map(JobKind::lane)
}

/// A model of the process that answers.
#[derive(SimpleObject)]
pub(crate) struct DeployedModel {
    /// The model's name.
    name: String,
    /// The model's version.
    version: String,
    /// The name of its file.
    file: String,
    /// The size of its file in bytes.
    bytes: f64,
    /// The SHA-256 of its file in hex; empty for a missing one.
    sha256: String,
    /// `built_in`, `installed`, or `own` for the operator's.
    origin: String,
    /// `intact`, `altered` or `missing`; of the operator's own models, `unpinned` or `unusable`.
    state: String,
    /// Why the model cannot be used, or differs from its record; null if there is nothing wrong.
    fault: Option<String>,
}

impl From<CatalogModel> for DeployedModel {
    fn from(of: CatalogModel) -> Self {
        let CatalogModel { name, version, file, bytes, sha256, origin, state, fault } = of;
        Self {
            name,
            version,
            file,
            bytes: bytes as f64,
            sha256,
            origin: origin.to_owned(),
            state: state.to_owned(),
            fault,
        }
    }
}
