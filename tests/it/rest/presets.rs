//! `GET /api/v1/presets`: the files of the dashboard's templates, whose instructions make Judges.

use std::{collections::BTreeMap, path::Path};

use serde_json::{Value, json};

use crate::harness::{Db, Server, Upstream, on_sqlite};

/// The files by their ids.
fn files() -> BTreeMap<String, Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("dashboard/src/templates");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let file: Value = serde_json::from_str(&text).unwrap();
        (file["id"].as_str().unwrap().to_owned(), file)
    });
    files.collect()
}

async fn every_file_is_served_with_its_figures(db: Db) {
    let server = Server::start(&db).await;
    let list = server.get("/api/v1/presets").send().await.ok();
    assert_eq!(list["object"], "list");
    let mut files = files();
    for preset in list["data"].as_array().unwrap() {
        let id = preset["id"].as_str().unwrap();
        let file = files.remove(id).unwrap_or_else(|| panic!("no file of {id}, or it is served twice"));
        for field in ["name", "version", "summary", "description", "example", "instructions"] {
            assert_eq!(preset[field], file[field], "{id}: {field}");
        }
        assert_eq!(preset["examples"], file.get("examples").cloned().unwrap_or(json!([])), "{id}");
        let measured = file["measured"].as_object().unwrap();
        assert_eq!(preset["measured"].as_object().unwrap().len(), measured.len(), "{id}");
        for (question, figures) in measured {
            let served = &preset["measured"][question];
            for (field, value) in figures.as_object().unwrap() {
                let field = if field == "withinOne" { "within_one" } else { field };
                assert_eq!(served[field], *value, "{id}: {question}: {field}");
            }
        }
    }
    assert!(files.is_empty(), "not served: {:?}", files.keys());
}

async fn the_questions_of_a_preset_can_be_asked_as_they_are(db: Db) {
    let upstream = Upstream::start().await;
    let server = Server::with_model(&db, &upstream).start().await;
    let account = server.account(10).await;
    let list = server.get("/api/v1/presets").send().await.ok();
    for preset in list["data"].as_array().unwrap() {
        let body = json!({ "state": preset["example"], "instructions": preset["instructions"] });
        let answer = server.post("/api/v1/inference").key(&account.key).json(body).send().await.ok();
        let asked: Vec<&String> = preset["instructions"].as_object().unwrap().keys().collect();
        let answered: Vec<&String> = answer["answers"].as_object().unwrap().keys().collect();
        assert_eq!(answered, asked, "{}", preset["id"]);
    }
}

on_sqlite!(every_file_is_served_with_its_figures, the_questions_of_a_preset_can_be_asked_as_they_are);
