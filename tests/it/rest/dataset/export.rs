//! Exports: the samples that the parameters select, as of the beginning of the export, in a named file.

use serde_json::{Value, json};

use super::asking::{ask_otherwise, counts, import, judge, judge_asking, lines, path, start};
use crate::harness::{Db, Server, on_both, on_sqlite};

fn states(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["state"].as_str().unwrap()).collect()
}

fn line(state: &str, truth: Value) -> Value {
    json!({ "state": state, "ground_truth": truth })
}

async fn parameters_select_samples(db: Db) {
    let (server, _, key) = start(&db).await;
    let judge = judge(&server, &key).await;

    counts(
        import(&server, &key, &judge, &[line("one", json!({})), line("two", json!({ "spam": true }))]).await,
    );
    ask_otherwise(&server, &key, &judge, json!({ "spam": "Is it really spam?" })).await;
    counts(import(&server, &key, &judge, &[line("three", json!({}))]).await);
    let all = lines(&server, &key, &judge, "").await;
    assert_eq!(states(&all), ["one", "two", "three"]);
    let third = all[2]["created_at"].as_str().unwrap();
    for (query, expected) in [
        ("?labelled=true".to_owned(), &["two"][..]),
        ("?labelled=false".to_owned(), &["one", "three"]),
        ("?version=1".to_owned(), &["one", "two"]),
        ("?version=2&format=jsonl".to_owned(), &["three"]),
        ("?source=import".to_owned(), &["one", "two", "three"]),
        ("?source=inference".to_owned(), &[]),
        (format!("?since={third}"), &["three"]),
        (format!("?until={third}"), &["one", "two"]),
        (format!("?until={third}&labelled=false"), &["one"]),
        ("?text=W".to_owned(), &["two"]),
        ("?text=e&labelled=false".to_owned(), &["one", "three"]),
        ("?text=%22".to_owned(), &[]),
        ("?text=a%00b".to_owned(), &[]),
        ("?key=spam&ground_truth=true".to_owned(), &["two"]),
        ("?key=spam&ground_truth=false".to_owned(), &[]),
        ("?key=spam&value=true".to_owned(), &[]),
        ("?key=spam&agrees=false".to_owned(), &[]),
        ("?key=other&ground_truth=true".to_owned(), &[]),
        ("?key=sp%00am".to_owned(), &[]),
        ("?since=2999-01-01T00:00:00%2B02:00".to_owned(), &[]),
        ("?until=9999-12-31T23:30:00-01:00".to_owned(), &["one", "two", "three"]),
        ("?since=9999-12-31T23:30:00-01:00".to_owned(), &[]),
    ] {
        assert_eq!(states(&lines(&server, &key, &judge, &query).await), expected, "{query}");
    }
}

async fn invalid_parameters_are_refused(db: Db) {
    let (server, _, key) = start(&db).await;
    let judge = judge(&server, &key).await;
    for (query, field, says) in [
        ("?format=xlsx", "format", "must be one of: jsonl, csv, parquet"),
        ("?format=", "format", "must be one of: jsonl, csv, parquet"),
        ("?format=csv&format=csv", "format", "must be given once"),
        ("?source=file", "source", "must be one of: inference, import"),
        ("?labelled=yes", "labelled", "must be one of: true, false"),
        ("?version=latest", "version", "must be the number of a version"),
        ("?version=0", "version", "must be the number of a version"),
        ("?version=99999999999", "version", "must be the number of a version"),
        ("?since=yesterday", "since", "must be a time of RFC 3339"),
        ("?until=2026-11-21", "until", "must be a time of RFC 3339"),
        ("?labeled=true", "labeled", "is not a parameter of this path, which takes: format, since"),
        ("?limit=10", "limit", "is not a parameter"),
        ("?value=true", "key", "is required with value, ground_truth and agrees"),
        ("?agrees=true", "key", "is required"),
        ("?key=spam&agrees=1", "agrees", "must be one of: true, false"),
        (&format!("?text={}", "x".repeat(201)), "text", "must have at most 200 characters"),
    ] {
        let answer = server.get(&path(&judge, query)).key(&key).send().await;
        let said = answer.fails(422, "VALIDATION_FAILED");
        assert!(said.contains(says) && answer.field() == field, "{query}: {said}");
    }
}

async fn an_export_is_a_named_download_without_pages(db: Db) {
    let (server, _, key) = start(&db).await;
    let judge = judge_asking(&server, &key, json!({ "spam": "Is it spam?" })).await;
    // More than two pages of rows, and some samples that fill a page each.
    let mut given: Vec<Value> = (0..2_100)
        .map(|n| json!({ "state": format!("sample number {n}"), "ground_truth": { "spam": n % 2 == 0 } }))
        .collect();
    given.extend((0..40).map(|n| json!({ "state": format!("{n} {}", "x".repeat(200_000)) })));
    assert_eq!(counts(import(&server, &key, &judge, &given).await)[1], 2_140);
    let exported = lines(&server, &key, &judge, "").await;
    let given: Vec<&Value> = given.iter().map(|line| &line["state"]).collect();
    assert_eq!(exported.iter().map(|line| &line["state"]).collect::<Vec<_>>(), given);
    for format in ["jsonl", "csv", "parquet"] {
        let request = server.request(reqwest::Method::HEAD, &path(&judge, &format!("?format={format}")));
        let answer = request.key(&key).send().await;
        let expected = format!("attachment; filename=\"{judge}.{format}\"");
        assert_eq!((answer.status, answer.header("content-disposition")), (200, Some(expected.as_str())));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
    }
}

async fn more_keys_than_columns_need_another_format(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(1).await;
    let key = db.scoped_key(&account, "manage").await;
    let judge = judge(&server, &key).await;
    let given: Vec<Value> = (0..510)
        .map(|n| {
            let own = format!("key {n}");
            json!({ "state": n, "instructions": { own.as_str(): "?" }, "ground_truth": { own.as_str(): true } })
        })
        .collect();
    assert_eq!(counts(import(&server, &key, &judge, &given).await)[1], 510);
    let answer = server.get(&path(&judge, "?format=csv")).key(&key).send().await;
    assert!(answer.fails(422, "VALIDATION_FAILED").contains("jsonl, parquet"), "{}", answer.text);
    assert_eq!(lines(&server, &key, &judge, "").await.len(), 510);
}

on_both!(parameters_select_samples, an_export_is_a_named_download_without_pages);
on_sqlite!(invalid_parameters_are_refused, more_keys_than_columns_need_another_format);
