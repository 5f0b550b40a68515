//! A batch returns the answers of the single endpoints, in order, at the same price.

use serde_json::{Value, json};

use super::asking::*;
use crate::{
    graphql::owner,
    harness::{Db, Server, Upstream, inv, milli, on_both},
    holds::funds,
};

/// Alternating texts and questions, more than fit into one chunk.
fn mixed() -> Vec<Value> {
    let mut items = Vec::new();
    for n in 0..240 {
        let id = format!("item {n}");
        items.push(match n % 3 {
            0 => text(&id, &format!("free nitro number {n} at dlscord-gift.com")),
            1 => question(&id, &format!("where is parcel number {n}?")),
            _ => text(&id, &format!("see you at nine, number {n}")),
        });
    }
    items
}

async fn results_equal_those_of_the_single_endpoints(db: Db) {
    let upstream = Upstream::start().await;
    let server = Server::with_model(&db, &upstream).start().await;
    let account = server.account(1_000).await;
    let items = mixed();
    let id = submitted(&server, &account.key, &items).await;
    let done = ended(&server, &account.key, &id).await;
    assert_eq!(done["status"], "completed", "{done}");
    assert_eq!(done["counts"], json!({ "completed": 240, "failed": 0 }));
    assert_eq!(milli(&done["credits_charged"]), 240 * PRICE);
    assert_eq!(milli(&done["credits_held"]), 0);
    assert_eq!(funds(&db, &account).await, (1_000_000 - 240 * PRICE, 0));
    let charges = inv::charges(&db, &account.id).await;
    assert!(charges.len() >= 2, "it ran in chunks");
    assert!(charges.iter().all(|row| row.endpoint.as_deref() == Some(BATCHES)));
    let session = owner(&server, &account).await;
    let used = session.query("{ account { usage { requests items } } }").await["account"]["usage"].clone();
    assert_eq!(used, json!([{ "requests": charges.len(), "items": 240 }]));
    let results = results(&server, &account.key, &id).await;
    assert_eq!(custom_ids(&results), custom_ids(&items), "in the order of submission");
    for place in [0, 1, 2, 117, 238, 239] {
        let item = &items[place];
        let result = &results[place];
        assert_eq!(result["error"], Value::Null);
        assert_eq!(result["response"]["status_code"], 200);
        let request = result["response"]["request_id"].as_str().unwrap();
        assert!(charges.iter().any(|row| row.request_id == request), "it refers to its charge");
        let url = item["url"].as_str().unwrap();
        let single = server.post(url).key(&account.key).json(item["body"].clone()).send().await.ok();
        assert_eq!(alike(&result["response"]["body"]), alike(&single), "{url}");
    }
}

fn custom_ids(values: &[Value]) -> Vec<Value> {
    values.iter().map(|one| one["custom_id"].clone()).collect()
}

/// Creates a Judge that stores contents; returns its id.
async fn recording_judge(server: &Server, key: &str, name: &str) -> String {
    let input = json!({ "name": name, "instructions": { "team": ["a", "b"] }, "storeContent": true });
    server.create_judge(key, input).await
}

/// An item that asks a Judge.
fn judge_item(n: usize, judge: &str) -> Value {
    let url = format!("/api/v1/judges/{judge}/inference");
    json!({ "custom_id": n.to_string(), "method": "POST", "url": url, "body": { "state": format!("state {n}") } })
}

