//! Finds, lists, reads and deletes files.

use std::collections::HashMap;

use chrono::{TimeDelta, Utc};
use entity::file;
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect, Select};

use super::{
    access::BatchAccess,
    file_content::FileContent,
    limits::BatchLimits,
    store,
    stored_file::{self, FileKind, StoredFile},
};
use crate::{
    Code, Error, Result,
    foundation::{
        database::Database,
        page::{Page, Slice, slice},
    },
};
use ports::id::{AccountId, BatchId, FileId};

/// Files deleted at once: each may have hundreds of rows.
const PRUNED_AT_ONCE: u64 = 4;

/// The files of a deployment. Cheap to clone.
#[derive(Clone)]
pub struct Files {
    pub db: Database,
    pub limits: BatchLimits,
}

/// The files with the results of a batch; none for an empty one.
#[derive(Clone, Debug, Default)]
pub struct ResultFiles {
    pub output: Option<FileId>,
    pub errors: Option<FileId>,
}

impl Files {
    /// A file.
    ///
    /// # Errors
    /// `NOT_FOUND`.
    pub async fn find(&self, access: &BatchAccess, id: &FileId) -> Result<StoredFile> {
        let row = visible(access).filter(file::Column::Id.eq(id.as_str()));
        let row = self.db.in_time(row.one(self.db.read())).await?;
        row.ok_or_else(|| Error::not_found("file"))?.try_into()
    }

    /// A page of files; keys are ids. `kinds`: only these.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn list(
        &self,
        access: &BatchAccess,
        kinds: &[FileKind],
        newest_first: bool,
        page: Page<String>,
    ) -> Result<Slice<StoredFile>> {
        let kinds = kinds.iter().map(|kind| kind.as_str());
        let files = visible(access).filter(file::Column::Kind.is_in(kinds));
        let rows: Slice<file::Model> =
            slice(files, file::Column::Id, newest_first, page, self.db.read()).await?;
        rows.try_map(StoredFile::try_from)
    }

    /// Deletes a file. A batch keeps the items that it has read, and its results.
    ///
    /// # Errors
    /// `NOT_FOUND`.
    pub async fn delete(&self, access: &BatchAccess, id: &FileId) -> Result<()> {
        let found = self.find(access, id).await?;
        // The foreign key deletes its bytes too.
        let deleted = file::Entity::delete_by_id(found.id.as_str()).exec(self.db.write());
        self.db.in_time(deleted).await?;
        Ok(())
    }

    /// The bytes of a file.
    ///
    /// # Errors
    /// `NOT_FOUND`.
    pub async fn content(&self, access: &BatchAccess, id: &FileId) -> Result<FileContent> {
        let found = self.find(access, id).await?;
        FileContent::open(self.db.clone(), found).await
    }

    /// The files with the results of batches.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn of_batches(
        &self,
        account: &AccountId,
        batches: &[BatchId],
    ) -> Result<HashMap<BatchId, ResultFiles>> {
        let ids = batches.iter().map(BatchId::as_str);
        let rows = file::Entity::find()
            .filter(file::Column::AccountId.eq(account.as_str()))
            .filter(file::Column::BatchId.is_in(ids));
        let mut found: HashMap<BatchId, ResultFiles> = HashMap::new();
        for row in self.db.in_time(rows.all(self.db.read())).await? {
            let file = StoredFile::try_from(row)?;
            let Some(batch) = file.batch else { continue };
            let files = found.entry(batch).or_default();
            match file.kind {
                FileKind::Input => {}
                FileKind::Output => files.output = Some(file.id),
                FileKind::Errors => files.errors = Some(file.id),
            }
        }
        Ok(found)
    }

    /// Requires room for one more file of `bytes`.
    pub(super) async fn require_room(
        &self,
        on: &impl ConnectionTrait,
        account: &AccountId,
        bytes: i64,
    ) -> Result<()> {
        let most = self.limits.files;
        let (count, _) = stored_file::usage(on, account).await?;
        if count >= most {
            let message = format!(
                "the account has {count} files, and at most {most} are allowed (`bulk_files`): delete one first"
            );
            return Err(Error::new(Code::Conflict, message));
        }
        let (_, stored) = store::usage(on, account).await?;
        self.limits.require_bytes(stored.saturating_add(bytes))
    }

    /// Deletes files whose time is up, and abandoned uploads; returns how many.
    pub(super) async fn prune(&self, abandoned: TimeDelta) -> Result<u64> {
        let now = Utc::now();
        let over = Condition::any().add(file::Column::ExpiresAt.lt(now)).add(
            Condition::all()
                .add(file::Column::Ready.eq(false))
                .add(file::Column::CreatedAt.lt(now - abandoned)),
        );
        let mut pruned = 0;
        loop {
            let some = file::Entity::find().select_only().column(file::Column::Id).filter(over.clone());
            let ids: Vec<String> = some.limit(PRUNED_AT_ONCE).into_tuple().all(self.db.read()).await?;
            if ids.is_empty() {
                return Ok(pruned);
            }
            let deleted = file::Entity::delete_many().filter(file::Column::Id.is_in(ids));
            pruned += deleted.exec(self.db.write()).await?.rows_affected;
        }
    }
}

/// The visible files of somebody.
fn visible(access: &BatchAccess) -> Select<file::Entity> {
    let of_account = file::Entity::find()
        .filter(file::Column::AccountId.eq(access.account.as_str()))
        .filter(file::Column::Ready.eq(true));
    match &access.own {
        Some(own) => of_account.filter(file::Column::SubmittedBy.eq(own)),
        None => of_account,
    }
}
