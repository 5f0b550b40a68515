//! What belongs to the deployment: shared random keys, failed requests, and the calibrations of backends.

use sea_orm_migration::{prelude::*, schema::*};

pub(super) const INDEXES: &[&str] = &[
    "CREATE INDEX failed_request_account ON failed_request (account_id, seq)",
    "CREATE INDEX failed_request_id ON failed_request (request_id)",
    "CREATE INDEX failed_request_time ON failed_request (created_at)",
];

pub(super) fn tables() -> Vec<TableCreateStatement> {
    vec![secret(), failed_request(), backend_calibration()]
}

fn secret() -> TableCreateStatement {
    Table::create()
        .table("secret")
        .col(text("name").primary_key())
        .col(text("value"))
        .col(timestamp_with_time_zone("created_at"))
        .to_owned()
}

fn failed_request() -> TableCreateStatement {
    Table::create()
        .table("failed_request")
        .col(big_integer("seq").auto_increment().primary_key())
        .col(text_null("account_id"))
        .col(text("request_id"))
        .col(text_null("actor"))
        .col(text("method"))
        .col(text("route"))
        .col(integer("status"))
        .col(text("code"))
        .col(text("message"))
        .col(double("latency_ms"))
        .col(timestamp_with_time_zone("created_at"))
        .to_owned()
}

fn backend_calibration() -> TableCreateStatement {
    Table::create()
        .table("backend_calibration")
        .col(text("backend"))
        .col(text("question_group"))
        .col(text("model"))
        .col(double("temperature"))
        .col(integer("questions"))
        .col(double("accuracy"))
        .col(double("ece_before"))
        .col(double("ece_after"))
        .col(timestamp_with_time_zone("created_at"))
        .primary_key(Index::create().col("backend").col("question_group"))
        .to_owned()
}
