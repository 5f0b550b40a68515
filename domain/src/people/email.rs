//! Normalization of e-mail addresses.

use crate::{Error, Result};

/// Trims an address and converts it to lower case.
///
/// # Errors
/// `VALIDATION_FAILED` for an invalid address.
pub(crate) fn normalize(email: &str) -> Result<String> {
    let email = email.trim().to_lowercase();
    let plausible = email.len() <= 254
        && !email.contains(|c: char| c.is_whitespace() || c.is_control())
        && email.split_once('@').is_some_and(|(name, host)| !name.is_empty() && !host.is_empty());
    if plausible { Ok(email) } else { Err(Error::invalid("email", "must be an e-mail address")) }
}
