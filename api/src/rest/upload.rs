//! A request's body as a file that a thread reads while it arrives. Only a few of its chunks are in memory at once.

use std::io::{self, Read};

use axum::{body::Body, extract::Request};
use bytes::{Buf, Bytes};
use domain::{Code, Error};
use tokio::sync::mpsc;

use crate::{arrival::Pace, slots::AccountSlots};

/// Pieces that wait to be read.
const QUEUED_CHUNKS: usize = 4;

/// A chunk, or none for the end of the body.
type Chunk = Result<Option<Bytes>, Error>;

/// The body as a file.
pub(crate) struct Upload {
    chunks: mpsc::Receiver<Chunk>,
    chunk: Bytes,
    ended: bool,
}

/// A request's body of at most `limit` bytes as a file, and the future that receives it, which ends when the file is
/// dropped. While it arrives, the request holds one of `slots`.
pub(crate) fn receive(
    request: Request,
    limit: usize,
    slots: &AccountSlots,
) -> (Upload, impl Future<Output = ()> + use<>) {
    let (sender, chunks) = mpsc::channel(QUEUED_CHUNKS);
    let upload = Upload { chunks, chunk: Bytes::new(), ended: false };
    let pace = Pace::holding_one_of(slots.clone());
    (upload, forward_body(request.into_body(), limit, pace, sender))
}

async fn forward_body(body: Body, limit: usize, mut pace: Pace, sender: mpsc::Sender<Chunk>) {
    let mut body = body.into_data_stream();
    let mut left = limit;
    loop {
        let chunk = match pace.next(&mut body).await {
            Ok(Some(chunk)) if chunk.len() > left => {
                let message = format!("the file is too large: it may have at most {limit} bytes");
                Err(Error::new(Code::PayloadTooLarge, message))
            }
            chunk => chunk,
        };
        left -= chunk.as_ref().ok().and_then(Option::as_ref).map_or(0, Bytes::len);
        let last = !matches!(chunk, Ok(Some(_)));
        // Without a last chunk, the reader knows that the body is incomplete.
        if sender.send(chunk).await.is_err() || last {
            return;
        }
    }
}

impl Read for Upload {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while self.chunk.is_empty() && !self.ended {
            match self.chunks.blocking_recv() {
                Some(Ok(Some(chunk))) => self.chunk = chunk,
                Some(Ok(None)) => self.ended = true,
                Some(Err(error)) => return Err(io::Error::other(error)),
                None => return Err(io::ErrorKind::UnexpectedEof.into()),
            }
        }
        let read = self.chunk.len().min(to.len());
        self.chunk.copy_to_slice(&mut to[..read]);
        Ok(read)
    }
}
