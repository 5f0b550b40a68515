//! Who sent a request.

use domain::money::credits::Payer;
use ports::id::AccountId;

/// Who sent a request, in the extensions of its response.
#[derive(Clone)]
pub(crate) struct Sender {
    pub(crate) account: AccountId,
    pub(crate) payer: Payer,
}
