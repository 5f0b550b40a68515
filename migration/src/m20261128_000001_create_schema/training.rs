//! Checkpoints and evaluations.

use sea_orm_migration::{prelude::*, schema::*};

use super::jobs::STATES;

pub(super) const INDEXES: &[&str] = &[
    // A Judge has one open Checkpoint at most.
    "CREATE UNIQUE INDEX checkpoint_open ON checkpoint (judge_id) WHERE state IN ('queued', 'running')",
    "CREATE INDEX checkpoint_judge ON checkpoint (judge_id, id)",
    "CREATE INDEX checkpoint_account ON checkpoint (account_id, id)",
    "CREATE INDEX checkpoint_artefact ON checkpoint (artefact)",
    "CREATE INDEX checkpoint_event_of ON checkpoint_event (checkpoint_id, seq)",
    "CREATE INDEX evaluation_judge ON evaluation (judge_id, id)",
    "CREATE INDEX evaluation_account ON evaluation (account_id, id)",
    "CREATE INDEX evaluation_open ON evaluation (account_id) WHERE state IN ('queued', 'running')",
    // Deleting a sample deletes its answers.
    "CREATE INDEX evaluation_answer_sample ON evaluation_answer (sample_seq)",
];

pub(super) fn tables() -> Vec<TableCreateStatement> {
    vec![artefact(), checkpoint(), checkpoint_event(), evaluation(), evaluation_answer()]
}

fn artefact() -> TableCreateStatement {
    Table::create()
        .table("artefact")
        .col(text("sha256").primary_key())
        .col(blob("bytes"))
        .col(timestamp_with_time_zone("created_at"))
        .to_owned()
}

fn checkpoint() -> TableCreateStatement {
    Table::create()
        .table("checkpoint")
        .col(text("id").primary_key())
        .col(text("account_id"))
        .col(text("judge_id"))
        .col(integer("judge_version"))
        .col(text("state"))
        .col(text("job_id").unique_key())
        .col(big_integer("price"))
        .col(big_integer("last_sample"))
        .col(big_integer("last_label"))
        .col(big_integer("seed"))
        .col(boolean("auto_activate"))
        .col(double("progress").default(0.0))
        .col(text_null("metrics"))
        .col(text_null("report"))
        .col(text_null("recalibrations"))
        .col(text_null("artefact"))
        .col(text_null("backbone"))
        .col(text_null("error"))
        .col(text("created_by"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone_null("started_at"))
        .col(timestamp_with_time_zone_null("finished_at"))
        .col(timestamp_with_time_zone_null("activated_at"))
        .check(Expr::col("state").is_in(STATES))
        .foreign_key(ForeignKey::create().from_col("judge_id").to("judge", "id"))
        .foreign_key(ForeignKey::create().from_col("artefact").to("artefact", "sha256"))
        .to_owned()
}

fn checkpoint_event() -> TableCreateStatement {
    Table::create()
        .table("checkpoint_event")
        .col(big_integer("seq").auto_increment().primary_key())
        .col(text("checkpoint_id"))
        .col(text("level"))
        .col(text("message"))
        .col(text("numbers"))
        .col(timestamp_with_time_zone("created_at"))
        .foreign_key(
            ForeignKey::create()
                .from_col("checkpoint_id")
                .to("checkpoint", "id")
                .on_delete(ForeignKeyAction::Cascade),
        )
        .to_owned()
}

fn evaluation() -> TableCreateStatement {
    Table::create()
        .table("evaluation")
        .col(text("id").primary_key())
        .col(text("account_id"))
        .col(text("judge_id"))
        .col(integer("judge_version"))
        .col(text_null("checkpoint_id"))
        .col(text_null("backend"))
        .col(text("state"))
        .col(text("job_id").unique_key())
        .col(big_integer("price"))
        .col(big_integer("samples"))
        .col(big_integer("done").default(0))
        .col(big_integer("last_done").default(0))
        .col(big_integer("last_sample"))
        .col(big_integer("last_label"))
        .col(text("filter"))
        .col(text("scope"))
        .col(text_null("metrics"))
        .col(text_null("trained_metrics"))
        .col(text_null("error"))
        .col(text("created_by"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone_null("started_at"))
        .col(timestamp_with_time_zone_null("finished_at"))
        .check(Expr::col("state").is_in(STATES))
        .foreign_key(ForeignKey::create().from_col("judge_id").to("judge", "id"))
        .to_owned()
}

fn evaluation_answer() -> TableCreateStatement {
    Table::create()
        .table("evaluation_answer")
        .col(text("evaluation_id"))
        .col(big_integer("sample_seq"))
        .col(text("key"))
        .col(boolean("trained"))
        .col(text("truth"))
        .col(text_null("value"))
        .col(double_null("probability"))
        .col(double_null("truth_probability"))
        .col(double_null("brier"))
        .primary_key(Index::create().col("evaluation_id").col("sample_seq").col("key"))
        .foreign_key(
            ForeignKey::create()
                .from_col("evaluation_id")
                .to("evaluation", "id")
                .on_delete(ForeignKeyAction::Cascade),
        )
        .foreign_key(
            ForeignKey::create()
                .from_col("sample_seq")
                .to("sample", "seq")
                .on_delete(ForeignKeyAction::Cascade),
        )
        .to_owned()
}
