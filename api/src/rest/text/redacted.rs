//! The shape of a message without personal data.

use domain::operations::moderation::{PersonalData, PersonalDataKind, find_personal_data, redact};
use serde::Serialize;
use utoipa::ToSchema;

/// A message without personal data.
#[derive(Debug, Serialize, ToSchema)]
pub struct RedactedContent {
    /// The message, with a placeholder such as `[EMAIL]` in place of each.
    #[schema(example = "write to [EMAIL]")]
    pub content: String,
    /// What was found, in order.
    pub personal_data: Vec<PersonalDataSeen>,
}

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
    pub country: Option<&'static str>,
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
}

impl RedactedContent {
    pub(super) fn of(content: &str) -> Self {
        let found = find_personal_data(content);
        let redacted = redact(content, &found);
        let mut bytes = 0;
        let mut characters = 0;
        let mut personal_data = Vec::with_capacity(found.len());
        for PersonalData { kind, span, country } in found {
            let start = characters + content[bytes..span.start].chars().count();
            let end = start + content[span.clone()].chars().count();
            bytes = span.end;
            characters = end;
            personal_data.push(PersonalDataSeen { kind: kind.into(), start, end, country });
        }
        Self { content: redacted, personal_data }
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
        }
    }
}
