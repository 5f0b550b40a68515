//! Opens the database: creates a SQLite file that only its owner can read, names a PostgreSQL that cannot be reached, and
//! never prints a password.

use std::{
    fs::{DirBuilder, OpenOptions},
    io::ErrorKind,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, anyhow, bail};
use domain::database::Database;

use crate::config::Config;

/// Opens the database and applies all migrations.
///
/// # Errors
/// When the database cannot be reached or migrated; the message holds no password.
pub(crate) async fn open(config: &Config) -> anyhow::Result<Database> {
    check(config).await?;
    let url = config.process.database_url();
    open_url(config, &url).await.map_err(|error| anyhow!(without_password(&url, &format!("{error:#}"))))
}

/// Checks within 3 s that the database can be reached. A server does so before it loads its models, which takes longer.
///
/// # Errors
/// When it cannot, or `database_url` is no address of a database; the message holds no password.
pub(crate) async fn check(config: &Config) -> anyhow::Result<()> {
    let url = config.process.database_url();
    if !["sqlite:", "postgres:", "postgresql:"].iter().any(|scheme| url.starts_with(scheme)) {
        bail!("database_url must begin with postgres:// or sqlite://");
    }
    Database::check(&url).await.map_err(|error| anyhow!(without_password(&url, &error)))
}

async fn open_url(config: &Config, url: &str) -> anyhow::Result<Database> {
    if url.contains(":memory:") {
        bail!("database_url must be a file: a SQLite database in memory cannot be shared by connections");
    }
    if let Some(file) = sqlite_file(url) {
        create_private(&config.process.data_dir, &file)?;
    }
    migration::migrate(url).await.context("the database could not be opened or migrated")?;
    let db =
        Database::connect(url, config.process.database_pool).await.context("the database did not answer")?;
    Ok(db.with_account_bytes(config.domain.account_bytes()))
}

/// Creates a missing data directory, and a missing file of SQLite that only its owner can read. SQLite gives its other
/// files the permissions of this one.
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

/// The file of a SQLite address that creates its file; none for one that opens an existing file alone.
fn sqlite_file(url: &str) -> Option<PathBuf> {
    let rest = url.strip_prefix("sqlite:")?;
    let path = rest.strip_prefix("//").unwrap_or(rest);
    let (path, parameters) = path.split_once('?').unwrap_or((path, "mode=rwc"));
    let creates = parameters.split('&').any(|parameter| parameter == "mode=rwc");
    // Encoded names are left to SQLite.
    (creates && !path.contains('%')).then(|| PathBuf::from(path))
}

/// Replaces the password of `url` in a text.
pub(crate) fn without_password(url: &str, text: &str) -> String {
    let password = url.split_once("://").and_then(|(_, rest)| {
        // A password may hold any of `/`, `?` and `@` when somebody forgot to encode it.
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
    fn a_password_is_not_repeated() {
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
    fn a_sqlite_address_names_its_file() {
        assert_eq!(sqlite_file("sqlite:///var/lib/g.sqlite"), Some(PathBuf::from("/var/lib/g.sqlite")));
        assert_eq!(sqlite_file("sqlite:g.sqlite"), Some(PathBuf::from("g.sqlite")));
        assert_eq!(sqlite_file("sqlite://g.sqlite?mode=rwc"), Some(PathBuf::from("g.sqlite")));
        assert_eq!(sqlite_file("sqlite://g.sqlite?mode=ro"), None);
        assert_eq!(sqlite_file("postgres://g"), None);
    }
}
