//! `/v1/files`: what OpenAI's clients upload, list, read and delete.

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{
    Account, Answer, Db, Family, Server, eventually, inv, on_both, on_sqlite, picture::FORM,
};

pub(crate) const FILES: &str = "/v1/files";

/// A part of a form: its name, the name of its file if it is one, and its content.
type Part<'a> = (&'a str, Option<&'a str>, &'a [u8]);

fn form(parts: &[Part]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, file, content) in parts {
        let file = file.map(|file| format!("; filename=\"{file}\"")).unwrap_or_default();
        body.extend(
            format!("--a-boundary\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n").bytes(),
        );
        body.extend(*content);
        body.extend(b"\r\n");
    }
    body.extend(b"--a-boundary--\r\n");
    body
}

async fn send(server: &Server, key: &str, parts: &[Part<'_>]) -> Answer {
    server.post(FILES).key(key).body(FORM, form(parts)).send().await
}

/// Uploads a file for a batch.
pub(crate) async fn upload(server: &Server, key: &str, content: &[u8]) -> Answer {
    send(server, key, &[("purpose", None, b"batch"), ("file", Some("batch.jsonl"), content)]).await
}

/// Uploads a file for a batch, which must be taken; returns its id.
pub(crate) async fn uploaded(server: &Server, key: &str, content: &[u8]) -> String {
    let file = upload(server, key, content).await.ok();
    assert_eq!(file["bytes"], content.len());
    file["id"].as_str().expect("an id").to_owned()
}

/// The bytes of a file.
pub(crate) async fn content(server: &Server, key: &str, id: &str) -> String {
    let answer = server.get(&format!("{FILES}/{id}/content")).key(key).send().await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.text
}

pub(crate) async fn file(server: &Server, key: &str, id: &str) -> Answer {
    server.get(&format!("{FILES}/{id}")).key(key).send().await
}

async fn delete(server: &Server, key: &str, id: &str) -> Answer {
    server.request(Method::DELETE, &format!("{FILES}/{id}")).key(key).send().await
}

async fn list(server: &Server, key: &str, query: &str) -> Value {
    server.get(&format!("{FILES}{query}")).key(key).send().await.ok()
}

fn ids(list: &Value) -> Vec<&str> {
    list["data"].as_array().expect("files").iter().map(|file| file["id"].as_str().expect("an id")).collect()
}

async fn a_file_is_uploaded_listed_read_and_deleted(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(1).await;
    // In several pieces, and without a line break at its end.
    let large = "{\"custom_id\": \"ä\"}\n".repeat(150_000);
    let large = large.trim_end();
    let first = uploaded(&server, &account.key, large.as_bytes()).await;
    // Node's client sends the fields in the other order.
    let parts: &[Part] =
        &[("file", Some("b.jsonl"), b"{}"), ("more", None, b"x"), ("purpose", None, b"batch")];
    let second = send(&server, &account.key, parts).await.ok();
    let expected = json!({ "id": second["id"], "object": "file", "bytes": 2, "created_at": second["created_at"],
        "expires_at": second["expires_at"], "filename": "b.jsonl", "purpose": "batch", "status": "processed" });
    assert_eq!(second, expected);
    let second_id = second["id"].as_str().unwrap();
    assert_eq!(file(&server, &account.key, second_id).await.ok(), second);
    assert_eq!(content(&server, &account.key, &first).await, large);
    assert_eq!(content(&server, &account.key, second_id).await, "{}");
    let all = list(&server, &account.key, "").await;
    assert_eq!((ids(&all), &all["has_more"]), (vec![second_id, &first], &json!(false)));
    assert_eq!((&all["first_id"], &all["last_id"]), (&json!(second_id), &json!(first)));
    let page = list(&server, &account.key, "?limit=1&order=asc&purpose=batch").await;
    assert_eq!((ids(&page), &page["has_more"]), (vec![&*first], &json!(true)));
    let next = list(&server, &account.key, &format!("?limit=1&order=asc&after={first}")).await;
    assert_eq!((ids(&next), &next["has_more"]), (vec![second_id], &json!(false)));
    assert!(ids(&list(&server, &account.key, "?purpose=batch_output").await).is_empty());
    for (query, param) in [
        ("?limit=0", "limit"),
        ("?limit=10001", "limit"),
        ("?after=x", "after"),
        ("?order=up", "order"),
        ("?purpose=fine-tune", "purpose"),
        ("?page=2", "page"),
    ] {
        let refused = server.get(&format!("{FILES}{query}")).key(&account.key).send().await;
        refused.fails_in(Family::OpenAi, 422, "VALIDATION_FAILED");
        assert_eq!(refused.body["error"]["param"], param, "{}", refused.text);
    }
    let deleted = delete(&server, &account.key, &first).await.ok();
    assert_eq!(deleted, json!({ "id": first, "object": "file", "deleted": true }));
    file(&server, &account.key, &first).await.fails_in(Family::OpenAi, 404, "NOT_FOUND");
    delete(&server, &account.key, &first).await.fails_in(Family::OpenAi, 404, "NOT_FOUND");
    assert_eq!(inv::count(&db, "file_chunk").await, 1);
    assert!(inv::charges(&db, &account.id).await.is_empty());
}

async fn files_of_others_do_not_exist(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(1).await;
    let stranger = server.account(1).await;
    let id = uploaded(&server, &account.key, b"{}").await;
    let colleague = db.scoped_key(&account, "moderate").await;
    for key in [&stranger.key, &colleague] {
        file(&server, key, &id).await.fails_in(Family::OpenAi, 404, "NOT_FOUND");
        let answer = server.get(&format!("{FILES}/{id}/content")).key(key).send().await;
        answer.fails_in(Family::OpenAi, 404, "NOT_FOUND");
        delete(&server, key, &id).await.fails_in(Family::OpenAi, 404, "NOT_FOUND");
        assert!(ids(&list(&server, key, "").await).is_empty());
        assert!(ids(&list(&server, key, &format!("?after={id}")).await).is_empty());
    }
    let reader = db.scoped_key(&account, "read").await;
    file(&server, &reader, &id).await.ok();
    delete(&server, &reader, &id).await.fails_in(Family::OpenAi, 404, "NOT_FOUND");
    upload(&server, &reader, b"{}").await.fails_in(Family::OpenAi, 403, "FORBIDDEN");
    let manager = db.scoped_key(&account, "manage").await;
    delete(&server, &manager, &id).await.ok();
    for nothing in ["file_x", "batch_01kahd7f3ye9pvsk8h0a5m5x2e", "%00"] {
        file(&server, &account.key, nothing).await.fails_in(Family::OpenAi, 404, "NOT_FOUND");
    }
    server.post(FILES).body(FORM, form(&[])).send().await.fails_in(Family::OpenAi, 401, "UNAUTHORIZED");
}

/// Waits until nothing of any upload is stored.
async fn nothing_is_left(db: &Db) {
    eventually("uploads are gone", async || {
        let left = inv::count(db, "file").await + inv::count(db, "file_chunk").await;
        (left == 0).then_some(())
    })
    .await;
}

async fn a_form_at_fault_leaves_nothing(db: Db) {
    let server = Server::with(&db).env("GAVEL_BULK_BODY_BYTES", 3_000_000).start().await;
    let account = server.account(1).await;
    let purpose: Part = ("purpose", None, b"batch");
    let file: Part = ("file", Some("a.jsonl"), b"{}");
    let seconds: Part = ("expires_after[seconds]", None, b"60");
    for (parts, param) in [
        (vec![], "purpose"),
        (vec![file], "purpose"),
        (vec![file, ("purpose", None, b"fine-tune")], "purpose"),
        (vec![("purpose", None, &[b'x'; 2_000][..]), file], "purpose"),
        (vec![purpose], "file"),
        (vec![purpose, ("file", Some("a.jsonl"), b"")], "file"),
        (vec![purpose, file, file], "file"),
        (vec![purpose, file, seconds], "expires_after[seconds]"),
        (vec![purpose, file, ("expires_after[anchor]", None, b"now")], "expires_after[anchor]"),
    ] {
        let answer = send(&server, &account.key, &parts).await;
        answer.fails_in(Family::OpenAi, 422, "VALIDATION_FAILED");
        assert_eq!(answer.body["error"]["param"], param, "{}", answer.text);
    }
    let whole = form(&[purpose, ("file", Some("a.jsonl"), &[b'x'; 2_500_000])]);
    let cut = whole[..whole.len() - 100].to_vec();
    let answer = server.post(FILES).key(&account.key).body(FORM, cut).send().await;
    answer.fails_in(Family::OpenAi, 400, "MALFORMED_BODY");
    let answer = server.post(FILES).key(&account.key).body("multipart/form-data", whole).send().await;
    answer.fails_in(Family::OpenAi, 400, "MALFORMED_BODY");
    upload(&server, &account.key, &[b'x'; 3_000_000]).await.fails_in(
        Family::OpenAi,
        413,
        "PAYLOAD_TOO_LARGE",
    );
    let json = server.post(FILES).key(&account.key).json(json!({ "purpose": "batch" })).send().await;
    json.fails_in(Family::OpenAi, 415, "UNSUPPORTED_MEDIA_TYPE");
    nothing_is_left(&db).await;
}

/// Uploads which an account may not have.
async fn refused(server: &Server, account: &Account, content: &[u8]) {
    upload(server, &account.key, content).await.fails_in(Family::OpenAi, 409, "CONFLICT");
}

async fn an_account_may_have_so_many_files_and_bytes(db: Db) {
    let server = Server::with(&db).env("GAVEL_BULK_FILES", 2).env("GAVEL_BULK_ACCOUNT_BYTES", 10_000);
    let server = server.start().await;
    let account = server.account(1).await;
    let other = server.account(1).await;
    let first = uploaded(&server, &account.key, b"{}").await;
    uploaded(&server, &account.key, b"{}").await;
    refused(&server, &account, b"{}").await;
    uploaded(&server, &other.key, b"{}").await;
    delete(&server, &account.key, &first).await.ok();
    refused(&server, &account, &[b'x'; 10_000]).await;
    let large = uploaded(&server, &account.key, &[b'x'; 9_990]).await;
    // The files count beside the batches.
    let item = json!({ "custom_id": "a", "url": "/api/v1/moderate/text", "body": { "content": "hello" } });
    let items = json!({ "items": [item] }).to_string();
    let batch = server.post("/api/v1/batches").key(&account.key).json_text(items.clone()).send().await;
    batch.fails(409, "CONFLICT");
    delete(&server, &account.key, &large).await.ok();
    let batch = server.post("/api/v1/batches").key(&account.key).json_text(items).send().await;
    assert_eq!(batch.status, 202, "{}", batch.text);
}

async fn a_file_is_kept_as_long_as_its_sender_says(db: Db) {
    let server = Server::with(&db).env("GAVEL_BULK_KEPT_DAYS", 2).start().await;
    let account = server.account(1).await;
    for (seconds, kept) in [(Some("3600"), 3_600), (Some("2592000"), 2 * 86_400), (None, 2 * 86_400)] {
        let mut parts: Vec<Part> = vec![("purpose", None, b"batch"), ("file", Some("a.jsonl"), b"{}")];
        if let Some(seconds) = seconds {
            parts.push(("expires_after[anchor]", None, b"created_at"));
            parts.push(("expires_after[seconds]", None, seconds.as_bytes()));
        }
        let file = send(&server, &account.key, &parts).await.ok();
        let lasts = file["expires_at"].as_i64().unwrap() - file["created_at"].as_i64().unwrap();
        assert_eq!(lasts, kept, "{file}");
    }
}

on_both!(a_file_is_uploaded_listed_read_and_deleted, a_form_at_fault_leaves_nothing);
on_sqlite!(
    files_of_others_do_not_exist,
    an_account_may_have_so_many_files_and_bytes,
    a_file_is_kept_as_long_as_its_sender_says,
);
