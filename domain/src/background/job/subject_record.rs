//! What jobs work for, as its account reads it.

use sea_orm::{ConnectionTrait, PartialModelTrait, QuerySelect, QueryTrait, Select};

use super::{
    JobKind, JobState,
    subject_table::{SubjectTable, find_rows, of_account, read_row},
};
use crate::{
    Error, Result,
    foundation::{
        audit,
        combined_queries::{count_all, newest_first},
        database::Database,
        page::{Page, Slice},
    },
};
use ports::id::{AccountId, JobId};

/// What a job works for, such as a Checkpoint.
pub(crate) trait SubjectRecord: Sized {
    type Table: SubjectTable;
    /// The columns that it is read from.
    type Row: PartialModelTrait + TryInto<Self, Error = Error>;
    /// Which ones to list.
    type Filter;

    /// Its name in messages.
    const NOUN: &'static str;
    const KIND: JobKind;
    const CANCEL: audit::Action;

    fn id_of(row: &Self::Row) -> &str;

    fn filter(all: Select<Self::Table>, filter: &Self::Filter) -> Select<Self::Table>;

    fn job(&self) -> &JobId;

    fn state(&self) -> JobState;
}

/// Reads a record of an account.
///
/// # Errors
/// `NOT_FOUND` without it, with the same message for one of another account.
pub(crate) async fn find_record<R: SubjectRecord>(db: &Database, account: &AccountId, id: &str) -> Result<R> {
    find_records(db, account, [id]).await?.pop().ok_or_else(|| Error::not_found(R::NOUN))
}

/// Reads records of an account; ids that do not exist are left out.
pub(crate) async fn find_records<'a, R: SubjectRecord>(
    db: &Database,
    account: &AccountId,
    ids: impl IntoIterator<Item = &'a str>,
) -> Result<Vec<R>> {
    let rows = find_rows::<R::Table, R::Row>(db, account, ids).await?;
    rows.into_iter().map(TryInto::try_into).collect()
}

/// Reads pages of an account's records, newest first, in one statement; keys are ids.
pub(crate) async fn record_pages<R: SubjectRecord>(
    db: &Database,
    account: &AccountId,
    wanted: &[(R::Filter, Page<String>)],
) -> Result<Vec<Slice<R>>> {
    let queries = wanted.iter().map(|(filter, page)| {
        let query = R::filter(of_account(account), filter).select_only();
        (<R::Row as PartialModelTrait>::select_cols(query), page)
    });
    let found = newest_first(db, <R::Table as SubjectTable>::ID, R::id_of, queries.collect()).await?;
    found.into_iter().map(|slice| slice.try_map(TryInto::try_into)).collect()
}

/// Counts an account's records, for each filter.
pub(crate) async fn count_records<R: SubjectRecord>(
    db: &Database,
    account: &AccountId,
    wanted: &[R::Filter],
) -> Result<Vec<u64>> {
    let queries = wanted.iter().map(|filter| R::filter(of_account(account), filter).into_query());
    count_all(db, None, queries).await
}

/// Reads a record on a transaction that changes it, without checking the owner.
pub(crate) async fn read_record<R: SubjectRecord>(tx: &impl ConnectionTrait, id: &str) -> Result<R> {
    let row: Option<R::Row> = read_row::<R::Table, R::Row>(tx, id).await?;
    row.ok_or_else(|| Error::not_found(R::NOUN))?.try_into()
}
