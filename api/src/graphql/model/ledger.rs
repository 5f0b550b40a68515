//! Ledger entries, and an account's usage.

use async_graphql::{ComplexObject, Context, Enum, ID, Object, SimpleObject};
use domain::money::credits::{self, Bucket, EntryKind, Movement, MovementFilter, Span, UsageGroups};
use ports::id::{AccountId, DatasetId, JudgeId};

use super::{Actor, Judge};
use crate::graphql::{
    context::{loaders, services},
    date_time::DateTime,
    error::{FieldResult, field_error},
    loaders::batch_error,
    pagination::{ListConnection, PageArgs, connection, count_of},
};

/// The kind of a ledger entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
pub(crate) enum LedgerEntryKind {
    /// Credits granted by an operator.
    Grant,
    /// Credits spent by a request.
    Charge,
    /// A charge that was undone.
    Refund,
    /// A correction by an operator.
    Adjustment,
}

impl From<EntryKind> for LedgerEntryKind {
    fn from(kind: EntryKind) -> Self {
        match kind {
            EntryKind::Grant => LedgerEntryKind::Grant,
            EntryKind::Charge => LedgerEntryKind::Charge,
            EntryKind::Refund => LedgerEntryKind::Refund,
            EntryKind::Adjustment => LedgerEntryKind::Adjustment,
        }
    }
}

impl From<LedgerEntryKind> for EntryKind {
    fn from(kind: LedgerEntryKind) -> Self {
        match kind {
            LedgerEntryKind::Grant => EntryKind::Grant,
            LedgerEntryKind::Charge => EntryKind::Charge,
            LedgerEntryKind::Refund => EntryKind::Refund,
            LedgerEntryKind::Adjustment => EntryKind::Adjustment,
        }
    }
}

pub(crate) struct LedgerEntry(Movement);

pub(crate) type LedgerEntryConnection = ListConnection<LedgerEntry>;

/// An entry of the ledger. It never changes.
#[Object]
impl LedgerEntry {
    /// The entry's number in the account's ledger: 1, 2, 3, … without gaps.
    async fn seq(&self) -> i64 {
        self.0.seq
    }

    /// The kind of the entry.
    async fn kind(&self) -> LedgerEntryKind {
        self.0.kind.into()
    }

    /// The credits added to the balance; negative for a charge.
    async fn amount(&self) -> f64 {
        self.0.amount.credits()
    }

    /// The balance after the entry.
    async fn balance_after(&self) -> f64 {
        self.0.balance_after.credits()
    }

    /// The messages, pictures and decisions that were charged or refunded: more than one for a batch; 0 for grants and
    /// adjustments.
    async fn items(&self) -> i64 {
        self.0.items
    }

    /// The id of the request, as in the response header `x-request-id`.
    async fn request_id(&self) -> ID {
        ID(self.0.request_id.clone())
    }

    /// What the credits were spent on, such as the id of a moderation; for a refund, the id of the refunded request.
    async fn reference(&self) -> Option<ID> {
        self.0.reference.clone().map(ID)
    }

    /// The route that was charged for.
    async fn endpoint(&self) -> Option<&str> {
        self.0.endpoint.as_deref()
    }

    /// The id of the API key that spent the credits.
    async fn api_key_id(&self) -> Option<ID> {
        self.0.api_key.clone().map(ID)
    }

    /// The API key or the signed-in user who spent the credits, or submitted the batch, Checkpoint or evaluation that
    /// did; null for grants.
    async fn payer(&self) -> Option<Actor> {
        self.0.user.clone().or_else(|| self.0.api_key.clone()).map(Actor)
    }

    /// The Judge that the charge is for; null if it is for none.
    async fn judge(&self, ctx: &Context<'_>) -> FieldResult<Option<Judge>> {
        judge(ctx, self.0.judge.as_ref()).await
    }

    /// The operator's note on a grant or an adjustment.
    async fn note(&self) -> Option<&str> {
        self.0.note.as_deref()
    }

