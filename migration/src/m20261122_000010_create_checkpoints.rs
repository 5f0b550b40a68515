//! Checkpoints of Judges, their events, and the artefacts of training.

use sea_orm_migration::{prelude::*, schema::*, sea_orm::ConnectionTrait};

/// Creates `artefact`, `checkpoint` and `checkpoint_event`; samples and Judges name their Checkpoint.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// A column's name.
fn c(name: &'static str) -> Alias {
    Alias::new(name)
}

const STATES: [&str; 5] = ["queued", "running", "succeeded", "failed", "cancelled"];

const INDEXES: [&str; 4] = [
    // A Judge has one open Checkpoint at most.
    "CREATE UNIQUE INDEX checkpoint_open ON checkpoint (judge_id) WHERE state IN ('queued', 'running')",
    "CREATE INDEX checkpoint_judge ON checkpoint (judge_id, id)",
    "CREATE INDEX checkpoint_account ON checkpoint (account_id, id)",
    "CREATE INDEX checkpoint_artefact ON checkpoint (artefact)",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let artefact = Table::create()
            .table(c("artefact"))
            .col(text(c("sha256")).primary_key())
            .col(binary(c("bytes")))
            .col(timestamp_with_time_zone(c("created_at")))
            .to_owned();
        manager.create_table(artefact).await?;
        manager.create_table(checkpoint()).await?;
        let event = Table::create()
            .table(c("checkpoint_event"))
            .col(big_integer(c("seq")).auto_increment().primary_key())
            .col(text(c("checkpoint_id")))
            .col(text(c("level")))
            .col(text(c("message")))
            .col(text(c("numbers")))
            .col(timestamp_with_time_zone(c("created_at")))
            .foreign_key(
                ForeignKey::create()
                    .from(c("checkpoint_event"), c("checkpoint_id"))
                    .to(c("checkpoint"), c("id"))
                    .on_delete(ForeignKeyAction::Cascade),
            )
            .to_owned();
        manager.create_table(event).await?;
        let index = "CREATE INDEX checkpoint_event_of ON checkpoint_event (checkpoint_id, seq)";
        for index in INDEXES.into_iter().chain([index]) {
            manager.get_connection().execute_unprepared(index).await?;
        }
        let active =
            Table::alter().table(c("judge")).add_column(text_null(c("active_checkpoint_id"))).to_owned();
        manager.alter_table(active).await?;
        let of_sample =
            Table::alter().table(c("sample")).add_column(text_null(c("checkpoint_id"))).to_owned();
        manager.alter_table(of_sample).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let of_sample = Table::alter().table(c("sample")).drop_column(c("checkpoint_id")).to_owned();
        manager.alter_table(of_sample).await?;
        let active = Table::alter().table(c("judge")).drop_column(c("active_checkpoint_id")).to_owned();
        manager.alter_table(active).await?;
        for table in ["checkpoint_event", "checkpoint", "artefact"] {
            manager.drop_table(Table::drop().table(c(table)).to_owned()).await?;
        }
        Ok(())
    }
}

fn checkpoint() -> TableCreateStatement {
    Table::create()
        .table(c("checkpoint"))
        .col(text(c("id")).primary_key())
        .col(text(c("account_id")))
        .col(text(c("judge_id")))
        .col(integer(c("judge_version")))
        .col(text(c("state")))
        .col(text(c("job_id")).unique_key())
        .col(big_integer(c("price")))
        .col(big_integer(c("last_sample")))
        .col(big_integer(c("last_label")))
        .col(big_integer(c("seed")))
        .col(boolean(c("auto_activate")))
        .col(double(c("progress")).default(0.0))
        .col(text_null(c("metrics")))
        .col(text_null(c("report")))
        .col(text_null(c("artefact")))
        .col(text_null(c("backbone")))
        .col(text_null(c("error")))
        .col(text(c("created_by")))
        .col(timestamp_with_time_zone(c("created_at")))
        .col(timestamp_with_time_zone_null(c("started_at")))
        .col(timestamp_with_time_zone_null(c("finished_at")))
        .col(timestamp_with_time_zone_null(c("activated_at")))
        .check(Expr::col(c("state")).is_in(STATES))
        .foreign_key(ForeignKey::create().from(c("checkpoint"), c("judge_id")).to(c("judge"), c("id")))
        .foreign_key(ForeignKey::create().from(c("checkpoint"), c("artefact")).to(c("artefact"), c("sha256")))
        .to_owned()
}
