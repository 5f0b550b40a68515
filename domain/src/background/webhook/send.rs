//! Queues events, tests of endpoints, and deliveries that are sent again.

use chrono::{DateTime, SubsecRound, Utc};
use entity::{webhook_delivery, webhook_endpoint};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel,
    PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
};
use serde_json::{Value, json};

use super::{
    DeliveryState, EventType, WebhookDelivery, Webhooks,
    delivery::{self, no_delivery, queued},
    endpoint::{event_types, of},
    manage::locked,
};
use crate::{
    Code, Error, Result,
    background::job::{self, JobKind, Lane, NewJob},
    foundation::{
        actor::{Actor, Role},
        audit,
        database::Database,
    },
};
use ports::id::{AccountId, DeliveryId, EventId, JobId, WebhookId};

/// Maximum deliveries of an account that wait to be sent.
const MAX_QUEUED: u64 = 1_000;
/// Why a delivery is not sent.
const TOO_MANY: &str = "not sent: 1,000 deliveries of the account wait to be sent";

/// Queues an event for all endpoints of the account that subscribe to it, on the transaction of what it reports.
/// Workers find the jobs after the commit. Once too many deliveries of the account wait, further ones are stored as
/// failed.
pub(crate) async fn enqueue(
    db: &Database,
    tx: &impl ConnectionTrait,
    account: &AccountId,
    kind: EventType,
    data: Value,
) -> Result<()> {
    let enabled = of(account).filter(webhook_endpoint::Column::Enabled.eq(true));
    let mut endpoints = enabled.order_by_asc(webhook_endpoint::Column::Id).all(tx).await?;
    endpoints.retain(|endpoint| {
        let mut wanted = event_types(endpoint).peekable();
        wanted.peek().is_none() || wanted.any(|name| name == kind.as_str())
    });
    if endpoints.is_empty() {
        return Ok(());
    }
    let room = MAX_QUEUED.saturating_sub(queued(account).count(tx).await?);
    let event = OutgoingEvent::new(kind, &data);
    let mut rows = Vec::new();
    let mut jobs = Vec::new();
    for endpoint in endpoints {
        let (mut row, job) = event.delivery(account, &endpoint.id);
        if (jobs.len() as u64) < room {
            jobs.push(job);
        } else {
            row.state = DeliveryState::Failed.as_str().to_owned();
            row.error = Some(TOO_MANY.to_owned());
            row.finished_at = Some(event.at);
        }
        rows.push(row.into_active_model().reset_all());
    }
    webhook_delivery::Entity::insert_many(rows).exec_without_returning(tx).await?;
    job::insert(db, tx, jobs).await
}

impl Webhooks {
    /// Sends a `ping` to an endpoint.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `NOT_FOUND` without it; `CONFLICT` when it is disabled, or too many deliveries wait.
    pub async fn test(&self, actor: &Actor, id: &WebhookId) -> Result<WebhookDelivery> {
        actor.require(Role::Editor)?;
        let tx = self.db.begin().await?;
        require_enabled(&locked(&tx, actor, id).await?)?;
        require_room(&tx, &actor.account).await?;
        let event = OutgoingEvent::new(EventType::Ping, &json!({ "id": id.as_str() }));
        let (row, job) = event.delivery(&actor.account, id.as_str());
        let delivery = DeliveryId::from(row.id.clone());
        let job_id = job.id.clone();
        let row = row.into_active_model().reset_all();
        webhook_delivery::Entity::insert(row).exec_without_returning(&tx).await?;
        job::insert(&self.db, &tx, vec![job]).await?;
        audit::write(&tx, audit::Change::by(actor, audit::Action::WebhookTest, id.as_str())).await?;
        tx.commit().await?;
        self.jobs.deliver(Lane::Webhooks, vec![job_id]);
        self.find_delivery(&actor.account, &delivery).await
    }

    /// Sends a delivery again, with its attempts reset; sends a queued one now.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `NOT_FOUND` without it; `CONFLICT` when its endpoint is disabled, or too many
    /// deliveries wait.
    pub async fn redeliver(&self, actor: &Actor, id: &DeliveryId) -> Result<WebhookDelivery> {
        actor.require(Role::Editor)?;
        let found = self.find_delivery(&actor.account, id).await?;
        let tx = self.db.begin().await?;
        require_enabled(&locked(&tx, actor, &found.endpoint).await?)?;
        let row = delivery::of(&actor.account).filter(webhook_delivery::Column::Id.eq(id.as_str()));
        let row = row.lock_exclusive().one(&tx).await?.ok_or_else(no_delivery)?;
        let job = if row.state == DeliveryState::Queued.as_str() {
            let job = JobId::from(row.job_id);
            job::wake(&self.db, &tx, &job).await?;
            job
        } else {
            require_room(&tx, &actor.account).await?;
            let new = NewJob::new(JobKind::DeliverWebhook, &actor.account, id.as_str());
            let job = new.id.clone();
            let mut row = row.into_active_model();
            row.state = Set(DeliveryState::Queued.as_str().to_owned());
            row.job_id = Set(job.to_string());
            row.finished_at = Set(None);
            row.update(&tx).await?;
            job::insert(&self.db, &tx, vec![new]).await?;
            job
        };
        audit::write(&tx, audit::Change::by(actor, audit::Action::WebhookRedeliver, id.as_str())).await?;
        tx.commit().await?;
        self.jobs.deliver(Lane::Webhooks, vec![job]);
        self.find_delivery(&actor.account, id).await
    }
}

fn require_enabled(endpoint: &webhook_endpoint::Model) -> Result<()> {
    if endpoint.enabled {
        return Ok(());
    }
    Err(Error::new(Code::Conflict, "the webhook endpoint is disabled; enable it first"))
}

async fn require_room(tx: &impl ConnectionTrait, account: &AccountId) -> Result<()> {
    if queued(account).count(tx).await? < MAX_QUEUED {
        return Ok(());
    }
    let message = format!("{MAX_QUEUED} webhook deliveries of the account wait to be sent; wait for some");
    Err(Error::new(Code::Conflict, message))
}

/// An event that is sent to one endpoint or more.
struct OutgoingEvent {
    id: EventId,
    kind: EventType,
    at: DateTime<Utc>,
    /// The body, which is stored and signed as it is.
    payload: String,
}

impl OutgoingEvent {
    fn new(kind: EventType, data: &Value) -> Self {
        let at = Utc::now();
        let payload = json!({ "type": kind.as_str(), "timestamp": at.trunc_subsecs(6), "data": data });
        Self { id: EventId::new(), kind, at, payload: payload.to_string() }
    }

    /// A delivery of the event, with the job that sends it.
    fn delivery(&self, account: &AccountId, endpoint: &str) -> (webhook_delivery::Model, NewJob) {
        let id = DeliveryId::new();
        let job = NewJob::new(JobKind::DeliverWebhook, account, id.as_str());
        let row = webhook_delivery::Model {
            id: id.into(),
            account_id: account.to_string(),
            endpoint_id: endpoint.to_owned(),
            event_id: self.id.to_string(),
            event_type: self.kind.as_str().to_owned(),
            payload: self.payload.clone(),
            job_id: job.id.to_string(),
            state: DeliveryState::Queued.as_str().to_owned(),
            attempts: 0,
            status: None,
            error: None,
            created_at: self.at,
            attempted_at: None,
            next_attempt_at: None,
            finished_at: None,
        };
        (row, job)
    }
}
