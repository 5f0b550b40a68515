//! How the tests ask GraphQL, and what they expect of every answer.

use serde_json::{Value, json};

use crate::harness::{Answer, Request, Server};

impl Server {
    /// An operation, to be sent: under a key with `.key(..)`, or by a guest.
    pub(crate) fn graphql(&self, query: &str, variables: Value) -> Request {
        let request = self.post("/graphql").header("accept", "application/graphql-response+json");
        request.json(json!({ "query": query, "variables": variables }))
    }

    /// What an operation under a key answers; it must not fail.
    pub(crate) async fn ask(&self, key: &str, query: &str, variables: Value) -> Value {
        self.graphql(query, variables).key(key).send().await.data()
    }
}

impl Answer {
    /// The data of an answer without errors.
    #[track_caller]
    pub(crate) fn data(self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text);
        assert_eq!(self.body.get("errors"), None, "{}", self.text);
        self.body["data"].clone()
    }

    /// Checks that there is exactly one error, with a code and this request's id, and returns its message.
    #[track_caller]
    pub(crate) fn refused(&self, code: &str) -> &str {
        let errors = self.body["errors"].as_array().unwrap_or_else(|| panic!("no errors: {}", self.text));
        assert_eq!(errors.len(), 1, "{}", self.text);
        assert_eq!(errors[0]["extensions"]["code"], code, "{}", self.text);
        assert_eq!(errors[0]["extensions"]["request_id"], self.request_id(), "{}", self.text);
        errors[0]["message"].as_str().filter(|message| !message.is_empty()).expect("a message")
    }

    /// Checks that nothing was run, and returns the only error's message.
    #[track_caller]
    pub(crate) fn request_error(&self, status: u16, code: &str) -> &str {
        assert_eq!(self.status, status, "{}", self.text);
        assert_eq!(self.body.get("data"), None, "{}", self.text);
        let kind = self.header("content-type").unwrap_or_default();
        assert!(kind.starts_with("application/graphql-response+json"), "{kind}");
        self.refused(code)
    }
}
