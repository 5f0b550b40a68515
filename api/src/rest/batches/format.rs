//! Items of a batch in the JSON of their endpoints.

use domain::{
    Error, Result,
    batch::{ItemRequest, WireFormat},
    money::billing::Paid,
    operations::{
        inference::Inferred,
        moderation::{Moderated, TextMessage},
    },
};
use ports::id::RequestId;
use serde_json::Value;

use crate::{
    error::{ErrorResponse, status},
    rest::{inference, text},
};

/// Reads and writes items as the REST endpoints do.
pub struct RestItems;

impl WireFormat for RestItems {
    fn parse(&self, url: &str, body: &Value) -> Result<ItemRequest> {
        let request = match url {
            text::ENDPOINT => text::read_item(body).map(ItemRequest::Text),
            inference::ENDPOINT => {
                inference::read_item(None, body).map(|one| ItemRequest::Inference(Box::new(one)))
            }
            _ => {
                let judge = judge_of(url).ok_or_else(unknown_url)?;
                let read = inference::read_item(Some(judge.to_owned()), body);
                read.map(|one| ItemRequest::Inference(Box::new(one)))
            }
        };
        request.map_err(|mut error| {
            for detail in &mut error.details {
                if detail.field != "body" {
                    detail.field = format!("body.{}", detail.field);
                }
            }
            error
        })
    }

    fn moderated(&self, paid: Paid<Moderated>, message: &TextMessage) -> Result<String> {
        text::item_answer(paid, message)
    }

    fn inferred(&self, paid: Paid<Inferred>) -> Result<String> {
        inference::item_answer(paid)
    }

    fn failed(&self, error: &Error, request_id: &RequestId) -> Result<(u16, String)> {
        let body = serde_json::to_string(&ErrorResponse::new(error, request_id)).map_err(Error::internal)?;
        Ok((status(error.code).as_u16(), body))
    }
}

/// The Judge in a path.
fn judge_of(url: &str) -> Option<&str> {
    let (before, after) = inference::JUDGE_PATH.split_once("{id}")?;
    let id = url.strip_prefix(before)?.strip_suffix(after)?;
    (!id.is_empty() && !id.contains('/')).then_some(id)
}

fn unknown_url() -> Error {
    let paths = [text::ENDPOINT, inference::ENDPOINT, inference::JUDGE_PATH];
    Error::invalid("url", format!("must be one of: {}", paths.join(", ")))
}
