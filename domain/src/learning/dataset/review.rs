//! Review claims: no two reviewers get the same sample. A claim lasts ten minutes by the database's clock, or until
//! its sample is labelled or released.

use entity::sample;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, DbBackend, EntityTrait, FromQueryResult, QueryFilter,
    QuerySelect, Statement,
    sea_query::{Expr, ExprTrait},
};

use super::{
    Datasets, Sample,
    selection::{SampleRow, lock, require_unclaimed},
};
use crate::{
    Error, Result,
    foundation::{
        actor::{Actor, Role},
        audit,
    },
    learning::owner::{DatasetOwner, OwnerKind, of_kind},
};
use ports::id::{DatasetId, SampleId};

/// Duration of a claim in milliseconds.
const CLAIM_MS: i64 = 10 * 60 * 1_000;

impl Datasets {
    /// Claims the next sample in a dataset's review queue that no actor claims, the caller included; `None` when the
    /// queue is empty.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `NOT_FOUND` without such a dataset.
    pub async fn claim_next(&self, actor: &Actor, dataset: &DatasetId) -> Result<Option<Sample>> {
        #[derive(FromQueryResult)]
        struct Claimed {
            id: String,
        }
        actor.require_moderator()?;
        let owner = self.find_owner(&actor.account, dataset).await?;
        if !matches!(owner, DatasetOwner::ModerationLog(_)) {
            actor.require(Role::Editor)?;
        }
        let tx = self.db.begin().await?;
        // A concurrent claim takes the next sample. SQLite has one writer and no concurrent claims.
        let skip = match tx.get_database_backend() {
            DbBackend::Postgres => "FOR UPDATE SKIP LOCKED",
            _ => "",
        };
        let now = self.db.now_ms();
        let sql = format!(
            "UPDATE sample SET claimed_by = $1, claimed_until = {now} + {CLAIM_MS} WHERE seq = (SELECT seq FROM sample \
             WHERE judge_id = $2 AND account_id = $3 AND labels = 0 \
             AND (claimed_until IS NULL OR claimed_until <= {now}) \
             ORDER BY COALESCE(certainty, 2.0), seq LIMIT 1 {skip}) RETURNING id"
        );
        let values = [actor.name().into(), dataset.as_str().into(), actor.account.as_str().into()];
        let statement = Statement::from_sql_and_values(tx.get_database_backend(), sql, values);
        let Some(claimed) = Claimed::find_by_statement(statement).one(&tx).await? else { return Ok(None) };
        self.finish(tx, actor, audit::Action::SampleClaim, claimed.id).await.map(Some)
    }

    /// Claims one sample, in the queue or not; claiming again extends it to ten more minutes.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `NOT_FOUND` without such a sample; `CONFLICT` when another actor is reviewing it.
    pub async fn claim(&self, actor: &Actor, id: &SampleId) -> Result<Sample> {
        let (tx, row) = self.lock_claimable(actor, id).await?;
        let until = Expr::cust(self.db.now_ms()).add(CLAIM_MS);
        set_claim(&tx, &row, Expr::value(Some(actor.name().to_owned())), until).await?;
        self.finish(tx, actor, audit::Action::SampleClaim, row.id).await
    }

    /// Releases a claim. Does nothing without one.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `NOT_FOUND` without such a sample; `CONFLICT` when another actor is reviewing it.
    pub async fn release(&self, actor: &Actor, id: &SampleId) -> Result<Sample> {
        let (tx, row) = self.lock_claimable(actor, id).await?;
        if row.claimed_by.is_none() {
            tx.rollback().await?;
            return self.find(&actor.account, id).await;
        }
        set_claim(&tx, &row, Expr::value(None::<String>), Expr::value(None::<i64>)).await?;
        self.finish(tx, actor, audit::Action::SampleRelease, row.id).await
    }

    /// Locks a sample that this actor may claim and release.
    async fn lock_claimable(&self, actor: &Actor, id: &SampleId) -> Result<(DatabaseTransaction, SampleRow)> {
        actor.require_moderator()?;
        let tx = self.db.begin().await?;
        let of_account = sample::Entity::find()
            .select_only()
            .column(sample::Column::Seq)
            .filter(sample::Column::AccountId.eq(actor.account.as_str()))
            .filter(sample::Column::Id.eq(id.as_str()));
        let seq: Option<i64> = of_account.into_tuple().one(&tx).await?;
        let row = lock(&self.db, &tx, &actor.account, seq)
            .await?
            .pop()
            .ok_or_else(|| Error::not_found("sample"))?;
        require_reviewer(&tx, actor, [&row]).await?;
        require_unclaimed([&row], actor.name())?;
        Ok((tx, row))
    }

    async fn finish(
        &self,
        tx: DatabaseTransaction,
        actor: &Actor,
        action: audit::Action,
        id: String,
    ) -> Result<Sample> {
        audit::write(&tx, audit::Change::by(actor, action, &id)).await?;
        tx.commit().await?;
        self.find(&actor.account, &SampleId::from(id)).await
    }
}

/// Reads on `on`: a transaction must not wait for a second connection.
///
/// # Errors
/// `FORBIDDEN` for a moderator, unless all the samples are of the moderation log.
pub(super) async fn require_reviewer<'a>(
    on: &impl ConnectionTrait,
    actor: &Actor,
    samples: impl IntoIterator<Item = &'a SampleRow>,
) -> Result<()> {
    if actor.role != Role::Moderator {
        return Ok(());
    }
    let log = of_kind(&actor.account, OwnerKind::Moderation).one(on).await?;
    let log = log.map(|log| log.id);
    if samples.into_iter().all(|sample| log.as_ref() == Some(&sample.judge_id)) {
        return Ok(());
    }
    actor.require(Role::Editor)
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
