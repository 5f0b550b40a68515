//! The port to the JSON of the endpoints whose requests are items.

use serde_json::Value;

use super::ItemRequest;
use crate::{
    Error, Result,
    money::billing::Paid,
    operations::{
        inference::Inferred,
        moderation::{Moderated, ModeratedMixed, TextMessage},
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

    /// The body of the answer to a text item for `url`, as JSON. `paid` has one verdict.
    fn moderated(&self, url: &str, paid: Paid<Moderated>, message: &TextMessage) -> Result<String>;

    /// The body of the answer to texts and pictures, as JSON.
    fn mixed(&self, moderated: &ModeratedMixed) -> Result<String>;

    /// The body of the answer to an inference item, as JSON.
    fn inferred(&self, paid: Paid<Inferred>) -> Result<String>;

    /// The body of the answer to a decision item, whose body is `request`, as JSON.
    fn decided(&self, request: &Value, inferred: Inferred) -> Result<String>;

    /// The HTTP status and the body of a failure of an item for `url`, as JSON.
    fn failed(&self, url: &str, error: &Error, request_id: &RequestId) -> Result<(u16, String)>;
}
