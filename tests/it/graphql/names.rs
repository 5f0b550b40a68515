//! Finding Judges by name, in any alphabet.

use serde_json::json;

use super::sessions::owner;
use crate::harness::{Db, Server, on_both};

async fn judges_are_found_by_a_part_of_their_name(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1).await;
    let session = owner(server, &account).await;
    for name in ["Ärger & Lob", "über uns", "100% _sure\\"] {
        session.created_judge(json!({ "name": name, "instructions": { "team": ["a", "b"] } })).await;
    }
    for (name, found) in [
        ("Ärger", 1),
        ("ärger & LOB", 1),
        ("über", 1),
        ("ÜBER UNS", 1),
        ("%", 1),
        ("_SURE\\", 1),
        ("0_", 0),
        ("r", 3),
        ("", 3),
        ("\0", 3),
        ("Är\0ger", 1),
    ] {
        let query = "query($name: String) { account { judges(name: $name) { totalCount nodes { name } } } }";
        let data = session.send(json!({ "query": query, "variables": { "name": name } })).await.data();
        let judges = &data["account"]["judges"];
        assert_eq!(judges["totalCount"], found, "{name}: {judges}");
        assert_eq!(judges["nodes"].as_array().unwrap().len(), found, "{name}: {judges}");
    }
}

on_both!(judges_are_found_by_a_part_of_their_name);
