//! Authentication: the three headers, wrong, revoked and expired keys, and scopes.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::harness::{Account, Answer, Db, Server, eventually, on_both, on_postgres, on_sqlite, picture};

const PATH: &str = "/api/v1/moderate/text";

async fn send(server: &Server, headers: &[(&str, &[u8])]) -> Answer {
    let request = server.post(PATH).json(json!({ "content": "hello" }));
    headers.iter().fold(request, |request, (name, value)| request.header(name, value)).send().await
}

async fn a_key_is_accepted_in_any_of_three_headers(db: Db) {
    let server = Server::start(&db).await;
    let key = server.account(100).await.key;
    let bearer = format!("Bearer {key}");
    let headers: [(&str, &str); 6] = [
        ("authorization", &bearer),
        ("x-api-key", &key),
        ("api-key", &key),
        ("authorization", &format!("bearer {key}")),
        ("authorization", &format!("BEARER {key}")),
        ("X-Api-Key", &key),
    ];
    for (name, value) in headers {
        assert_eq!(send(&server, &[(name, value.as_bytes())]).await.status, 200, "{name}: {value}");
    }
}

async fn of_several_keys_only_the_one_of_highest_rank_counts(db: Db) {
    let server = Server::start(&db).await;
    let good = server.account(100).await.key;
    let basic = "Basic dXNlcjpwYXNz";
    let good_bearer = format!("Bearer {good}");
    let table: [(&[(&str, &str)], u16); 13] = [
        (&[("authorization", &good_bearer), ("x-api-key", "bad"), ("api-key", "bad")], 200),
        (&[("x-api-key", &good), ("api-key", "bad")], 200),
        (&[("api-key", "bad"), ("x-api-key", &good)], 200),
        (&[("authorization", basic), ("x-api-key", &good)], 200),
        (&[("authorization", basic), ("api-key", &good)], 200),
        (&[("authorization", "Bearer bad"), ("x-api-key", &good)], 401),
        (&[("authorization", "Bearer "), ("x-api-key", &good), ("api-key", &good)], 401),
        (&[("x-api-key", "bad"), ("api-key", &good)], 401),
        (&[("x-api-key", ""), ("api-key", &good)], 401),
        (&[("authorization", basic)], 401),
        (&[("authorization", &good)], 401),
        (&[("cookie", &format!("api-key={good}"))], 401),
        (&[], 401),
    ];
    for (headers, status) in table {
        let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, value.as_bytes())).collect();
        let answer = send(&server, &headers).await;
        assert_eq!(answer.status, status, "{headers:?}: {}", answer.text);
        if status == 401 {
            answer.fails(401, "UNAUTHORIZED");
            assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
        }
    }
    let query = server.post(&format!("{PATH}?api-key={good}&key={good}")).json(json!({ "content": "hello" }));
    query.send().await.fails(401, "UNAUTHORIZED");
}

async fn all_wrong_keys_are_refused_with_the_same_message(db: Db) {
    let server = Server::start(&db).await;
    let key = server.account(10).await.key;
    assert!(key.starts_with("svc_live_") && key.len() == 45, "{key}");
    let elsewhere = Db::sqlite().account(10).await.key;
    let mut wrong: Vec<Vec<u8>> = (0..key.len())
        .map(|place| {
            let mut typo = key.clone().into_bytes();
            typo[place] = if typo[place] == b'a' { b'b' } else { b'a' };
            typo
        })
        .collect();
    wrong.extend(
        [
            &elsewhere,
            &key[..44],
            &key[9..],
            &format!("{key}0"),
            &format!("{key}{key}"),
            &format!("{} {}", &key[..20], &key[20..]),
            &key.to_lowercase(),
            &key.to_uppercase(),
            &key.replace("svc_live_", "svc_test_"),
            "svc_live_",
            "' OR '1'='1",
            &"k".repeat(5_000),
            "schlüssel",
        ]
        .map(|key| key.as_bytes().to_vec()),
    );
    wrong.push(b"svc_live_\xff\xfe".to_vec());
    let words = send(&server, &[("x-api-key", b"bad")]).await.fails(401, "UNAUTHORIZED").to_owned();
    for wrong in wrong {
        let answer = send(&server, &[("x-api-key", &wrong)]).await;
        assert_eq!(answer.fails(401, "UNAUTHORIZED"), words, "{}", String::from_utf8_lossy(&wrong));
    }
    send(&server, &[("x-api-key", key.as_bytes())]).await.ok();
}

