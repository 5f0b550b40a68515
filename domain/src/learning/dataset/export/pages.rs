//! The pages of an export, for the thread that encodes them.

use std::io;

use tokio::sync::mpsc;

use super::snapshot::ExportedSample;
use crate::Result;

/// The pages of a snapshot, for a thread that may block.
pub(super) struct Pages(mpsc::Receiver<Result<Vec<ExportedSample>>>);

impl Pages {
    /// The pages that a channel brings; an empty page is the last.
    pub(super) fn new(pages: mpsc::Receiver<Result<Vec<ExportedSample>>>) -> Self {
        Self(pages)
    }
}

impl Iterator for Pages {
    type Item = io::Result<Vec<ExportedSample>>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.0.blocking_recv() {
            Some(Ok(rows)) if rows.is_empty() => None,
            Some(Ok(rows)) => Some(Ok(rows)),
            Some(Err(error)) => Some(Err(io::Error::other(error))),
            None => Some(Err(io::Error::other("the reading of pages ended early"))),
        }
    }
}
