//! The shape of personal data in a message.

use domain::{
    foundation::round::significant,
    operations::moderation::{LikelyPersonalData, PersonalDataKind},
};
use serde::Serialize;
use utoipa::ToSchema;

/// Personal data in a message.
#[derive(Debug, Serialize, ToSchema)]
pub struct PersonalDataSeen {
    /// What it is.
    #[serde(rename = "type")]
    pub kind: PersonalDataType,
    /// Where it begins in the request's `content`, in characters (Unicode code points).
    pub start: usize,
    /// Where it ends, likewise.
    pub end: usize,
    /// The country of a national id, in two letters (ISO 3166-1).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "ES")]
    pub country: Option<String>,
    /// The probability that it is what `type` says, 0 to 1.
    pub probability: f64,
}

/// A type of personal data.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PersonalDataType {
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
    /// Data of somebody else, posted to expose them. Overlaps the data that it exposes.
    Doxxing,
}

impl From<LikelyPersonalData> for PersonalDataSeen {
    fn from(data: LikelyPersonalData) -> Self {
        let LikelyPersonalData { kind, start, end, country, probability } = data;
        Self { kind: kind.into(), start, end, country, probability: significant(probability) }
    }
}

impl From<PersonalDataKind> for PersonalDataType {
    fn from(kind: PersonalDataKind) -> Self {
        match kind {
            PersonalDataKind::Secret => Self::Secret,
            PersonalDataKind::PaymentCard => Self::PaymentCard,
            PersonalDataKind::Iban => Self::Iban,
            PersonalDataKind::NationalId => Self::NationalId,
            PersonalDataKind::IpAddress => Self::IpAddress,
            PersonalDataKind::Email => Self::Email,
            PersonalDataKind::Phone => Self::Phone,
            PersonalDataKind::PostalAddress => Self::PostalAddress,
            PersonalDataKind::Doxxing => Self::Doxxing,
        }
    }
}
