//! Accounts, the people and keys that belong to them, and the audit log.

use sea_orm_migration::{prelude::*, schema::*};

const ROLES: [&str; 4] = ["owner", "editor", "analyst", "moderator"];

pub(super) const INDEXES: &[&str] = &[
    "CREATE INDEX app_user_account ON app_user (account_id)",
    "CREATE INDEX session_of_user ON session (user_id)",
    "CREATE INDEX session_expiry ON session (expires_at)",
    "CREATE INDEX invite_account ON invite (account_id)",
    "CREATE INDEX api_key_account ON api_key (account_id)",
    "CREATE INDEX audit_account ON audit (account_id, seq)",
    "CREATE INDEX audit_action ON audit (account_id, action, seq)",
];

pub(super) fn tables() -> Vec<TableCreateStatement> {
    vec![account(), user(), session(), password_reset(), invite(), api_key(), audit()]
}

fn account() -> TableCreateStatement {
    Table::create()
        .table("account")
        .col(text("id").primary_key())
        .col(text("name"))
        .col(big_integer("balance").default(0))
        .col(big_integer("held").default(0))
        .col(big_integer("ledger_seq").default(0))
        .col(integer_null("rate_limit_per_minute"))
        .col(text_null("backends"))
        .col(boolean("low_balance_told").default(false))
        .col(timestamp_with_time_zone_null("summary_at"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone_null("erased_at"))
        .check(Expr::col("balance").gte(0))
        .check(Expr::col("held").gte(0).and(Expr::col("held").lte(Expr::col("balance"))))
        .to_owned()
}

fn user() -> TableCreateStatement {
    Table::create()
        .table("app_user")
        .col(text("id").primary_key())
        .col(text("account_id"))
        .col(text("email").unique_key())
        .col(text_null("password_hash"))
        .col(text("role"))
        .col(boolean("operator"))
        .col(boolean("weekly_summary"))
        .col(boolean("low_balance"))
        .col(timestamp_with_time_zone("created_at"))
        .check(Expr::col("role").is_in(ROLES))
        .foreign_key(ForeignKey::create().from_col("account_id").to("account", "id"))
        .to_owned()
}

fn session() -> TableCreateStatement {
    Table::create()
        .table("session")
        .col(text("id").primary_key())
        .col(text("user_id"))
        .col(text("hash").unique_key())
        .col(text("user_agent"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone("last_used_at"))
        .col(timestamp_with_time_zone("expires_at"))
        .foreign_key(
            ForeignKey::create()
                .from_col("user_id")
                .to("app_user", "id")
                .on_delete(ForeignKeyAction::Cascade),
        )
        .to_owned()
}

fn password_reset() -> TableCreateStatement {
    Table::create()
        .table("password_reset")
        .col(text("hash").primary_key())
        .col(text("user_id").unique_key())
        .col(timestamp_with_time_zone("expires_at"))
        .foreign_key(
            ForeignKey::create()
                .from_col("user_id")
                .to("app_user", "id")
                .on_delete(ForeignKeyAction::Cascade),
        )
        .to_owned()
}

fn invite() -> TableCreateStatement {
    Table::create()
        .table("invite")
        .col(text("id").primary_key())
        .col(text("account_id"))
        .col(text("email"))
        .col(text("role"))
        .col(text("hash").unique_key())
        .col(text("created_by"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone("expires_at"))
        .check(Expr::col("role").is_in(ROLES))
        .foreign_key(ForeignKey::create().from_col("account_id").to("account", "id"))
        .to_owned()
}

fn api_key() -> TableCreateStatement {
    Table::create()
        .table("api_key")
        .col(text("id").primary_key())
        .col(text("account_id"))
        .col(text("name"))
        .col(text("hash").unique_key())
        .col(text("hint"))
        .col(text("scopes"))
        .col(text_null("moderation_policy_id"))
        .col(text_null("backends"))
        .col(integer_null("rate_limit_per_minute"))
        .col(text_null("limited_by"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone_null("last_used_at"))
        .col(timestamp_with_time_zone_null("expires_at"))
        .col(timestamp_with_time_zone_null("revoked_at"))
        .foreign_key(ForeignKey::create().from_col("account_id").to("account", "id"))
        .to_owned()
}

fn audit() -> TableCreateStatement {
    Table::create()
        .table("audit")
        .col(big_integer("seq").auto_increment().primary_key())
        .col(text("account_id"))
        .col(text("actor"))
        .col(text("action"))
        .col(text("target"))
        .col(text("detail"))
        .col(timestamp_with_time_zone("created_at"))
        .foreign_key(ForeignKey::create().from_col("account_id").to("account", "id"))
        .to_owned()
}
