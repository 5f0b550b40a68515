//! All that workers do: the handler of each kind of job, and the periodic tasks.

use std::{sync::Arc, time::Duration};

use domain::{
    background::{
        job::{Handler, Handlers, Lane},
        webhook::{self, DeliverWebhook},
    },
    batch::{FinishBatch, RunBatchChunk},
    learning::{checkpoint::TrainCheckpoint, evaluation::RunEvaluation, moderation_log},
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
        schedules: schedules(services),
    };
    Worker::start(parts, &config.worker)
}

/// The handlers, one for each kind of job.
fn handlers(config: &Config, services: &Services) -> Vec<Arc<dyn Handler>> {
    let Services { db, mixed, batches, checkpoints, evaluations, webhooks, .. } = services.clone();
    let webhooks_at_once = config.worker.concurrency(Lane::Webhooks);
    vec![
        Arc::new(RunBatchChunk::new(batches.clone(), mixed)),
        Arc::new(FinishBatch { batches }),
        Arc::new(TrainCheckpoint { checkpoints }),
        Arc::new(RunEvaluation { evaluations }),
        Arc::new(DeliverWebhook::new(db, webhooks.sender, webhooks_at_once)),
    ]
}

/// The periodic tasks, each of which one worker at a time runs.
fn schedules(services: &Services) -> Vec<Schedule> {
    let Services { db, billing, accounts, sessions, batches, mails, failed_requests, .. } = services.clone();
    let mailing = (mails, db.clone());
    vec![
        Schedule::new("expire_holds", Duration::from_secs(5), billing.clone(), |billing| async move {
            let expired = billing.credits.expire_holds().await?;
            if expired > 0 {
                tracing::info!(expired, "released expired holds");
            }
            Ok(())
        }),
        Schedule::new("prune_answers", Duration::from_secs(600), billing, |billing| async move {
            let pruned = billing.idempotency.prune().await?;
            if pruned > 0 {
                tracing::info!(pruned, "deleted stored answers older than 24 hours");
            }
            Ok(())
        }),
        Schedule::new("prune_batches", Duration::from_secs(600), batches, |batches| async move {
            batches.prune().await.map(drop)
        }),
        Schedule::new("prune_moderation_logs", Duration::from_secs(600), db.clone(), |db| async move {
            moderation_log::prune(&db).await.map(drop)
        }),
        Schedule::new("prune_webhooks", Duration::from_secs(600), db, |db| async move {
            webhook::prune(&db).await.map(drop)
        }),
        Schedule::new(
            "prune_failed_requests",
            Duration::from_secs(600),
            failed_requests,
            |requests| async move { requests.prune().await.map(drop) },
        ),
        Schedule::new("prune_sessions", Duration::from_secs(600), sessions, |sessions| async move {
            sessions.prune().await.map(drop)
        }),
        Schedule::new(
            "tell_low_balances",
            Duration::from_secs(60),
            mailing.clone(),
            |(mails, db)| async move { mails.tell_low_balances(&db).await },
        ),
        Schedule::new("send_summaries", Duration::from_secs(3_600), mailing, |(mails, db)| async move {
            mails.send_summaries(&db).await
        }),
        Schedule::new(
            "prune_invitations",
            Duration::from_secs(600),
            accounts.clone(),
            |accounts| async move { accounts.prune_invites().await.map(drop) },
        ),
        Schedule::new("sweep_erased", Duration::from_secs(600), accounts, |accounts| async move {
            accounts.sweep_erased().await.map(drop)
        }),
    ]
}
