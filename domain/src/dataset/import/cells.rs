//! Rows of a CSV file, by its header. Takes what an export writes but for the answers, of which CSV has but a part.

use serde_json::{Map, Value};

use super::{
    draft::{Draft, wrong},
    object::IGNORED,
};
use crate::Detail;

/// What stands in a column.
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
    /// Reads the first row.
    ///
    /// # Errors
    /// Each column that is unknown or there twice; none or two for the state.
    pub(super) fn read(cells: &[Vec<u8>]) -> Result<Self, Vec<Detail>> {
        let names: Vec<String> =
            cells.iter().map(|cell| String::from_utf8_lossy(cell).trim().to_owned()).collect();
        let (mut columns, mut problems) = (Vec::with_capacity(names.len()), Vec::new());
        for (place, name) in names.iter().enumerate() {
            if names[..place].contains(name) {
                problems.push(wrong(name, "is a column twice"));
            }
            match column(name) {
                Some(column) => columns.push(column),
                None => problems.push(wrong(
                    name,
                    "is not a column of an import: state or content, instructions, model, ground_truth.<key>; they \
                     are separated by commas",
                )),
            }
        }
        match names.iter().filter(|name| ["state", "content"].contains(&name.as_str())).count() {
            0 => problems.push(wrong("state", "is required: a column state or content")),
            1 => {}
            _ => problems.push(wrong("content", "must not be a column together with state")),
        }
        if problems.is_empty() { Ok(Self(columns)) } else { Err(problems) }
    }

    /// Reads another row.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub(super) fn draft(&self, cells: Vec<Vec<u8>>) -> Result<Draft, Vec<Detail>> {
        if cells.len() != self.0.len() {
            let message = format!("has {} cells, the header {}", cells.len(), self.0.len());
            return Err(vec![wrong("", message)]);
        }
        let mut draft = Draft { state_field: "state", truths: Map::new(), ..Draft::default() };
        for (column, cell) in self.0.iter().zip(cells) {
            let cell = String::from_utf8(cell).map_err(|_| vec![wrong("", "is not UTF-8")])?;
            match column {
                Column::State => draft.state = serde_json::from_str(&cell).unwrap_or(Value::String(cell)),
                Column::Content => {
                    draft.state_field = "content";
                    draft.state = Value::String(cell);
                }
                Column::Instructions if cell.trim().is_empty() => {}
                Column::Instructions => {
                    let read = serde_json::from_str(&cell);
                    let json =
                        read.map_err(|error| vec![wrong("instructions", format!("must be JSON: {error}"))])?;
                    draft.instructions = Some(json).filter(|json: &Value| !json.is_null());
                }
                Column::Truth(key) if !cell.is_empty() => {
                    draft.truths.insert(key.clone(), Value::String(words(cell)));
                }
                // A model is told of answers alone, and a row has none.
                Column::Truth(_) | Column::Model | Column::Ignored => {}
            }
        }
        Ok(draft)
    }
}

fn column(name: &str) -> Option<Column> {
    Some(match name {
        "state" => Column::State,
        "content" => Column::Content,
        "instructions" => Column::Instructions,
        "model" => Column::Model,
        name if IGNORED.contains(&name) => Column::Ignored,
        name if name.starts_with("answer.") || name.starts_with("probability.") => Column::Ignored,
        name => Column::Truth(name.strip_prefix("ground_truth.")?.to_owned()),
    })
}

/// Words that an export put in quotes, so that no spreadsheet takes them for a formula.
fn words(cell: String) -> String {
    if cell.starts_with('"') { serde_json::from_str(&cell).unwrap_or(cell) } else { cell }
}
