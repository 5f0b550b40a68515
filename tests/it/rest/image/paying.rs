//! The price of a picture, charged once.

use std::sync::Arc;

use serde_json::json;
use tokio::task::JoinSet;

use crate::harness::{
    Account, Answer, Db, Origin, Server, eventually, inv, on_both, on_sqlite,
    picture::{FORM, IMAGE, base64, fixture, form, gradient},
    response,
};

async fn a_picture_costs_one_credit_in_the_ledger(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account("2.5").await;
    let picture = fixture("rgb8.png");
    let first = server.upload(&account.key, &picture).send().await;
    let second = server.upload_base64(&account.key, &base64(&picture)).send().await;
    assert_eq!((first.remaining(), second.remaining()), (1_500, 500));
    let rows = inv::charges(&db, &account.id).await;
    assert_eq!(rows.len(), 2);
    for (row, answer) in rows.iter().zip([first, second]) {
        assert_eq!(row.request_id, answer.request_id());
        let body = answer.ok();
        assert_eq!((body["credits_deducted"].as_f64(), row.delta), (Some(1.0), -1_000));
        assert_eq!(body["request_id"], row.request_id);
        assert_eq!(
            (row.endpoint.as_deref(), row.api_key_id.as_deref()),
            (Some(IMAGE), Some(&*account.key_id))
        );
        assert!(row.reference.as_deref().unwrap().starts_with("mod_"), "{row:?}");
    }
    let poor = server.upload(&account.key, &picture).send().await;
    assert_eq!(poor.fails(402, "INSUFFICIENT_CREDITS"), "this costs 1 credit, but the account has 0.5");
    // Half a credit still pays for a message.
    server.moderate(&account.key, "hello").send().await.ok();
    assert_eq!(inv::balance(&db, &account.id).await, 0);
}

async fn a_new_price_is_charged_without_a_restart(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(100).await;
    let picture = fixture("gray.jpg");
    for price in ["1.75", "0"] {
        server.cli(&["price", "set", "image", price]).await;
        let price: f64 = price.parse().unwrap();
        eventually("the new price is charged", async || {
            let paid = server.upload(&account.key, &picture).send().await.ok();
            (paid["credits_deducted"] == price).then_some(())
        })
        .await;
        let shown = server.get("/api/pricing").send().await.ok();
        assert_eq!(shown["pricing"]["imageCreditCost"], price);
    }
    let poor = server.account(0).await;
    server.upload(&poor.key, &picture).send().await.ok();
}

/// Asserts that the second answer is a replay of the first, byte for byte.
#[track_caller]
fn is_replay(first: &Answer, second: &Answer) {
    assert_eq!((first.status, second.status), (200, 200), "{} {}", first.text, second.text);
    assert_eq!(first.text, second.text);
    assert_eq!(second.header("idempotent-replayed"), Some("true"));
}

async fn a_repeated_picture_is_answered_again_and_another_refused(db: Db) {
    let server = Server::with(&db).env("GAVEL_FETCH_ALLOW", "127.0.0.1").start().await;
    let account = server.account(10).await;
    let picture = gradient(64, 48);
    let other = gradient(48, 64);
    let first = server.upload(&account.key, &picture).idempotent("k").send().await;
    assert_eq!(first.header("idempotent-replayed"), None);
    is_replay(&first, &server.upload(&account.key, &picture).idempotent("k").send().await);
    // The same picture with another boundary and file name.
    let head = "--zzz\r\nContent-Disposition: form-data; name=image; filename=b.png\r\n\r\n";
    let body = [head.as_bytes(), &picture, b"\r\n--zzz--"].concat();
    let again = server.post(IMAGE).key(&account.key).body("multipart/form-data;boundary=\"zzz\"", body);
    is_replay(&first, &again.idempotent("k").send().await);

    let text = base64(&picture);

    let url = json!({ "image_url": "http://127.0.0.1:9/nothing-is-there" });
    for other in [
        server.upload(&account.key, &other),
        server.upload_base64(&account.key, &text),
        server.post(IMAGE).key(&account.key).json(url),
        server.moderate(&account.key, "hello"),
    ] {
        other.idempotent("k").send().await.fails(422, "IDEMPOTENCY_MISMATCH");
    }
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1);

    // In base64 only the decoded bytes count.
    let first = server.upload_base64(&account.key, &text).idempotent("base64").send().await;
    for same in [text.trim_end_matches('='), &format!("data:image/jpeg;base64,{text}")] {
        is_replay(&first, &server.upload_base64(&account.key, same).idempotent("base64").send().await);
    }
    assert_eq!(inv::charges(&db, &account.id).await.len(), 2);
}

async fn a_replay_downloads_nothing(db: Db) {
    let server = Server::with(&db).env("GAVEL_FETCH_ALLOW", "127.0.0.1").start().await;
    let account = server.account(10).await;
    let origin = Origin::start("127.0.0.1:0", |_| response(200, &[], &fixture("rgb.jpg"))).await;
    let body = json!({ "image_url": origin.url("/a.jpg?size=1") });
    let first = server.post(IMAGE).key(&account.key).idempotent("k").json(body).send().await;
    // A fragment does not change the request.
    for path in ["/a.jpg?size=1", "/a.jpg?size=1#top"] {
        let body = json!({ "image_url": origin.url(path) });
        let again = server.post(IMAGE).key(&account.key).idempotent("k").json(body).send().await;
        is_replay(&first, &again);
    }
    let other = json!({ "image_url": origin.url("/a.jpg?size=2") });
    let other = server.post(IMAGE).key(&account.key).idempotent("k").json(other).send().await;
    other.fails(422, "IDEMPOTENCY_MISMATCH");
    assert_eq!(origin.heads().len(), 1);
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1);
}

