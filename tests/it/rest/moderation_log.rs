//! The moderation log: off by default, then a dataset of verdicts with moderators' feedback.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use domain::{foundation::database::Database, learning::moderation_log};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::{
    batches::{ended, results, submitted, text},
    graphql::mutation,
    harness::{
        Account, Answer, Db, Server, eventually_within, inv, on_both, on_sqlite,
        picture::{IMAGE, gradient},
    },
};

const FEEDBACK: &str = "/api/v1/moderate/feedback";
const BATCH: &str = "/api/v1/moderate/text/batch";
/// The maximum time until a log is turned off on every replica.
const FOLLOWS: std::time::Duration = std::time::Duration::from_secs(10);

struct Community {
    server: Server,
    account: Account,
    /// Has all permissions.
    key: String,
}

impl Community {
    async fn new(db: &Db) -> Self {
        let server = Server::start(db).await;
        let account = server.account(1_000).await;
        let key = db.scoped_key(&account, "moderate,infer,manage,read").await;
        Self { server, account, key }
    }

    async fn recording(db: &Db) -> Self {
        let new = Self::new(db).await;
        new.set(json!({ "enabled": true })).await;
        new
    }

    /// The payload of a mutation with an input.
    async fn mutate(&self, name: &str, fields: &str, input: Value) -> Value {
        let query = mutation(name, &format!("{fields} userErrors {{ field message code }}"));
        self.server.ask(&self.key, &query, json!({ "input": input })).await["payload"].clone()
    }

    async fn set(&self, input: Value) -> Value {
        let fields = "moderationLog { id name moderationLog storeContent retentionDays version }";
        let payload = self.mutate("setModerationLog", fields, input).await;
        assert_eq!(payload["userErrors"], json!([]), "{payload}");
        payload["moderationLog"].clone()
    }

    /// The id of the verdict on a message.
    async fn moderate(&self, content: &str) -> String {
        let answer = self.server.moderate(&self.key, content).send().await.ok();
        answer["id"].as_str().unwrap().to_owned()
    }

    async fn say(&self, body: Value) -> Answer {
        self.server.post(FEEDBACK).key(&self.key).json(body).send().await
    }

    /// A field of the log.
    async fn log(&self, field: &str) -> Value {
        let query = format!("{{ viewer {{ account {{ moderationLog {{ {field} }} }} }} }}");
        self.server.ask(&self.key, &query, json!({})).await["viewer"]["account"]["moderationLog"].clone()
    }

    async fn samples(&self) -> Vec<Value> {
        let fields =
            "nodes { id state source credits labelled answers { key type value probability groundTruth } }";
        self.log(&format!("samples(first: 50) {{ {fields} }}")).await["samples"]["nodes"]
            .as_array()
            .unwrap()
            .clone()
    }
}

fn answer<'a>(sample: &'a Value, key: &str) -> &'a Value {
    let answers = sample["answers"].as_array().unwrap();
    answers.iter().find(|answer| answer["key"] == key).unwrap_or_else(|| panic!("no {key}: {sample}"))
}

