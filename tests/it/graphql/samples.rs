//! Lists of samples: every order, both directions, filters, and a number of statements that does not grow
//! with the lists.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::dataset::{Dataset, SAMPLE, answer, ids, nodes, state, text};
use crate::harness::{Db, on_both};

async fn a_sample_has_everything_that_was_recorded(db: Db) {
    let data = Dataset::new(&db).await;
    let ran = data.record(&data.judge, "I was charged twice").await;
    let query = format!(
        "query($id: ID!) {{ judge(id: $id) {{ samples {{ nodes {{ {SAMPLE} __typename judge {{ id name }} \
         judgeVersion source instructions ownInstructions model backend latencyMs credits requestId contentHash \
         claimedUntil createdAt history {{ totalCount nodes {{ key }} }} }} }} }} }}"
    );
    let found = data.query(&query, json!({ "id": data.judge })).await;
    let sample = &found["judge"]["samples"]["nodes"][0];
    assert_eq!(sample["state"], "I was charged twice");
    assert_eq!(sample["judge"], json!({ "id": data.judge, "name": "Triage" }));
    assert_eq!(sample["instructions"], super::dataset::instructions());
    assert_eq!((&sample["judgeVersion"], &sample["source"]), (&json!(1), &json!("INFERENCE")));
    assert_eq!((&sample["model"], &sample["backend"]), (&ran.body["model"], &ran.body["backend"]));
    assert_eq!(sample["latencyMs"], ran.body["latency_ms"]);
    assert_eq!(sample["credits"], ran.body["credits_deducted"]);
    assert_eq!(sample["requestId"], ran.request_id());
    assert_eq!(sample["history"], json!({ "totalCount": 0, "nodes": [] }));
    assert_eq!((&sample["labelled"], &sample["ownInstructions"]), (&json!(false), &json!(false)));
    let keys: Vec<_> = sample["answers"].as_array().unwrap().iter().map(|one| text(&one["key"])).collect();
    assert_eq!(keys, ["team", "urgency", "angry"], "in the instructions' order");
    let team = answer(sample, "team");
    let said = &ran.body["answers"]["team"];
    assert_eq!((&team["type"], &team["value"]), (&json!("CHOICE"), &said["choice"]));
    assert_eq!(team["probability"], said["probabilities"][said["choice"].as_str().unwrap()]);
    for key in ["groundTruth", "labelledBy", "labelledAt"] {
        assert_eq!(team[key], Value::Null);
    }
    let again = data
        .query("query($id: ID!) { node(id: $id) { __typename id } }", json!({ "id": sample["id"] }))
        .await;
    assert_eq!(again["node"], json!({ "__typename": "Sample", "id": sample["id"] }));
    let own = json!({ "state": "x y z", "instructions": { "spam": "is it spam?" } });
    let path = format!("/api/v1/judges/{}/inference", data.judge);
    data.server.post(&path).key(&data.key).json(own.clone()).send().await.ok();
    let found = data.query(&query, json!({ "id": data.judge })).await;
    let newest = &found["judge"]["samples"]["nodes"][0];
    assert_eq!((&newest["instructions"], &newest["ownInstructions"]), (&own["instructions"], &json!(true)));
}

async fn pages_in_any_order_walk_the_same_list_both_ways(db: Db) {
    let data = Dataset::with(&db, 23).await;
    let mut orders = Vec::new();
    for order in ["NEWEST_FIRST", "OLDEST_FIRST", "LEAST_CERTAIN_FIRST"] {
        let all = data.list("samples", &format!("first: 100, order: {order}")).await;
        assert_eq!(all["totalCount"], 23);
        let full = ids(&nodes(&all));
        let cursors = cursors(&all);
        assert_eq!(full.iter().collect::<HashSet<_>>().len(), 23);
        for step in 0..12 {
            // Everywhere, in no order.
            let at = step * 7 % 23;
            let size = step * 5 % 9;
            for forward in [true, false] {
                let arguments = match forward {
                    true => format!("first: {size}, after: \"{}\"", cursors[at]),
                    false => format!("last: {size}, before: \"{}\"", cursors[at]),
                };
                let page = data.list("samples", &format!("{arguments}, order: {order}")).await;
                let range =
                    if forward { at + 1..(at + 1 + size).min(23) } else { at.saturating_sub(size)..at };
                assert_eq!(ids(&nodes(&page)), full[range.clone()], "{order}: {arguments}");
                let info = &page["pageInfo"];
                assert_eq!(
                    info["hasNextPage"],
                    if forward { range.end < 23 } else { true },
                    "{order}: {arguments}"
                );
                assert_eq!(info["hasPreviousPage"], if forward { true } else { range.start > 0 });
                assert_eq!(
                    info["endCursor"].as_str(),
                    range.clone().next_back().map(|i| cursors[i].as_str())
                );
            }
        }
        let between = format!("after: \"{}\", before: \"{}\", order: {order}", cursors[3], cursors[9]);
        assert_eq!(ids(&nodes(&data.list("samples", &between).await)), full[4..9]);
        orders.push(all);
    }
    let newest = ids(&nodes(&orders[0]));
    let mut oldest = ids(&nodes(&orders[1]));
    oldest.reverse();
    assert_eq!(newest, oldest);
    assert_eq!(nodes(&orders[0])[22]["state"], state(0));
    let certainties: Vec<f64> =
        nodes(&orders[2]).iter().map(|one| one["certainty"].as_f64().unwrap()).collect();
    assert!(certainties.is_sorted(), "{certainties:?}");
}

