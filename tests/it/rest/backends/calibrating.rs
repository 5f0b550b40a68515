//! `gavel backends`: what it lists, tests and calibrates, and what a calibration changes.

use serde_json::{Value, json};

use super::asking::ask;
use crate::harness::{Db, Fault, Server, UPSTREAM_MODEL, Upstream, eventually, on_both};

/// Runs `gavel backends` with the LLM `llm`.
async fn backends(db: &Db, upstream: &Upstream, args: &[&str]) -> Result<Value, Value> {
    let url = upstream.url();
    let env = [
        ("GAVEL_BACKENDS__LLM__KIND", "openai_chat"),
        ("GAVEL_BACKENDS__LLM__URL", url.as_str()),
        ("GAVEL_BACKENDS__LLM__PRICE", "1.5"),
    ];
    let ran = db.run(&[&["backends"], args, &["--json"]].concat(), &env, "").await;
    match ran.status.success() {
        true => Ok(serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"))),
        // The log comes first.
        false => {
            let last = ran.stderr.lines().last().unwrap_or_default();
            Err(serde_json::from_str(last).unwrap_or_else(|_| panic!("{ran:?}")))
        }
    }
}

/// How far an answer is from a coin's.
fn sure(told: &Value) -> f64 {
    (told["answers"]["it"]["noul"].as_f64().unwrap() - 0.5).abs()
}

async fn a_calibration_is_stored_applied_and_bound_to_its_model(db: Db) {
    let upstream = Upstream::start().await;
    let listed = backends(&db, &upstream, &["list"]).await.unwrap();
    assert_eq!(
        (&listed["backends"][0]["name"], &listed["backends"][0]["price"]),
        (&json!("llm"), &json!(1.5))
    );
    assert_eq!(
        (&listed["backends"][0]["external"], &listed["backends"][0]["calibrated_as"]),
        (&json!(false), &Value::Null)
    );
    let tested = backends(&db, &upstream, &["test", "llm"]).await.unwrap();
    assert_eq!(
        (&tested["model"], tested["answers"].as_object().map(serde_json::Map::len)),
        (&json!(UPSTREAM_MODEL), Some(3))
    );
    let failed = backends(&db, &upstream, &["test", "nobody"]).await.unwrap_err();
    assert!(failed["error"].as_str().unwrap().contains("the settings name: llm"), "{failed}");

    let server = Server::with(&db)
        .env("GAVEL_BACKENDS__LLM__KIND", "openai_chat")
        .env("GAVEL_BACKENDS__LLM__URL", upstream.url());
    let server = server.start().await;
    let account = server.account(100).await;
    let question = json!({ "type": "noul", "instructions": "Is it broken?" });
    let request = json!({ "model": "llm", "instructions": { "it": question } });
    let before = ask(&server, &account, request.clone()).send().await.ok();
    assert_eq!(before["routing"]["steps"][0]["calibrated"], false);

    // Its answers are arithmetic: right as often as chance has it, so that honest probabilities are flat.
    let calibrated = backends(&db, &upstream, &["calibrate", "llm", "--questions", "160"]).await.unwrap();
    assert_eq!((&calibrated["model"], &calibrated["failed"]), (&json!(UPSTREAM_MODEL), &json!(0)));
    let groups = calibrated["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 4, "{calibrated}");
    let noul = groups.iter().find(|group| group["questions"] == "noul").unwrap();
    assert!(noul["temperature"].as_f64().unwrap() > 1.5, "{noul}");
    assert!(noul["ece_after"].as_f64() < noul["ece_before"].as_f64(), "{noul}");

    let after = eventually("the calibration is applied", async || {
        let told = ask(&server, &account, request.clone()).send().await.ok();
        (told["routing"]["steps"][0]["calibrated"] == true).then_some(told)
    });
    let after = after.await;
    assert!(sure(&after) < sure(&before), "{after} {before}");
    upstream.breaks(Fault::Altered(|body| body["model"] = json!("scripted-2.0")));
    let moved = ask(&server, &account, request).send().await.ok();
    let reason = moved["routing"]["steps"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("it was calibrated as scripted-1.0"), "{moved}");
    assert!((sure(&moved) - sure(&before)).abs() < 1e-9);

    upstream.breaks(Fault::Status(500));
    backends(&db, &upstream, &["calibrate", "llm", "--questions", "160"]).await.unwrap_err();
    let listed = backends(&db, &upstream, &["list"]).await.unwrap();
    assert_eq!(listed["backends"][0]["calibrated_as"], UPSTREAM_MODEL, "a failure keeps the last one");
}

async fn a_kind_of_question_with_too_few_answers_is_named(db: Db) {
    let upstream = Upstream::start().await;
    // 160 questions are just enough of each kind.
    upstream.next((0..4).map(|_| Some(Fault::Status(400))));
    let calibrated = backends(&db, &upstream, &["calibrate", "llm", "--questions", "160"]).await.unwrap();
    let groups = calibrated["groups"].as_array().unwrap().len();
    let left_out = calibrated["left_out"].as_array().unwrap().len();
    assert!(left_out > 0 && groups + left_out == 4, "{calibrated}");
}

on_both!(
    a_calibration_is_stored_applied_and_bound_to_its_model,
    a_kind_of_question_with_too_few_answers_is_named
);
