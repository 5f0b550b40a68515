//! CSV as RFC 4180 has it, a row for each sample, three columns for each key. No cell of somebody's words can begin with what
//! a spreadsheet takes for a formula: such words are written as a JSON string, in quotes, which an import reads again.

use std::{
    borrow::Cow,
    collections::HashMap,
    io::{self, Write},
};

use entity::sample_answer;
use serde_json::Value;

use super::{jsonl::time, snapshot::Row, stream::Pages};
use crate::amount::Amount;

/// The columns before those of the keys.
const COLUMNS: [&str; 12] = [
    "id",
    "created_at",
    "source",
    "judge_version",
    "state",
    "instructions",
    "model",
    "backend",
    "latency_ms",
    "credits",
    "request_id",
    "content_hash",
];
/// What a spreadsheet takes for the beginning of a formula, some in the width of Chinese signs too, or for nothing before one.
const RISKY: [char; 11] = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r', '\n'];

pub(super) fn write(keys: &[String], pages: Pages, out: &mut impl Write) -> io::Result<()> {
    let mut csv = csv::WriterBuilder::new().from_writer(out);
    let of_keys = ["answer", "probability", "ground_truth"];
    let of_keys = keys.iter().flat_map(|key| of_keys.map(|column| format!("{column}.{key}")));
    csv.write_record(COLUMNS.into_iter().map(str::to_owned).chain(of_keys))?;
    let places: HashMap<&str, usize> =
        keys.iter().enumerate().map(|(place, key)| (key.as_str(), place)).collect();
    for rows in pages {
        for row in rows? {
            csv.write_record(cells(&row, &places)?)?;
        }
    }
    csv.flush()
}

fn cells(Row { sample, answers }: &Row, places: &HashMap<&str, usize>) -> io::Result<Vec<String>> {
    let mut by_place: Vec<Option<&sample_answer::Model>> = vec![None; places.len()];
    for answer in answers {
        // Only a sample whose commit came out of order can have a key that was unknown when the header was written.
        let place = places.get(answer.key.as_str()).ok_or_else(|| io::Error::other("a new key"))?;
        by_place[*place] = Some(answer);
    }
    let words = |text: Option<&str>| text.map(|text| words(text).into_owned()).unwrap_or_default();
    let mut cells = Vec::with_capacity(COLUMNS.len() + 3 * places.len());
    cells.extend([
        sample.id.clone(),
        time(sample.created_at),
        sample.source.clone(),
        sample.judge_version.to_string(),
        state(&sample.state)?,
        sample.instructions.clone().unwrap_or_default(),
        words(sample.model.as_deref()),
        sample.backend.clone().unwrap_or_default(),
        number(sample.latency_ms),
        number(Some(Amount::from_milli(sample.credits).credits())),
        sample.request_id.clone().unwrap_or_default(),
        sample.content_hash.clone(),
    ]);
    for answer in by_place {
        let said = answer.map(said).transpose()?.flatten();
        cells.push(words(said.as_deref()));
        cells.push(number(answer.and_then(|answer| answer.probability)));
        cells.push(words(answer.and_then(|answer| answer.truth.as_deref())));
    }
    Ok(cells)
}

/// What was answered: the value, or the words of an answer in words.
fn said(answer: &sample_answer::Model) -> io::Result<Option<String>> {
    match (&answer.value, &answer.answer) {
        (None, Some(answer)) => {
            let answer: Value = serde_json::from_str(answer)?;
            Ok(answer["text"].as_str().map(str::to_owned))
        }
        (value, _) => Ok(value.clone()),
    }
}

/// A state: a string as it is, unless it would be read as something else; other JSON as JSON.
fn state(json: &str) -> io::Result<String> {
    match serde_json::from_str(json)? {
        Value::String(text) if serde_json::from_str::<Value>(&text).is_err() => Ok(words(&text).into_owned()),
        _ => Ok(json.to_owned()),
    }
}

/// Somebody's words: as they are, or as a JSON string when a spreadsheet would take them for a formula, or an import for
/// such a string.
fn words(text: &str) -> Cow<'_, str> {
    let quoted = text.starts_with('"') && serde_json::from_str::<String>(text).is_ok();
    if quoted || text.starts_with(RISKY) { Value::from(text).to_string().into() } else { text.into() }
}

/// JSON's form, which is the shortest that is read as the same number.
fn number(number: Option<f64>) -> String {
    number.map(|number| Value::from(number).to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_written_so_that_they_are_read_as_they_were_and_never_as_formulas() {
        let written = |state_json: Value| state(&state_json.to_string()).unwrap();
        for (value, cell) in [
            (Value::from("hello, you"), "hello, you"),
            (Value::from("=1+1"), "\"=1+1\""),
            (Value::from("@a"), "\"@a\""),
            (Value::from("＝1"), "\"＝1\""),
            (Value::from("\tx"), "\"\\tx\""),
            (Value::from("-5"), "\"-5\""),
            (Value::from("5"), "\"5\""),
            (Value::from("true"), "\"true\""),
            (Value::from("{\"a\":1}"), "\"{\\\"a\\\":1}\""),
            (serde_json::json!({ "a": 1 }), "{\"a\":1}"),
            (Value::from(5), "5"),
        ] {
            assert_eq!(written(value), cell);
        }
    }
}
