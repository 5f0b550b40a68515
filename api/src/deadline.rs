//! The deadline of a request, which does not run while its body arrives. A request that is being charged is no longer
//! cancelled: its answer is about to come.

use std::{pin::pin, sync::Arc, time::Duration};

use axum::{
    extract::Request,
    middleware::Next,
    response::{IntoResponse, Response},
};
use domain::{Code, Error, money::billing::FinishFlag};
use parking_lot::Mutex;
use tokio::time::{Instant, timeout_at};

use crate::error::Failure;

/// A request's time: after it the client gets 503 and nothing is charged.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);

/// When a request's time is up; `None` while its body arrives. In the extensions of every request.
#[derive(Clone)]
pub(crate) struct Deadline(Arc<Mutex<Option<Instant>>>);

impl Deadline {
    fn new() -> Self {
        Self(Arc::new(Mutex::new(Some(Instant::now() + REQUEST_TIMEOUT))))
    }

    /// Stops the request's time.
    pub(crate) fn suspend(&self) {
        *self.0.lock() = None;
    }

    /// Gives the request its whole time from now on.
    pub(crate) fn restart(&self) {
        *self.0.lock() = Some(Instant::now() + REQUEST_TIMEOUT);
    }

    /// The earliest that the request's time can be up.
    fn earliest(&self) -> Instant {
        self.0.lock().unwrap_or_else(|| Instant::now() + REQUEST_TIMEOUT)
    }
}

/// Answers 503 when the deadline passes before the request is being charged.
pub(crate) async fn enforce(mut request: Request, finish: FinishFlag, next: Next) -> Response {
    let deadline = Deadline::new();
    request.extensions_mut().insert(deadline.clone());
    request.extensions_mut().insert(finish.clone());
    let mut answer = pin!(next.run(request));
    let mut end = deadline.earliest();
    while end > Instant::now() {
        if let Ok(response) = timeout_at(end, &mut answer).await {
            return response;
        }
        end = deadline.earliest();
    }
    if finish.set() {
        let message = format!("this took longer than {} s and was stopped", REQUEST_TIMEOUT.as_secs());
        return Failure(Error::new(Code::Overloaded, message)).into_response();
    }
    answer.await
}
