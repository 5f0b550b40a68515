//! Error formats of the APIs that Gavel speaks.

use serde_json::Value;

use super::Answer;

/// The API family of a path, which determines the format of its errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// Gavel's own API.
    Gavel,
    /// System One's API.
    SystemOne,
    /// OpenAI's API.
    OpenAi,
}

impl Family {
    /// The family of a path, whether or not it has a route.
    pub(crate) fn of(path: &str) -> Self {
        match path {
            "/v1/systemone" | "/api/v1/systemone" | "/api/alpha/decisions" => Self::SystemOne,
            "/v1/inference" | "/v1/custom" => Self::Gavel,
            path if path.starts_with("/v1/judges/") => Self::Gavel,
            path if path.starts_with("/v1/") => Self::OpenAi,
            _ => Self::Gavel,
        }
    }

    /// The status of a body that cannot be read: System One's clients expect 422 for whatever is wrong with a body.
    pub(crate) fn malformed_status(self) -> u16 {
        if self == Self::SystemOne { 422 } else { 400 }
    }
}

impl Answer {
    /// The code of an error in a family's format.
    pub(crate) fn code(&self, family: Family) -> Option<&str> {
        let code = match family {
            Family::OpenAi => &self.body["error"]["code"],
            _ => &self.body["code"],
        };
        code.as_str()
    }

    /// Asserts that this is an error in a family's format, and returns its message.
    #[track_caller]
    pub(crate) fn fails_in(&self, family: Family, status: u16, code: &str) -> &str {
        assert_eq!((self.status, self.code(family)), (status, Some(code)), "{}", self.text);
        let message = match family {
            Family::Gavel => return self.error(),
            Family::SystemOne => self.system_one_error(),
            Family::OpenAi => self.openai_error(),
        };
        assert_eq!(self.header("content-type"), Some("application/json"), "{}", self.text);
        assert!(self.request_id().starts_with("req_"), "{:?}", self.headers);
        message.as_str().filter(|message| !message.is_empty()).expect("a message for a person")
    }

    #[track_caller]
    fn system_one_error(&self) -> &Value {
        let named = fields(&self.body);
        assert_eq!(named, ["error", "code", "request_id", "detail"], "{}", self.text);
        assert_eq!(self.header("x-typesafe-request-id"), self.body["request_id"].as_str());
        let detail = &self.body["detail"];
        match detail.as_array() {
            Some(values) => {
                assert_eq!(self.status, 422, "{}", self.text);
                for value in values {
                    assert_eq!(fields(value), ["loc", "msg", "type"], "{}", self.text);
                    assert!(value["loc"].is_array() && value["msg"].is_string(), "{}", self.text);
                }
            }
            None => {
                assert_ne!(self.status, 422, "{}", self.text);
                assert_eq!(fields(detail), ["error_type", "message"], "{}", self.text);
                assert!(detail["error_type"].is_string(), "{}", self.text);
                assert_eq!(detail["message"], self.body["error"]);
            }
        }
        &self.body["error"]
    }

    #[track_caller]
    fn openai_error(&self) -> &Value {
        assert_eq!(fields(&self.body), ["error"], "{}", self.text);
        let error = &self.body["error"];
        assert_eq!(fields(error), ["message", "type", "param", "code"], "{}", self.text);
        assert!(error["type"].is_string() && (error["param"].is_null() || error["param"].is_string()));
        &error["message"]
    }
}

fn fields(value: &Value) -> Vec<&str> {
    value.as_object().into_iter().flat_map(|object| object.keys().map(String::as_str)).collect()
}
