//! An object pool, for objects that only one call at a time may use.

use parking_lot::Mutex;

/// The idle objects. The pool grows to the largest number of calls that overlapped.
pub(super) struct Pool<T>(Mutex<Vec<T>>);

impl<T> Pool<T> {
    pub(super) fn new(first: impl IntoIterator<Item = T>) -> Self {
        Self(Mutex::new(first.into_iter().collect()))
    }

    /// Calls `using` with an idle object, or a new one from `make`. An object whose use panicked is dropped.
    pub(super) fn with<R, E>(
        &self,
        make: impl FnOnce() -> Result<T, E>,
        using: impl FnOnce(&mut T) -> Result<R, E>,
    ) -> Result<R, E> {
        let spare = self.0.lock().pop();
        let mut item = match spare {
            Some(item) => item,
            None => make()?,
        };
        let result = using(&mut item);
        self.0.lock().push(item);
        result
    }
}
