//! The snippets of `docs/clients.md`, run unchanged.

use serde_json::json;

use super::{
    paid,
    program::{Program, file},
    rust,
};
use crate::harness::{Db, Server, on_sqlite};

/// The code blocks in a language on the page.
fn snippets(language: &str) -> Vec<String> {
    let page = std::fs::read_to_string(file("docs/clients.md")).expect("the page");
    let blocks = page.split("```").skip(1).step_by(2);
    let found: Vec<String> = blocks
        .filter_map(|block| Some(block.strip_prefix(language)?.strip_prefix('\n')?.to_owned()))
        .collect();
    assert!(!found.is_empty(), "no {language} in docs/clients.md");
    found
}

async fn every_snippet_of_the_page_works(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(100).await;
    let mut printed = Vec::new();
    for code in snippets("python") {
        printed.push(Program::python(&["-c", &code]).with(&server.base_url, &account).printed().await);
    }
    for code in snippets("js") {
        let program = Program::node(&["--input-type=module", "--eval", &code]);
        printed.push(program.with(&server.base_url, &account).printed().await);
    }
    let empty = printed.iter().position(|output| output.trim().is_empty());
    assert_eq!(empty, None, "a snippet printed nothing: {printed:?}");
    assert!((0.0..=1.0).contains(&rust::documented(server, &account).await));
    let expected =
        json!({ "/api/v1/batches": 2, "/v1/decisions": 1, "/v1/moderations": 2, "/v1/systemone": 4 });
    assert_eq!(paid::charges(&db, &account).await, expected, "{printed:?}");
}

#[test]
fn the_rust_snippet_is_the_tested_one() {
    let source = std::fs::read_to_string(file("tests/it/clients/rust.rs")).expect("the source of the test");
    for line in snippets("rust").join("").lines().filter(|line| !line.starts_with("use ")) {
        assert!(source.contains(line.trim()), "rust.rs runs no `{line}`");
    }
}

on_sqlite!(every_snippet_of_the_page_works);
