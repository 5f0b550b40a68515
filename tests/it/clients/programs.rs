//! Every kind of call of the Python and TypeScript clients, and its cost.

use serde_json::{Value, json};

use super::{
    paid,
    program::{Program, file},
};
use crate::harness::{Db, Server, on_sqlite};

/// Runs a program as an account with credits, with the key of a second account without credits. Asserts that
/// each call was charged once and refusals not at all; returns its findings and the milli-credits that it
/// spent.
async fn run(db: &Db, program: Program) -> (Value, i64) {
    let server = &Server::start(db).await;
    let account = server.account(100).await;
    let poor = server.account(0).await;
    let program = program.with(&server.base_url, &account).env("POOR_API_KEY", &poor.key);
    let found = program.findings().await;
    assert_eq!(paid::charges(db, &account).await, found["paid"], "{found}");
    assert_eq!(paid::spent(db, &poor).await, 0);
    (found, paid::spent(db, &account).await)
}

/// Asserts that the client ran in the pinned version.
pub(super) fn is_pinned(found: &Value, pins: &str) {
    let client = found["client"].as_str().expect("its name and version");
    let pinned = std::fs::read_to_string(file(pins)).expect("the pins").contains(client);
    assert!(pinned, "{client} is installed but not pinned in {pins}: run `scripts/clients.sh`");
}

async fn the_python_client_works(db: Db) {
    let (found, spent) = run(&db, Program::python(&["system_one.py"])).await;
    is_pinned(&found, "tests/clients/python/requirements.txt");
    assert_eq!(spent, 500 * found["paid"]["/v1/systemone"].as_i64().unwrap());
}

async fn the_typescript_client_works(db: Db) {
    let (found, spent) = run(&db, Program::node(&["system_one.mjs"])).await;
    is_pinned(&found, "tests/clients/typescript/package.json");
    assert_eq!(spent, 500 * found["paid"]["/v1/systemone"].as_i64().unwrap());
}

async fn openais_client_decides_and_moderates(db: Db) {
    let (found, spent) = run(&db, Program::python(&["openai_decisions.py"])).await;
    is_pinned(&found, "tests/clients/python/requirements.txt");
    let decisions = found["paid"]["/v1/decisions"].as_i64().unwrap();
    // Moderated: a text, a list of two, two parts of one, a picture, and one beside a text.
    assert_eq!(spent, 500 * (decisions + 4 + 1) + 1_000 * 2);
}

async fn openais_client_uploads_files_and_runs_batches(db: Db) {
    let (found, spent) = run(&db, Program::python(&["openai_batches.py"])).await;
    is_pinned(&found, "tests/clients/python/requirements.txt");
    // Three texts and two decisions of batches, and a decision alone; the picture could not be had.
    assert_eq!(spent, 500 * 6);
}

async fn openais_node_client_moderates_pictures_and_runs_batches(db: Db) {
    let (found, spent) = run(&db, Program::node(&["openai.mjs"])).await;
    is_pinned(&found, "tests/clients/typescript/package.json");
    // Two texts of a batch; a text and a picture.
    assert_eq!(spent, 500 * 3 + 1_000);
}

async fn the_wire_of_system_one_conforms(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1_000).await;
    let found = Program::python(&["conformance.py"]).with(&server.base_url, &account).findings().await;
    is_pinned(&found, "tests/clients/python/requirements.txt");
    assert_eq!((&found["verdict"], &found["failed"]), (&json!("conformant"), &json!({})), "{found}");
    // Gavel always wants a key, and knows no request to which the suite expects another error.
    assert_eq!(found["untested"], json!(["auth.ignored-when-off", "errors.shape"]), "{found}");
}

on_sqlite!(
    the_python_client_works,
    the_typescript_client_works,
    the_wire_of_system_one_conforms,
    openais_client_decides_and_moderates,
    openais_client_uploads_files_and_runs_batches,
    openais_node_client_moderates_pictures_and_runs_batches,
);
