//! Runs a test on both databases. A test is an `async fn(Db)`; when it returns, the invariants are checked on its
//! database.

use std::{
    sync::LazyLock,
    thread::{available_parallelism, current},
};

use tokio::sync::Semaphore;

use super::{Db, inv};

/// Limits how many tests run at once, regardless of `--test-threads`: two per core, since tests mostly wait.
static TESTS: LazyLock<Semaphore> =
    LazyLock::new(|| Semaphore::new(available_parallelism().map_or(4, |cores| 2 * cores.get()).max(4)));

/// Tests that measure memory or time, or interrupt requests: the models are loaded before the first request.
const MODELS_AT_START: [&str; 6] =
    ["faults::", "interrupted::", "memory::", "overload::", "inference::work::", "inference::coded::"];

/// Runs a test on its database, then checks the invariants. Tests that attack a server count twice.
pub(crate) async fn run<F: Future<Output = ()>>(db: Db, test: impl FnOnce(Db) -> F) {
    // A test's thread has the test's path as its name.
    let path = current().name().unwrap_or_default().to_owned();
    let attacks = path.contains("faults::");
    if MODELS_AT_START.iter().any(|module| path.contains(module)) {
        db.load_models_at_start();
    }
    let _permit = TESTS.acquire_many(if attacks { 2 } else { 1 }).await.expect("the semaphore is open");
    test(db.clone()).await;
    inv::check(&db).await;
}

/// Generates `name::sqlite` and `name::postgres` for each `async fn name(db: Db)`.
macro_rules! on_both {
    ($($test:ident),+ $(,)?) => {$(
        mod $test {
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                crate::harness::run(crate::harness::Db::sqlite(), super::$test).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                crate::harness::run(crate::harness::Db::postgres().await, super::$test).await;
            }
        }
    )+};
}

/// Generates `name::sqlite` for each `async fn name(db: Db)`: for tests that do not depend on the database, or concern
/// SQLite only.
macro_rules! on_sqlite {
    ($($test:ident),+ $(,)?) => {$(
        mod $test {
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                crate::harness::run(crate::harness::Db::sqlite(), super::$test).await;
            }
        }
    )+};
}

/// Generates `name::postgres` for each `async fn name(db: Db)`: for tests that need replicas.
macro_rules! on_postgres {
    ($($test:ident),+ $(,)?) => {$(
        mod $test {
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                crate::harness::run(crate::harness::Db::postgres().await, super::$test).await;
            }
        }
    )+};
}

pub(crate) use {on_both, on_postgres, on_sqlite};
