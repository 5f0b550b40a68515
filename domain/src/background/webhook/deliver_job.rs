//! The job that sends a delivery: signs it, sends it, and says when it is tried again.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use entity::{webhook_delivery, webhook_endpoint};
use rand::Rng;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait, PaginatorTrait, QueryFilter, UpdateMany,
    sea_query::Expr,
};
use serde_json::json;

use super::{Answer, DeliveryState, Message, NoAnswer, SigningSecret, WebhookSender, delivery::queued};
use crate::{
    Code, Error, Result,
    background::job::{Ending, Failure, Handler, Job, JobKind, JobRun, JobSubject},
    foundation::{
        audit,
        database::Database,
        slots::{SlotPermit, Slots},
    },
};
use ports::{
    Flow,
    id::{AccountId, DeliveryId},
};

/// The pauses after failed attempts in seconds, as Standard Webhooks recommends them: over three days in all.
const SCHEDULE: [u64; 9] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
/// The longest pause that an endpoint can ask for.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(86_400);
/// How long all attempts may fail before the endpoint is disabled.
const MAX_FAILING: TimeDelta = TimeDelta::days(5);
/// One account may use one in this many of the places for deliveries.
const ACCOUNT_SHARE: usize = 4;
/// At least so many, where there are as many: one for endpoints that fail, and one for the others.
const LEAST_SHARE: usize = 2;
/// The longest pause of a delivery whose account has no permit, in seconds.
const MAX_POSTPONED: u64 = 60;
/// The HTTP status of an endpoint that wants no more messages.
const GONE: u16 = 410;

/// Sends deliveries.
pub struct DeliverWebhook {
    db: Database,
    sender: Arc<dyn WebhookSender>,
    /// One permit for each delivery at once, so that slow endpoints of one account do not delay those of others.
    permits: Slots<AccountId>,
    /// One permit for all endpoints of an account whose last delivery failed, so that they do not delay its others.
    failing: Slots<AccountId>,
}

#[async_trait]
impl Handler for DeliverWebhook {
    fn kind(&self) -> JobKind {
        JobKind::DeliverWebhook
    }

    async fn run(&self, run: &JobRun) -> Result<(), Failure> {
        let id = DeliveryId::from(run.job.subject.clone());
        let Some(outgoing) = self.read(&id).await? else {
            return Err(Failure::Obsolete);
        };
        if outgoing.delivery.state == DeliveryState::Delivered.as_str() {
            return Ok(());
        }
        if !outgoing.endpoint.enabled {
            return Err(Failure::Fatal("the endpoint is disabled".to_owned()));
        }
        let account = AccountId::from(outgoing.endpoint.account_id.clone());
        let Some(_permits) = self.acquire(&account, &outgoing.endpoint) else {
            return Err(Failure::Postponed(self.pause(&account, &outgoing.endpoint).await?));
        };
        let message = outgoing.message(Utc::now())?;
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
            Ok(Answer { status: status @ 200..=299, .. }) => Ok(self.delivered(&outgoing, status).await?),
            Ok(Answer { status: GONE, .. }) => {
                let why = "the endpoint answered 410 (Gone)";
                let attempt = Attempt {
                    state: DeliveryState::Queued,
                    status: Some(GONE),
                    error: Some(why),
                    next: None,
                };
                self.failed(&outgoing, attempt, Some(why)).await?;
                Err(Failure::Fatal(why.to_owned()))
            }
            Ok(Answer { status, retry_after }) => {
                let why = format!("the endpoint answered {status}");
                self.retry(run, &outgoing, Refusal { status: Some(status), why, retry_after }).await
            }
            Err(NoAnswer(why)) => {
                self.retry(run, &outgoing, Refusal { status: None, why, retry_after: None }).await
            }
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

/// A delivery, and the endpoint that it goes to.
struct Outgoing {
    delivery: webhook_delivery::Model,
    endpoint: webhook_endpoint::Model,
}

/// What a delivery holds while it is sent.
struct DeliveryPermits {
    _failing: Option<SlotPermit>,
    _permit: SlotPermit,
}

/// What an attempt changes in its delivery.
struct Attempt<'a> {
    state: DeliveryState,
    status: Option<u16>,
    error: Option<&'a str>,
    /// When the next attempt is.
    next: Option<DateTime<Utc>>,
}

/// Why an attempt failed.
struct Refusal {
    /// None without an answer.
    status: Option<u16>,
    why: String,
    /// How long the endpoint asks to wait.
    retry_after: Option<Duration>,
}

impl DeliverWebhook {
    /// `at_once` is the number of deliveries that this worker runs at once.
    pub fn new(db: Database, sender: Arc<dyn WebhookSender>, at_once: usize) -> Self {
        let at_once = at_once.max(1);
        let by_account = (at_once / ACCOUNT_SHARE).max(LEAST_SHARE).min(at_once);
        Self { db, sender, permits: Slots::new(at_once, by_account), failing: Slots::new(at_once, 1) }
    }

