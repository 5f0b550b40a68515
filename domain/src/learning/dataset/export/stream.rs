//! Turns pages into chunks of a file: a task reads rows, a thread of its own encodes them, and a short channel
//! holds the chunks. The work ends when the receiver stalls or is dropped.

use std::{
    io::{self, Write},
    time::Duration,
};

use bytes::Bytes;
use tokio::{runtime::Handle, sync::mpsc};

use super::{ExportFormat, Snapshot, csv, jsonl, pages::Pages, parquet, snapshot::ExportedSample};
use crate::{Error, Result};

/// Bytes in a chunk.
const CHUNK_BYTES: usize = 64 * 1024;
/// Capacity of the channel, in chunks.
const CHANNEL_CHUNKS: usize = 4;
/// Time a chunk may wait in the channel before the receiver counts as gone.
const SEND_TIMEOUT: Duration = Duration::from_secs(20);

/// A chunk of the file, or `None` for its end. A file without that end is incomplete.
pub type Chunk = Result<Option<Bytes>>;

impl Snapshot {
    /// Starts to write the file. `permit` is dropped when the work ends. Must run inside a Tokio runtime.
    pub fn stream(self, permit: impl Send + 'static) -> mpsc::Receiver<Chunk> {
        let (chunks, taken) = mpsc::channel(CHANNEL_CHUNKS);
        let (rows, pages) = mpsc::channel(1);
        let format = self.format();
        let keys = self.keys().to_vec();
        tokio::spawn(read(self, rows));
        let handle = Handle::current();
        tokio::task::spawn_blocking(move || {
            let mut out =
                ChunkWriter { buffer: Vec::with_capacity(CHUNK_BYTES), chunks, handle, receiver_gone: false };
            let written = write(format, &keys, Pages::new(pages), &mut out).and_then(|()| out.finish());
            if let Err(error) = written {
                if out.receiver_gone {
                    tracing::debug!("the client of an export went away");
                } else {
                    tracing::error!(cause = %error, "an export failed");
                    // The file stays without its end when the channel has no room for this error.
                    let _ = out.chunks.try_send(Err(Error::internal(error)));
                }
            }
            drop(permit);
        });
        taken
    }
}

/// Reads pages until the receiver is gone; sends an empty page as the end.
async fn read(snapshot: Snapshot, rows: mpsc::Sender<Result<Vec<ExportedSample>>>) {
    let mut pages = snapshot.pages();
    loop {
        let (page, last) = match pages.next().await {
            Ok(Some(page)) => (Ok(page), false),
            Ok(None) => (Ok(Vec::new()), true),
            Err(error) => (Err(error), true),
        };
        if rows.send(page).await.is_err() || last {
            return;
        }
    }
}

fn write(format: ExportFormat, keys: &[String], pages: Pages, out: &mut ChunkWriter) -> io::Result<()> {
    match format {
        ExportFormat::Jsonl => jsonl::write(pages, out),
        ExportFormat::Csv => csv::write(keys, pages, out),
        ExportFormat::Parquet => parquet::write(pages, out),
    }
}

/// The writer of the encoders, which sends chunks.
pub(super) struct ChunkWriter {
    buffer: Vec<u8>,
    chunks: mpsc::Sender<Chunk>,
    handle: Handle,
    receiver_gone: bool,
}

impl ChunkWriter {
    fn send(&mut self, chunk: Option<Bytes>) -> io::Result<()> {
        let send = async { tokio::time::timeout(SEND_TIMEOUT, self.chunks.send(Ok(chunk))).await };
        let sent = self.handle.block_on(send);
        self.receiver_gone = !matches!(sent, Ok(Ok(())));
        if self.receiver_gone { Err(io::ErrorKind::BrokenPipe.into()) } else { Ok(()) }
    }

    fn finish(&mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.buffer);
        if !rest.is_empty() {
            self.send(Some(rest.into()))?;
        }
        self.send(None)
    }
}

impl Write for ChunkWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = CHUNK_BYTES - self.buffer.len();
        let written = bytes.len().min(room);
        self.buffer.extend_from_slice(&bytes[..written]);
        if self.buffer.len() == CHUNK_BYTES {
            let buffer = std::mem::replace(&mut self.buffer, Vec::with_capacity(CHUNK_BYTES));
            self.send(Some(buffer.into()))?;
        }
        Ok(written)
    }

    /// Does nothing: chunks are sent when they are full.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
