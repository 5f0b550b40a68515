//! Mutations of Judges.

use async_graphql::{Context, ID, InputObject, Json, MaybeUndefined, Object, SimpleObject};
use domain::{
    Error,
    learning::judge::{JudgeChange, NewJudge},
};
use ports::id::JudgeId;
use serde_json::{Map, Value};

use crate::graphql::{
    context::{actor, services},
    error::{FieldResult, UserError, split_user_errors},
    model::Judge,
};

#[derive(Default)]
pub(crate) struct JudgeMutation;

/// A new Judge.
#[derive(InputObject)]
struct CreateJudgeInput {
    /// The name: 1 to 100 characters on one line.
    name: String,
    /// The description: up to 2,000 characters.
    #[graphql(default)]
    description: String,
    /// The instructions: JSON in any form that an inference takes.
    instructions: Json<Value>,
    /// The parameters of the Judge's inferences: a JSON object.
    parameters: Option<Json<Value>>,
    /// The JSON Schema that the states of requests and of imported samples must fit; null for none.
    state_schema: Option<Json<Value>>,
    /// Whether requests through the Judge are recorded in its dataset, with their answers.
    #[graphql(default = false)]
    store_content: bool,
}

/// Changes of a Judge. Fields that are left out stay as they are.
#[derive(InputObject)]
struct UpdateJudgeInput {
    /// The Judge's id.
    id: ID,
    /// The version that the change is based on. If there is a newer one, the change is refused with `CONFLICT`.
    version: Option<i32>,
    /// The name: 1 to 100 characters on one line.
    name: Option<String>,
    /// The description: up to 2,000 characters.
    description: Option<String>,
    /// The instructions. A change makes a new version.
    instructions: Option<Json<Value>>,
    /// The parameters: a JSON object. A change makes a new version.
    parameters: Option<Json<Value>>,
    /// The JSON Schema that the states of requests and of imported samples must fit; null for none. A change makes a
    /// new version.
    state_schema: MaybeUndefined<Json<Value>>,
    /// Whether requests through the Judge are recorded in its dataset, with their answers.
    store_content: Option<bool>,
}

/// The Judge to archive.
#[derive(InputObject)]
struct ArchiveJudgeInput {
    /// The Judge's id.
    id: ID,
}

/// The Judge to restore.
#[derive(InputObject)]
struct UnarchiveJudgeInput {
    /// The Judge's id.
    id: ID,
}

/// The created or changed Judge, or errors.
#[derive(SimpleObject)]
pub(super) struct JudgePayload {
    /// The Judge; null if nothing changed.
    judge: Option<Judge>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

impl JudgePayload {
    pub(super) fn of(result: domain::Result<impl Into<Judge>>) -> FieldResult<Self> {
        let (judge, user_errors) = split_user_errors(result)?;
        Ok(Self { judge: judge.map(Into::into), user_errors })
    }
}

#[Object]
impl JudgeMutation {
    /// Creates a Judge. Needs the role editor.
    async fn create_judge(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The new Judge.")] input: CreateJudgeInput,
    ) -> FieldResult<JudgePayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let create = async {
            let new = NewJudge {
                name: input.name,
                description: input.description,
                instructions: input.instructions.0,
                parameters: object("parameters", input.parameters)?.unwrap_or_default(),
                state_schema: input.state_schema.map(|json| json.0),
                store_content: input.store_content,
            };
            service.judges.create(actor, new).await
        };
        JudgePayload::of(create.await)
    }

    /// Changes a Judge. New instructions, parameters or a new schema of states make a new version; samples keep the
    /// version that they were answered by. Needs the role editor.
    async fn update_judge(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The changes.")] input: UpdateJudgeInput,
    ) -> FieldResult<JudgePayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let update = async {
            let id = JudgeId::parse(&input.id)?;
            let change = JudgeChange {
                version: input.version,
                name: input.name,
                description: input.description,
                instructions: input.instructions.map(|json| json.0),
                parameters: object("parameters", input.parameters)?,
                state_schema: Option::from(input.state_schema.map_value(|json| json.0)),
                store_content: input.store_content,
            };
            service.judges.update(actor, &id, change).await
        };
        JudgePayload::of(update.await)
    }

    /// Archives a Judge: it answers no more requests and is no longer listed, but keeps its versions and its dataset.
    /// Needs the role editor.
    async fn archive_judge(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The Judge to archive.")] input: ArchiveJudgeInput,
    ) -> FieldResult<JudgePayload> {
        set_archived(ctx, &input.id, true).await
    }

    /// Restores an archived Judge. Needs the role editor.
    async fn unarchive_judge(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The Judge to restore.")] input: UnarchiveJudgeInput,
    ) -> FieldResult<JudgePayload> {
        set_archived(ctx, &input.id, false).await
    }
}

async fn set_archived(ctx: &Context<'_>, id: &str, archived: bool) -> FieldResult<JudgePayload> {
    let service = services(ctx)?;
    let actor = actor(ctx)?;
    let archive = async { service.judges.archive(actor, &JudgeId::parse(id)?, archived).await };
    JudgePayload::of(archive.await)
}

/// Reads JSON that must be an object.
fn object(field: &str, json: Option<Json<Value>>) -> domain::Result<Option<Map<String, Value>>> {
    match json {
        None => Ok(None),
        Some(Json(Value::Object(members))) => Ok(Some(members)),
        Some(_) => Err(Error::invalid(field, "must be a JSON object")),
    }
}
