//! Verdicts on pictures: the same for every way of sending one, with exactly the documented fields.

use serde_json::{Value, json};

use crate::harness::{
    Answer, Db, Origin, Server, on_sqlite,
    picture::{FORM, IMAGE, base64, fixture, form, gradient},
    response,
};

/// `data` without `meta`.
fn verdict(answer: Answer) -> Value {
    let mut data = answer.ok()["data"].take();
    data.as_object_mut().unwrap().remove("meta");
    data
}

/// A picture whose base64 needs padding and the characters in which the alphabets differ.
fn picture() -> Vec<u8> {
    let mut picture = gradient(320, 200);
    // Any bytes may follow the end of a JPEG.
    picture.extend(vec![0; 3 - (picture.len() + 2) % 3]);
    let text = base64(&picture);
    assert!(text.contains('+') && text.contains('/') && text.ends_with("=="), "{}", text.len());
    picture
}

async fn a_picture_gets_the_same_answer_from_every_source(db: Db) {
    let server = Server::with(&db).env("GAVEL_FETCH_ALLOW", "127.0.0.1").start().await;
    let account = server.account(100).await;
    let picture = picture();
    let uploaded = server.upload(&account.key, &picture).send().await.ok();
    assert_eq!(uploaded["data"]["meta"]["source"], "upload");
    let wanted = {
        let mut data = uploaded["data"].clone();
        data.as_object_mut().unwrap().remove("meta");
        data
    };
    let text = base64(&picture);
    let lines: Vec<&str> =
        text.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).unwrap()).collect();
    for (how, text) in [
        ("padded", text.clone()),
        ("unpadded", text.trim_end_matches('=').to_owned()),
        ("URL-safe", text.replace('+', "-").replace('/', "_")),
        ("URL-safe, unpadded", text.replace('+', "-").replace('/', "_").trim_end_matches('=').to_owned()),
        ("percent-encoded", text.replace('+', "%2B").replace('/', "%2f").replace('=', "%3D")),
        ("in lines", lines.join("\r\n")),
        ("in lines, ending in one", lines.join("\n") + "\n"),
        ("a data URI", format!("data:image/jpeg;base64,{text}")),
        ("a data URI of another type", format!("data:image/gif;charset=x;base64,{text}")),
        ("a data URI of no type", format!("DATA:;BASE64,{}", text.trim_end_matches('='))),
    ] {
        let answer = server.upload_base64(&account.key, &text).send().await;
        assert_eq!(answer.body["data"]["meta"]["source"], "base64", "{how}: {}", answer.text);
        assert_eq!(verdict(answer), wanted, "{how}");
    }
    let uri = format!("data:image/jpeg;base64,{text}");
    let answer = server.post(IMAGE).key(&account.key).json(json!({ "image_url": uri })).send().await;
    assert_eq!(answer.body["data"]["meta"]["source"], "base64", "{}", answer.text);
    assert_eq!(verdict(answer), wanted);
    let broken = json!({ "image_url": "data:image/jpeg,plain" });
    let refused = server.post(IMAGE).key(&account.key).json(broken).send().await;
    assert!(refused.fails(422, "INVALID_IMAGE").contains("image_url"), "{}", refused.text);
    let origin = Origin::start("127.0.0.1:0", move |_| {
        // The content type does not matter.
        response(200, &[("Content-Type", "text/html")], &picture)
    })
    .await;
    let url = origin.url("/a-picture-of-nobody?size=large#part");
    let answer = server.post(IMAGE).key(&account.key).json(json!({ "image_url": url })).send().await;
    assert_eq!(answer.body["data"]["meta"]["source"], "url", "{}", answer.text);
    assert_eq!(answer.body["data"]["meta"]["model_backend"], uploaded["data"]["meta"]["model_backend"]);
    assert_eq!(verdict(answer), wanted);
}

/// A form with the picture under a part's head.
fn part(picture: &[u8], head: &str) -> Vec<u8> {
    let head = format!("--a-boundary\r\n{head}\r\n\r\n");
    [head.as_bytes(), picture, b"\r\n--a-boundary--\r\n"].concat()
}

