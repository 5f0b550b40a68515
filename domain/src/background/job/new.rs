//! Inserts jobs.

use chrono::Utc;
use entity::job;
use sea_orm::{ActiveValue::Set, ConnectionTrait, EntityTrait};
use serde_json::Value;

use super::{JobKind, JobState};
use crate::{Result, foundation::database::Database};
use ports::id::{AccountId, JobId};

/// Rows that one statement inserts.
const CHUNK: usize = 500;

/// A job to be inserted.
#[derive(Clone, Debug)]
pub struct NewJob {
    pub id: JobId,
    pub kind: JobKind,
    /// None for the deployment's own jobs.
    pub account: Option<AccountId>,
    /// The id of what the job works for, such as `batch_…`.
    pub subject: String,
    /// The handler's arguments.
    pub payload: Value,
    /// Milliseconds until the job is due; [`super::wake`] makes it due sooner.
    pub delay_ms: i64,
}

impl NewJob {
    /// A job that is due at once, without arguments.
    pub fn new(kind: JobKind, account: &AccountId, subject: impl Into<String>) -> Self {
        Self {
            id: JobId::new(),
            kind,
            account: Some(account.clone()),
            subject: subject.into(),
            payload: Value::Null,
            delay_ms: 0,
        }
    }
}

/// Inserts jobs on the transaction of what they work for. After the commit, [`super::Jobs::deliver`] hands them to the
/// queue; when that fails, the outbox does it later.
pub async fn insert(db: &Database, tx: &impl ConnectionTrait, new: Vec<NewJob>) -> Result<()> {
    if new.is_empty() {
        return Ok(());
    }
    let now = db.now(tx).await?;
    let created_at = Utc::now();
    let rows = new.into_iter().map(|new| job::ActiveModel {
        id: Set(new.id.into()),
        kind: Set(new.kind.as_str().to_owned()),
        account_id: Set(new.account.map(String::from)),
        subject: Set(new.subject),
        payload: Set(new.payload),
        state: Set(JobState::Queued.as_str().to_owned()),
        due_at: Set(now.saturating_add(new.delay_ms)),
        attempts: Set(0),
        max_attempts: Set(new.kind.max_attempts()),
        cancel_requested: Set(false),
        created_at: Set(created_at),
        ..Default::default()
    });
    let rows: Vec<_> = rows.collect();
    for chunk in rows.chunks(CHUNK) {
        job::Entity::insert_many(chunk.to_vec()).exec_without_returning(tx).await?;
    }
    Ok(())
}