async fn items_for_a_judge_are_recorded_with_their_charge(db: Db) {
    let upstream = Upstream::start().await;
    let server = Server::with_model(&db, &upstream).start().await;
    let account = server.account(100).await;
    let key = db.scoped_key(&account, "infer,manage").await;
    let recording = recording_judge(&server, &key, "recording").await;
    let archived = recording_judge(&server, &key, "archived").await;
    let mut items: Vec<Value> = (0..5).map(|n| judge_item(n, &recording)).collect();
    items.push(judge_item(5, &archived));
    // Without a worker: one Judge is archived before the batch runs.
    let mut api = server;
    api.terminate().await;
    let api = Server::with(&db).args(&["api"]).env("GAVEL_LOCAL_URL", upstream.url()).start().await;
    let id = submitted(&api, &key, &items).await;
    let archive =
        format!("mutation {{ archiveJudge(input: {{ id: \"{archived}\" }}) {{ userErrors {{ code }} }} }}");
    api.ask(&key, &archive, json!({})).await;
    let server = Server::with_model(&db, &upstream).start().await;
    let done = ended(&server, &key, &id).await;
    assert_eq!(
        (&done["status"], &done["counts"]),
        (&json!("completed"), &json!({ "completed": 5, "failed": 1 }))
    );
    assert_eq!(milli(&done["credits_charged"]), 5 * PRICE);
    let results = results(&server, &key, &id).await;
    assert!(results[..5].iter().all(|result| result["response"]["body"]["logged"] == true), "{results:?}");
    let failed = &results[5];
    assert_eq!(failed["response"]["status_code"], 404);
    assert_eq!(failed["response"]["body"]["code"], "NOT_FOUND");
    assert_eq!(failed["error"]["code"], "NOT_FOUND");
    #[derive(sea_orm::FromQueryResult)]
    struct Sample {
        credits: i64,
    }
    let samples: Vec<Sample> = inv::rows(&db, "SELECT credits FROM sample").await;
    assert_eq!(samples.iter().map(|sample| sample.credits).collect::<Vec<_>>(), [PRICE; 5]);
    assert_eq!(funds(&db, &account).await, (100_000 - 5 * PRICE, 0));
}

async fn batches_are_accepted_as_json_and_idempotent_by_key(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let body = json!({ "metadata": { "for": "you" }, "items": [text("a", "hello"), text("b", "good bye")] });
    let first = server.post(BATCHES).key(&account.key).idempotent("one").json(body.clone()).send().await;
    let second = server.post(BATCHES).key(&account.key).idempotent("one").json(body).send().await;
    assert_eq!(first.status, 202, "{}", first.text);
    assert_eq!(first.text, second.text, "the same answer as the first time");
    let replayed = [&first, &second].map(|answer| answer.header("idempotent-replayed"));
    assert_eq!(replayed, [None, Some("true")]);
    assert_eq!(first.body["metadata"], json!({ "for": "you" }));
    let other = json!({ "items": [text("a", "hello")] });
    let other = server.post(BATCHES).key(&account.key).idempotent("one").json(other).send().await;
    other.fails(422, "IDEMPOTENCY_MISMATCH");
    let id = first.body["id"].as_str().unwrap();
    assert_eq!(ended(&server, &account.key, id).await["status"], "completed");
    assert_eq!(funds(&db, &account).await, (10_000 - 2 * PRICE, 0), "charged once");
    let later = submitted(&server, &account.key, &[text("c", "later")]).await;
    let list = server.get(&format!("{BATCHES}?limit=1")).key(&account.key).send().await.ok();
    assert_eq!((&list["data"][0]["id"], &list["has_more"]), (&json!(later), &json!(true)));
    let next = server.get(&format!("{BATCHES}?after={later}")).key(&account.key).send().await.ok();
    assert_eq!((&next["data"][0]["id"], &next["has_more"]), (&json!(id), &json!(false)));
    // A key sees the batches that it submitted; with the scope `read`, all.
    let own = db.scoped_key(&account, "moderate").await;
    server.get(&format!("{BATCHES}/{id}")).key(&own).send().await.fails(404, "NOT_FOUND");
    let reader = db.scoped_key(&account, "read").await;
    assert_eq!(batch(&server, &reader, id).await["total"], 2);
    ended(&server, &account.key, &later).await;
}

async fn a_slash_too_many_in_an_items_path_is_passed_over(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let items: Vec<Value> = ["/api/v1/moderate/text/", "//api/v1//moderate/text", "/api/v1/moderate/text"]
        .into_iter()
        .map(|url| json!({ "custom_id": url, "method": "POST", "url": url, "body": { "content": "hello" } }))
        .collect();
    let id = submitted(&server, &account.key, &items).await;
    assert_eq!(completed(&ended(&server, &account.key, &id).await), 3);
    let unknown = json!({ "items": [{ "custom_id": "a", "method": "POST", "url": "//", "body": {} }] });
    let refused = server.post(BATCHES).key(&account.key).json(unknown).send().await;
    refused.fails(422, "VALIDATION_FAILED");
}

on_both!(
    results_equal_those_of_the_single_endpoints,
    items_for_a_judge_are_recorded_with_their_charge,
    batches_are_accepted_as_json_and_idempotent_by_key,
    a_slash_too_many_in_an_items_path_is_passed_over,
);
