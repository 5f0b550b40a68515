//! Accounts.

use async_graphql::{Context, ID, Object};
use chrono::{TimeDelta, Utc};
use domain::{
    Error,
    foundation::failed_requests::FailedRequestFilter,
    learning::{
        checkpoint::CheckpointFilter, evaluation::EvaluationFilter, judge::JudgeFilter, sample::SampleFilter,
    },
    money::{
        amount::Amount,
        credits::{MovementFilter, Span},
    },
    operations::moderation::policies::PolicyFilter,
    people::account,
};
use ports::id::AccountId;

use super::{
    ApiKeyConnection, AuditAction, AuditEntryConnection, BatchConnection, CheckpointConnection,
    EvaluationConnection, InviteConnection, Judge, JudgeConnection, LedgerEntryConnection, LedgerEntryKind,
    ModerationPolicyConnection, Usage, UsageBucket, UsageGroup, UserConnection, WebhookEndpoint, api_key,
    audit, batch,
    checkpoint::{CheckpointState, checkpoints},
    evaluation::evaluations,
    failed_request::{FailedRequestConnection, failed_requests},
    ledger,
    moderation_insights::ModerationInsights,
    moderation_policy::{self, VERSION_COST},
    user,
    webhook::{self, ENDPOINTS_COST},
};
use crate::graphql::{
    context::services,
    date_time::DateTime,
    error::{FieldResult, field_error},
    pagination::{PageArgs, connection, cost, count_of},
};

/// The complexity of reading insights, which are computed together.
const INSIGHTS_COST: usize = 100;
/// The longest span of insights: a year.
const MAX_INSIGHTS_DAYS: i32 = 366;

/// The complexity of usage in rows: there may be more, but each is small.
const USAGE_COST: usize = 100;

pub(crate) struct Account(pub(crate) account::AccountRow);

/// A customer of the service, who owns API keys, Judges and credits.
#[Object]
impl Account {
    /// The account's id, `acc_…`.
    pub(crate) async fn id(&self) -> ID {
        ID(self.0.id.clone())
    }

    /// The account's name.
    async fn name(&self) -> &str {
        &self.0.name
    }

    /// Credits that the account owns, held ones included.
    async fn balance(&self) -> f64 {
        Amount::from_milli(self.0.balance).credits()
    }

    /// Credits that are set aside for work in progress.
    async fn held(&self) -> f64 {
        Amount::from_milli(self.0.held).credits()
    }

    /// Credits that can be spent: the balance minus the held credits.
    async fn available(&self) -> f64 {
        Amount::from_milli(self.0.balance - self.0.held).credits()
    }

    /// When the account was created.
    async fn created_at(&self) -> DateTime {
        self.0.created_at.into()
    }

    /// The account's Judges, newest first.
    #[graphql(complexity = "cost(first, last, child_complexity)")]
    #[allow(clippy::too_many_arguments)]
    async fn judges(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Rows from the start, up to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only rows after this cursor.")] after: Option<String>,
        #[graphql(desc = "Rows from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only rows before this cursor.")] before: Option<String>,
        #[graphql(desc = "Whether to include archived Judges.", default = false)] include_archived: bool,
        #[graphql(desc = "Only Judges whose name contains this, in upper or lower case.")] name: Option<
            String,
        >,
    ) -> FieldResult<JudgeConnection> {
        let judges = services(ctx)?.judges.clone();
        let id = AccountId::from(self.0.id.clone());
        let list = format!("judges:{id}");
        let page = PageArgs { first, after, last, before }.page::<String>(&list)?;
        let filter = JudgeFilter { archived: (!include_archived).then_some(false), name };
        let slice = judges.list(&id, &filter, page).await.map_err(field_error)?;
        let count =
            count_of(
                (judges, id, filter),
                |(judges, id, filter)| async move { judges.count(&id, &filter).await },
            );
        Ok(connection(&list, slice, |judge| judge.id.to_string(), Judge::from, count))
    }

    /// The account's moderation log; null if it was never turned on.
    async fn moderation_log(&self, ctx: &Context<'_>) -> FieldResult<Option<Judge>> {
        let found = services(ctx)?.moderation_logs.find(&AccountId::from(self.0.id.clone())).await;
        found.map(|found| found.map(Judge::from)).map_err(field_error)
    }

