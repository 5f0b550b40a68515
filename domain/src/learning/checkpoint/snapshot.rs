//! The labelled samples of a Judge at some moment: a watermark on the sequences of samples and of changes of ground
//! truths. Later changes are undone while reading. A change that was being committed at that moment may or may not
//! count.

use std::collections::{BTreeMap, HashMap};

use entity::{label, sample, sample_answer};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder,
    QuerySelect, QueryTrait, sea_query::Expr,
};
use serde_json::Value;

use crate::{
    Error, Result,
    foundation::database::Database,
    learning::{
        dataset::{
            SampleFilter,
            chunk::{READ, SampleSize, chunks},
        },
        sample::content_hash,
    },
};
use ports::id::{AccountId, JudgeId};

/// Samples listed at once.
const PAGE: u64 = 500;

/// The newest sample of a Judge, and the newest change of any ground truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Watermark {
    pub(crate) sample: i64,
    pub(crate) label: i64,
}

/// Which samples of a Judge are in a snapshot.
#[derive(Clone, Copy)]
pub(crate) struct SampleSnapshot<'a> {
    pub(crate) account: &'a AccountId,
    pub(crate) judge: &'a JudgeId,
    pub(crate) until: Watermark,
    pub(crate) filter: &'a SampleFilter,
}

/// A labelled sample before its state is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) seq: i64,
    /// Two independent halves of a hash of the state.
    pub(crate) hash: [u64; 2],
    /// Bytes of its state and its own instructions.
    pub(crate) bytes: i64,
    /// Ground truths by key.
    pub(crate) labels: BTreeMap<String, String>,
}

/// The labelled samples of a snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Contents {
    /// Newest first.
    pub(crate) samples: Vec<Content>,
    /// Whether there are more than wanted.
    pub(crate) more: bool,
}

#[derive(FromQueryResult)]
struct Listed {
    seq: i64,
    content_hash: String,
    /// 1 if it has instructions of its own; its hash covers them too.
    own: i32,
    bytes: i64,
}

/// The watermark of this moment.
pub(crate) async fn watermark(on: &impl ConnectionTrait, judge: &JudgeId) -> Result<Watermark> {
    let sample = sample::Entity::find()
        .select_only()
        .column(sample::Column::Seq)
        .filter(sample::Column::JudgeId.eq(judge.as_str()))
        .order_by_desc(sample::Column::Seq)
        .limit(1)
        .into_tuple::<i64>();
    let label = label::Entity::find()
        .select_only()
        .column(label::Column::Seq)
        .order_by_desc(label::Column::Seq)
        .limit(1)
        .into_tuple::<i64>();
    Ok(Watermark {
        sample: sample.one(on).await?.unwrap_or_default(),
        label: label.one(on).await?.unwrap_or_default(),
    })
}

/// Lists at most `most` samples of a snapshot, newest first, without their states.
pub(crate) async fn contents(db: &Database, snapshot: &SampleSnapshot<'_>, most: usize) -> Result<Contents> {
    let mut found = Contents::default();
    let mut below = snapshot.until.sample.saturating_add(1);
    loop {
        let page = listed(db, snapshot, below).await?;
        let Some(last) = page.last() else { return Ok(found) };
        below = last.seq;
        let mut labels = labels(db, snapshot.until, &page).await?;
        let page: Vec<Listed> = page.into_iter().filter(|row| labels.contains_key(&row.seq)).collect();
        let mut own = own_hashes(db, &page).await?;
        for row in page {
            if found.samples.len() == most {
                return Ok(Contents { more: true, ..found });
            }
            let Some(hash) = own.remove(&row.seq).or_else(|| halves(&row.content_hash)) else { continue };
            let labels = labels.remove(&row.seq).unwrap_or_default();
            found.samples.push(Content { seq: row.seq, hash, bytes: row.bytes, labels });
        }
    }
}

