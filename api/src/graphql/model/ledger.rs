//! Ledger entries, and an account's usage.

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

/// The usage of one route in one period.
#[derive(SimpleObject)]
pub(crate) struct Usage {
    /// The start of the period.
    start: DateTime,
    /// The route.
    endpoint: String,
    /// The requests that were charged and not refunded.
    requests: i64,
    /// The credits that these requests cost.
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

/// An account's usage.
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
