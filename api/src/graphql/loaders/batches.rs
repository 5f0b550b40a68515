//! The execution of loaders' batches. A batch runs once its operation can do nothing more without it, not after a
//! delay, so the number of statements of an operation does not depend on how busy the machine is.

use std::{
    future::poll_fn,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

use futures_util::{
    future::BoxFuture,
    stream::{FuturesUnordered, StreamExt},
    task::AtomicWaker,
};
use parking_lot::Mutex;

/// The batches of an operation that wait to be run.
#[derive(Clone, Default)]
pub(crate) struct Batches(Arc<Mutex<Vec<BoxFuture<'static, ()>>>>);

impl Batches {
    /// Adds a batch. It is run by [`Batches::run`] alone.
    pub(super) fn begin(&self, batch: BoxFuture<'static, ()>) {
        self.0.lock().push(batch);
    }

    /// Runs an operation and its batches concurrently in one task. When the operation waits, all keys that it could ask
    /// for so far are in a batch, and the result of a batch reaches all its waiters together.
    pub(crate) async fn run<T>(&self, operation: impl Future<Output = T>) -> T {
        let mut operation = pin!(operation);
        let mut running = FuturesUnordered::new();
        let woken = Arc::new(Woken { again: AtomicBool::new(true), task: AtomicWaker::new() });
        let waker = Waker::from(woken.clone());
        poll_fn(|task| {
            woken.task.register(task.waker());
            loop {
                if woken.again.swap(false, Ordering::AcqRel) {
                    if let Poll::Ready(done) = operation.as_mut().poll(&mut Context::from_waker(&waker)) {
                        return Poll::Ready(done);
                    }
                    if woken.again.load(Ordering::Acquire) {
                        // It is not waiting but has yielded, as long lists do now and then.
                        return Poll::Pending;
                    }
                }
                running.extend(std::mem::take(&mut *self.0.lock()));
                if !matches!(running.poll_next_unpin(task), Poll::Ready(Some(()))) {
                    return Poll::Pending;
                }
            }
        })
        .await
    }
}

/// A waker of the task that records that the operation was woken.
struct Woken {
    again: AtomicBool,
    task: AtomicWaker,
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.again.store(true, Ordering::Release);
        self.task.wake();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use async_graphql::dataloader::{DataLoader, HashMapCache, Loader};
    use futures_util::future::join_all;

    use super::*;

    /// Doubles numbers, and records the sizes of its batches.
    #[derive(Clone, Default)]
    struct Double(Arc<Mutex<Vec<usize>>>);

    impl Loader<u32> for Double {
        type Value = u32;
        type Error = ();

        async fn load(&self, keys: &[u32]) -> Result<HashMap<u32, u32>, ()> {
            self.0.lock().push(keys.len());
            tokio::task::yield_now().await;
            Ok(keys.iter().map(|key| (*key, 2 * key)).collect())
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn however_slowly_an_operation_asks_each_level_is_one_batch() {
        let batches = Batches::default();
        let double = Double::default();
        let begun = batches.clone();
        let loader =
            DataLoader::with_cache(double.clone(), move |batch| begun.begin(batch), HashMapCache::default())
                .delay(std::time::Duration::ZERO);
        let fields = (0..100).map(async |number: u32| {
            // Longer than any loader's delay.
            std::thread::sleep(std::time::Duration::from_millis(1));
            let first = loader.load_one(number).await.unwrap().unwrap();
            loader.load_one(first + 1_000).await.unwrap().unwrap()
        });
        let answers = batches.run(join_all(fields)).await;
        assert_eq!(answers, (0..100).map(|number| 2 * (2 * number + 1_000)).collect::<Vec<u32>>());
        assert_eq!(*double.0.lock(), [100, 100]);
    }
}
