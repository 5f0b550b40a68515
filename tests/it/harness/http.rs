//! Requests as a client sends them, and what comes back.

use reqwest::{
    RequestBuilder,
    header::{CONTENT_TYPE, HeaderMap},
};
use serde_json::Value;

use super::{Db, record::Acknowledged};

/// A client to be built, which heeds no proxy of this machine.
pub(crate) fn client() -> reqwest::ClientBuilder {
    // reqwest, as the workspace has it, brings no cryptography of its own. Installed already is as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy()
}

/// A request to be sent.
pub(crate) struct Request {
    builder: RequestBuilder,
    db: Db,
    idempotent: bool,
}

/// What came back.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    /// The body as it came.
    pub(crate) text: String,
    /// The body as JSON; null when it is none.
    pub(crate) body: Value,
}

impl Request {
    pub(crate) fn new(builder: RequestBuilder, db: Db) -> Self {
        Self { builder, db, idempotent: false }
    }

    /// Shows a key: `Authorization: Bearer`.
    pub(crate) fn key(self, key: &str) -> Self {
        self.db.record().key(key);
        self.header("authorization", format!("Bearer {key}"))
    }

    /// One more header; a second one of a name is sent beside the first.
    pub(crate) fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.builder = self.builder.header(name, value.as_ref());
        self
    }

    /// Sends it under an `Idempotency-Key`.
    pub(crate) fn idempotent(mut self, key: &str) -> Self {
        self.idempotent = true;
        self.header("idempotency-key", key)
    }

    /// A JSON body.
    pub(crate) fn json(self, body: Value) -> Self {
        self.db.record().body(&body);
        self.json_text(body.to_string())
    }

    /// A body that claims to be JSON.
    pub(crate) fn json_text(self, body: impl Into<reqwest::Body>) -> Self {
        self.body("application/json", body)
    }

    /// A body of any type.
    pub(crate) fn body(mut self, content_type: &str, body: impl Into<reqwest::Body>) -> Self {
        self.builder = self.builder.header(CONTENT_TYPE, content_type).body(body);
        self
    }

    /// A body without a type.
    pub(crate) fn untyped_body(mut self, body: impl Into<reqwest::Body>) -> Self {
        self.builder = self.builder.body(body);
        self
    }

    /// Sends it; the server must answer.
    pub(crate) async fn send(self) -> Answer {
        self.try_send().await.expect("the server answers")
    }

    /// Sends it to a server that may be gone.
    pub(crate) async fn try_send(self) -> reqwest::Result<Answer> {
        let response = self.builder.send().await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let answer = Answer::new(status, headers, response.text().await?);
        if let Some(acknowledged) = answer.acknowledgement(self.idempotent) {
            self.db.record().acknowledge(acknowledged);
        }
        Ok(answer)
    }
}

impl Answer {
    pub(crate) fn new(status: u16, headers: HeaderMap, text: String) -> Self {
        let body = serde_json::from_str(&text).unwrap_or_default();
        Self { status, headers, text, body }
    }

    /// The body of a success.
    #[track_caller]
    pub(crate) fn ok(self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text);
        self.body
    }

    /// Checks that this is an error of the documented shape, and returns its message.
    #[track_caller]
    pub(crate) fn fails(&self, status: u16, code: &str) -> &str {
        assert_eq!((self.status, self.body["code"].as_str()), (status, Some(code)), "{}", self.text);
        self.error()
    }

    /// Checks the shape of an error, whichever it is, and returns its message.
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

    /// The field that is at fault, when there is exactly one.
    #[track_caller]
    pub(crate) fn field(&self) -> &str {
        let details = self.body["details"].as_array().unwrap_or_else(|| panic!("no details: {}", self.text));
        assert_eq!(details.len(), 1, "{}", self.text);
        details[0]["field"].as_str().expect("a field")
    }

    /// A header, when it is there and text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// `x-request-id`.
    #[track_caller]
    pub(crate) fn request_id(&self) -> &str {
        self.header("x-request-id").expect("every answer has an x-request-id")
    }

    /// Milli-credits left, of a paid success.
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

/// Credits on the wire as the milli-credits they stand for; they must stand for some exactly.
#[track_caller]
pub(crate) fn milli(credits: &Value) -> i64 {
    let credits = credits.as_f64().unwrap_or_else(|| panic!("not a number of credits: {credits}"));
    let milli = (credits * 1e3).round();
    assert_eq!(milli / 1e3, credits, "not a whole number of milli-credits");
    milli as i64
}
