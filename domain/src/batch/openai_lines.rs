//! Result lines in the form of OpenAI's batches, made from Gavel's own: each has an `id`, and `error` is only for items
//! without a response.

use entity::batch_chunk;
use serde_json::{Value, json};

use super::{lines, store::BatchStatus};
use crate::{Error, Result};

/// Which lines a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Answered,
    Failed,
}

/// Bytes of the lines of each file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LineBytes {
    pub(super) answered: i64,
    pub(super) failed: i64,
}

/// The lines of a chunk in one of the files.
///
/// # Errors
/// `INTERNAL_ERROR` for lines that cannot be read.
pub(super) fn of_chunk(chunk: &batch_chunk::Model, status: BatchStatus, wanted: Wanted) -> Result<String> {
    let not_run;
    let results = match &chunk.results {
        Some(results) => results,
        None if status.is_open() => return Ok(String::new()),
        None => {
            not_run = lines::not_run(&chunk.items, status)?;
            &not_run
        }
    };
    let mut found = String::new();
    for (index, line) in results.lines().enumerate() {
        if kind(line) == wanted {
            found.push_str(&rewritten(line, &line_id(&chunk.batch_id, chunk.number, index))?);
        }
    }
    Ok(found)
}

/// Bytes of the results of a chunk.
///
/// # Errors
/// As [`of_chunk`].
pub(super) fn bytes(batch: &str, number: i32, results: &str) -> Result<LineBytes> {
    let mut sum = LineBytes::default();
    for (index, line) in results.lines().enumerate() {
        let id = line_id(batch, number, index);
        match kind(line) {
            // Not rewritten, since it may be long.
            Wanted::Answered => sum.answered += (line.len() + id.len() + "\"id\":\"\",\n".len()) as i64,
            Wanted::Failed => sum.failed += rewritten(line, &id)?.len() as i64,
        }
    }
    Ok(sum)
}

/// Bytes of the lines of `items` that were not run before their batch ended as `status`; `id_bytes` are those of their
/// names in JSON.
///
/// # Errors
/// None that can happen: it is plain data.
pub(super) fn not_run_bytes(batch: &str, status: BatchStatus, items: i64, id_bytes: i64) -> Result<i64> {
    let item = json!({ "custom_id": "" }).to_string();
    let line = lines::not_run(&item, status)?;
    let line = rewritten(line.trim_end(), &line_id(batch, 0, 0))?;
    // Without the quotes, which are among the bytes of a name.
    Ok(items * (line.len() as i64 - 2) + id_bytes)
}

/// Bytes of a name in JSON.
pub(super) fn id_bytes(custom_id: &str) -> usize {
    Value::from(custom_id).to_string().len()
}

fn kind(line: &str) -> Wanted {
    if line.ends_with("\"error\":null}") { Wanted::Answered } else { Wanted::Failed }
}

/// The id of a line. All ids of a batch have the same length.
fn line_id(batch: &str, chunk: i32, index: usize) -> String {
    let batch = batch.trim_start_matches("batch_");
    format!("batch_req_{batch}_{chunk:07}_{index:04}")
}

fn rewritten(line: &str, id: &str) -> Result<String> {
    if kind(line) == Wanted::Answered {
        let rest = line.strip_prefix('{').unwrap_or(line);
        return Ok(format!("{{\"id\":\"{id}\",{rest}\n"));
    }
    let mut line: Value = serde_json::from_str(line).map_err(Error::internal)?;
    let response = line["response"].take();
    let mut error = line["error"].take();
    if !response.is_null() {
        error = Value::Null;
    } else if let Some(code) = error["code"].as_str().map(str::to_ascii_lowercase) {
        error["code"] = code.into();
    }
    let line = json!({ "id": id, "custom_id": line["custom_id"], "response": response, "error": error });
    Ok(format!("{line}\n"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn chunk(items: &str, results: Option<&str>) -> batch_chunk::Model {
        batch_chunk::Model {
            batch_id: "batch_01".to_owned(),
            number: 3,
            items: items.to_owned(),
            results: results.map(str::to_owned),
            total: 2,
            completed: 1,
            failed: 1,
            id_bytes: 0,
        }
    }

    #[test]
    fn each_line_is_in_one_file() {
        let results = concat!(
            r#"{"custom_id":"a","response":{"status_code":200,"body":{}},"error":null}"#,
            "\n",
            r#"{"custom_id":"b","response":{"status_code":404,"body":{}},"error":{"code":"X"}}"#,
            "\n",
        );
        let chunk = chunk("", Some(results));
        let answered = of_chunk(&chunk, BatchStatus::Completed, Wanted::Answered).expect("lines");
        let failed = of_chunk(&chunk, BatchStatus::Completed, Wanted::Failed).expect("lines");
        assert_eq!(
            answered,
            "{\"id\":\"batch_req_01_0000003_0000\",\"custom_id\":\"a\",\"response\":{\"status_code\":200,\
             \"body\":{}},\"error\":null}\n"
        );
        assert_eq!(
            failed,
            "{\"id\":\"batch_req_01_0000003_0001\",\"custom_id\":\"b\",\"response\":{\"status_code\":404,\
             \"body\":{}},\"error\":null}\n"
        );
        let bytes = bytes("batch_01", 3, results).expect("bytes");
        assert_eq!((bytes.answered, bytes.failed), (answered.len() as i64, failed.len() as i64));
    }

    #[test]
    fn what_was_not_run_is_an_error_once_the_batch_has_ended() {
        let chunk = chunk("{\"custom_id\":\"a\"}\n", None);
        assert_eq!(of_chunk(&chunk, BatchStatus::Running, Wanted::Failed).expect("lines"), "");
        let expired = of_chunk(&chunk, BatchStatus::Expired, Wanted::Failed).expect("lines");
        let line: Value = serde_json::from_str(&expired).expect("JSON");
        assert_eq!((&line["response"], &line["error"]["code"]), (&Value::Null, &json!("batch_expired")));
        assert_eq!(of_chunk(&chunk, BatchStatus::Expired, Wanted::Answered).expect("lines"), "");
    }

    proptest! {
        #[test]
        fn the_bytes_of_what_was_not_run_are_known_beforehand(ids in prop::collection::vec("\\PC{1,20}", 1..8)) {
            let items: String = ids.iter().map(|id| format!("{}\n", json!({ "custom_id": id }))).collect();
            let chunk = chunk(&items, None);
            for status in [BatchStatus::Expired, BatchStatus::Cancelled, BatchStatus::Failed] {
                let lines = of_chunk(&chunk, status, Wanted::Failed).expect("lines");
                let names = ids.iter().map(|id| id_bytes(id) as i64).sum();
                let bytes = not_run_bytes("batch_01", status, ids.len() as i64, names).expect("bytes");
                prop_assert_eq!(lines.len() as i64, bytes);
            }
        }
    }
}
