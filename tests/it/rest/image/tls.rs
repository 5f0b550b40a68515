//! Origins over HTTPS: only servers with a certificate of a trusted authority are accepted.

use serde_json::json;

use crate::harness::{
    Account, Answer, Authority, Db, Origin, Server, Step, inv, on_sqlite, response, self_signed,
};

const NOT_TRUSTED: &str = "image_url could not be reached over TLS, or its certificate is not valid";

async fn moderate(server: &Server, account: &Account, url: &str) -> Answer {
    server.post("/api/v1/moderate/image").key(&account.key).json(json!({ "image_url": url })).send().await
}

fn redirect(path: &str) -> Vec<Step> {
    match path {
        "/http" => response(302, &[("Location", "http://127.0.0.1:9/")], b""),
        "/https" => response(302, &[("Location", "/end")], b""),
        _ => response(200, &[], b"no picture"),
    }
}

async fn only_trusted_certificates_are_accepted(db: Db) {
    let ours = Authority::new();
    let other = Authority::new();
    let trusted = db.as_ref().join("authority.pem");
    std::fs::write(&trusted, ours.pem()).unwrap();
    let good = Origin::tls("127.0.0.1:0", ours.server(&["127.0.0.1", "localhost"]), redirect).await;
    let server = Server::with(&db)
        .env("GAVEL_FETCH_ALLOW", "127.0.0.1")
        .env("SSL_CERT_FILE", trusted.display())
        .start()
        .await;
    let account = server.account(100).await;

    // The download is no picture, which is not a TLS error.
    for path in ["/", "/https"] {
        let answer = moderate(&server, &account, &good.url(path)).await;
        assert_ne!(answer.error(), NOT_TRUSTED, "{path}");
    }
    assert_eq!(good.heads().len(), 3);
    let answer = moderate(&server, &account, &good.url("/http")).await;
    assert_eq!(answer.fails(422, "INVALID_IMAGE"), "image_url redirects from https to http");

    for (why, config) in [
        ("self-signed", self_signed(&["127.0.0.1"])),
        ("of another authority", other.server(&["127.0.0.1"])),
        ("for another server", ours.server(&["127.0.0.2", "example.com"])),
        ("expired", ours.expired(&["127.0.0.1"])),
    ] {
        let bad = Origin::tls("127.0.0.1:0", config, redirect).await;
        let answer = moderate(&server, &account, &bad.url("/")).await;
        assert_eq!(answer.fails(422, "INVALID_IMAGE"), NOT_TRUSTED, "{why}");
        assert!(bad.heads().is_empty(), "{why}: {:?}", bad.heads());
    }
    let plain = Origin::start("127.0.0.1:0", redirect).await;
    let answer = moderate(&server, &account, &format!("https://{}/", plain.address)).await;
    assert_eq!(answer.fails(422, "INVALID_IMAGE"), NOT_TRUSTED);
    assert!(inv::charges(&db, &account.id).await.is_empty());
}

on_sqlite!(only_trusted_certificates_are_accepted);
