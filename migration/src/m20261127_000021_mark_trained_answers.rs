//! Keeps apart what evaluations answer about samples that the Checkpoint was trained on.

use sea_orm_migration::{prelude::*, schema::*};

/// Adds `evaluation.scope`, `evaluation.trained_metrics` and `evaluation_answer.trained`.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[derive(DeriveIden)]
enum Evaluation {
    Table,
    Scope,
    TrainedMetrics,
}

#[derive(DeriveIden)]
enum EvaluationAnswer {
    Table,
    Trained,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // Until now, runs read all samples.
        let scope = text(Evaluation::Scope).default("all").take();
        manager.alter_table(Table::alter().table(Evaluation::Table).add_column(scope).to_owned()).await?;
        let metrics = text_null(Evaluation::TrainedMetrics);
        manager.alter_table(Table::alter().table(Evaluation::Table).add_column(metrics).to_owned()).await?;
        let trained = boolean(EvaluationAnswer::Trained).default(false).take();
        manager
            .alter_table(Table::alter().table(EvaluationAnswer::Table).add_column(trained).to_owned())
            .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for column in [Evaluation::Scope, Evaluation::TrainedMetrics] {
            manager
                .alter_table(Table::alter().table(Evaluation::Table).drop_column(column).to_owned())
                .await?;
        }
        manager
            .alter_table(
                Table::alter()
                    .table(EvaluationAnswer::Table)
                    .drop_column(EvaluationAnswer::Trained)
                    .to_owned(),
            )
            .await
    }
}
