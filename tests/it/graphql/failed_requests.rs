//! Requests that were refused or failed: found by their id, by whose they are.

use serde_json::{Value, json};

use super::{PASSWORD, Session, mutation, person};
use crate::harness::{Answer, Db, Server, eventually, on_both};

const FIELDS: &str = "totalCount nodes { requestId method path status code message latencyMs actor { id } }";

async fn failed(server: &Server, key: &str, arguments: &str) -> Value {
    let query = format!("{{ account {{ failedRequests{arguments} {{ {FIELDS} }} }} }}");
    server.ask(key, &query, json!({})).await["account"]["failedRequests"].clone()
}

fn request_id(answer: &Answer) -> String {
    answer.header("x-request-id").expect("an id").to_owned()
}

async fn a_refused_request_is_found_by_its_id(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(1).await;
    let (key_id, key) = db.key(&account, &["--scopes", "moderate,read"]).await;
    let secret = "a secret text that nobody keeps";
    let blank = server.post("/api/v1/moderate/text").key(&key).json(json!({ "content": "" })).send().await;
    let forbidden = json!({ "state": secret, "instructions": { "a": ["x", "y"] } });
    let forbidden = server.post("/api/v1/inference").key(&key).json(forbidden).send().await;
    server.moderate(&key, secret).send().await.ok();
    server.moderate(&key, secret).send().await.ok();
    let poor = server.moderate(&key, secret).send().await;
    assert_eq!((blank.status, forbidden.status, poor.status), (422, 403, 402));
    let all = eventually("all are recorded", async || {
        let all = failed(&server, &key, "").await;
        (all["nodes"].as_array().is_some_and(|nodes| nodes.len() == 3)).then_some(all)
    })
    .await;
    assert!(!all.to_string().contains(secret));
    let newest = &all["nodes"][0];
    assert_eq!(newest["requestId"], request_id(&poor).as_str());
    assert_eq!((&newest["code"], &newest["status"]), (&json!("INSUFFICIENT_CREDITS"), &json!(402)));
    assert_eq!((&newest["path"], &newest["method"]), (&json!("/api/v1/moderate/text"), &json!("POST")));
    assert_eq!(newest["actor"]["id"], key_id.as_str());
    let one = failed(&server, &key, &format!("(requestId: \"{}\")", request_id(&forbidden))).await;
    assert_eq!((&one["totalCount"], &one["nodes"][0]["code"]), (&json!(1), &json!("FORBIDDEN")));
    let invalid = failed(&server, &key, &format!("(status: 422, keyId: \"{key_id}\")")).await;
    assert_eq!(invalid["nodes"][0]["requestId"], request_id(&blank).as_str());
    let charge = "{ account { ledger(kind: CHARGE, first: 1) { nodes { requestId } } } }";
    let charge = server.ask(&key, charge, json!({})).await["account"]["ledger"]["nodes"][0].clone();
    let found = format!("{{ account {{ ledger(requestId: {}) {{ totalCount }} }} }}", charge["requestId"]);
    assert_eq!(server.ask(&key, &found, json!({})).await["account"]["ledger"]["totalCount"], 1);

    // An operation of GraphQL, too, by either method.
    let wrong = server.graphql("{ account { judges(first: 101) { totalCount } } }", json!({})).key(&key);
    let wrong = request_id(&wrong.send().await);
    eventually("it is recorded", async || {
        let found = failed(&server, &key, &format!("(requestId: \"{wrong}\")")).await;
        (found["nodes"][0]["path"] == "/graphql" && found["nodes"][0]["status"] == 200).then_some(())
    })
    .await;

    let query =
        "/graphql?query=%7B%20account%20%7B%20judges(first%3A%20101)%20%7B%20totalCount%20%7D%20%7D%20%7D";
    let wrong = request_id(&server.get(query).key(&key).send().await);
    eventually("it is recorded with its method", async || {
        let found = failed(&server, &key, &format!("(requestId: \"{wrong}\")")).await;
        (found["nodes"][0]["method"] == "GET").then_some(())
    })
    .await;

    // Nobody else finds them.
    let stranger = server.account(1).await;
    let stranger = db.scoped_key(&stranger, "read").await;
    let theirs = failed(&server, &stranger, &format!("(requestId: \"{}\")", request_id(&poor))).await;
    assert_eq!(theirs["totalCount"], 0);
}

async fn only_some_of_a_flood_are_kept_and_others_are_not_disturbed(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(1).await;
    let key = db.scoped_key(&account, "moderate,read").await;
    for _ in 0..80 {
        server.post("/api/v1/moderate/text").key(&key).json(json!({ "content": "" })).send().await;
    }
    let victim = server.account(1).await;
    let victim = db.scoped_key(&victim, "moderate,read").await;
    server.post("/api/v1/moderate/text").key(&victim).json(json!({ "content": "" })).send().await;
    eventually("the victim's is recorded", async || {
        (failed(&server, &victim, "").await["totalCount"] == 1).then_some(())
    })
    .await;
    assert_eq!(failed(&server, &key, "").await["totalCount"], 60);
}

async fn operators_see_the_deployment(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(1).await;
    let (_, email) = person(&db, &account, "editor").await;
    let colleague = Session::sign_in(&server, &email, PASSWORD).await;
    let query = "{ operator { version health { database storage charging text image decision queue } \
                 queues { lane queued running oldestQueuedAt } failedRequests { totalCount } \
                 models { name version file bytes sha256 origin state fault } } }";
    colleague.send(json!({ "query": query })).await.refused("FORBIDDEN");
    server.cli(&["user", "operator", "--email", &email]).await;
    let seen = colleague.query(query).await["operator"].clone();
    assert_eq!(seen["health"]["database"], true);
    let lanes = seen["queues"].as_array().unwrap();
    assert_eq!(
        lanes.iter().map(|lane| lane["lane"].as_str().unwrap()).collect::<Vec<_>>(),
        ["bulk", "training", "webhooks"]
    );
    let models = seen["models"].as_array().unwrap();
    let built_in = models.iter().find(|model| model["origin"] == "built_in").unwrap();
    assert_eq!((&built_in["state"], built_in["sha256"].as_str().unwrap().len()), (&json!("intact"), 64));
    let input = json!({ "accountId": account.id, "rateLimitPerMinute": 7 });
    let fields = "customer { rateLimitPerMinute } userErrors { code }";
    let body = json!({ "query": mutation("setAccountRateLimit", fields), "variables": { "input": input } });
    let set = colleague.send(body).await.data();
    assert_eq!(set["payload"]["customer"]["rateLimitPerMinute"], 7);
}

on_both!(
    a_refused_request_is_found_by_its_id,
    only_some_of_a_flood_are_kept_and_others_are_not_disturbed,
    operators_see_the_deployment,
);
