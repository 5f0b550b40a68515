//! The moderation queue: what a moderation log knows of a message beside its text, and the role of a moderator.

use sea_orm_migration::{
    prelude::*,
    schema::*,
    sea_orm::{ConnectionTrait, DbBackend, Statement},
};

/// Adds the columns of a verdict and `assigned_to` to `sample`, indexes for the queue's orders and filters, and the
/// role `moderator`.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// A column's name.
fn c(name: &'static str) -> Alias {
    Alias::new(name)
}

const TEXTS: [&str; 8] =
    ["action", "harms", "author", "channel", "language", "policy_id", "verdict", "assigned_to"];

/// The first has all that the queue filters by, so that it is read and counted from the index alone.
const INDEXES: [&str; 3] = [
    "CREATE INDEX sample_severity ON sample \
        (judge_id, threat_score, seq, labels, action, harms, channel, language, policy_id, assigned_to) \
        WHERE threat_score IS NOT NULL",
    "CREATE INDEX sample_author ON sample (judge_id, author, seq) WHERE author IS NOT NULL",
    "CREATE INDEX sample_channel ON sample (judge_id, channel, seq) WHERE channel IS NOT NULL",
];

const ROLES: &str = "'owner', 'editor', 'analyst'";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for name in TEXTS {
            add(manager, text_null(c(name))).await?;
        }
        add(manager, double_null(c("threat_score"))).await?;
        for index in INDEXES {
            manager.get_connection().execute_unprepared(index).await?;
        }
        let with_moderator = format!("{ROLES}, 'moderator'");
        set_roles(manager, ROLES, &with_moderator).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        for table in ["app_user", "invite"] {
            let demote = format!("UPDATE {table} SET role = 'analyst' WHERE role = 'moderator'");
            connection.execute_unprepared(&demote).await?;
        }
        let with_moderator = format!("{ROLES}, 'moderator'");
        set_roles(manager, &with_moderator, ROLES).await?;
        for index in ["sample_severity", "sample_author", "sample_channel"] {
            connection.execute_unprepared(&format!("DROP INDEX {index}")).await?;
        }
        for name in TEXTS.into_iter().chain(["threat_score"]) {
            manager.alter_table(Table::alter().table(c("sample")).drop_column(c(name)).to_owned()).await?;
        }
        Ok(())
    }
}

async fn add(manager: &SchemaManager<'_>, mut column: ColumnDef) -> Result<(), DbErr> {
    manager.alter_table(Table::alter().table(c("sample")).add_column(&mut column).to_owned()).await
}

/// Changes the roles that users and invitations may have. SQLite cannot change a `CHECK`, and documents this way of
/// editing the stored statement: <https://www.sqlite.org/lang_altertable.html#otheralter>.
async fn set_roles(manager: &SchemaManager<'_>, from: &str, to: &str) -> Result<(), DbErr> {
    let connection = manager.get_connection();
    if manager.get_database_backend() == DbBackend::Postgres {
        for table in ["app_user", "invite"] {
            let change = format!(
                "ALTER TABLE {table} DROP CONSTRAINT {table}_role_check, \
                 ADD CONSTRAINT {table}_role_check CHECK (role IN ({to}))"
            );
            connection.execute_unprepared(&change).await?;
        }
        return Ok(());
    }
    let [from, to] = [from, to].map(|roles| roles.replace('\'', "''"));
    let edit = format!(
        "UPDATE sqlite_schema SET sql = replace(sql, '{from}', '{to}') \
         WHERE type = 'table' AND name IN ('app_user', 'invite')"
    );
    let version: i64 = connection
        .query_one_raw(Statement::from_string(DbBackend::Sqlite, "PRAGMA schema_version"))
        .await?
        .ok_or_else(|| DbErr::Custom("SQLite has no schema version".to_owned()))?
        .try_get("", "schema_version")?;
    let next = format!("PRAGMA schema_version = {}", version + 1);
    for statement in ["PRAGMA writable_schema = ON", &edit, &next, "PRAGMA writable_schema = OFF"] {
        connection.execute_unprepared(statement).await?;
    }
    Ok(())
}
