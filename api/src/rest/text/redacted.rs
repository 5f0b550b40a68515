//! The shape of a message without personal data.

use domain::operations::moderation::{PersonalData, PersonalDataKind, find_personal_data, redact};
use serde::Serialize;
use utoipa::ToSchema;

use super::personal_data::PersonalDataSeen;

/// A message without personal data.
#[derive(Debug, Serialize, ToSchema)]
pub struct RedactedContent {
    /// The message, with a placeholder such as `[EMAIL]` in place of each.
    #[schema(example = "write to [EMAIL]")]
    pub content: String,
    /// What was found, in order.
    pub personal_data: Vec<PersonalDataSeen>,
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
            let country = country.map(str::to_owned);
            let probability = PersonalDataKind::PRECISION;
            personal_data.push(PersonalDataSeen { kind: kind.into(), start, end, country, probability });
        }
        Self { content: redacted, personal_data }
    }
}