    /// When the entry was made.
    async fn created_at(&self) -> DateTime {
        self.0.created_at.into()
    }
}

/// The length of a period, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
pub(crate) enum UsageBucket {
    /// An hour.
    Hour,
    /// A day.
    Day,
    /// A calendar month.
    Month,
}

impl From<UsageBucket> for Bucket {
    fn from(bucket: UsageBucket) -> Self {
        match bucket {
            UsageBucket::Hour => Bucket::Hour,
            UsageBucket::Day => Bucket::Day,
            UsageBucket::Month => Bucket::Month,
        }
    }
}

/// What usage is summed up by, besides the period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
pub(crate) enum UsageGroup {
    /// The route.
    Endpoint,
    /// The Judge that answered.
    Judge,
    /// The API key or the user who spent the credits, or submitted what did.
    Payer,
}

/// The usage of one group in one period.
#[derive(SimpleObject)]
#[graphql(complex)]
pub(crate) struct Usage {
    /// The start of the period.
    start: DateTime,
    /// The route; null when usage is not grouped by it.
    endpoint: Option<String>,
    /// The API key or the user who spent the credits, or submitted the batch, Checkpoint or evaluation that did; null
    /// when usage is not grouped by it.
    payer: Option<Actor>,
    #[graphql(skip)]
    judge_id: Option<JudgeId>,
    /// The requests that were charged and not refunded.
    requests: i64,
    /// The messages, pictures and decisions of these requests: a batch is one request with many.
    items: i64,
    /// The credits that these requests cost.
    credits: f64,
}

#[ComplexObject]
impl Usage {
    /// The Judge that answered; null for requests through none, and when usage is not grouped by it.
    async fn judge(&self, ctx: &Context<'_>) -> FieldResult<Option<Judge>> {
        judge(ctx, self.judge_id.as_ref()).await
    }
}

async fn judge(ctx: &Context<'_>, id: Option<&JudgeId>) -> FieldResult<Option<Judge>> {
    let Some(id) = id else { return Ok(None) };
    let found = loaders(ctx)?.judges.load_one(DatasetId::from(id)).await;
    found.map(|found| found.map(Judge)).map_err(|error| field_error(batch_error(error)))
}

/// A page of an account's ledger.
pub(super) async fn entries(
    ctx: &Context<'_>,
    account: AccountId,
    filter: MovementFilter,
    args: PageArgs,
) -> FieldResult<LedgerEntryConnection> {
    let ledger = services(ctx)?.ledger.clone();
    let list = format!("ledger:{account}");
    let page = args.page::<i64>(&list)?;
    let slice = ledger.movements(&account, &filter, page).await.map_err(field_error)?;
    let count = count_of((ledger, account, filter), |(ledger, account, filter)| async move {
        ledger.count_movements(&account, &filter).await
    });
    Ok(connection(&list, slice, |entry| entry.seq, LedgerEntry, count))
}

/// An account's usage.
pub(super) async fn usage(
    ctx: &Context<'_>,
    account: &AccountId,
    span: Span,
    groups: &[UsageGroup],
) -> FieldResult<Vec<Usage>> {
    let groups = UsageGroups {
        endpoint: groups.contains(&UsageGroup::Endpoint),
        judge: groups.contains(&UsageGroup::Judge),
        payer: groups.contains(&UsageGroup::Payer),
    };
    let used = services(ctx)?.ledger.usage(account, span, groups).await.map_err(field_error)?;
    Ok(used.into_iter().map(Usage::from).collect())
}

impl From<credits::Usage> for Usage {
    fn from(used: credits::Usage) -> Self {
        Self {
            start: used.start.into(),
            endpoint: used.endpoint,
            payer: used.payer.map(Actor),
            judge_id: used.judge,
            requests: used.requests,
            items: used.items,
            credits: used.credits.credits(),
        }
    }
}
