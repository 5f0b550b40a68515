//! Evaluation runs and their answers.

use sea_orm_migration::{prelude::*, schema::*, sea_orm::ConnectionTrait};

/// Creates `evaluation` and `evaluation_answer`.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// A column's name.
fn c(name: &'static str) -> Alias {
    Alias::new(name)
}

const STATES: [&str; 5] = ["queued", "running", "succeeded", "failed", "cancelled"];

const INDEXES: [&str; 4] = [
    "CREATE INDEX evaluation_judge ON evaluation (judge_id, id)",
    "CREATE INDEX evaluation_account ON evaluation (account_id, id)",
    "CREATE INDEX evaluation_open ON evaluation (account_id) WHERE state IN ('queued', 'running')",
    // Deleting a sample deletes its answers.
    "CREATE INDEX evaluation_answer_sample ON evaluation_answer (sample_seq)",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(evaluation()).await?;
        manager.create_table(answer()).await?;
        for index in INDEXES {
            manager.get_connection().execute_unprepared(index).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in ["evaluation_answer", "evaluation"] {
            manager.drop_table(Table::drop().table(c(table)).to_owned()).await?;
        }
        Ok(())
    }
}

fn evaluation() -> TableCreateStatement {
    Table::create()
        .table(c("evaluation"))
        .col(text(c("id")).primary_key())
        .col(text(c("account_id")))
        .col(text(c("judge_id")))
        .col(integer(c("judge_version")))
        .col(text_null(c("checkpoint_id")))
        .col(text(c("state")))
        .col(text(c("job_id")).unique_key())
        .col(big_integer(c("price")))
        .col(big_integer(c("samples")))
        .col(big_integer(c("done")).default(0))
        .col(big_integer(c("last_done")).default(0))
        .col(big_integer(c("last_sample")))
        .col(big_integer(c("last_label")))
        .col(text(c("filter")))
        .col(text_null(c("metrics")))
        .col(text_null(c("error")))
        .col(text(c("created_by")))
        .col(timestamp_with_time_zone(c("created_at")))
        .col(timestamp_with_time_zone_null(c("started_at")))
        .col(timestamp_with_time_zone_null(c("finished_at")))
        .check(Expr::col(c("state")).is_in(STATES))
        .foreign_key(ForeignKey::create().from(c("evaluation"), c("judge_id")).to(c("judge"), c("id")))
        .to_owned()
}

fn answer() -> TableCreateStatement {
    Table::create()
        .table(c("evaluation_answer"))
        .col(text(c("evaluation_id")))
        .col(big_integer(c("sample_seq")))
        .col(text(c("key")))
        .col(text(c("truth")))
        .col(text_null(c("value")))
        .col(double_null(c("probability")))
        .col(double_null(c("truth_probability")))
        .col(double_null(c("brier")))
        .primary_key(Index::create().col(c("evaluation_id")).col(c("sample_seq")).col(c("key")))
        .foreign_key(&mut references("evaluation_id", "evaluation", "id"))
        .foreign_key(&mut references("sample_seq", "sample", "seq"))
        .to_owned()
}

/// A foreign key of `evaluation_answer`.
fn references(
    column: &'static str,
    parent: &'static str,
    parent_column: &'static str,
) -> ForeignKeyCreateStatement {
    ForeignKey::create()
        .from(c("evaluation_answer"), c(column))
        .to(c(parent), c(parent_column))
        .on_delete(ForeignKeyAction::Cascade)
        .to_owned()
}
