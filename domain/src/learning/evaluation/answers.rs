//! The answers of an evaluation, written in the commit of their charge, a chunk at a time.

use async_trait::async_trait;
use entity::{evaluation, evaluation_answer};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DatabaseTransaction, DbErr, EntityTrait, ExprTrait,
    QueryFilter, QuerySelect, QueryTrait, sea_query::Expr,
};

use crate::{
    Result,
    background::job::JobState,
    foundation::events::{Event, Events},
    learning::agreement::GradedAnswer,
    money::credits::{PostedRow, SideTable},
};
use ports::id::{AccountId, EvaluationId};

/// Rows per statement: databases limit the bound parameters.
const ROWS_PER_INSERT: usize = 500;

/// The graded answers to some samples.
#[derive(Debug)]
pub struct Answered {
    pub(super) evaluation: EvaluationId,
    pub(super) samples: i64,
    /// `seq` of the last sample.
    pub(super) last: i64,
    pub(super) graded: Vec<GradedSample>,
}

/// A graded answer under one key of one sample.
#[derive(Debug)]
pub(super) struct GradedSample {
    pub(super) seq: i64,
    pub(super) key: String,
    /// Whether the Checkpoint that answers was trained on the sample.
    pub(super) trained: bool,
    pub(super) graded: GradedAnswer,
}

/// Writes the answers of evaluations with their charges.
pub struct EvaluationTable {
    /// Receives the evaluations that made progress.
    pub events: Events,
}

#[async_trait]
impl SideTable for EvaluationTable {
    type Row = Answered;

    async fn write(&self, tx: &DatabaseTransaction, rows: &[PostedRow<'_, Answered>]) -> Result<(), DbErr> {
        for posted in rows {
            posted.row.write(tx).await?;
        }
        Ok(())
    }

    fn bytes(&self, answered: &Answered) -> usize {
        answered.graded.iter().map(|one| 64 + one.key.len() + 2 * one.graded.truth.len()).sum()
    }

    fn announce(&self, account: &AccountId, answered: &Answered) {
        let account = account.clone();
        let subject = answered.evaluation.to_string();
        self.events.publish(Event::Progress { account, subject });
    }
}

impl Answered {
    async fn write(&self, tx: &DatabaseTransaction) -> Result<(), DbErr> {
        use evaluation::Column;
        let went_on = evaluation::Entity::update_many()
            .col_expr(Column::Done, Expr::col(Column::Done).add(self.samples))
            .col_expr(Column::LastDone, Expr::value(self.last))
            .filter(Column::Id.eq(self.evaluation.as_str()))
            .filter(Column::State.eq(JobState::Running.as_str()))
            .filter(Column::LastDone.lt(self.last))
            .exec(tx)
            .await?;
        if went_on.rows_affected == 0 {
            return Err(DbErr::Custom(format!(
                "{} does not run, or another worker runs it",
                self.evaluation
            )));
        }
        // Samples purged since they were read no longer have a row.
        let seqs = self.graded.iter().map(|one| one.seq);
        let there: std::collections::HashSet<i64> = entity::sample::Entity::find()
            .select_only()
            .column(entity::sample::Column::Seq)
            .filter(entity::sample::Column::Seq.is_in(seqs))
            .into_tuple::<i64>()
            .all(tx)
            .await?
            .into_iter()
            .collect();
        let rows = self.graded.iter().filter(|one| there.contains(&one.seq));
        let rows: Vec<_> = rows
            .map(|GradedSample { seq, key, trained, graded }| evaluation_answer::ActiveModel {
                evaluation_id: Set(self.evaluation.to_string()),
                sample_seq: Set(*seq),
                key: Set(key.clone()),
                trained: Set(*trained),
                truth: Set(graded.truth.clone()),
                value: Set(graded.value.clone()),
                probability: Set(graded.probability),
                truth_probability: Set(graded.truth_probability),
                brier: Set(graded.brier),
            })
            .collect();
        for rows in rows.chunks(ROWS_PER_INSERT) {
            evaluation_answer::Entity::insert_many(rows.to_vec()).exec_without_returning(tx).await?;
        }
        Ok(())
    }
}

/// A stored answer with its ground truth.
pub(super) fn graded(row: evaluation_answer::Model) -> GradedAnswer {
    GradedAnswer {
        truth: row.truth,
        value: row.value,
        probability: row.probability,
        truth_probability: row.truth_probability,
        brier: row.brier,
        probabilities: None,
    }
}

/// Deletes an account's evaluations with their answers.
pub(crate) async fn erase(tx: &impl ConnectionTrait, account: &AccountId) -> Result<()> {
    let own = evaluation::Column::AccountId.eq(account.as_str());
    let ids = evaluation::Entity::find().select_only().column(evaluation::Column::Id).filter(own.clone());
    evaluation_answer::Entity::delete_many()
        .filter(evaluation_answer::Column::EvaluationId.in_subquery(ids.into_query()))
        .exec(tx)
        .await?;
    evaluation::Entity::delete_many().filter(own).exec(tx).await?;
    Ok(())
}
