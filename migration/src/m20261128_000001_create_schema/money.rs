//! Prices, the ledger, holds and idempotency keys.

use sea_orm_migration::{prelude::*, schema::*};

/// Milli-credits per operation on a new deployment.
const STARTING_PRICES: [(&str, i64); 4] =
    [("text", 500), ("image", 1_000), ("inference", 500), ("checkpoint", 5_000_000)];

pub(super) const INDEXES: &[&str] = &[
    "CREATE INDEX ledger_time ON ledger (account_id, created_at)",
    "CREATE INDEX hold_expires ON hold (expires_at)",
    "CREATE INDEX idempotency_created ON idempotency (created_at)",
    "CREATE INDEX idempotency_request ON idempotency (account_id, request_id)",
];

pub(super) fn tables() -> Vec<TableCreateStatement> {
    vec![price(), ledger(), hold(), idempotency()]
}

pub(super) fn starting_prices() -> InsertStatement {
    let mut rows = Query::insert();
    rows.into_table("price").columns(["operation", "amount", "updated_at"]);
    for (operation, amount) in STARTING_PRICES {
        rows.values_panic([operation.into(), amount.into(), Expr::current_timestamp()]);
    }
    rows
}

fn price() -> TableCreateStatement {
    Table::create()
        .table("price")
        .col(text("operation").primary_key())
        .col(big_integer("amount"))
        .col(timestamp_with_time_zone("updated_at"))
        .check(Expr::col("amount").gte(0))
        .to_owned()
}

fn ledger() -> TableCreateStatement {
    Table::create()
        .table("ledger")
        .col(text("account_id"))
        .col(big_integer("seq"))
        .col(text("request_id").unique_key())
        .col(text("kind"))
        .col(big_integer("delta"))
        .col(big_integer("balance_after"))
        .col(big_integer("items"))
        .col(text_null("reference"))
        .col(text_null("endpoint"))
        .col(text_null("api_key_id"))
        .col(text_null("user_id"))
        .col(text_null("job_id"))
        .col(text_null("judge_id"))
        .col(text_null("note"))
        .col(timestamp_with_time_zone("created_at"))
        .primary_key(Index::create().col("account_id").col("seq"))
        .check(Expr::col("balance_after").gte(0))
        .check(Expr::col("kind").is_in(["grant", "charge", "refund", "adjustment"]))
        .foreign_key(ForeignKey::create().from_col("account_id").to("account", "id"))
        .to_owned()
}

fn hold() -> TableCreateStatement {
    Table::create()
        .table("hold")
        .col(text("id").primary_key())
        .col(text("account_id"))
        .col(text("request_id").unique_key())
        .col(big_integer("amount"))
        .col(text("purpose"))
        .col(big_integer("expires_at"))
        .col(timestamp_with_time_zone("created_at"))
        .check(Expr::col("amount").gte(0))
        .foreign_key(ForeignKey::create().from_col("account_id").to("account", "id"))
        .to_owned()
}

fn idempotency() -> TableCreateStatement {
    Table::create()
        .table("idempotency")
        .col(text("account_id"))
        .col(text("key"))
        .col(text("fingerprint"))
        .col(text("request_id"))
        .col(big_integer("lease_until"))
        .col(text_null("answer"))
        .col(boolean("replayed").default(false))
        .col(timestamp_with_time_zone("created_at"))
        .primary_key(Index::create().col("account_id").col("key"))
        .foreign_key(ForeignKey::create().from_col("account_id").to("account", "id"))
        .to_owned()
}
