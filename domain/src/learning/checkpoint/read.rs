//! Reads labelled samples with their states, a few megabytes at a time.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use entity::sample;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};

use super::snapshot::Content;
use crate::{
    Code, Error, Result,
    foundation::database::Database,
    learning::{
        dataset::chunk::{READ, SampleSize, chunks},
        judge,
        owner::find_version,
    },
};
use ports::decision::{DecisionState, Question};
use ports::id::{AccountId, DatasetId, JudgeId};
use ports::training::TrainingLabel;

/// A labelled sample.
#[derive(Clone, Debug)]
pub(crate) struct LabelledSample {
    pub(crate) seq: i64,
    pub(crate) hash: u64,
    pub(crate) state: DecisionState,
    /// Only those whose question was found.
    pub(crate) labels: Vec<TrainingLabel>,
}

/// The questions of samples, by key.
type Asked = Arc<HashMap<String, Arc<Question>>>;

/// Samples that are still to be read, in some order.
pub(crate) struct Chunks {
    db: Database,
    account: AccountId,
    judge: JudgeId,
    groups: VecDeque<Vec<i64>>,
    contents: HashMap<i64, Content>,
    /// The questions of the versions read so far.
    versions: HashMap<i32, Asked>,
}

impl Chunks {
    pub(crate) fn new(db: &Database, account: &AccountId, judge: &JudgeId, contents: Vec<Content>) -> Self {
        let groups = chunks(&contents, READ, |content| SampleSize { seq: content.seq, bytes: content.bytes });
        let groups = groups.into_iter().map(|group| group.iter().map(|content| content.seq).collect());
        Self {
            db: db.clone(),
            account: account.clone(),
            judge: judge.clone(),
            groups: groups.collect(),
            contents: contents.into_iter().map(|content| (content.seq, content)).collect(),
            versions: HashMap::new(),
        }
    }

    /// The next samples, without those purged meanwhile; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Vec<LabelledSample>>> {
        let Some(group) = self.groups.pop_front() else { return Ok(None) };
        use sample::Column;
        let rows = sample::Entity::find()
            .select_only()
            .columns([Column::Seq, Column::State, Column::Instructions, Column::JudgeVersion])
            .filter(Column::AccountId.eq(self.account.as_str()))
            .filter(Column::Seq.is_in(group.iter().copied()))
            .into_tuple::<(i64, String, Option<String>, i32)>();
        let rows = self.db.in_time(rows.all(self.db.read())).await?;
        let mut samples = Vec::with_capacity(rows.len());
        for (seq, state, own, version) in rows {
            let Some(content) = self.contents.remove(&seq) else { continue };
            let asked = match own {
                Some(own) => by_key(judge::questions(&serde_json::from_str(&own).map_err(Error::internal)?)?),
                None => self.of_version(version).await?,
            };
            let state =
                DecisionState::parse("state", serde_json::from_str(&state).map_err(Error::internal)?)?;
            let labels = content.labels.into_iter().filter_map(|(key, value)| {
                let asked = asked.get(&key)?.clone();
                Some(TrainingLabel { asked, value })
            });
            samples.push(LabelledSample { seq, hash: content.hash[0], state, labels: labels.collect() });
        }
        // Training depends on the order of the group; the database may return another.
        let order: HashMap<i64, usize> = group.iter().enumerate().map(|(at, seq)| (*seq, at)).collect();
        samples.sort_unstable_by_key(|sample| order.get(&sample.seq).copied());
        Ok(Some(samples))
    }

    async fn of_version(&mut self, number: i32) -> Result<Asked> {
        if let Some(asked) = self.versions.get(&number) {
            return Ok(asked.clone());
        }
        let asked = match find_version(self.db.read(), &DatasetId::from(&self.judge), number).await {
            Ok(version) => by_key(version.questions()?),
            // The account is being erased.
            Err(error) if error.code == Code::NotFound => Asked::default(),
            Err(error) => return Err(error),
        };
        self.versions.insert(number, asked.clone());
        Ok(asked)
    }
}

fn by_key(questions: Vec<Question>) -> Asked {
    Arc::new(questions.into_iter().map(|question| (question.key.clone(), Arc::new(question))).collect())
}
