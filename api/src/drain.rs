//! Drains request bodies that were not read to their end, so that a client that is still sending gets its answer.
//!
//! Closing a connection with unread bytes resets it, and the reset overtakes the answer: instead of 401 or 413 the
//! client would see a broken connection. The bytes are dropped; their number and the time are limited.

use std::{
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    Error,
    body::{Body, Bytes, HttpBody},
    extract::Request,
    http::header,
};
use http_body::{Frame, SizeHint};

/// Bytes that are drained at most: more than the longest body that any route accepts, so that one a little too long
/// gets its 413.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// The longest that draining takes.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Makes the request's body drain when it is dropped. A client that waits for `100 Continue` is not sending yet, so its
/// body is left alone.
pub(crate) fn drain_unread(request: Request) -> Request {
    if request.headers().contains_key(header::EXPECT) || request.body().is_end_stream() {
        return request;
    }
    request.map(|body| Body::new(DrainOnDrop(Some(body))))
}

struct DrainOnDrop(Option<Body>);

impl HttpBody for DrainOnDrop {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let Some(body) = self.0.as_mut() else { return Poll::Ready(None) };
        let polled = Pin::new(body).poll_frame(cx);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            self.0 = None;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.0.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.0.as_ref().map_or(SizeHint::with_exact(0), HttpBody::size_hint)
    }
}

impl Drop for DrainOnDrop {
    fn drop(&mut self) {
        if let Some(body) = self.0.take().filter(|body| !body.is_end_stream()) {
            tokio::spawn(tokio::time::timeout(TIMEOUT, drain(body)));
        }
    }
}

async fn drain(mut body: Body) {
    let mut left = MAX_BYTES;
    while let Some(Ok(frame)) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let read = frame.data_ref().map_or(0, Bytes::len);
        let Some(less) = left.checked_sub(read) else { return };
        left = less;
    }
}
