//! A kind of personal data, and where some is.

use std::ops::Range;

use strum::IntoStaticStr;

/// A kind of personal data. Where two kinds overlap, the earlier one of this list is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
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
}

impl PersonalDataKind {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

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
