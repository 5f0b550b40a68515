//! CSV by RFC 4180: a row per sample, three columns per key. No text cell begins with a character that a
//! spreadsheet reads as a formula: such text is written as a quoted JSON string, which an import decodes again.

use std::{
    borrow::Cow,
    collections::HashMap,
    io::{self, Write},
};

use entity::sample_answer;
use serde_json::Value;

use super::{jsonl::format_time, pages::Pages, snapshot::ExportedSample};
use crate::money::amount::Amount;

/// The columns before those of keys.
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
/// First characters that a spreadsheet reads as a formula (some also in full width) or skips before one.
const FORMULA_PREFIXES: [char; 11] = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r', '\n'];

pub(super) fn write(keys: &[String], pages: Pages, out: &mut impl Write) -> io::Result<()> {
    let mut csv = csv::WriterBuilder::new().from_writer(out);
    let key_columns = ["answer", "probability", "ground_truth"];
    let key_columns = keys.iter().flat_map(|key| key_columns.map(|column| format!("{column}.{key}")));
    csv.write_record(COLUMNS.into_iter().map(str::to_owned).chain(key_columns))?;
    let places: HashMap<&str, usize> =
        keys.iter().enumerate().map(|(place, key)| (key.as_str(), place)).collect();
    for rows in pages {
        for row in rows? {
            csv.write_record(cells(&row, &places)?)?;
        }
    }
    csv.flush()
}

fn cells(
    ExportedSample { sample, answers }: &ExportedSample,
    places: &HashMap<&str, usize>,
) -> io::Result<Vec<String>> {
    let mut by_place: Vec<Option<&sample_answer::Model>> = vec![None; places.len()];
    for answer in answers {
        // Only a sample whose commit came out of order can have a key that was not known when the header was
        // written.
        let place = places.get(answer.key.as_str()).ok_or_else(|| io::Error::other("a new key"))?;
        by_place[*place] = Some(answer);
    }
    let mut cells = Vec::with_capacity(COLUMNS.len() + 3 * places.len());
    cells.extend([
        sample.id.clone(),
        format_time(sample.created_at),
        sample.source.clone(),
        sample.judge_version.to_string(),
        encode_state(&sample.state)?,
        sample.instructions.clone().unwrap_or_default(),
        text_cell(sample.model.as_deref()),
        sample.backend.clone().unwrap_or_default(),
        format_number(sample.latency_ms),
        format_number(Some(Amount::from_milli(sample.credits).credits())),
        sample.request_id.clone().unwrap_or_default(),
        sample.content_hash.clone(),
    ]);
    for answer in by_place {
        let text = answer.map(answer_text).transpose()?.flatten();
        cells.push(text_cell(text.as_deref()));
        cells.push(format_number(answer.and_then(|answer| answer.probability)));
        cells.push(text_cell(answer.and_then(|answer| answer.truth.as_deref())));
    }
    Ok(cells)
}

/// The text; an empty cell if there is none.
fn text_cell(text: Option<&str>) -> String {
    text.map(|text| encode_text(text).into_owned()).unwrap_or_default()
}

/// The answer: its value, or the text of a free-text answer.
fn answer_text(answer: &sample_answer::Model) -> io::Result<Option<String>> {
    match (&answer.value, &answer.answer) {
        (None, Some(answer)) => {
            let answer: Value = serde_json::from_str(answer)?;
            Ok(answer["text"].as_str().map(str::to_owned))
        }
        (value, _) => Ok(value.clone()),
    }
}

/// Encodes a state: a string as it is, unless it would parse as JSON; other JSON as JSON.
pub(crate) fn encode_state(json: &str) -> io::Result<String> {
    match serde_json::from_str(json)? {
        Value::String(text) if serde_json::from_str::<Value>(&text).is_err() => {
            Ok(encode_text(&text).into_owned())
        }
        _ => Ok(json.to_owned()),
    }
}

/// Encodes text: as it is, or as a JSON string when a spreadsheet would read it as a formula, or an import as a
/// JSON string.
pub(crate) fn encode_text(text: &str) -> Cow<'_, str> {
    let quoted = text.starts_with('"') && serde_json::from_str::<String>(text).is_ok();
    if quoted || text.starts_with(FORMULA_PREFIXES) {
        Value::from(text).to_string().into()
    } else {
        text.into()
    }
}

/// Formats a number as JSON does: the shortest form that parses to the same number.
pub(crate) fn format_number(number: Option<f64>) -> String {
    number.map(|number| Value::from(number).to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_written_so_that_they_are_read_as_they_were_and_never_as_formulas() {
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
            assert_eq!(encode_state(&value.to_string()).unwrap(), cell);
        }
    }
}