async fn large_files_are_refused_before_anything_is_looked_up(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(1).await;
    server.upload(&account.key, &fixture("gray.jpg")).idempotent("used").send().await.ok();
    let over = vec![0; (10 << 20) + 1];
    for request in [server.upload(&account.key, &over), server.upload_base64(&account.key, &base64(&over))] {
        request.idempotent("used").send().await.fails(413, "PAYLOAD_TOO_LARGE");
    }
    server.upload("svc_live_wrong", &over).send().await.fails(401, "UNAUTHORIZED");
}

async fn ten_concurrent_duplicates_are_charged_once_and_answered_alike(db: Db) {
    let server = Arc::new(Server::start(&db).await);
    let account = server.account(100).await;
    let picture = Arc::new(gradient(400, 300));
    let mut tasks = JoinSet::new();
    for _ in 0..10 {
        let server = server.clone();
        let key = account.key.clone();
        let picture = picture.clone();
        tasks.spawn(async move { server.upload(&key, &picture).idempotent("ten").send().await });
    }
    let answers = tasks.join_all().await;
    let fresh: Vec<_> =
        answers.iter().filter(|answer| answer.header("idempotent-replayed").is_none()).collect();
    assert_eq!(fresh.len(), 1, "one does the work");
    assert!(answers.iter().all(|answer| answer.status == 200 && answer.text == fresh[0].text));
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1);
}

async fn a_failed_picture_can_be_retried_with_its_key(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(0).await;
    let good = fixture("gray.jpg");
    let bad = fixture("30000.png");
    server.upload(&account.key, &good).idempotent("k").send().await.fails(402, "INSUFFICIENT_CREDITS");
    server.cli(&["credits", "grant", "--account", &account.id, "--amount", "1"]).await;
    server.upload(&account.key, &bad).idempotent("k").send().await.fails(422, "INVALID_IMAGE");
    let paid = server.upload(&account.key, &good).idempotent("k").send().await;
    assert_eq!((paid.remaining(), paid.header("idempotent-replayed")), (0, None));
    is_replay(&paid, &server.upload(&account.key, &good).idempotent("k").send().await);
    server.upload(&account.key, &bad).idempotent("k").send().await.fails(422, "IDEMPOTENCY_MISMATCH");
}

/// The faults of a request, in the order of the checks.
const FAULTS: [(&str, u16, &str); 8] = [
    ("no key", 401, "UNAUTHORIZED"),
    ("no scope", 403, "FORBIDDEN"),
    ("wrong type", 415, "UNSUPPORTED_MEDIA_TYPE"),
    ("cut off", 400, "MALFORMED_BODY"),
    ("two sources", 422, "INVALID_IMAGE"),
    ("other request", 422, "IDEMPOTENCY_MISMATCH"),
    ("poor", 402, "INSUFFICIENT_CREDITS"),
    ("not a picture", 422, "INVALID_IMAGE"),
];

/// Some of the [`FAULTS`], one bit each.
struct Faults(u32);

impl Faults {
    fn has(&self, name: &str) -> bool {
        self.0 & 1 << FAULTS.iter().position(|fault| fault.0 == name).unwrap() != 0
    }
}

async fn the_earliest_failing_check_answers(db: Db) {
    let server = Server::start(&db).await;
    let mut keys = Vec::new();
    for credits in ["2000", "1"] {
        let account = server.account(credits).await;
        let reader = db.scoped_key(&account, "read").await;
        server.upload(&account.key, &fixture("gray.jpg")).idempotent("used").send().await.ok();
        keys.push((account, reader));
    }
    for bits in 1..1_u32 << FAULTS.len() {
        let faults = Faults(bits);
        let (account, reader) = &keys[usize::from(faults.has("poor"))];
        let answer = send_with(&server, account, reader, &faults).await;
        let (first, status, code) = FAULTS[bits.trailing_zeros() as usize];
        let got = (answer.status, answer.body["code"].as_str());
        assert_eq!(got, (status, Some(code)), "{first} in {bits:08b}: {}", answer.text);
        answer.error();
    }
    for (account, _) in &keys {
        assert_eq!(inv::charges(&db, &account.id).await.len(), 1);
    }
}

async fn send_with(server: &Server, account: &Account, reader: &str, faults: &Faults) -> Answer {
    let content =
        if faults.has("not a picture") { b"words, not a picture".to_vec() } else { fixture("rgb8.png") };
    let mut parts = vec![("image", content.as_slice())];
    if faults.has("two sources") {
        parts.push(("image_url", b"http://example.com/"));
    }
    let mut body = form(&parts);
    if faults.has("cut off") {
        body.truncate(body.len() - 20);
    }
    let mut request =
        server.post(IMAGE).body(if faults.has("wrong type") { "image/png" } else { FORM }, body);
    if !faults.has("no key") {
        request = request.key(if faults.has("no scope") { reader } else { &account.key });
    }
    if faults.has("other request") {
        request = request.idempotent("used");
    }
    request.send().await
}

on_both!(
    a_picture_costs_one_credit_in_the_ledger,
    a_repeated_picture_is_answered_again_and_another_refused,
    ten_concurrent_duplicates_are_charged_once_and_answered_alike,
    a_failed_picture_can_be_retried_with_its_key,
);
on_sqlite!(
    a_new_price_is_charged_without_a_restart,
    a_replay_downloads_nothing,
    large_files_are_refused_before_anything_is_looked_up,
    the_earliest_failing_check_answers,
);
