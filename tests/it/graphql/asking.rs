//! GraphQL requests of the tests, and assertions on every answer.

use serde_json::{Value, json};

use crate::harness::{Answer, Request, Server};

impl Server {
    /// A request with an operation, sent by a guest unless `.key(..)` adds a key.
    pub(crate) fn graphql(&self, query: &str, variables: Value) -> Request {
        let request = self.post("/graphql").header("accept", "application/graphql-response+json");
        request.json(json!({ "query": query, "variables": variables }))
    }

    /// Sends an operation under a key, which must succeed; returns its data.
    pub(crate) async fn ask(&self, key: &str, query: &str, variables: Value) -> Value {
        self.graphql(query, variables).key(key).send().await.data()
    }

    /// Creates a Judge under a key; returns its id.
    pub(crate) async fn create_judge(&self, key: &str, input: Value) -> String {
        let query = mutation("createJudge", "judge { id } userErrors { message }");
        let data = self.ask(key, &query, json!({ "input": input })).await;
        data["payload"]["judge"]["id"].as_str().unwrap_or_else(|| panic!("no Judge: {data}")).to_owned()
    }
}

/// A document with one mutation, whose payload has the alias `payload`. Its input type is named after it.
pub(crate) fn mutation(name: &str, fields: &str) -> String {
    let (first, rest) = name.split_at(1);
    let input_type = format!("{}{rest}Input", first.to_uppercase());
    format!("mutation($input: {input_type}!) {{ payload: {name}(input: $input) {{ {fields} }} }}")
}

impl Answer {
    /// The data of an answer without errors.
    #[track_caller]
    pub(crate) fn data(self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text);
        assert_eq!(self.body.get("errors"), None, "{}", self.text);
        self.body["data"].clone()
    }

    /// Asserts that there is exactly one error, with a code and this request's id; returns its message.
    #[track_caller]
    pub(crate) fn refused(&self, code: &str) -> &str {
        let errors = self.body["errors"].as_array().unwrap_or_else(|| panic!("no errors: {}", self.text));
        assert_eq!(errors.len(), 1, "{}", self.text);
        assert_eq!(errors[0]["extensions"]["code"], code, "{}", self.text);
        assert_eq!(errors[0]["extensions"]["request_id"], self.request_id(), "{}", self.text);
        errors[0]["message"].as_str().filter(|message| !message.is_empty()).expect("a message")
    }

    /// Asserts that nothing was executed; returns the only error's message.
    #[track_caller]
    pub(crate) fn request_error(&self, status: u16, code: &str) -> &str {
        assert_eq!(self.status, status, "{}", self.text);
        assert_eq!(self.body.get("data"), None, "{}", self.text);
        let kind = self.header("content-type").unwrap_or_default();
        assert!(kind.starts_with("application/graphql-response+json"), "{kind}");
        self.refused(code)
    }
}
