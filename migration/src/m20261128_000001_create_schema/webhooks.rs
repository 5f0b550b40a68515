//! Webhook endpoints, and the deliveries to them.

use sea_orm_migration::{prelude::*, schema::*};

pub(super) const INDEXES: &[&str] = &[
    "CREATE INDEX webhook_endpoint_account ON webhook_endpoint (account_id, id)",
    "CREATE UNIQUE INDEX webhook_delivery_event ON webhook_delivery (endpoint_id, event_id)",
    "CREATE INDEX webhook_delivery_endpoint ON webhook_delivery (endpoint_id, id)",
    "CREATE INDEX webhook_delivery_account ON webhook_delivery (account_id, id)",
    "CREATE INDEX webhook_delivery_queued ON webhook_delivery (account_id) WHERE state = 'queued'",
    "CREATE INDEX webhook_delivery_finished ON webhook_delivery (finished_at)",
];

pub(super) fn tables() -> Vec<TableCreateStatement> {
    vec![endpoint(), delivery()]
}

fn endpoint() -> TableCreateStatement {
    Table::create()
        .table("webhook_endpoint")
        .col(text("id").primary_key())
        .col(text("account_id"))
        .col(text("url"))
        .col(text("description"))
        .col(text("event_types"))
        .col(text("secret"))
        .col(text_null("previous_secret"))
        .col(timestamp_with_time_zone_null("previous_secret_until"))
        .col(boolean("enabled"))
        .col(text_null("disabled_reason"))
        .col(timestamp_with_time_zone_null("failing_since"))
        .col(text("created_by"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone("updated_at"))
        .foreign_key(ForeignKey::create().from_col("account_id").to("account", "id"))
        .to_owned()
}

/// Without foreign keys: they would lock rows of other tables in the transaction of each event.
fn delivery() -> TableCreateStatement {
    Table::create()
        .table("webhook_delivery")
        .col(text("id").primary_key())
        .col(text("account_id"))
        .col(text("endpoint_id"))
        .col(text("event_id"))
        .col(text("event_type"))
        .col(text("payload"))
        .col(text("job_id"))
        .col(text("state"))
        .col(integer("attempts").default(0))
        .col(integer_null("status"))
        .col(text_null("error"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone_null("attempted_at"))
        .col(timestamp_with_time_zone_null("next_attempt_at"))
        .col(timestamp_with_time_zone_null("finished_at"))
        .check(Expr::col("state").is_in(["queued", "delivered", "failed"]))
        .to_owned()
}
