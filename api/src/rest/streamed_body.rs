//! A response's body that is written while it is sent.

use axum::body::Body;
use bytes::Bytes;
use domain::Error;
use futures_util::stream;
use tokio::sync::mpsc;

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
