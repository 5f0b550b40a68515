//! Bodies that cannot be read: forms without a boundary, truncated, broken, of another type or too large:
//! 400, 413 or 415 without a charge, and the next request works.

use crate::harness::{
    Account, Answer, Db, RawConnection, Server, inv, on_sqlite,
    picture::{FORM, IMAGE, fixture, form, unharmed},
};

const MIB: usize = 1 << 20;

async fn unreadable_forms_are_malformed(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let whole = form(&[("comment", b"hello"), ("image", &fixture("rgb.jpg"))]);
    let bodies: Vec<(&str, Vec<u8>)> = vec![
        (FORM, Vec::new()),
        (FORM, "no form at all".into()),
        (FORM, "{\"image_url\":\"http://example.com/\"}".into()),
        (FORM, "--a-boundary".into()),
        (FORM, "--a-boundary\r\n".into()),
        (FORM, "--a-boundary\r\nContent-Disposition: form-data; name=\"image\"".into()),
        (FORM, "--a-boundary\r\nno header\r\n\r\nx\r\n--a-boundary--\r\n".into()),
        (FORM, "--a-boundary\nContent-Disposition: form-data; name=\"image\"\n\nx\n--a-boundary--\n".into()),
        (FORM, fixture("rgb.jpg")),
        (FORM, vec![0; 100_000]),
        ("multipart/form-data; boundary=another", whole.clone()),
        ("multipart/form-data", whole.clone()),
        ("multipart/form-data;", whole.clone()),
        ("multipart/form-data; boundary=", whole.clone()),
        ("multipart/form-data; charset=utf-8", whole.clone()),
    ];
    for (kind, body) in bodies {
        let shown = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
        let answer = server.post(IMAGE).key(&account.key).body(kind, body).send().await;
        assert_eq!(answer.status, 400, "{kind} {shown:?}: {}", answer.text);
        let sentence = answer.fails(400, "MALFORMED_BODY");
        assert!(sentence.contains("form") || sentence.contains("boundary"), "{sentence}");
    }
    // The last line break may be missing.
    let end = whole.len() - "\r\n".len();
    for cut in (1..end).step_by(whole.len() / 40).chain([end - 1, end - 2, end - 3]) {
        let answer = server.post(IMAGE).key(&account.key).body(FORM, whole[..cut].to_vec()).send().await;
        assert_eq!(answer.status, 400, "cut at {cut} of {}: {}", whole.len(), answer.text);
        answer.fails(400, "MALFORMED_BODY");
    }
    unharmed(&server, &account).await;
}

async fn only_json_and_forms_are_accepted(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let picture = fixture("rgb.jpg");
    let whole = form(&[("image", &fixture("rgb.jpg"))]);

    for kind in [
        "image/jpeg",
        "application/octet-stream",
        "application/x-www-form-urlencoded",
        "text/plain",
        "",
        ";",
        "multipart/mixed; boundary=a-boundary",
        "multipart/form-data-and-more; boundary=a-boundary",
        "multipart/; boundary=a-boundary",
        "text/plain; multipart/form-data; boundary=a-boundary",
    ] {
        for body in [&picture, &whole] {
            let answer = server.post(IMAGE).key(&account.key).body(kind, body.clone()).send().await;
            assert_eq!(answer.status, 415, "{kind}: {}", answer.text);
            let sentence = answer.fails(415, "UNSUPPORTED_MEDIA_TYPE");
            assert!(sentence.contains("application/json or multipart/form-data"), "{kind}: {sentence}");
        }
    }
    let untyped = server.post(IMAGE).key(&account.key).untyped_body(whole.clone());
    untyped.send().await.fails(415, "UNSUPPORTED_MEDIA_TYPE");
    for kind in [FORM, "application/json"] {
        let encoded = server.post(IMAGE).key(&account.key).header("content-encoding", "gzip");
        let answer = encoded.body(kind, whole.clone()).send().await;
        let sentence = answer.fails(415, "UNSUPPORTED_MEDIA_TYPE");
        assert!(sentence.contains("Content-Encoding"), "{kind}: {sentence}");
    }
    unharmed(&server, &account).await;
}

/// Sends a form in chunks, without its length.
async fn chunked(server: &Server, account: &Account, body: &[u8]) -> Answer {
    let mut raw = RawConnection::connect(server).await;
    let key = &account.key;
    let head = format!(
        "POST {IMAGE} HTTP/1.1\r\nHost: gavel\r\nx-api-key: {key}\r\nContent-Type: {FORM}\r\n\
         Transfer-Encoding: chunked\r\n\r\n"
    );
    raw.send(head).await;
    for chunk in body.chunks(300_000) {
        raw.send(format!("{:x}\r\n", chunk.len())).await.send(chunk).await.send("\r\n").await;
    }
    raw.send("0\r\n\r\n").await;
    raw.answer().await.expect("an answer to a chunked body")
}

/// A form of exactly this many bytes.
fn padded(picture: &[u8], bytes: usize) -> Vec<u8> {
    let around = form(&[("comment", b""), ("image", picture)]).len();
    form(&[("comment", &vec![b'x'; bytes - around]), ("image", picture)])
}

async fn bodies_are_limited_to_sixteen_mebibytes(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let picture = fixture("rgb.jpg");

    for over in [16 * MIB + 1, 17 * MIB] {
        let whole = padded(&picture, over);
        assert_eq!(whole.len(), over);
        chunked(&server, &account, &whole).await.fails(413, "PAYLOAD_TOO_LARGE");
        let answer = server.post(IMAGE).key(&account.key).body(FORM, whole).send().await;
        answer.fails(413, "PAYLOAD_TOO_LARGE");
        let json = format!("{{\"image_url\":\"http://example.com/\"}}{}", " ".repeat(over - 35));
        server.post(IMAGE).key(&account.key).json_text(json).send().await.fails(413, "PAYLOAD_TOO_LARGE");
    }
    chunked(&server, &account, &form(&[("image", &vec![0; 11 * MIB])])).await.fails(413, "PAYLOAD_TOO_LARGE");
    unharmed(&server, &account).await;
    let whole = padded(&picture, 16 * MIB);
    chunked(&server, &account, &whole).await.ok();
    server.post(IMAGE).key(&account.key).body(FORM, whole).send().await.ok();
}

/// Memory grows no faster than the body, however many parts it has.
async fn forms_with_many_parts_are_read(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let part = b"--a-boundary\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n";
    let mut many = part.repeat(12 * MIB / part.len());
    many.extend(form(&[("image", &fixture("rgb.jpg"))]));
    server.post(IMAGE).key(&account.key).body(FORM, many).send().await.ok();
    let dashes = [b"\r\n--a-boundar".repeat(MIB).as_slice(), b"x"].concat();
    let answer = server.upload(&account.key, &dashes[..10 * MIB]).send().await;
    answer.fails(422, "INVALID_IMAGE");
    let header = format!("--a-boundary\r\n{}", "X-More: and more\r\n".repeat(500_000));
    server.post(IMAGE).key(&account.key).body(FORM, header).send().await.fails(400, "MALFORMED_BODY");
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1);
}

on_sqlite!(
    unreadable_forms_are_malformed,
    only_json_and_forms_are_accepted,
    bodies_are_limited_to_sixteen_mebibytes,
    forms_with_many_parts_are_read,
);
