//! The part that all statistics statements share: their conditions and their rows.

use sea_orm::{DbBackend, QueryResult, Statement, Value};

use crate::{Error, Result, foundation::database::Database, learning::dataset::SampleFilter};
use ports::id::{AccountId, DatasetId};

/// The account and filter of a statement.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) db: &'a Database,
    pub(super) account: &'a AccountId,
    pub(super) filter: &'a SampleFilter,
}

/// A table with samples' rows, which determines the meaning of `labelled`.
#[derive(Clone, Copy)]
pub(super) enum Table {
    /// `sample`: labelled under any key.
    Samples,
    /// `sample`, of which the statement reads verdicts alone, and no more than their index has.
    Verdicts,
    /// `sample_answer`: labelled under this key.
    Answers,
}

/// A statement under construction, with its bound values.
pub(super) struct Select {
    pub(super) sql: String,
    values: Vec<Value>,
    backend: DbBackend,
}

impl Select {
    pub(super) fn new(db: &Database) -> Self {
        Self { sql: String::new(), values: Vec::new(), backend: db.read().get_database_backend() }
    }

    /// Begins `SELECT {what} FROM` the rows `s` of the datasets, ready for further conditions.
    pub(super) fn of(scope: Scope<'_>, what: &str, table: Table, datasets: &[DatasetId]) -> Self {
        let mut select = Self::new(scope.db);
        // SQLite takes the index of times for cheaper, and reads each sample for it.
        let index = match table {
            Table::Verdicts => by_backend(scope.db, "", " INDEXED BY sample_insights"),
            Table::Samples | Table::Answers => "",
        };
        select.sql =
            format!("SELECT {what} FROM judge j JOIN {} s{index} ON s.judge_id = j.id", table.name());
        select.within(scope, table);
        let datasets: Vec<_> = datasets.iter().map(|dataset| select.bind(dataset.as_str())).collect();
        select.sql += format!(" AND j.id IN ({})", datasets.join(", ")).as_str();
        select
    }

    /// Appends ` WHERE` the rows `s` of the datasets `j` are within `scope`.
    pub(super) fn within(&mut self, scope: Scope<'_>, table: Table) {
        let SampleFilter { since, until, version, source, labelled } = scope.filter;
        let mut all = vec![format!("j.account_id = {}", self.bind(scope.account.as_str()))];
        all.extend(since.map(|since| format!("s.created_at >= {}", self.bind(since))));
        all.extend(until.map(|until| format!("s.created_at < {}", self.bind(until))));
        all.extend(version.map(|version| format!("s.judge_version = {}", self.bind(version))));
        all.extend(source.map(|source| format!("s.source = {}", self.bind(<&str>::from(source)))));
        all.extend(labelled.map(|labelled| table.labelled(labelled).to_owned()));
        self.sql += " WHERE ";
        self.sql += all.join(" AND ").as_str();
    }

    /// Binds a value and returns its placeholder.
    pub(super) fn bind(&mut self, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        format!("${}", self.values.len())
    }

    /// Runs the statement for an account, see [`LongQueries`](crate::foundation::database::Database::long_queries).
    pub(super) async fn rows(self, db: &Database, account: &AccountId) -> Result<Vec<QueryResult>> {
        let statement = Statement::from_sql_and_values(self.backend, self.sql, self.values);
        db.long_queries().query_all(account, statement).await
    }
}

impl Table {
    fn name(self) -> &'static str {
        match self {
            Table::Samples | Table::Verdicts => "sample",
            Table::Answers => "sample_answer",
        }
    }

    fn labelled(self, labelled: bool) -> &'static str {
        match (self, labelled) {
            (Table::Samples | Table::Verdicts, true) => "s.labels > 0",
            (Table::Samples | Table::Verdicts, false) => "s.labels = 0",
            (Table::Answers, true) => "s.truth IS NOT NULL",
            (Table::Answers, false) => "s.truth IS NULL",
        }
    }
}

/// Chooses the SQL of the database in use.
pub(super) fn by_backend(db: &Database, postgres: &'static str, sqlite: &'static str) -> &'static str {
    match db.read().get_database_backend() {
        DbBackend::Postgres => postgres,
        _ => sqlite,
    }
}

/// SQL for the UTC day of a row. SQLite stores times as RFC 3339 text in UTC.
pub(super) fn day(db: &Database) -> &'static str {
    by_backend(db, "CAST(s.created_at AT TIME ZONE 'UTC' AS DATE)", "substr(s.created_at, 1, 10)")
}

/// Reads a count.
pub(super) fn count(row: &QueryResult, column: &str) -> Result<u64> {
    u64::try_from(row.try_get::<i64>("", column)?).map_err(Error::internal)
}

/// Reads the dataset of a row.
pub(super) fn dataset(row: &QueryResult) -> Result<DatasetId> {
    Ok(DatasetId::from(row.try_get::<String>("", "judge_id")?))
}