    async fn read(&self, id: &DeliveryId) -> Result<Option<Outgoing>> {
        let delivery = webhook_delivery::Entity::find_by_id(id.as_str()).one(self.db.read());
        let Some(delivery) = self.db.in_time(delivery).await? else { return Ok(None) };
        let endpoint =
            webhook_endpoint::Entity::find_by_id(delivery.endpoint_id.as_str()).one(self.db.read());
        Ok(self.db.in_time(endpoint).await?.map(|endpoint| Outgoing { delivery, endpoint }))
    }

    /// The permits of a delivery to an endpoint.
    fn acquire(&self, account: &AccountId, endpoint: &webhook_endpoint::Model) -> Option<DeliveryPermits> {
        let failing = match endpoint.failing_since {
            Some(_) => Some(self.failing.try_acquire(account, 1)?),
            None => None,
        };
        Some(DeliveryPermits { _failing: failing, _permit: self.permits.try_acquire(account, 1)? })
    }

    /// How long a delivery waits for a permit: the longer, the more deliveries to its endpoint wait.
    async fn pause(&self, account: &AccountId, endpoint: &webhook_endpoint::Model) -> Result<Duration> {
        let waiting = queued(account).filter(webhook_delivery::Column::EndpointId.eq(&endpoint.id));
        let waiting = self.db.in_time(waiting.count(self.db.read())).await?;
        let seconds = (waiting / 4).clamp(1, MAX_POSTPONED) as f64;
        Ok(Duration::from_secs_f64(seconds * rand::rng().random_range(0.5..1.5)))
    }

