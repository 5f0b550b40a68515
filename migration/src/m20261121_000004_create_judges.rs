//! Judges and their datasets; sessions, invitations and the audit log.

use sea_orm_migration::{
    prelude::*,
    schema::*,
    sea_orm::{ConnectionTrait, DbBackend},
};

/// Creates the tables and their indexes.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// A column's name.
fn c(name: &'static str) -> Alias {
    Alias::new(name)
}

fn references(
    table: &'static str,
    column: &'static str,
    parent: &'static str,
    parent_column: &'static str,
) -> ForeignKeyCreateStatement {
    ForeignKey::create().from(c(table), c(column)).to(c(parent), c(parent_column)).to_owned()
}

/// Indexes other than primary and unique keys. The condition of a partial index limits it to the rows that its query
/// reads; the indexes for statistics cover every column that these read.
const INDEXES: [&str; 17] = [
    "CREATE INDEX judge_account ON judge (account_id, id)",
    "CREATE INDEX sample_judge ON sample (judge_id, seq)",
    "CREATE INDEX sample_time ON sample
        (judge_id, created_at, latency_ms, credits, labels, judge_version, source)",
    "CREATE INDEX sample_content ON sample (judge_id, content_hash)",
    "CREATE INDEX sample_request ON sample (request_id)",
    "CREATE INDEX sample_account ON sample (account_id)",
    "CREATE INDEX sample_review ON sample \
        (judge_id, (COALESCE(certainty, 2.0)), seq, labels, claimed_until, claimed_by)",
    "CREATE INDEX answer_counts ON sample_answer
        (judge_id, key, value, created_at, probability, judge_version, source)",
    "CREATE INDEX answer_truth ON sample_answer
        (judge_id, key, truth, value, created_at, probability, judge_version, source, squares, truth_probability)
        WHERE truth IS NOT NULL",
    "CREATE INDEX label_sample ON label (sample_seq, seq)",
    "CREATE INDEX label_change ON label (change_id)",
    "CREATE INDEX label_account ON label (account_id)",
    "CREATE INDEX session_of_user ON session (user_id)",
    "CREATE INDEX session_expiry ON session (expires_at)",
    "CREATE INDEX invite_account ON invite (account_id)",
    "CREATE INDEX audit_account ON audit (account_id, seq)",
    "CREATE INDEX ledger_time ON ledger (account_id, created_at)",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let operator =
            Table::alter().table(c("app_user")).add_column(boolean(c("operator")).default(false)).to_owned();
        manager.alter_table(operator).await?;
        let erased = timestamp_with_time_zone_null(c("erased_at"));
        manager.alter_table(Table::alter().table(c("account")).add_column(erased).to_owned()).await?;
        for table in [judges(), versions(), samples(), answers(), labels(), sessions(), invites(), audit()] {
            manager.create_table(table).await?;
        }
        for index in INDEXES {
            manager.get_connection().execute_unprepared(index).await?;
        }
        if manager.get_database_backend() == DbBackend::Postgres {
            // Index-only scans of the statistics need rows that have been vacuumed since they were written.
            for table in ["sample", "sample_answer"] {
                let often = format!(
                    "ALTER TABLE {table} SET \
                     (autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02)"
                );
                manager.get_connection().execute_unprepared(&often).await?;
            }
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let tables =
            ["audit", "invite", "session", "label", "sample_answer", "sample", "judge_version", "judge"];
        for table in tables {
            manager.drop_table(Table::drop().table(c(table)).to_owned()).await?;
        }
        let operator = Table::alter().table(c("app_user")).drop_column(c("operator")).to_owned();
        manager.alter_table(operator).await?;
        let index = Index::drop().name("ledger_time").table(c("ledger")).to_owned();
        manager.drop_index(index).await?;
        manager.alter_table(Table::alter().table(c("account")).drop_column(c("erased_at")).to_owned()).await
    }
}

fn judges() -> TableCreateStatement {
    Table::create()
        .table(c("judge"))
        .col(text(c("id")).primary_key())
        .col(text(c("account_id")))
        .col(text(c("name")))
        .col(text(c("description")))
        .col(boolean(c("store_content")))
        .col(integer(c("version")))
        .col(timestamp_with_time_zone_null(c("archived_at")))
        .col(timestamp_with_time_zone(c("created_at")))
        .col(timestamp_with_time_zone(c("updated_at")))
        .foreign_key(&mut references("judge", "account_id", "account", "id"))
        .to_owned()
}

fn versions() -> TableCreateStatement {
    Table::create()
        .table(c("judge_version"))
        .col(text(c("judge_id")))
        .col(integer(c("version")))
        .col(text(c("instructions")))
        .col(text(c("parameters")))
        .col(text(c("created_by")))
        .col(timestamp_with_time_zone(c("created_at")))
        .primary_key(Index::create().col(c("judge_id")).col(c("version")))
        .foreign_key(&mut references("judge_version", "judge_id", "judge", "id"))
        .to_owned()
}

