//! Pictures by URL from a server that never sends them, and another account's uploads.

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
/// Downloads of one account at once; `docs/operate.md` says so.
const DOWNLOADS: usize = 8;

async fn slow_downloads_of_one_account_keep_no_picture_of_others_out(db: Db) {
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
    let by_url =
        |key: &str, path: &str| server.post(IMAGE).key(key).json(json!({ "image_url": origin.url(path) }));
    let attack = async {
        let mut clients = JoinSet::new();
        for _ in 0..URLS {
            clients.spawn(by_url(&account.key, "/never.jpg").send());
        }
        by_url(&victim.key, "/picture.jpg").send().await.ok();
        // The attacker's own uploads have places too.
        server.upload(&account.key, &picture).send().await.ok();
        clients.join_all().await
    };
    let (answers, fared) = beside("slow downloads", || server.upload(&victim.key, &picture), attack).await;
    let downloads = origin.heads().iter().filter(|head| head.contains("/never.jpg")).count();
    report(&format!("{URLS} slow URLs, {downloads} of them asked for"));
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

on_sqlite!(slow_downloads_of_one_account_keep_no_picture_of_others_out);
