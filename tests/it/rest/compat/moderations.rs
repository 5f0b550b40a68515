//! `POST /v1/moderations` in the format of OpenAI's clients, answered by the text engine.

use serde_json::{Value, json};

use crate::{
    harness::{Account, Answer, Db, Family, Server, inv, on_both, on_sqlite},
    rest::shape::shape,
};

const PATH: &str = "/v1/moderations";
const THREAT: &str = "I will find you and kill you, you worthless piece of trash";
const LURE: &str = "free nitro for everyone, claim it at dlscord-gift.com/nitro";
const MENU: &str = "menu is up: weed 40, coke 80, pills 10, no cops, dm to order";
const APPROACH: &str =
    "you're 12 right? don't tell your mum that we talk, this is our secret, send me a picture";
const DESPAIR: &str = "i can't take it anymore, i want to end my life tonight";

async fn moderate(server: &Server, account: &Account, input: Value) -> Answer {
    let body = json!({ "model": "omni-moderation-latest", "input": input });
    server.post(PATH).key(&account.key).json(body).send().await
}

async fn a_result_has_exactly_the_fields_that_clients_read(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let mut answer = moderate(&server, &account, json!("see you at nine")).await.ok();
    assert!(answer["model"].as_str().unwrap().starts_with("gavel-text-"), "{answer}");
    answer["model"] = json!("a model");
    let applied = answer["results"][0]["category_applied_input_types"].take();
    insta::assert_json_snapshot!(shape(answer), @r#"
    {
      "id": "mod_…",
      "model": "a model",
      "results": [
        {
          "flagged": false,
          "categories": {
            "harassment": false,
            "harassment/threatening": false,
            "hate": false,
            "hate/threatening": false,
            "illicit": false,
            "illicit/violent": false,
            "self-harm": false,
            "self-harm/intent": false,
            "self-harm/instructions": false,
            "sexual": false,
            "sexual/minors": false,
            "violence": false,
            "violence/graphic": false
          },
          "category_scores": {
            "harassment": "0 to 1",
            "harassment/threatening": "0 to 1",
            "hate": "0 to 1",
            "hate/threatening": "0 to 1",
            "illicit": "0 to 1",
            "illicit/violent": "0 to 1",
            "self-harm": "0 to 1",
            "self-harm/intent": "0 to 1",
            "self-harm/instructions": "0 to 1",
            "sexual": "0 to 1",
            "sexual/minors": "0 to 1",
            "violence": "0 to 1",
            "violence/graphic": "0 to 1"
          },
          "category_applied_input_types": null
        }
      ]
    }
    "#);
    assert_eq!(applied, expected_input_types());
}

/// Every category is read from the text, except for one that only pictures have.
fn expected_input_types() -> Value {
    json!({
        "harassment": ["text"],
        "harassment/threatening": ["text"],
        "hate": ["text"],
        "hate/threatening": ["text"],
        "illicit": ["text"],
        "illicit/violent": ["text"],
        "self-harm": ["text"],
        "self-harm/intent": ["text"],
        "self-harm/instructions": ["text"],
        "sexual": ["text"],
        "sexual/minors": ["text"],
        "violence": ["text"],
        "violence/graphic": [],
    })
}

async fn scores_equal_those_of_our_own_route_and_determine_flags(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    for text in [THREAT, LURE, MENU, APPROACH, DESPAIR, "good morning"] {
        let own = json!({ "content": text, "explain": true, "author": "", "channel": "" });
        let own = server.post("/api/v1/moderate/text").key(&account.key).json(own).send().await.ok();
        let ours = &own["explanation"]["categories"];
        let answer = moderate(&server, &account, json!(text)).await.ok();
        let result = &answer["results"][0];
        let scores = &result["category_scores"];
        for (theirs, score) in [
            ("harassment", &ours["harassment"]),
            ("hate", &ours["hate"]),
            ("sexual", &ours["sexual"]),
            ("violence", &ours["violence"]),
            ("self-harm", &ours["self_harm"]),
            ("sexual/minors", &ours["sexual_minors"]),
            ("violence/graphic", &json!(0.0)),
        ] {
            assert_eq!(scores[theirs], *score, "{theirs}: {text}");
        }
        let [harassment, hate, violence, illicit, extremism, self_harm] =
            ["harassment", "hate", "violence", "illicit", "extremism", "self_harm"]
                .map(|name| ours[name].as_f64().unwrap());
        let scam = own["is_phishing_or_scam"].as_f64().unwrap();
        for (theirs, score) in [
            ("harassment/threatening", harassment.min(violence)),
            ("hate/threatening", hate.min(violence)),
            ("illicit", illicit.max(scam)),
            ("illicit/violent", illicit.min(violence.max(extremism))),
            ("self-harm/instructions", self_harm.min(illicit)),
        ] {
            assert_eq!(scores[theirs].as_f64().unwrap(), score, "{theirs}: {text}");
        }
        let abuse = harassment.max(ours["toxic"].as_f64().unwrap());
        let intent = self_harm.min(1.0 - abuse);
        assert!((scores["self-harm/intent"].as_f64().unwrap() - intent).abs() < 1e-5, "{text}");
        let categories = result["categories"].as_object().unwrap();
        for (name, flagged) in categories {
            assert_eq!(*flagged, scores[name].as_f64().unwrap() >= 0.5, "{name}: {text}");
        }
        assert_eq!(result["flagged"], categories.values().any(|flagged| *flagged == json!(true)));
    }
    for (text, category) in [
        (THREAT, "violence"),
        (LURE, "illicit"),
        (MENU, "illicit"),
        (APPROACH, "sexual/minors"),
        (DESPAIR, "self-harm/intent"),
    ] {
        let answer = moderate(&server, &account, json!(text)).await.ok();
        assert_eq!(answer["results"][0]["flagged"], true, "{answer}");
        assert_eq!(answer["results"][0]["categories"][category], true, "{answer}");
    }
}

async fn each_text_has_a_result_and_a_price_and_parts_are_one_text(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(30).await;
    let parts =
        json!([{ "type": "text", "text": "I will find you" }, { "type": "text", "text": "and kill you" }]);
    let mut spent = 0;
    for (input, results) in [
        (json!("hello"), 1),
        (json!(["hello"]), 1),
        (json!(["hello", THREAT, "hello"]), 3),
        (parts.clone(), 1),
        (json!(vec!["hello"; 50]), 50),
    ] {
        let answer = moderate(&server, &account, input).await.ok();
        assert_eq!(answer["results"].as_array().unwrap().len(), results);
        let charges = inv::charges(&db, &account.id).await;
        let row = charges.last().unwrap();
        spent += 1;
        assert_eq!((charges.len(), row.delta), (spent, -500 * results as i64));
        assert_eq!((row.endpoint.as_deref(), row.reference.as_deref()), (Some(PATH), answer["id"].as_str()));
        if results == 3 {
            let flags: Vec<&Value> =
                answer["results"].as_array().unwrap().iter().map(|result| &result["flagged"]).collect();
            assert_eq!(flags, [&json!(false), &json!(true), &json!(false)], "in order");
        }
    }
    let joined = moderate(&server, &account, json!("I will find you\nand kill you")).await.ok();
    let parts = moderate(&server, &account, parts).await.ok();
    assert_eq!(parts["results"], joined["results"]);
}

async fn invalid_inputs_are_refused_with_their_parameter(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    for (body, param) in [
        (json!({}), "input"),
        (json!({ "input": null }), "input"),
        (json!({ "input": 5 }), "input"),
        (json!({ "input": {} }), "input"),
        (json!({ "input": "" }), "input"),
        (json!({ "input": [] }), "input"),
        (json!({ "input": vec!["hello"; 51] }), "input"),
        (json!({ "input": ["hello", " "] }), "input[1]"),
        (json!({ "input": ["hello", 5] }), "input[1]"),
        (json!({ "input": ["a\0b"] }), "input[0]"),
        (json!({ "input": "x".repeat(10_001) }), "input"),
        (json!({ "input": [{ "type": "text" }] }), "input[0].text"),
        (json!({ "input": [{ "type": "audio" }] }), "input[0].type"),
        (json!({ "input": "hello", "model": 5 }), "model"),
    ] {
        let shown: String = body.to_string().chars().take(100).collect();
        let answer = server.post(PATH).key(&account.key).json_text(body.to_string()).send().await;
        answer.fails_in(Family::OpenAi, 422, "VALIDATION_FAILED");
        assert_eq!(answer.body["error"]["param"], param, "{shown}: {}", answer.text);
    }
    assert!(inv::charges(&db, &account.id).await.is_empty());
}

on_both!(each_text_has_a_result_and_a_price_and_parts_are_one_text);
on_sqlite!(
    a_result_has_exactly_the_fields_that_clients_read,
    scores_equal_those_of_our_own_route_and_determine_flags,
    invalid_inputs_are_refused_with_their_parameter,
);
