//! Review claims: no two reviewers get the same sample. A claim lasts ten minutes by the database's clock, or until
//! its sample is labelled or released.

use entity::sample;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, DbBackend, EntityTrait, FromQueryResult, QueryFilter,
    QuerySelect, Statement,
    sea_query::{Expr, ExprTrait},
};
use serde_json::json;

use super::{
    Sample,
    sample::{find, sample_not_found},
    selection::{SampleRow, lock, require_unclaimed},
};
use crate::{
    Result,
    foundation::{
        actor::{Actor, Role},
        audit,
        database::Database,
    },
    learning::judge,
};
use ports::id::{JudgeId, SampleId};

/// Duration of a claim in milliseconds.
const CLAIM_MS: i64 = 10 * 60 * 1_000;

/// Claims the next sample in a Judge's review queue that no actor claims, the caller included; `None` when the
/// queue is empty.
///
/// # Errors
/// `FORBIDDEN` for an analyst; `NOT_FOUND` without such a Judge.
pub async fn claim_next(db: &Database, actor: &Actor, judge: &JudgeId) -> Result<Option<Sample>> {
    #[derive(FromQueryResult)]
    struct Claimed {
        id: String,
    }
    actor.require(Role::Editor)?;
    judge::find(db, &actor.account, judge).await?;
    let tx = db.begin().await?;
    // A concurrent claim takes the next sample. SQLite has one writer and no concurrent claims.
    let skip = match tx.get_database_backend() {
        DbBackend::Postgres => "FOR UPDATE SKIP LOCKED",
        _ => "",
    };
    let now = db.now_ms();
    let sql = format!(
        "UPDATE sample SET claimed_by = $1, claimed_until = {now} + {CLAIM_MS} WHERE seq = (SELECT seq FROM sample \
         WHERE judge_id = $2 AND account_id = $3 AND labels = 0 AND (claimed_until IS NULL OR claimed_until <= {now}) \
         ORDER BY COALESCE(certainty, 2.0), seq LIMIT 1 {skip}) RETURNING id"
    );
    let values = [actor.name().into(), judge.as_str().into(), actor.account.as_str().into()];
    let statement = Statement::from_sql_and_values(tx.get_database_backend(), sql, values);
    let Some(claimed) = Claimed::find_by_statement(statement).one(&tx).await? else { return Ok(None) };
    finish(db, tx, actor, audit::Action::SampleClaim, claimed.id).await.map(Some)
}

/// Claims one sample, in the queue or not; claiming again extends it to ten more minutes.
///
/// # Errors
/// `FORBIDDEN` for an analyst; `NOT_FOUND` without such a sample; `CONFLICT` when another actor is reviewing it.
pub async fn claim(db: &Database, actor: &Actor, id: &SampleId) -> Result<Sample> {
    let (tx, row) = lock_claimable(db, actor, id).await?;
    let until = Expr::cust(db.now_ms()).add(CLAIM_MS);
    set_claim(&tx, &row, Expr::value(Some(actor.name().to_owned())), until).await?;
    finish(db, tx, actor, audit::Action::SampleClaim, row.id).await
}

/// Releases a claim. Without one, nothing happens.
///
/// # Errors
/// `FORBIDDEN` for an analyst; `NOT_FOUND` without such a sample; `CONFLICT` when another actor is reviewing it.
pub async fn release(db: &Database, actor: &Actor, id: &SampleId) -> Result<Sample> {
    let (tx, row) = lock_claimable(db, actor, id).await?;
    set_claim(&tx, &row, Expr::value(None::<String>), Expr::value(None::<i64>)).await?;
    finish(db, tx, actor, audit::Action::SampleRelease, row.id).await
}

/// Locks a sample that this actor may claim and release.
async fn lock_claimable(
    db: &Database,
    actor: &Actor,
    id: &SampleId,
) -> Result<(DatabaseTransaction, SampleRow)> {
    actor.require(Role::Editor)?;
    let tx = db.begin().await?;
    let of_account = sample::Entity::find()
        .select_only()
        .column(sample::Column::Seq)
        .filter(sample::Column::AccountId.eq(actor.account.as_str()))
        .filter(sample::Column::Id.eq(id.as_str()));
    let seq: Option<i64> = of_account.into_tuple().one(&tx).await?;
    let row = lock(db, &tx, &actor.account, seq).await?.pop().ok_or_else(sample_not_found)?;
    require_unclaimed([&row], actor.name())?;
    Ok((tx, row))
}

async fn set_claim(tx: &impl ConnectionTrait, row: &SampleRow, by: Expr, until: Expr) -> Result<()> {
    sample::Entity::update_many()
        .col_expr(sample::Column::ClaimedBy, by)
        .col_expr(sample::Column::ClaimedUntil, until)
        .filter(sample::Column::Seq.eq(row.seq))
        .exec(tx)
        .await?;
    Ok(())
}

async fn finish(
    db: &Database,
    tx: DatabaseTransaction,
    actor: &Actor,
    action: audit::Action,
    id: String,
) -> Result<Sample> {
    let account = &actor.account;
    let target = id.as_str();
    let change = audit::Change { account, actor: actor.name(), action, target, detail: json!({}) };
    audit::write(&tx, change).await?;
    tx.commit().await?;
    find(db, &actor.account, &SampleId::from(id)).await
}
