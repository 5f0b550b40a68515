//! The complete audit of GraphQL over HTTP: what servers must, should and may do.

use serde_json::json;

use super::{program::Program, programs::is_pinned};
use crate::harness::{Db, Server, on_sqlite};

async fn the_graphql_over_http_audit_passes(db: Db) {
    let server = &Server::start(&db).await;
    let program = Program::node(&["audit.mjs"]).env("GAVEL_URL", &server.base_url);
    let found = program.findings().await;
    is_pinned(&found, "tests/clients/typescript/package.json");
    assert_eq!(found["failed"], json!([]));
    assert_eq!(found["checks"], json!({ "MUST": 13, "SHOULD": 23, "MAY": 25 }));
}

on_sqlite!(the_graphql_over_http_audit_passes);
