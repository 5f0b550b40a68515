//! What a test did, remembered for the invariants: answers it was given, keys and texts that no log may hold.

use std::{
    collections::HashSet,
    sync::{Mutex, MutexGuard},
};

use serde_json::Value;

/// Texts shorter than this may stand in a log by chance.
const TELLING: usize = 12;
/// Texts remembered at most.
const TEXTS: usize = 500;

/// A paid request that was answered 200.
#[derive(Clone, Debug)]
pub(crate) struct Acknowledged {
    /// Its `x-request-id`.
    pub(crate) request_id: String,
    /// The `mod_…` in its body; batches have none.
    pub(crate) reference: Option<String>,
    /// Milli-credits it says were deducted.
    pub(crate) deducted: i64,
    /// Whether it was sent under an `Idempotency-Key`: the charge may carry another request's id then.
    pub(crate) idempotent: bool,
}

/// What a test did.
#[derive(Default)]
pub(crate) struct Record(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    acknowledged: Vec<Acknowledged>,
    keys: HashSet<String>,
    texts: HashSet<String>,
}

impl Record {
    /// An answer was given.
    pub(crate) fn acknowledge(&self, answer: Acknowledged) {
        self.lock().acknowledged.push(answer);
    }

    /// A key exists.
    pub(crate) fn key(&self, key: &str) {
        if key.len() >= TELLING {
            self.lock().keys.insert(key.to_owned());
        }
    }

    /// A body was sent; its strings are content.
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

    /// All answers so far.
    pub(crate) fn acknowledged(&self) -> Vec<Acknowledged> {
        self.lock().acknowledged.clone()
    }

    /// All that no log may hold.
    pub(crate) fn secrets(&self) -> Vec<String> {
        let inner = self.lock();
        inner.keys.iter().chain(&inner.texts).cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().expect("no test panics while it holds the record")
    }
}
