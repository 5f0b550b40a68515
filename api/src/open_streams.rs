//! The open streams of a connection, which keep its place in use, and the time of the last progress. hyper has no idle
//! limit for HTTP/2: a connection whose client answers pings would stay open forever.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    Error,
    body::{Body, Bytes, HttpBody},
    response::Response,
};
use http_body::{Frame, SizeHint};
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::connections::Place;

/// The longest that an open stream may go without progress: longer than any request may take with its body.
const STALL_TIMEOUT: Duration = Duration::from_secs(150);

/// The open streams of one connection. Cheap to clone.
#[derive(Clone)]
pub(crate) struct OpenStreams(Arc<StreamCount>);

struct StreamCount {
    streams: AtomicUsize,
    progressed: Mutex<Instant>,
    place: Place,
}

impl OpenStreams {
    /// The streams of the connection that has `place`, which is in use while one of them is open.
    pub(crate) fn new(place: Place) -> Self {
        let progressed = Mutex::new(Instant::now());
        Self(Arc::new(StreamCount { streams: AtomicUsize::new(0), progressed, place }))
    }

    /// Waits until the connection's place has been taken away. To be awaited once.
    pub(crate) async fn evicted(&self) {
        self.0.place.evicted().await;
    }

    /// Whether a stream is open.
    pub(crate) fn is_any_open(&self) -> bool {
        self.0.streams.load(Ordering::Relaxed) > 0
    }

    /// Resolves when no stream has been open for `idle`, or one has not progressed for [`STALL_TIMEOUT`].
    pub(crate) async fn unused_for(&self, idle: Duration) {
        loop {
            let limit = if self.is_any_open() { STALL_TIMEOUT } else { idle };
            let end = self.last_progress() + limit;
            if Instant::now() >= end {
                return;
            }
            // The limit becomes shorter when a stream ends in the meantime.
            tokio::time::sleep_until(end.min(Instant::now() + idle)).await;
        }
    }

    /// Counts a request as a stream of the connection, until its response's body ends.
    pub(crate) async fn serve<E>(
        self,
        answer: impl Future<Output = Result<Response, E>>,
    ) -> Result<Response, E> {
        let stream = OpenStream::new(self);
        let response = answer.await?;
        stream.progress();
        Ok(response.map(|body| Body::new(StreamBody { body, stream })))
    }

    fn last_progress(&self) -> Instant {
        *self.0.progressed.lock()
    }
}

/// Counts among the connection's streams until it is dropped.
struct OpenStream(OpenStreams);

impl OpenStream {
    fn new(of: OpenStreams) -> Self {
        of.0.streams.fetch_add(1, Ordering::Relaxed);
        of.0.place.begin_use();
        let stream = Self(of);
        stream.progress();
        stream
    }

    fn progress(&self) {
        *self.0.0.progressed.lock() = Instant::now();
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.progress();
        self.0.0.streams.fetch_sub(1, Ordering::Relaxed);
        self.0.0.place.end_use();
    }
}

/// A response's body, during which the stream is open.
struct StreamBody {
    body: Body,
    stream: OpenStream,
}

impl HttpBody for StreamBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        if polled.is_ready() {
            self.stream.progress();
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