    /// What the moderation log has seen in the last days, of the messages that it still keeps; null if it was never
    /// turned on.
    #[graphql(complexity = "INSIGHTS_COST + child_complexity")]
    async fn moderation_insights(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Up to now, from 1 to 366 days ago.", default = 30)] days: i32,
    ) -> FieldResult<Option<ModerationInsights>> {
        if !(1..=MAX_INSIGHTS_DAYS).contains(&days) {
            let message = format!("must be from 1 to {MAX_INSIGHTS_DAYS}");
            return Err(field_error(Error::invalid("days", message)));
        }
        let services = services(ctx)?;
        let account = self.key();
        let Some(log) = services.moderation_logs.find(&account).await.map_err(field_error)? else {
            return Ok(None);
        };
        let since = Some(Utc::now() - TimeDelta::days(days.into()));
        let filter = SampleFilter { since, ..SampleFilter::default() };
        let seen = services.statistics.moderation(&account, &log.id, &filter).await;
        seen.map(|seen| Some(seen.into())).map_err(field_error)
    }

    /// The account's moderation policies, newest first.
    #[graphql(complexity = "cost(first, last, child_complexity + VERSION_COST)")]
    #[allow(clippy::too_many_arguments)]
    async fn moderation_policies(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Rows from the start, up to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only rows after this cursor.")] after: Option<String>,
        #[graphql(desc = "Rows from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only rows before this cursor.")] before: Option<String>,
        #[graphql(desc = "Whether to include archived policies.", default = false)] include_archived: bool,
        #[graphql(desc = "Only policies whose name contains this, in upper or lower case.")] name: Option<
            String,
        >,
    ) -> FieldResult<ModerationPolicyConnection> {
        let filter = PolicyFilter { archived: (!include_archived).then_some(false), name };
        let args = PageArgs { first, after, last, before };
        moderation_policy::policy_page(ctx, self.key(), filter, args).await
    }

    /// The Checkpoints of all Judges, newest first.
    #[graphql(complexity = "cost(first, last, child_complexity)")]
    #[allow(clippy::too_many_arguments)]
    async fn checkpoints(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Rows from the start, up to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only rows after this cursor.")] after: Option<String>,
        #[graphql(desc = "Rows from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only rows before this cursor.")] before: Option<String>,
        #[graphql(desc = "Only Checkpoints in this state.")] state: Option<CheckpointState>,
    ) -> FieldResult<CheckpointConnection> {
        let filter = CheckpointFilter { judge: None, state: state.map(Into::into) };
        checkpoints(ctx, &self.key(), filter, PageArgs { first, after, last, before }).await
    }

    /// The evaluations of all Judges, newest first.
    #[graphql(complexity = "cost(first, last, child_complexity)")]
    async fn evaluations(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Rows from the start, up to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only rows after this cursor.")] after: Option<String>,
        #[graphql(desc = "Rows from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only rows before this cursor.")] before: Option<String>,
    ) -> FieldResult<EvaluationConnection> {
        let filter = EvaluationFilter::default();
        evaluations(ctx, &self.key(), filter, PageArgs { first, after, last, before }).await
    }

    /// The account's ledger, newest entries first.
    #[graphql(complexity = "cost(first, last, child_complexity)")]
    #[allow(clippy::too_many_arguments)]
    async fn ledger(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Rows from the start, up to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only rows after this cursor.")] after: Option<String>,
        #[graphql(desc = "Rows from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only rows before this cursor.")] before: Option<String>,
        #[graphql(desc = "Only entries of this kind.")] kind: Option<LedgerEntryKind>,
        #[graphql(desc = "Only entries at or after this time.")] since: Option<DateTime>,
        #[graphql(desc = "Only entries before this time.")] until: Option<DateTime>,
        #[graphql(desc = "Only entries of the request with this id.")] request_id: Option<ID>,
    ) -> FieldResult<LedgerEntryConnection> {
        let since = since.map(|time| time.0);
        let until = until.map(|time| time.0);
        let filter = MovementFilter {
            kind: kind.map(Into::into),
            since,
            until,
            request: request_id.map(|id| id.to_string()),
        };
        ledger::entries(ctx, self.key(), filter, PageArgs { first, after, last, before }).await
    }

    /// Requests that were refused or failed, newest first. They are kept for 14 days, up to 60 of each minute, without
    /// their content; requests that were charged are in the ledger.
    #[graphql(complexity = "cost(first, last, child_complexity)")]
    #[allow(clippy::too_many_arguments)]
    async fn failed_requests(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Rows from the start, up to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only rows after this cursor.")] after: Option<String>,
        #[graphql(desc = "Rows from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only rows before this cursor.")] before: Option<String>,
        #[graphql(desc = "Only the request with this id.")] request_id: Option<ID>,
        #[graphql(desc = "Only requests answered with this HTTP status.")] status: Option<i32>,
        #[graphql(desc = "Only requests with this API key.")] key_id: Option<ID>,
    ) -> FieldResult<FailedRequestConnection> {
        let filter = FailedRequestFilter {
            account: Some(self.key()),
            request: request_id.map(|id| id.to_string()),
            status,
            actor: key_id.map(|id| id.to_string()),
        };
        failed_requests(ctx, filter, PageArgs { first, after, last, before }).await
    }

