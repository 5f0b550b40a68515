//! The job that sends a delivery: signs it, sends it, and says when it is tried again.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use entity::{webhook_delivery, webhook_endpoint};
use rand::Rng;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait, PaginatorTrait, QueryFilter,
    sea_query::Expr,
};
use serde_json::json;

use super::{Answer, DeliveryState, Message, NoAnswer, SigningSecret, WebhookSender, delivery::queued};
use crate::{
    Code, Error, Result,
    background::job::{Ending, Failure, Handler, Job, JobRun, JobSubject, Kind},
    foundation::{audit, database::Database, slots::Slots},
};
use ports::id::{AccountId, DeliveryId};

/// The pauses after failed attempts in seconds, as Standard Webhooks recommends them: over three days in all.
const SCHEDULE: [u64; 9] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
/// The longest pause that an endpoint can ask for.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(86_400);
/// How long every attempt may fail before the endpoint is disabled.
const MAX_FAILING: TimeDelta = TimeDelta::days(5);
/// The share of deliveries at once that one account may have.
const ACCOUNT_SHARE: usize = 4;
/// The longest pause of a delivery whose account has no permit, in seconds.
const MAX_POSTPONED: u64 = 60;
/// Gone: the endpoint wants no more messages.
const GONE: u16 = 410;

/// Sends deliveries.
pub struct DeliverWebhook {
    db: Database,
    sender: Arc<dyn WebhookSender>,
    /// One permit for each delivery at once, so that slow endpoints of one account do not hold up those of others.
    permits: Slots<AccountId>,
}

#[async_trait]
impl Handler for DeliverWebhook {
    fn kind(&self) -> Kind {
        Kind::DeliverWebhook
    }

    async fn run(&self, run: &JobRun) -> Result<(), Failure> {
        let id = DeliveryId::from(run.job.subject.clone());
        let Some((delivery, endpoint)) = self.read(&id).await? else {
            return Err(Failure::Fatal("the endpoint was deleted".to_owned()));
        };
        if delivery.state == DeliveryState::Delivered.as_str() {
            return Ok(());
        }
        if !endpoint.enabled {
            return Err(Failure::Fatal("the endpoint is disabled".to_owned()));
        }
        let account = AccountId::from(endpoint.account_id.clone());
        let Some(_permit) = self.permits.try_acquire(&account, 1) else {
            return Err(Failure::Postponed(self.pause(&account).await?));
        };
        let message = message(&delivery, &endpoint, Utc::now())?;
        let start = tokio::time::Instant::now();
        let sent = self.sender.send(message).await;
        metrics::histogram!("gavel_webhook_seconds").record(start.elapsed().as_secs_f64());
        let outcome = match &sent {
            Ok(Answer { status: 200..=299, .. }) => "delivered",
            Ok(_) => "refused",
            Err(_) => "unanswered",
        };
        metrics::counter!("gavel_webhook_attempts_total", "outcome" => outcome).increment(1);
        match sent {
            Ok(Answer { status: status @ 200..=299, .. }) => {
                Ok(self.delivered(&delivery, &endpoint, status).await?)
            }
            Ok(Answer { status: GONE, .. }) => {
                let why = "the endpoint answered 410 (Gone)";
                let attempt = Attempt { status: Some(GONE), why, next: None };
                self.failed(&delivery, &endpoint, attempt, Some(why)).await?;
                Err(Failure::Fatal(why.to_owned()))
            }
            Ok(Answer { status, retry_after }) => {
                let why = format!("the endpoint answered {status}");
                self.retry(run, (&delivery, &endpoint), Some(status), why, retry_after).await
            }
            Err(NoAnswer(why)) => self.retry(run, (&delivery, &endpoint), None, why, None).await,
        }
    }

    fn subject(&self) -> &dyn JobSubject {
        self
    }
}

