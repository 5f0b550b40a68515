//! The review queue: the least certain samples first, and each for one person only.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::dataset::{Dataset, ids, nodes, refused, text};
use crate::harness::{Db, inv, on_both};

async fn the_queue_shows_the_least_certain_unclaimed_samples(db: Db) {
    let data = Dataset::with(&db, 7).await;
    let queue = data.list("reviewQueue", "").await;
    let certainties: Vec<f64> = nodes(&queue).iter().map(|one| one["certainty"].as_f64().unwrap()).collect();
    assert!(certainties.is_sorted() && certainties.len() == 7, "{certainties:?}");
    let order = ids(&nodes(&queue));
    data.reclassify(&order[2], "team", "other").await.unwrap();
    let colleague = data.server.db.scoped_key(&data.account, "manage").await;
    let first = claim(&data, &colleague, json!({ "judgeId": data.judge })).await;
    assert_eq!(first["sample"]["id"], order[0].as_str());
    let left = data.list("reviewQueue", "").await;
    assert_eq!((ids(&nodes(&left)), &left["totalCount"]), ([&order[1..2], &order[3..]].concat(), &json!(5)));
    let mine = claim(&data, &data.key, json!({ "judgeId": data.judge })).await;
    assert_eq!(
        (&mine["sample"]["id"], &mine["sample"]["claimedBy"]["id"]),
        (&json!(order[1]), &json!(data.key_id))
    );
    assert_eq!(
        ids(&nodes(&data.list("reviewQueue", "").await))[0],
        order[1],
        "my own claims stay in my queue"
    );
    let pages = data.list("reviewQueue", "first: 2").await;
    let rest = format!("after: {}", pages["pageInfo"]["endCursor"]);
    let rest = data.list("reviewQueue", &rest).await;
    assert_eq!(
        ids(&nodes(&pages)).into_iter().chain(ids(&nodes(&rest))).collect::<Vec<_>>(),
        [&order[1..2], &order[3..]].concat()
    );

    // An expired claim no longer counts.
    let over = "UPDATE sample SET claimed_until = 1 WHERE claimed_until IS NOT NULL";
    db.execute(over).await;
    assert_eq!(data.sample(&order[0]).await["claimedBy"], Value::Null);
    let next = claim(&data, &data.key, json!({ "judgeId": data.judge })).await;
    assert_eq!(next["sample"]["id"], order[0].as_str());
}

async fn twenty_concurrent_claims_get_twenty_samples(db: Db) {
    let data = Dataset::with(&db, 25).await;
    let replica = data.server.replica().await;
    let colleague = db.scoped_key(&data.account, "manage").await;
    let query = "mutation($input: ClaimSampleInput!) { payload: claimSample(input: $input) { sample { id \
        claimedUntil } userErrors { code } } }";
    let claims = (0..20).map(|number| {
        let server = if number % 2 == 0 { &data.server } else { &replica };
        let key = if number % 3 == 0 { &colleague } else { &data.key };
        let request = server.graphql(query, json!({ "input": { "judgeId": data.judge } })).key(key);
        async move { request.send().await.data()["payload"].clone() }
    });
    let claimed = futures_util::future::join_all(claims).await;
    let different: HashSet<String> = claimed.iter().map(|one| text(&one["sample"]["id"])).collect();
    assert_eq!(different.len(), 20, "{claimed:?}");
    for _ in 0..5 {
        let one = claim(&data, &data.key, json!({ "judgeId": data.judge })).await;
        assert!(!different.contains(&text(&one["sample"]["id"])));
    }
    let none = claim(&data, &data.key, json!({ "judgeId": data.judge })).await;
    assert_eq!((&none["sample"], &none["userErrors"]), (&Value::Null, &json!([])), "the queue is empty");
}

async fn a_claimed_sample_is_reserved_until_its_claim_ends(db: Db) {
    let data = Dataset::with(&db, 2).await;
    let colleague = db.scoped_key(&data.account, "manage").await;
    let id = text(&claim(&data, &colleague, json!({ "judgeId": data.judge })).await["sample"]["id"]);
    let label = json!({ "sampleId": id, "key": "team", "value": "other" });
    let fields = "sample { id claimedBy { id } }";
    let all = json!({ "judgeId": data.judge, "filter": {}, "key": "team", "value": "other" });
    let many = data.payload("reclassifySamples", all, "changed").await;
    assert!(refused(&many).2.contains("1 of these 2"), "{many}");
    for payload in [
        data.payload("reclassifySample", label.clone(), fields).await,
        data.payload("claimSample", json!({ "sampleId": id }), fields).await,
        data.payload("releaseSample", json!({ "sampleId": id }), fields).await,
    ] {
        assert_eq!(refused(&payload).0, "CONFLICT", "{payload}");
    }
    assert_eq!(data.sample(&id).await["labelled"], false);
    let again = claim(&data, &colleague, json!({ "sampleId": id })).await;
    assert_eq!(again["userErrors"], json!([]), "a claim can be renewed");
    let release =
        data.mutate(&colleague, "releaseSample", json!({ "sampleId": id }), "sample { claimedBy { id } }");
    assert_eq!(release.await.data()["payload"]["sample"]["claimedBy"], Value::Null);
    let released = inv::count(&db, "audit WHERE action = 'sample.release'").await;
    data.payload("releaseSample", json!({ "sampleId": id }), fields).await;
    let again = inv::count(&db, "audit WHERE action = 'sample.release'").await;
    assert_eq!((released, again), (1, 1), "there was no claim to release");
    let got = data.payload("claimSample", json!({ "sampleId": id }), fields).await;
    assert_eq!(got["sample"]["claimedBy"]["id"], data.key_id.as_str());
    let labelled = data.payload("reclassifySample", label, fields).await;
    assert_eq!(labelled["sample"]["claimedBy"], Value::Null, "labelling ends the claim");
}

async fn only_editors_claim_and_only_their_own_samples(db: Db) {
    let data = Dataset::with(&db, 1).await;
    let id = ids(&data.samples().await)[0].clone();
    let (their_key, their_judge, theirs) = data.somebody_else().await;
    let analyst = data.analyst().await;
    for (name, input, foreign) in [
        ("claimSample", json!({ "judgeId": data.judge }), json!({ "judgeId": their_judge })),
        ("claimSample", json!({ "sampleId": id }), json!({ "sampleId": theirs })),
        ("releaseSample", json!({ "sampleId": id }), json!({ "sampleId": theirs })),
    ] {
        data.mutate(&analyst, name, input.clone(), "sample { id }").await.refused("FORBIDDEN");
        for (key, input) in [(&their_key, input), (&data.key, foreign)] {
            let payload = data.mutate(key, name, input, "sample { id }").await.data()["payload"].clone();
            assert_eq!(refused(&payload).0, "NOT_FOUND", "{name}");
        }
    }
    for both in [json!({}), json!({ "judgeId": data.judge, "sampleId": id })] {
        assert_eq!(refused(&claim(&data, &data.key, both).await).1.as_deref(), Some("input"));
    }
    assert_eq!(inv::count(&db, "sample WHERE claimed_by IS NOT NULL").await, 0);
}

/// The payload of a claim.
async fn claim(data: &Dataset, key: &str, input: Value) -> Value {
    let answer = data.mutate(key, "claimSample", input, "sample { id claimedBy { id } }").await;
    answer.data()["payload"].clone()
}

on_both!(
    the_queue_shows_the_least_certain_unclaimed_samples,
    twenty_concurrent_claims_get_twenty_samples,
    a_claimed_sample_is_reserved_until_its_claim_ends,
    only_editors_claim_and_only_their_own_samples,
);
