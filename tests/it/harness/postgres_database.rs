//! Postgres databases for tests: created from a migrated template, dropped when the test ends.

use std::sync::atomic::{AtomicUsize, Ordering};

use sea_orm::{ConnectOptions, ConnectionTrait, Database, DatabaseConnection, Statement};
use tokio::sync::OnceCell;

/// The template database of this test process, created by the first test that needs it.
static TEMPLATE: OnceCell<String> = OnceCell::const_new();
static NUMBER: AtomicUsize = AtomicUsize::new(0);

/// A test's database on a shared server.
pub(crate) struct OwnDatabase {
    admin_url: String,
    name: String,
}

impl OwnDatabase {
    /// Creates a database with all migrations applied.
    pub(crate) async fn from_template(admin_url: &str) -> Self {
        let template = TEMPLATE.get_or_init(|| make_template(admin_url)).await;
        Self::create(admin_url, &format!(" TEMPLATE {template}")).await
    }

    /// Creates an empty database.
    pub(crate) async fn empty(admin_url: &str) -> Self {
        Self::create(admin_url, "").await
    }

    async fn create(admin_url: &str, clause: &str) -> Self {
        let name = format!("gavel_it_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let admin = connect(admin_url).await;
        admin.execute_unprepared(&format!("CREATE DATABASE {name}{clause}")).await.expect("a new database");
        admin.close().await.expect("a closed connection");
        Self { admin_url: admin_url.to_owned(), name }
    }

    pub(crate) fn url(&self) -> String {
        url_of(&self.admin_url, &self.name)
    }
}

impl Drop for OwnDatabase {
    /// Drops the database. Fails when the server has been killed, which is harmless.
    fn drop(&mut self) {
        let admin_url = self.admin_url.clone();
        let name = self.name.clone();
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async {
                let admin = Database::connect(options(&admin_url)).await?;
                admin.execute_unprepared(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await?;
                admin.close().await
            })?;
            Ok::<_, Box<dyn std::error::Error + Send + Sync>>(())
        });
        let _ = dropping.join();
    }
}

/// Creates the template, and drops the databases of test processes that no longer run.
async fn make_template(admin_url: &str) -> String {
    let admin = connect(admin_url).await;
    let listed = "SELECT datname FROM pg_database WHERE datname LIKE 'gavel\\_it\\_%'";
    let listed = Statement::from_string(admin.get_database_backend(), listed);
    for row in admin.query_all_raw(listed).await.expect("the list of databases") {
        let name: String = row.try_get("", "datname").expect("a name");
        let process = name.split('_').nth(2).unwrap_or_default();
        if !std::path::Path::new("/proc").join(process).exists() {
            let _ = admin.execute_unprepared(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
        }
    }
    let name = format!("gavel_it_{}_template", std::process::id());
    admin.execute_unprepared(&format!("CREATE DATABASE {name}")).await.expect("the template");
    admin.close().await.expect("a closed connection");
    migration::migrate(&url_of(admin_url, &name)).await.expect("the template migrates");
    name
}

async fn connect(url: &str) -> DatabaseConnection {
    Database::connect(options(url)).await.expect("PostgreSQL answers")
}

fn options(url: &str) -> ConnectOptions {
    // Without these two, the pool has no maintenance task: sqlx 0.9.0's can spin for ever when its pool is closed.
    ConnectOptions::new(url)
        .max_connections(1)
        .idle_timeout(None)
        .max_lifetime(None)
        .sqlx_logging(false)
        .to_owned()
}

fn url_of(admin_url: &str, name: &str) -> String {
    let (server, _) = admin_url.rsplit_once('/').expect("an address that ends in a database");
    format!("{server}/{name}")
}