    async fn delivered(&self, outgoing: &Outgoing, status: u16) -> Result<()> {
        let Outgoing { delivery, endpoint } = outgoing;
        let tx = self.db.begin().await?;
        // The endpoint before its deliveries, as its deletion locks them.
        if endpoint.failing_since.is_some() {
            webhook_endpoint::Entity::update_many()
                .col_expr(webhook_endpoint::Column::FailingSince, Expr::value(Option::<DateTime<Utc>>::None))
                .filter(webhook_endpoint::Column::Id.eq(endpoint.id.as_str()))
                .exec(&tx)
                .await?;
        }
        let attempt =
            Attempt { state: DeliveryState::Delivered, status: Some(status), error: None, next: None };
        write_attempt(&tx, delivery, attempt).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Records a failed attempt, and says when the next one is.
    async fn retry(&self, run: &JobRun, outgoing: &Outgoing, refusal: Refusal) -> Result<(), Failure> {
        let Refusal { status, why, retry_after } = refusal;
        let now = Utc::now();
        let pause = pause_after(run.job.attempts, retry_after);
        let last = run.job.attempts >= run.job.max_attempts;
        let next = (!last).then(|| now + pause);
        let long = outgoing.endpoint.failing_since.is_some_and(|since| since < now - MAX_FAILING);
        let reason = long.then(|| {
            format!("no delivery has succeeded for {} days; the last error: {why}", MAX_FAILING.num_days())
        });
        let attempt = Attempt { state: DeliveryState::Queued, status, error: Some(&why), next };
        self.failed(outgoing, attempt, reason.as_deref()).await?;
        Err(Failure::RetryAfter(Error::new(Code::UpstreamFailed, why), pause))
    }

    /// Records a failed attempt, and disables the endpoint if there is a `reason`.
    async fn failed(&self, outgoing: &Outgoing, attempt: Attempt<'_>, reason: Option<&str>) -> Result<()> {
        let Outgoing { delivery, endpoint } = outgoing;
        let tx = self.db.begin().await?;
        if endpoint.failing_since.is_none() {
            update_enabled(endpoint)
                .col_expr(webhook_endpoint::Column::FailingSince, Expr::value(Utc::now()))
                .filter(webhook_endpoint::Column::FailingSince.is_null())
                .exec(&tx)
                .await?;
        }
        if let Some(reason) = reason {
            let disabled = update_enabled(endpoint)
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
        write_attempt(&tx, delivery, attempt).await?;
        tx.commit().await?;
        Ok(())
    }
}

/// A change of an endpoint that applies only while the endpoint is enabled.
fn update_enabled(endpoint: &webhook_endpoint::Model) -> UpdateMany<webhook_endpoint::Entity> {
    webhook_endpoint::Entity::update_many()
        .filter(webhook_endpoint::Column::Id.eq(endpoint.id.as_str()))
        .filter(webhook_endpoint::Column::Enabled.eq(true))
}

async fn write_attempt(
    tx: &impl ConnectionTrait,
    delivery: &webhook_delivery::Model,
    attempt: Attempt<'_>,
) -> Result<()> {
    use webhook_delivery::Column;
    let now = Utc::now();
    let finished = (attempt.state != DeliveryState::Queued).then_some(now);
    webhook_delivery::Entity::update_many()
        .col_expr(Column::State, Expr::value(attempt.state.as_str()))
        .col_expr(Column::Attempts, Expr::cust("attempts + 1"))
        .col_expr(Column::Status, Expr::value(attempt.status.map(i32::from)))
        .col_expr(Column::Error, Expr::value(attempt.error.map(str::to_owned)))
        .col_expr(Column::AttemptedAt, Expr::value(now))
        .col_expr(Column::NextAttemptAt, Expr::value(attempt.next))
        .col_expr(Column::FinishedAt, Expr::value(finished))
        .filter(Column::Id.eq(delivery.id.as_str()))
        .exec(tx)
        .await?;
    Ok(())
}

impl Outgoing {
    /// The signed message.
    fn message(&self, now: DateTime<Utc>) -> Result<Message> {
        let Self { delivery, endpoint } = self;
        let timestamp = now.timestamp();
        let previous = endpoint.previous_secret_until.filter(|until| *until > now);
        let previous = previous.and(endpoint.previous_secret.clone());
        let mut signatures = Vec::new();
        for secret in [Some(endpoint.secret.clone()), previous].into_iter().flatten() {
            let secret = SigningSecret::stored(secret);
            signatures.push(secret.sign(&delivery.event_id, timestamp, &delivery.payload)?);
        }
        Ok(Message {
            flow: Flow::from(&AccountId::from(endpoint.account_id.clone())),
            url: endpoint.url.clone(),
            id: delivery.event_id.clone(),
            timestamp,
            signature: signatures.join(" "),
            body: delivery.payload.clone(),
        })
    }
}

/// The pause after an attempt (1 is the first), plus or minus a tenth; longer if the endpoint asks for it.
fn pause_after(attempt: i32, retry_after: Option<Duration>) -> Duration {
    let place = usize::try_from(attempt - 1).unwrap_or(0).min(SCHEDULE.len() - 1);
    let pause = Duration::from_secs(SCHEDULE[place]).mul_f64(rand::rng().random_range(0.9..1.1));
    pause.max(retry_after.unwrap_or_default().min(MAX_RETRY_AFTER))
}