async fn verdicts_are_recorded_and_corrected_once_the_log_is_on(db: Db) {
    let us = Community::new(&db).await;
    let before = us.moderate("nobody reads this later").await;
    assert_eq!(us.log("id").await, Value::Null);
    us.say(json!({ "id": before, "action": "none" })).await.fails(404, "NOT_FOUND");
    let log = us.set(json!({ "enabled": true, "retentionDays": 7 })).await;
    assert_eq!(
        (&log["storeContent"], &log["retentionDays"], &log["moderationLog"]),
        (&json!(true), &json!(7), &json!(true))
    );

    let body = json!({ "content": "I will find you and kill you", "author": "a-player", "explain": true });
    let [first, again] = [(), ()]
        .map(|()| us.server.post("/api/v1/moderate/text").key(&us.key).json(body.clone()).idempotent("once"));
    let verdict = first.send().await.ok();
    assert_eq!(again.send().await.ok()["id"], verdict["id"], "a replay is not recorded again");
    let samples = us.samples().await;
    assert_eq!(samples.len(), 1, "{samples:?}");
    let sample = &samples[0];
    assert_eq!(sample["state"], json!({ "content": "I will find you and kill you", "author": "a-player" }));
    assert_eq!((&sample["credits"], &sample["labelled"]), (&verdict["credits_deducted"], &json!(false)));
    assert_eq!(answer(sample, "action")["value"], verdict["action"]);
    let p = answer(sample, "action")["probability"].as_f64().unwrap();
    let said = verdict["action_probabilities"][verdict["action"].as_str().unwrap()].as_f64().unwrap();
    assert!((p - said).abs() < 1e-4, "{p} {said}");
    for (category, probability) in verdict["explanation"]["categories"].as_object().unwrap() {
        let answer = answer(sample, category);
        let said = probability.as_f64().unwrap();
        let is = answer["value"] == "true";
        assert!(category == "scam" || is == (said >= 0.5), "{category}: {answer}");
    }

    let id = &verdict["id"];
    let feedback =
        json!({ "id": id, "action": "none", "categories": { "violence": false }, "note": "a film title" });
    let given = us.say(feedback.clone()).await.ok();
    assert_eq!(given["ground_truth"], json!({ "action": "none", "violence": "false" }));
    assert_eq!((&given["sample_id"], &given["agrees"]), (&sample["id"], &json!(false)));
    let mut with_nulls = feedback;
    with_nulls["categories"]["hate"] = Value::Null;
    with_nulls["overwrite"] = Value::Null;
    let again = us.say(with_nulls).await.ok();
    assert_eq!((&again["change_id"], &again["ground_truth"]), (&Value::Null, &given["ground_truth"]));
    let other = json!({ "id": id, "action": "ban" });
    assert!(us.say(other.clone()).await.fails(409, "CONFLICT").contains("overwrite"));
    let fields = "sample { labelled history(first: 5) { nodes { key value note actor { id } } } } changeId";
    let input = json!({ "id": id, "action": "BAN", "overwrite": true, "note": "no, a threat" });
    let payload = us.mutate("giveModerationFeedback", fields, input).await;
    let newest = &payload["sample"]["history"]["nodes"][0];
    assert_eq!((&newest["value"], &newest["note"]), (&json!("ban"), &json!("no, a threat")), "{payload}");
    let undone =
        us.mutate("undoReclassification", "changed", json!({ "changeId": payload["changeId"] })).await;
    assert_eq!(undone["changed"], 1, "{undone}");
    assert_eq!(answer(&us.samples().await[0], "action")["groundTruth"], "none");

    let stats = us.log("stats { key(key: \"action\") { agreement { count accuracy } } }").await;
    assert_eq!(stats["stats"]["key"]["agreement"], json!({ "count": 1, "accuracy": 0.0 }));
    us.set(json!({ "enabled": false })).await;
    us.moderate("nobody reads this either").await;
    assert_eq!(us.samples().await.len(), 1);
    inv::check(&db).await;
}

async fn every_way_to_moderate_is_recorded(db: Db) {
    let us = Community::recording(&db).await;
    let body = json!({ "messages": [{ "content": "the first of two" }, { "content": "the second of two" }] });
    let batch = us.server.post(BATCH).key(&us.key).json(body).idempotent("b").send().await.ok();
    let ids: Vec<&Value> = batch["results"].as_array().unwrap().iter().map(|one| &one["id"]).collect();
    us.say(json!({ "id": ids[1], "action": "warn" })).await.ok();
    let theirs = json!({ "input": "by another service's shape" });
    let theirs = us.server.post("/v1/moderations").key(&us.key).json(theirs).send().await.ok();
    let items = [text("one", "the first of a bulk batch"), text("two", "the second of a bulk batch")];
    let bulk = submitted(&us.server, &us.key, &items).await;
    ended(&us.server, &us.key, &bulk).await;
    for result in results(&us.server, &us.key, &bulk).await {
        us.say(json!({ "id": result["response"]["body"]["id"], "categories": { "spam": true } })).await.ok();
    }
    let samples = us.samples().await;
    let mut texts: Vec<&str> =
        samples.iter().map(|sample| sample["state"]["content"].as_str().unwrap()).collect();
    texts.sort_unstable();
    let expected = [
        "by another service's shape",
        "the first of a bulk batch",
        "the first of two",
        "the second of a bulk batch",
        "the second of two",
    ];
    assert_eq!(texts, expected, "{theirs}");
    let warned = samples.iter().find(|sample| answer(sample, "action")["groundTruth"] == "warn");
    assert_eq!(warned.unwrap()["state"]["content"], "the second of two");
    assert!(samples.iter().all(|sample| sample["credits"] == 0.5), "{samples:?}");
}

