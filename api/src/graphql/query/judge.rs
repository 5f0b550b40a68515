//! Queries of Judges, and of any object by its id.

use async_graphql::{Context, ID, Object};
use domain::{Code, Error};
use ports::id::{DatasetId, KeyId, UserId};

use super::{checkpoint, evaluation, sample};
use crate::graphql::{
    context::{actor, loaders, services},
    error::{FieldResult, field_error},
    loaders::found,
    model::{Account, ApiKey, Judge, Node, User},
};

#[derive(Default)]
pub(crate) struct JudgeQuery;

#[Object]
impl JudgeQuery {
    /// A Judge of the account. Null with the code `NOT_FOUND` if there is none with this id.
    async fn judge(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The Judge's id.")] id: ID,
    ) -> FieldResult<Option<Judge>> {
        find(ctx, &id).await.map(Some)
    }

    /// An object of the account by its id. Null with the code `NOT_FOUND` if there is none with this id.
    async fn node(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The id of an object of any type.")] id: ID,
    ) -> FieldResult<Option<Node>> {
        let who = actor(ctx)?;
        let plausible = id.len() < 64 && !id.contains('\0');
        let prefix = id.split_once('_').map(|(prefix, _)| prefix).filter(|_| plausible);
        match prefix {
            Some("judge") => Ok(Some(Node::Judge(find(ctx, &id).await?))),
            Some("ckpt") => Ok(Some(Node::Checkpoint(checkpoint::find(ctx, &id).await?))),
            Some("eval") => Ok(Some(Node::Evaluation(evaluation::find(ctx, &id).await?))),
            Some("sample") => Ok(Some(Node::Sample(sample::find(ctx, &id).await?))),
            Some("batch") => Ok(Some(Node::Batch(super::batch::find(ctx, &id).await?))),
            Some("policy") => {
                Ok(Some(Node::ModerationPolicy(super::moderation_policy::find(ctx, &id).await?)))
            }
            Some("webhook") => Ok(Some(Node::WebhookEndpoint(super::webhook::find(ctx, &id).await?))),
            Some("acc") if *id == who.account.as_str() => {
                let row = services(ctx)?.accounts.find(&who.account).await.map_err(field_error)?;
                Ok(Some(Node::Account(Account(row))))
            }
            Some("key") => {
                let id = KeyId::from(id.0);
                let key = services(ctx)?.api_keys.find(&who.account, &id).await.map_err(field_error)?;
                Ok(Some(Node::ApiKey(ApiKey(key))))
            }
            Some("user") => {
                let id = UserId::from(id.0);
                let person = services(ctx)?.accounts.person(&who.account, &id).await.map_err(field_error)?;
                Ok(Some(Node::User(User(person))))
            }
            _ => Err(field_error(Error::new(Code::NotFound, "there is nothing with this id"))),
        }
    }
}

async fn find(ctx: &Context<'_>, id: &str) -> FieldResult<Judge> {
    let loaders = loaders(ctx)?;
    let id = DatasetId::parse(id).map_err(field_error)?;
    found(loaders.judges.load_one(id).await, "Judge").map(Judge).map_err(field_error)
}
