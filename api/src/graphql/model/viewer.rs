//! The viewer: the user or the API key that sent the request.

use async_graphql::{Context, ID, Object, SimpleObject};
use domain::{
    foundation::actor::{Actor, Identity},
    people::session,
};
use ports::id::SessionId;

use super::{Account, ApiKey, Role, SavedView, User};
use crate::graphql::{
    context::services,
    date_time::DateTime,
    error::{FieldResult, field_error},
};

pub(crate) struct Viewer(pub(crate) Actor);

/// The user or the API key that sent the request.
#[Object]
impl Viewer {
    /// The signed-in user; null for an API key.
    async fn user(&self, ctx: &Context<'_>) -> FieldResult<Option<User>> {
        let Identity::User(id, _) = &self.0.identity else { return Ok(None) };
        let person = services(ctx)?.accounts.person(&self.0.account, id).await.map_err(field_error)?;
        Ok(Some(User(person)))
    }

    /// The API key; null for a user.
    async fn api_key(&self, ctx: &Context<'_>) -> FieldResult<Option<ApiKey>> {
        let Identity::Key(id) = &self.0.identity else { return Ok(None) };
        Ok(Some(ApiKey(services(ctx)?.api_keys.find(&self.0.account, id).await.map_err(field_error)?)))
    }

    /// The viewer's account.
    async fn account(&self, ctx: &Context<'_>) -> FieldResult<Account> {
        Ok(Account(services(ctx)?.accounts.find(&self.0.account).await.map_err(field_error)?))
    }

    /// The viewer's role in the account.
    async fn role(&self) -> Role {
        self.0.role.into()
    }

    /// Whether the viewer is an operator of the deployment and may query `operator`.
    async fn operator(&self) -> bool {
        self.0.operator
    }

    /// The user's saved views of the moderation queue, by name. Empty for an API key.
    async fn saved_views(&self, ctx: &Context<'_>) -> FieldResult<Vec<SavedView>> {
        let views = services(ctx)?.saved_views.list(&self.0).await.map_err(field_error)?;
        Ok(views.into_iter().map(SavedView::from).collect())
    }

    /// Which e-mails the user wants; null for an API key.
    async fn mail_preferences(&self, ctx: &Context<'_>) -> FieldResult<Option<MailPreferences>> {
        let Identity::User(..) = &self.0.identity else { return Ok(None) };
        let wanted = services(ctx)?.subscriptions.preferences(&self.0).await.map_err(field_error)?;
        Ok(Some(MailPreferences { weekly_summary: wanted.weekly_summary, low_balance: wanted.low_balance }))
    }

    /// The user's sessions, newest first, up to 50. Empty for an API key.
    async fn sessions(&self, ctx: &Context<'_>) -> FieldResult<Vec<Session>> {
        let Identity::User(_, current) = &self.0.identity else { return Ok(Vec::new()) };
        let sessions = services(ctx)?.sessions.list(&self.0).await.map_err(field_error)?;
        Ok(sessions.into_iter().map(|session| Session { session, current: current.clone() }).collect())
    }
}

/// Which e-mails a user wants.
#[derive(SimpleObject)]
pub(crate) struct MailPreferences {
    /// Whether the user wants weekly summaries of the account; owners get them where the deployment sends them.
    weekly_summary: bool,
    /// Whether the user wants to be told when the account's credits run low; owners are told.
    low_balance: bool,
}

pub(crate) struct Session {
    session: session::Session,
    current: SessionId,
}

/// A session of a user in one browser. It lasts up to 30 days.
#[Object]
impl Session {
    /// The session's id, `session_…`.
    async fn id(&self) -> ID {
        ID(self.session.id.to_string())
    }

    /// Whether this is the session of the current request.
    async fn current(&self) -> bool {
        self.session.id == self.current
    }

    /// The browser's `User-Agent`; may be empty.
    async fn user_agent(&self) -> &str {
        &self.session.user_agent
    }

    /// When the user signed in.
    async fn created_at(&self) -> DateTime {
        self.session.created_at.into()
    }

    /// When the session was last used, to the minute.
    async fn last_used_at(&self) -> DateTime {
        self.session.last_used_at.into()
    }

    /// When the session expires.
    async fn expires_at(&self) -> DateTime {
        self.session.expires_at.into()
    }
}
