//! A signed-in person with a browser: a cookie, and the header that other sites cannot send.

use super::asking::mutation;
use serde_json::{Value, json};

use crate::harness::{Answer, Request, Server};

/// A browser with a session.
pub(crate) struct Session<'a> {
    pub(super) server: &'a Server,
    /// The value of its `Cookie` header.
    pub(crate) cookie: String,
}

impl<'a> Session<'a> {
    /// Signs in, which must succeed.
    pub(crate) async fn sign_in(server: &'a Server, email: &str, password: &str) -> Self {
        let query =
            "mutation($input: SignInInput!) { signIn(input: $input) { userErrors { code message } } }";
        let variables = json!({ "input": { "email": email, "password": password } });
        let answer = server.graphql(query, variables).send().await;
        let cookie =
            answer.header("set-cookie").and_then(|cookie| cookie.split(';').next()).map(str::to_owned);
        let cookie = cookie.unwrap_or_else(|| panic!("no cookie: {}", answer.text));
        Self { server, cookie }
    }

    /// Adds cookie and header to a REST request, as the dashboard does.
    pub(crate) fn rest(&self, request: Request) -> Request {
        request.header("cookie", &self.cookie).header("x-gavel-csrf", "1")
    }

    /// Sends a GraphQL request body.
    pub(crate) async fn send(&self, body: Value) -> Answer {
        let request = self.server.post("/graphql").header("cookie", &self.cookie).header("x-gavel-csrf", "1");
        request.json(body).send().await
    }

    /// Sends a query, which must succeed; returns its data.
    pub(crate) async fn query(&self, query: &str) -> Value {
        self.send(json!({ "query": query })).await.data()
    }

    /// The payload of one mutation, such as `signOut { userErrors { code } }`, which must have no errors.
    pub(crate) async fn payload(&self, mutation: &str) -> Value {
        let data = self.query(&format!("mutation {{ payload: {mutation} }}")).await;
        assert_eq!(data["payload"]["userErrors"], json!([]), "{mutation}: {data}");
        data["payload"].clone()
    }

    /// Creates a Judge; returns its id.
    pub(crate) async fn created_judge(&self, input: Value) -> String {
        let query = mutation("createJudge", "judge { id } userErrors { message }");
        let data = self.send(json!({ "query": query, "variables": { "input": input } })).await.data();
        data["payload"]["judge"]["id"].as_str().unwrap_or_else(|| panic!("no Judge: {data}")).to_owned()
    }
}
