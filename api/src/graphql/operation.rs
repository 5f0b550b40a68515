//! An operation, over HTTP or a WebSocket: read, checked before it is run, and its errors completed after.

use async_graphql::{
    ErrorExtensionValues, Request, ServerError, Variables,
    parser::{self, parse_query, types::OperationType},
};
use domain::{Code, Error, Result};
use ports::id::RequestId;
use serde_json::{Map, Value as Json};

use super::{
    conformance::{self, FieldOrder, Rewritten, replace_wide_escapes},
    document_limits::{self, Introspects},
};

/// An operation that may be run.
pub(super) struct Operation {
    /// The request, its document parsed.
    pub(super) request: Request,
    pub(super) operation_type: OperationType,
    /// The order that the fields of its responses must have.
    pub(super) field_order: FieldOrder,
    /// Whether it may ask for the schema.
    pub(super) introspects: bool,
}

/// Reads the parameters of a request from the members of a JSON object.
///
/// # Errors
/// `MALFORMED_BODY`, naming the member.
pub(super) fn read(mut members: Map<String, Json>) -> Result<Request> {
    let query = match members.remove("query") {
        Some(Json::String(query)) => query,
        // Clients with automatic persisted queries know this message, and then send the document.
        None if members.get("extensions").is_some_and(|with| with.get("persistedQuery").is_some()) => {
            return Err(malformed("PersistedQueryNotSupported"));
        }
        _ => return Err(malformed("query must be a string: the document")),
    };
    let mut request = Request::new(query);
    request.operation_name = match members.remove("operationName") {
        None | Some(Json::Null) => None,
        Some(Json::String(name)) => Some(name).filter(|name| !name.is_empty()),
        _ => return Err(malformed("operationName must be a string")),
    };
    request.variables = match members.remove("variables") {
        None | Some(Json::Null) => Variables::default(),
        Some(variables @ Json::Object(_)) => Variables::from_json(variables),
        _ => return Err(malformed("variables must be an object")),
    };
    match members.remove("extensions") {
        None | Some(Json::Null | Json::Object(_)) => Ok(request),
        _ => Err(malformed("extensions must be an object")),
    }
}

/// An error of a request that is not a GraphQL request.
pub(super) fn malformed(message: impl Into<String>) -> Error {
    Error::new(Code::MalformedBody, message)
}

/// Parses a request's document, checks it against the limits, and rewrites it to conform with the specification.
///
/// # Errors
/// A request error: nothing was run.
pub(super) fn check(mut request: Request) -> std::result::Result<Operation, ServerError> {
    document_limits::check_text(&request.query).map_err(over_limit)?;
    let mut document = parse_query(replace_wide_escapes(&request.query)).map_err(syntax_error)?;
    let Introspects(introspects) = document_limits::check_document(&document).map_err(over_limit)?;
    let Rewritten { operation_type, field_order } =
        conformance::rewrite(&mut document, request.operation_name.as_deref(), &mut request.variables)?;
    request.set_parsed_query(document);
    Ok(Operation { request, operation_type, field_order, introspects })
}

fn over_limit(error: Error) -> ServerError {
    with_code(ServerError::new(error.message, None), error.code)
}

/// Shortens the parser's message, a drawing over several lines, to a sentence.
fn syntax_error(error: parser::Error) -> ServerError {
    let sentence = match &error {
        parser::Error::Syntax { message, start, .. } => {
            let expected = message.rsplit("= ").next().unwrap_or(message).trim();
            let expected = expected.replace("EOI", "the end of the document").replace('_', " ");
            Some(format!("syntax error at line {}, column {}: {expected}", start.line, start.column))
        }
        _ => None,
    };
    let mut error = ServerError::from(error);
    if let Some(sentence) = sentence {
        error.message = sentence;
    }
    with_code(error, Code::MalformedBody)
}

/// Gives each error a code and the request's id. Errors without a code come from validation: the input did not fit the
/// schema.
pub(super) fn complete_errors(errors: &mut [ServerError], request_id: &RequestId) {
    for error in errors {
        let extensions = error.extensions.get_or_insert_with(ErrorExtensionValues::default);
        if extensions.get("code").is_none() {
            extensions.set("code", Code::ValidationFailed.as_str());
        }
        extensions.set("request_id", request_id.as_str());
    }
}

/// The error of an operation that this transport does not take.
pub(super) fn unsupported(message: impl Into<String>) -> ServerError {
    with_code(ServerError::new(message, None), Code::ValidationFailed)
}

fn with_code(mut error: ServerError, code: Code) -> ServerError {
    error.extensions.get_or_insert_with(ErrorExtensionValues::default).set("code", code.as_str());
    error
}
