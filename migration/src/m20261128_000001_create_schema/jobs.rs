//! Background jobs, periodic tasks, and the workers that run them.

use sea_orm_migration::{prelude::*, schema::*};

/// The states of a job, and of what it works for.
pub(super) const STATES: [&str; 5] = ["queued", "running", "succeeded", "failed", "cancelled"];

pub(super) const INDEXES: &[&str] = &[
    "CREATE INDEX job_open ON job (due_at) WHERE state IN ('queued', 'running')",
    "CREATE INDEX job_state ON job (state, kind)",
    "CREATE INDEX job_subject ON job (subject)",
    "CREATE INDEX job_account ON job (account_id)",
    "CREATE INDEX job_finished ON job (finished_at)",
    // Each account's oldest queued job, by which accounts take turns. Not partial: with a condition on the state,
    // PostgreSQL could choose another index with the state, and sort.
    "CREATE INDEX job_turns ON job ((CASE WHEN state = 'queued' THEN account_id END), due_at, id, kind)",
];

pub(super) fn tables() -> Vec<TableCreateStatement> {
    vec![job(), schedule(), worker()]
}

fn job() -> TableCreateStatement {
    Table::create()
        .table("job")
        .col(text("id").primary_key())
        .col(text("kind"))
        .col(text_null("account_id"))
        .col(text("subject"))
        .col(json_binary("payload"))
        .col(text("state"))
        .col(big_integer("due_at"))
        .col(big_integer_null("delivered_at"))
        .col(integer("attempts").default(0))
        .col(integer("max_attempts"))
        .col(text_null("worker"))
        .col(big_integer_null("lease_until"))
        .col(boolean("cancel_requested").default(false))
        .col(text_null("error"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone_null("started_at"))
        .col(timestamp_with_time_zone_null("finished_at"))
        .check(Expr::col("state").is_in(STATES))
        .to_owned()
}

fn schedule() -> TableCreateStatement {
    Table::create().table("schedule").col(text("name").primary_key()).col(big_integer("due_at")).to_owned()
}

fn worker() -> TableCreateStatement {
    Table::create()
        .table("worker")
        .col(text("id").primary_key())
        .col(text("name"))
        .col(text("version"))
        .col(timestamp_with_time_zone("started_at"))
        .col(big_integer("seen_at"))
        .col(text("jobs"))
        .to_owned()
}
