//! Files with faults: each fault is reported with its line, and nothing is imported.

use serde_json::json;

use super::asking::{count, counts, import_csv, judge, path, sending, start};
use crate::harness::{Answer, Db, Server, on_both, on_sqlite};

/// The faulty fields, each with its message.
fn problems(answer: &Answer) -> Vec<(&str, &str)> {
    let details = answer.body["details"].as_array().unwrap_or_else(|| panic!("no details: {}", answer.text));
    details.iter().map(|one| (one["field"].as_str().unwrap(), one["message"].as_str().unwrap())).collect()
}

/// A file to be imported.
struct ImportFile<'a> {
    kind: &'a str,
    bytes: &'a [u8],
}

/// Asserts that a file is refused for exactly these faults, and that nothing of it is imported.
async fn refused(server: &Server, key: &str, judge: &str, file: ImportFile<'_>, expected: &[(&str, &str)]) {
    let ImportFile { kind, bytes } = file;
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).into_owned();
    let answer = server.post(&path(judge, "")).key(key).body(kind, bytes.to_vec()).send().await;
    answer.fails(422, "VALIDATION_FAILED");
    let found = problems(&answer);
    assert_eq!(found.len(), expected.len(), "{shown}: {}", answer.text);
    for ((field, says), (at, message)) in expected.iter().zip(found) {
        assert!(*field == at && message.contains(says), "{shown}: {field} {says}: {}", answer.text);
    }
    assert_eq!(count(&server.db, "sample").await, 0, "{shown}");
}

const GOOD: &str = "{\"state\":\"good\"}\n";

