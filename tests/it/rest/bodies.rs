//! Bodies that are not JSON, of another type, or too large: 400, 415 or 413 without a charge, and the next
//! request works.

use serde_json::json;

use crate::harness::{Account, Db, RawConnection, Server, inv, on_both, on_sqlite, picture};

const SINGLE: &str = "/api/v1/moderate/text";
const BATCH: &str = "/api/v1/moderate/text/batch";
const HELLO: &str = r#"{"content":"hello there, everyone"}"#;

/// Asserts that nothing has been charged so far, and that the next request is answered and charged.
async fn unharmed(server: &Server, account: &Account) {
    assert_eq!(inv::charges(&server.db, &account.id).await.len(), 0);
    server.moderate(&account.key, "and the next request works").send().await.ok();
    assert_eq!(inv::charges(&server.db, &account.id).await.len(), 1);
}

fn nested(open: &str, close: &str, depth: usize) -> String {
    format!("{}{}", open.repeat(depth), close.repeat(depth))
}

async fn bytes_that_are_not_json_are_malformed(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;

    let bodies: Vec<Vec<u8>> = [
        "",
        "   ",
        "\0",
        "{",
        "}",
        "hello",
        "nul",
        "NaN",
        "{'content':'hello'}",
        r#"{"content":"hello""#,
        r#"{"content":"hello"#,
        r#"{"content":"hello",}"#,
        r#"{"content":"hello"} trailing"#,
        r#"{"content":"hello"}{"content":"hello"}"#,
        r#"{"content":"hello"},"#,
        r#"{"content":"hello" /* why */}"#,
        r#"{content:"hello"}"#,
        "{\"content\":\"a\nb\"}",
        r#"{"content":"\x41"}"#,
        r#"{"content":"\ud800"}"#,
        r#"{"content":"\udc00"}"#,
        r#"{"content":"\ud800\ud800"}"#,
        r#"{"content":"\ud83d and then"}"#,
        r#"{"content":5,"author":}"#,
        r#"{"content":"hello","mentions_count":01}"#,
        "\u{feff}",
        "\u{feff}\u{feff}{\"content\":\"hello\"}",
        "content=hello",
    ]
    .map(|body| body.as_bytes().to_vec())
    .into_iter()
    .chain([
        b"{\"content\":\"\xff\xfe\"}".to_vec(),
        b"{\"content\":\"\xc0\xaf\"}".to_vec(),
        b"{\"content\":\"\xed\xa0\x80\"}".to_vec(),
        b"\x1f\x8b\x08\x00\x00\x00\x00\x00".to_vec(),
        b"\xff\xfe{\0}\0".to_vec(),
        nested("[", "]", 129).into_bytes(),
        format!("{{\"content\":\"]\\\"]\",\"more\":{}}}", nested("[", "]", 128)).into_bytes(),
        nested("[", "]", 200).into_bytes(),
        nested("[", "]", 100_000).into_bytes(),
        "[".repeat(200_000).into_bytes(),
        format!("{}1{}", "{\"a\":".repeat(200), "}".repeat(200)).into_bytes(),
        format!("{{\"content\":\"hello\",\"more\":{}}}", nested("[", "]", 100_000)).into_bytes(),
        format!("{{\"content\":{}}}", nested("{\"a\":[", "]}", 100)).into_bytes(),
    ])
    .collect();
    for path in [SINGLE, BATCH, picture::IMAGE] {
        for body in &bodies {
            let shown = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
            let answer = server.post(path).key(&account.key).json_text(body.clone()).send().await;
            assert_eq!(
                (answer.status, answer.body["code"].as_str()),
                (400, Some("MALFORMED_BODY")),
                "{shown:?}: {}",
                answer.text
            );
            answer.error();
        }
    }
    unharmed(&server, &account).await;
}

