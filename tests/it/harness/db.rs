//! A test's database and data directory, and the binary's operator commands on it.

use std::{
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use serde_json::Value;
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;

use super::{postgres_database::OwnDatabase, record::Record, server::BUSY};

/// A database used by one test, with a data directory. Cheap to clone; removed with its last clone.
#[derive(Clone)]
pub(crate) struct Db(Arc<Inner>);

struct Inner {
    url: String,
    // Dropped before the directory, and after every server that holds a clone.
    _postgres: Option<OwnDatabase>,
    dir: TempDir,
    record: Record,
    accounts: AtomicUsize,
    logs: AtomicUsize,
    models_at_start: AtomicBool,
}

/// An account with one key.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    /// `acc_…`
    pub(crate) id: String,
    /// The secret of the account's key.
    pub(crate) key: String,
    /// The public id of the account's key.
    pub(crate) key_id: String,
    /// The owner's e-mail address.
    pub(crate) email: String,
}

/// The result of a command.
#[derive(Debug)]
pub(crate) struct CommandResult {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Db {
    /// The directory to which `make models` installs the models.
    pub(crate) const MODELS_DIR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/.cache/models");

    /// A new SQLite database at the default path in the data directory.
    pub(crate) fn sqlite() -> Self {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let url = format!("sqlite://{}", dir.path().join("data/gavel.sqlite").display());
        Self::new(url, None, dir)
    }

    /// A new, migrated Postgres database on the server at `GAVEL_TEST_POSTGRES_URL`.
    pub(crate) async fn postgres() -> Self {
        let own = OwnDatabase::from_template(&from_environment("GAVEL_TEST_POSTGRES_URL")).await;
        Self::new(own.url(), Some(own), tempfile::tempdir().expect("a temporary directory"))
    }

    /// A new, empty Postgres database on a server started by the test, for example to kill it.
    pub(crate) async fn postgres_at(admin_url: &str) -> Self {
        let own = OwnDatabase::empty(admin_url).await;
        Self::new(own.url(), Some(own), tempfile::tempdir().expect("a temporary directory"))
    }

    fn new(url: String, postgres: Option<OwnDatabase>, dir: TempDir) -> Self {
        std::fs::create_dir(dir.path().join("logs")).expect("a directory for logs");
        Self(Arc::new(Inner {
            url,
            _postgres: postgres,
            dir,
            record: Record::default(),
            accounts: AtomicUsize::default(),
            logs: AtomicUsize::default(),
            models_at_start: AtomicBool::default(),
        }))
    }

    /// Makes processes load the models before they listen. Otherwise they load each with the first request that needs
    /// it, since most tests need none.
    pub(crate) fn load_models_at_start(&self) {
        self.0.models_at_start.store(true, Ordering::Relaxed);
    }

    /// The URL, as in `GAVEL_DATABASE_URL`.
    pub(crate) fn url(&self) -> &str {
        &self.0.url
    }

    /// True for SQLite.
    pub(crate) fn is_sqlite(&self) -> bool {
        self.url().starts_with("sqlite:")
    }

    /// The data directory, which exists after the first command.
    pub(crate) fn data_dir(&self) -> PathBuf {
        self.0.dir.path().join("data")
    }

    /// The directory with the logs of every process on this database.
    pub(crate) fn log_dir(&self) -> PathBuf {
        self.0.dir.path().join("logs")
    }

    /// A new file name for a process' output.
    pub(crate) fn new_log(&self) -> PathBuf {
        self.log_dir().join(format!("{}.log", self.0.logs.fetch_add(1, Ordering::Relaxed)))
    }

    /// The record of what the test did.
    pub(crate) fn record(&self) -> &Record {
        &self.0.record
    }

    /// A connection to the database for the test itself. The database must exist.
    pub(crate) async fn connect(&self) -> sea_orm::DatabaseConnection {
        let mut options = sea_orm::ConnectOptions::new(self.url());
        // Without these two, the pool has no maintenance task: sqlx 0.9.0's can spin for ever when its pool is closed.
        options.max_connections(1).idle_timeout(None).max_lifetime(None).sqlx_logging(false);
        sea_orm::Database::connect(options).await.expect("the test's own connection")
    }

    /// Executes a statement; returns the number of affected rows.
    pub(crate) async fn execute(&self, sql: &str) -> u64 {
        let connection = self.connect().await;
        let done = sea_orm::ConnectionTrait::execute_unprepared(&connection, sql).await.expect(sql);
        connection.close().await.expect("a closed connection");
        done.rows_affected()
    }

