//! The three formats of a file have the same content, also when it is empty.

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, Float64Array, Int32Array, ListArray, MapArray, RecordBatch, StringArray, StructArray,
    TimestampMicrosecondArray,
    types::{Float64Type, Int32Type, TimestampMicrosecondType},
};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Map, Value, json};

use super::asking::{all_kinds, counts, download, import, judge, lines, start};
use crate::harness::{Db, on_both};

/// A Parquet file's columns, and its rows as JSON.
fn parquet(file: Vec<u8>) -> (Vec<String>, Vec<Value>) {
    use std::io::Write;
    let mut on_disk = tempfile::tempfile().unwrap();
    on_disk.write_all(&file).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(on_disk).expect("a Parquet file");
    let columns = reader.schema().fields().iter().map(|field| field.name().clone()).collect();
    let batches: Vec<RecordBatch> = reader.build().unwrap().collect::<Result<_, _>>().unwrap();
    (columns, batches.iter().flat_map(|batch| (0..batch.num_rows()).map(|row| sample(batch, row))).collect())
}

fn column<'a>(batch: &'a RecordBatch, name: &str) -> &'a dyn Array {
    batch.column_by_name(name).unwrap_or_else(|| panic!("no column {name}"))
}

fn member<'a>(answers: &'a StructArray, name: &str) -> &'a dyn Array {
    answers.column_by_name(name).unwrap_or_else(|| panic!("no field {name}"))
}

fn sample(batch: &RecordBatch, row: usize) -> Value {
    let answers: &ListArray = column(batch, "answers").as_list();
    let answers = answers.value(row);
    let answers: &StructArray = answers.as_struct();
    json!({
        "id": text(column(batch, "id"), row),
        "created_at": time(column(batch, "created_at"), row),
        "source": text(column(batch, "source"), row),
        "judge_version": int(column(batch, "judge_version"), row),
        "state": parsed(column(batch, "state"), row),
        "instructions": parsed(column(batch, "instructions"), row),
        "model": text(column(batch, "model"), row),
        "backend": text(column(batch, "backend"), row),
        "latency_ms": number(column(batch, "latency_ms"), row),
        "credits": number(column(batch, "credits"), row),
        "request_id": text(column(batch, "request_id"), row),
        "content_hash": text(column(batch, "content_hash"), row),
        "answers": (0..answers.len()).map(|row| answer(answers, row)).collect::<Vec<_>>(),
    })
}

fn answer(answers: &StructArray, row: usize) -> Value {
    let map: &MapArray = member(answers, "probabilities").as_map();
    let probabilities: Option<Map<String, Value>> = map.is_valid(row).then(|| {
        let entries = map.value(row);
        let keys = entries.column(0);
        let values = entries.column(1);
        (0..entries.len()).map(|i| (text(keys, i).unwrap(), json!(number(values, i)))).collect()
    });
    json!({
        "key": text(member(answers, "key"), row),
        "type": text(member(answers, "type"), row),
        "value": text(member(answers, "value"), row),
        "probability": number(member(answers, "probability"), row),
        "probabilities": probabilities,
        "answer": text(member(answers, "answer"), row).map(|text| serde_json::from_str::<Value>(&text).unwrap()),
        "ground_truth": text(member(answers, "ground_truth"), row),
        "labelled_by": text(member(answers, "labelled_by"), row),
        "labelled_at": time(member(answers, "labelled_at"), row),
    })
}

fn text(column: &dyn Array, row: usize) -> Option<String> {
    let column: &StringArray = column.as_string();
    column.is_valid(row).then(|| column.value(row).to_owned())
}

/// A column of JSON as text.
fn parsed(column: &dyn Array, row: usize) -> Option<Value> {
    serde_json::from_str(&text(column, row)?).ok()
}

fn number(column: &dyn Array, row: usize) -> Option<f64> {
    let column: &Float64Array = column.as_primitive::<Float64Type>();
    column.is_valid(row).then(|| column.value(row))
}

fn int(column: &dyn Array, row: usize) -> i32 {
    let column: &Int32Array = column.as_primitive::<Int32Type>();
    column.value(row)
}

/// A time as in JSON Lines. The column must have microseconds in UTC.
fn time(column: &dyn Array, row: usize) -> Option<String> {
    let column: &TimestampMicrosecondArray = column.as_primitive::<TimestampMicrosecondType>();
    assert_eq!(column.timezone(), Some("UTC"));
    let at = column.is_valid(row).then(|| chrono::DateTime::from_timestamp_micros(column.value(row)))?;
    Some(at.unwrap().to_rfc3339_opts(chrono::SecondsFormat::Micros, true))
}

/// A CSV file's header, and its rows by column.
fn csv(file: &[u8]) -> (Vec<String>, Vec<HashMap<String, String>>) {
    let mut reader = csv::Reader::from_reader(file);
    let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let rows = reader.deserialize().map(|row| row.unwrap()).collect();
    (header, rows)
}

/// A ground truth of any kind as text.
fn as_text(truth: &Value) -> String {
    truth.as_str().map_or_else(|| truth.to_string(), str::to_owned)
}

/// The text of a CSV cell.
fn words(cell: &str) -> String {
    if cell.starts_with('"') { serde_json::from_str(cell).unwrap() } else { cell.to_owned() }
}

const KEYS: [&str; 5] = ["team", "urgency", "spam", "mood", "words"];

