//! `POST /v1/moderations` with pictures, alone and beside texts.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::harness::{
    Account, Answer, Db, Family, Origin, Server, inv, on_both, on_sqlite,
    picture::{IMAGE, base64, fixture, gradient},
    response,
};

const PATH: &str = "/v1/moderations";
/// Prices in milli-credits.
const TEXT: i64 = 500;
const PICTURE: i64 = 1_000;

async fn moderate(server: &Server, account: &Account, input: Value) -> Answer {
    let body = json!({ "model": "omni-moderation-latest", "input": input });
    server.post(PATH).key(&account.key).json_text(body.to_string()).send().await
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn picture(url: &str) -> Value {
    json!({ "type": "image_url", "image_url": { "url": url } })
}

/// A picture in the request itself.
fn embedded(file: &[u8]) -> Value {
    picture(&format!("data:image/png;base64,{}", base64(file)))
}

/// The categories whose score comes from an input of this type, of an answer's only result.
fn applied(answer: &Value, kind: &str) -> Vec<String> {
    assert_eq!(answer["results"].as_array().expect("results").len(), 1, "{answer}");
    let types = answer["results"][0]["category_applied_input_types"].as_object().expect("types");
    let with = types.iter().filter(|(_, types)| types.as_array().expect("a list").contains(&json!(kind)));
    with.map(|(name, _)| name.clone()).collect()
}

async fn pictures_cost_what_they_cost_alone_and_are_charged_together(db: Db) {
    let origin = Origin::start("127.0.0.1:0", |_| response(200, &[], &fixture("rgb.jpg"))).await;
    let server = Server::with(&db).env("GAVEL_FETCH_ALLOW", "127.0.0.1").start().await;
    let account = server.account(100).await;
    let here = embedded(&fixture("rgb8.png"));
    let there = picture(&origin.url("/a.jpg"));
    for (input, price, texts, pictures) in [
        (json!([here]), PICTURE, 0, 1),
        (json!([there]), PICTURE, 0, 1),
        (json!([text("hello"), here]), TEXT + PICTURE, 12, 1),
        (json!([here, text("hello"), there, text("again")]), TEXT + 2 * PICTURE, 12, 2),
        (json!([text("hello"), text("again")]), TEXT, 12, 0),
    ] {
        let before = inv::charges(&db, &account.id).await.len();
        let answer = moderate(&server, &account, input.clone()).await.ok();
        let charges = inv::charges(&db, &account.id).await;
        assert_eq!(charges.len(), before + 1, "one charge");
        let row = charges.last().unwrap();
        assert_eq!(row.delta, -price);
        assert_eq!((row.endpoint.as_deref(), row.reference.as_deref()), (Some(PATH), answer["id"].as_str()));
        assert_eq!(applied(&answer, "text").len(), texts, "{answer}");
        let of_pictures: &[&str] = if pictures > 0 { &["sexual"] } else { &[] };
        assert_eq!(applied(&answer, "image"), of_pictures, "{answer}");
    }
}

/// Sends a body under the same key each time.
async fn once(server: &Server, account: &Account, body: &str) -> Answer {
    server.post(PATH).key(&account.key).idempotent("k").json_text(body.to_owned()).send().await
}

async fn a_repeated_request_is_charged_once(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account("2.5").await;
    let body = json!({ "input": [text("hello"), embedded(&fixture("rgb8.png"))] }).to_string();
    let first = once(&server, &account, &body).await;
    let again = once(&server, &account, &body).await;
    assert_eq!((first.status, &again.text), (200, &first.text));
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1);
    let other = json!({ "input": [text("hello"), embedded(&fixture("gray.jpg"))] }).to_string();
    once(&server, &account, &other).await.fails_in(Family::OpenAi, 422, "IDEMPOTENCY_MISMATCH");
    let poor = moderate(&server, &account, json!([text("hello"), embedded(&fixture("rgb8.png"))])).await;
    poor.fails_in(Family::OpenAi, 402, "INSUFFICIENT_CREDITS");
    // What is left pays for a picture alone.
    moderate(&server, &account, json!([embedded(&fixture("rgb8.png"))])).await.ok();
    assert_eq!(inv::balance(&db, &account.id).await, 0);
}

async fn verdicts_are_those_of_the_routes_for_one(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(100).await;
    let file = gradient(64, 64);
    let own = server.upload(&account.key, &file).send().await.ok();
    let classes = own["data"]["classifications"].as_array().unwrap();
    let explicit: f64 = classes
        .iter()
        .filter(|class| ["Porn", "Hentai"].contains(&class["className"].as_str().unwrap()))
        .map(|class| class["probability"].as_f64().unwrap())
        .sum();
    let threat = "I will find you and kill you, you worthless piece of trash";
    let alone = moderate(&server, &account, json!([embedded(&file)])).await.ok();
    let result = &alone["results"][0];
    assert!((result["category_scores"]["sexual"].as_f64().unwrap() - explicit).abs() < 1e-3, "{alone}");
    assert_eq!((&result["flagged"], &result["category_scores"]["violence"]), (&json!(false), &json!(0.0)));
    assert_eq!(alone["model"], own["data"]["meta"]["model_backend"]);
    let of_text = moderate(&server, &account, json!([text(threat)])).await.ok();
    let both = moderate(&server, &account, json!([text(threat), embedded(&file)])).await.ok();
    let mut scores = both["results"][0]["category_scores"].clone();
    let expected = &of_text["results"][0]["category_scores"];
    let sexual = scores["sexual"].as_f64().unwrap();
    assert!(sexual >= explicit - 1e-3 && sexual >= expected["sexual"].as_f64().unwrap(), "{both}");
    scores["sexual"] = expected["sexual"].clone();
    assert_eq!(scores, *expected);
    assert_eq!(both["results"][0]["flagged"], true);
    let models = both["model"].as_str().unwrap();
    assert!(
        models.starts_with("gavel-text-") && models.ends_with(alone["model"].as_str().unwrap()),
        "{models}"
    );
}