async fn file_names_and_unknown_fields_do_not_matter(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(100).await;
    let picture = fixture("rgb.jpg");
    let wanted = verdict(server.upload(&account.key, &picture).send().await);

    for (how, body) in [
        ("no file name", part(&picture, "Content-Disposition: form-data; name=\"image\"")),
        ("no quotes", part(&picture, "Content-Disposition: form-data; name=image; filename=a.jpg")),
        (
            "another type",
            part(
                &picture,
                "Content-Disposition: form-data; name=\"image\"; filename=\"a.exe\"\r\nContent-Type: text/html",
            ),
        ),
        (
            "a strange name",
            part(
                &picture,
                "content-disposition: FORM-DATA; name=\"image\"; filename=\"../../\u{1f600};\\\"x\"",
            ),
        ),
        ("fields before and after", form(&[("comment", b"hello"), ("image", &picture), ("", b"")])),
    ] {
        let answer = server.post(IMAGE).key(&account.key).body(FORM, body).send().await;
        assert_eq!(answer.status, 200, "{how}: {}", answer.text);
        assert_eq!(verdict(answer), wanted, "{how}");
    }
    let body = json!({ "image": 5, "explain": [true], "image_base64": base64(&picture), "more": null });
    let answer = server.post(IMAGE).key(&account.key).json(body.clone()).send().await;
    assert_eq!(verdict(answer), wanted);
    let vendor = server.post(IMAGE).key(&account.key).body("application/vnd.chat+json", body.to_string());
    assert_eq!(verdict(vendor.send().await), wanted);
    let loud = FORM.replace("multipart/form-data", "Multipart/Form-Data");
    let loud = server.post(IMAGE).key(&account.key).body(&loud, form(&[("image", &picture)]));
    assert_eq!(verdict(loud.send().await), wanted);
}

async fn an_answer_has_exactly_the_documented_fields(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let answer = server.upload(&account.key, &gradient(320, 200)).send().await;
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.body["request_id"].as_str(), answer.header("x-request-id"));
    let mut body = answer.ok();
    check_values(&body["data"]);
    for (pointer, what) in [
        ("/id", "mod_…"),
        ("/request_id", "req_…"),
        ("/data/summary", "words"),
        ("/data/categories/nudity/score", "0 to 1"),
        ("/data/categories/drawn_nudity/score", "0 to 1"),
        ("/data/categories/drawn_nudity/labels", "labels"),
        ("/data/classifications", "five"),
        ("/data/meta/latency_ms", "more than 0"),
        ("/data/meta/processed_at", "a time"),
        ("/data/meta/model_backend", "models"),
    ] {
        *body.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}")) = what.into();
    }
    insta::assert_json_snapshot!(body, @r#"
    {
      "status": "success",
      "id": "mod_…",
      "request_id": "req_…",
      "credits_deducted": 1.0,
      "remaining_credits": 9.0,
      "data": {
        "is_flagged": false,
        "summary": "words",
        "categories": {
          "nudity": {
            "score": "0 to 1",
            "flagged": false,
            "labels": []
          },
          "drawn_nudity": {
            "score": "0 to 1",
            "flagged": false,
            "labels": "labels"
          },
          "age_estimation": {
            "estimated_age": 0,
            "age_range": "unknown",
            "is_minor": false,
            "confidence": 0.0,
            "face_detected": false
          }
        },
        "classifications": "five",
        "meta": {
          "source": "upload",
          "latency_ms": "more than 0",
          "processed_at": "a time",
          "model_backend": "models"
        }
      }
    }
    "#);
}

/// Asserts the properties of values that differ between pictures.
fn check_values(data: &Value) {
    let classes = data["classifications"].as_array().unwrap();
    let mut names: Vec<&str> = classes.iter().map(|class| class["className"].as_str().unwrap()).collect();
    let probabilities: Vec<f64> =
        classes.iter().map(|class| class["probability"].as_f64().unwrap()).collect();
    assert!(classes.iter().all(|class| class.as_object().unwrap().len() == 2), "{classes:?}");
    assert!(probabilities.iter().all(|p| (0.0..=1.0).contains(p)), "{classes:?}");
    assert!(probabilities.is_sorted_by(|a, b| a >= b), "{classes:?}");
    assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{classes:?}");
    for (category, class) in [("nudity", "Porn"), ("drawn_nudity", "Hentai")] {
        let class = classes.iter().find(|other| other["className"] == class).unwrap();
        assert_eq!(data["categories"][category]["score"], class["probability"]);
    }
    assert!(data["categories"]["drawn_nudity"]["labels"].is_array(), "{data}");
    names.sort_unstable();
    assert_eq!(names, ["Drawing", "Hentai", "Neutral", "Porn", "Sexy"]);
    assert!(data["summary"].as_str().unwrap().starts_with("Not flagged: "), "{data}");
    let meta = &data["meta"];
    assert!(meta["latency_ms"].as_f64().unwrap() > 0.0);
    assert!(meta["model_backend"].as_str().unwrap().contains("nsfwjs-mobilenet-v2-mid-4.4.0"), "{meta}");
    let at = chrono::DateTime::parse_from_rfc3339(meta["processed_at"].as_str().unwrap()).unwrap();
    assert!((chrono::Utc::now() - at.to_utc()).num_seconds().abs() < 60, "{at}");
}

on_sqlite!(
    a_picture_gets_the_same_answer_from_every_source,
    file_names_and_unknown_fields_do_not_matter,
    an_answer_has_exactly_the_documented_fields,
);
