//! Random samples from a seed, as a service would record and import them: with abstentions, text answers,
//! imports without answers, several versions, awkward names, and times around midnight UTC.

use chrono::{DateTime, Duration, Utc};
use sea_orm::{ConnectionTrait, DbBackend, Statement, Value};
use serde_json::{Map, json};

use crate::harness::Db;

/// A sample to be inserted.
pub(super) struct Made {
    pub(super) judge: String,
    pub(super) version: i32,
    pub(super) source: &'static str,
    pub(super) at: DateTime<Utc>,
    pub(super) latency: Option<f64>,
    pub(super) milli_credits: i64,
    pub(super) answers: Vec<MadeAnswer>,
}

/// The answer to one key of a sample.
pub(super) struct MadeAnswer {
    pub(super) key: &'static str,
    pub(super) kind: &'static str,
    pub(super) value: Option<String>,
    pub(super) abstained: bool,
    /// Empty without an answer or with a text answer.
    pub(super) probabilities: Vec<(String, f64)>,
    pub(super) truth: Option<String>,
}

/// The questions of the Judge. Version 3 added the last choice.
pub(super) const QUESTIONS: [MadeQuestion; 4] = [
    MadeQuestion {
        key: "team",
        kind: "choice",
        values: &["billing", "it's \"odd\"", "🙂\u{301}", "__proto__", "$.a[0]", "back\\slash"],
    },
    MadeQuestion { key: "urgent?", kind: "noul", values: &["true", "false"] },
    MadeQuestion { key: "level.of[\"x\"]", kind: "score", values: &["0", "1", "2", "3"] },
    MadeQuestion { key: "words", kind: "text", values: &[] },
];

pub(super) struct MadeQuestion {
    pub(super) key: &'static str,
    pub(super) kind: &'static str,
    pub(super) values: &'static [&'static str],
}

impl Made {
    /// Whether any key has a ground truth.
    pub(super) fn labelled(&self) -> bool {
        self.answers.iter().any(|answer| answer.truth.is_some())
    }
}

impl MadeAnswer {
    /// The probability of the answer, unless it abstains.
    pub(super) fn probability(&self) -> Option<f64> {
        let value = self.value.as_ref().filter(|_| !self.abstained)?;
        self.p(value)
    }

    /// The probability of a value.
    pub(super) fn p(&self, value: &str) -> Option<f64> {
        self.probabilities.iter().find(|(name, _)| name == value).map(|(_, p)| *p)
    }
}

/// A small random number generator (splitmix64), so that failures are reproducible.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn chance(&mut self, of: f64) -> bool {
        self.share() < of
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    /// Random samples of a Judge.
    pub(super) fn samples(&mut self, judge: &str, count: usize) -> Vec<Made> {
        (0..count).map(|_| self.sample(judge)).collect()
    }

    fn sample(&mut self, judge: &str) -> Made {
        let import = self.chance(0.2);
        let version = 1 + self.below(3) as i32;
        let answers = QUESTIONS.iter().filter(|_| self.chance(0.8)).collect::<Vec<_>>();
        let answers = answers.into_iter().map(|question| {
            let empty = import && self.chance(0.5);
            self.answer(question, version, empty)
        });
        let answers = answers.collect();
        let latency =
            [0.5, 12.25, 100.0][self.below(3)] + if self.chance(0.5) { self.share() * 50.0 } else { 0.0 };
        Made {
            judge: judge.to_owned(),
            version,
            source: if import { "import" } else { "inference" },
            at: self.time(),
            latency: if import { None } else { Some(latency) },
            milli_credits: if import { 0 } else { 500 + self.below(3) as i64 },
            answers,
        }
    }

    /// A time within a few days, often within milliseconds of midnight.
    fn time(&mut self) -> DateTime<Utc> {
        let midnight = DateTime::parse_from_rfc3339("2026-02-27T00:00:00Z").expect("a time").to_utc();
        let day = midnight + Duration::days(self.below(5) as i64);
        match self.below(4) {
            0 => day,
            1 => day - Duration::microseconds(1 + self.below(2_000) as i64),
            2 => day + Duration::milliseconds(self.below(3) as i64),
            _ => day + Duration::microseconds((self.share() * 86_400e6) as i64),
        }
    }

    fn answer(&mut self, question: &MadeQuestion, version: i32, empty: bool) -> MadeAnswer {
        let MadeQuestion { key, kind, values } = *question;
        let values = if kind == "choice" && version < 3 { &values[..values.len() - 1] } else { values };
        let probabilities = if empty { Vec::new() } else { self.distribution(values) };
        let most = probabilities.iter().fold(None, |most: Option<&(String, f64)>, next| match most {
            Some(most) if most.1 >= next.1 => Some(most),
            _ => Some(next),
        });
        let abstained = most.is_some() && self.chance(0.15);
        let value = most.map(|(value, _)| match (kind, abstained) {
            ("choice", true) => "none_of_these".to_owned(),
            _ => value.clone(),
        });
        let truth = (!values.is_empty() && self.chance(0.4)).then(|| match &value {
            Some(value) if !abstained && self.chance(0.6) => value.clone(),
            _ => self.pick(values).to_owned(),
        });
        // A ground truth that only a later version offers.
        let late = truth.is_some() && kind == "choice" && self.chance(0.05);
        let truth = if late { Some("back\\slash".to_owned()) } else { truth };
        MadeAnswer { key, kind, value, abstained, probabilities, truth }
    }

    /// Probabilities that sum to 1, often round ones, so that some are equal and some lie on the edges of bins.
    fn distribution(&mut self, values: &[&str]) -> Vec<(String, f64)> {
        if values.is_empty() {
            return Vec::new();
        }
        if self.chance(0.4) {
            let tenths = self.below(11);
            let mut shares = vec![0.0; values.len()];
            let one = self.below(values.len());
            let other = self.below(values.len());
            shares[one] = tenths as f64 / 10.0;
            shares[other] += 1.0 - tenths as f64 / 10.0;
            return named(values, shares);
        }
        let weights: Vec<f64> = values.iter().map(|_| self.share().powi(3) + 1e-6).collect();
        let sum: f64 = weights.iter().sum();
        named(values, weights.into_iter().map(|weight| weight / sum).collect())
    }
}