async fn listed(db: &Database, snapshot: &SampleSnapshot<'_>, below: i64) -> Result<Vec<Listed>> {
    use sample::Column;
    let SampleSnapshot { account, judge, until, filter } = snapshot;
    // Those whose last ground truth was cleared since.
    let cleared = label::Entity::find()
        .select_only()
        .column(label::Column::SampleSeq)
        .filter(label::Column::Seq.gt(until.label))
        .filter(label::Column::JudgeId.eq(judge.as_str()))
        .filter(label::Column::Previous.is_not_null())
        .into_query();
    let bytes = r#"CAST(OCTET_LENGTH("sample"."state") + COALESCE(OCTET_LENGTH("sample"."instructions"), 0)
                   AS BIGINT)"#;
    let rows = sample::Entity::find()
        .select_only()
        .columns([Column::Seq, Column::ContentHash])
        .expr_as(Expr::cust(r#"CASE WHEN "sample"."instructions" IS NULL THEN 0 ELSE 1 END"#), "own")
        .expr_as(Expr::cust(bytes), "bytes")
        .filter(Column::JudgeId.eq(judge.as_str()))
        .filter(Column::AccountId.eq(account.as_str()))
        .filter(Column::Seq.lt(below))
        .filter(Condition::any().add(Column::Labels.gt(0)).add(Column::Seq.in_subquery(cleared)))
        .filter(filter.condition())
        .order_by_desc(Column::Seq)
        .limit(PAGE)
        .into_model::<Listed>();
    Ok(db.in_time(rows.all(db.read())).await?)
}

/// The ground truths of listed samples; those without any are left out.
async fn labels(
    db: &Database,
    until: Watermark,
    page: &[Listed],
) -> Result<HashMap<i64, BTreeMap<String, String>>> {
    use sample_answer::Column;
    let seqs: Vec<i64> = page.iter().map(|row| row.seq).collect();
    let rows = sample_answer::Entity::find()
        .select_only()
        .columns([Column::SampleSeq, Column::Key, Column::Truth])
        .filter(Column::SampleSeq.is_in(seqs.iter().copied()))
        .filter(Column::Truth.is_not_null())
        .filter(Column::Kind.ne("text"))
        .into_tuple::<(i64, String, String)>();
    let mut labels: HashMap<i64, BTreeMap<String, String>> = HashMap::new();
    for (seq, key, truth) in db.in_time(rows.all(db.read())).await? {
        labels.entry(seq).or_default().insert(key, truth);
    }
    for ((seq, key), previous) in replaced(db, until, &seqs).await? {
        let of_sample = labels.entry(seq).or_default();
        match previous {
            Some(previous) => drop(of_sample.insert(key, previous)),
            None => drop(of_sample.remove(&key)),
        }
    }
    labels.retain(|_, of_sample| !of_sample.is_empty());
    Ok(labels)
}

/// What the first change of each ground truth since a watermark replaced, by sample and key.
async fn replaced(
    db: &Database,
    until: Watermark,
    seqs: &[i64],
) -> Result<HashMap<(i64, String), Option<String>>> {
    use label::Column;
    let rows = label::Entity::find()
        .select_only()
        .columns([Column::SampleSeq, Column::Key, Column::Previous])
        .filter(Column::SampleSeq.is_in(seqs.iter().copied()))
        .filter(Column::Seq.gt(until.label))
        .order_by_asc(Column::Seq)
        .into_tuple::<(i64, String, Option<String>)>();
    let mut replaced = HashMap::new();
    for (seq, key, previous) in db.in_time(rows.all(db.read())).await? {
        replaced.entry((seq, key)).or_insert(previous);
    }
    Ok(replaced)
}

/// The hashes of the states of samples that have instructions of their own.
async fn own_hashes(db: &Database, page: &[Listed]) -> Result<HashMap<i64, [u64; 2]>> {
    let mut hashes = HashMap::new();
    let own: Vec<&Listed> = page.iter().filter(|row| row.own == 1).collect();
    for chunk in chunks(&own, READ, |row| SampleSize { seq: row.seq, bytes: row.bytes }) {
        let rows = sample::Entity::find()
            .select_only()
            .columns([sample::Column::Seq, sample::Column::State])
            .filter(sample::Column::Seq.is_in(chunk.iter().map(|row| row.seq)))
            .into_tuple::<(i64, String)>();
        for (seq, state) in db.in_time(rows.all(db.read())).await? {
            let state: Value = serde_json::from_str(&state).map_err(Error::internal)?;
            hashes.extend(halves(&content_hash(&state, None)).map(|hash| (seq, hash)));
        }
    }
    Ok(hashes)
}

/// The first and the second 64 bits of a hash in hexadecimal.
fn halves(hash: &str) -> Option<[u64; 2]> {
    let first = u64::from_str_radix(hash.get(..16)?, 16).ok()?;
    let second = u64::from_str_radix(hash.get(16..32)?, 16).ok()?;
    Some([first, second])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_has_two_halves() {
        let hash = content_hash(&serde_json::json!("x"), None);
        let [first, second] = halves(&hash).unwrap();
        assert_ne!(first, second);
        assert_eq!(halves("ab"), None);
    }
}
