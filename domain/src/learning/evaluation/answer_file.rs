//! An evaluation's answers as a file, written page by page.

use std::collections::HashMap;

use bytes::Bytes;
use entity::sample;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use serde_json::{Value, json};
use strum::{Display, EnumString, IntoStaticStr, VariantArray};

use super::{
    answer_list::{AnswerPosition, EvaluationAnswer, EvaluationAnswerFilter},
    evaluations::Evaluations,
};
use crate::{
    Error, Result,
    foundation::page::{Page, Take},
    learning::dataset::export::{encode_state, encode_text, format_number},
};
use ports::id::{AccountId, EvaluationId};

/// Answers read at once. Few, since each may come with a large state.
const PAGE: u64 = 32;
const COLUMNS: [&str; 8] = [
    "sample_id",
    "state",
    "key",
    "ground_truth",
    "answer",
    "probability",
    "ground_truth_probability",
    "trained",
];

/// The format of a file of answers. Its text is the name on the wire and the file extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum AnswerFormat {
    /// One JSON object per line.
    Jsonl,
    /// One row per line, with a header.
    Csv,
}

/// A file of answers, read piece by piece.
pub struct AnswerFile {
    evaluations: Evaluations,
    account: AccountId,
    id: EvaluationId,
    filter: EvaluationAnswerFilter,
    format: AnswerFormat,
    header_written: bool,
    after: Option<AnswerPosition>,
    ended: bool,
}

/// Selects the answers of a file, and its format.
#[derive(Clone, Debug)]
pub struct AnswerExport {
    pub format: AnswerFormat,
    pub filter: EvaluationAnswerFilter,
}

impl Evaluations {
    /// The answers that an evaluation has now, as a file.
    ///
    /// # Errors
    /// `NOT_FOUND` without the evaluation.
    pub async fn export_answers(
        &self,
        account: &AccountId,
        id: &EvaluationId,
        export: AnswerExport,
    ) -> Result<AnswerFile> {
        let AnswerExport { format, filter } = export;
        let found = self.find(account, id).await?;
        Ok(AnswerFile {
            evaluations: self.clone(),
            account: account.clone(),
            id: found.id,
            filter,
            format,
            header_written: false,
            after: None,
            ended: false,
        })
    }
}

impl AnswerFile {
    /// The suggested file name.
    pub fn file_name(&self) -> String {
        format!("{}.{}", self.id, self.format)
    }

    /// The next lines; none at the end.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn next(&mut self) -> Result<Option<Bytes>> {
        if self.ended {
            return Ok(None);
        }
        let page = Page { after: self.after.take(), before: None, take: Take::First(PAGE) };
        let found = self.evaluations.answers(&self.account, &self.id, &self.filter, page).await?;
        self.ended = !found.has_next;
        self.after = found.items.last().map(|last| last.position.clone());
        let states = self.states(&found.items).await?;
        let rows =
            found.items.iter().map(|answer| AnswerRow { answer, state: states.get(&answer.position.seq) });
        let lines = match self.format {
            AnswerFormat::Jsonl => json_lines(rows),
            AnswerFormat::Csv => csv_lines(rows, !std::mem::replace(&mut self.header_written, true))?,
        };
        Ok((!lines.is_empty()).then(|| Bytes::from(lines)))
    }

    /// The states of the answers' samples, JSON.
    async fn states(&self, answers: &[EvaluationAnswer]) -> Result<HashMap<i64, String>> {
        let db = &self.evaluations.paid.db;
        let rows = sample::Entity::find()
            .select_only()
            .columns([sample::Column::Seq, sample::Column::State])
            .filter(sample::Column::AccountId.eq(self.account.as_str()))
            .filter(sample::Column::Seq.is_in(answers.iter().map(|answer| answer.position.seq)))
            .into_tuple::<(i64, String)>();
        Ok(db.in_time(rows.all(db.read())).await?.into_iter().collect())
    }
}

struct AnswerRow<'a> {
    answer: &'a EvaluationAnswer,
    /// `None` if the sample was purged.
    state: Option<&'a String>,
}

fn json_lines<'a>(rows: impl Iterator<Item = AnswerRow<'a>>) -> Vec<u8> {
    let mut lines = String::new();
    for AnswerRow { answer, state } in rows {
        let state: Option<Value> = state.and_then(|state| serde_json::from_str(state).ok());
        let line = json!({
            "sample_id": answer.sample,
            "state": state,
            "key": answer.key,
            "ground_truth": answer.truth,
            "answer": answer.answer,
            "probability": answer.probability,
            "ground_truth_probability": answer.truth_probability,
            "trained": answer.trained,
        });
        lines.push_str(&line.to_string());
        lines.push('\n');
    }
    lines.into_bytes()
}

fn csv_lines<'a>(rows: impl Iterator<Item = AnswerRow<'a>>, header: bool) -> Result<Vec<u8>> {
    let mut csv = csv::WriterBuilder::new().from_writer(Vec::new());
    if header {
        csv.write_record(COLUMNS).map_err(Error::internal)?;
    }
    for AnswerRow { answer, state } in rows {
        let state = state.map(|state| encode_state(state)).transpose().map_err(Error::internal)?;
        let cells = [
            answer.sample.as_ref().map(ToString::to_string).unwrap_or_default(),
            state.unwrap_or_default(),
            encode_text(&answer.key).into_owned(),
            encode_text(&answer.truth).into_owned(),
            answer.answer.as_deref().map(|text| encode_text(text).into_owned()).unwrap_or_default(),
            format_number(answer.probability),
            format_number(answer.truth_probability),
            answer.trained.to_string(),
        ];
        csv.write_record(cells).map_err(Error::internal)?;
    }
    csv.into_inner().map_err(Error::internal)
}
