//! Compressed bodies: read like others, limited by their decompressed size, and refused on paths that do not
//! accept them.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};

use super::asking::{INFERENCE, PATHS, alike, body, start};
use crate::harness::{Account, Answer, Db, Family, Server, inv, on_sqlite};

const MIB: usize = 1 << 20;

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::stream::encode_all(bytes, 3).expect("the compression succeeds")
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("the compression succeeds")
}

/// A gigabyte of spaces in a few kilobytes.
fn bomb() -> Vec<u8> {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).expect("an encoder");
    let spaces = vec![b' '; MIB];
    for _ in 0..1024 {
        encoder.write_all(&spaces).expect("the compression succeeds");
    }
    encoder.finish().expect("the compression succeeds")
}

async fn send(server: &Server, account: &Account, path: &str, coding: &str, body: Vec<u8>) -> Answer {
    let request = server.post(path).key(&account.key).header("content-encoding", coding);
    request.json_text(body).send().await
}

/// A valid body for each path that accepts compressed ones.
fn bodies() -> Vec<(&'static str, Value)> {
    let mut bodies: Vec<_> = PATHS.into_iter().map(|path| (path, body())).collect();
    let question = json!({ "type": "noul", "instructions": "is it late?" });
    bodies.push(("/v1/systemone", json!({ "model": "m", "state": "s", "questions": { "late": question } })));
    let question = json!({ "type": "predicate", "instructions": "it is late" });
    bodies.push(("/v1/decisions", json!({ "model": "m", "input": "s", "questions": [question] })));
    bodies.push(("/v1/moderations", json!({ "input": "hello" })));
    bodies
}

async fn compressed_bodies_are_accepted(db: Db) {
    let (server, _upstream) = start(&db).await;
    let account = server.account(100).await;
    for (path, body) in bodies() {
        let plain = body.to_string().into_bytes();
        let expected = server.post(path).key(&account.key).json(body).send().await;
        assert_eq!(expected.status, 200, "{path}: {}", expected.text);
        for (coding, bytes) in [
            ("zstd", zstd(&plain)),
            ("ZSTD", zstd(&plain)),
            ("gzip", gzip(&plain)),
            ("identity", plain.clone()),
        ] {
            let answer = send(&server, &account, path, coding, bytes).await;
            assert_eq!(answer.status, 200, "{path} {coding}: {}", answer.text);
            if path == INFERENCE {
                assert_eq!(alike(&answer), alike(&expected));
            }
        }
    }
}

/// A valid body of exactly this many bytes.
fn padded(bytes: usize) -> Vec<u8> {
    let mut padded = body().to_string().into_bytes();
    padded.resize(bytes, b' ');
    padded
}

async fn the_limit_applies_to_the_decompressed_size(db: Db) {
    let (server, upstream) = start(&db).await;
    let account = server.account(100).await;

    for (coding, pack) in [("zstd", zstd as fn(&[u8]) -> Vec<u8>), ("gzip", gzip)] {
        let most = send(&server, &account, INFERENCE, coding, pack(&padded(512 * 1024))).await;
        assert_eq!(most.status, 200, "{}", most.text);
        let over = send(&server, &account, INFERENCE, coding, pack(&padded(512 * 1024 + 1))).await;
        over.fails(413, "PAYLOAD_TOO_LARGE");
    }
    assert_eq!((upstream.asked().len(), inv::charges(&db, &account.id).await.len()), (2, 2));
}

async fn a_compressed_gigabyte_is_refused_without_using_memory(db: Db) {
    let (server, _upstream) = start(&db).await;
    let account = server.account(100).await;
    let bomb = bomb();
    assert!(bomb.len() < MIB / 2, "{}", bomb.len());
    let before = server.memory().1;
    for (path, _) in bodies() {
        for _ in 0..4 {
            let answer = send(&server, &account, path, "zstd", bomb.clone()).await;
            answer.fails_in(Family::of(path), 413, "PAYLOAD_TOO_LARGE");
        }
    }
    let grown = server.memory().1 - before;
    assert!(grown < 64, "{grown} MiB more than {before}");
    assert!(inv::charges(&db, &account.id).await.is_empty());
}

async fn bodies_that_contradict_their_coding_are_malformed(db: Db) {
    let (server, upstream) = start(&db).await;
    let account = server.account(100).await;
    for (path, body) in bodies() {
        let plain = body.to_string().into_bytes();
        let family = Family::of(path);
        let whole = zstd(&plain);
        let cut = whole[..whole.len() - 3].to_vec();
        for (coding, bytes) in [
            ("zstd", plain.clone()),
            ("gzip", plain.clone()),
            ("zstd", cut),
            ("gzip", whole.clone()),
            ("zstd", vec![]),
        ] {
            let answer = send(&server, &account, path, coding, bytes).await;
            answer.fails_in(family, family.malformed_status(), "MALFORMED_BODY");
        }
        for coding in ["br", "deflate", "zstd, gzip", "made-up"] {
            let answer = send(&server, &account, path, coding, whole.clone()).await;
            let message = answer.fails_in(family, 415, "UNSUPPORTED_MEDIA_TYPE");
            assert!(message.contains("zstd, gzip"), "{message}");
        }
    }
    let elsewhere = "/api/v1/moderate/text";
    let hello = zstd(br#"{"content":"hello"}"#);
    send(&server, &account, elsewhere, "zstd", hello).await.fails(415, "UNSUPPORTED_MEDIA_TYPE");
    assert!(upstream.asked().is_empty() && inv::charges(&db, &account.id).await.is_empty());
}

on_sqlite!(
    compressed_bodies_are_accepted,
    the_limit_applies_to_the_decompressed_size,
    a_compressed_gigabyte_is_refused_without_using_memory,
    bodies_that_contradict_their_coding_are_malformed,
);