fn list_query(judge: &str, list: &str) -> String {
    format!("{{ judge(id: \"{judge}\") {{ {list} {{ totalCount nodes {{ id }} }} }} }}")
}

async fn foreign_cursors_and_large_pages_are_refused(db: Db) {
    let data = Dataset::with(&db, 2).await;
    let other = data.judge_named("Another").await;
    let cursor = cursors(&data.list("samples", "").await)[0].clone();
    for (judge, list) in [
        (&other, format!("samples(after: \"{cursor}\")")),
        (&data.judge, format!("samples(after: \"{cursor}\", order: OLDEST_FIRST)")),
        (&data.judge, format!("samples(before: \"{cursor}\", order: LEAST_CERTAIN_FIRST)")),
        (&data.judge, format!("reviewQueue(after: \"{cursor}\")")),
        (&data.judge, "samples(after: \"nonsense\")".to_owned()),
        (&data.judge, "samples(first: 10000)".to_owned()),
        (&data.judge, "samples(last: 101)".to_owned()),
        (&data.judge, "samples(first: -1)".to_owned()),
        (&data.judge, "reviewQueue(first: 10000)".to_owned()),
    ] {
        let answer = data.server.graphql(&list_query(judge, &list), json!({})).key(&data.key).send().await;
        let message = answer.refused("VALIDATION_FAILED");
        assert!(
            message.contains("cursor of this list") || message.contains("from 0 to 100"),
            "{list}: {message}"
        );
    }
    let fine = list_query(&data.judge, &format!("samples(first: 5, after: \"{cursor}\")"));
    assert_eq!(data.query(&fine, json!({})).await["judge"]["samples"]["nodes"].as_array().unwrap().len(), 1);
}

/// The ids of the samples that the arguments select.
async fn found(data: &Dataset, arguments: &str) -> Vec<String> {
    let list = data.list("samples", arguments).await;
    assert_eq!(list["totalCount"].as_u64().unwrap() as usize, nodes(&list).len(), "{arguments}");
    ids(&nodes(&list))
}

async fn filters_select_the_matching_samples(db: Db) {
    let data = Dataset::with(&db, 6).await;
    let all = data.samples().await;
    let team = text(&answer(&all[0], "team")["value"]);
    let moment = created(&data, &ids(&all)[2]).await;
    let other = ["billing", "shipping", "other"].into_iter().find(|one| *one != team).unwrap();
    data.reclassify(&ids(&all)[0], "team", other).await.unwrap();
    data.reclassify(&ids(&all)[1], "angry", "true").await.unwrap();
    let whole = ids(&all);
    assert_eq!(found(&data, "filter: { labelled: true }").await, whole[..2]);
    assert_eq!(found(&data, "filter: { labelled: false }").await, whole[2..]);
    assert_eq!(found(&data, "filter: { version: 1, source: INFERENCE }").await, whole);
    assert!(
        found(&data, "filter: { version: 2 }").await.is_empty()
            && found(&data, "filter: { source: IMPORT }").await.is_empty()
    );
    assert_eq!(found(&data, &format!("filter: {{ since: \"{moment}\" }}")).await, whole[..3]);
    assert_eq!(found(&data, &format!("filter: {{ until: \"{moment}\" }}")).await, whole[3..]);
    let such: Vec<_> =
        all.iter().filter(|one| answer(one, "team")["value"] == team.as_str()).cloned().collect();
    assert_eq!(found(&data, &format!("answer: {{ key: \"team\", value: \"{team}\" }}")).await, ids(&such));
    assert_eq!(
        found(&data, &format!("answer: {{ key: \"team\", groundTruth: \"{other}\" }}")).await,
        whole[..1]
    );
    assert_eq!(found(&data, "answer: { key: \"team\", agrees: false }").await, whole[..1]);
    assert!(found(&data, "answer: { key: \"team\", agrees: true }").await.is_empty());
    for nothing in ["answer: { key: \"unknown\" }", "answer: { key: \"team\", value: \"a\\u0000b\" }"] {
        assert!(found(&data, nothing).await.is_empty(), "{nothing}");
    }
}