#[async_trait]
impl JobSubject for DeliverWebhook {
    async fn ended(&self, tx: &DatabaseTransaction, job: &Job, ending: &Ending) -> Result<()> {
        let why = match ending {
            // The attempt has written it.
            Ending::Succeeded => return Ok(()),
            Ending::Failed(why) => why.as_str(),
            Ending::Cancelled => "cancelled by the operator",
        };
        webhook_delivery::Entity::update_many()
            .col_expr(webhook_delivery::Column::State, Expr::value(DeliveryState::Failed.as_str()))
            .col_expr(webhook_delivery::Column::Error, Expr::value(why))
            .col_expr(webhook_delivery::Column::NextAttemptAt, Expr::value(Option::<DateTime<Utc>>::None))
            .col_expr(webhook_delivery::Column::FinishedAt, Expr::value(Utc::now()))
            .filter(webhook_delivery::Column::Id.eq(job.subject.as_str()))
            .filter(webhook_delivery::Column::JobId.eq(job.id.as_str()))
            .filter(webhook_delivery::Column::State.ne(DeliveryState::Delivered.as_str()))
            .exec(tx)
            .await?;
        Ok(())
    }
}

/// A failed attempt.
struct Attempt<'a> {
    status: Option<u16>,
    why: &'a str,
    next: Option<DateTime<Utc>>,
}

impl DeliverWebhook {
    /// `at_once` is the number of deliveries that this worker runs at once.
    pub fn new(db: Database, sender: Arc<dyn WebhookSender>, at_once: usize) -> Self {
        let by_account = (at_once / ACCOUNT_SHARE).max(1);
        Self { db, sender, permits: Slots::new(at_once.max(1), by_account) }
    }

    async fn read(
        &self,
        id: &DeliveryId,
    ) -> Result<Option<(webhook_delivery::Model, webhook_endpoint::Model)>> {
        let delivery = webhook_delivery::Entity::find_by_id(id.as_str()).one(self.db.read());
        let Some(delivery) = self.db.in_time(delivery).await? else { return Ok(None) };
        let endpoint =
            webhook_endpoint::Entity::find_by_id(delivery.endpoint_id.as_str()).one(self.db.read());
        Ok(self.db.in_time(endpoint).await?.map(|endpoint| (delivery, endpoint)))
    }

    /// How long a delivery waits for a permit of its account: the longer, the more deliveries wait.
    async fn pause(&self, account: &AccountId) -> Result<Duration> {
        let waiting = self.db.in_time(queued(account).count(self.db.read())).await?;
        let seconds = (waiting / 4).clamp(1, MAX_POSTPONED) as f64;
        Ok(Duration::from_secs_f64(seconds * rand::rng().random_range(0.5..1.5)))
    }

