//! Bulk batches, and the files of clients that speak OpenAI's API.

use sea_orm_migration::{prelude::*, schema::*};

const STATUSES: [&str; 7] = ["uploading", "queued", "running", "completed", "failed", "cancelled", "expired"];

pub(super) const INDEXES: &[&str] = &[
    "CREATE INDEX batch_account ON batch (account_id, id)",
    "CREATE INDEX batch_finished ON batch (finished_at)",
    "CREATE INDEX batch_uploading ON batch (created_at) WHERE status = 'uploading'",
    "CREATE INDEX file_account ON file (account_id, id)",
    "CREATE INDEX file_expires ON file (expires_at)",
    "CREATE UNIQUE INDEX file_batch ON file (batch_id, kind) WHERE batch_id IS NOT NULL",
];

pub(super) fn tables() -> Vec<TableCreateStatement> {
    vec![batch(), batch_chunk(), file(), file_chunk()]
}

fn batch() -> TableCreateStatement {
    Table::create()
        .table("batch")
        .col(text("id").primary_key())
        .col(text("account_id"))
        .col(text("job_id"))
        .col(text("submitted_by"))
        .col(text("status"))
        .col(integer("total").default(0))
        .col(integer("completed").default(0))
        .col(integer("failed").default(0))
        .col(integer("chunks_left").default(0))
        .col(big_integer("text_price").default(0))
        .col(big_integer("inference_price").default(0))
        .col(big_integer("image_price").default(0))
        .col(big_integer("held").default(0))
        .col(big_integer("charged").default(0))
        .col(big_integer("bytes").default(0))
        .col(text_null("input_file"))
        .col(text_null("endpoint"))
        .col(big_integer("output_bytes").default(0))
        .col(big_integer("error_bytes").default(0))
        .col(text("metadata"))
        .col(text_null("error"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone_null("started_at"))
        .col(timestamp_with_time_zone_null("finished_at"))
        .col(timestamp_with_time_zone("expires_at"))
        .check(Expr::col("status").is_in(STATUSES))
        .foreign_key(ForeignKey::create().from_col("account_id").to("account", "id"))
        .to_owned()
}

fn batch_chunk() -> TableCreateStatement {
    Table::create()
        .table("batch_chunk")
        .col(text("batch_id"))
        .col(integer("number"))
        .col(text("items"))
        .col(text_null("results"))
        .col(integer("total"))
        .col(integer("completed").default(0))
        .col(integer("failed").default(0))
        .col(integer("id_bytes"))
        .primary_key(Index::create().col("batch_id").col("number"))
        .foreign_key(
            ForeignKey::create().from_col("batch_id").to("batch", "id").on_delete(ForeignKeyAction::Cascade),
        )
        .to_owned()
}

fn file() -> TableCreateStatement {
    Table::create()
        .table("file")
        .col(text("id").primary_key())
        .col(text("account_id"))
        .col(text("submitted_by"))
        .col(text("kind"))
        .col(text_null("batch_id"))
        .col(text("filename"))
        .col(big_integer("bytes"))
        .col(boolean("ready"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone("expires_at"))
        .check(Expr::col("kind").is_in(["input", "output", "errors"]))
        .foreign_key(ForeignKey::create().from_col("account_id").to("account", "id"))
        .foreign_key(
            ForeignKey::create().from_col("batch_id").to("batch", "id").on_delete(ForeignKeyAction::Cascade),
        )
        .to_owned()
}

fn file_chunk() -> TableCreateStatement {
    Table::create()
        .table("file_chunk")
        .col(text("file_id"))
        .col(integer("number"))
        .col(blob("bytes"))
        .primary_key(Index::create().col("file_id").col("number"))
        .foreign_key(
            ForeignKey::create().from_col("file_id").to("file", "id").on_delete(ForeignKeyAction::Cascade),
        )
        .to_owned()
}
