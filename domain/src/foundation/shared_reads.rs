//! Request coalescing: concurrent requests for the same value share one read of it. A thousand requests of an account
//! that has just run out of credits would otherwise need a thousand connections to read one balance.

use std::{collections::HashMap, future::Future, hash::Hash, sync::Arc, time::Instant};

use parking_lot::Mutex;

use crate::Result;

/// Reads in progress, by key.
pub(crate) struct SharedReads<K, T> {
    /// Unused entries are dropped before the map grows.
    by_key: Mutex<HashMap<K, Arc<LastRead<T>>>>,
}

/// When the last read began, and its result. Locked during the next read.
type LastRead<T> = tokio::sync::Mutex<Option<(Instant, Result<T>)>>;

impl<K, T> Default for SharedReads<K, T> {
    fn default() -> Self {
        Self { by_key: Mutex::default() }
    }
}

impl<K: Clone + Eq + Hash, T: Clone> SharedReads<K, T> {
    /// The result of a read of `key` that begins after this call, either another caller's or `read`. So it sees
    /// everything committed before the call. This waits for at most two reads: the one in progress and the next.
    ///
    /// # Errors
    /// Those of `read`; callers that share a failed read get the same code and message.
    pub(crate) async fn get(&self, key: &K, read: impl Future<Output = Result<T>>) -> Result<T> {
        let asked = Instant::now();
        let last = self.last(key);
        let mut last = last.lock().await;
        if let Some((began, result)) = &*last
            && *began >= asked
        {
            return copy(result);
        }
        let began = Instant::now();
        let result = read.await;
        *last = Some((began, copy(&result)));
        result
    }

    fn last(&self, key: &K) -> Arc<LastRead<T>> {
        let mut by_key = self.by_key.lock();
        if let Some(known) = by_key.get(key) {
            return known.clone();
        }
        if by_key.len() == by_key.capacity() {
            by_key.retain(|_, last| Arc::strong_count(last) > 1);
        }
        by_key.entry(key.clone()).or_default().clone()
    }
}

fn copy<T: Clone>(result: &Result<T>) -> Result<T> {
    match result {
        Ok(value) => Ok(value.clone()),
        Err(error) => Err(error.copy()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::{
        FutureExt,
        future::{join, join_all},
    };
    use tokio::sync::Semaphore;

    use super::*;
    use crate::{Code, Error};

    /// Numbers its reads, which end once `ended` has a permit.
    struct Counter {
        reads: SharedReads<&'static str, usize>,
        count: AtomicUsize,
        ended: Semaphore,
    }

    impl Counter {
        fn new() -> Self {
            Self { reads: SharedReads::default(), count: AtomicUsize::new(0), ended: Semaphore::new(0) }
        }

        async fn read(&self, key: &'static str) -> Result<usize> {
            let read = async {
                let number = self.count.fetch_add(1, Ordering::SeqCst);
                let _ = self.ended.acquire().await;
                if key == "broken" { Err(Error::new(Code::NotFound, "no such thing")) } else { Ok(number) }
            };
            self.reads.get(&key, read).await
        }
    }

    #[tokio::test]
    async fn callers_during_a_read_share_the_next_one() {
        let counter = Counter::new();
        let mut first = Box::pin(counter.read("a"));
        let mut other = Box::pin(counter.read("b"));
        let mut late = Box::pin(join_all((0..100).map(|_| counter.read("a"))));
        assert!(
            (&mut first).now_or_never().is_none()
                && (&mut other).now_or_never().is_none()
                && (&mut late).now_or_never().is_none()
        );
        counter.ended.add_permits(1);
        let ((first, other), late) = join(join(first, other), late).await;
        assert_eq!((first.unwrap(), other.unwrap()), (0, 1));
        assert!(late.into_iter().all(|number| number.unwrap() == 2), "not the read that began before them");
        assert_eq!(counter.read("a").await.unwrap(), 3, "results are not cached");
    }

    #[tokio::test]
    async fn a_failure_is_shared_and_a_cancelled_caller_delays_nobody() {
        let counter = Counter::new();
        let mut gives_up = Box::pin(counter.read("broken"));
        let mut late = Box::pin(join_all((0..10).map(|_| counter.read("broken"))));
        assert!((&mut gives_up).now_or_never().is_none() && (&mut late).now_or_never().is_none());
        drop(gives_up);
        counter.ended.add_permits(1);
        for result in late.await {
            assert_eq!(result.unwrap_err().code, Code::NotFound);
        }
        assert_eq!(counter.count.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn unused_keys_are_dropped() {
        let reads = SharedReads::default();
        for key in 0..1_000 {
            reads.get(&key, async { Ok(()) }).await.unwrap();
        }
        assert!(reads.by_key.lock().len() < 10);
    }
}
