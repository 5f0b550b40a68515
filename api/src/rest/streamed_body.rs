//! A response's body that is written while it is sent.

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use domain::{
    Error, Result,
    batch::{FileContent, Results},
    learning::evaluation::AnswerFile,
};
use futures_util::stream;
use tokio::sync::mpsc;

use crate::slots::SlotPermit;

/// Time that a piece may wait before its receiver counts as gone.
const SEND_TIMEOUT: Duration = Duration::from_secs(20);

/// What is read piece by piece.
pub(crate) trait Pieces: Send + 'static {
    /// The next piece; none at the end.
    fn next(&mut self) -> impl Future<Output = Result<Option<Bytes>>> + Send;
}

impl Pieces for Results {
    fn next(&mut self) -> impl Future<Output = Result<Option<Bytes>>> + Send {
        self.next()
    }
}

impl Pieces for FileContent {
    fn next(&mut self) -> impl Future<Output = Result<Option<Bytes>>> + Send {
        self.next()
    }
}

impl Pieces for AnswerFile {
    fn next(&mut self) -> impl Future<Output = Result<Option<Bytes>>> + Send {
        self.next()
    }
}

/// A body of pieces, each read when the one before it is being sent. It keeps `permit` until its end, or until its
/// receiver stalls or has gone.
pub(crate) fn body_of_pieces(mut pieces: impl Pieces, permit: SlotPermit, early_end: &'static str) -> Body {
    let (sender, chunks) = mpsc::channel(1);
    tokio::spawn(async move {
        loop {
            let next = pieces.next().await;
            let last = !matches!(next, Ok(Some(_)));
            let sent = tokio::time::timeout(SEND_TIMEOUT, sender.send(next)).await;
            if last || !matches!(sent, Ok(Ok(()))) {
                break;
            }
        }
        drop(permit);
    });
    streamed_body(chunks, early_end)
}

/// A body of the chunks that arrive; `None` is its end. An error, or an end without `None`, ends the connection, or the
/// stream of HTTP/2, without the end of the body. `early_end` is the error of the latter.
pub(crate) fn streamed_body(
    chunks: mpsc::Receiver<Result<Option<Bytes>, Error>>,
    early_end: &'static str,
) -> Body {
    Body::from_stream(stream::unfold(Some(chunks), move |chunks| async move {
        let mut chunks = chunks?;
        match chunks.recv().await {
            Some(Ok(Some(bytes))) => Some((Ok(bytes), Some(chunks))),
            Some(Ok(None)) => None,
            Some(Err(error)) => Some((Err(error), None)),
            None => Some((Err(Error::internal(early_end)), None)),
        }
    }))
}
