//! The rows that jobs work for: how they are read, and how they begin and end.

use chrono::Utc;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PartialModelTrait, QueryFilter, QuerySelect, Select,
    UpdateMany,
    sea_query::{Expr, Func},
};

use super::JobState;
use crate::{Result, foundation::database::Database};
use ports::id::AccountId;

/// A table of what jobs work for, such as Checkpoints.
pub(crate) trait SubjectTable: EntityTrait {
    const ID: Self::Column;
    const ACCOUNT_ID: Self::Column;
    const STATE: Self::Column;
    const ERROR: Self::Column;
    const STARTED_AT: Self::Column;
    const FINISHED_AT: Self::Column;
}

/// Implements [`SubjectTable`] for an entity whose columns are named as in `checkpoint`, but for the one of its state.
macro_rules! subject_table {
    ($entity:ident, $state:ident) => {
        impl crate::background::job::SubjectTable for entity::$entity::Entity {
            const ID: Self::Column = entity::$entity::Column::Id;
            const ACCOUNT_ID: Self::Column = entity::$entity::Column::AccountId;
            const STATE: Self::Column = entity::$entity::Column::$state;
            const ERROR: Self::Column = entity::$entity::Column::Error;
            const STARTED_AT: Self::Column = entity::$entity::Column::StartedAt;
            const FINISHED_AT: Self::Column = entity::$entity::Column::FinishedAt;
        }
    };
}
pub(crate) use subject_table;

/// The subjects of an account.
pub(crate) fn of_account<S: SubjectTable>(account: &AccountId) -> Select<S> {
    S::find().filter(S::ACCOUNT_ID.eq(account.as_str()))
}

/// Reads some columns of an account's subjects; ids that do not exist are left out.
pub(crate) async fn find_rows<'a, S: SubjectTable, R: PartialModelTrait>(
    db: &Database,
    account: &AccountId,
    ids: impl IntoIterator<Item = &'a str>,
) -> Result<Vec<R>> {
    let rows = of_account::<S>(account).filter(S::ID.is_in(ids));
    Ok(db.in_time(rows.into_partial_model::<R>().all(db.read())).await?)
}

/// Reads some columns of a subject on a transaction that changes it, without checking the owner.
pub(crate) async fn read_row<S: SubjectTable, R: PartialModelTrait>(
    tx: &impl ConnectionTrait,
    id: &str,
) -> Result<Option<R>> {
    Ok(S::find().filter(S::ID.eq(id)).into_partial_model::<R>().one(tx).await?)
}

/// The sum of an SQL expression over some of an account's subjects, such as their bytes.
pub(crate) async fn sum<'a, S: SubjectTable>(
    db: &Database,
    account: &AccountId,
    ids: impl IntoIterator<Item = &'a str>,
    each: &str,
) -> Result<usize> {
    let sum = of_account::<S>(account)
        .select_only()
        .expr_as(Expr::cust(format!("CAST(COALESCE(SUM({each}), 0) AS BIGINT)")), "sum")
        .filter(S::ID.is_in(ids))
        .into_tuple::<i64>();
    let sum = db.in_time(sum.one(db.read())).await?.unwrap_or_default();
    Ok(usize::try_from(sum).unwrap_or_default())
}

/// The change that marks an open subject as running, and keeps the time of its first run.
pub(crate) fn begun<S: SubjectTable>(id: &str) -> UpdateMany<S> {
    let started_at = Func::coalesce([Expr::col(S::STARTED_AT), Expr::value(Utc::now())]);
    open::<S>(id)
        .col_expr(S::STATE, Expr::value(JobState::Running.as_str()))
        .col_expr(S::STARTED_AT, started_at.into())
}

/// Ends an open subject on the transaction that ends its job; false when it has ended. Its account should be locked.
pub(crate) async fn end_subject<S: SubjectTable>(
    tx: &impl ConnectionTrait,
    id: &str,
    state: &str,
    error: Option<&str>,
) -> Result<bool, DbErr> {
    let ended = open::<S>(id)
        .col_expr(S::STATE, Expr::value(state))
        .col_expr(S::ERROR, Expr::value(error.map(str::to_owned)))
        .col_expr(S::FINISHED_AT, Expr::value(Utc::now()));
    Ok(ended.exec(tx).await?.rows_affected > 0)
}

fn open<S: SubjectTable>(id: &str) -> UpdateMany<S> {
    S::update_many().filter(S::ID.eq(id)).filter(S::STATE.is_in(JobState::OPEN))
}
