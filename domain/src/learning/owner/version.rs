//! Versions of what the owners of datasets ask.

use chrono::{DateTime, Utc};
use entity::judge_version;
use sea_orm::{ActiveValue::Set, ConnectionTrait, EntityTrait};
use serde_json::{Map, Value};

use crate::{
    Code, Error, Result,
    operations::inference::{InstructionLimits, parse_instructions},
};
use ports::decision::Question;
use ports::id::DatasetId;

/// A version of instructions and parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgeVersion {
    /// 1, 2, 3, …
    pub number: i32,
    /// The instructions, as submitted.
    pub instructions: Value,
    /// The parameters, as submitted.
    pub parameters: Map<String, Value>,
    /// The JSON Schema that states must fit, as submitted.
    pub state_schema: Option<Value>,
    /// `user_…` or `key_…`.
    pub created_by: String,
    pub created_at: DateTime<Utc>,
}

impl JudgeVersion {
    /// Parses the questions.
    ///
    /// # Errors
    /// Only for rows that were changed outside of Gavel.
    pub fn questions(&self) -> Result<Vec<Question>> {
        questions(&self.instructions)
    }
}

/// Parses the questions of stored instructions.
///
/// # Errors
/// Only for rows that were changed outside of Gavel: instructions are validated before they are stored.
pub fn questions(instructions: &Value) -> Result<Vec<Question>> {
    parse_instructions("instructions", instructions, InstructionLimits::OWN)
}

/// A version to write.
pub(crate) struct NewVersion {
    pub(crate) number: i32,
    pub(crate) instructions: Value,
    pub(crate) parameters: Map<String, Value>,
    pub(crate) state_schema: Option<Value>,
}

/// Reads one version. The caller has checked the account.
///
/// # Errors
/// `NOT_FOUND` without such a version.
pub(crate) async fn find_version(
    on: &impl ConnectionTrait,
    owner: &DatasetId,
    number: i32,
) -> Result<JudgeVersion> {
    let row = judge_version::Entity::find_by_id((owner.to_string(), number)).one(on).await?;
    read_version(row.ok_or_else(|| Error::new(Code::NotFound, format!("the Judge has no version {number}")))?)
}

pub(crate) fn read_version(row: judge_version::Model) -> Result<JudgeVersion> {
    Ok(JudgeVersion {
        number: row.version,
        instructions: serde_json::from_str(&row.instructions).map_err(Error::internal)?,
        parameters: serde_json::from_str(&row.parameters).map_err(Error::internal)?,
        state_schema: row
            .state_schema
            .as_deref()
            .map(serde_json::from_str)
            .transpose()
            .map_err(Error::internal)?,
        created_by: row.created_by,
        created_at: row.created_at,
    })
}

pub(crate) async fn write_version(
    tx: &impl ConnectionTrait,
    owner: &DatasetId,
    new: NewVersion,
    created_by: &str,
) -> Result<()> {
    let row = judge_version::ActiveModel {
        judge_id: Set(owner.to_string()),
        version: Set(new.number),
        instructions: Set(new.instructions.to_string()),
        parameters: Set(Value::Object(new.parameters).to_string()),
        state_schema: Set(new.state_schema.as_ref().map(Value::to_string)),
        created_by: Set(created_by.to_owned()),
        created_at: Set(Utc::now()),
    };
    judge_version::Entity::insert(row).exec_without_returning(tx).await?;
    Ok(())
}
