//! A request's body as a file that a thread reads while it arrives. Only a few of its chunks are in memory at once.

use std::io::{self, Read};

use axum::{body::Body, extract::Request};
use bytes::{Buf, Bytes};
use domain::{Code, Error};
use futures_util::StreamExt;
use tokio::sync::mpsc;

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
/// dropped.
pub(crate) fn receive(request: Request, limit: usize) -> (Upload, impl Future<Output = ()>) {
    let (sender, chunks) = mpsc::channel(QUEUED_CHUNKS);
    (Upload { chunks, chunk: Bytes::new(), ended: false }, forward_body(request.into_body(), limit, sender))
}

async fn forward_body(body: Body, limit: usize, sender: mpsc::Sender<Chunk>) {
    let mut body = body.into_data_stream();
    let mut left = limit;
    while let Some(chunk) = body.next().await {
        let chunk = match chunk {
            Ok(chunk) if chunk.len() > left => {
                let message = format!("the file is too large: it may have {limit} bytes");
                Err(Error::new(Code::PayloadTooLarge, message))
            }
            Ok(chunk) => {
                left -= chunk.len();
                Ok(Some(chunk))
            }
            Err(_) => Err(Error::new(Code::MalformedBody, "the body did not arrive whole")),
        };
        let last = chunk.is_err();
        if sender.send(chunk).await.is_err() || last {
            return;
        }
    }
    // Without this message the reader knows that the body is incomplete.
    let _ = sender.send(Ok(None)).await;
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
