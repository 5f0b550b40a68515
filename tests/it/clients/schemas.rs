//! The body schemas of `openapi.json`, compared with what the server accepts.

use serde_json::{Value, json};

use super::program::Program;
use crate::harness::{Db, Server, Upstream, eventually, on_sqlite};

async fn schemas_are_as_strict_as_the_server(db: Db) {
    let upstream = Upstream::start().await;
    let server = Server::with_model(&db, &upstream).start().await;
    let account = server.account(4_000).await;
    let key = db.scoped_key(&account, "moderate,infer,manage,read").await;

    let judge = json!({ "name": "Triage", "instructions": { "team": ["billing", "shipping"] }, "storeContent": true });
    let judge = server.create_judge(&key, judge).await;
    let lines: String = (0..20)
        .map(|n| format!("{{\"state\":\"ticket {n}\",\"ground_truth\":{{\"team\":\"billing\"}}}}\n"))
        .collect();
    let import = server.post(&format!("/api/v1/judges/{judge}/dataset")).key(&key);
    import.body("application/x-ndjson", lines).send().await.ok();
    let log = "mutation { setModerationLog(input: { enabled: true }) { moderationLog { id } } }";
    server.ask(&key, log, json!({})).await;
    // Servers cache for some seconds that nothing is recorded.
    let verdict = eventually("a verdict is recorded", || async {
        let answer = server.moderate(&key, "hello").send().await.ok();
        let id = answer["id"].as_str().expect("an id").to_owned();
        let feedback = json!({ "id": id, "action": "none" });
        let given = server.post("/api/v1/moderate/feedback").key(&key).json(feedback).send().await;
        (given.status == 200).then_some(id)
    })
    .await;
    let program =
        Program::node(&["schemas.mjs"]).env("GAVEL_URL", &server.base_url).env("GAVEL_API_KEY", &key);
    let found = program.env("JUDGE", &judge).env("VERDICT", &verdict).findings().await;
    let disagreements = found["disagreements"].as_array().expect("a list");
    assert!(disagreements.is_empty(), "{:#?}", disagreements.iter().take(20).collect::<Vec<&Value>>());
    for (count, least) in [("good", 300), ("bad", 1_000)] {
        assert!(found[count].as_u64().expect("a count") > least, "{found}");
    }
}

on_sqlite!(schemas_are_as_strict_as_the_server);
