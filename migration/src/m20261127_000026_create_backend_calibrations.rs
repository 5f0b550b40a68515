//! The calibrations of backends.

use sea_orm_migration::{prelude::*, schema::*};

/// Creates `backend_calibration`.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[derive(DeriveIden)]
enum BackendCalibration {
    Table,
    Backend,
    QuestionGroup,
    Model,
    Temperature,
    Questions,
    Accuracy,
    EceBefore,
    EceAfter,
    CreatedAt,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let calibrations = Table::create()
            .table(BackendCalibration::Table)
            .col(text(BackendCalibration::Backend))
            .col(text(BackendCalibration::QuestionGroup))
            .col(text(BackendCalibration::Model))
            .col(double(BackendCalibration::Temperature))
            .col(integer(BackendCalibration::Questions))
            .col(double(BackendCalibration::Accuracy))
            .col(double(BackendCalibration::EceBefore))
            .col(double(BackendCalibration::EceAfter))
            .col(timestamp_with_time_zone(BackendCalibration::CreatedAt))
            .primary_key(
                Index::create().col(BackendCalibration::Backend).col(BackendCalibration::QuestionGroup),
            )
            .to_owned();
        manager.create_table(calibrations).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(BackendCalibration::Table).to_owned()).await
    }
}
