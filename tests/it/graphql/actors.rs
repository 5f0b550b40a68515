//! Actors are whole objects, users or API keys, also after they have gone. Questions come with their options'
//! descriptions, and syntax errors are one sentence.

use serde_json::{Value, json};

use super::{
    client::Session,
    dataset::{Dataset, ids},
    sessions::{PASSWORD, owner, person},
};
use crate::harness::{Db, Server, on_both, on_sqlite};

const ACTOR: &str = "id name user { id email role } apiKey { id name }";

/// Who labelled an answer of a sample.
fn labelled_by(key: &str, seen: &Value) -> Value {
    let answers = seen["sample"]["answers"].as_array().unwrap();
    answers.iter().find(|answer| answer["key"] == key).unwrap()["labelledBy"].clone()
}

async fn actors_are_named_until_they_are_removed(db: Db) {
    let data = Dataset::with(&db, 1).await;
    let (id, email) = person(&db, &data.account, "editor").await;
    let editor = Session::sign_in(&data.server, &email, PASSWORD).await;
    let sample = ids(&data.samples().await)[0].clone();
    let label = format!(
        "reclassifySample(input: {{ sampleId: \"{sample}\", key: \"team\", value: \"other\" }}) {{ \
         userErrors {{ code }} }}"
    );
    editor.payload(&label).await;
    data.reclassify(&sample, "angry", "true").await;
    let asked = format!(
        "{{ sample(id: \"{sample}\") {{ answers {{ key labelledBy {{ {ACTOR} }} }} history {{ nodes {{ \
         actor {{ {ACTOR} }} }} }} \
         judge {{ versions {{ createdBy {{ {ACTOR} }} }} }} }} account {{ auditLog(first: 2) {{ nodes {{ id \
         actor {{ {ACTOR} }} }} }} }} }}"
    );
    let seen = editor.query(&asked).await;

    let known = json!({
        "id": id, "name": email, "user": { "id": id, "email": email, "role": "EDITOR" }, "apiKey": null,
    });
    assert_eq!(labelled_by("team", &seen), known);
    let key = json!({ "id": data.key_id, "name": "default" });
    let key = json!({ "id": data.key_id, "name": "default", "user": null, "apiKey": key });
    assert_eq!(labelled_by("angry", &seen), key);
    assert_eq!(labelled_by("urgency", &seen), Value::Null);
    assert_eq!(seen["sample"]["history"]["nodes"][1]["actor"], known);
    assert_eq!(seen["sample"]["judge"]["versions"][0]["createdBy"], key);
    let log = &seen["account"]["auditLog"]["nodes"];
    assert!(log[0]["id"].as_str().unwrap().starts_with("audit_") && log[0]["id"] != log[1]["id"], "{log}");
    assert_eq!((&log[0]["actor"], &log[1]["actor"]), (&key, &known));

    let owner = owner(&data.server, &data.account).await;
    owner.payload(&format!("removeUser(input: {{ id: \"{id}\" }}) {{ userErrors {{ code }} }}")).await;
    let gone = json!({ "id": id, "name": null, "user": null, "apiKey": null });
    let seen = owner.query(&asked).await;
    assert_eq!(
        (labelled_by("team", &seen), &seen["sample"]["history"]["nodes"][1]["actor"]),
        (gone.clone(), &gone)
    );
}

async fn questions_have_the_descriptions_of_their_options(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1).await;
    let session = owner(server, &account).await;
    let judge = session
        .created_judge(json!({ "name": "Words", "instructions": {
            "team": { "type": "choice", "instructions": "Who?",
                "criteria": { "billing": "money", "other": "the rest" } },
            "urgency": { "type": "score", "criteria": ["can wait", "at once"] },
            "angry": { "type": "noul", "criteria": { "true": "shouts", "false": "is calm" } },
            "free": ["a", "b"],
        } }))
        .await;
    let query = format!(
        "{{ judge(id: \"{judge}\") {{ questions {{ key type values options {{ value description }} }} }} }}"
    );
    let questions = session.query(&query).await["judge"]["questions"].clone();
    let expected = [
        ("team", "CHOICE", vec![("billing", Some("money")), ("other", Some("the rest"))]),
        ("urgency", "SCORE", vec![("0", Some("can wait")), ("1", Some("at once"))]),
        ("angry", "NOUL", vec![("true", Some("shouts")), ("false", Some("is calm"))]),
        ("free", "CHOICE", vec![("a", None), ("b", None)]),
    ];
    for (key, kind, options) in expected {
        let all = questions.as_array().unwrap();
        let question = all.iter().find(|question| question["key"] == key).unwrap();
        let values: Vec<&str> = options.iter().map(|(value, _)| *value).collect();
        let options: Vec<Value> = options
            .iter()
            .map(|(value, description)| json!({ "value": value, "description": description }))
            .collect();
        assert_eq!((&question["type"], &question["values"]), (&json!(kind), &json!(values)));
        assert_eq!(question["options"], json!(options));
    }
}

async fn a_syntax_error_is_one_sentence(db: Db) {
    let server = &Server::start(&db).await;
    for (document, place) in
        [("{ account { id }", "line 1, column 17"), ("{\n  account(: 1) }", "line 2, column 11")]
    {
        let answer = server.graphql(document, json!({})).send().await;
        let message = answer.body["errors"][0]["message"].as_str().expect("a message");
        assert!(message.starts_with(&format!("syntax error at {place}: expected ")), "{message}");
        assert!(!message.contains('\n') && !message.contains('_'), "{message}");
        assert_eq!(answer.body["errors"][0]["extensions"]["code"], "MALFORMED_BODY");
    }
}

on_both!(actors_are_named_until_they_are_removed);
on_sqlite!(questions_have_the_descriptions_of_their_options, a_syntax_error_is_one_sentence);