    async fn delivered(
        &self,
        delivery: &webhook_delivery::Model,
        endpoint: &webhook_endpoint::Model,
        status: u16,
    ) -> Result<()> {
        let tx = self.db.begin().await?;
        // The endpoint before its deliveries, as its deletion locks them.
        if endpoint.failing_since.is_some() {
            webhook_endpoint::Entity::update_many()
                .col_expr(webhook_endpoint::Column::FailingSince, Expr::value(Option::<DateTime<Utc>>::None))
                .filter(webhook_endpoint::Column::Id.eq(endpoint.id.as_str()))
                .exec(&tx)
                .await?;
        }
        attempted(delivery, DeliveryState::Delivered, Some(status), None, None, &tx).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Records a failed attempt, and says when the next one is.
    async fn retry(
        &self,
        run: &JobRun,
        (delivery, endpoint): (&webhook_delivery::Model, &webhook_endpoint::Model),
        status: Option<u16>,
        why: String,
        retry_after: Option<Duration>,
    ) -> Result<(), Failure> {
        let now = Utc::now();
        let pause = pause_after(run.job.attempts, retry_after);
        let last = run.job.attempts >= run.job.max_attempts;
        let next = (!last).then(|| now + pause);
        let long = endpoint.failing_since.is_some_and(|since| since < now - MAX_FAILING);
        let reason =
            long.then(|| format!("no delivery succeeded for {} days; lately {why}", MAX_FAILING.num_days()));
        let attempt = Attempt { status, why: &why, next };
        self.failed(delivery, endpoint, attempt, reason.as_deref()).await?;
        Err(Failure::RetryAfter(Error::new(Code::UpstreamFailed, why), pause))
    }

    /// Records a failed attempt, and disables the endpoint if there is a `reason`.
    async fn failed(
        &self,
        delivery: &webhook_delivery::Model,
        endpoint: &webhook_endpoint::Model,
        Attempt { status, why, next }: Attempt<'_>,
        reason: Option<&str>,
    ) -> Result<()> {
        let tx = self.db.begin().await?;
        let of_endpoint = || {
            webhook_endpoint::Entity::update_many()
                .filter(webhook_endpoint::Column::Id.eq(endpoint.id.as_str()))
                .filter(webhook_endpoint::Column::Enabled.eq(true))
        };
        if endpoint.failing_since.is_none() {
            of_endpoint()
                .col_expr(webhook_endpoint::Column::FailingSince, Expr::value(Utc::now()))
                .filter(webhook_endpoint::Column::FailingSince.is_null())
                .exec(&tx)
                .await?;
        }
        if let Some(reason) = reason {
            let disabled = of_endpoint()
                .col_expr(webhook_endpoint::Column::Enabled, Expr::value(false))
                .col_expr(webhook_endpoint::Column::DisabledReason, Expr::value(reason))
                .col_expr(webhook_endpoint::Column::UpdatedAt, Expr::value(Utc::now()))
                .exec(&tx)
                .await?;
            if disabled.rows_affected > 0 {
                let account = AccountId::from(endpoint.account_id.clone());
                let change = audit::Change {
                    account: &account,
                    actor: &endpoint.created_by,
                    action: audit::Action::WebhookDisable,
                    target: &endpoint.id,
                    detail: json!({ "automatic": true, "reason": reason }),
                };
                audit::write(&tx, change).await?;
            }
        }
        attempted(delivery, DeliveryState::Queued, status, Some(why), next, &tx).await?;
        tx.commit().await?;
        Ok(())
    }
}

/// Records an attempt in its delivery.
async fn attempted(
    delivery: &webhook_delivery::Model,
    state: DeliveryState,
    status: Option<u16>,
    error: Option<&str>,
    next: Option<DateTime<Utc>>,
    tx: &impl ConnectionTrait,
) -> Result<()> {
    use webhook_delivery::Column;
    let now = Utc::now();
    let finished = (state != DeliveryState::Queued).then_some(now);
    webhook_delivery::Entity::update_many()
        .col_expr(Column::State, Expr::value(state.as_str()))
        .col_expr(Column::Attempts, Expr::cust("attempts + 1"))
        .col_expr(Column::Status, Expr::value(status.map(i32::from)))
        .col_expr(Column::Error, Expr::value(error.map(str::to_owned)))
        .col_expr(Column::AttemptedAt, Expr::value(now))
        .col_expr(Column::NextAttemptAt, Expr::value(next))
        .col_expr(Column::FinishedAt, Expr::value(finished))
        .filter(Column::Id.eq(delivery.id.as_str()))
        .exec(tx)
        .await?;
    Ok(())
}

/// The signed message of a delivery.
fn message(
    delivery: &webhook_delivery::Model,
    endpoint: &webhook_endpoint::Model,
    now: DateTime<Utc>,
) -> Result<Message> {
    let timestamp = now.timestamp();
    let previous = endpoint.previous_secret_until.filter(|until| *until > now);
    let previous = previous.and(endpoint.previous_secret.clone());
    let mut signatures = Vec::new();
    for secret in [Some(endpoint.secret.clone()), previous].into_iter().flatten() {
        let secret = SigningSecret::stored(secret);
        signatures.push(secret.sign(&delivery.event_id, timestamp, &delivery.payload)?);
    }
    Ok(Message {
        url: endpoint.url.clone(),
        id: delivery.event_id.clone(),
        timestamp,
        signature: signatures.join(" "),
        body: delivery.payload.clone(),
    })
}

/// The pause after an attempt, 1 for the first, give or take a tenth; longer if the endpoint asks for it.
fn pause_after(attempt: i32, retry_after: Option<Duration>) -> Duration {
    let place = usize::try_from(attempt - 1).unwrap_or(0).min(SCHEDULE.len() - 1);
    let pause = Duration::from_secs(SCHEDULE[place]).mul_f64(rand::rng().random_range(0.9..1.1));
    pause.max(retry_after.unwrap_or_default().min(MAX_RETRY_AFTER))
}
