//! Making, changing and archiving Judges.

use async_graphql::{Context, ID, InputObject, Json, Object, SimpleObject};
use domain::{
    Error,
    id::JudgeId,
    judge::{self, JudgeChange, NewJudge},
};
use serde_json::{Map, Value};

use crate::graphql::{
    context::{actor, services},
    error::{FieldResult, UserError, split_user_errors},
    model::Judge,
};

/// Making, changing and archiving Judges.
#[derive(Default)]
pub(crate) struct JudgeMutation;

/// What a new Judge should be.
#[derive(InputObject)]
struct CreateJudgeInput {
    /// 1 to 100 characters on one line.
    name: String,
    /// Up to 2,000 characters.
    #[graphql(default)]
    description: String,
    /// What it asks: JSON in any form that an inference takes.
    instructions: Json<Value>,
    /// What tunes it: a JSON object.
    parameters: Option<Json<Value>>,
    /// Whether requests through it, and their answers, are recorded in its dataset.
    #[graphql(default = false)]
    store_content: bool,
}

/// What should change; what is left out stays as it is.
#[derive(InputObject)]
struct UpdateJudgeInput {
    /// The Judge.
    id: ID,
    /// The version that the change was thought of on. When there is a newer one, the change is refused with `CONFLICT`.
    version: Option<i32>,
    /// 1 to 100 characters on one line.
    name: Option<String>,
    /// Up to 2,000 characters.
    description: Option<String>,
    /// What it asks. A change makes a new version.
    instructions: Option<Json<Value>>,
    /// What tunes it: a JSON object. A change makes a new version.
    parameters: Option<Json<Value>>,
    /// Whether requests through it, and their answers, are recorded in its dataset.
    store_content: Option<bool>,
}

/// Which Judge.
#[derive(InputObject)]
struct JudgeInput {
    /// The Judge.
    id: ID,
}

/// The Judge as it is now, or why nothing changed.
#[derive(SimpleObject)]
struct JudgePayload {
    /// The Judge; null when nothing changed.
    judge: Option<Judge>,
    /// What was wrong with the input.
    user_errors: Vec<UserError>,
}

impl JudgePayload {
    fn of(result: domain::Result<judge::Judge>) -> FieldResult<Self> {
        let (judge, user_errors) = split_user_errors(result)?;
        Ok(Self { judge: judge.map(Judge), user_errors })
    }
}

#[Object]
impl JudgeMutation {
    /// Makes a Judge. Needs the role editor.
    async fn create_judge(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "What it should be.")] input: CreateJudgeInput,
    ) -> FieldResult<JudgePayload> {
        let (service, actor) = (services(ctx)?, actor(ctx)?);
        let create = async {
            let new = NewJudge {
                name: input.name,
                description: input.description,
                instructions: input.instructions.0,
                parameters: object("parameters", input.parameters)?.unwrap_or_default(),
                store_content: input.store_content,
            };
            judge::create(&service.db, actor, new).await
        };
        JudgePayload::of(create.await)
    }

    /// Changes a Judge. New instructions or parameters make a new version; samples remember theirs. Needs the role editor.
    async fn update_judge(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "What should change.")] input: UpdateJudgeInput,
    ) -> FieldResult<JudgePayload> {
        let (service, actor) = (services(ctx)?, actor(ctx)?);
        let update = async {
            let id = JudgeId::sent(&input.id)?;
            let change = JudgeChange {
                version: input.version,
                name: input.name,
                description: input.description,
                instructions: input.instructions.map(|json| json.0),
                parameters: object("parameters", input.parameters)?,
                store_content: input.store_content,
            };
            judge::update(&service.db, actor, &id, change).await
        };
        JudgePayload::of(update.await)
    }

    /// Archives a Judge: it no longer answers and leaves the list, but keeps its versions and its dataset. Needs the role
    /// editor.
    async fn archive_judge(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which one.")] input: JudgeInput,
    ) -> FieldResult<JudgePayload> {
        set_archived(ctx, &input.id, true).await
    }

    /// Brings an archived Judge back. Needs the role editor.
    async fn unarchive_judge(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which one.")] input: JudgeInput,
    ) -> FieldResult<JudgePayload> {
        set_archived(ctx, &input.id, false).await
    }
}

async fn set_archived(ctx: &Context<'_>, id: &str, archived: bool) -> FieldResult<JudgePayload> {
    let (service, actor) = (services(ctx)?, actor(ctx)?);
    let archive = async { judge::archive(&service.db, actor, &JudgeId::sent(id)?, archived).await };
    JudgePayload::of(archive.await)
}

/// JSON that must be an object.
fn object(field: &str, json: Option<Json<Value>>) -> domain::Result<Option<Map<String, Value>>> {
    match json {
        None => Ok(None),
        Some(Json(Value::Object(members))) => Ok(Some(members)),
        Some(_) => Err(Error::invalid(field, "must be a JSON object")),
    }
}
