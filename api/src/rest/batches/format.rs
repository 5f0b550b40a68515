//! Items of a batch in the JSON of their endpoints.

use std::sync::Arc;

use domain::{
    Error, Result,
    batch::{ItemRequest, WireFormat},
    money::billing::Paid,
    operations::{
        inference::Inferred,
        moderation::{Moderated, ModeratedMixed, TextMessage, image::ImageFetcher},
    },
};
use ports::id::RequestId;
use serde_json::Value;

use crate::{
    error::{ErrorFormat, status},
    rest::{
        compat::{
            decisions,
            moderations::{self, InputRules},
        },
        inference, text,
    },
    settings::ApiSettings,
};

/// Reads and writes items as the REST endpoints do.
pub struct RestItems {
    pub settings: ApiSettings,
    /// Says which URLs pictures may be at.
    pub fetcher: Arc<dyn ImageFetcher>,
}

impl RestItems {
    fn read(&self, url: &str, body: &Value) -> Result<ItemRequest> {
        match url {
            text::ENDPOINT => text::read_item(body).map(ItemRequest::Text),
            inference::ENDPOINT => {
                inference::read_item(None, body).map(|one| ItemRequest::Inference(Box::new(one)))
            }
            moderations::ENDPOINT => {
                let rules = InputRules { settings: &self.settings, fetcher: self.fetcher.as_ref() };
                moderations::read_item(body, rules)
            }
            decisions::ENDPOINT => {
                let read = decisions::read_item(body, !self.settings.strict_model_names);
                read.map(|one| ItemRequest::Decision(Box::new(one)))
            }
            _ => {
                let judge = judge_of(url).ok_or_else(|| not_an_endpoint("url"))?;
                let read = inference::read_item(Some(judge.to_owned()), body);
                read.map(|one| ItemRequest::Inference(Box::new(one)))
            }
        }
    }
}

impl WireFormat for RestItems {
    fn parse(&self, url: &str, body: &Value) -> Result<ItemRequest> {
        check_endpoint("url", url)?;
        self.read(url, body).map_err(|error| error.within("body"))
    }

    fn moderated(&self, url: &str, paid: Paid<Moderated>, message: &TextMessage) -> Result<String> {
        match url {
            moderations::ENDPOINT => moderations::item_answer_of_texts(&paid.outcome),
            _ => text::item_answer(paid, message),
        }
    }

    fn mixed(&self, moderated: &ModeratedMixed) -> Result<String> {
        moderations::item_answer(moderated)
    }

    fn inferred(&self, paid: Paid<Inferred>) -> Result<String> {
        inference::item_answer(paid)
    }

    fn decided(&self, request: &Value, inferred: Inferred) -> Result<String> {
        decisions::item_answer(request, inferred)
    }

    fn failed(&self, url: &str, error: &Error, request_id: &RequestId) -> Result<(u16, String)> {
        let format = match url {
            moderations::ENDPOINT | decisions::ENDPOINT => ErrorFormat::OpenAi,
            _ => ErrorFormat::Gavel,
        };
        let body = serde_json::to_string(&format.json(error, request_id)?).map_err(Error::internal)?;
        Ok((status(error.code).as_u16(), body))
    }
}

/// Checks that the items of a batch may have this path. `field`: what has it.
///
/// # Errors
/// `VALIDATION_FAILED` naming `field`, with the paths that they may have.
pub(crate) fn check_endpoint(field: &str, url: &str) -> Result<()> {
    let known =
        [text::ENDPOINT, inference::ENDPOINT, moderations::ENDPOINT, decisions::ENDPOINT].contains(&url);
    if known || judge_of(url).is_some() { Ok(()) } else { Err(not_an_endpoint(field)) }
}

/// The Judge in a path.
fn judge_of(url: &str) -> Option<&str> {
    let (before, after) = inference::JUDGE_PATH.split_once("{id}")?;
    let id = url.strip_prefix(before)?.strip_suffix(after)?;
    (!id.is_empty() && !id.contains('/')).then_some(id)
}

fn not_an_endpoint(field: &str) -> Error {
    let paths = [
        text::ENDPOINT,
        inference::ENDPOINT,
        inference::JUDGE_PATH,
        moderations::ENDPOINT,
        decisions::ENDPOINT,
    ];
    Error::invalid(field, format!("must be one of: {}", paths.join(", ")))
}
