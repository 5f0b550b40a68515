//! Compares staged samples with the dataset. A line whose content exists is a duplicate; if it brings a ground
//! truth that is missing, it labels the newest sample with that content that can have it.

use std::collections::{BTreeSet, HashMap, HashSet};

use entity::sample_answer;
use sea_orm::{ConnectionTrait, FromQueryResult, Statement};
use serde_json::Value;

use super::{
    Imported,
    stage::{Staged, StagedSample, column_value, has_no_truth},
    validate::{Target, parse_ground_truth},
};
use crate::{
    Result,
    learning::{
        dataset::{VersionKey, instructions, questions::QuestionRef},
        owner,
    },
};
use ports::decision::Question;

/// Content hashes per query.
const HASHES_PER_QUERY: usize = 1_000;

/// The rows that an import will write.
pub(super) struct Plan {
    pub(super) target: Target,
    /// New samples.
    pub(super) new: Vec<StagedSample>,
    /// Ground truths for existing samples.
    pub(super) labels: Vec<Label>,
    pub(super) counts: Imported,
}

/// A ground truth for an existing sample.
pub(super) struct Label {
    pub(super) seq: i64,
    pub(super) key: String,
    pub(super) question: QuestionRef,
    pub(super) value: String,
}

/// The samples with the same content: each version with its newest `seq`, the newest first.
type SameContent = Vec<(i32, i64)>;

/// Plans the import of staged samples.
pub(super) async fn plan(on: &impl ConnectionTrait, staged: Staged) -> Result<Plan> {
    let Staged { target, rows, lines, labelled, duplicates } = staged;
    let counts = Imported { lines, imported: 0, labelled, duplicates };
    let mut plan = Plan { target, new: Vec::with_capacity(rows.len()), labels: Vec::new(), counts };
    let mut versions: HashMap<i32, Vec<Question>> = HashMap::new();
    let mut rows = rows.into_iter();
    loop {
        let rows: Vec<StagedSample> = rows.by_ref().take(HASHES_PER_QUERY).collect();
        if rows.is_empty() {
            return Ok(plan);
        }
        let hashes: Vec<&str> = rows.iter().map(|row| row.hash.as_str()).collect();
        let same = find_same_content(on, &plan.target, &hashes).await?;
        let labelled =
            if same.is_empty() { HashSet::new() } else { labelled_keys(on, &plan.target, &same).await? };
        let used: BTreeSet<i32> = same.values().flatten().map(|(version, _)| *version).collect();
        read_versions(on, &plan.target, used, &mut versions).await?;
        for row in rows {
            plan.add(row, &same, &labelled, &versions);
        }
    }
}

impl Plan {
    fn add(
        &mut self,
        row: StagedSample,
        same: &HashMap<String, SameContent>,
        labelled: &HashSet<(String, String)>,
        versions: &HashMap<i32, Vec<Question>>,
    ) {
        let Some(same) = same.get(&row.hash) else {
            self.new.push(row);
            self.counts.imported += 1;
            return;
        };
        let mut labels = Vec::new();
        for answer in row.answers.iter().filter(|answer| !has_no_truth(answer)) {
            let key = answer.key.try_as_ref().cloned().unwrap_or_default();
            let of_this = (row.hash.clone(), key);
            if labelled.contains(&of_this) {
                continue;
            }
            let said = column_value(&answer.truth).unwrap_or_default();
            let labelled =
                same.iter().find(|(version, _)| row.own || accepts(versions.get(version), &of_this.1, said));
            let Some((_, seq)) = labelled else {
                // No existing sample has this question: the line becomes a new sample.
                self.new.push(row);
                self.counts.imported += 1;
                return;
            };
            labels.push(Label {
                seq: *seq,
                question: question_ref(answer),
                value: said.to_owned(),
                key: of_this.1,
            });
        }
        let count = if labels.is_empty() { &mut self.counts.duplicates } else { &mut self.counts.labelled };
        *count += 1;
        self.labels.extend(labels);
    }
}

