//! Moderation policies of accounts, and the default policy of an API key.

use sea_orm_migration::{prelude::*, schema::*};

/// Creates the tables, their indexes and the column `api_key.moderation_policy_id`.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// A column's name.
fn c(name: &'static str) -> Alias {
    Alias::new(name)
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(policies()).await?;
        manager.create_table(versions()).await?;
        for index in [
            "CREATE INDEX moderation_policy_account ON moderation_policy (account_id, id)",
            "CREATE UNIQUE INDEX moderation_policy_name ON moderation_policy (account_id, name)",
        ] {
            manager.get_connection().execute_unprepared(index).await?;
        }
        let column = text_null(c("moderation_policy_id"));
        manager.alter_table(Table::alter().table(c("api_key")).add_column(column).to_owned()).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let column = c("moderation_policy_id");
        manager.alter_table(Table::alter().table(c("api_key")).drop_column(column).to_owned()).await?;
        for table in ["moderation_policy_version", "moderation_policy"] {
            manager.drop_table(Table::drop().table(c(table)).to_owned()).await?;
        }
        Ok(())
    }
}

fn policies() -> TableCreateStatement {
    let account = ForeignKey::create()
        .from(c("moderation_policy"), c("account_id"))
        .to(c("account"), c("id"))
        .to_owned();
    Table::create()
        .table(c("moderation_policy"))
        .col(text(c("id")).primary_key())
        .col(text(c("account_id")))
        .col(text(c("name")))
        .col(text(c("description")))
        .col(integer(c("version")))
        .col(timestamp_with_time_zone_null(c("archived_at")))
        .col(timestamp_with_time_zone(c("created_at")))
        .col(timestamp_with_time_zone(c("updated_at")))
        .foreign_key(&mut account.clone())
        .to_owned()
}

fn versions() -> TableCreateStatement {
    let policy = ForeignKey::create()
        .from(c("moderation_policy_version"), c("policy_id"))
        .to(c("moderation_policy"), c("id"))
        .on_delete(ForeignKeyAction::Cascade)
        .to_owned();
    Table::create()
        .table(c("moderation_policy_version"))
        .col(text(c("policy_id")))
        .col(integer(c("version")))
        .col(text(c("rules")))
        .col(text(c("created_by")))
        .col(timestamp_with_time_zone(c("created_at")))
        .primary_key(Index::create().col(c("policy_id")).col(c("version")))
        .foreign_key(&mut policy.clone())
        .to_owned()
}
