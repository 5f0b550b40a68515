//! Ledger entries, their payers and their receipts.

use std::{any::Any, borrow::Cow, sync::Arc};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    Code, Error,
    foundation::actor::{Actor, Identity},
    money::amount::Amount,
};
use ports::id::{AccountId, JobId, JudgeId, KeyId, RequestId, UserId};

/// The kind of a ledger entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// An operator gave credits.
    Grant,
    /// A request spent credits.
    Charge,
    /// A charge was refunded.
    Refund,
    /// An operator corrected the balance.
    Adjustment,
}

impl EntryKind {
    pub const ALL: [EntryKind; 4] =
        [EntryKind::Grant, EntryKind::Charge, EntryKind::Refund, EntryKind::Adjustment];

    /// The kind's name in the ledger.
    pub fn as_str(self) -> &'static str {
        match self {
            EntryKind::Grant => "grant",
            EntryKind::Charge => "charge",
            EntryKind::Refund => "refund",
            EntryKind::Adjustment => "adjustment",
        }
    }

    /// Parses a name from the ledger.
    pub(super) fn parse(name: &str) -> Result<Self, Error> {
        let kind = EntryKind::ALL.into_iter().find(|kind| kind.as_str() == name);
        kind.ok_or_else(|| Error::internal(format!("unknown kind of movement `{name}`")))
    }
}

/// The payer of a charge. For a job's charges, this is the submitter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Payer {
    /// A program with an API key.
    Key(KeyId),
    /// A signed-in user.
    User(UserId),
}

impl Payer {
    /// `key_…` or `user_…`.
    pub fn name(&self) -> &str {
        match self {
            Payer::Key(key) => key.as_str(),
            Payer::User(user) => user.as_str(),
        }
    }

    /// The payer with this name, `key_…` or `user_…`; `None` for the command line.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name.split_once('_')?.0 {
            "key" => Some(Payer::Key(KeyId::from(name.to_owned()))),
            "user" => Some(Payer::User(UserId::from(name.to_owned()))),
            _ => None,
        }
    }
}

impl From<&Actor> for Payer {
    fn from(actor: &Actor) -> Self {
        match &actor.identity {
            Identity::User(user, _) => Payer::User(user.clone()),
            Identity::Key(key) => Payer::Key(key.clone()),
        }
    }
}

/// A row written in the same commit as a charge. Its [`super::SideTable`] knows the type.
pub type SideRow = Arc<dyn Any + Send + Sync>;

/// A ledger entry to post, at most once per request id.
#[derive(Clone, Debug)]
pub struct LedgerEntry {
    pub account: AccountId,
    /// The request that the entry belongs to; for grants a generated id.
    pub request_id: RequestId,
    pub kind: EntryKind,
    /// The amount: negative for a charge. A negative entry is refused when it exceeds the available credits.
    pub delta: Amount,
    /// The messages, pictures and decisions that are charged or refunded; 0 for grants and adjustments.
    pub items: u64,
    /// The id of the result, such as `mod_…`, or of the request that a refund undoes.
    pub reference: Option<String>,
    pub endpoint: Option<Cow<'static, str>>,
    /// None for grants and adjustments.
    pub payer: Option<Payer>,
    /// The Judge that the charge is for, if it is for one.
    pub judge: Option<JudgeId>,
    /// The operator's reason, for grants and adjustments.
    pub note: Option<String>,
    /// The time that the entry has; `None` for that of its commit. Only examples, which are made up, are dated back.
    pub at: Option<DateTime<Utc>>,
    /// Rows written in the same commit, by the [`super::SideTable`] that owns them.
    pub side_rows: Vec<SideRow>,
    /// What the entry does to a hold.
    pub(super) hold: HoldUse,
}

/// What an entry does to a hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum HoldUse {
    /// The entry spends no hold.
    None,
    /// Ends the hold of the entry's own request, if it still exists, and may spend it.
    Capture,
    /// Spends a part of a job's hold, which must exist.
    Part(JobId),
    /// Spends a part of a job's hold, which must exist, and releases the rest.
    Last(JobId),
}

impl LedgerEntry {
    /// An entry with only the required fields: a charge or refund of one item.
    pub fn new(account: AccountId, request_id: RequestId, kind: EntryKind, delta: Amount) -> Self {
        let items = match kind {
            EntryKind::Charge | EntryKind::Refund => 1,
            EntryKind::Grant | EntryKind::Adjustment => 0,
        };
        Self {
            account,
            request_id,
            kind,
            delta,
            items,
            reference: None,
            endpoint: None,
            payer: None,
            judge: None,
            note: None,
            at: None,
            side_rows: Vec::new(),
            hold: HoldUse::None,
        }
    }

    /// The id of the request or job whose hold this entry spends.
    pub(super) fn held_for(&self) -> Option<&str> {
        match &self.hold {
            HoldUse::None => None,
            HoldUse::Capture => Some(self.request_id.as_str()),
            HoldUse::Part(job) | HoldUse::Last(job) => Some(job.as_str()),
        }
    }

    /// The job whose hold is spent.
    pub(super) fn job(&self) -> Option<&JobId> {
        match &self.hold {
            HoldUse::Part(job) | HoldUse::Last(job) => Some(job),
            HoldUse::None | HoldUse::Capture => None,
        }
    }
}

/// Proof of a posted entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// Credits deducted; negative for a grant.
    pub deducted: Amount,
    /// Credits available right after this entry: the balance less the holds.
    pub remaining: Amount,
    /// The position in the account's ledger.
    pub seq: i64,
}

/// The outcome of posting an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PostOutcome {
    /// The entry is in the ledger.
    Posted(Receipt),
    /// The amount exceeds the available credits, or a grant overflows the balance; nothing was posted.
    Insufficient { available: Amount },
    /// The request id was charged for another result, by another run of the same idempotent request.
    Superseded,
    /// The job's hold has ended, so nothing more is charged for the job.
    HoldEnded,
    /// The account does not exist or was erased.
    NoAccount,
}

impl PostOutcome {
    /// The receipt, or the error for the client.
    pub(crate) fn receipt(self, entry: &LedgerEntry) -> Result<Receipt, Error> {
        match self {
            PostOutcome::Posted(receipt) => Ok(receipt),
            PostOutcome::Insufficient { .. } if entry.delta.milli() > 0 => {
                Err(Error::invalid("amount", "would take the balance above its maximum"))
            }
            PostOutcome::Insufficient { available } if entry.kind == EntryKind::Grant => {
                let message =
                    format!("cannot withdraw {}: the account has {available} credits", -entry.delta);
                Err(Error::new(Code::InsufficientCredits, message))
            }
            PostOutcome::Insufficient { available } => Err(insufficient(-entry.delta, available)),
            PostOutcome::Superseded => Err(Error::new(
                Code::Conflict,
                "another run of this request was charged in place of this one",
            )),
            PostOutcome::HoldEnded => {
                Err(Error::new(Code::Conflict, "the job has ended; nothing more is charged for it"))
            }
            PostOutcome::NoAccount => {
                Err(Error::new(Code::NotFound, format!("there is no account {}", entry.account)))
            }
        }
    }
}

/// The error for a cost above the available credits.
pub(crate) fn insufficient(cost: Amount, available: Amount) -> Error {
    let unit = if cost == Amount::from_milli(1_000) { "credit" } else { "credits" };
    let message = format!("this costs {cost} {unit}, but the account has {available}");
    Error::new(Code::InsufficientCredits, message)
}
