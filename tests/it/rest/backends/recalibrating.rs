//! A Judge whose answers come from an LLM learns too: its Checkpoint corrects the LLM's probabilities, and a cascade no
//! longer asks the LLM where the Checkpoint is as good.

use serde_json::{Value, json};

use crate::{
    graphql::checkpoints::{ANIMALS, MACHINES, SAYINGS, Trained},
    harness::{Db, Server, Upstream, on_sqlite},
};

/// The sentences about some things.
fn about(things: &[&str]) -> Vec<String> {
    SAYINGS.iter().flat_map(|saying| things.iter().map(|thing| saying.replace("{}", thing))).collect()
}

async fn ask(made: &Trained, state: &str, more: Value) -> Value {
    let mut body = json!({ "state": state, "model": "llm" });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let path = format!("/api/v1/judges/{}/inference", made.judge);
    made.server.post(&path).key(&made.key).json(body).send().await.ok()
}

/// Sets the ground truth of all samples.
async fn label(made: &Trained) {
    let query = "query($id: ID!, $after: String) { judge(id: $id) { samples(first: 100, after: $after) { \
        nodes { id state } pageInfo { endCursor hasNextPage } } } }";
    let mut after = Value::Null;
    loop {
        let found = made.server.ask(&made.key, query, json!({ "id": made.judge, "after": after })).await;
        let page = &found["judge"]["samples"];
        for (things, value) in [(&ANIMALS, "zub"), (&MACHINES, "vek")] {
            let nodes = page["nodes"].as_array().unwrap().iter();
            let ids: Vec<&Value> = nodes
                .filter(|node| things.iter().any(|thing| node["state"].to_string().contains(thing)))
                .map(|node| &node["id"])
                .collect();
            if ids.is_empty() {
                continue;
            }
            let input = json!({ "judgeId": made.judge, "sampleIds": ids, "key": "kind", "value": value });
            let done = made.mutate("reclassifySamples", input, "changed").await;
            assert_eq!(done["userErrors"], json!([]), "{done}");
        }
        after = page["pageInfo"]["endCursor"].clone();
        if page["pageInfo"]["hasNextPage"] != true {
            return;
        }
    }
}

/// Trains and activates a Checkpoint; returns it as REST shows it.
async fn trained(made: &Trained) -> Value {
    let id = made.submit(false).await["checkpoint"]["id"].clone();
    let ended = made.ended(&id).await;
    assert_eq!(ended["state"], "SUCCEEDED", "{ended}");
    let path = format!("/api/v1/checkpoints/{}", id.as_str().unwrap());
    made.server.post(&format!("{path}/activate")).key(&made.key).send().await.ok();
    made.server.get(&path).key(&made.key).send().await.ok()
}

/// How far an answer is from a coin's.
fn sure(told: &Value) -> f64 {
    (told["answers"]["kind"]["probabilities"]["zub"].as_f64().unwrap() - 0.5).abs()
}

fn reason(told: &Value) -> &str {
    told["routing"]["steps"][0]["reason"].as_str().unwrap_or_else(|| panic!("{told}"))
}

async fn a_checkpoint_corrects_an_llm_and_takes_its_place_in_a_cascade(db: Db) {
    let llm = Upstream::start().await;
    let server = Server::with(&db)
        .env("GAVEL_BACKENDS__LLM__KIND", "openai_chat")
        .env("GAVEL_BACKENDS__LLM__URL", llm.url())
        .start();
    let made = Trained::on(server.await, 20_000).await;
    let mut answers = Vec::new();
    for state in about(&ANIMALS).iter().chain(&about(&MACHINES)) {
        let told = ask(&made, state, json!({})).await;
        assert!(!reason(&told).contains("recalibrated"), "{told}");
        answers.push((state.clone(), told));
    }
    let surest = answers.iter().max_by(|one, other| sure(&one.1).total_cmp(&sure(&other.1)));
    let (state, before) = surest.expect("an answer");
    label(&made).await;
    let checkpoint = trained(&made).await;
    // The LLM's answers are arithmetic: right as often as chance has it, so that honest probabilities are flat.
    let learnt = &checkpoint["metrics"]["servers"][0];
    assert_eq!((&learnt["server_model"], &learnt["key"]), (&json!("llm/scripted-1.0"), &json!("kind")));
    assert!(learnt["temperature"].as_f64().unwrap() > 2.0, "{learnt}");
    assert!(learnt["given"]["count"].as_u64().unwrap() >= 20, "{learnt}");
    assert!(learnt["recalibrated"]["log_loss"].as_f64() < learnt["given"]["log_loss"].as_f64(), "{learnt}");
    assert_eq!(learnt["checkpoint_suffices"], true, "{learnt}");

    let told = ask(&made, state, json!({})).await;
    assert!(sure(&told) < sure(before) / 2.0, "{told} {before}");
    assert!(reason(&told).contains("recalibrated by the Judge's Checkpoint"), "{told}");
    assert_eq!(told["routing"]["steps"][0]["calibrated"], true, "{told}");
    // Another question keeps its answers.
    let other = ask(&made, state, json!({ "instructions": { "kind": ["zub", "other"] } })).await;
    assert!(!reason(&other).contains("recalibrated"), "{other}");

    let asked = llm.asked().len();
    let steps = json!([{ "backend": "gavel", "below": 1.0 }, { "backend": "llm" }]);
    let cascade = json!({ "model": "auto", "parameters": { "cascade": steps } });
    let told = ask(&made, "A strange cat is in the yard.", cascade.clone()).await;
    assert_eq!((llm.asked().len(), &told["answers"]["kind"]["choice"]), (asked, &json!("zub")), "{told}");
    assert!(reason(&told).contains("its Checkpoint is no worse than the next backend"), "{told}");
    let mut changed = cascade;
    changed["instructions"] = json!({ "kind": ["zub", "other"] });
    ask(&made, "A strange cat is in the yard.", changed).await;
    assert!(llm.asked().len() > asked, "the Checkpoint knows nothing of another question");

    // Corrected answers teach the same as those that were not.
    for state in about(&ANIMALS).iter().chain(&about(&MACHINES)) {
        ask(&made, &format!("{state} Well!"), json!({})).await;
    }
    label(&made).await;
    let again = trained(&made).await;
    let again = &again["metrics"]["servers"][0];
    assert!(again["training_answers"].as_u64() > learnt["training_answers"].as_u64(), "{again}");
    let given = again["given"]["log_loss"].as_f64().unwrap();
    assert!((given - learnt["given"]["log_loss"].as_f64().unwrap()).abs() < 0.3, "{again} {learnt}");
    assert!(again["temperature"].as_f64().unwrap() > 2.0, "{again}");
}

on_sqlite!(a_checkpoint_corrects_an_llm_and_takes_its_place_in_a_cascade);
