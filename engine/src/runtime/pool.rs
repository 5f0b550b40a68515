//! Things that only one call at a time may use, made as calls overlap and kept for the next ones.

use std::sync::{Mutex, PoisonError};

/// The ones nobody is using. There come to be as many as there were calls at once, never more.
pub(super) struct Pool<T>(Mutex<Vec<T>>);

impl<T> Pool<T> {
    pub(super) fn new(first: impl IntoIterator<Item = T>) -> Self {
        Self(Mutex::new(first.into_iter().collect()))
    }

    /// Uses a spare one, or a new one. One whose use panicked is not kept.
    pub(super) fn with<R, E>(
        &self,
        make: impl FnOnce() -> Result<T, E>,
        using: impl FnOnce(&mut T) -> Result<R, E>,
    ) -> Result<R, E> {
        let spare = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut item = match spare {
            Some(item) => item,
            None => make()?,
        };
        let result = using(&mut item);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(item);
        result
    }
}
