//! Bodies of large responses: they keep what the operation reserved until they have been sent, or until their client's
//! time is up.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use axum::body::{Body, Bytes};
use http_body::{Frame, SizeHint};
use parking_lot::Mutex;
use tokio::task::AbortHandle;

/// A body up to this size is passed to the connection at once.
const SMALL_BYTES: usize = 65_536;
/// Bytes of a larger body that are passed to the connection at once.
const CHUNK_BYTES: usize = 65_536;
/// The longest that a client may take to receive a body.
const SEND_TIMEOUT: Duration = Duration::from_secs(60);

/// A body that drops `held` when it has been sent, when the client is gone, or after [`SEND_TIMEOUT`], which ends the
/// connection.
pub(super) fn held_body(bytes: Vec<u8>, held: impl Send + 'static) -> Body {
    if bytes.len() <= SMALL_BYTES {
        return bytes.into();
    }
    let unsent = Unsent { bytes: bytes.into(), _held: Box::new(held) };
    let left = unsent.bytes.len() as u64;
    let unsent = Arc::new(Mutex::new(Some(unsent)));
    let late = unsent.clone();
    let deadline = tokio::spawn(async move {
        tokio::time::sleep(SEND_TIMEOUT).await;
        drop(late.lock().take());
    });
    Body::new(HeldBody { unsent, left, deadline: deadline.abort_handle() })
}

struct Unsent {
    bytes: Bytes,
    _held: Box<dyn Send>,
}

struct HeldBody {
    /// `None` once all has been sent, and after the deadline.
    unsent: Arc<Mutex<Option<Unsent>>>,
    left: u64,
    deadline: AbortHandle,
}

impl http_body::Body for HeldBody {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        let unsent = self.unsent.clone();
        let mut unsent = unsent.lock();
        let Some(body) = unsent.as_mut() else {
            return Poll::Ready(Some(Err(std::io::ErrorKind::TimedOut.into())));
        };
        let chunk = body.bytes.split_to(CHUNK_BYTES.min(body.bytes.len()));
        // A copy, since a slice would keep the whole body in memory.
        let chunk = Bytes::copy_from_slice(&chunk);
        self.left -= chunk.len() as u64;
        if self.left == 0 {
            *unsent = None;
        }
        Poll::Ready(Some(Ok(Frame::data(chunk))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

impl Drop for HeldBody {
    fn drop(&mut self) {
        self.deadline.abort();
        drop(self.unsent.lock().take());
    }
}
