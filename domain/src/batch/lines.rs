//! Result lines: one JSON object for each item, in OpenAI's form.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{item::Item, store::BatchStatus, wire::WireFormat};
use crate::{Error, Result};
use ports::id::RequestId;

/// The line of an item that was answered. `body` is JSON.
pub(super) fn answered(custom_id: &str, request_id: &RequestId, body: &str) -> String {
    let custom_id = Value::from(custom_id);
    format!(
        "{{\"custom_id\":{custom_id},\"response\":{{\"status_code\":200,\"request_id\":\"{request_id}\",\
         \"body\":{body}}},\"error\":null}}\n"
    )
}

/// The line of an item that failed.
///
/// # Errors
/// None that can happen: it is plain data.
pub(super) fn failed(
    wire: &dyn WireFormat,
    item: &Item,
    request_id: &RequestId,
    error: &Error,
) -> Result<String> {
    let (status, body) = wire.failed(&item.url, error, request_id)?;
    let custom_id = Value::from(item.custom_id.as_str());
    let error = json!({ "code": error.code.as_str(), "message": error.message });
    Ok(format!(
        "{{\"custom_id\":{custom_id},\"response\":{{\"status_code\":{status},\"request_id\":\"{request_id}\",\
         \"body\":{body}}},\"error\":{error}}}\n"
    ))
}

/// The lines of stored items that the end of their batch came before.
///
/// # Errors
/// `INTERNAL_ERROR` for items that cannot be read.
pub(super) fn not_run(items: &str, status: BatchStatus) -> Result<String> {
    #[derive(Deserialize)]
    struct Named {
        custom_id: String,
    }
    let (code, message) = match status {
        BatchStatus::Expired => ("BATCH_EXPIRED", "the batch expired before this was run"),
        BatchStatus::Cancelled => ("BATCH_CANCELLED", "the batch was cancelled before this was run"),
        _ => ("BATCH_FAILED", "the batch failed before this was run"),
    };
    let mut lines = String::new();
    for item in items.lines() {
        let Named { custom_id } = serde_json::from_str(item).map_err(Error::internal)?;
        let error = json!({ "code": code, "message": message });
        let line = json!({ "custom_id": custom_id, "response": null, "error": error });
        lines.push_str(&line.to_string());
        lines.push('\n');
    }
    Ok(lines)
}

/// The stored items of a chunk.
///
/// # Errors
/// `INTERNAL_ERROR` for items that cannot be read.
pub(super) fn items(stored: &str) -> Result<Vec<Item>> {
    stored.lines().map(|line| serde_json::from_str(line).map_err(Error::internal)).collect()
}
