//! An account: what everything else belongs to.

use async_graphql::{Context, ID, Object};
use domain::{
    account,
    amount::Amount,
    credits::{MovementFilter, Span},
    id::AccountId,
    judge::{self, JudgeFilter},
};

use super::{
    ApiKeyConnection, AuditEntryConnection, InviteConnection, Judge, JudgeConnection, LedgerEntryConnection,
    LedgerEntryKind, Usage, UsageBucket, UserConnection, api_key, audit, ledger, user,
};
use crate::graphql::{
    context::services,
    date_time::DateTime,
    error::{FieldResult, field_error},
    pagination::{PageArgs, connection, cost},
};

/// A customer of the service: who owns keys, Judges and credits.
pub(crate) struct Account(pub(crate) account::Row);

/// A customer of the service: who owns keys, Judges and credits.
#[Object]
impl Account {
    /// `acc_…`
    pub(crate) async fn id(&self) -> ID {
        ID(self.0.id.clone())
    }

    /// A person's word for it.
    async fn name(&self) -> &str {
        &self.0.name
    }

    /// Credits owned, held ones included.
    async fn balance(&self) -> f64 {
        Amount::from_milli(self.0.balance).credits()
    }

    /// Credits set aside for work under way.
    async fn held(&self) -> f64 {
        Amount::from_milli(self.0.held).credits()
    }

    /// Credits left to spend: the balance less what is held.
    async fn available(&self) -> f64 {
        Amount::from_milli(self.0.balance - self.0.held).credits()
    }

    /// When it was created.
    async fn created_at(&self) -> DateTime {
        self.0.created_at.into()
    }

    /// Its Judges, newest first.
    #[graphql(complexity = "cost(first, last, child_complexity)")]
    #[allow(clippy::too_many_arguments)]
    async fn judges(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "How many from the start, up to 100; 20 when neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only what comes after this cursor.")] after: Option<String>,
        #[graphql(desc = "How many from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only what comes before this cursor.")] before: Option<String>,
        #[graphql(desc = "Whether archived ones are listed too.", default = false)] include_archived: bool,
        #[graphql(desc = "Only those in whose name this occurs, whatever the case.")] name: Option<String>,
    ) -> FieldResult<JudgeConnection> {
        let (db, id) = (services(ctx)?.db.clone(), AccountId::from(self.0.id.clone()));
        let list = format!("judges:{id}");
        let page = PageArgs { first, after, last, before }.page::<String>(&list)?;
        let filter = JudgeFilter { archived: (!include_archived).then_some(false), name };
        let slice = judge::list(&db, &id, &filter, page).await.map_err(field_error)?;
        let count = move || {
            let (db, id, filter) = (db.clone(), id.clone(), filter.clone());
            Box::pin(async move { judge::count(&db, &id, &filter).await }) as _
        };
        Ok(connection(&list, slice, |judge| judge.id.to_string(), Judge, Box::new(count)))
    }

    /// The movements of its credits, newest first.
    #[graphql(complexity = "cost(first, last, child_complexity)")]
    #[allow(clippy::too_many_arguments)]
    async fn ledger(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "How many from the start, up to 100; 20 when neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only what comes after this cursor.")] after: Option<String>,
        #[graphql(desc = "How many from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only what comes before this cursor.")] before: Option<String>,
        #[graphql(desc = "Only those of this kind.")] kind: Option<LedgerEntryKind>,
        #[graphql(desc = "Only those of this moment or later.")] since: Option<DateTime>,
        #[graphql(desc = "Only those before this moment.")] until: Option<DateTime>,
    ) -> FieldResult<LedgerEntryConnection> {
        let (since, until) = (since.map(|time| time.0), until.map(|time| time.0));
        let filter = MovementFilter { kind: kind.map(Into::into), since, until };
        ledger::entries(ctx, self.key(), filter, PageArgs { first, after, last, before }).await
    }

    /// What it has used, by route and by stretch of time, in order of time. Stretches without use are left out.
    async fn usage(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "From this moment on; 30 days before the end when left out.")] from: Option<
            DateTime,
        >,
        #[graphql(desc = "Up to this moment; now when left out.")] to: Option<DateTime>,
        #[graphql(
            desc = "How long a stretch is; there may be 1,000 at most.",
            default_with = "UsageBucket::Day"
        )]
        bucket: UsageBucket,
    ) -> FieldResult<Vec<Usage>> {
        let (from, to) = (from.map(|time| time.0), to.map(|time| time.0));
        ledger::usage(ctx, &self.key(), Span { from, to, bucket: bucket.into() }).await
    }

    /// Its API keys, newest first; never their secrets.
    #[graphql(complexity = "cost(first, last, child_complexity)")]
    #[allow(clippy::too_many_arguments)]
    async fn api_keys(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "How many from the start, up to 100; 20 when neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only what comes after this cursor.")] after: Option<String>,
        #[graphql(desc = "How many from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only what comes before this cursor.")] before: Option<String>,
        #[graphql(desc = "Whether revoked ones are listed too.", default = true)] include_revoked: bool,
    ) -> FieldResult<ApiKeyConnection> {
        api_key::keys(ctx, self.key(), include_revoked, PageArgs { first, after, last, before }).await
    }

    /// Who can sign in to it; those who joined first first.
    #[graphql(complexity = "cost(first, last, child_complexity)")]
    async fn users(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "How many from the start, up to 100; 20 when neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only what comes after this cursor.")] after: Option<String>,
        #[graphql(desc = "How many from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only what comes before this cursor.")] before: Option<String>,
    ) -> FieldResult<UserConnection> {
        user::people(ctx, self.key(), PageArgs { first, after, last, before }).await
    }

    /// Its open invitations, newest first; never their tokens.
    #[graphql(complexity = "cost(first, last, child_complexity)")]
    async fn invites(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "How many from the start, up to 100; 20 when neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only what comes after this cursor.")] after: Option<String>,
        #[graphql(desc = "How many from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only what comes before this cursor.")] before: Option<String>,
    ) -> FieldResult<InviteConnection> {
        user::invites(ctx, self.key(), PageArgs { first, after, last, before }).await
    }

    /// Who changed what, newest first.
    #[graphql(complexity = "cost(first, last, child_complexity)")]
    async fn audit_log(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "How many from the start, up to 100; 20 when neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only what comes after this cursor.")] after: Option<String>,
        #[graphql(desc = "How many from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only what comes before this cursor.")] before: Option<String>,
    ) -> FieldResult<AuditEntryConnection> {
        audit::entries(ctx, self.key(), PageArgs { first, after, last, before }).await
    }
}

impl Account {
    fn key(&self) -> AccountId {
        AccountId::from(self.0.id.clone())
    }
}