/// A query for the first Judges with samples, queue and statistics of each.
fn judges_query(first: usize) -> String {
    format!(
        "{{ account {{ judges(first: {first}) {{ nodes {{ id samples(first: 5) {{ totalCount nodes {{ {SAMPLE} \
         instructions judge {{ name }} history(first: 1) {{ totalCount nodes {{ key }} }} }} }} \
         reviewQueue(first: 1) {{ totalCount nodes {{ id }} }} stats {{ count labelled credits days {{ count }} \
         latency {{ p50 p99 }} keys {{ key agreement {{ accuracy kappa }} calibration {{ ece brier }} }} }} }} }} }} }}"
    )
}

async fn the_number_of_statements_does_not_grow_with_the_judges(db: Db) {
    let data = Dataset::new(&db).await;
    let mut judges = vec![data.judge.clone()];
    for number in 1..50 {
        judges.push(data.judge_named(&format!("Judge {number}")).await);
    }
    for judge in &judges {
        data.record(judge, &format!("hello to {judge}")).await;
        data.record(judge, &format!("goodbye to {judge}")).await;
    }
    // Fills the caches of keys and prices.
    data.query(&judges_query(3), json!({})).await;
    let mut spent = Vec::new();
    for first in [3, 50] {
        // The minimum of several: the server sometimes runs statements of its own.
        let mut least = u64::MAX;
        for _ in 0..5 {
            let before = statements(&data).await;
            data.query(&judges_query(first), json!({})).await;
            least = least.min(statements(&data).await - before);
        }
        spent.push(least);
        let found = data.query(&judges_query(first), json!({})).await;
        let nodes = found["account"]["judges"]["nodes"].as_array().unwrap();
        assert_eq!(nodes.len(), first);
        for judge in nodes {
            let id = text(&judge["id"]);
            let samples = &judge["samples"];
            assert_eq!((&samples["totalCount"], &judge["reviewQueue"]["totalCount"]), (&json!(2), &json!(2)));
            assert_eq!((&judge["stats"]["count"], &judge["stats"]["credits"]), (&json!(2), &json!(1.0)));
            let states: Vec<_> =
                samples["nodes"].as_array().unwrap().iter().map(|one| text(&one["state"])).collect();
            assert_eq!(
                states,
                ["goodbye to ".to_owned() + id.as_str(), "hello to ".to_owned() + id.as_str()]
            );
            assert_eq!(samples["nodes"][0]["answers"].as_array().unwrap().len(), 3);
        }
    }
    assert_eq!(spent[0], spent[1], "statements for 3 and for 50 Judges");
    assert!(spent[1] <= 40, "{spent:?}");
}

async fn samples_of_other_accounts_are_not_found(db: Db) {
    let data = Dataset::with(&db, 1).await;
    let (_, judge, sample) = data.somebody_else().await;
    for query in [
        format!("{{ sample(id: \"{sample}\") {{ state }} }}"),
        format!("{{ node(id: \"{sample}\") {{ id }} }}"),
        format!("{{ judge(id: \"{judge}\") {{ samples {{ nodes {{ state }} }} }} }}"),
        format!("{{ judge(id: \"{judge}\") {{ reviewQueue {{ totalCount }} }} }}"),
        "{ sample(id: \"sample_00000000000000000000000000\") { state } }".to_owned(),
        "{ sample(id: \"a\\u0000b\") { state } }".to_owned(),
    ] {
        let answer = data.server.graphql(&query, json!({})).key(&data.key).send().await;
        answer.refused("NOT_FOUND");
        assert!(!answer.text.contains("zebra"), "{}", answer.text);
    }
}

/// The cursors of a page's rows.
fn cursors(list: &Value) -> Vec<String> {
    list["edges"].as_array().unwrap().iter().map(|edge| text(&edge["cursor"])).collect()
}

async fn created(data: &Dataset, sample: &str) -> String {
    let found =
        data.query("query($id: ID!) { sample(id: $id) { createdAt } }", json!({ "id": sample })).await;
    text(&found["sample"]["createdAt"])
}

/// The number of SQL statements that the server has run, according to its metrics.
async fn statements(data: &Dataset) -> u64 {
    let metrics = data.server.get("/metrics").send().await.text;
    let lines = metrics.lines().filter(|line| line.starts_with("gavel_database_statements_total{"));
    let counts: Vec<u64> = lines.filter_map(|line| line.rsplit(' ').next()?.parse().ok()).collect();
    assert!(!counts.is_empty(), "the metrics count no statements: {metrics}");
    counts.iter().sum()
}

on_both!(
    a_sample_has_everything_that_was_recorded,
    pages_in_any_order_walk_the_same_list_both_ways,
    foreign_cursors_and_large_pages_are_refused,
    filters_select_the_matching_samples,
    the_number_of_statements_does_not_grow_with_the_judges,
    samples_of_other_accounts_are_not_found,
);
