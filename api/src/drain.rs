//! A body that nobody read to its end: reads a little more of it, so that a client still sending gets its answer.
//!
//! Closing a connection with bytes unread resets it, and the reset overtakes the answer: instead of 401 or 413 the
//! client would see a broken connection. What is read here is dropped, and both bytes and time are bounded.

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

/// The most bytes that are read after the answer.
const BYTES: usize = 8 * 1024 * 1024;
/// The longest that is waited for them.
const PATIENCE: Duration = Duration::from_secs(5);

/// Lets the request's body linger. One whose client waits for `100 Continue` is left alone: it is not sending yet.
pub(crate) fn drain_unread(request: Request) -> Request {
    if request.headers().contains_key(header::EXPECT) || request.body().is_end_stream() {
        return request;
    }
    request.map(|body| Body::new(Lingering(Some(body))))
}

struct Lingering(Option<Body>);

impl HttpBody for Lingering {
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

impl Drop for Lingering {
    fn drop(&mut self) {
        if let Some(body) = self.0.take().filter(|body| !body.is_end_stream()) {
            tokio::spawn(tokio::time::timeout(PATIENCE, drain(body)));
        }
    }
}

async fn drain(mut body: Body) {
    let mut left = BYTES;
    while let Some(Ok(frame)) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let read = frame.data_ref().map_or(0, Bytes::len);
        let Some(less) = left.checked_sub(read) else { return };
        left = less;
    }
}
