//! The samples of an export, chosen when it begins, and their rows in pages limited in number and bytes. A sample
//! recorded later is not exported; one that is changed or purged meanwhile is exported as it is when its page is
//! read.

use std::collections::{HashMap, VecDeque};

use entity::{sample, sample_answer};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Statement,
};

use super::ExportFormat;
use crate::{
    Error, Result,
    foundation::database::Database,
    learning::{
        dataset::{
            Datasets, SampleQuery,
            chunk::{READ, SampleSize, chunks},
            page::matching,
        },
        owner::DatasetOwner,
        sample::stored_bytes,
    },
};
use ports::id::{AccountId, DatasetId};

/// Maximum keys with columns in a CSV file.
const MAX_CSV_KEYS: usize = 500;

/// A sample with its answers, as stored.
pub(super) struct ExportedSample {
    pub(super) sample: sample::Model,
    pub(super) answers: Vec<sample_answer::Model>,
}

/// The samples of one dataset that an export contains.
#[derive(Clone, Debug)]
pub struct Snapshot {
    db: Database,
    account: AccountId,
    dataset: DatasetId,
    query: SampleQuery,
    format: ExportFormat,
    last: i64,
    keys: Vec<String>,
}

impl Datasets {
    /// Chooses the samples to export: those samples of `dataset` that exist now and match `query`.
    ///
    /// # Errors
    /// `NOT_FOUND` when the account has no such dataset; `VALIDATION_FAILED` for a CSV file with too many columns.
    pub async fn export(
        &self,
        account: &AccountId,
        dataset: &DatasetId,
        query: SampleQuery,
        format: ExportFormat,
    ) -> Result<Snapshot> {
        let db = self.db.clone();
        let owner = self.find_owner(account, dataset).await?;
        let last = sample::Entity::find()
            .select_only()
            .column(sample::Column::Seq)
            .filter(sample::Column::JudgeId.eq(dataset.as_str()))
            .order_by_desc(sample::Column::Seq)
            .into_tuple::<i64>();
        let last = db.in_time(last.one(db.read())).await?.unwrap_or_default();
        let keys = if format == ExportFormat::Csv { keys(&db, &owner).await? } else { Vec::new() };
        Ok(Snapshot { db, account: account.clone(), dataset: dataset.clone(), query, format, last, keys })
    }
}

impl Snapshot {
    pub fn format(&self) -> ExportFormat {
        self.format
    }

    /// The suggested file name.
    pub fn file_name(&self) -> String {
        format!("{}.{}", self.dataset, self.format)
    }

    /// The keys that get columns in a CSV file, in column order.
    pub(super) fn keys(&self) -> &[String] {
        &self.keys
    }

    /// The pages, from the first.
    pub(super) fn pages(self) -> SnapshotPages {
        SnapshotPages { of: self, after: 0, listed: VecDeque::new(), ended: false }
    }
}

/// A cursor over the samples of a snapshot.
pub(super) struct SnapshotPages {
    of: Snapshot,
    after: i64,
    /// The samples of the next pages.
    listed: VecDeque<Vec<i64>>,
    ended: bool,
}

impl SnapshotPages {
    /// Returns the next rows, ordered by `seq`; `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<ExportedSample>>> {
        loop {
            if self.listed.is_empty() && !self.ended {
                self.list().await?;
            }
            let Some(seqs) = self.listed.pop_front() else { return Ok(None) };
            let rows = read(&self.of.db, &seqs).await?;
            // All of them may have been purged meanwhile.
            if !rows.is_empty() {
                return Ok(Some(rows));
            }
        }
    }

    /// Lists the samples that come next, by pages.
    async fn list(&mut self) -> Result<()> {
        use sample::Column;
        let Snapshot { db, account, dataset, query, last, .. } = &self.of;
        let query = matching(db, account, dataset, query)
            .select_only()
            .column(Column::Seq)
            .expr_as(stored_bytes(Condition::all()), "bytes")
            .filter(Column::Seq.gt(self.after))
            .filter(Column::Seq.lte(*last))
            .order_by_asc(Column::Seq)
            .limit(READ.samples as u64)
            .into_model::<SampleSize>();
        let found = db.in_time(query.all(db.read())).await?;
        self.ended = found.len() < READ.samples;
        self.after = found.last().map_or(self.after, |last| last.seq);
        let pages = chunks(&found, READ, |size| *size).into_iter();
        self.listed = pages.map(|page| page.iter().map(|size| size.seq).collect()).collect();
        Ok(())
    }
}

async fn read(db: &Database, seqs: &[i64]) -> Result<Vec<ExportedSample>> {
    use sample_answer::Column;
    let samples = sample::Entity::find().filter(sample::Column::Seq.is_in(seqs.iter().copied()));
    let samples = samples.order_by_asc(sample::Column::Seq);
    let samples = db.in_time(samples.all(db.read())).await?;
    let answers = sample_answer::Entity::find()
        .filter(Column::SampleSeq.is_in(seqs.iter().copied()))
        .order_by_asc(Column::SampleSeq)
        .order_by_asc(Column::Position)
        .order_by_asc(Column::Key);
    let mut by_sample: HashMap<i64, Vec<sample_answer::Model>> = HashMap::with_capacity(seqs.len());
    for answer in db.in_time(answers.all(db.read())).await? {
        by_sample.entry(answer.sample_seq).or_default().push(answer);
    }
    let mut rows = Vec::with_capacity(samples.len());
    for sample in samples {
        let answers = by_sample.remove(&sample.seq).unwrap_or_default();
        rows.push(ExportedSample { sample, answers });
    }
    Ok(rows)
}

/// Returns every key that any sample of a dataset has, so that exports of different times or filters have the same
/// columns: the keys of its instructions first, then the others by name. Each key is one step in the index, however
/// many samples there are.
async fn keys(db: &Database, owner: &DatasetOwner) -> Result<Vec<String>> {
    const NEXT: &str =
        "SELECT key FROM sample_answer WHERE judge_id = $1 AND key > $2 ORDER BY judge_id, key LIMIT 1";
    let id = owner.id();
    let mut used = Vec::new();
    let mut after = String::new();
    let backend = db.read().get_database_backend();
    loop {
        let values = [id.as_str().into(), after.as_str().into()];
        let next = Statement::from_sql_and_values(backend, NEXT, values);
        let Some(row) = db.in_time(db.read().query_one_raw(next)).await? else { break };
        after = row.try_get("", "key")?;
        used.push(after.clone());
        if used.len() > MAX_CSV_KEYS {
            let message = format!(
                "must be one of: jsonl, parquet; the samples have more than {MAX_CSV_KEYS} different keys, too many \
                 for columns"
            );
            return Err(Error::invalid("format", message));
        }
    }
    let mut keys: Vec<String> =
        owner.version().questions()?.into_iter().map(|question| question.key).collect();
    used.retain(|key| !keys.contains(key));
    keys.extend(used);
    Ok(keys)
}
