//! Judges and moderation logs, with their samples, answers and ground truths.

use sea_orm_migration::{prelude::*, schema::*};

/// The condition of a partial index limits it to the rows that its query reads. The indexes for statistics, and for the
/// moderation queue and its insights, cover every column that these read.
pub(super) const INDEXES: &[&str] = &[
    "CREATE INDEX judge_account ON judge (account_id, id)",
    "CREATE UNIQUE INDEX judge_moderation_log ON judge (account_id) WHERE kind = 'moderation'",
    "CREATE INDEX sample_judge ON sample (judge_id, seq)",
    "CREATE INDEX sample_time ON sample \
        (judge_id, created_at, latency_ms, credits, labels, judge_version, source)",
    "CREATE INDEX sample_content ON sample (judge_id, content_hash)",
    "CREATE INDEX sample_request ON sample (request_id)",
    "CREATE INDEX sample_account ON sample (account_id)",
    "CREATE INDEX sample_review ON sample \
        (judge_id, (COALESCE(certainty, 2.0)), seq, labels, claimed_until, claimed_by)",
    "CREATE INDEX sample_severity ON sample \
        (judge_id, threat_score, seq, labels, action, harms, channel, language, policy_id, assigned_to) \
        WHERE threat_score IS NOT NULL",
    "CREATE INDEX sample_author ON sample (judge_id, author, seq) WHERE author IS NOT NULL",
    "CREATE INDEX sample_channel ON sample (judge_id, channel, seq) WHERE channel IS NOT NULL",
    "CREATE INDEX sample_shadow ON sample \
        (judge_id, policy_id, shadow_version, action, shadow_action) WHERE shadow_version IS NOT NULL",
    "CREATE INDEX sample_insights ON sample \
        (judge_id, created_at, action, harms, channel, language, policy_id, author) WHERE action IS NOT NULL",
    "CREATE INDEX answer_counts ON sample_answer \
        (judge_id, key, value, created_at, probability, judge_version, source)",
    "CREATE INDEX answer_truth ON sample_answer \
        (judge_id, key, truth, value, created_at, probability, judge_version, source, squares, truth_probability) \
        WHERE truth IS NOT NULL",
    "CREATE INDEX label_sample ON label (sample_seq, seq)",
    "CREATE INDEX label_change ON label (change_id)",
    "CREATE INDEX label_account ON label (account_id)",
];

/// Index-only scans of the statistics need rows that have been vacuumed since they were written.
pub(super) const POSTGRES: [&str; 2] = [
    "ALTER TABLE sample SET \
        (autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02)",
    "ALTER TABLE sample_answer SET \
        (autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02)",
];

pub(super) fn tables() -> Vec<TableCreateStatement> {
    vec![judge(), judge_version(), sample(), sample_answer(), label(), storage()]
}

fn judge() -> TableCreateStatement {
    Table::create()
        .table("judge")
        .col(text("id").primary_key())
        .col(text("account_id"))
        .col(text("kind"))
        .col(text("name"))
        .col(text("description"))
        .col(boolean("store_content"))
        .col(integer_null("retention_days"))
        .col(integer("version"))
        .col(text_null("active_checkpoint_id"))
        .col(timestamp_with_time_zone_null("archived_at"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone("updated_at"))
        .foreign_key(ForeignKey::create().from_col("account_id").to("account", "id"))
        .to_owned()
}

fn judge_version() -> TableCreateStatement {
    Table::create()
        .table("judge_version")
        .col(text("judge_id"))
        .col(integer("version"))
        .col(text("instructions"))
        .col(text("parameters"))
        .col(text_null("state_schema"))
        .col(text("created_by"))
        .col(timestamp_with_time_zone("created_at"))
        .primary_key(Index::create().col("judge_id").col("version"))
        .foreign_key(ForeignKey::create().from_col("judge_id").to("judge", "id"))
        .to_owned()
}

fn sample() -> TableCreateStatement {
    Table::create()
        .table("sample")
        .col(big_integer("seq").auto_increment().primary_key())
        .col(text("id").unique_key())
        .col(text("account_id"))
        .col(text("judge_id"))
        .col(integer("judge_version"))
        .col(text("source"))
        .col(text_null("request_id"))
        .col(text("content_hash"))
        .col(text("state"))
        .col(text_null("instructions"))
        .col(text_null("model"))
        .col(text_null("backend"))
        .col(text_null("checkpoint_id"))
        .col(double_null("latency_ms"))
        .col(big_integer("credits"))
        .col(double_null("certainty"))
        .col(integer("labels").default(0))
        .col(text_null("claimed_by"))
        .col(big_integer_null("claimed_until"))
        // From here to `shadow_action`: of moderation logs only.
        .col(text_null("action"))
        .col(text_null("harms"))
        .col(double_null("threat_score"))
        .col(text_null("author"))
        .col(text_null("channel"))
        .col(text_null("language"))
        .col(text_null("policy_id"))
        .col(text_null("verdict"))
        .col(text_null("assigned_to"))
        .col(integer_null("shadow_version"))
        .col(text_null("shadow_action"))
        .col(timestamp_with_time_zone("created_at"))
        .check(Expr::col("source").is_in(["inference", "import"]))
        .foreign_key(ForeignKey::create().from_col("judge_id").to("judge", "id"))
        .to_owned()
}

fn sample_answer() -> TableCreateStatement {
    Table::create()
        .table("sample_answer")
        .col(big_integer("sample_seq"))
        .col(text("key"))
        .col(integer("position"))
        .col(text("judge_id"))
        .col(integer("judge_version"))
        .col(text("source"))
        .col(timestamp_with_time_zone("created_at"))
        .col(text("kind"))
        .col(text_null("value"))
        .col(text_null("answer"))
        .col(double_null("probability"))
        .col(text_null("probabilities"))
        .col(double_null("squares"))
        .col(text_null("server_model"))
        .col(text_null("truth"))
        .col(double_null("truth_probability"))
        .col(text_null("truth_by"))
        .col(timestamp_with_time_zone_null("truth_at"))
        .primary_key(Index::create().col("sample_seq").col("key"))
        .check(Expr::col("kind").is_in(["choice", "score", "noul", "text"]))
        .foreign_key(
            ForeignKey::create()
                .from_col("sample_seq")
                .to("sample", "seq")
                .on_delete(ForeignKeyAction::Cascade),
        )
        .to_owned()
}

fn label() -> TableCreateStatement {
    Table::create()
        .table("label")
        .col(big_integer("seq").auto_increment().primary_key())
        .col(text("change_id"))
        .col(text("account_id"))
        .col(text("judge_id"))
        .col(big_integer("sample_seq"))
        .col(text("key"))
        .col(text_null("previous"))
        .col(text_null("value"))
        .col(text("actor"))
        .col(text_null("note"))
        .col(timestamp_with_time_zone("created_at"))
        .foreign_key(
            ForeignKey::create()
                .from_col("sample_seq")
                .to("sample", "seq")
                .on_delete(ForeignKeyAction::Cascade),
        )
        .to_owned()
}

fn storage() -> TableCreateStatement {
    Table::create()
        .table("storage")
        .col(text("account_id").primary_key())
        .col(big_integer("bytes"))
        .to_owned()
}
