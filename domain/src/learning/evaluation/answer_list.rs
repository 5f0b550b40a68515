//! An evaluation's answers, sample by sample.

use std::collections::HashMap;

use entity::{evaluation_answer, sample};
use sea_orm::{
    ColumnTrait, EntityTrait, ExprTrait, PaginatorTrait, QueryFilter, QuerySelect, Select, sea_query::Expr,
};

use super::evaluations::Evaluations;
use crate::{
    Result,
    foundation::{
        database::Database,
        page::{Page, Slice, slice},
    },
};
use ports::id::{AccountId, EvaluationId, SampleId};

/// An answer of an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct EvaluationAnswer {
    pub position: AnswerPosition,
    /// `None` if the sample was purged since.
    pub sample: Option<SampleId>,
    pub key: String,
    pub truth: String,
    /// `None` for an abstention.
    pub answer: Option<String>,
    /// The probability of the answer.
    pub probability: Option<f64>,
    /// The probability of the ground truth.
    pub truth_probability: Option<f64>,
    /// Whether the Checkpoint was trained on the sample.
    pub trained: bool,
}

/// The position of an answer among all of an evaluation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AnswerPosition {
    pub seq: i64,
    pub key: String,
}

/// Selects answers of an evaluation; a field that is `None` does not filter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct EvaluationAnswerFilter {
    pub key: Option<String>,
    pub truth: Option<String>,
    pub answer: Option<String>,
    pub agrees: Option<bool>,
    pub abstained: Option<bool>,
    pub trained: Option<bool>,
}

impl EvaluationAnswerFilter {
    /// Whether it selects nothing: PostgreSQL refuses a text with a NUL, which no answer has.
    fn is_empty(&self) -> bool {
        [&self.key, &self.truth, &self.answer].into_iter().flatten().any(|text| text.contains('\0'))
    }

    fn select(&self, id: &EvaluationId) -> Select<evaluation_answer::Entity> {
        use evaluation_answer::Column;
        let answered = Column::Probability.is_not_null();
        let agrees = Expr::col(Column::Value).eq(Expr::col(Column::Truth)).and(answered.clone());
        let mut select = evaluation_answer::Entity::find().filter(Column::EvaluationId.eq(id.as_str()));
        if let Some(key) = &self.key {
            select = select.filter(Column::Key.eq(key.as_str()));
        }
        if let Some(truth) = &self.truth {
            select = select.filter(Column::Truth.eq(truth.as_str()));
        }
        if let Some(answer) = &self.answer {
            select = select.filter(Column::Value.eq(answer.as_str())).filter(answered.clone());
        }
        match self.agrees {
            Some(true) => select = select.filter(agrees),
            Some(false) => select = select.filter(Column::Value.is_null().or(agrees.not())),
            None => {}
        }
        match self.abstained {
            Some(true) => select = select.filter(Column::Probability.is_null()),
            Some(false) => select = select.filter(answered),
            None => {}
        }
        if let Some(trained) = self.trained {
            select = select.filter(Column::Trained.eq(trained));
        }
        select
    }
}

impl Evaluations {
    /// A page of an evaluation's answers, by sample and key.
    ///
    /// # Errors
    /// `NOT_FOUND` without the evaluation.
    pub async fn answers(
        &self,
        account: &AccountId,
        id: &EvaluationId,
        filter: &EvaluationAnswerFilter,
        page: Page<AnswerPosition>,
    ) -> Result<Slice<EvaluationAnswer>> {
        use evaluation_answer::Column;
        let evaluation = self.find(account, id).await?;
        if filter.is_empty() {
            return Ok(page.cut(Vec::new()));
        }
        let db = &self.paid.db;
        let page = Page {
            after: page.after.map(|at| (at.seq, at.key)),
            before: page.before.map(|at| (at.seq, at.key)),
            take: page.take,
        };
        let select = filter.select(&evaluation.id);
        let rows = slice(select, (Column::SampleSeq, Column::Key), false, page, db.read());
        let rows: Slice<evaluation_answer::Model> = db.in_time(rows).await?;
        let seqs = rows.items.iter().map(|row| row.sample_seq);
        let ids = sample_ids(db, account, seqs).await?;
        Ok(rows.map(|row| EvaluationAnswer {
            sample: ids.get(&row.sample_seq).cloned(),
            position: AnswerPosition { seq: row.sample_seq, key: row.key.clone() },
            key: row.key,
            truth: row.truth,
            answer: row.probability.and(row.value),
            probability: row.probability,
            truth_probability: row.truth_probability,
            trained: row.trained,
        }))
    }

    /// Counts an evaluation's answers.
    ///
    /// # Errors
    /// `NOT_FOUND` without the evaluation.
    pub async fn answer_count(
        &self,
        account: &AccountId,
        id: &EvaluationId,
        filter: &EvaluationAnswerFilter,
    ) -> Result<u64> {
        let evaluation = self.find(account, id).await?;
        if filter.is_empty() {
            return Ok(0);
        }
        let counted = filter.select(&evaluation.id).count(self.paid.db.read());
        Ok(self.paid.db.in_time(counted).await?)
    }
}

/// The ids of samples of an account, by `seq`; those that were purged are left out.
pub(super) async fn sample_ids(
    db: &Database,
    account: &AccountId,
    seqs: impl Iterator<Item = i64>,
) -> Result<HashMap<i64, SampleId>> {
    let rows = sample::Entity::find()
        .select_only()
        .columns([sample::Column::Seq, sample::Column::Id])
        .filter(sample::Column::AccountId.eq(account.as_str()))
        .filter(sample::Column::Seq.is_in(seqs))
        .into_tuple::<(i64, String)>();
    let found = db.in_time(rows.all(db.read())).await?;
    Ok(found.into_iter().map(|(seq, id)| (seq, SampleId::from(id))).collect())
}
