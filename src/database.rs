//! Opens the database. A new SQLite file can be read only by its owner, and error messages never contain a password.

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io::{ErrorKind, Write as _},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, anyhow, bail};
use domain::foundation::database::Database;

use crate::config::Config;

/// Bytes that are released when the database cannot be opened. On a full disk SQLite does not open a file even for
/// reading: it needs space for the memory that its processes share.
const RESERVE_BYTES: usize = 256 * 1024;

/// Opens the database and applies all migrations.
///
/// # Errors
/// If the database cannot be reached or migrated; the message contains no password.
pub(crate) async fn open(config: &Config) -> anyhow::Result<Database> {
    check(config).await?;
    let url = config.process.database_url();
    open_url(config, &url).await.map_err(|error| anyhow!(without_password(&url, &format!("{error:#}"))))
}

/// Checks within 3 s that the database can be reached. A server does this first, because loading its models takes
/// longer.
///
/// # Errors
/// If it cannot be reached, or `database_url` is not a database URL; the message contains no password.
pub(crate) async fn check(config: &Config) -> anyhow::Result<()> {
    let url = config.process.database_url();
    if !["sqlite:", "postgres:", "postgresql:"].iter().any(|scheme| url.starts_with(scheme)) {
        bail!("database_url must start with postgres:// or sqlite://");
    }
    Database::check(&url).await.map_err(|error| anyhow!(without_password(&url, &error.to_string())))
}

async fn open_url(config: &Config, url: &str) -> anyhow::Result<Database> {
    if url.contains(":memory:") {
        bail!("database_url must be a file: connections cannot share an in-memory SQLite database");
    }
    let Some(file) = sqlite_file(url) else { return connect(config, url).await };
    create_private(&config.process.data_dir, &file)?;
    let reserve = config.process.data_dir.join("reserve");
    match connect(config, url).await {
        Ok(db) => {
            keep_reserve(&reserve);
            Ok(db)
        }
        Err(error) if fs::remove_file(&reserve).is_ok() => {
            tracing::error!(
                error = format!("{error:#}"),
                "released the reserve of space, because the database could not be opened"
            );
            connect(config, url).await
        }
        failed => failed,
    }
}

async fn connect(config: &Config, url: &str) -> anyhow::Result<Database> {
    migration::migrate(url).await.context("cannot open or migrate the database")?;
    let db =
        Database::connect(url, config.process.database_pool).await.context("the database did not answer")?;
    Ok(db.with_account_bytes(config.domain.account_bytes()))
}

/// Takes space on the disk, unless it is taken. If there is none, the next start goes without.
fn keep_reserve(file: &Path) {
    let created = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file);
    let Ok(mut reserve) = created else { return };
    if reserve.write_all(&[0; RESERVE_BYTES]).and_then(|()| reserve.sync_all()).is_err() {
        let _ = fs::remove_file(file);
    }
}

/// Creates the data directory and a SQLite file that only its owner can read, if they are missing. SQLite gives its
/// other files the same permissions.
pub(crate) fn create_private(data_dir: &Path, file: &Path) -> anyhow::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(data_dir)
        .with_context(|| format!("data directory {}", data_dir.display()))?;
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(file) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            Err(error).with_context(|| format!("database file {}", file.display()))
        }
        _ => Ok(()),
    }
}

/// The file of a SQLite URL, if opening it creates the file.
pub(crate) fn sqlite_file(url: &str) -> Option<PathBuf> {
    let rest = url.strip_prefix("sqlite:")?;
    let path = rest.strip_prefix("//").unwrap_or(rest);
    let (path, parameters) = path.split_once('?').unwrap_or((path, "mode=rwc"));
    let creates = parameters.split('&').any(|parameter| parameter == "mode=rwc");
    // Percent-encoded names are left to SQLite.
    (creates && !path.contains('%')).then(|| PathBuf::from(path))
}

/// Replaces the password of `url` in a text.
pub(crate) fn without_password(url: &str, text: &str) -> String {
    let password = url.split_once("://").and_then(|(_, rest)| {
        // A password that is not encoded may contain `/`, `?` and `@`.
        let (user, _) = rest.rsplit_once('@')?;
        user.split_once(':').map(|(_, password)| password).filter(|password| !password.is_empty())
    });
    match password {
        Some(password) => text.replace(url, &url.replace(password, "…")).replace(password, "…"),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_removed_from_messages() {
        for (url, password) in [
            ("postgres://gavel:hunter22@db.internal/gavel", "hunter22"),
            ("postgre://gavel:hunter22@db.internal/gavel", "hunter22"),
            ("postgres://gavel:hun/ter@22@db.internal/gavel", "hun/ter@22"),
            ("redis://:hunter22@redis.internal:6379", "hunter22"),
        ] {
            let said = without_password(url, &format!("{url} cannot be used: {password} is wrong"));
            assert!(!said.contains(password) && said.contains("internal"), "{said}");
        }
        assert_eq!(without_password("postgres://gavel@db/gavel", "nothing"), "nothing");
    }

    #[test]
    fn a_sqlite_url_gives_its_file() {
        assert_eq!(sqlite_file("sqlite:///var/lib/g.sqlite"), Some(PathBuf::from("/var/lib/g.sqlite")));
        assert_eq!(sqlite_file("sqlite:g.sqlite"), Some(PathBuf::from("g.sqlite")));
        assert_eq!(sqlite_file("sqlite://g.sqlite?mode=rwc"), Some(PathBuf::from("g.sqlite")));
        assert_eq!(sqlite_file("sqlite://g.sqlite?mode=ro"), None);
        assert_eq!(sqlite_file("postgres://g"), None);
    }
}
