//! The image engine's state for operators: with missing or damaged models everything else works, requests are
//! measured, and no picture or URL is logged.

use std::path::Path;

use serde_json::json;

use crate::harness::{
    Account, Db, Origin, Server, inv, on_sqlite,
    picture::{IMAGE, base64, fixture},
    response,
};

/// Asserts that pictures are refused with a 500, and that everything else works.
async fn only_pictures_are_refused(server: &Server, account: &Account) {
    let health = server.get("/api/v1/moderate/health").send().await.ok();
    assert_eq!(health["gateway_status"], "healthy");
    let services =
        json!({ "text_moderation": { "healthy": true }, "image_moderation": { "healthy": false } });
    assert_eq!(health["services"], services);
    let mut ready = server.get("/readyz").send().await.ok();
    assert!(ready.as_object_mut().unwrap().shift_remove("decision_engine").unwrap().is_boolean());
    let rest = json!({
        "ready": true, "database": true, "storage": true, "billing": true, "text_engine": true,
        "image_engine": false, "queue": true,
    });
    assert_eq!(ready, rest);
    for _ in 0..3 {
        let answer = server.upload(&account.key, &fixture("rgb.jpg")).send().await;
        assert_eq!(
            answer.fails(500, "ENGINE_UNAVAILABLE"),
            "the image engine could not answer; nothing was charged"
        );
    }
    assert_eq!(inv::charges(&server.db, &account.id).await.len(), 0);
    server.moderate(&account.key, "text still works").send().await.ok();
    assert_eq!(inv::charges(&server.db, &account.id).await.len(), 1);
    let log = server.log();
    let told: Vec<&str> = log.lines().filter(|line| line.contains("pictures cannot be moderated")).collect();
    assert!(told.len() == 1 && told[0].contains("gavel models install"), "{log}");
}

async fn text_moderation_works_without_image_models(db: Db) {
    let empty = tempfile::tempdir().unwrap();
    for dir in [empty.path(), &empty.path().join("not-even-there")] {
        let server = Server::with(&db).env("GAVEL_MODELS_DIR", dir.display()).start().await;
        only_pictures_are_refused(&server, &server.account(10).await).await;
        assert!(server.log().contains("nsfwjs-mobilenet-v2-mid"), "{}", server.log());
        let verdict =
            server.moderate(&server.account(1).await.key, "hybrid without its words").send().await.ok();
        assert!(verdict["routing_model"].as_str().unwrap().contains("guardrails only"), "{verdict}");
    }
    let unknown = Server::with(&db).env("GAVEL_IMAGE_MODEL", "of-nobody").start().await;
    only_pictures_are_refused(&unknown, &unknown.account(10).await).await;
    assert!(unknown.log().contains("of-nobody"), "{}", unknown.log());
}

async fn text_moderation_works_with_a_damaged_image_model(db: Db) {
    db.load_models_at_start();
    let models = Path::new(Db::MODELS_DIR);
    let name = "nsfwjs-mobilenet-v2-mid";
    let whole = std::fs::read(models.join(format!("{name}.onnx"))).expect("the models are installed");
    let mut altered = whole.clone();
    altered[..64].fill(b'?');
    for (how, runtime, bytes) in [
        ("cut", "auto", &whole[..1000]),
        ("cut late", "auto", &whole[..whole.len() - 1000]),
        ("cut", "off", &whole[..whole.len() / 2]),
        ("empty", "auto", &[]),
        ("altered", "auto", &altered),
        ("altered", "off", &altered),
    ] {
        let dir = tempfile::tempdir().unwrap();
        for file in std::fs::read_dir(models).unwrap() {
            let file = file.unwrap();
            std::os::unix::fs::symlink(file.path(), dir.path().join(file.file_name())).unwrap();
        }
        let model = dir.path().join(format!("{name}.onnx"));
        std::fs::remove_file(&model).unwrap();
        std::fs::write(&model, bytes).unwrap();
        let server = Server::with(&db).env("GAVEL_MODELS_DIR", dir.path().display());
        let server = server.env("GAVEL_ONNX_RUNTIME", runtime).start().await;
        only_pictures_are_refused(&server, &server.account(10).await).await;
        assert!(server.log().contains(&format!("{name}.onnx")), "{how}, {runtime}: {}", server.log());
    }
}

async fn a_working_engine_is_ready_and_measured(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let health = server.get("/api/v1/moderate/health").send().await.ok();
    assert_eq!(health["services"]["image_moderation"]["healthy"], true);
    assert_eq!(server.get("/readyz").send().await.ok()["image_engine"], true);
    server.upload(&account.key, &fixture("rgb.jpg")).send().await.ok();
    server.upload(&account.key, b"no picture").send().await.fails(422, "INVALID_IMAGE");
    let metrics = server.get("/metrics").send().await;
    for line in [
        "gavel_requests_total{route=\"/api/v1/moderate/image\",status=\"200\"} 1",
        "gavel_requests_total{route=\"/api/v1/moderate/image\",status=\"422\"} 1",
        "gavel_engine_seconds_count{engine=\"image\"} 1",
    ] {
        assert!(metrics.text.lines().any(|shown| shown == line), "{line} is not in:\n{}", metrics.text);
    }
}

/// The harness checks every log for what was sent as JSON; here with the most verbose level.
async fn no_log_level_shows_a_picture_or_its_address(db: Db) {
    let server = Server::with(&db).env("GAVEL_LOG", "trace").env("GAVEL_FETCH_ALLOW", "127.0.0.1");
    let server = server.start().await;
    let account = server.account(10).await;
    let origin = Origin::start("127.0.0.1:0", |path| match path {
        "/moved-my-private-album" => response(302, &[("Location", "/to-my-private-album")], b""),
        "/to-my-private-album" => response(200, &[], &fixture("rgb.jpg")),
        _ => response(404, &[], b"nothing"),
    })
    .await;
    let [moved, gone] = ["/moved-my-private-album", "/gone-my-private-album"]
        .map(|path| server.post(IMAGE).key(&account.key).json(json!({ "image_url": origin.url(path) })));
    moved.send().await.ok();
    gone.send().await.fails(422, "INVALID_IMAGE");
    let secret = "http://user:my-private-album@example.com/";
    let secret = server.post(IMAGE).key(&account.key).json(json!({ "image_url": secret }));
    secret.send().await.fails(422, "INVALID_IMAGE");
    server.upload_base64(&account.key, &base64(&fixture("rgb.jpg"))).send().await.ok();
    server.upload_base64(&account.key, "my-private-album").send().await.fails(422, "INVALID_IMAGE");
    server.upload(&account.key, b"GIF89a my-private-album").send().await.fails(422, "INVALID_IMAGE");
    server.upload(&account.key, &fixture("rgb.jpg")).idempotent("k").send().await.ok();
    let log = server.log();
    assert!(log.contains("\"level\":\"DEBUG\""), "requests are logged");
    assert!(
        !log.contains("my-private-album"),
        "{}",
        log.lines().find(|line| line.contains("private")).unwrap()
    );
    // The ledger does not contain it either.
    for row in inv::ledger(&db).await {
        assert!(!format!("{row:?}").contains("private"), "{row:?}");
    }
}

on_sqlite!(
    text_moderation_works_without_image_models,
    text_moderation_works_with_a_damaged_image_model,
    a_working_engine_is_ready_and_measured,
    no_log_level_shows_a_picture_or_its_address,
);