/// Lines with one fault: the line, its faulty field and the message.
const FAULTY_LINES: [(&str, &str, &str); 30] = [
    ("{", "line 2", "is not JSON: EOF"),
    ("hello", "line 2", "is not JSON: expected value at column 1"),
    ("[]", "line 2", "must be a JSON object"),
    ("\"state\"", "line 2", "must be a JSON object"),
    ("{}", "line 2: state", "must not be empty"),
    (r#"{"state":null}"#, "line 2: state", "must not be empty"),
    (r#"{"state":"  "}"#, "line 2: state", "must not be empty"),
    (r#"{"state":{"a":"\u0000"}}"#, "line 2: state", "NUL"),
    (r#"{"content":5}"#, "line 2: content", "must be a string"),
    (r#"{"content":""}"#, "line 2: content", "must not be empty"),
    (r#"{"content":"a","state":"b"}"#, "line 2: content", "together with state"),
    (r#"{"state":1,"groundTruth":{"spam":true}}"#, "line 2: groundTruth", "is not a member of an import"),
    (r#"{"state":1,"ground_truth":["spam"]}"#, "line 2: ground_truth", "must be an object"),
    (
        r#"{"state":1,"ground_truth":{"team":"sales"}}"#,
        "line 2: ground_truth.team",
        "must be one of: billing, shipping, =other",
    ),
    (r#"{"state":1,"ground_truth":{"team":true}}"#, "line 2: ground_truth.team", "must be one of"),
    (r#"{"state":1,"ground_truth":{"team":"none_of_these"}}"#, "line 2: ground_truth.team", "must be one of"),
    (
        r#"{"state":1,"ground_truth":{"urgency":3}}"#,
        "line 2: ground_truth.urgency",
        "must be one of: 0, 1, 2",
    ),
    (r#"{"state":1,"ground_truth":{"urgency":1.5}}"#, "line 2: ground_truth.urgency", "must be one of"),
    (r#"{"state":1,"ground_truth":{"spam":1}}"#, "line 2: ground_truth.spam", "must be one of: true, false"),
    (r#"{"state":1,"ground_truth":{"mood":"good"}}"#, "line 2: ground_truth.mood", "is not a key"),
    (r#"{"state":1,"answers":{"mood":{"type":"noul","noul":1}}}"#, "line 2: answers.mood", "is not a key"),
    (
        r#"{"state":1,"answers":{"spam":true}}"#,
        "line 2: answers.spam",
        "must be an answer as an inference returns it: an object, not true",
    ),
    (r#"{"state":1,"answers":{"spam":{"noul":1}}}"#, "line 2: answers.spam", "`type` is required"),
    (
        r#"{"state":1,"answers":{"spam":{"type":"none"}}}"#,
        "line 2: answers.spam",
        "`type` must be one of: noul, choice, score, text",
    ),
    (
        r#"{"state":1,"answers":{"spam":{"type":"noul","noul":"1"}}}"#,
        "line 2: answers.spam",
        "`noul` must be a number",
    ),
    (r#"{"state":1,"answers":{"spam":{"type":"noul","noul":7}}}"#, "line 2: answers.spam", "must fit"),
    (
        r#"{"state":1,"answers":{"spam":{"type":"choice","choice":"a","confidence":1,"probabilities":{"a":1}}}}"#,
        "line 2: answers.spam",
        "must be of the type noul",
    ),
    (
        concat!(
            r#"{"state":1,"answers":{"team":{"type":"choice","choice":"billing","#,
            r#""confidence":1,"probabilities":{"billing":1}}}}"#,
        ),
        "line 2: answers.team",
        "must fit",
    ),
    (
        r#"{"state":1,"instructions":{"team":["a"]}}"#,
        "line 2: instructions.team",
        "must have 2 to 255 choices",
    ),
    (
        r#"{"state":1,"instructions":["Why?"],"ground_truth":{"spam":true}}"#,
        "line 2: ground_truth.spam",
        "is not a key",
    ),
];

async fn faulty_lines_are_named_and_nothing_is_imported(db: Db) {
    let (server, _, key) = start(&db).await;
    let judge = judge(&server, &key).await;
    let deep = format!("{{\"state\":{}{}}}", "[".repeat(200), "]".repeat(200));
    let large = format!("{{\"state\":\"{}\"}}", "x".repeat(262_144));
    let long = format!("{{\"state\":\"{}\"}}", "x".repeat(1_100_000));
    let model = format!(
        "{{\"state\":1,\"model\":\"{}\",\"answers\":{{\"spam\":{{\"type\":\"noul\",\"noul\":1}}}}}}",
        "m".repeat(201)
    );
    for (line, field, says) in FAULTY_LINES {
        let file = format!("{GOOD}{line}\n{GOOD}");
        let file = ImportFile { kind: "application/x-ndjson", bytes: file.as_bytes() };
        refused(&server, &key, &judge, file, &[(field, says)]).await;
    }
    for (line, expected) in [
        (deep.as_str(), vec![("line 2", "is not JSON: recursion limit")]),
        (long.as_str(), vec![("line 2", "has more than 1048576 bytes")]),
        (large.as_str(), vec![("line 2: state", "at most 262144 bytes")]),
        (model.as_str(), vec![("line 2: model", "at most 200 characters")]),
        (
            "{\"state\":\"\",\"ground_truth\":{\"team\":\"x\",\"spam\":0,\"mood\":1}}",
            vec![
                ("line 2: state", "must not be empty"),
                ("line 2: ground_truth.team", "one of"),
                ("line 2: ground_truth.spam", "one of"),
                ("line 2: ground_truth.mood", "is not a key"),
            ],
        ),
    ] {
        let file = format!("{GOOD}{line}\n{GOOD}");
        refused(
            &server,
            &key,
            &judge,
            ImportFile { kind: "application/x-ndjson", bytes: file.as_bytes() },
            &expected,
        )
        .await;
    }
    let latin = b"\xef\xbb\xbf{\"state\":1}\r\n\r\n{\"state\":\"caf\xe9\"}\r\n";
    refused(
        &server,
        &key,
        &judge,
        ImportFile { kind: "application/jsonl", bytes: latin },
        &[("line 3", "is not UTF-8")],
    )
    .await;
}

async fn faulty_cells_are_named_by_the_first_line_of_their_row(db: Db) {
    let (server, _, key) = start(&db).await;
    let judge = judge(&server, &key).await;
    let table: [(&str, Vec<(&str, &str)>); 12] = [
        (
            "text,label\na,b\n",
            vec![
                ("line 1: text", "is not a column"),
                ("line 1: label", "is not a column"),
                ("line 1: state", "is required"),
            ],
        ),
        (
            "state;ground_truth.spam\na;true\n",
            vec![
                ("line 1: state;ground_truth.spam", "separated by commas"),
                ("line 1: state", "is required"),
            ],
        ),
        ("state,content\na,b\n", vec![("line 1: content", "together with state")]),
        ("state,state\na,b\n", vec![("line 1: state", "of two columns"), ("line 1: content", "together")]),
        (
            "content,ground_truth.spam\r\n\"two\r\nlines\",true\r\n\r\nthird,maybe\r\n",
            vec![("line 5: ground_truth.spam", "true, false")],
        ),
        ("content,ground_truth.mood\na,\nb,good\n", vec![("line 3: ground_truth.mood", "is not a key")]),
        (
            "content,ground_truth.spam\na,true,more\nb\n",
            vec![("line 2", "has 3 cells, but the header has 2"), ("line 3", "has 1 cell,")],
        ),
        ("content\n\"open\nand never closed\n", vec![("line 2", "a quote that is never closed")]),
        ("content\n\"a\"b\nc\n", vec![("line 2", "text after a closing quote")]),
        (
            "content,id\n,x\n  ,y\n",
            vec![("line 2: content", "must not be empty"), ("line 3: content", "must not be empty")],
        ),
        ("content,instructions\na,{\nb,\"[\"\"a\"\"]\"\n", vec![("line 2: instructions", "must be JSON")]),
        (
            "state\nnull\n[]\n",
            vec![("line 2: state", "must not be empty"), ("line 3: state", "must not be empty")],
        ),
    ];
    for (file, expected) in &table {
        refused(&server, &key, &judge, ImportFile { kind: "text/csv", bytes: file.as_bytes() }, expected)
            .await;
    }
    refused(
        &server,
        &key,
        &judge,
        ImportFile { kind: "text/csv", bytes: b"content\na\ncaf\xe9\n" },
        &[("line 3", "is not UTF-8")],
    )
    .await;
    let nul = b"content\na\0b\n";
    refused(
        &server,
        &key,
        &judge,
        ImportFile { kind: "text/csv", bytes: nul },
        &[("line 2: content", "NUL")],
    )
    .await;
    // The format of spreadsheets is accepted.
    let file = "\u{feff}\"content\",ground_truth.spam,ground_truth.urgency\r\n\"a, \"\"b\"\"\",TRUE,on \
        fire\r\n\r\nc,,\r\n";
    assert_eq!(counts(import_csv(&server, &key, &judge, file).await), [2, 2, 0, 0]);
}

async fn a_file_in_utf_16_is_refused_by_name(db: Db) {
    let (server, _, key) = start(&db).await;
    let judge = judge(&server, &key).await;
    for wide in [&b"\xff\xfec\0o\0n\0t\0"[..], b"\xfe\xff\0c\0o", b"c\0o\0"] {
        let answer = server.post(&path(&judge, "")).key(&key).body("text/csv", wide).send().await;
        assert!(answer.fails(400, "MALFORMED_BODY").contains("UTF-16"), "{}", answer.text);
    }
}

async fn a_hundred_errors_are_reported_and_all_are_counted(db: Db) {
    let (server, _, key) = start(&db).await;
    let judge = judge(&server, &key).await;
    let file = "{}\n".repeat(250);
    let answer = sending(&server, &key, &judge, "application/x-ndjson", file).send().await;
    assert!(answer.fails(422, "VALIDATION_FAILED").contains("250 errors; nothing was imported"));
    let problems = problems(&answer);
    assert_eq!((problems.len(), problems[99].0), (101, "line 100: state"));
    assert_eq!(problems[100], ("the file", "has 250 errors; the first 100 are listed"));
}

async fn long_and_numerous_names_are_refused_briefly(db: Db) {
    let (server, _, key) = start(&db).await;
    let judge = judge(&server, &key).await;
    let header: String = (0..130_000).map(|n| format!("{n:x},")).collect();
    let answer = import_csv(&server, &key, &judge, &header).await;
    answer.fails(422, "VALIDATION_FAILED");
    assert_eq!(problems(&answer).len(), 101);
    let name = "x".repeat(1_000_000);
    let file = format!("{{\"state\":1,\"{name}\":1}}\n").repeat(20);
    let answer = sending(&server, &key, &judge, "application/x-ndjson", file).send().await;
    answer.fails(422, "VALIDATION_FAILED");
    assert!(answer.text.len() < 100_000, "{} bytes", answer.text.len());
    assert!(problems(&answer)[19].0.starts_with("line 20: xxx"));
}

async fn the_number_of_samples_in_a_file_is_limited(db: Db) {
    let (server, _, key) = start(&db).await;
    let judge = judge(&server, &key).await;
    let file: String = (0..20_001).map(|n| format!("{{\"state\":{n}}}\n")).collect();
    let answer = sending(&server, &key, &judge, "application/x-ndjson", file).send().await;
    answer.fails(422, "VALIDATION_FAILED");
    assert_eq!(problems(&answer), [("line 20001", "is one too many: a file may have at most 20000 samples")]);
    assert_eq!(count(&db, "sample").await, 0);
}

async fn bodies_that_are_not_files_are_refused(db: Db) {
    let server = Server::with(&db).env("GAVEL_IMPORT_BODY_BYTES", 1_000).start().await;
    let account = server.account(1).await;
    let key = db.scoped_key(&account, "manage").await;
    let judge = judge(&server, &key).await;
    for kind in ["application/json", "text/plain", "application/octet-stream", ""] {
        let answer = server.post(&path(&judge, "")).key(&key).body(kind, GOOD).send().await;
        assert!(answer.fails(415, "UNSUPPORTED_MEDIA_TYPE").contains("text/csv"), "{}", answer.text);
    }
    let packed = server.post(&path(&judge, "")).key(&key).body("application/x-ndjson", GOOD);
    let packed = packed.header("content-encoding", "gzip").send().await;
    packed.fails(415, "UNSUPPORTED_MEDIA_TYPE");
    for (query, field) in [
        ("?format=xml", "format"),
        ("?format=parquet", "format"),
        ("?dry_run=1", "dry_run"),
        ("?dryRun=true", "dryRun"),
    ] {
        let answer = server.post(&path(&judge, query)).key(&key).body("text/csv", GOOD).send().await;
        answer.fails(422, "VALIDATION_FAILED");
        assert_eq!(answer.field(), field);
    }
    let large = "x".repeat(1_001);
    let answer = sending(&server, &key, &judge, "text/csv", large.as_str()).send().await;
    assert!(answer.fails(413, "PAYLOAD_TOO_LARGE").contains("1000 bytes"), "{}", answer.text);
    assert_eq!(count(&db, "sample").await, 0);
    let fits = format!("content\n{}", "x".repeat(992));
    assert_eq!(counts(sending(&server, &key, &judge, "text/csv", fits).send().await), [1, 1, 0, 0]);
    // An empty file is no error.
    for (kind, file) in [
        ("application/x-ndjson", ""),
        ("application/x-ndjson", "\n \r\n"),
        ("text/csv", ""),
        ("text/csv", "content\n"),
    ] {
        assert_eq!(counts(sending(&server, &key, &judge, kind, file).send().await), [0, 0, 0, 0], "{file:?}");
    }
}

async fn an_archived_judge_exports_but_does_not_import_samples(db: Db) {
    let (server, _, key) = start(&db).await;
    let judge = judge(&server, &key).await;
    counts(sending(&server, &key, &judge, "application/x-ndjson", GOOD).send().await);
    let archive = "mutation($id: ID!) { archiveJudge(input: { id: $id }) { userErrors { code } } }";
    server.ask(&key, archive, json!({ "id": judge })).await;
    sending(&server, &key, &judge, "application/x-ndjson", GOOD).send().await.fails(409, "CONFLICT");
    assert_eq!(super::asking::lines(&server, &key, &judge, "").await.len(), 1);
}

async fn a_truncated_body_imports_nothing(db: Db) {
    use crate::harness::{RawConnection, eventually};
    let (server, _, key) = start(&db).await;
    let judge = judge(&server, &key).await;
    let mut raw = RawConnection::connect(&server).await;
    let head = format!(
        "POST {} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {key}\r\ncontent-type: \
         application/x-ndjson\r\ncontent-length: 1000\r\n\r\n",
        path(&judge, "")
    );
    raw.send(head).await.send(GOOD).await.finish().await;
    raw.closed().await;
    // An import can begin again, and nothing was imported.
    let answer = eventually("an import begins", async || {
        let answer = sending(&server, &key, &judge, "application/x-ndjson", "").send().await;
        (answer.status == 200).then_some(answer)
    })
    .await;
    assert_eq!(counts(answer), [0, 0, 0, 0]);
    assert_eq!(count(&db, "sample").await, 0);
}

on_both!(
    faulty_lines_are_named_and_nothing_is_imported,
    a_truncated_body_imports_nothing,
    an_archived_judge_exports_but_does_not_import_samples,
);
on_sqlite!(
    faulty_cells_are_named_by_the_first_line_of_their_row,
    a_file_in_utf_16_is_refused_by_name,
    a_hundred_errors_are_reported_and_all_are_counted,
    long_and_numerous_names_are_refused_briefly,
    the_number_of_samples_in_a_file_is_limited,
    bodies_that_are_not_files_are_refused,
);
