//! Checks the database: that it answers and can be written, its migrations, and its clock against ours.

use std::time::{SystemTime, UNIX_EPOCH};

use domain::foundation::database::Database;
use migration::MigrationStatus;

use super::check::Check;
use crate::{
    config::Config,
    database::{self, sqlite_file, without_password},
};

const REACH: &str = "database";
const MIGRATIONS: &str = "migrations";
const CLOCK: &str = "clock";
/// The most that the clocks may differ. Times that people see come from both.
const CLOCKS_DIFFER_MS: i64 = 2_000;

/// The checks, as far as they can be made without creating or migrating the database.
pub(super) async fn check(config: &Config) -> Vec<Check> {
    if let Err(error) = database::check(config).await {
        let advice = "check `database_url`, and that the server runs and lets this machine in";
        return vec![Check::fail(REACH, format!("{error:#}"), advice)];
    }
    let url = config.process.database_url();
    if let Some(file) = sqlite_file(&url).filter(|file| !file.exists()) {
        let found = format!("{} is not there yet; the first start creates it", file.display());
        return vec![Check::ok(REACH, found)];
    }
    let status = match migration::status(&url).await {
        Ok(status) => status,
        Err(error) => {
            let found = without_password(&url, &error.to_string());
            return vec![Check::fail(REACH, found, "check `database_url` and the permissions of its user")];
        }
    };
    let checked = migrations(&status);
    if !status.pending.is_empty() || !status.unknown.is_empty() {
        return vec![Check::ok(REACH, "it answers"), checked];
    }
    match Database::connect(&url, 1).await {
        Ok(db) => vec![written(&db).await, checked, clock(&db).await],
        Err(error) => {
            let found = without_password(&url, &error.to_string());
            vec![Check::fail(REACH, found, "check `database_url`"), checked]
        }
    }
}

fn migrations(status: &MigrationStatus) -> Check {
    let MigrationStatus { applied, pending, unknown } = status;
    if let Some(newest) = unknown.last() {
        return Check::fail(
            MIGRATIONS,
            format!("a newer Gavel has migrated the database: {newest} is not known to this one"),
            "install that version; there are no downgrades, except to a backup",
        );
    }
    if !pending.is_empty() {
        return Check::warn(
            MIGRATIONS,
            format!("{} of {} pending", pending.len(), pending.len() + applied),
            "back up, then run `gavel migrate`; the next start applies them too",
        );
    }
    Check::ok(MIGRATIONS, format!("all applied ({applied})"))
}

async fn written(db: &Database) -> Check {
    match db.probe_write().await {
        Ok(()) => Check::ok(REACH, "it answers and can be written"),
        Err(error) => {
            let advice = "check its disk and the permissions of its user: nothing can be stored";
            Check::fail(REACH, format!("it cannot be written: {error}"), advice)
        }
    }
}

async fn clock(db: &Database) -> Check {
    let before = now_ms();
    let theirs = match db.now(db.read()).await {
        Ok(theirs) => theirs,
        Err(error) => {
            return Check::warn(CLOCK, format!("the database's clock is unknown: {error}"), "try again");
        }
    };
    let after = now_ms();
    let differ = theirs - i64::midpoint(before, after);
    // The time of the answer is not known better than this.
    if differ.abs() <= CLOCKS_DIFFER_MS + (after - before) {
        return Check::ok(CLOCK, format!("the database's clock differs by {differ} ms"));
    }
    Check::warn(
        CLOCK,
        format!("the database's clock differs by {:.1} s", differ as f64 / 1e3),
        "synchronise both with NTP: webhooks' signatures have this machine's time, deadlines the database's",
    )
}

fn now_ms() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_millis()).unwrap_or(i64::MAX)
}
