//! Tells a client that its connection is closed, where a large body was not read before the answer.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};

use axum::{
    body::{Bytes, HttpBody},
    http::{HeaderValue, Request, Response, Version, header},
};
use hyper::body::{Frame, SizeHint};

/// hyper reads the rest of a body that is no larger, and keeps the connection.
const READ_ANYWAY: u64 = 16 * 1_024;

/// Whether a body has been read to its end.
pub(crate) struct UnreadBody(Arc<AtomicBool>);

impl UnreadBody {
    /// Follows the body of a request; none for HTTP/2, whose streams end alone, and for a small body.
    pub(crate) fn follow<B: HttpBody>(request: Request<B>) -> (Request<FollowedBody<B>>, Option<Self>) {
        let small = request.body().size_hint().upper().is_some_and(|bytes| bytes <= READ_ANYWAY);
        let ended = Arc::new(AtomicBool::new(false));
        let followed = (request.version() < Version::HTTP_2 && !small).then(|| Self(Arc::clone(&ended)));
        (request.map(|body| FollowedBody { body, ended }), followed)
    }

    /// Adds `Connection: close` (RFC 9112, 9.6) unless the body was read.
    pub(crate) fn close_if_unread<B>(&self, response: &mut Response<B>) {
        if !self.0.load(Ordering::Relaxed) {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
    }
}

/// A body that notes its end.
pub(crate) struct FollowedBody<B> {
    body: B,
    ended: Arc<AtomicBool>,
}

impl<B: HttpBody<Data = Bytes> + Unpin> HttpBody for FollowedBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if matches!(polled, Poll::Ready(None)) || self.body.is_end_stream() {
            self.ended.store(true, Ordering::Relaxed);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
