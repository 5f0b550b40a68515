//! HTTP requests as a client sends them, and their answers.

use std::io::Read;

use flate2::read::GzDecoder;
use reqwest::{
    RequestBuilder,
    header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap},
};
use serde_json::Value;

use super::{Db, record::Acknowledged};

/// A client builder that ignores the machine's proxy settings.
pub(crate) fn client() -> reqwest::ClientBuilder {
    // The workspace's reqwest has no built-in cryptography. An error means that a provider is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy()
}

/// A request to be sent.
pub(crate) struct Request {
    builder: RequestBuilder,
    db: Db,
    idempotent: bool,
}

/// An answer.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    /// The body as text.
    pub(crate) text: String,
    /// The body as JSON; null when it is not JSON.
    pub(crate) body: Value,
}

impl Request {
    pub(crate) fn new(builder: RequestBuilder, db: Db) -> Self {
        Self { builder, db, idempotent: false }
    }

    /// Adds a key: `Authorization: Bearer`.
    pub(crate) fn key(self, key: &str) -> Self {
        self.db.record().key(key);
        self.header("authorization", format!("Bearer {key}"))
    }

    /// Adds a header; a second one with the same name is sent as well.
    pub(crate) fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.builder = self.builder.header(name, value.as_ref());
        self
    }

    /// Adds an `Idempotency-Key`.
    pub(crate) fn idempotent(mut self, key: &str) -> Self {
        self.idempotent = true;
        self.header("idempotency-key", key)
    }

    /// Sets a JSON body.
    pub(crate) fn json(self, body: Value) -> Self {
        self.db.record().body(&body);
        self.json_text(body.to_string())
    }

    /// Sets a body of type JSON that may not be valid JSON.
    pub(crate) fn json_text(self, body: impl Into<reqwest::Body>) -> Self {
        self.body("application/json", body)
    }

    /// Sets a body with a content type.
    pub(crate) fn body(mut self, content_type: &str, body: impl Into<reqwest::Body>) -> Self {
        self.builder = self.builder.header(CONTENT_TYPE, content_type).body(body);
        self
    }

    /// Sets a body without a content type.
    pub(crate) fn untyped_body(mut self, body: impl Into<reqwest::Body>) -> Self {
        self.builder = self.builder.body(body);
        self
    }

    /// Sends the request; the server must answer.
    pub(crate) async fn send(self) -> Answer {
        self.try_send().await.expect("the server answers")
    }

    /// Sends the request to a server that may be gone.
    pub(crate) async fn try_send(self) -> reqwest::Result<Answer> {
        let response = self.builder.send().await?;
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let body = response.bytes().await?;
        let answer = Answer::new(status, headers.clone(), text(&headers, &body));
        if let Some(acknowledged) = answer.acknowledgement(self.idempotent) {
            self.db.record().acknowledge(acknowledged);
        }
        Ok(answer)
    }
}

/// A body as text, decompressed.
fn text(headers: &HeaderMap, body: &[u8]) -> String {
    let mut text = Vec::new();
    match headers.get(CONTENT_ENCODING).is_some_and(|coding| coding == "gzip") {
        true => drop(GzDecoder::new(body).read_to_end(&mut text).expect("a whole gzip stream")),
        false => text.extend_from_slice(body),
    }
    String::from_utf8_lossy(&text).into_owned()
}

impl Answer {
    pub(crate) fn new(status: u16, headers: HeaderMap, text: String) -> Self {
        let body = serde_json::from_str(&text).unwrap_or_default();
        Self { status, headers, text, body }
    }

    /// Asserts success and returns the body.
    #[track_caller]
    pub(crate) fn ok(self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text);
        self.body
    }

    /// Asserts that this is an error in the documented format, and returns its message.
    #[track_caller]
    pub(crate) fn fails(&self, status: u16, code: &str) -> &str {
        assert_eq!((self.status, self.body["code"].as_str()), (status, Some(code)), "{}", self.text);
        self.error()
    }

    /// Asserts that this is an error of any code in the documented format, and returns its message.
    #[track_caller]
    pub(crate) fn error(&self) -> &str {
        let body = self.body.as_object().unwrap_or_else(|| panic!("not an object: {self:?}"));
        assert_eq!(self.header("content-type"), Some("application/json"), "{}", self.text);
        let fields: Vec<&str> = body.keys().map(String::as_str).collect();
        let known = [&["error", "code", "request_id"][..], &["error", "code", "request_id", "details"]];
        assert!(known.contains(&fields.as_slice()), "fields of an error: {fields:?}");
        assert!(!fields.contains(&"details") || self.status == 422, "details on {}", self.status);
        assert_eq!(self.header("x-request-id"), body["request_id"].as_str());
        assert!(body["request_id"].as_str().is_some_and(|id| id.starts_with("req_")), "{}", self.text);
        body["error"].as_str().filter(|error| !error.is_empty()).expect("a message for a person")
    }

    /// The only field at fault.
    #[track_caller]
    pub(crate) fn field(&self) -> &str {
        let details = self.body["details"].as_array().unwrap_or_else(|| panic!("no details: {}", self.text));
        assert_eq!(details.len(), 1, "{}", self.text);
        details[0]["field"].as_str().expect("a field")
    }

    /// A header, if present and text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The `x-request-id`.
    #[track_caller]
    pub(crate) fn request_id(&self) -> &str {
        self.header("x-request-id").expect("every answer has an x-request-id")
    }

    /// The milli-credits that remain, according to a paid success.
    #[track_caller]
    pub(crate) fn remaining(&self) -> i64 {
        milli(&self.body["remaining_credits"])
    }

    fn acknowledgement(&self, idempotent: bool) -> Option<Acknowledged> {
        (self.status == 200 && self.body.get("credits_deducted").is_some()).then(|| Acknowledged {
            request_id: self.request_id().to_owned(),
            reference: self.body["id"].as_str().map(str::to_owned),
            deducted: milli(&self.body["credits_deducted"]),
            idempotent,
        })
    }
}

/// Converts credits on the wire to milli-credits, which must be exact.
#[track_caller]
pub(crate) fn milli(credits: &Value) -> i64 {
    let credits = credits.as_f64().unwrap_or_else(|| panic!("not a number of credits: {credits}"));
    let milli = (credits * 1e3).round();
    assert_eq!(milli / 1e3, credits, "not a whole number of milli-credits");
    milli as i64
}
