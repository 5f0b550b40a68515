//! Moderation policies, and the saved views of the moderation queue.

use sea_orm_migration::{prelude::*, schema::*};

pub(super) const INDEXES: &[&str] = &[
    "CREATE INDEX moderation_policy_account ON moderation_policy (account_id, id)",
    "CREATE UNIQUE INDEX moderation_policy_name ON moderation_policy (account_id, name)",
];

pub(super) fn tables() -> Vec<TableCreateStatement> {
    vec![policy(), policy_version(), saved_view()]
}

fn policy() -> TableCreateStatement {
    Table::create()
        .table("moderation_policy")
        .col(text("id").primary_key())
        .col(text("account_id"))
        .col(text("name"))
        .col(text("description"))
        .col(integer("version"))
        .col(integer_null("shadow_version"))
        .col(timestamp_with_time_zone_null("archived_at"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone("updated_at"))
        .foreign_key(ForeignKey::create().from_col("account_id").to("account", "id"))
        .to_owned()
}

fn policy_version() -> TableCreateStatement {
    Table::create()
        .table("moderation_policy_version")
        .col(text("policy_id"))
        .col(integer("version"))
        .col(text("rules"))
        .col(text("created_by"))
        .col(timestamp_with_time_zone("created_at"))
        .primary_key(Index::create().col("policy_id").col("version"))
        .foreign_key(
            ForeignKey::create()
                .from_col("policy_id")
                .to("moderation_policy", "id")
                .on_delete(ForeignKeyAction::Cascade),
        )
        .to_owned()
}

fn saved_view() -> TableCreateStatement {
    Table::create()
        .table("saved_view")
        .col(text("user_id"))
        .col(text("name"))
        .col(text("filter"))
        .col(timestamp_with_time_zone("saved_at"))
        .primary_key(Index::create().col("user_id").col("name"))
        .foreign_key(
            ForeignKey::create()
                .from_col("user_id")
                .to("app_user", "id")
                .on_delete(ForeignKeyAction::Cascade),
        )
        .to_owned()
}
