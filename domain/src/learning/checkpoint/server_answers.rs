//! What servers answered to labelled samples, as it was before a Checkpoint corrected it.

use std::collections::HashMap;

use entity::{sample, sample_answer};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use serde_json::{Map, Value};

use super::snapshot::Content;
use crate::{
    Error, Result,
    foundation::database::Database,
    learning::owner::find_version,
    operations::inference::{Recalibration, read_recalibrations},
};
use ports::decision::{Parameters, Question};
use ports::id::{CheckpointId, DatasetId, JudgeId};

/// Samples read at once.
const PAGE: usize = 500;
/// Maximum probabilities in memory, 16 MB; the newest samples count.
const MAX_PROBABILITIES: usize = 2_000_000;

/// The answer of a server to one question of a labelled sample.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ServerAnswer {
    /// `seq` of the sample.
    pub(super) seq: i64,
    /// The first half of the content's hash.
    pub(super) hash: u64,
    /// The server and its model, such as `ollama/qwen3:8b`.
    pub(super) server_model: String,
    /// The question, by index.
    pub(super) question: usize,
    /// The probability of each value, in the question's order.
    pub(super) probabilities: Vec<f64>,
    /// The ground truth: an index into the values.
    pub(super) truth: usize,
}

/// Reads the answers of servers to samples that were asked these very questions, oldest first. `contents` are in the
/// order of their samples.
///
/// # Errors
/// `INTERNAL_ERROR` when the database does not answer.
pub(super) async fn read(
    db: &Database,
    judge: &JudgeId,
    questions: &[Question],
    contents: &[Content],
) -> Result<Vec<ServerAnswer>> {
    let mut reader = Reader { db, judge, questions, versions: HashMap::new(), corrections: HashMap::new() };
    let mut answers: Vec<ServerAnswer> = Vec::new();
    let mut probabilities = 0;
    for page in contents.rchunks(PAGE) {
        let of_page = reader.page(page).await?;
        probabilities += of_page.iter().map(|answer| answer.probabilities.len()).sum::<usize>();
        answers.extend(of_page);
        if probabilities > MAX_PROBABILITIES {
            break;
        }
    }
    answers.sort_by_key(|answer| answer.seq);
    Ok(answers)
}

struct Reader<'a> {
    db: &'a Database,
    judge: &'a JudgeId,
    questions: &'a [Question],
    versions: HashMap<i32, AskedVersion>,
    /// By Checkpoint.
    corrections: HashMap<String, Vec<Recalibration>>,
}

/// What a version of the Judge asked.
#[derive(Clone, Default)]
struct AskedVersion {
    /// Whether it asked each of the questions as it is now.
    same: Vec<bool>,
    temperature: f64,
}

/// How the answers of a sample were made.
struct AnsweredSample {
    version: AskedVersion,
    checkpoint: Option<String>,
}

impl Reader<'_> {
    async fn page(&mut self, contents: &[Content]) -> Result<Vec<ServerAnswer>> {
        use sample_answer::Column;
        let rows = sample_answer::Entity::find()
            .select_only()
            .columns([Column::SampleSeq, Column::Key, Column::ServerModel, Column::Probabilities])
            .filter(Column::SampleSeq.is_in(contents.iter().map(|content| content.seq)))
            .filter(Column::ServerModel.is_not_null())
            .filter(Column::Probabilities.is_not_null())
            .into_tuple::<(i64, String, String, String)>();
        let rows = self.db.in_time(rows.all(self.db.read())).await?;
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let samples = self.samples(rows.iter().map(|(seq, ..)| *seq)).await?;
        let contents: HashMap<i64, &Content> =
            contents.iter().map(|content| (content.seq, content)).collect();
        let answers = rows.into_iter().filter_map(|(seq, key, server_model, probabilities)| {
            let content = contents.get(&seq)?;
            let sample = samples.get(&seq)?;
            let question = self.questions.iter().position(|question| question.key == key)?;
            if !sample.version.same.get(question).copied().unwrap_or_default() {
                return None;
            }
            let values = self.questions[question].kind.values();
            let truth = content.labels.get(&key)?;
            let truth = values.iter().position(|value| value == truth)?;
            let mut probabilities = numbers(&probabilities, &values)?;
            undo_temperature(&mut probabilities, sample.version.temperature);
            let corrections = sample.checkpoint.as_ref().and_then(|id| self.corrections.get(id));
            let mut corrections = corrections.into_iter().flatten();
            // The question is the same, so that its key is enough.
            let correction = corrections.find(|one| one.key == key && one.server_model == server_model);
            if let Some(correction) = correction {
                correction.undo(&values, &mut probabilities);
            }
            Some(ServerAnswer { seq, hash: content.hash[0], server_model, question, probabilities, truth })
        });
        Ok(answers.collect())
    }

    /// How samples were answered that had the Judge's own instructions.
    async fn samples(&mut self, seqs: impl Iterator<Item = i64>) -> Result<HashMap<i64, AnsweredSample>> {
        use sample::Column;
        let rows = sample::Entity::find()
            .select_only()
            .columns([Column::Seq, Column::JudgeVersion, Column::CheckpointId])
            .filter(Column::Seq.is_in(seqs))
            .filter(Column::Instructions.is_null())
            .into_tuple::<(i64, i32, Option<String>)>();
        let mut samples = HashMap::new();
        for (seq, version, checkpoint) in self.db.in_time(rows.all(self.db.read())).await? {
            let version = self.version(version).await?;
            if let Some(id) = &checkpoint {
                self.read_corrections(id).await?;
            }
            samples.insert(seq, AnsweredSample { version, checkpoint });
        }
        Ok(samples)
    }

    async fn version(&mut self, number: i32) -> Result<AskedVersion> {
        if let Some(version) = self.versions.get(&number) {
            return Ok(version.clone());
        }
        let version = find_version(self.db.read(), &DatasetId::from(self.judge), number).await?;
        let asked = version.questions()?;
        let same = self.questions.iter().map(|question| asked.contains(question)).collect();
        let temperature = Parameters::parse(&version.parameters).map_err(Error::from)?.temperature;
        let version = AskedVersion { same, temperature };
        self.versions.insert(number, version.clone());
        Ok(version)
    }

    async fn read_corrections(&mut self, id: &str) -> Result<()> {
        if self.corrections.contains_key(id) {
            return Ok(());
        }
        let stored = read_recalibrations(self.db, &CheckpointId::from(id.to_owned())).await?;
        self.corrections.insert(id.to_owned(), stored.recalibrations);
        Ok(())
    }
}

/// The probabilities of values; none unless they are those of exactly these values.
fn numbers(json: &str, values: &[String]) -> Option<Vec<f64>> {
    let all: Map<String, Value> = serde_json::from_str(json).ok()?;
    let numbers: Option<Vec<f64>> = values.iter().map(|value| all.get(value)?.as_f64()).collect();
    numbers.filter(|numbers| all.len() == numbers.len() && numbers.iter().sum::<f64>() > 0.0)
}

/// Undoes the temperature of a Judge's parameters, which is applied last.
fn undo_temperature(probabilities: &mut [f64], temperature: f64) {
    if temperature == 1.0 {
        return;
    }
    let raised: Vec<f64> = probabilities.iter().map(|p| p.powf(temperature)).collect();
    let sum: f64 = raised.iter().sum();
    if sum > 0.0 {
        probabilities.iter_mut().zip(raised).for_each(|(p, raised)| *p = raised / sum);
    }
}
