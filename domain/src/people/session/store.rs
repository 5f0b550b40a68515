//! Session rows: authentication, creation, listing and ending.

use std::time::Duration;

use chrono::{DateTime, Utc};
use entity::{session, user};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait, QueryFilter,
    QueryOrder, QuerySelect, sea_query::Expr,
};
use serde_json::json;

use super::{Sessions, SignedIn, device};
use crate::{
    Error, Result,
    foundation::{
        actor::{Actor, Identity, Role},
        audit,
    },
    people::token::{self, Token},
};
use ports::id::{AccountId, SessionId, UserId};

/// The lifetime of a session from sign-in, regardless of use.
pub const SESSION_LIFETIME: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Maximum sessions of a user; one more ends the least recently used.
const SESSIONS_PER_USER: u64 = 50;
/// Characters stored of a `User-Agent`.
const USER_AGENT_CHARS: usize = 200;

/// A session of a user, without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// `session_…`
    pub id: SessionId,
    /// The browser's `User-Agent`; may be empty.
    pub user_agent: String,
    pub created_at: DateTime<Utc>,
    /// The time of the last use, to the minute.
    pub last_used_at: DateTime<Utc>,
    /// The session is invalid from this time on.
    pub expires_at: DateTime<Utc>,
}

impl From<session::Model> for Session {
    fn from(row: session::Model) -> Self {
        Self {
            id: SessionId::from(row.id),
            user_agent: row.user_agent,
            created_at: row.created_at,
            last_used_at: row.last_used_at,
            expires_at: row.expires_at,
        }
    }
}

impl Sessions {
    /// Authenticates a session's secret; none when it is unknown, expired or ended. Read from the database for every
    /// request, so that an ended session or a changed role applies everywhere at once.
    pub async fn identify(&self, secret: &str) -> Result<Option<Actor>> {
        let found = session::Entity::find()
            .filter(session::Column::Hash.eq(token::hash(secret)))
            .filter(session::Column::ExpiresAt.gt(Utc::now()));
        let Some(session) = self.db.in_time(found.one(self.db.read())).await? else { return Ok(None) };
        let person = user::Entity::find_by_id(&session.user_id);
        let Some(user) = self.db.in_time(person.one(self.db.read())).await? else { return Ok(None) };
        self.note_use(&session).await;
        Ok(Some(actor(&user, SessionId::from(session.id))?))
    }

    /// A user's sessions, newest first.
    ///
    /// # Errors
    /// `FORBIDDEN` for an API key.
    pub async fn list(&self, actor: &Actor) -> Result<Vec<Session>> {
        let (user, _) = actor.person()?;
        let rows = sessions_of(user).filter(session::Column::ExpiresAt.gt(Utc::now()));
        let rows = rows.order_by_desc(session::Column::Id).all(self.db.read()).await?;
        Ok(rows.into_iter().map(Session::from).collect())
    }

    /// Ends the actor's own session.
    ///
    /// # Errors
    /// `FORBIDDEN` for an API key.
    pub async fn sign_out(&self, actor: &Actor) -> Result<()> {
        let (_, session) = actor.person()?;
        self.end(actor, std::slice::from_ref(session)).await.map(drop)
    }

    /// Ends sessions of a user: all of them or none. Returns how many.
    ///
    /// # Errors
    /// `FORBIDDEN` for an API key; `NOT_FOUND` when one of the sessions is not the user's.
    pub async fn end(&self, actor: &Actor, sessions: &[SessionId]) -> Result<u64> {
        let (user, _) = actor.person()?;
        let ids: std::collections::BTreeSet<&str> = sessions.iter().map(SessionId::as_str).collect();
        let tx = self.db.begin().await?;
        let ended = session::Entity::delete_many()
            .filter(session::Column::UserId.eq(user.as_str()))
            .filter(session::Column::Id.is_in(ids.iter().copied()))
            .exec(&tx)
            .await?;
        if ended.rows_affected != ids.len() as u64 {
            return Err(Error::not_found("session"));
        }
        write_audit(&tx, actor, ended.rows_affected).await?;
        tx.commit().await?;
        Ok(ended.rows_affected)
    }

