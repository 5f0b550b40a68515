//! Maps the rows of a CSV file to samples, by its header. Accepts every column that an export writes; answers are
//! ignored, since CSV has only a part of them.

use std::{borrow::Cow, collections::HashSet};

use serde_json::{Map, Value};

use super::{
    jsonl::IGNORED,
    validate::{ImportedLine, problem},
};
use crate::{Detail, foundation::plural::counted};

/// Prefix of the columns with ground truth.
const TRUTH_PREFIX: &str = "ground_truth.";
/// Prefixes of all columns that exist per key.
const KEY_PREFIXES: [&str; 3] = [TRUTH_PREFIX, "answer.", "probability."];

/// The content of a column.
enum Column {
    State,
    Content,
    Instructions,
    Model,
    Truth(String),
    Ignored,
}

/// The columns of a file.
pub(super) struct Header(Vec<Column>);

impl Header {
    /// Parses the header row.
    ///
    /// # Errors
    /// Each unknown or duplicate column; no state column, or two.
    pub(super) fn read(cells: &[Vec<u8>]) -> Result<Self, Vec<Detail>> {
        let names: Vec<String> =
            cells.iter().map(|cell| header_name(String::from_utf8_lossy(cell))).collect();
        let mut columns = Vec::with_capacity(names.len());
        let mut problems = Vec::new();
        // A hash set, since a line has room for a hundred thousand names.
        let mut earlier = HashSet::with_capacity(names.len());
        for name in &names {
            if !earlier.insert(name.as_str()) {
                problems.push(problem(name, "is the name of two columns"));
            }
            match column(name) {
                Some(column) => columns.push(column),
                None => problems.push(problem(
                    name,
                    "is not a column of an import: state or content, instructions, model, ground_truth.<key>; they \
                     are separated by commas",
                )),
            }
        }
        match names.iter().filter(|name| ["state", "content"].contains(&name.as_str())).count() {
            0 => problems.push(problem("state", "is required: a column state or content")),
            1 => {}
            _ => problems.push(problem("content", "must not be a column together with state")),
        }
        if problems.is_empty() { Ok(Self(columns)) } else { Err(problems) }
    }

    /// Parses a row.
    ///
    /// # Errors
    /// All problems of the row.
    pub(super) fn parse(&self, cells: Vec<Vec<u8>>) -> Result<ImportedLine, Vec<Detail>> {
        if cells.len() != self.0.len() {
            let own = counted(cells.len() as u64, "cell");
            let message = format!("has {own}, but the header has {}", self.0.len());
            return Err(vec![problem("", message)]);
        }
        let mut line = ImportedLine { state_field: "state", truths: Map::new(), ..ImportedLine::default() };
        for (column, cell) in self.0.iter().zip(cells) {
            let cell = String::from_utf8(cell).map_err(|_| vec![problem("", "is not UTF-8")])?;
            match column {
                Column::State => line.state = serde_json::from_str(&cell).unwrap_or(Value::String(cell)),
                Column::Content => {
                    line.state_field = "content";
                    line.state = Value::String(cell);
                }
                Column::Instructions if cell.trim().is_empty() => {}
                Column::Instructions => {
                    let read = serde_json::from_str(&cell);
                    let json = read
                        .map_err(|error| vec![problem("instructions", format!("must be JSON: {error}"))])?;
                    line.instructions = Some(json).filter(|json: &Value| !json.is_null());
                }
                Column::Truth(key) if !cell.is_empty() => {
                    line.truths.insert(key.clone(), Value::String(decode_text(cell)));
                }
                // A model belongs to answers, and a CSV row has none.
                Column::Truth(_) | Column::Model | Column::Ignored => {}
            }
        }
        Ok(line)
    }
}

/// Normalizes a header cell: surrounding spaces are trimmed, except those that a key ends in.
fn header_name(cell: Cow<'_, str>) -> String {
    let name = cell.trim_start();
    let has_key = KEY_PREFIXES.iter().any(|column| name.starts_with(column));
    if has_key { name } else { name.trim_end() }.to_owned()
}

fn column(name: &str) -> Option<Column> {
    Some(match name {
        "state" => Column::State,
        "content" => Column::Content,
        "instructions" => Column::Instructions,
        "model" => Column::Model,
        name if IGNORED.contains(&name) => Column::Ignored,
        name => match name.strip_prefix(TRUTH_PREFIX) {
            Some(key) => Column::Truth(key.to_owned()),
            None => KEY_PREFIXES.iter().any(|column| name.starts_with(column)).then_some(Column::Ignored)?,
        },
    })
}

/// Decodes text that an export quoted so that no spreadsheet reads it as a formula.
fn decode_text(cell: String) -> String {
    if cell.starts_with('"') { serde_json::from_str(&cell).unwrap_or(cell) } else { cell }
}
