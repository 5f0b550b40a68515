//! Records what a test did, for the invariants: successful answers, and the keys and texts that no log may contain.

use std::{
    collections::HashSet,
    sync::{Mutex, MutexGuard},
};

use serde_json::Value;

/// Shorter texts may occur in a log by chance.
const TELLING: usize = 12;
/// Maximum recorded texts.
const TEXTS: usize = 500;

/// A paid request that was answered with 200.
#[derive(Clone, Debug)]
pub(crate) struct Acknowledged {
    /// The `x-request-id` of the answer.
    pub(crate) request_id: String,
    /// The `mod_…` in the body; batches have none.
    pub(crate) reference: Option<String>,
    /// Milli-credits deducted according to the answer.
    pub(crate) deducted: i64,
    /// True when sent under an `Idempotency-Key`: the charge may then carry another request's id.
    pub(crate) idempotent: bool,
}

/// The record of one test.
#[derive(Default)]
pub(crate) struct Record(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    acknowledged: Vec<Acknowledged>,
    keys: HashSet<String>,
    texts: HashSet<String>,
}

impl Record {
    /// Records a paid answer.
    pub(crate) fn acknowledge(&self, answer: Acknowledged) {
        self.lock().acknowledged.push(answer);
    }

    /// Records a key.
    pub(crate) fn key(&self, key: &str) {
        if key.len() >= TELLING {
            self.lock().keys.insert(key.to_owned());
        }
    }

    /// Records a request body, whose strings are content.
    pub(crate) fn body(&self, body: &Value) {
        match body {
            Value::String(text) => self.text(text),
            Value::Array(items) => items.iter().for_each(|item| self.body(item)),
            Value::Object(fields) => fields.values().for_each(|value| self.body(value)),
            _ => {}
        }
    }

    fn text(&self, text: &str) {
        let mut inner = self.lock();
        if text.len() >= TELLING && inner.texts.len() < TEXTS {
            inner.texts.insert(text.to_owned());
        }
    }

    /// All paid answers so far.
    pub(crate) fn acknowledged(&self) -> Vec<Acknowledged> {
        self.lock().acknowledged.clone()
    }

    /// All keys and texts that no log may contain.
    pub(crate) fn secrets(&self) -> Vec<String> {
        let inner = self.lock();
        inner.keys.iter().chain(&inner.texts).cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().expect("no test panics while it holds the record")
    }
}
