//! The answers of an evaluation, written in the commit of their charge, a chunk at a time.

use async_trait::async_trait;
use entity::{evaluation, evaluation_answer};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DatabaseTransaction, DbErr, EntityTrait, ExprTrait,
    QueryFilter, QuerySelect, QueryTrait, sea_query::Expr,
};

use crate::{
    Result,
    background::job::State,
    foundation::events::{Event, Events},
    learning::agreement::Outcome,
    money::credits::{PostedEntry, SideRow, SideTable},
};
use ports::id::{AccountId, EvaluationId};

/// Rows per statement: databases limit the bound parameters.
const ROWS_PER_INSERT: usize = 500;

/// The answers to some samples.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) evaluation: EvaluationId,
    pub(super) samples: i64,
    /// `seq` of the last sample.
    pub(super) last: i64,
    /// By the sample's `seq` and the key.
    pub(super) outcomes: Vec<(i64, String, Outcome)>,
}

/// Writes the answers of evaluations with their charges.
pub struct EvaluationTable {
    /// Receives the evaluations that went on.
    pub events: Events,
}

#[async_trait]
impl SideTable for EvaluationTable {
    async fn write(&self, tx: &DatabaseTransaction, posted: &[PostedEntry<'_>]) -> Result<(), DbErr> {
        for row in posted.iter().flat_map(|posted| &posted.entry.side_rows) {
            if let Some(answered) = row.downcast_ref::<Answered>() {
                answered.write(tx).await?;
            }
        }
        Ok(())
    }

    fn bytes(&self, row: &SideRow) -> usize {
        row.downcast_ref::<Answered>().map_or(0, |answered| {
            answered.outcomes.iter().map(|(_, key, outcome)| 64 + key.len() + 2 * outcome.truth.len()).sum()
        })
    }

    async fn delete_refunded(&self, _: &DatabaseTransaction, _: &[&str]) -> Result<(), DbErr> {
        Ok(())
    }

    fn announce(&self, account: &AccountId, row: &SideRow) {
        if let Some(Answered { evaluation, .. }) = row.downcast_ref() {
            let account = account.clone();
            let subject = evaluation.to_string();
            self.events.publish(Event::Progress { account, subject });
        }
    }
}

impl Answered {
    async fn write(&self, tx: &DatabaseTransaction) -> Result<(), DbErr> {
        use evaluation::Column;
        let went_on = evaluation::Entity::update_many()
            .col_expr(Column::Done, Expr::col(Column::Done).add(self.samples))
            .col_expr(Column::LastDone, Expr::value(self.last))
            .filter(Column::Id.eq(self.evaluation.as_str()))
            .filter(Column::State.eq(State::Running.as_str()))
            .filter(Column::LastDone.lt(self.last))
            .exec(tx)
            .await?;
        if went_on.rows_affected == 0 {
            return Err(DbErr::Custom(format!(
                "{} does not run, or another worker runs it",
                self.evaluation
            )));
        }
        // Samples that were purged since they were read have no row any more.
        let seqs = self.outcomes.iter().map(|(seq, ..)| *seq);
        let there: std::collections::HashSet<i64> = entity::sample::Entity::find()
            .select_only()
            .column(entity::sample::Column::Seq)
            .filter(entity::sample::Column::Seq.is_in(seqs))
            .into_tuple::<i64>()
            .all(tx)
            .await?
            .into_iter()
            .collect();
        let rows = self.outcomes.iter().filter(|(seq, ..)| there.contains(seq));
        let rows: Vec<_> = rows
            .map(|(seq, key, outcome)| evaluation_answer::ActiveModel {
                evaluation_id: Set(self.evaluation.to_string()),
                sample_seq: Set(*seq),
                key: Set(key.clone()),
                truth: Set(outcome.truth.clone()),
                value: Set(outcome.value.clone()),
                probability: Set(outcome.probability),
                truth_probability: Set(outcome.truth_probability),
                brier: Set(outcome.brier),
            })
            .collect();
        for rows in rows.chunks(ROWS_PER_INSERT) {
            evaluation_answer::Entity::insert_many(rows.to_vec()).exec_without_returning(tx).await?;
        }
        Ok(())
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