async fn unusual_json_is_accepted(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let deep = format!(r#"{{"content":"hello","more":{}{}}}"#, "[".repeat(127), "]".repeat(127));
    let brackets = format!(r#"{{"content":"\"{}\\"}}"#, "[{".repeat(100));
    for body in [
        " \r\n\t{ \"content\" : \"hello\" } \n ",
        "\u{feff}{\"content\":\"hello\"}",
        r#"{"\u0063ontent":"\u0068ello"}"#,
        r#"{"content":"\ud83d\ude00"}"#,
        r#"{"content":"😀 \u0001 \/ \b\f\n\r\t \\ \""}"#,
        r#"{"content":"hello","account_age_days":1e2}"#.replace("1e2", "100").as_str(),
        &deep,
        &brackets,
    ] {
        server.post(SINGLE).key(&account.key).json_text(body.to_owned()).send().await.ok();
    }
    // The last of two equal names wins, as in JavaScript and Python.
    let twice = r#"{"content":"first","content":"second","explain":true}"#;
    let answer = server.post(SINGLE).key(&account.key).json_text(twice).send().await.ok();
    assert_eq!(answer["explanation"]["normalized_text"], "second");
}

async fn numbers_out_of_range_are_client_errors(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    for number in ["18446744073709551616", "-9223372036854775809", "1e309", "1e-2", &"9".repeat(1_000)] {
        let body = format!(r#"{{"content":"hello","mentions_count":{number}}}"#);
        let answer = server.post(SINGLE).key(&account.key).json_text(body).send().await;
        answer.error();
        assert!([400, 422].contains(&answer.status), "{number}: {}", answer.text);
    }
    unharmed(&server, &account).await;
}

async fn only_json_is_accepted(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    for path in [SINGLE, BATCH] {
        for wrong in [
            "text/plain",
            "text/json",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "application/octet-stream",
            "application/jsonl",
            "application/",
            "json",
            "",
            ";",
        ] {
            let answer = server.post(path).key(&account.key).body(wrong, HELLO).send().await;
            answer.fails(415, "UNSUPPORTED_MEDIA_TYPE");
        }
        server
            .post(path)
            .key(&account.key)
            .untyped_body(HELLO)
            .send()
            .await
            .fails(415, "UNSUPPORTED_MEDIA_TYPE");
    }
    for coding in ["gzip", "deflate", "br", "gzip, identity", "made-up"] {
        let encoded =
            server.post(SINGLE).key(&account.key).header("content-encoding", coding).json_text(HELLO);
        encoded.send().await.fails(415, "UNSUPPORTED_MEDIA_TYPE");
    }
    unharmed(&server, &account).await;
    for right in [
        "application/json; charset=utf-8",
        "Application/JSON",
        "application/json;",
        "application/vnd.chat+json",
    ] {
        server.post(SINGLE).key(&account.key).body(right, HELLO).send().await.ok();
    }
}

/// Pads a JSON body to this many bytes.
fn padded(body: &str, bytes: usize) -> String {
    format!("{body}{}", " ".repeat(bytes - body.len()))
}

async fn bodies_are_limited_to_the_bytes_that_their_path_allows(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let batch = r#"{"messages":[{"content":"hello there"}]}"#;
    for (path, body, limit) in [(SINGLE, HELLO, 256 * 1024), (BATCH, batch, 4 * 1024 * 1024)] {
        for over in [limit + 1, limit + 70_000] {
            let whole = padded(body, over);
            let answer = server.post(path).key(&account.key).json_text(whole.clone()).send().await;
            answer.fails(413, "PAYLOAD_TOO_LARGE");
            chunked(&server, &account, path, &whole).await.fails(413, "PAYLOAD_TOO_LARGE");
        }
    }
    unharmed(&server, &account).await;
    for (path, body, limit) in [(SINGLE, HELLO, 256 * 1024), (BATCH, batch, 4 * 1024 * 1024)] {
        let whole = padded(body, limit);
        server.post(path).key(&account.key).json_text(whole.clone()).send().await.ok();
        chunked(&server, &account, path, &whole).await.ok();
    }
}

async fn the_limit_on_bodies_is_a_setting(db: Db) {
    let small = Server::with(&db).env("GAVEL_TEXT_BODY_BYTES", 100).env("GAVEL_BATCH_BODY_BYTES", 200);
    let server = small.start().await;
    let account = server.account(10).await;
    for (path, bytes) in [(SINGLE, 101), (BATCH, 201)] {
        let answer = server.post(path).key(&account.key).json_text(padded(HELLO, bytes)).send().await;
        answer.fails(413, "PAYLOAD_TOO_LARGE");
    }
    unharmed(&server, &account).await;
}

/// Sends a body in chunks, without its length.
async fn chunked(server: &Server, account: &Account, path: &str, body: &str) -> crate::harness::Answer {
    let mut raw = RawConnection::connect(server).await;
    let key = &account.key;
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: gavel\r\nx-api-key: {key}\r\nContent-Type: \
         application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    );
    raw.send(head).await;
    for chunk in body.as_bytes().chunks(30_000) {
        raw.send(format!("{:x}\r\n", chunk.len())).await.send(chunk).await.send("\r\n").await;
    }
    raw.send("0\r\n\r\n").await;
    raw.answer().await.expect("an answer to a chunked body")
}

async fn a_batch_of_the_fifty_longest_messages_is_moderated(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(25).await;
    let body = json!({ "messages": vec![json!({ "content": "wörd ".repeat(2_000) }); 50] });
    let answer = server.post(BATCH).key(&account.key).json(body).send().await;
    assert_eq!(answer.remaining(), 0, "{}", &answer.text[..200]);
}

on_both!(bytes_that_are_not_json_are_malformed);
on_sqlite!(
    unusual_json_is_accepted,
    numbers_out_of_range_are_client_errors,
    only_json_is_accepted,
    bodies_are_limited_to_the_bytes_that_their_path_allows,
    the_limit_on_bodies_is_a_setting,
    a_batch_of_the_fifty_longest_messages_is_moderated,
);