/// The question, as an answer row names it.
fn question_ref(answer: &sample_answer::ActiveModel) -> QuestionRef {
    let kind = answer.kind.try_as_ref().map(String::as_str);
    QuestionRef {
        kind: ["score", "noul"].into_iter().find(|known| kind == Some(known)).unwrap_or("choice"),
        position: answer.position.try_as_ref().copied().unwrap_or_default(),
    }
}

/// Checks that a version has the question and that the value is one of its values.
fn accepts(questions: Option<&Vec<Question>>, key: &str, said: &str) -> bool {
    let question = questions.and_then(|questions| questions.iter().find(|question| question.key == key));
    question.is_some_and(|question| parse_ground_truth(&question.kind, &Value::from(said)).is_ok())
}

/// Finds the samples with the same content, by content hash.
async fn find_same_content(
    db: &impl ConnectionTrait,
    target: &Target,
    hashes: &[&str],
) -> Result<HashMap<String, SameContent>> {
    #[derive(FromQueryResult)]
    struct Newest {
        content_hash: String,
        judge_version: i32,
        seq: i64,
    }
    let statement = by_contents(
        db,
        target,
        hashes,
        "SELECT s.content_hash, s.judge_version, MAX(s.seq) AS seq FROM {contents} \
         JOIN sample s ON s.judge_id = $1 AND s.content_hash = content.column1 \
         GROUP BY s.content_hash, s.judge_version",
    );
    let mut same: HashMap<String, SameContent> = HashMap::new();
    for Newest { content_hash, judge_version, seq } in Newest::find_by_statement(statement).all(db).await? {
        same.entry(content_hash).or_default().push((judge_version, seq));
    }
    same.values_mut().for_each(|same| same.sort_unstable_by_key(|(_, seq)| -seq));
    Ok(same)
}

/// Returns which contents have a ground truth under which key, or cannot have one because the answer is free text.
async fn labelled_keys(
    db: &impl ConnectionTrait,
    target: &Target,
    same: &HashMap<String, SameContent>,
) -> Result<HashSet<(String, String)>> {
    #[derive(FromQueryResult)]
    struct Labelled {
        content_hash: String,
        key: String,
    }
    let hashes: Vec<&str> = same.keys().map(String::as_str).collect();
    let statement = by_contents(
        db,
        target,
        &hashes,
        "SELECT DISTINCT s.content_hash, a.key FROM {contents} \
         JOIN sample s ON s.judge_id = $1 AND s.content_hash = content.column1 \
         JOIN sample_answer a ON a.sample_seq = s.seq WHERE a.truth IS NOT NULL OR a.kind = 'text'",
    );
    let found = Labelled::find_by_statement(statement).all(db).await?;
    Ok(found.into_iter().map(|row| (row.content_hash, row.key)).collect())
}

/// Builds a statement about a dataset and contents: `$1` is the dataset, `{contents}` the list of hashes, and
/// `content.column1` a hash (both databases use that name). The list is joined, since PostgreSQL compares every sample
/// of the dataset with each value of an `IN`.
fn by_contents(db: &impl ConnectionTrait, target: &Target, hashes: &[&str], sql: &str) -> Statement {
    let rows: Vec<String> = (2..hashes.len() + 2).map(|n| format!("(CAST(${n} AS TEXT))")).collect();
    let values = std::iter::once(target.dataset.as_str()).chain(hashes.iter().copied());
    let sql = sql.replace("{contents}", &format!("(VALUES {}) AS content", rows.join(", ")));
    Statement::from_sql_and_values(db.get_database_backend(), sql, values.map(sea_orm::Value::from))
}

async fn read_versions(
    on: &impl ConnectionTrait,
    target: &Target,
    used: BTreeSet<i32>,
    versions: &mut HashMap<i32, Vec<Question>>,
) -> Result<()> {
    let unread: Vec<VersionKey> = used
        .into_iter()
        .filter(|version| !versions.contains_key(version))
        .map(|version| (target.dataset.clone(), version))
        .collect();
    for ((_, version), instructions) in instructions::read(on, &target.actor.account, &unread).await? {
        versions.insert(version, owner::questions(&instructions)?);
    }
    Ok(())
}
