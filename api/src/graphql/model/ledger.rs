//! The movements of an account's credits, and what they come to.

use async_graphql::{Context, Enum, ID, Object, SimpleObject};
use domain::{
    credits::{self, Bucket, Kind, Movement, MovementFilter, Span},
    id::AccountId,
};

use crate::graphql::{
    context::services,
    date_time::DateTime,
    error::{FieldResult, field_error},
    pagination::{ListConnection, PageArgs, connection},
};

/// Why credits moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
pub(crate) enum LedgerEntryKind {
    /// An operator gave them.
    Grant,
    /// A request spent them.
    Charge,
    /// A charge undone.
    Refund,
    /// An operator's correction.
    Adjustment,
}

impl From<Kind> for LedgerEntryKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Grant => LedgerEntryKind::Grant,
            Kind::Charge => LedgerEntryKind::Charge,
            Kind::Refund => LedgerEntryKind::Refund,
            Kind::Adjustment => LedgerEntryKind::Adjustment,
        }
    }
}

impl From<LedgerEntryKind> for Kind {
    fn from(kind: LedgerEntryKind) -> Self {
        match kind {
            LedgerEntryKind::Grant => Kind::Grant,
            LedgerEntryKind::Charge => Kind::Charge,
            LedgerEntryKind::Refund => Kind::Refund,
            LedgerEntryKind::Adjustment => Kind::Adjustment,
        }
    }
}

/// One movement of credits. Never changes.
pub(crate) struct LedgerEntry(Movement);

/// A page of the ledger.
pub(crate) type LedgerEntryConnection = ListConnection<LedgerEntry>;

/// One movement of credits. Never changes.
#[Object]
impl LedgerEntry {
    /// Its place in the ledger: 1, 2, 3, … without gaps.
    async fn seq(&self) -> i64 {
        self.0.seq
    }

    /// Why credits moved.
    async fn kind(&self) -> LedgerEntryKind {
        self.0.kind.into()
    }

    /// How many credits: negative for a charge.
    async fn amount(&self) -> f64 {
        self.0.amount.credits()
    }

    /// The balance since.
    async fn balance_after(&self) -> f64 {
        self.0.balance_after.credits()
    }

    /// The request that moved them, as its answer named it in `x-request-id`.
    async fn request_id(&self) -> ID {
        ID(self.0.request_id.clone())
    }

    /// What they were spent on, such as the id of a moderation; for a refund, the request that it undoes.
    async fn reference(&self) -> Option<ID> {
        self.0.reference.clone().map(ID)
    }

    /// The route that was charged for.
    async fn endpoint(&self) -> Option<&str> {
        self.0.endpoint.as_deref()
    }

    /// The API key that spent them, by its id.
    async fn api_key_id(&self) -> Option<ID> {
        self.0.api_key.clone().map(ID)
    }

    /// A person's reason, for grants and adjustments.
    async fn note(&self) -> Option<&str> {
        self.0.note.as_deref()
    }

    /// When.
    async fn created_at(&self) -> DateTime {
        self.0.created_at.into()
    }
}

/// How long a stretch of time is, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
pub(crate) enum UsageBucket {
    /// An hour.
    Hour,
    /// A day.
    Day,
    /// A month of the calendar.
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

/// What one route was used for in one stretch of time.
#[derive(SimpleObject)]
pub(crate) struct Usage {
    /// When the stretch begins.
    start: DateTime,
    /// The route.
    endpoint: String,
    /// Requests that were charged and not refunded.
    requests: i64,
    /// What they cost, in credits.
    credits: f64,
}

/// A page of an account's ledger.
pub(super) async fn entries(
    ctx: &Context<'_>,
    account: AccountId,
    filter: MovementFilter,
    args: PageArgs,
) -> FieldResult<LedgerEntryConnection> {
    let db = services(ctx)?.db.clone();
    let list = format!("ledger:{account}");
    let page = args.page::<i64>(&list)?;
    let slice = credits::movements(&db, &account, &filter, page).await.map_err(field_error)?;
    let count = move || {
        let (db, account, filter) = (db.clone(), account.clone(), filter.clone());
        Box::pin(async move { credits::count_movements(&db, &account, &filter).await }) as _
    };
    Ok(connection(&list, slice, |entry| entry.seq, LedgerEntry, Box::new(count)))
}

/// What an account has used.
pub(super) async fn usage(ctx: &Context<'_>, account: &AccountId, span: Span) -> FieldResult<Vec<Usage>> {
    let used = credits::usage(&services(ctx)?.db, account, span).await.map_err(field_error)?;
    let usage = |used: credits::Usage| Usage {
        start: used.start.into(),
        endpoint: used.endpoint,
        requests: used.requests,
        credits: used.credits.credits(),
    };
    Ok(used.into_iter().map(usage).collect())
}
