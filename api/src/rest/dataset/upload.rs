//! A body as a file that a thread reads while it arrives. No more of it is in memory than a few of its pieces.

use std::io::{self, Read};

use axum::{body::Body, extract::Request};
use bytes::{Buf, Bytes};
use domain::{Code, Error};
use futures_util::StreamExt;
use tokio::sync::mpsc;

/// Pieces that wait to be read.
const WAITING: usize = 4;

/// What has arrived; none for its end.
type Piece = Result<Option<Bytes>, Error>;

/// The reading end.
pub(super) struct Upload {
    pieces: mpsc::Receiver<Piece>,
    piece: Bytes,
    ended: bool,
}

/// A request's body of at most `limit` bytes as a file, and the work of receiving it, which ends when the file is no longer
/// read.
pub(super) fn receive(request: Request, limit: usize) -> (Upload, impl Future<Output = ()>) {
    let (sender, pieces) = mpsc::channel(WAITING);
    (Upload { pieces, piece: Bytes::new(), ended: false }, arrive(request.into_body(), limit, sender))
}

async fn arrive(body: Body, limit: usize, sender: mpsc::Sender<Piece>) {
    let (mut body, mut left) = (body.into_data_stream(), limit);
    while let Some(piece) = body.next().await {
        let piece = match piece {
            Ok(piece) if piece.len() > left => {
                let message = format!("the file is too large: it may have {limit} bytes");
                Err(Error::new(Code::PayloadTooLarge, message))
            }
            Ok(piece) => {
                left -= piece.len();
                Ok(Some(piece))
            }
            Err(_) => Err(Error::new(Code::MalformedBody, "the body did not arrive whole")),
        };
        let last = piece.is_err();
        if sender.send(piece).await.is_err() || last {
            return;
        }
    }
    // Without it the file has not arrived whole, whoever stopped.
    let _ = sender.send(Ok(None)).await;
}

impl Read for Upload {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() && !self.ended {
            match self.pieces.blocking_recv() {
                Some(Ok(Some(piece))) => self.piece = piece,
                Some(Ok(None)) => self.ended = true,
                Some(Err(error)) => return Err(io::Error::other(error)),
                None => return Err(io::ErrorKind::UnexpectedEof.into()),
            }
        }
        let read = self.piece.len().min(to.len());
        self.piece.copy_to_slice(&mut to[..read]);
        Ok(read)
    }
}