async fn a_revoked_key_is_refused_by_every_replica_within_five_seconds(db: Db) {
    let server = Server::start(&db).await;
    let replica = server.replica().await;
    let account = server.account(100).await;
    let (id, key) = db.key(&account, &["--name", "leaked"]).await;
    for server in [&server, &replica] {
        server.moderate(&key, "still good").send().await.ok();
    }
    assert_eq!(server.cli(&["key", "revoke", "--key", &id]).await["revoked"], true);
    let revoked = Instant::now();
    // Requests continue, so that a replica that trusts its cache for too long would be noticed.
    while revoked.elapsed() < Duration::from_secs(5) {
        for server in [&server, &replica] {
            server.moderate(&key, "perhaps still good").send().await;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    for server in [&server, &replica] {
        server.moderate(&key, "no longer good").send().await.fails(401, "UNAUTHORIZED");
        server.moderate(&account.key, "the other key lives").send().await.ok();
    }
}

async fn an_expired_key_is_refused(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(1000).await;
    let end = chrono::Utc::now() + chrono::Duration::seconds(3);
    let (id, key) = db.key(&account, &["--expires-at", &end.to_rfc3339()]).await;
    server.moderate(&key, "in time").send().await.ok();
    let late = eventually("the key expires", async || {
        let answer = server.moderate(&key, "in time or late").send().await;
        (answer.status != 200).then_some(answer)
    });
    late.await.fails(401, "UNAUTHORIZED");
    assert!(chrono::Utc::now() >= end, "it ended early");
    let keys = server.cli(&["key", "list"]).await;
    let listed =
        keys["keys"].as_array().unwrap().iter().find(|listed| listed["key_id"] == id.as_str()).unwrap();
    assert_eq!(listed["state"], "expired");
}

async fn a_key_is_limited_to_its_scopes(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    for (scopes, status) in
        [("read", 403), ("infer", 403), ("manage,read", 403), ("moderate", 200), ("read,moderate", 200)]
    {
        let key = db.scoped_key(&account, scopes).await;
        for path in [PATH, "/api/v1/moderate/text/batch", picture::IMAGE] {
            let picture = picture::base64(&picture::fixture("gray.jpg"));
            let body =
                json!({ "content": "hello", "messages": [{ "content": "hello" }], "image_base64": picture });
            let answer = server.post(path).key(&key).json(body).send().await;
            assert_eq!(answer.status, status, "{scopes}: {}", answer.text);
            if status == 403 {
                let words = answer.fails(403, "FORBIDDEN");
                assert!(words.contains("`moderate`"), "{words}");
            }
        }
    }
}

async fn last_used(db: &Db, account: &Account) -> Option<String> {
    let keys = db.cli(&["key", "list", "--account", &account.id]).await;
    keys["keys"][0]["last_used_at"].as_str().map(str::to_owned)
}

async fn the_last_use_of_a_key_is_recorded(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    assert_eq!(last_used(&db, &account).await, None);
    let before = chrono::Utc::now();
    server.moderate(&account.key, "hello").send().await.ok();
    let used = eventually("the use is written", async || last_used(&db, &account).await).await;
    let used = chrono::DateTime::parse_from_rfc3339(&used).unwrap();
    assert!(used.timestamp_millis() >= before.timestamp_millis() - 1, "{used} {before}");
}

on_both!(
    a_key_is_accepted_in_any_of_three_headers,
    a_key_is_limited_to_its_scopes,
    the_last_use_of_a_key_is_recorded,
);
on_postgres!(a_revoked_key_is_refused_by_every_replica_within_five_seconds);
on_sqlite!(
    of_several_keys_only_the_one_of_highest_rank_counts,
    all_wrong_keys_are_refused_with_the_same_message,
    an_expired_key_is_refused,
);
