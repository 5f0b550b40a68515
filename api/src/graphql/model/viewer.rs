//! Who asks: a person with their sessions, or an API key.

use async_graphql::{Context, ID, Object};
use domain::{
    account,
    actor::{Actor, Identity},
    api_key,
    id::SessionId,
    session,
};

use super::{Account, ApiKey, Role, User};
use crate::graphql::{
    context::services,
    date_time::DateTime,
    error::{FieldResult, field_error},
};

/// Whoever asks.
pub(crate) struct Viewer(pub(crate) Actor);

/// Whoever asks.
#[Object]
impl Viewer {
    /// The person who is signed in; null for an API key.
    async fn user(&self, ctx: &Context<'_>) -> FieldResult<Option<User>> {
        let Identity::User(id, _) = &self.0.identity else { return Ok(None) };
        let person = account::person(&services(ctx)?.db, &self.0.account, id).await.map_err(field_error)?;
        Ok(Some(User(person)))
    }

    /// The API key that was shown; null for a person.
    async fn api_key(&self, ctx: &Context<'_>) -> FieldResult<Option<ApiKey>> {
        let Identity::Key(id) = &self.0.identity else { return Ok(None) };
        Ok(Some(ApiKey(api_key::find(&services(ctx)?.db, &self.0.account, id).await.map_err(field_error)?)))
    }

    /// The account they belong to.
    async fn account(&self, ctx: &Context<'_>) -> FieldResult<Account> {
        Ok(Account(account::find(&services(ctx)?.db, &self.0.account).await.map_err(field_error)?))
    }

    /// What they may do in it.
    async fn role(&self) -> Role {
        self.0.role.into()
    }

    /// Whether they run the deployment, and may ask for `operator`.
    async fn operator(&self) -> bool {
        self.0.operator
    }

    /// The person's sessions, newest first: where they are signed in, 50 at most. Empty for an API key.
    async fn sessions(&self, ctx: &Context<'_>) -> FieldResult<Vec<Session>> {
        let Identity::User(_, current) = &self.0.identity else { return Ok(Vec::new()) };
        let sessions = session::list(&services(ctx)?.db, &self.0).await.map_err(field_error)?;
        Ok(sessions.into_iter().map(|session| Session { session, current: current.clone() }).collect())
    }
}

/// Somebody's being signed in, in one browser, for 30 days at most.
pub(crate) struct Session {
    session: session::Session,
    current: SessionId,
}

/// Somebody's being signed in, in one browser, for 30 days at most.
#[Object]
impl Session {
    /// `session_…`
    async fn id(&self) -> ID {
        ID(self.session.id.to_string())
    }

    /// Whether it is the one that this very request came with.
    async fn current(&self) -> bool {
        self.session.id == self.current
    }

    /// What the browser calls itself; may be empty.
    async fn user_agent(&self) -> &str {
        &self.session.user_agent
    }

    /// When they signed in.
    async fn created_at(&self) -> DateTime {
        self.session.created_at.into()
    }

    /// When it was last used, to the minute.
    async fn last_used_at(&self) -> DateTime {
        self.session.last_used_at.into()
    }

    /// When it ends by itself.
    async fn expires_at(&self) -> DateTime {
        self.session.expires_at.into()
    }
}
