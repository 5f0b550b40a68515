//! What can be asked of Judges: to create, change and filter them.

use serde_json::{Map, Value};

/// The fields of a new Judge.
#[derive(Clone, Debug)]
pub struct NewJudge {
    /// 1 to 100 characters.
    pub name: String,
    /// Up to 2,000 characters.
    pub description: String,
    /// Questions, in any form of an inference.
    pub instructions: Value,
    pub parameters: Map<String, Value>,
    /// The JSON Schema that states must fit, if any.
    pub state_schema: Option<Value>,
    /// True to record its requests and answers.
    pub store_content: bool,
}

/// A change of a Judge; a field that is `None` stays.
#[derive(Clone, Debug, Default)]
pub struct JudgeChange {
    /// The version that the change is based on; refused when there is a newer one.
    pub version: Option<i32>,
    /// 1 to 100 characters.
    pub name: Option<String>,
    /// Up to 2,000 characters.
    pub description: Option<String>,
    pub instructions: Option<Value>,
    pub parameters: Option<Map<String, Value>>,
    /// The JSON Schema that states must fit; `Some(None)` for none.
    pub state_schema: Option<Option<Value>>,
    /// True to record its requests and answers.
    pub store_content: Option<bool>,
}

/// A filter on Judges.
#[derive(Clone, Debug, Default)]
pub struct JudgeFilter {
    /// True: only archived Judges. False: only the others. `None`: both.
    pub archived: Option<bool>,
    /// Only Judges whose name contains this text, case-insensitive.
    pub name: Option<String>,
}