fn samples() -> TableCreateStatement {
    Table::create()
        .table(c("sample"))
        .col(big_integer(c("seq")).auto_increment().primary_key())
        .col(text(c("id")).unique_key())
        .col(text(c("account_id")))
        .col(text(c("judge_id")))
        .col(integer(c("judge_version")))
        .col(text(c("source")))
        .col(text_null(c("request_id")))
        .col(text(c("content_hash")))
        .col(text(c("state")))
        .col(text_null(c("instructions")))
        .col(text_null(c("model")))
        .col(text_null(c("backend")))
        .col(double_null(c("latency_ms")))
        .col(big_integer(c("credits")))
        .col(double_null(c("certainty")))
        .col(integer(c("labels")).default(0))
        .col(text_null(c("claimed_by")))
        .col(big_integer_null(c("claimed_until")))
        .col(timestamp_with_time_zone(c("created_at")))
        .check(Expr::col(c("source")).is_in(["inference", "import"]))
        .foreign_key(&mut references("sample", "judge_id", "judge", "id"))
        .to_owned()
}

fn answers() -> TableCreateStatement {
    Table::create()
        .table(c("sample_answer"))
        .col(big_integer(c("sample_seq")))
        .col(text(c("key")))
        .col(integer(c("position")))
        .col(text(c("judge_id")))
        .col(integer(c("judge_version")))
        .col(text(c("source")))
        .col(timestamp_with_time_zone(c("created_at")))
        .col(text(c("kind")))
        .col(text_null(c("value")))
        .col(text_null(c("answer")))
        .col(double_null(c("probability")))
        .col(text_null(c("probabilities")))
        .col(double_null(c("squares")))
        .col(text_null(c("truth")))
        .col(double_null(c("truth_probability")))
        .col(text_null(c("truth_by")))
        .col(timestamp_with_time_zone_null(c("truth_at")))
        .primary_key(Index::create().col(c("sample_seq")).col(c("key")))
        .check(Expr::col(c("kind")).is_in(["choice", "score", "noul", "text"]))
        .foreign_key(
            references("sample_answer", "sample_seq", "sample", "seq").on_delete(ForeignKeyAction::Cascade),
        )
        .to_owned()
}

fn labels() -> TableCreateStatement {
    Table::create()
        .table(c("label"))
        .col(big_integer(c("seq")).auto_increment().primary_key())
        .col(text(c("change_id")))
        .col(text(c("account_id")))
        .col(text(c("judge_id")))
        .col(big_integer(c("sample_seq")))
        .col(text(c("key")))
        .col(text_null(c("previous")))
        .col(text_null(c("value")))
        .col(text(c("actor")))
        .col(timestamp_with_time_zone(c("created_at")))
        .foreign_key(references("label", "sample_seq", "sample", "seq").on_delete(ForeignKeyAction::Cascade))
        .to_owned()
}

fn sessions() -> TableCreateStatement {
    Table::create()
        .table(c("session"))
        .col(text(c("id")).primary_key())
        .col(text(c("user_id")))
        .col(text(c("hash")).unique_key())
        .col(text(c("user_agent")))
        .col(timestamp_with_time_zone(c("created_at")))
        .col(timestamp_with_time_zone(c("last_used_at")))
        .col(timestamp_with_time_zone(c("expires_at")))
        .foreign_key(references("session", "user_id", "app_user", "id").on_delete(ForeignKeyAction::Cascade))
        .to_owned()
}

fn invites() -> TableCreateStatement {
    Table::create()
        .table(c("invite"))
        .col(text(c("id")).primary_key())
        .col(text(c("account_id")))
        .col(text(c("email")))
        .col(text(c("role")))
        .col(text(c("hash")).unique_key())
        .col(text(c("created_by")))
        .col(timestamp_with_time_zone(c("created_at")))
        .col(timestamp_with_time_zone(c("expires_at")))
        .check(Expr::col(c("role")).is_in(["owner", "editor", "analyst"]))
        .foreign_key(&mut references("invite", "account_id", "account", "id"))
        .to_owned()
}

fn audit() -> TableCreateStatement {
    Table::create()
        .table(c("audit"))
        .col(big_integer(c("seq")).auto_increment().primary_key())
        .col(text(c("account_id")))
        .col(text(c("actor")))
        .col(text(c("action")))
        .col(text(c("target")))
        .col(text(c("detail")))
        .col(timestamp_with_time_zone(c("created_at")))
        .foreign_key(&mut references("audit", "account_id", "account", "id"))
        .to_owned()
}
