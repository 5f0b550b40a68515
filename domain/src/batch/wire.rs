//! The port to the JSON of the endpoints whose requests are items.

use serde_json::Value;

use super::ItemRequest;
use crate::{
    Error, Result,
    money::billing::Paid,
    operations::{
        inference::Inferred,
        moderation::{Moderated, TextMessage},
    },
};
use ports::id::RequestId;

/// Reads requests and writes answers as the endpoints do.
pub trait WireFormat: Send + Sync + 'static {
    /// Reads the body of a request to `url`.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming `url`, or the fields below `body`; `NOT_FOUND` for what cannot be a Judge's id.
    fn parse(&self, url: &str, body: &Value) -> Result<ItemRequest>;

    /// The body of the answer to a text item, as JSON. `paid` has one verdict.
    fn moderated(&self, paid: Paid<Moderated>, message: &TextMessage) -> Result<String>;

    /// The body of the answer to an inference item, as JSON.
    fn inferred(&self, paid: Paid<Inferred>) -> Result<String>;

    /// The HTTP status and the body of a failure, as JSON.
    fn failed(&self, error: &Error, request_id: &RequestId) -> Result<(u16, String)>;
}
