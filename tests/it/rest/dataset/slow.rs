//! Exports to readers that are slow, disconnect or do not read, and a database that fails during an export.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::asking::{all_places_free, counts, import, judge_asking, path, start};
use crate::harness::{Db, Server, client, on_both, on_sqlite};

/// Creates a Judge with more content than all buffers between server and reader hold, and that does not compress.
async fn large(server: &Server, key: &str) -> String {
    let judge = judge_asking(server, key, json!({ "spam": "Is it spam?" })).await;
    let mut noise = 1_u64;
    let mut given = Vec::new();
    for n in 0..200 {
        let mut content = format!("{n} ");
        for _ in 0..200_000 {
            noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            content.push(char::from(b'0' + (noise >> 58) as u8));
        }
        given.push(json!({ "state": content }));
    }
    assert_eq!(counts(import(server, key, &judge, &given).await)[1], 200);
    judge
}

async fn begun(server: &Server, key: &str, judge: &str, format: &str) -> reqwest::Response {
    let url = server.base_url.clone() + path(judge, "?format=").as_str() + format;
    let request = client().build().unwrap().get(url).header("authorization", format!("Bearer {key}"));
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 200);
    response
}

async fn a_slow_reader_receives_a_snapshot(db: Db) {
    let (server, _, key) = start(&db).await;
    let judge = large(&server, &key).await;
    let mut response = begun(&server, &key, &judge, "jsonl").await;
    let mut file = response.chunk().await.unwrap().expect("a first piece").to_vec();
    let later = [json!({ "state": "recorded while the export runs" })];
    assert_eq!(counts(import(&server, &key, &judge, &later).await)[1], 1);
    for _ in 0..5 {
        tokio::time::sleep(Duration::from_millis(400)).await;
        file.extend(response.chunk().await.unwrap().expect("more of the file"));
    }
    while let Some(piece) = response.chunk().await.expect("the file is complete") {
        file.extend(piece);
    }
    let text = String::from_utf8(file).unwrap();
    let states: Vec<Value> =
        text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["state"].take()).collect();
    assert_eq!(states.len(), 200);
    for (n, state) in states.iter().enumerate() {
        assert!(state.as_str().unwrap().starts_with(&format!("{n} ")));
    }
}

async fn readers_that_disconnect_free_their_slots(db: Db) {
    let (server, _, key) = start(&db).await;
    let judge = large(&server, &key).await;
    for _ in 0..4 {
        let mut both =
            [begun(&server, &key, &judge, "jsonl").await, begun(&server, &key, &judge, "jsonl").await];
        for response in &mut both {
            response.chunk().await.unwrap();
        }
        // The maximum concurrent exports of an account.
        let answer = server.get(&path(&judge, "")).key(&key).send().await;
        answer.fails(503, "OVERLOADED");
        assert!(answer.header("retry-after").is_some());
        drop(both);
        all_places_free(&server, &key, &judge).await;
    }
}

async fn a_failing_export_is_truncated(db: Db) {
    let (server, _, key) = start(&db).await;
    let judge = large(&server, &key).await;
    for format in ["jsonl", "csv", "parquet"] {
        let mut response = begun(&server, &key, &judge, format).await;
        response.chunk().await.unwrap();
        db.execute("ALTER TABLE sample_answer RENAME TO gone").await;
        let end = loop {
            match response.chunk().await {
                Ok(Some(_)) => {}
                other => break other,
            }
        };
        assert!(end.is_err(), "{format}: it ends as if it were complete");
        db.execute("ALTER TABLE gone RENAME TO sample_answer").await;
    }
    assert!(server.log().contains("an export failed"));
}

async fn readers_that_do_not_read_are_disconnected(db: Db) {
    let (server, _, key) = start(&db).await;
    let judge = large(&server, &key).await;
    let mut stream = tokio::net::TcpStream::connect(server.address).await.unwrap();
    let head = format!("GET {} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {key}\r\n\r\n", path(&judge, ""));
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.readable().await.unwrap();
    tokio::time::sleep(Duration::from_secs(25)).await;
    let mut taken = Vec::new();
    // Buffered data still arrives, then the connection ends or is reset.
    let _ =
        tokio::time::timeout(Duration::from_secs(30), stream.read_to_end(&mut taken)).await.expect("an end");
    assert!(taken.len() < 40_000_000 && !taken.ends_with(b"0\r\n\r\n"), "{} bytes", taken.len());
    all_places_free(&server, &key, &judge).await;
}

on_both!(a_slow_reader_receives_a_snapshot, a_failing_export_is_truncated,);
on_sqlite!(readers_that_disconnect_free_their_slots, readers_that_do_not_read_are_disconnected);