async fn wrong_feedback_is_refused_with_its_field(db: Db) {
    let us = Community::recording(&db).await;
    let id = us.moderate("have a nice day").await;
    for (body, field) in [
        (json!({ "id": id }), "action"),
        (json!({ "action": "none" }), "id"),
        (json!({ "id": 7, "action": "none" }), "id"),
        (json!({ "id": id, "action": "kick" }), "action"),
        (json!({ "id": id, "action": null }), "action"),
        (json!({ "id": id, "categories": { "rude": true } }), "categories"),
        (json!({ "id": id, "categories": { "hate": "yes" } }), "categories.hate"),
        (json!({ "id": id, "categories": ["hate"] }), "categories"),
        (json!({ "id": id, "action": "none", "note": "x".repeat(1_001) }), "note"),
        (json!({ "id": id, "action": "none", "note": "a\u{0}b" }), "note"),
        (json!({ "id": id, "action": "none", "overwrite": "yes" }), "overwrite"),
    ] {
        let answer = us.say(body.clone()).await;
        answer.fails(422, "VALIDATION_FAILED");
        assert_eq!(answer.field(), field, "{body}: {}", answer.text);
    }
    let stranger = us.server.account(1).await;
    for unknown in [
        json!("mod_00000000000000000000000000"),
        json!("judge_x"),
        json!(""),
        json!("mod_\u{0}"),
        json!(format!("mod_{}", "x".repeat(9_999))),
    ] {
        us.say(json!({ "id": unknown, "action": "none" })).await.fails(404, "NOT_FOUND");
    }
    let body = json!({ "id": id, "action": "none" });
    us.server.post(FEEDBACK).key(&stranger.key).json(body.clone()).send().await.fails(404, "NOT_FOUND");
    let asks = db.scoped_key(&us.account, "infer,read").await;
    us.server.post(FEEDBACK).key(&asks).json(body).send().await.fails(403, "FORBIDDEN");
    assert_eq!(us.samples().await[0]["labelled"], false);
    for days in [0, 3_651] {
        let input = json!({ "enabled": true, "retentionDays": days });
        let payload = us.mutate("setModerationLog", "moderationLog { id }", input).await;
        assert_eq!(payload["userErrors"][0]["field"], "retentionDays", "{payload}");
    }
}

async fn a_log_cannot_be_asked_trained_or_changed_like_a_judge(db: Db) {
    let us = Community::recording(&db).await;
    let id = us.log("id").await["id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/judges/{id}/inference");
    us.server.post(&path).key(&us.key).json(json!({ "state": "hello" })).send().await.fails(409, "CONFLICT");
    for path in ["checkpoints", "evaluations"] {
        let path = format!("/api/v1/judges/{id}/{path}");
        us.server.post(&path).key(&us.key).json(json!({})).send().await.fails(409, "CONFLICT");
    }
    for (name, fields, input) in [
        ("updateJudge", "judge { id }", json!({ "id": id, "name": "mine" })),
        ("updateJudge", "judge { id }", json!({ "id": id, "instructions": "What?" })),
    ] {
        let payload = us.mutate(name, fields, input).await;
        assert_eq!(payload["userErrors"][0]["code"], "CONFLICT", "{payload}");
    }
    let judges = us.server.ask(&us.key, "{ viewer { account { judges { totalCount } } } }", json!({})).await;
    assert_eq!(judges["viewer"]["account"]["judges"]["totalCount"], 0);
}

