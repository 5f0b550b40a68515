//! JSON Lines: an object per sample, with answers in wire form. Every line has every member except `instructions`,
//! which only samples with instructions of their own have.

use std::io::{self, Write};

use chrono::{DateTime, SecondsFormat, Utc};
use entity::sample_answer;
use serde::Serialize;

use super::{pages::Pages, snapshot::ExportedSample};
use crate::money::amount::Amount;

pub(super) fn write(pages: Pages, out: &mut impl Write) -> io::Result<()> {
    for rows in pages {
        for row in rows? {
            write_sample(&row, out)?;
        }
    }
    Ok(())
}

/// Formats a time in UTC, to the microsecond.
pub(super) fn format_time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Micros, true)
}

/// Writes one sample. Columns that hold JSON are copied verbatim.
fn write_sample(ExportedSample { sample, answers }: &ExportedSample, out: &mut impl Write) -> io::Result<()> {
    write!(out, r#"{{"id":"{}","created_at":"{}","#, sample.id, format_time(sample.created_at))?;
    write!(out, r#""source":"{}","judge_version":{},"#, sample.source, sample.judge_version)?;
    write!(out, r#""state":{}"#, sample.state)?;
    if let Some(instructions) = &sample.instructions {
        write!(out, r#","instructions":{instructions}"#)?;
    }
    out.write_all(br#","answers":"#)?;
    let answered = answers.iter().filter_map(|answer| Some((&answer.key, answer.answer.clone()?)));
    write_object(answered, out)?;
    out.write_all(br#","ground_truth":"#)?;
    let labelled = answers.iter().filter_map(|answer| Some((&answer.key, ground_truth_json(answer)?)));
    write_object(labelled, out)?;
    write_member("model", &sample.model, out)?;
    write_member("backend", &sample.backend, out)?;
    write_member("latency_ms", &sample.latency_ms, out)?;
    write_member("credits", &Amount::from_milli(sample.credits).credits(), out)?;
    write_member("request_id", &sample.request_id, out)?;
    write_member("content_hash", &sample.content_hash, out)?;
    out.write_all(b"}\n")
}

/// The ground truth as JSON of its kind: a level as a number, yes or no as a boolean, a choice as a string.
fn ground_truth_json(answer: &sample_answer::Model) -> Option<String> {
    let truth = answer.truth.as_ref()?;
    Some(match answer.kind.as_str() {
        "score" | "noul" => truth.clone(),
        _ => serde_json::Value::from(truth.as_str()).to_string(),
    })
}

fn write_object<'a>(
    members: impl Iterator<Item = (&'a String, String)>,
    out: &mut impl Write,
) -> io::Result<()> {
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

fn write_member(name: &str, value: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    write!(out, r#","{name}":"#)?;
    Ok(serde_json::to_writer(out, value)?)
}