    /// A command of the binary on this database, without the environment of this machine.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gavel"));
        command.args(args).current_dir(self.0.dir.path()).stdin(Stdio::null());
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("GAVEL_DATA_DIR", self.data_dir());
        command.env("GAVEL_MODELS_DIR", Self::MODELS_DIR);
        let at_start = self.0.models_at_start.load(Ordering::Relaxed);
        command.env("GAVEL_LOAD_MODELS", if at_start { "at_start" } else { "on_first_use" });
        if !self.is_sqlite() {
            command.env("GAVEL_DATABASE_URL", self.url());
        }
        command
    }

    /// Runs the binary until it exits, with `input` on stdin.
    pub(crate) async fn run(
        &self,
        args: &[&str],
        env: &[(&str, &str)],
        input: impl AsRef<[u8]>,
    ) -> CommandResult {
        let mut command = self.command(args);
        command.envs(env.iter().copied()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child =
            tokio::process::Command::from(command).kill_on_drop(true).spawn().expect("the binary starts");
        let mut stdin = child.stdin.take().expect("a piped stdin");
        // Fails when the command does not read its stdin, which is allowed.
        let _ = stdin.write_all(input.as_ref()).await;
        drop(stdin);
        let output = child.wait_with_output().await.expect("the output of the command");
        CommandResult {
            status: output.status,
            stdout: String::from_utf8(output.stdout).expect("UTF-8 on stdout"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8 on stderr"),
        }
    }

    /// Runs a command with `--json`, which must succeed; returns its output.
    pub(crate) async fn cli(&self, args: &[&str]) -> Value {
        let args_json = [args, &["--json"]].concat();
        let mut ran = self.run(&args_json, &[], "").await;
        // PostgreSQL is busy with other tests.
        if ran.stderr.contains(BUSY) {
            ran = self.run(&args_json, &[], "").await;
        }
        assert!(ran.status.success(), "gavel {args:?} failed: {}", ran.stderr);
        assert_eq!(ran.stderr, "", "gavel {args:?} succeeded and complained");
        serde_json::from_str(&ran.stdout).expect("one JSON object")
    }

    /// Runs a command with `--json`, which must fail with exit code 1; returns its output.
    pub(crate) async fn cli_fails(&self, args: &[&str]) -> Value {
        let ran = self.run(&[args, &["--json"]].concat(), &[], "").await;
        assert_eq!(ran.status.code(), Some(1), "gavel {args:?}: {ran:?}");
        assert_eq!(ran.stdout, "", "a failure prints to stderr alone");
        serde_json::from_str(&ran.stderr).expect("one JSON object")
    }

    /// Creates an account with one key and `credits`, such as `"1.5"`.
    pub(crate) async fn account(&self, credits: impl ToString) -> Account {
        let email = format!("owner-{}@example.test", self.0.accounts.fetch_add(1, Ordering::Relaxed));
        let credits = credits.to_string();
        let made = self.cli(&["account", "create", "--email", &email, "--credits", &credits]).await;
        let account = Account {
            id: text(&made, "account_id"),
            key: text(&made, "api_key"),
            key_id: text(&made, "key_id"),
            email,
        };
        self.record().key(&account.key);
        account
    }

    /// Creates another key of an account with these scopes, such as `manage,read`; returns its secret.
    pub(crate) async fn scoped_key(&self, account: &Account, scopes: &str) -> String {
        self.key(account, &["--scopes", scopes]).await.1
    }

    /// Creates another key of an account with `args`; returns its id and its secret.
    pub(crate) async fn key(&self, account: &Account, args: &[&str]) -> (String, String) {
        let made = self.cli(&[&["key", "create", "--account", &account.id], args].concat()).await;
        let secret = text(&made, "api_key");
        self.record().key(&secret);
        (text(&made, "key_id"), secret)
    }
}

impl AsRef<Path> for Db {
    fn as_ref(&self) -> &Path {
        self.0.dir.path()
    }
}

/// A text of a command's output.
fn text(printed: &Value, field: &str) -> String {
    printed[field].as_str().expect(field).to_owned()
}

/// An environment variable set by `scripts/with-services.sh`.
pub(crate) fn from_environment(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| {
        panic!(
            "{name} is not set: run the tests through `scripts/with-services.sh cargo test --workspace --test it`, \
             or leave out those that need services with `-- --skip ::postgres`"
        )
    })
}