async fn old_verdicts_are_deleted(db: Db) {
    let us = Community::recording(&db).await;
    for n in 0..3 {
        us.moderate(&format!("message number {n}")).await;
    }
    us.set(json!({ "enabled": true, "retentionDays": 2 })).await;
    let samples = us.samples().await;
    let old = samples[0]["id"].as_str().unwrap();
    db.execute(&format!("UPDATE sample SET created_at = '2026-01-01 00:00:00+00:00' WHERE id = '{old}'"))
        .await;
    let connected = Database::connect(db.url(), 2).await.unwrap();
    assert_eq!(moderation_log::prune(&connected).await.unwrap(), 1);
    assert_eq!(moderation_log::prune(&connected).await.unwrap(), 0);
    let left = us.samples().await;
    assert!(left.len() == 2 && left.iter().all(|sample| sample["id"] != old), "{left:?}");
    // The counted bytes are those that are stored.
    let purge = json!({ "judgeId": us.log("id").await["id"], "filter": {} });
    assert_eq!(us.mutate("purgeSamples", "count", purge).await["count"], 2);
    #[derive(Debug, PartialEq, sea_orm::FromQueryResult)]
    struct StoredBytes {
        bytes: i64,
    }
    let stored: Vec<StoredBytes> = inv::rows(&db, "SELECT bytes FROM storage").await;
    assert_eq!(stored, [StoredBytes { bytes: 0 }]);
}

async fn a_threshold_keeps_a_rate_of_false_alarms(db: Db) {
    let us = Community::recording(&db).await;
    let messages = [
        ("kill yourself, nobody wants you here", true),
        ("you are a worthless idiot and everyone hates you", true),
        ("shut up you stupid moron", true),
        ("you played like an idiot, just like me", false),
        ("good morning, everyone", false),
        ("the build is green again", false),
        ("who is up for ranked tonight", false),
    ];
    for (content, harassment) in messages {
        let id = us.moderate(content).await;
        us.say(json!({ "id": id, "categories": { "harassment": harassment } })).await.ok();
    }
    let mut all: Vec<(f64, bool)> = Vec::new();
    for sample in us.samples().await {
        let answer = answer(&sample, "harassment");
        let p = answer["probability"].as_f64().unwrap();
        let p = if answer["value"] == "true" { p } else { 1.0 - p };
        all.push((p, answer["groundTruth"] == "true"));
    }
    for (rate, most) in [(0.01, 0), (0.25, 1), (1.0, 4)] {
        let fields = "probability recall precision count support answered";
        let key = format!(
            "key(key: \"harassment\") {{ threshold(value: \"true\", falseAlarms: {rate}) {{ {fields} }} }}"
        );
        let found = us.log(&format!("stats {{ {key} }}")).await["stats"]["key"]["threshold"].clone();
        let least = found["probability"].as_f64().unwrap() - 1e-6;
        let alarms = all.iter().filter(|(p, harm)| *p >= least && !harm).count();
        assert!(alarms <= most, "{rate}: {found} {all:?}");
        assert_eq!((&found["count"], &found["support"]), (&json!(7), &json!(3)));
        // The next lower probability would exceed the rate.
        let next = all.iter().map(|(p, _)| *p).filter(|p| *p < least).fold(0.0, f64::max);
        let alarms = all.iter().filter(|(p, harm)| *p >= next && !harm).count();
        assert!(next == 0.0 || alarms > most, "{rate}: {found} {all:?}");
    }
}

async fn other_replicas_apply_the_change(db: Db) {
    let us = Community::recording(&db).await;
    let replica = us.server.replica().await;
    replica.moderate(&us.key, "seen by the other replica").send().await.ok();
    assert_eq!(us.samples().await.len(), 1);
    us.set(json!({ "enabled": false })).await;
    eventually_within(FOLLOWS, "the replica records no more", async || {
        let before = us.samples().await.len();
        replica.moderate(&us.key, "is this recorded").send().await.ok();
        (us.samples().await.len() == before).then_some(())
    })
    .await;
}

