//! Items of charges, shadow versions of policies, workers, saved views, and e-mails that people do without.

use sea_orm_migration::{prelude::*, schema::*};

/// Adds `ledger.items`: one for each charge and refund so far, none for grants and adjustments. Adds the shadows of
/// policies and their verdicts, what users want to be told, and the tables `worker` and `saved_view`.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// A column's or table's name.
fn c(name: &'static str) -> Alias {
    Alias::new(name)
}

/// A column that is added to a table.
struct Added {
    table: &'static str,
    column: ColumnDef,
}

fn added() -> Vec<Added> {
    vec![
        Added { table: "ledger", column: big_integer(c("items")).default(1).take() },
        Added { table: "moderation_policy", column: integer_null(c("shadow_version")).take() },
        Added { table: "sample", column: integer_null(c("shadow_version")).take() },
        Added { table: "sample", column: text_null(c("shadow_action")).take() },
        Added { table: "app_user", column: boolean(c("weekly_summary")).default(true).take() },
        Added { table: "app_user", column: boolean(c("low_balance")).default(true).take() },
    ]
}

const ITEMS: &str = "UPDATE ledger SET items = 0 WHERE kind IN ('grant', 'adjustment')";
const SHADOWS: &str = "CREATE INDEX sample_shadow ON sample \
    (judge_id, policy_id, shadow_version, action, shadow_action) WHERE shadow_version IS NOT NULL";

/// Has all that insights sum up, so that they read it alone.
const INSIGHTS: &str = "CREATE INDEX sample_insights ON sample \
    (judge_id, created_at, action, harms, channel, language, policy_id, author) WHERE action IS NOT NULL";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for Added { table, column } in added() {
            manager.alter_table(Table::alter().table(c(table)).add_column(column).to_owned()).await?;
        }
        for statement in [ITEMS, SHADOWS, INSIGHTS] {
            manager.get_connection().execute_unprepared(statement).await?;
        }
        let workers = Table::create()
            .table(c("worker"))
            .col(text(c("id")).primary_key())
            .col(text(c("name")))
            .col(text(c("version")))
            .col(timestamp_with_time_zone(c("started_at")))
            .col(big_integer(c("seen_at")))
            .col(text(c("jobs")))
            .to_owned();
        manager.create_table(workers).await?;
        let views = Table::create()
            .table(c("saved_view"))
            .col(text(c("user_id")))
            .col(text(c("name")))
            .col(text(c("filter")))
            .col(timestamp_with_time_zone(c("saved_at")))
            .primary_key(Index::create().col(c("user_id")).col(c("name")))
            .foreign_key(
                ForeignKey::create()
                    .from(c("saved_view"), c("user_id"))
                    .to(c("app_user"), c("id"))
                    .on_delete(ForeignKeyAction::Cascade),
            )
            .to_owned();
        manager.create_table(views).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in ["saved_view", "worker"] {
            manager.drop_table(Table::drop().table(c(table)).to_owned()).await?;
        }
        for index in ["sample_shadow", "sample_insights"] {
            manager.get_connection().execute_unprepared(&format!("DROP INDEX {index}")).await?;
        }
        for Added { table, column } in added().into_iter().rev() {
            let name = Alias::new(column.get_column_name());
            manager.alter_table(Table::alter().table(c(table)).drop_column(name).to_owned()).await?;
        }
        Ok(())
    }
}
