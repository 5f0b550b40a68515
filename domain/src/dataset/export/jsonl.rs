//! JSON Lines: an object for each sample, the answers as the wire shows them. Every member is there in every line, but for
//! `instructions`, which only samples have that were asked something else than their Judge asks.

use std::io::{self, Write};

use chrono::{DateTime, SecondsFormat, Utc};
use entity::sample_answer;
use serde::Serialize;

use super::{snapshot::Row, stream::Pages};
use crate::amount::Amount;

pub(super) fn write(pages: Pages, out: &mut impl Write) -> io::Result<()> {
    for rows in pages {
        for row in rows? {
            line(&row, out)?;
        }
    }
    Ok(())
}

/// A moment as files have it: UTC, to the microsecond.
pub(super) fn time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Micros, true)
}

/// What is stored as JSON already is copied as it is.
fn line(Row { sample, answers }: &Row, out: &mut impl Write) -> io::Result<()> {
    write!(out, r#"{{"id":"{}","created_at":"{}","#, sample.id, time(sample.created_at))?;
    write!(out, r#""source":"{}","judge_version":{},"#, sample.source, sample.judge_version)?;
    write!(out, r#""state":{}"#, sample.state)?;
    if let Some(instructions) = &sample.instructions {
        write!(out, r#","instructions":{instructions}"#)?;
    }
    out.write_all(br#","answers":"#)?;
    let said = answers.iter().filter_map(|answer| Some((&answer.key, answer.answer.clone()?)));
    object(said, out)?;
    out.write_all(br#","ground_truth":"#)?;
    let known = answers.iter().filter_map(|answer| Some((&answer.key, truth(answer)?)));
    object(known, out)?;
    member("model", &sample.model, out)?;
    member("backend", &sample.backend, out)?;
    member("latency_ms", &sample.latency_ms, out)?;
    member("credits", &Amount::from_milli(sample.credits).credits(), out)?;
    member("request_id", &sample.request_id, out)?;
    member("content_hash", &sample.content_hash, out)?;
    out.write_all(b"}\n")
}

/// A ground truth as JSON of its kind: a level as a number, a yes or no as a truth value, a choice as a string.
fn truth(answer: &sample_answer::Model) -> Option<String> {
    let truth = answer.truth.as_ref()?;
    Some(match answer.kind.as_str() {
        "score" | "noul" => truth.clone(),
        _ => serde_json::Value::from(truth.as_str()).to_string(),
    })
}

fn object<'a>(members: impl Iterator<Item = (&'a String, String)>, out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"{")?;
    for (place, (key, json)) in members.enumerate() {
        if place > 0 {
            out.write_all(b",")?;
        }
        serde_json::to_writer(&mut *out, key)?;
        write!(out, ":{json}")?;
    }
    out.write_all(b"}")
}

fn member(name: &str, value: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    write!(out, r#","{name}":"#)?;
    Ok(serde_json::to_writer(out, value)?)
}
