//! Work that continues when nobody waits for it.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use tokio::runtime::Handle;

/// Runs a future where it is awaited. If it is dropped early, as when a client disconnects, it continues in its own
/// task; a request with a waiting client needs no second task.
pub(super) struct RunToCompletion<F>(Option<Pin<Box<F>>>)
where
    F: Future + Send + 'static,
    F::Output: Send;

impl<F> RunToCompletion<F>
where
    F: Future + Send + 'static,
    F::Output: Send,
{
    pub(super) fn new(future: F) -> Self {
        Self(Some(Box::pin(future)))
    }
}

impl<F> Future for RunToCompletion<F>
where
    F: Future + Send + 'static,
    F::Output: Send,
{
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // Taken out meanwhile: after a panic it must not be polled again.
        let Some(mut future) = self.0.take() else { return Poll::Pending };
        let polled = future.as_mut().poll(context);
        if polled.is_pending() {
            self.0 = Some(future);
        }
        polled
    }
}

impl<F> Drop for RunToCompletion<F>
where
    F: Future + Send + 'static,
    F::Output: Send,
{
    fn drop(&mut self) {
        if let (Some(future), Ok(runtime)) = (self.0.take(), Handle::try_current()) {
            runtime.spawn(future);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::{
        sync::oneshot,
        time::{sleep, timeout},
    };

    use super::RunToCompletion;

    #[tokio::test]
    async fn it_ends_where_it_is_awaited() {
        assert_eq!(RunToCompletion::new(async { 5 }).await, 5);
    }

    #[tokio::test]
    async fn it_ends_though_nobody_waits() {
        let (done, told) = oneshot::channel();
        let work = RunToCompletion::new(async move {
            sleep(Duration::from_millis(20)).await;
            let _ = done.send(5);
        });
        assert!(timeout(Duration::from_millis(1), work).await.is_err());
        assert_eq!(told.await, Ok(5));
    }

    #[tokio::test]
    async fn after_a_panic_it_does_not_go_on() {
        let (done, told) = oneshot::channel::<u8>();
        let work = tokio::spawn(RunToCompletion::new(async move {
            let _done = done;
            sleep(Duration::from_millis(1)).await;
            panic!("on purpose");
        }));
        assert!(work.await.is_err() && told.await.is_err());
    }
}
