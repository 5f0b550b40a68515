//! `gavel decide`: the decision model without a server.

use serde_json::json;

use crate::harness::{Db, Server, on_sqlite};

const STATE: &str = "I was charged twice this month and nobody answers my mails!";

async fn the_command_line_and_the_server_agree_on_a_decision(db: Db) {
    let asked =
        ["--choice", "team=billing,technical", "--score", "anger=calm,furious", "--noul", "Is it urgent?"];
    let mut decided = db.cli(&[&["decide", STATE][..], &asked].concat()).await;
    assert!(!db.data_dir().exists(), "nothing is written");
    let server = Server::start(&db).await;
    let account = server.account(1).await;
    let body = json!({
        "state": STATE,
        "instructions": {
            "team": ["billing", "technical"],
            "anger": { "type": "score", "criteria": ["calm", "furious"] },
            "q1": "Is it urgent?",
        },
    });
    let mut served = server.post("/api/v1/inference").key(&account.key).json(body).send().await.ok();
    for field in ["answers", "model", "backend", "routing", "inference_parameters", "usage"] {
        assert_eq!(decided[field].take(), served[field].take(), "{field}");
    }
}

async fn ambiguous_and_missing_questions_are_refused(db: Db) {
    for (asked, words) in [
        (&["--choice", "a=b,c", "--choice", "a=d,e"][..], "two questions have the key \"a\""),
        (&["--choice", "a=b,c", "--score", "a=d,e"], "two questions have the key \"a\""),
        (&["--choice", "q1=b,c", "--noul", "Is it?"], "two questions have the key \"q1\""),
        (&["--instructions", "[\"Is it?\"]", "--noul", "Was it?"], "cannot be used with"),
        (&[], "instructions must not be empty"),
    ] {
        let ran = db.run(&[&["decide", STATE][..], asked].concat(), &[], "").await;
        assert!(!ran.status.success() && ran.stdout.is_empty(), "{asked:?}: {}", ran.stdout);
        assert!(ran.stderr.contains(words), "{asked:?}: {}", ran.stderr);
    }
}

/// ONNX Runtime would keep an identifier of the machine and a queue of events in the home folder.
async fn nothing_is_kept_for_telemetry(db: Db) {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().to_str().unwrap();
    let ran = db.run(&["decide", STATE, "--noul", "Is it urgent?"], &[("HOME", path)], "").await;
    assert!(ran.status.success(), "{}", ran.stderr);
    let kept: Vec<_> = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(kept.is_empty(), "{kept:?}");
}

on_sqlite!(
    the_command_line_and_the_server_agree_on_a_decision,
    ambiguous_and_missing_questions_are_refused,
    nothing_is_kept_for_telemetry,
);
