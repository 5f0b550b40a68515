//! One request to an LLM: sent in the dialect that its server understands, and checked before anything is read from it.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Instant,
};

use bytes::Bytes;
use domain::foundation::slots::SlotPermit;
use parking_lot::Mutex;
use ports::decision::{DecisionFault, DecisionInput, Usage};
use serde_json::{Value, json};

use super::{
    dialect::{Dialect, Form, Learnt},
    settings::ChatSettings,
    wire::ChatReply,
};
use crate::backend::client::{Client, Unanswered};

/// A prompt of so many bytes for each token that the server has read was cut: no text has words that long.
const MAX_BYTES_PER_TOKEN: u64 = 16;
/// Fewer tokens may be what a server counts that had the rest in its cache.
const MIN_TOKENS_OF_CUT: u64 = 256;
/// How often a request is sent again without something that the server does not understand.
const MAX_DIALECTS: usize = 8;

/// The requests that answer one decision.
pub(super) struct Asking<'a> {
    pub(super) client: &'a Client,
    pub(super) learnt: &'a Learnt,
    pub(super) settings: &'a ChatSettings,
    pub(super) input: &'a DecisionInput,
    pub(super) path: &'static str,
    pub(super) model: &'a str,
    /// Whether the model was named, by the request or the settings.
    pub(super) named: bool,
    pub(super) deadline: Instant,
    /// The place of the first request, which waited for it.
    pub(super) place: Mutex<Option<SlotPermit>>,
    pub(super) tally: Tally,
}

/// What the requests have used, and which model answered them.
#[derive(Default)]
pub(super) struct Tally {
    model: Mutex<Option<String>>,
    input_tokens: AtomicU64,
    output_tokens: AtomicU64,
    cost: Mutex<Option<f64>>,
}

impl Asking<'_> {
    /// Sends messages and returns the reply, which has at least one choice that is an answer. The form is chosen anew
    /// for each dialect; none where the dialect cannot have it.
    pub(super) async fn send(
        &self,
        messages: &Value,
        form: impl Fn(Dialect) -> Option<Form> + Send + Sync,
    ) -> Result<Option<ChatReply>, DecisionFault> {
        let place = self.place.lock().take();
        let _place = match place {
            Some(place) => place,
            None => match self.client.further_place(&self.input.flow, self.deadline).await {
                Ok(place) => place,
                Err(Unanswered::Busy) => return Err(DecisionFault::Slow(self.client.timeout())),
                Err(other) => return Err(self.client.fault(other)),
            },
        };
        let text = messages.to_string().to_ascii_lowercase();
        for _ in 0..MAX_DIALECTS {
            let dialect = self.learnt.now();
            let Some(form) = form(dialect) else { return Ok(None) };
            let mut members = dialect.members(form, self.settings);
            members.insert("model".to_owned(), self.model.into());
            members.insert("messages".to_owned(), messages.clone());
            let body = Bytes::from(serde_json::to_vec(&members).expect("a JSON map can be serialised"));
            let bytes = body.len() as u64;
            match self.client.post::<ChatReply>(self.path, body, self.deadline).await {
                Ok(reply) => {
                    self.check(&reply, form, bytes)?;
                    return Ok(Some(reply));
                }
                Err(Unanswered::Fault(fault)) => {
                    if fault.refusal().is_some_and(|said| self.learnt.learn(dialect, said, &text)) {
                        continue;
                    }
                    if fault.is_too_long() {
                        return Err(self.too_long("is too long for the context of its model"));
                    }
                    if self.input.model.is_some() && fault.rejects(self.model) {
                        return Err(self.client.unknown_model());
                    }
                    return Err(self.client.fault(Unanswered::Fault(fault)));
                }
                Err(unanswered) => return Err(self.client.fault(unanswered)),
            }
        }
        Err(unusable("understands none of the forms of a question"))
    }

    /// What all requests have used so far.
    pub(super) fn usage(&self) -> Usage {
        Usage {
            input_tokens: self.tally.input_tokens.load(Ordering::Relaxed),
            output_tokens: self.tally.output_tokens.load(Ordering::Relaxed),
            cost: *self.tally.cost.lock(),
        }
    }

    /// The model that answered.
    pub(super) fn answered_by(&self) -> String {
        self.tally.model.lock().clone().unwrap_or_else(|| self.model.to_owned())
    }

    fn check(&self, reply: &ChatReply, form: Form, bytes: u64) -> Result<(), DecisionFault> {
        self.check_model(&reply.model)?;
        let usage = reply.usage.unwrap_or_default();
        let read = usage.prompt_tokens.unwrap_or_default();
        self.tally.input_tokens.fetch_add(read, Ordering::Relaxed);
        self.tally.output_tokens.fetch_add(usage.completion_tokens.unwrap_or_default(), Ordering::Relaxed);
        if let Some(cost) = usage.cost.filter(|cost| cost.is_finite() && *cost >= 0.0) {
            *self.tally.cost.lock().get_or_insert(0.0) += cost;
        }
        if read >= MIN_TOKENS_OF_CUT && read * MAX_BYTES_PER_TOKEN < bytes {
            return Err(self.too_long(&format!("is too long: its server cut it to {read} tokens")));
        }
        let Some(first) = reply.choices.first() else { return Err(unusable("answered without a choice")) };
        if let Some(what) = first.message.fault() {
            return Err(unusable(what));
        }
        match first.finish_reason.as_deref() {
            Some("content_filter") => Err(unusable("refused to answer: its content filter stopped it")),
            Some("length") if form != Form::Token => {
                let limit = self.settings.answer_tokens;
                Err(unusable(&format!("gave no answer within {limit} tokens (`answer_tokens`)")))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a model that was not asked for, and a second one. A server may add a version or a path to the name.
    fn check_model(&self, answered: &str) -> Result<(), DecisionFault> {
        let asked = self.model.rsplit('/').next().unwrap_or(self.model).to_ascii_lowercase();
        let said = answered.to_ascii_lowercase();
        let short = said.rsplit('/').next().unwrap_or(&said);
        if self.named && !said.contains(&asked) && !asked.contains(short) {
            if self.input.model.is_some() {
                return Err(self.client.other_model(answered));
            }
            return Err(unusable(
                "answered as another model than the one asked for; its operator sets `model`",
            ));
        }
        let mut model = self.tally.model.lock();
        match &*model {
            Some(first) if first != answered => Err(unusable("answered as two models to one request")),
            _ => {
                *model = Some(answered.to_owned());
                Ok(())
            }
        }
    }

    fn too_long(&self, what: &str) -> DecisionFault {
        let message = format!("{what}, the backend {}", self.client.backend());
        DecisionFault::Invalid { field: "state".to_owned(), message }
    }
}

/// A fault of the answer; completes the sentence "the backend ..".
pub(super) fn unusable(what: &str) -> DecisionFault {
    DecisionFault::Unusable(what.to_owned())
}

/// An answer in System One's shape.
pub(super) fn text_answer(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}