async fn pictures_are_recorded_without_their_bytes_and_corrected(db: Db) {
    let server = Server::with(&db).env("GAVEL_IMAGE_NUDITY_THRESHOLD", "0").start().await;
    let account = server.account(1_000).await;
    let key = db.scoped_key(&account, "moderate,infer,manage,read").await;
    let us = Community { server, account, key };
    let file = gradient(64, 64);
    let before = us.server.upload(&us.key, &file).send().await.ok();
    us.say(json!({ "id": before["id"], "action": "none" })).await.fails(404, "NOT_FOUND");
    us.set(json!({ "enabled": true })).await;
    let body = json!({ "image_base64": STANDARD.encode(&file), "author": "bob", "channel": "#pics" });
    let verdict = us.server.post(IMAGE).key(&us.key).json(body).send().await.ok();
    assert_eq!(verdict["data"]["is_flagged"], true);
    let long = json!({ "image_base64": STANDARD.encode(&file), "author": "x".repeat(257) });
    us.server.post(IMAGE).key(&us.key).json(long).send().await.fails(422, "VALIDATION_FAILED");

    let record = "samples(first: 9, order: MOST_SEVERE_FIRST, moderation: { actions: [TIMEOUT], categories: \
        [\"sexual\"], author: \"bob\", channel: \"#pics\" }) { nodes { id state credits moderation { moderationId \
        content action threatScore picture { sha256 bytes source labels } } } }";
    let found = us.log(record).await["samples"]["nodes"].clone();
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
    let record = &found[0]["moderation"];
    assert_eq!((&record["moderationId"], &found[0]["credits"]), (&verdict["id"], &json!(1.0)));
    assert_eq!(record["content"], verdict["data"]["summary"]);
    let picture = json!({
        "sha256": format!("{:x}", Sha256::digest(&file)), "bytes": file.len(), "source": "base64",
        "labels": verdict["data"]["categories"]["nudity"]["labels"],
    });
    assert_eq!(record["picture"]["sha256"], picture["sha256"]);
    assert_eq!(record["picture"]["bytes"], picture["bytes"]);
    assert_eq!(record["picture"]["source"], picture["source"]);
    assert!(record["threatScore"].as_f64().unwrap() >= 2.0);

    let said =
        json!({ "id": verdict["id"], "action": "none", "categories": { "sexual": false, "hate": false } });
    let given = us.say(said).await.ok();
    assert_eq!(given["ground_truth"], json!({ "action": "none", "hate": "false", "sexual": "false" }));
    assert_eq!(given["agrees"], false);
    // Pictures beside texts have ids of their own.
    let uri = format!("data:image/jpeg;base64,{}", STANDARD.encode(&file));
    let parts =
        json!([{ "type": "text", "text": "hello" }, { "type": "image_url", "image_url": { "url": uri } }]);
    us.server.post("/v1/moderations").key(&us.key).json(json!({ "input": parts })).send().await.ok();
    let all = us.log("samples { totalCount }").await["samples"]["totalCount"].clone();
    assert_eq!(all, 3);
    // Insights find no phrases in what Gavel says of pictures.
    let insights = "{ account { moderationInsights { phrases { __typename } } } }";
    let seen = us.server.ask(&us.key, insights, json!({})).await["account"]["moderationInsights"].clone();
    assert_eq!(seen, json!({ "phrases": [] }));
}

on_both!(
    verdicts_are_recorded_and_corrected_once_the_log_is_on,
    every_way_to_moderate_is_recorded,
    old_verdicts_are_deleted,
    a_threshold_keeps_a_rate_of_false_alarms,
    other_replicas_apply_the_change,
);
on_both!(pictures_are_recorded_without_their_bytes_and_corrected);
on_sqlite!(wrong_feedback_is_refused_with_its_field, a_log_cannot_be_asked_trained_or_changed_like_a_judge,);
