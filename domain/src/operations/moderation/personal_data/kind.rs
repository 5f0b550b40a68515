//! A kind of personal data, and where some is.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// A kind of personal data. Where two kinds overlap, the earlier one of this list is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr, Serialize, Deserialize)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum PersonalDataKind {
    /// A password, a private key or an access token.
    Secret,
    /// A payment card's number.
    PaymentCard,
    /// An international bank account number.
    Iban,
    /// A number that a state gives a person.
    NationalId,
    /// A public IP address.
    IpAddress,
    /// An e-mail address.
    Email,
    /// A telephone number.
    Phone,
    /// A house number and a street, or a post-office box.
    PostalAddress,
    /// Data of somebody else, posted to expose them. It is found beside what it overlaps, and not redacted.
    Doxxing,
}

impl PersonalDataKind {
    /// Every kind, in the order of the names in messages to clients.
    pub const ALL: [Self; 9] = [
        Self::Email,
        Self::Phone,
        Self::PostalAddress,
        Self::PaymentCard,
        Self::Iban,
        Self::NationalId,
        Self::IpAddress,
        Self::Secret,
        Self::Doxxing,
    ];

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The probability that what is found of it is some: the precision that `bench/personal_data.py` measures, over
    /// all its locales. Doxxing has a probability of its own.
    pub const PRECISION: f64 = 0.99;

    /// What stands in its place in a redacted message, such as `[EMAIL]`.
    pub fn placeholder(self) -> String {
        format!("[{}]", self.as_str().to_uppercase())
    }
}

/// Personal data in a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonalData {
    pub kind: PersonalDataKind,
    /// Its place in the message, in bytes.
    pub span: Range<usize>,
    /// The country of a national id, in two letters (ISO 3166-1).
    pub country: Option<&'static str>,
}

impl PersonalData {
    pub(super) fn new(kind: PersonalDataKind, span: Range<usize>) -> Self {
        Self { kind, span, country: None }
    }
}

/// Personal data in a message, with the probability that it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LikelyPersonalData {
    pub kind: PersonalDataKind,
    /// Where it begins in the content, in bytes.
    pub start: usize,
    pub end: usize,
    /// The country of a national id, in two letters (ISO 3166-1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    pub probability: f64,
}

impl From<PersonalData> for LikelyPersonalData {
    fn from(PersonalData { kind, span, country }: PersonalData) -> Self {
        let country = country.map(str::to_owned);
        Self { kind, start: span.start, end: span.end, country, probability: PersonalDataKind::PRECISION }
    }
}
