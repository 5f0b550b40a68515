//! Finding samples by words in their state.

use serde_json::json;

use super::dataset::{Dataset, ids, nodes};
use crate::harness::{Answer, Db, on_both};

async fn find(data: &Dataset, key: &str, text: &str) -> Answer {
    let query = "query($id: ID!, $text: String) { judge(id: $id) { samples(first: 3, text: $text) { \
        totalCount nodes { state } } } }";
    let variables = json!({ "id": data.judge, "text": text });
    data.server.graphql(query, variables).key(key).send().await
}

async fn samples_are_found_by_a_part_of_their_state(db: Db) {
    let data = Dataset::new(&db).await;
    for state in [
        "Where is my PARCEL?",
        "100% _sure\\ \"quoted\"",
        "Ärger über alles\nzweite Zeile",
        "parcel number two",
        "Червоний список: ΟΔΟΣ",
    ] {
        data.record(&data.judge, state).await;
    }
    let (theirs, _, _) = data.somebody_else().await;

    for (text, found) in [
        ("parcel", 2),
        ("PARCEL?", 1),
        ("%", 1),
        ("_sure\\", 1),
        ("\"quoted\"", 1),
        ("alles\nzweite", 1),
        ("ärger", 1),
        ("червоний", 1),
        ("чЕрВоний СПИСОК", 1),
        ("οδος", 1),
        ("[a-z]", 0),
        ("parcel|zebra", 0),
        ("w.ere", 0),
        ("^", 0),
        ("\\d", 0),
        ("(", 0),
        ("zebra", 0),
        ("' OR 1=1 --", 0),
        ("\0", 0),
        ("", 5),
    ] {
        let answer = find(&data, &data.key, text).await.data();
        let samples = &answer["judge"]["samples"];
        assert_eq!(samples["totalCount"], found, "{text:?}: {samples}");
        assert_eq!(samples["nodes"].as_array().unwrap().len(), found.min(3), "{text:?}: {samples}");
    }
    find(&data, &data.key, &"x".repeat(200)).await.data();
    find(&data, &data.key, &"x".repeat(201)).await.refused("VALIDATION_FAILED");
    // Another account cannot search here.
    find(&data, &theirs, "parcel").await.refused("NOT_FOUND");

    // Together with other conditions, orders and pages.
    let page = data.list("samples", "first: 1, text: \"parcel\", order: OLDEST_FIRST").await;
    let cursor = page["pageInfo"]["endCursor"].as_str().unwrap();
    let rest = format!("first: 5, after: \"{cursor}\", text: \"parcel\", order: OLDEST_FIRST");
    let rest = data.list("samples", &rest).await;
    assert_eq!((ids(&nodes(&page)).len(), ids(&nodes(&rest)).len(), &rest["totalCount"]), (1, 1, &json!(2)));
    let none = data.list("samples", "text: \"parcel\", filter: { labelled: true }").await;
    assert_eq!(none["totalCount"], 0);
}

on_both!(samples_are_found_by_a_part_of_their_state);