/// Asserts that a Parquet row has the content of a line.
fn compare_parquet(row: &Value, line: &Value) {
    let plain = ["id", "created_at", "source", "judge_version", "state", "model", "backend", "latency_ms"];
    for member in plain.into_iter().chain(["credits", "request_id", "content_hash"]) {
        assert_eq!(row[member], line[member], "{member} of {line}");
    }
    assert_eq!(row["instructions"], line.get("instructions").cloned().unwrap_or_default());
    let mut answers = Map::new();
    let mut truths = Map::new();
    for answer in row["answers"].as_array().unwrap() {
        let key = answer["key"].as_str().unwrap();
        if !answer["answer"].is_null() {
            assert_eq!(answer["type"], answer["answer"]["type"]);
            if answer["type"] == "choice" {
                assert_eq!(answer["value"], answer["answer"]["choice"]);
            }
            if answer["type"] != "noul" {
                assert_eq!(answer["probabilities"], answer["answer"]["probabilities"], "{answer}");
            }
            answers.insert(key.to_owned(), answer["answer"].clone());
        }
        if let Some(truth) = answer["ground_truth"].as_str() {
            assert!(answer["labelled_by"].as_str().is_some_and(|by| by.starts_with("key_")), "{answer}");
            assert_eq!(answer["labelled_at"], row["created_at"]);
            truths.insert(key.to_owned(), json!(truth));
        }
    }
    assert_eq!(Value::from(answers), line["answers"]);
    let known = line["ground_truth"].as_object().unwrap().iter();
    let known: Map<String, Value> = known.map(|(key, truth)| (key.clone(), json!(as_text(truth)))).collect();
    assert_eq!(truths, known);
}

/// Asserts that a CSV row has the content of a line.
fn compare_csv(row: &HashMap<String, String>, line: &Value) {
    for member in ["id", "created_at", "source", "content_hash"] {
        assert_eq!(row[member], line[member].as_str().unwrap());
    }
    assert_eq!(row["judge_version"], line["judge_version"].to_string());
    let state = serde_json::from_str(&row["state"]).unwrap_or(Value::from(row["state"].as_str()));
    assert_eq!(state, line["state"]);
    for cell in row.values() {
        let number = cell.parse::<f64>().is_ok();
        assert!(number || !cell.starts_with(['=', '+', '-', '@', '\t', '\r']), "a formula: {cell:?}");
    }
    for key in KEYS {
        compare_csv_answer(row, line, key);
    }
}

fn compare_csv_answer(row: &HashMap<String, String>, line: &Value, key: &str) {
    let truth = line["ground_truth"].get(key).map(as_text).unwrap_or_default();
    assert_eq!(words(&row[&format!("ground_truth.{key}")]), truth, "{line}");
    let answer = &line["answers"][key];
    let said = &row[&format!("answer.{key}")];
    let p = &row[&format!("probability.{key}")];
    match answer["type"].as_str() {
        None => assert_eq!((said.as_str(), p.as_str()), ("", "")),
        Some("choice") if answer["abstained"] == true => {
            assert_eq!((said.as_str(), p.as_str()), ("none_of_these", ""));
        }
        Some("choice") => {
            assert_eq!(words(said), answer["choice"].as_str().unwrap());
            assert_eq!(p.parse::<f64>().unwrap(), answer["probabilities"][words(said)]);
        }
        Some("score") => assert_eq!((said.as_str(), p.as_str()), ("1", "0.5")),
        _ => {
            let noul = answer["noul"].as_f64().unwrap();
            assert_eq!(said, if noul >= 0.5 { "true" } else { "false" });
            assert_eq!(p.parse::<f64>().unwrap(), noul.max(1.0 - noul));
        }
    }
}

async fn all_three_formats_have_the_same_content(db: Db) {
    let (server, account, key) = start(&db).await;
    let judge = judge(&server, &key).await;
    let given = all_kinds();
    assert_eq!(counts(import(&server, &key, &judge, &given).await)[1], given.len() as u64);
    let expected = lines(&server, &key, &judge, "").await;
    let (_, rows) = parquet(download(&server, &key, &judge, "?format=parquet").await.1);
    assert_eq!(rows.len(), expected.len());
    for (row, line) in rows.iter().zip(&expected) {
        compare_parquet(row, line);
    }
    let (header, rows) = csv(&download(&server, &key, &judge, "?format=csv").await.1);
    let of_keys =
        KEYS.map(|key| ["answer", "probability", "ground_truth"].map(|column| format!("{column}.{key}")));
    assert_eq!(header[12..], *of_keys.as_flattened());
    assert_eq!(rows.len(), expected.len());
    for (row, line) in rows.iter().zip(&expected) {
        compare_csv(row, line);
    }
    assert_eq!(crate::harness::inv::balance(&db, &account.id).await, 10_000, "exports are free");
}

async fn an_empty_export_is_valid_in_all_three_formats(db: Db) {
    let (server, _, key) = start(&db).await;
    let judge = judge(&server, &key).await;
    assert_eq!(download(&server, &key, &judge, "?format=jsonl").await.1, b"");
    let (header, rows) = csv(&download(&server, &key, &judge, "?format=csv").await.1);
    assert_eq!((header.len(), rows.len()), (12 + 9, 0));
    let (kind, file) = download(&server, &key, &judge, "?format=parquet").await;
    assert_eq!(kind, "application/vnd.apache.parquet");
    let (columns, rows) = parquet(file);
    assert_eq!((columns.len(), rows.len()), (13, 0));
}

on_both!(all_three_formats_have_the_same_content, an_empty_export_is_valid_in_all_three_formats);