    /// The account's usage by period and group, in order of time. Periods without usage are left out; there may be up
    /// to 10,000 rows.
    #[graphql(complexity = "USAGE_COST * child_complexity + 1")]
    async fn usage(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The start; by default 30 days before the end.")] from: Option<DateTime>,
        #[graphql(desc = "The end; by default now.")] to: Option<DateTime>,
        #[graphql(
            desc = "The length of a period; there may be up to 1,000 periods.",
            default_with = "UsageBucket::Day"
        )]
        bucket: UsageBucket,
        #[graphql(
            desc = "What usage is summed up by, besides the period; empty for nothing else.",
            default_with = "vec![UsageGroup::Endpoint]"
        )]
        group_by: Vec<UsageGroup>,
    ) -> FieldResult<Vec<Usage>> {
        let from = from.map(|time| time.0);
        let to = to.map(|time| time.0);
        ledger::usage(ctx, &self.key(), Span { from, to, bucket: bucket.into() }, &group_by).await
    }

    /// The account's API keys, newest first, without their secrets.
    #[graphql(complexity = "cost(first, last, child_complexity)")]
    #[allow(clippy::too_many_arguments)]
    async fn api_keys(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Rows from the start, up to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only rows after this cursor.")] after: Option<String>,
        #[graphql(desc = "Rows from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only rows before this cursor.")] before: Option<String>,
        #[graphql(desc = "Whether to include revoked keys.", default = true)] include_revoked: bool,
    ) -> FieldResult<ApiKeyConnection> {
        api_key::keys(ctx, self.key(), include_revoked, PageArgs { first, after, last, before }).await
    }

    /// The account's bulk batches, newest first.
    #[graphql(complexity = "cost(first, last, child_complexity)")]
    async fn batches(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Rows from the start, up to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only rows after this cursor.")] after: Option<String>,
        #[graphql(desc = "Rows from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only rows before this cursor.")] before: Option<String>,
    ) -> FieldResult<BatchConnection> {
        batch::batches(ctx, PageArgs { first, after, last, before }).await
    }

    /// The account's webhook endpoints, newest first, without their secrets: up to 10.
    #[graphql(complexity = "ENDPOINTS_COST * child_complexity + 1")]
    async fn webhook_endpoints(&self, ctx: &Context<'_>) -> FieldResult<Vec<WebhookEndpoint>> {
        webhook::endpoints(ctx, &self.key()).await
    }

    /// The people who can sign in to the account, in the order in which they joined.
    #[graphql(complexity = "cost(first, last, child_complexity)")]
    async fn users(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Rows from the start, up to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only rows after this cursor.")] after: Option<String>,
        #[graphql(desc = "Rows from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only rows before this cursor.")] before: Option<String>,
    ) -> FieldResult<UserConnection> {
        user::people(ctx, self.key(), PageArgs { first, after, last, before }).await
    }

    /// The account's open invitations, newest first, without their tokens.
    #[graphql(complexity = "cost(first, last, child_complexity)")]
    async fn invites(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Rows from the start, up to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only rows after this cursor.")] after: Option<String>,
        #[graphql(desc = "Rows from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only rows before this cursor.")] before: Option<String>,
    ) -> FieldResult<InviteConnection> {
        user::invites(ctx, self.key(), PageArgs { first, after, last, before }).await
    }

    /// The account's audit log, newest entries first.
    #[graphql(complexity = "cost(first, last, child_complexity)")]
    #[allow(clippy::too_many_arguments)]
    async fn audit_log(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Rows from the start, up to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only rows after this cursor.")] after: Option<String>,
        #[graphql(desc = "Rows from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only rows before this cursor.")] before: Option<String>,
        #[graphql(desc = "Only changes of this kind.")] action: Option<AuditAction>,
    ) -> FieldResult<AuditEntryConnection> {
        audit::entries(ctx, self.key(), action, PageArgs { first, after, last, before }).await
    }
}

impl Account {
    fn key(&self) -> AccountId {
        AccountId::from(self.0.id.clone())
    }
}
