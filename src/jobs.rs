//! All that workers do: the handler of each kind of job, and the periodic tasks.

use std::{sync::Arc, time::Duration};

use domain::{
    background::{
        job::{Handler, Handlers, Lane},
        webhook::{self, DeliverWebhook},
    },
    batch::{self, FinishBatch, RunBatchChunk},
    learning::{checkpoint::TrainCheckpoint, evaluation::RunEvaluation, moderation_log::ModerationLogs},
    money::{credits, idempotency},
    people::{account::Accounts, session::Sessions},
    services::Services,
};
use worker::{Queue, Schedule, Worker, WorkerParts};

use crate::config::Config;

/// Starts a worker in this process.
pub(crate) fn start(config: &Config, services: &Services, queue: Queue) -> Worker {
    let parts = WorkerParts {
        db: services.db.clone(),
        jobs: services.jobs.clone(),
        queue,
        handlers: Handlers::new(handlers(config, services)),
        schedules: schedules(config),
    };
    Worker::start(parts, &config.worker)
}

/// The handlers, one for each kind of job.
fn handlers(config: &Config, services: &Services) -> Vec<Arc<dyn Handler>> {
    let Services { db, text, batches, checkpoints, evaluations, webhooks, .. } = services.clone();
    let webhooks_at_once = config.worker.concurrency(Lane::Webhooks);
    vec![
        Arc::new(RunBatchChunk { batches: batches.clone(), text }),
        Arc::new(FinishBatch { batches }),
        Arc::new(TrainCheckpoint { checkpoints }),
        Arc::new(RunEvaluation { evaluations }),
        Arc::new(DeliverWebhook::new(db, webhooks.sender, webhooks_at_once)),
    ]
}

/// The periodic tasks, each of which one worker at a time runs.
fn schedules(config: &Config) -> Vec<Schedule> {
    let batches_kept = config.domain.batches_kept();
    vec![
        Schedule::new("expire_holds", Duration::from_secs(5), |db| async move {
            let expired = credits::expire_holds(&db).await?;
            if expired > 0 {
                tracing::info!(expired, "released expired holds");
            }
            Ok(())
        }),
        Schedule::new("prune_answers", Duration::from_secs(600), |db| async move {
            let pruned = idempotency::prune(&db).await?;
            if pruned > 0 {
                tracing::info!(pruned, "deleted stored answers older than 24 hours");
            }
            Ok(())
        }),
        Schedule::new("prune_batches", Duration::from_secs(600), move |db| async move {
            batch::prune(&db, batches_kept).await.map(drop)
        }),
        Schedule::new("prune_moderation_logs", Duration::from_secs(600), |db| async move {
            ModerationLogs::new(db).prune().await.map(drop)
        }),
        Schedule::new("prune_webhooks", Duration::from_secs(600), |db| async move {
            webhook::prune(&db).await.map(drop)
        }),
        Schedule::new("prune_sessions", Duration::from_secs(600), |db| async move {
            Sessions::new(db).prune().await.map(drop)
        }),
        Schedule::new("prune_invitations", Duration::from_secs(600), |db| async move {
            Accounts::new(db).prune_invites().await.map(drop)
        }),
        Schedule::new("sweep_erased", Duration::from_secs(600), |db| async move {
            Accounts::new(db).sweep_erased().await.map(drop)
        }),
    ]
}
