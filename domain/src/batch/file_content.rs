//! The bytes of files: uploaded ones as they came, results in OpenAI's form.

use std::io::{self, Read};

use bytes::{Buf, Bytes};
use entity::{batch, batch_chunk, file_chunk};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use tokio::runtime::Handle;

use super::{
    openai_lines::{self, Wanted},
    store::Batch,
    stored_file::{FileKind, StoredFile},
};
use crate::{Error, Result, foundation::database::Database};
use ports::id::FileId;

/// The bytes of a file, in pieces.
pub struct FileContent {
    db: Database,
    source: ContentSource,
    next: i32,
}

enum ContentSource {
    Uploaded(FileId),
    Results(Box<Batch>, Wanted),
}

impl FileContent {
    /// # Errors
    /// `NOT_FOUND` when the batch was deleted meanwhile.
    pub(super) async fn open(db: Database, file: StoredFile) -> Result<Self> {
        let wanted = match file.kind {
            FileKind::Input => return Ok(Self::uploaded(db, file.id)),
            FileKind::Output => Wanted::Answered,
            FileKind::Errors => Wanted::Failed,
        };
        let batch = file.batch.ok_or_else(|| Error::internal("results of no batch"))?;
        let row = batch::Entity::find_by_id(batch.as_str()).one(db.read());
        let row = db.in_time(row).await?.ok_or_else(|| Error::not_found("file"))?;
        let source = ContentSource::Results(Box::new(Batch::try_from(row)?), wanted);
        Ok(Self { db, source, next: 0 })
    }

    pub(super) fn uploaded(db: Database, file: FileId) -> Self {
        Self { db, source: ContentSource::Uploaded(file), next: 0 }
    }

    /// The next bytes; none at the end.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn next(&mut self) -> Result<Option<Bytes>> {
        match &self.source {
            ContentSource::Uploaded(file) => {
                let chunk = file_chunk::Entity::find_by_id((file.to_string(), self.next));
                let chunk = self.db.in_time(chunk.one(self.db.read())).await?;
                self.next += 1;
                Ok(chunk.map(|chunk| Bytes::from(chunk.bytes)))
            }
            ContentSource::Results(batch, wanted) => loop {
                let chunk = batch_chunk::Entity::find()
                    .filter(batch_chunk::Column::BatchId.eq(batch.id.as_str()))
                    .filter(batch_chunk::Column::Number.gte(self.next))
                    .order_by_asc(batch_chunk::Column::Number);
                let chunk = self.db.in_time(chunk.one(self.db.read())).await?;
                let Some(chunk) = chunk else { return Ok(None) };
                self.next = chunk.number + 1;
                let lines = openai_lines::of_chunk(&chunk, batch.status, *wanted)?;
                if !lines.is_empty() {
                    return Ok(Some(Bytes::from(lines)));
                }
            },
        }
    }

    /// The bytes for a thread that may block.
    pub(super) fn reader(self) -> FileReader {
        FileReader { content: self, runtime: Handle::current(), piece: Bytes::new(), ended: false }
    }
}

/// Reads a file on a thread that may block.
pub(super) struct FileReader {
    content: FileContent,
    runtime: Handle,
    piece: Bytes,
    ended: bool,
}

impl Read for FileReader {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() && !self.ended {
            match self.runtime.block_on(self.content.next()).map_err(io::Error::other)? {
                Some(piece) => self.piece = piece,
                None => self.ended = true,
            }
        }
        let read = self.piece.len().min(to.len());
        self.piece.copy_to_slice(&mut to[..read]);
        Ok(read)
    }
}
