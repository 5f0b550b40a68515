//! Mutations of webhook endpoints and deliveries.

use async_graphql::{Context, ID, InputObject, Object, SimpleObject};
use domain::background::webhook::{self, EndpointChange, NewEndpoint, SigningSecret};

use super::parse_id;
use crate::graphql::{
    context::{actor, services},
    error::{FieldResult, UserError, split_user_errors},
    model::{WebhookDelivery, WebhookEndpoint},
};

#[derive(Default)]
pub(crate) struct WebhookMutation;

/// A new webhook endpoint.
#[derive(InputObject)]
struct CreateWebhookEndpointInput {
    /// Where events are sent: an https URL on a public host.
    url: String,
    /// What it is for: up to 200 characters on one line.
    #[graphql(default)]
    description: String,
    /// The types of events to send, such as `batch.completed`; empty for all.
    #[graphql(default)]
    event_types: Vec<String>,
}

/// Changes of a webhook endpoint. What is not given stays.
#[derive(InputObject)]
struct UpdateWebhookEndpointInput {
    /// The endpoint's id.
    id: ID,
    /// Where events are sent: an https URL on a public host.
    url: Option<String>,
    /// What it is for: up to 200 characters on one line.
    description: Option<String>,
    /// The types of events to send; empty for all.
    event_types: Option<Vec<String>>,
    /// Whether events are sent to it.
    enabled: Option<bool>,
}

/// The webhook endpoint to delete.
#[derive(InputObject)]
struct DeleteWebhookEndpointInput {
    /// The endpoint's id.
    id: ID,
}

/// The webhook endpoint that gets a new secret.
#[derive(InputObject)]
struct RotateWebhookSecretInput {
    /// The endpoint's id.
    id: ID,
}

/// The webhook endpoint to test.
#[derive(InputObject)]
struct TestWebhookEndpointInput {
    /// The endpoint's id.
    id: ID,
}

/// A webhook delivery.
#[derive(InputObject)]
struct RedeliverWebhookInput {
    /// The delivery's id.
    id: ID,
}

/// The endpoint with its new secret, or errors.
#[derive(SimpleObject)]
struct WebhookSecretPayload {
    /// The endpoint; null if nothing changed.
    webhook_endpoint: Option<WebhookEndpoint>,
    /// The secret that signs what is sent, `whsec_…`. It is shown only here and cannot be read again.
    secret: Option<String>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

/// The changed endpoint, or errors.
#[derive(SimpleObject)]
struct WebhookEndpointPayload {
    /// The endpoint; null if nothing changed.
    webhook_endpoint: Option<WebhookEndpoint>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

/// The deleted endpoint, or errors.
#[derive(SimpleObject)]
struct DeleteWebhookEndpointPayload {
    /// The id of the deleted endpoint; null if it was not deleted.
    deleted_webhook_endpoint_id: Option<ID>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

/// The queued delivery, or errors.
#[derive(SimpleObject)]
struct WebhookDeliveryPayload {
    /// The delivery; null if nothing is sent.
    webhook_delivery: Option<WebhookDelivery>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

impl WebhookSecretPayload {
    fn of(result: domain::Result<(webhook::WebhookEndpoint, SigningSecret)>) -> FieldResult<Self> {
        let (made, user_errors) = split_user_errors(result)?;
        let (endpoint, secret) = made.unzip();
        Ok(Self {
            webhook_endpoint: endpoint.map(WebhookEndpoint),
            secret: secret.map(|secret| secret.reveal().to_owned()),
            user_errors,
        })
    }
}

impl WebhookDeliveryPayload {
    fn of(result: domain::Result<webhook::WebhookDelivery>) -> FieldResult<Self> {
        let (delivery, user_errors) = split_user_errors(result)?;
        Ok(Self { webhook_delivery: delivery.map(Into::into), user_errors })
    }
}

#[Object]
impl WebhookMutation {
    /// Creates a webhook endpoint. An account may have 10. Needs the role editor.
    async fn create_webhook_endpoint(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The new endpoint.")] input: CreateWebhookEndpointInput,
    ) -> FieldResult<WebhookSecretPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let CreateWebhookEndpointInput { url, description, event_types } = input;
        let new = NewEndpoint { url, description, event_types };
        WebhookSecretPayload::of(service.webhooks.create(actor, new).await)
    }

    /// Changes, disables or enables a webhook endpoint. Needs the role editor.
    async fn update_webhook_endpoint(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The changes.")] input: UpdateWebhookEndpointInput,
    ) -> FieldResult<WebhookEndpointPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let UpdateWebhookEndpointInput { id, url, description, event_types, enabled } = input;
        let change = EndpointChange { url, description, event_types, enabled };
        let updated = service.webhooks.update(actor, &parse_id(&id), change).await;
        let (endpoint, user_errors) = split_user_errors(updated)?;
        Ok(WebhookEndpointPayload { webhook_endpoint: endpoint.map(WebhookEndpoint), user_errors })
    }

    /// Deletes a webhook endpoint with its deliveries; those that are queued are not sent any more. Needs the role
    /// editor.
    async fn delete_webhook_endpoint(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The endpoint.")] input: DeleteWebhookEndpointInput,
    ) -> FieldResult<DeleteWebhookEndpointPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let deleted = service.webhooks.delete(actor, &parse_id(&input.id)).await;
        let (deleted, user_errors) = split_user_errors(deleted)?;
        let deleted_webhook_endpoint_id = deleted.map(|()| input.id);
        Ok(DeleteWebhookEndpointPayload { deleted_webhook_endpoint_id, user_errors })
    }

    /// Gives a webhook endpoint a new secret. For 24 hours what is sent is signed with the one before too. Needs the
    /// role editor.
    async fn rotate_webhook_secret(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The endpoint.")] input: RotateWebhookSecretInput,
    ) -> FieldResult<WebhookSecretPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        WebhookSecretPayload::of(service.webhooks.rotate_secret(actor, &parse_id(&input.id)).await)
    }

    /// Sends an event of the type `ping` to a webhook endpoint. Needs the role editor.
    async fn test_webhook_endpoint(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The endpoint.")] input: TestWebhookEndpointInput,
    ) -> FieldResult<WebhookDeliveryPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let sent = service.webhooks.test(actor, &parse_id(&input.id)).await;
        WebhookDeliveryPayload::of(sent)
    }

    /// Sends a webhook delivery again with its attempts reset; one that is queued is sent now. Needs the role editor.
    async fn redeliver_webhook(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The delivery.")] input: RedeliverWebhookInput,
    ) -> FieldResult<WebhookDeliveryPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let sent = service.webhooks.redeliver(actor, &parse_id(&input.id)).await;
        WebhookDeliveryPayload::of(sent)
    }
}