    /// Ends all sessions of a user except the actor's own; returns how many.
    ///
    /// # Errors
    /// `FORBIDDEN` for an API key.
    pub async fn end_all_others(&self, actor: &Actor) -> Result<u64> {
        let (user, session) = actor.person()?;
        let tx = self.db.begin().await?;
        let ended = end_others(&tx, user, Some(session)).await?;
        write_audit(&tx, actor, ended).await?;
        tx.commit().await?;
        Ok(ended)
    }

    /// Removes expired sessions; returns how many.
    pub async fn prune(&self) -> Result<u64> {
        let expired = session::Entity::delete_many()
            .filter(session::Column::ExpiresAt.lte(Utc::now()))
            .exec(self.db.write());
        Ok(expired.await?.rows_affected)
    }

    /// Records the time of use, to the minute. A failure is logged and does not refuse the session.
    async fn note_use(&self, session: &session::Model) {
        let now = Utc::now();
        if (now - session.last_used_at).num_seconds() < 60 {
            return;
        }
        let noted = session::Entity::update_many()
            .col_expr(session::Column::LastUsedAt, Expr::value(now))
            .filter(session::Column::Id.eq(&session.id));
        if let Err(error) = self.db.in_time(noted.exec(self.db.write())).await {
            tracing::warn!(%error, "could not record when a session was last used");
        }
    }
}

/// Creates a session for a user whose password was verified.
pub(crate) async fn begin(
    tx: &DatabaseTransaction,
    user: &user::Model,
    user_agent: &str,
) -> Result<SignedIn> {
    let secret = Token::generate();
    let id = SessionId::new();
    let now = Utc::now();
    let old = session::Entity::find()
        .filter(session::Column::UserId.eq(&user.id))
        .order_by_desc(session::Column::LastUsedAt)
        .offset(SESSIONS_PER_USER - 1)
        .limit(SESSIONS_PER_USER);
    let old: Vec<String> = old.select_only().column(session::Column::Id).into_tuple().all(tx).await?;
    if !old.is_empty() {
        session::Entity::delete_many().filter(session::Column::Id.is_in(old)).exec(tx).await?;
    }
    let printable = user_agent.chars().filter(|c| !c.is_control());
    let row = session::ActiveModel {
        id: Set(id.to_string()),
        user_id: Set(user.id.clone()),
        hash: Set(secret.hash()),
        user_agent: Set(printable.take(USER_AGENT_CHARS).collect()),
        created_at: Set(now),
        last_used_at: Set(now),
        expires_at: Set(now + SESSION_LIFETIME),
    };
    session::Entity::insert(row).exec_without_returning(tx).await?;
    Ok(SignedIn { actor: actor(user, id)?, secret, device: device::token(user) })
}

/// Ends a user's sessions except `kept`; returns how many.
pub(crate) async fn end_others(
    tx: &impl ConnectionTrait,
    user: &UserId,
    kept: Option<&SessionId>,
) -> Result<u64> {
    let mut ended = session::Entity::delete_many().filter(session::Column::UserId.eq(user.as_str()));
    if let Some(kept) = kept {
        ended = ended.filter(session::Column::Id.ne(kept.as_str()));
    }
    Ok(ended.exec(tx).await?.rows_affected)
}

fn sessions_of(user: &UserId) -> sea_orm::Select<session::Entity> {
    session::Entity::find().filter(session::Column::UserId.eq(user.as_str()))
}

fn actor(user: &user::Model, session: SessionId) -> Result<Actor> {
    Ok(Actor {
        account: AccountId::from(user.account_id.clone()),
        identity: Identity::User(UserId::from(user.id.clone()), session),
        role: Role::parse(&user.role)?,
        operator: user.operator,
    })
}

async fn write_audit(tx: &impl ConnectionTrait, actor: &Actor, ended: u64) -> Result<()> {
    let change = audit::Change::by(actor, audit::Action::SessionEnd, actor.name());
    audit::write(tx, change.with(json!({ "ended": ended }))).await
}
