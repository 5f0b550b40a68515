//! What is asked of the ledger, and what it answers.

use serde::{Deserialize, Serialize};

use super::Amount;
use crate::{
    Code, Error,
    dataset::NewSample,
    id::{AccountId, KeyId, RequestId},
};

/// Why credits move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An operator gave them.
    Grant,
    /// A request spent them.
    Charge,
    /// A charge undone.
    Refund,
    /// An operator's correction.
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

/// One movement that should happen, at most once for its request id.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Whose balance.
    pub account: AccountId,
    /// The request it belongs to.
    pub request_id: RequestId,
    /// Why.
    pub kind: Kind,
    /// How much: negative for a charge. A negative entry is refused when it is more than what is available.
    pub delta: Amount,
    /// What it is for: `mod_…`, or the request that a refund undoes.
    pub reference: Option<String>,
    /// The route charged for.
    pub endpoint: Option<&'static str>,
    /// The key that spends.
    pub key: Option<KeyId>,
    /// A person's reason.
    pub note: Option<String>,
    /// An idempotent request's answer, to be stored in the same commit.
    pub answer: Option<Answer>,
    /// What a Judge saw and said, to be recorded in the same commit.
    pub sample: Option<Box<NewSample>>,
    /// Whether it ends the hold under the same request id, if there still is one, and may spend that.
    pub(super) captures: bool,
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
            key: None,
            note: None,
            answer: None,
            sample: None,
            captures: false,
        }
    }
}

/// What to store under a client's `Idempotency-Key`; the receipt is added when it is known.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The client's key.
    pub key: String,
    /// The outcome of the work, as JSON.
    pub outcome: serde_json::Value,
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
    /// It is in the ledger.
    Posted(Receipt),
    /// More was asked than is available, or given than can be counted; nothing moved.
    Insufficient {
        /// What is available.
        available: Amount,
    },
    /// The request id has moved money for another result: somebody else ran the same idempotent request.
    Superseded,
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
            Outcome::NoAccount => Err(Error::new(Code::NotFound, format!("no account {}", entry.account))),
        }
    }
}

/// The 402: what it costs and what there is.
pub(crate) fn insufficient(cost: Amount, available: Amount) -> Error {
    let message = format!("this costs {cost} credits and the account has {available}");
    Error::new(Code::InsufficientCredits, message)
}
