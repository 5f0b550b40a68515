//! Ledger entries, who pays for them, and their receipts.

use serde::{Deserialize, Serialize};

use super::SideRow;
use crate::{
    Code, Error,
    amount::Amount,
    id::{AccountId, JobId, KeyId, RequestId, UserId},
};

/// Why credits move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An operator gave credits.
    Grant,
    /// A request spent credits.
    Charge,
    /// A charge was undone.
    Refund,
    /// An operator corrected the balance.
    Adjustment,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 4] = [Kind::Grant, Kind::Charge, Kind::Refund, Kind::Adjustment];

    /// The name in the ledger.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Grant => "grant",
            Kind::Charge => "charge",
            Kind::Refund => "refund",
            Kind::Adjustment => "adjustment",
        }
    }

    /// Reads a name in the ledger.
    pub(super) fn parse(name: &str) -> Result<Self, Error> {
        let unknown = || Error::internal(format!("`{name}` is no kind of movement"));
        Kind::ALL.into_iter().find(|kind| kind.as_str() == name).ok_or_else(unknown)
    }
}

/// Who spends an account's credits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payer {
    /// A program, with an API key.
    Key(KeyId),
    /// A person who is signed in.
    User(UserId),
    /// A job in the background.
    Job(JobId),
}

/// One movement that should happen, at most once for its request id.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The account whose balance moves.
    pub account: AccountId,
    /// The request that the movement belongs to.
    pub request_id: RequestId,
    /// Why credits move.
    pub kind: Kind,
    /// How much: negative for a charge. A negative entry is refused when it is more than what is available.
    pub delta: Amount,
    /// What it is for: `mod_…`, or the request that a refund undoes.
    pub reference: Option<String>,
    /// The route charged for.
    pub endpoint: Option<&'static str>,
    /// Who spends; none for what an operator does.
    pub payer: Option<Payer>,
    /// A person's reason, for grants and adjustments.
    pub note: Option<String>,
    /// Rows that are written in the same commit, by the [`super::SideTable`] that owns them.
    pub side_rows: Vec<SideRow>,
    /// The hold that is spent.
    pub(super) hold: HoldUse,
}

/// What an entry does to a hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum HoldUse {
    /// Nothing.
    None,
    /// Ends the hold of its own request, if that is still there, and may spend it.
    Capture,
    /// Spends a part of a job's hold, which must be there.
    Part(JobId),
    /// Spends a part of a job's hold, which must be there, and releases the rest.
    Last(JobId),
}

impl Entry {
    /// A movement with nothing but the necessary.
    pub fn new(account: AccountId, request_id: RequestId, kind: Kind, delta: Amount) -> Self {
        Self {
            account,
            request_id,
            kind,
            delta,
            reference: None,
            endpoint: None,
            payer: None,
            note: None,
            side_rows: Vec::new(),
            hold: HoldUse::None,
        }
    }

    /// What the hold is for that this entry spends: a request's or a job's id.
    pub(super) fn held_for(&self) -> Option<&str> {
        match &self.hold {
            HoldUse::None => None,
            HoldUse::Capture => Some(self.request_id.as_str()),
            HoldUse::Part(job) | HoldUse::Last(job) => Some(job.as_str()),
        }
    }
}

/// Proof of a movement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// What was deducted; negative for a grant.
    pub deducted: Amount,
    /// What is left to spend: the balance less what is held, right after this movement.
    pub remaining: Amount,
    /// The ledger row's place in the account's ledger.
    pub seq: i64,
}

/// How one entry fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The entry is in the ledger.
    Posted(Receipt),
    /// More was asked than is available, or given than can be counted; nothing moved.
    Insufficient {
        /// What is available.
        available: Amount,
    },
    /// The request id has moved money for another result: another run of the same idempotent request was charged.
    Superseded,
    /// The job's hold has ended: the job is over, and spends nothing any more.
    HoldEnded,
    /// There is no such account.
    NoAccount,
}

impl Outcome {
    /// The receipt, or the error a client should see.
    pub(crate) fn receipt(self, entry: &Entry) -> Result<Receipt, Error> {
        match self {
            Outcome::Posted(receipt) => Ok(receipt),
            Outcome::Insufficient { .. } if entry.delta.milli() > 0 => {
                Err(Error::invalid("amount", "is more than the account can hold beside what it has"))
            }
            Outcome::Insufficient { available } => Err(insufficient(-entry.delta, available)),
            Outcome::Superseded => Err(Error::new(
                Code::Conflict,
                "another run of this request was charged in place of this one",
            )),
            Outcome::HoldEnded => {
                Err(Error::new(Code::Conflict, "the job has ended; nothing more is charged for it"))
            }
            Outcome::NoAccount => Err(Error::new(Code::NotFound, format!("no account {}", entry.account))),
        }
    }
}

/// The error for a balance below a cost.
pub(crate) fn insufficient(cost: Amount, available: Amount) -> Error {
    let message = format!("this costs {cost} credits and the account has {available}");
    Error::new(Code::InsufficientCredits, message)
}
