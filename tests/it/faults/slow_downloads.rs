//! Image URLs on a server that never answers, beside another account's uploads.

use std::time::Duration;

use serde_json::json;
use tokio::task::JoinSet;

use super::victim::{FLOOR, beside, report};
use crate::harness::{
    Db, Origin, Server, Step, inv, on_sqlite,
    picture::{IMAGE, fixture},
    response,
};

const URLS: usize = 80;
/// The maximum concurrent downloads of an account, according to `docs/operate.md`.
const DOWNLOADS: usize = 8;

async fn slow_downloads_of_one_account_do_not_block_others(db: Db) {
    let picture = fixture("rgb.jpg");
    let origin = Origin::start("127.0.0.1:0", move |path| match path {
        "/picture.jpg" => response(200, &[], &picture),
        _ => vec![Step::Hang],
    });
    let origin = origin.await;
    let start = Server::with(&db).env("GAVEL_FETCH_ALLOW", "127.0.0.1").env("GAVEL_IMAGES_IN_FLIGHT", 16);
    let server = start.start().await;
    let account = server.account(1_000).await;
    let victim = server.account(1_000).await;
    let picture = fixture("rgb.jpg");

    let attack = async {
        let mut clients = JoinSet::new();
        for _ in 0..URLS {
            let request = server.post(IMAGE).key(&account.key);
            clients.spawn(request.json(json!({ "image_url": origin.url("/never.jpg") })).send());
        }
        let request = server.post(IMAGE).key(&victim.key);
        request.json(json!({ "image_url": origin.url("/picture.jpg") })).send().await.ok();
        // The attacker's own uploads are served too.
        server.upload(&account.key, &picture).send().await.ok();
        clients.join_all().await
    };
    let (answers, fared) = beside("slow downloads", || server.upload(&victim.key, &picture), attack).await;
    let downloads = origin.heads().iter().filter(|head| head.contains("/never.jpg")).count();
    report(&format!("{URLS} slow URLs, {downloads} of them requested"));
    for answer in &answers {
        match answer.status {
            422 => answer.fails(422, "INVALID_IMAGE"),
            _ => answer.fails(503, "OVERLOADED"),
        };
    }
    assert_eq!(downloads, DOWNLOADS);
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1);
    fared.well(5, FLOOR, Duration::from_secs(5));
}

on_sqlite!(slow_downloads_of_one_account_do_not_block_others);