async fn an_operators_thresholds_flag_a_picture(db: Db) {
    let server = Server::with(&db).env("GAVEL_IMAGE_NUDITY_THRESHOLD", 0).start().await;
    let account = server.account(100).await;
    let answer =
        moderate(&server, &account, json!([text("good morning"), embedded(&gradient(64, 64))])).await.ok();
    let result = &answer["results"][0];
    assert_eq!(result["flagged"], true, "{answer}");
    let flagged: Vec<&String> = result["categories"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, flagged)| **flagged == json!(true))
        .map(|(name, _)| name)
        .collect();
    assert_eq!(flagged, ["sexual"]);
}

async fn a_picture_at_fault_is_named_and_nothing_is_charged(db: Db) {
    let broken = Arc::new(fixture("rgb8.png")[..40].to_vec());
    let origin = Origin::start("127.0.0.1:0", move |path| match path {
        "/broken" => response(200, &[], &broken),
        _ => response(404, &[], b""),
    });
    let origin = origin.await;
    let server = Server::with(&db).env("GAVEL_FETCH_ALLOW", "127.0.0.1").start().await;
    let account = server.account(10).await;
    let good = embedded(&fixture("rgb8.png"));
    for (input, param, code) in [
        (json!([picture("")]), "input[0].image_url.url", "INVALID_IMAGE"),
        (json!([good, picture("ftp://example.com/a")]), "input[1].image_url.url", "INVALID_IMAGE"),
        (json!([picture("http://10.0.0.1/a.png")]), "input[0].image_url.url", "INVALID_IMAGE"),
        (json!([picture("data:image/png;base64,!")]), "input[0].image_url.url", "INVALID_IMAGE"),
        (json!([picture("data:image/png;base64,")]), "input[0].image_url.url", "INVALID_IMAGE"),
        (json!([text("hello"), embedded(b"no picture")]), "input[1].image_url.url", "INVALID_IMAGE"),
        (json!([good, picture(&origin.url("/broken"))]), "input[1].image_url.url", "INVALID_IMAGE"),
        (json!([good, good, picture(&origin.url("/gone"))]), "input[2].image_url.url", "INVALID_IMAGE"),
        (json!([{ "type": "image_url" }]), "input[0].image_url", "VALIDATION_FAILED"),
        (
            json!([{ "type": "image_url", "image_url": "https://example.com" }]),
            "input[0].image_url",
            "VALIDATION_FAILED",
        ),
        (json!([{ "type": "image_url", "image_url": {} }]), "input[0].image_url.url", "VALIDATION_FAILED"),
        (json!([good, "hello"]), "input[1]", "VALIDATION_FAILED"),
        (json!([good, text(" ")]), "input", "VALIDATION_FAILED"),
        (json!([good, { "type": "input_image" }]), "input[1].type", "VALIDATION_FAILED"),
        (json!(vec![good.clone(); 11]), "input", "VALIDATION_FAILED"),
    ] {
        let answer = moderate(&server, &account, input).await;
        let message = answer.fails_in(Family::OpenAi, 422, code);
        assert!(!message.contains("image_base64"), "{message}");
        assert_eq!(answer.body["error"]["param"], param, "{}", answer.text);
    }
    assert!(inv::charges(&db, &account.id).await.is_empty());
    moderate(&server, &account, json!(vec![good; 10])).await.ok();
    assert_eq!(inv::balance(&db, &account.id).await, 0);
}

async fn large_pictures_are_taken_and_larger_ones_refused(db: Db) {
    let server = Server::with(&db).env("GAVEL_IMAGE_BYTES", 6_000_000).start().await;
    let account = server.account(10).await;
    // Larger than a body of texts may be: a picture with stray bytes after its end.
    let mut file = fixture("rgb8.png");
    file.resize(5_000_000, 0);
    moderate(&server, &account, json!([embedded(&file)])).await.ok();
    let alone = server.upload(&account.key, &file).send().await;
    assert_eq!(alone.status, 200, "{IMAGE}: {}", alone.text);
    file.resize(7_000_000, 0);
    moderate(&server, &account, json!([embedded(&file)])).await.fails_in(
        Family::OpenAi,
        413,
        "PAYLOAD_TOO_LARGE",
    );
    file.resize(13_000_000, 0);
    moderate(&server, &account, json!([embedded(&file)])).await.fails_in(
        Family::OpenAi,
        413,
        "PAYLOAD_TOO_LARGE",
    );
    assert_eq!(inv::charges(&db, &account.id).await.len(), 2);
}

on_both!(pictures_cost_what_they_cost_alone_and_are_charged_together);
on_sqlite!(
    a_repeated_request_is_charged_once,
    verdicts_are_those_of_the_routes_for_one,
    an_operators_thresholds_flag_a_picture,
    a_picture_at_fault_is_named_and_nothing_is_charged,
    large_pictures_are_taken_and_larger_ones_refused,
);
