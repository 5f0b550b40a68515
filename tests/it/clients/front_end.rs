//! A front end in TypeScript: types generated from `schema.graphql`, checked by the compiler, and run against Gavel.

use tokio::sync::OnceCell;

use super::program::Program;
use crate::harness::{Db, Server, Upstream, on_both};

/// Generates and compiles once for all tests of this run.
async fn compiled() {
    static DONE: OnceCell<()> = OnceCell::const_new();
    DONE.get_or_init(|| async {
        Program::node(&["generate.mjs"]).printed().await;
        Program::node(&["node_modules/typescript/bin/tsc", "--project", "."]).printed().await;
    })
    .await;
}

async fn a_typed_front_end_works(db: Db) {
    compiled().await;
    let upstream = Upstream::start().await;
    let server = &Server::with_model(&db, &upstream).start().await;
    let account = server.account(100).await;
    let made = server.cli(&["user", "reset-password", "--email", &account.email]).await;
    let found = Program::node(&["generated/out/gavel.js"])
        .env("GAVEL_URL", &server.base_url)
        .env("GAVEL_EMAIL", &account.email)
        .env("GAVEL_PASSWORD", made["password"].as_str().expect("a password"))
        .env("GAVEL_API_KEY", &account.key)
        .findings()
        .await;
    assert_eq!(found["account"], account.id);
}

on_both!(a_typed_front_end_works);
