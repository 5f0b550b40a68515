//! Webhook endpoints, and the deliveries to them.

use sea_orm_migration::{prelude::*, schema::*};

/// Creates `webhook_endpoint` and `webhook_delivery`.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[derive(DeriveIden)]
enum WebhookEndpoint {
    Table,
    Id,
    AccountId,
    Url,
    Description,
    EventTypes,
    Secret,
    PreviousSecret,
    PreviousSecretUntil,
    Enabled,
    DisabledReason,
    FailingSince,
    CreatedBy,
    CreatedAt,
    UpdatedAt,
}

#[derive(DeriveIden)]
enum WebhookDelivery {
    Table,
    Id,
    AccountId,
    EndpointId,
    EventId,
    EventType,
    Payload,
    JobId,
    State,
    Attempts,
    Status,
    Error,
    CreatedAt,
    AttemptedAt,
    NextAttemptAt,
    FinishedAt,
}

#[derive(DeriveIden)]
enum Account {
    Table,
    Id,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let endpoint = Table::create()
            .table(WebhookEndpoint::Table)
            .col(text(WebhookEndpoint::Id).primary_key())
            .col(text(WebhookEndpoint::AccountId))
            .col(text(WebhookEndpoint::Url))
            .col(text(WebhookEndpoint::Description))
            .col(text(WebhookEndpoint::EventTypes))
            .col(text(WebhookEndpoint::Secret))
            .col(text_null(WebhookEndpoint::PreviousSecret))
            .col(timestamp_with_time_zone_null(WebhookEndpoint::PreviousSecretUntil))
            .col(boolean(WebhookEndpoint::Enabled))
            .col(text_null(WebhookEndpoint::DisabledReason))
            .col(timestamp_with_time_zone_null(WebhookEndpoint::FailingSince))
            .col(text(WebhookEndpoint::CreatedBy))
            .col(timestamp_with_time_zone(WebhookEndpoint::CreatedAt))
            .col(timestamp_with_time_zone(WebhookEndpoint::UpdatedAt))
            .foreign_key(
                ForeignKey::create()
                    .from(WebhookEndpoint::Table, WebhookEndpoint::AccountId)
                    .to(Account::Table, Account::Id),
            )
            .to_owned();
        manager.create_table(endpoint).await?;
        // No foreign keys: they would lock rows of other tables in the transaction of each event.
        let delivery = Table::create()
            .table(WebhookDelivery::Table)
            .col(text(WebhookDelivery::Id).primary_key())
            .col(text(WebhookDelivery::AccountId))
            .col(text(WebhookDelivery::EndpointId))
            .col(text(WebhookDelivery::EventId))
            .col(text(WebhookDelivery::EventType))
            .col(text(WebhookDelivery::Payload))
            .col(text(WebhookDelivery::JobId))
            .col(text(WebhookDelivery::State).check(Expr::col(WebhookDelivery::State).is_in([
                "queued",
                "delivered",
                "failed",
            ])))
            .col(integer(WebhookDelivery::Attempts).default(0))
            .col(integer_null(WebhookDelivery::Status))
            .col(text_null(WebhookDelivery::Error))
            .col(timestamp_with_time_zone(WebhookDelivery::CreatedAt))
            .col(timestamp_with_time_zone_null(WebhookDelivery::AttemptedAt))
            .col(timestamp_with_time_zone_null(WebhookDelivery::NextAttemptAt))
            .col(timestamp_with_time_zone_null(WebhookDelivery::FinishedAt))
            .to_owned();
        manager.create_table(delivery).await?;
        for index in [
            "CREATE INDEX webhook_endpoint_account ON webhook_endpoint (account_id, id)",
            "CREATE UNIQUE INDEX webhook_delivery_event ON webhook_delivery (endpoint_id, event_id)",
            "CREATE INDEX webhook_delivery_endpoint ON webhook_delivery (endpoint_id, id)",
            "CREATE INDEX webhook_delivery_account ON webhook_delivery (account_id, id)",
            "CREATE INDEX webhook_delivery_queued ON webhook_delivery (account_id) WHERE state = 'queued'",
            "CREATE INDEX webhook_delivery_finished ON webhook_delivery (finished_at)",
        ] {
            manager.get_connection().execute_unprepared(index).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(WebhookDelivery::Table).to_owned()).await?;
        manager.drop_table(Table::drop().table(WebhookEndpoint::Table).to_owned()).await
    }
}
