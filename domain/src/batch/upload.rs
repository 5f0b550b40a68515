//! Stores a file while it is uploaded, before it is visible.

use chrono::{TimeDelta, Utc};
use entity::{file, file_chunk};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};

use super::{
    access::Submitter,
    discard::DiscardOnDrop,
    files::Files,
    stored_file::{FileKind, StoredFile},
};
use crate::{Code, Error, Result, money::credits::lock_account};
use ports::id::{AccountId, FileId};

/// Bytes of a row.
const CHUNK_BYTES: usize = 1024 * 1024;

/// A file that is uploaded. Discarded when dropped before its end, or later if the process dies.
pub struct FileUpload {
    files: Files,
    account: AccountId,
    buffer: Vec<u8>,
    number: i32,
    bytes: i64,
    id: FileId,
    discard: DiscardOnDrop<file::Entity>,
}

impl FileUpload {
    /// Begins an upload.
    ///
    /// # Errors
    /// `CONFLICT` over the account's limits.
    pub async fn begin(files: Files, submitter: &Submitter) -> Result<Self> {
        files.require_room(files.db.read(), &submitter.account, 0).await?;
        let id = FileId::new();
        let now = Utc::now();
        let row = file::ActiveModel {
            id: Set(id.to_string()),
            account_id: Set(submitter.account.to_string()),
            submitted_by: Set(submitter.name.clone()),
            kind: Set(FileKind::Input.as_str().to_owned()),
            filename: Set(String::new()),
            bytes: Set(0),
            ready: Set(false),
            created_at: Set(now),
            expires_at: Set(now + files.limits.kept),
            ..Default::default()
        };
        let db = files.db.clone();
        db.in_time(file::Entity::insert(row).exec_without_returning(db.write())).await?;
        let account = submitter.account.clone();
        let staged = file::Entity::delete_many()
            .filter(file::Column::Id.eq(id.as_str()))
            .filter(file::Column::Ready.eq(false));
        let discard = DiscardOnDrop::new(db, staged);
        Ok(Self { files, account, buffer: Vec::new(), number: 0, bytes: 0, id, discard })
    }

    /// Adds bytes.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn write(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            let taken = bytes.len().min(CHUNK_BYTES - self.buffer.len());
            let (now, later) = bytes.split_at(taken);
            self.buffer.extend_from_slice(now);
            bytes = later;
            if self.buffer.len() == CHUNK_BYTES {
                self.flush().await?;
            }
        }
        Ok(())
    }

    /// Makes the file visible. `kept`: how long, at most as long as results are kept.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` for an empty file; `CONFLICT` over the account's limits.
    pub async fn finish(mut self, filename: String, kept: Option<TimeDelta>) -> Result<StoredFile> {
        self.flush().await?;
        if self.bytes == 0 {
            return Err(Error::invalid("file", "must not be empty"));
        }
        let db = &self.files.db;
        let tx = db.begin().await?;
        // The account's limits are exact while it is locked.
        lock_account(&tx, &self.account).await?;
        self.files.require_room(&tx, &self.account, self.bytes).await?;
        let now = Utc::now();
        let most = self.files.limits.kept;
        let row = file::ActiveModel {
            filename: Set(filename),
            bytes: Set(self.bytes),
            ready: Set(true),
            created_at: Set(now),
            expires_at: Set(now + kept.unwrap_or(most).min(most)),
            ..Default::default()
        };
        let row = file::Entity::update_many()
            .set(row)
            .filter(file::Column::Id.eq(self.id.as_str()))
            .filter(file::Column::Ready.eq(false))
            .exec_with_returning(&tx)
            .await?
            .pop();
        let row = row.ok_or_else(|| Error::new(Code::Overloaded, "the upload took too long"))?;
        tx.commit().await?;
        self.discard.keep();
        row.try_into()
    }

    async fn flush(&mut self) -> Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let bytes = std::mem::take(&mut self.buffer);
        self.bytes += i64::try_from(bytes.len()).map_err(Error::internal)?;
        let row = file_chunk::ActiveModel {
            file_id: Set(self.id.to_string()),
            number: Set(self.number),
            bytes: Set(bytes),
        };
        let db = &self.files.db;
        db.in_time(file_chunk::Entity::insert(row).exec_without_returning(db.write())).await?;
        self.number += 1;
        Ok(())
    }
}
