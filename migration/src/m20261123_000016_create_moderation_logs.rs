//! Moderation logs: a separate kind of Judge, how long its samples are kept, and moderators' notes. The history of
//! ground truths counts towards the stored bytes.

use sea_orm_migration::{prelude::*, schema::*};

/// Adds `judge.kind` and `judge.retention_days`, an index for the one log of an account, and `label.note`.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// A column's name.
fn c(name: &'static str) -> Alias {
    Alias::new(name)
}

/// Counts as `domain::learning::sample` does.
const COUNT: &str = "UPDATE storage SET bytes = bytes + COALESCE((SELECT COUNT(*) * 256 FROM label \
    WHERE label.account_id = storage.account_id), 0)";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (table, mut column) in [
            ("judge", text(c("kind")).default("decision").take()),
            ("judge", integer_null(c("retention_days"))),
            ("label", text_null(c("note"))),
        ] {
            manager.alter_table(Table::alter().table(c(table)).add_column(&mut column).to_owned()).await?;
        }
        let index =
            "CREATE UNIQUE INDEX judge_moderation_log ON judge (account_id) WHERE kind = 'moderation'";
        for statement in [index, COUNT] {
            manager.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let uncount = COUNT.replace("bytes + COALESCE", "bytes - COALESCE");
        for statement in ["DROP INDEX judge_moderation_log", &uncount] {
            manager.get_connection().execute_unprepared(statement).await?;
        }
        for (table, column) in [("label", "note"), ("judge", "retention_days"), ("judge", "kind")] {
            manager.alter_table(Table::alter().table(c(table)).drop_column(c(column)).to_owned()).await?;
        }
        Ok(())
    }
}