fn named(values: &[&str], shares: Vec<f64>) -> Vec<(String, f64)> {
    values.iter().map(|name| (*name).to_owned()).zip(shares).collect()
}

/// An `INSERT` of several rows.
fn insert(backend: DbBackend, table: &str, rows: Vec<Vec<Value>>) -> Statement {
    let mut place = 0;
    let mut places = Vec::new();
    for row in &rows {
        let row: Vec<String> = (place + 1..=place + row.len()).map(|place| format!("${place}")).collect();
        place += row.len();
        places.push(format!("({})", row.join(", ")));
    }
    let sql = format!("INSERT INTO {table} VALUES {}", places.join(", "));
    Statement::from_sql_and_values(backend, sql, rows.into_iter().flatten().collect::<Vec<_>>())
}

/// Inserts samples as recording and importing would.
pub(super) async fn write(db: &Db, account: &str, samples: &[Made]) {
    let connection = db.connect().await;
    let backend = connection.get_database_backend();

    for (chunk, some) in samples.chunks(50).enumerate() {
        let mut sample_rows = Vec::new();
        let mut all_answers = Vec::new();
        for (sample, seq) in some.iter().zip((chunk * 50) as i64 + 1..) {
            sample_rows.push(sample_row(account, sample, seq));
            all_answers.extend(answer_rows(sample, seq));
        }
        connection.execute_raw(insert(backend, SAMPLE, sample_rows)).await.expect("samples");
        connection.execute_raw(insert(backend, ANSWER, all_answers)).await.expect("answers");
    }
    connection.close().await.expect("a closed connection");
}

/// Removes all samples: no request was charged for them, which the invariants would report.
pub(super) async fn remove(db: &Db) {
    for table in ["sample_answer", "sample"] {
        db.execute(&format!("DELETE FROM {table}")).await;
    }
}

const SAMPLE: &str = "sample (seq, id, account_id, judge_id, judge_version, source, content_hash, state, latency_ms, \
    credits, labels, created_at)";

fn sample_row(account: &str, sample: &Made, seq: i64) -> Vec<Value> {
    let labels = sample.answers.iter().filter(|answer| answer.truth.is_some()).count() as i32;
    vec![
        seq.into(),
        format!("sample_{seq:026}").into(),
        account.into(),
        sample.judge.clone().into(),
        sample.version.into(),
        sample.source.into(),
        format!("{seq:064x}").into(),
        json!({ "n": seq }).to_string().into(),
        sample.latency.into(),
        sample.milli_credits.into(),
        labels.into(),
        sample.at.into(),
    ]
}

const ANSWER: &str = "sample_answer (sample_seq, key, position, judge_id, judge_version, source, created_at, \
    kind, value, answer, probability, probabilities, squares, truth, truth_probability)";

fn answer_rows(sample: &Made, seq: i64) -> impl Iterator<Item = Vec<Value>> {
    sample.answers.iter().zip(0i32..).map(move |(answer, position)| {
        let all: Map<String, _> =
            answer.probabilities.iter().map(|(value, p)| (value.clone(), json!(p))).collect();
        let some = !all.is_empty();
        vec![
            seq.into(),
            answer.key.into(),
            position.into(),
            sample.judge.clone().into(),
            sample.version.into(),
            sample.source.into(),
            sample.at.into(),
            answer.kind.into(),
            answer.value.clone().into(),
            some.then(|| json!({ "probabilities": all }).to_string()).into(),
            answer.probability().into(),
            some.then(|| serde_json::Value::Object(all).to_string()).into(),
            some.then(|| answer.probabilities.iter().map(|(_, p)| p * p).sum::<f64>()).into(),
            answer.truth.clone().into(),
            answer.truth.as_ref().and_then(|truth| answer.p(truth)).into(),
        ]
    })
}
