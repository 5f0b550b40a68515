//! One operation, whichever way it came: checked before it is run, and its errors completed after.

use std::collections::HashMap;

use async_graphql::{
    ErrorExtensionValues, Name, Positioned, Request, Response, ServerError, Value, Variables,
    parser::{
        parse_query,
        types::{
            DocumentOperations, ExecutableDocument, FragmentDefinition, OperationDefinition, OperationType,
        },
    },
};
use domain::{Code, Error, Result, id::RequestId};
use serde_json::{Map, Value as Json};

use super::{
    conformance::{empty_objects, field_order::FieldOrder, root_fields, variables},
    document_limits,
};

/// A document's fragments by name.
pub(super) type Fragments = HashMap<Name, Positioned<FragmentDefinition>>;

/// An operation that may be run.
pub(super) struct Operation {
    /// The request, its document parsed.
    pub(super) request: Request,
    /// What it does.
    pub(super) kind: OperationType,
    /// The order that its answers' members have.
    pub(super) order: FieldOrder,
}

/// Reads the members of a request, as they stand in a body.
///
/// # Errors
/// `MALFORMED_BODY`, naming the member.
pub(super) fn read(mut members: Map<String, Json>) -> Result<Request> {
    let query = match members.remove("query") {
        Some(Json::String(query)) => query,
        // Clients know these very words, and send the document then.
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

/// What is not a GraphQL request.
pub(super) fn malformed(message: impl Into<String>) -> Error {
    Error::new(Code::MalformedBody, message)
}

/// Parses a request, holds it against the limits of documents, and has its document say what the specification says it says where
/// async-graphql would read it otherwise.
///
/// # Errors
/// A request error: nothing was run.
pub(super) fn check(mut request: Request) -> std::result::Result<Operation, ServerError> {
    let refuse = |error: Error| coded(ServerError::new(error.message, None), error.code);
    document_limits::check_text(&request.query).map_err(refuse)?;
    let parsed = parse_query(&request.query).map_err(|error| coded(error.into(), Code::MalformedBody));
    let mut document = parsed?;
    document_limits::check_document(&document).map_err(refuse)?;
    let alone = document.operations.iter().len() == 1;
    let ExecutableDocument { operations, fragments } = &mut document;
    let operation = chosen(operations, request.operation_name.as_deref()).map_err(refuse)?;
    variables::coerce(operation, fragments, alone, &mut request.variables)?;
    root_fields::merge(operation, fragments, alone).map_err(refuse)?;
    let order = FieldOrder::of(fragments, &operation.selection_set.node);
    empty_objects::add_placeholders(operation, fragments);
    let kind = operation.ty;
    request.set_parsed_query(document);
    Ok(Operation { request, kind, order })
}

fn chosen<'a>(
    operations: &'a mut DocumentOperations,
    name: Option<&str>,
) -> Result<&'a mut OperationDefinition> {
    let chosen = match (operations, name) {
        (DocumentOperations::Single(operation), None) => Some(operation),
        (DocumentOperations::Multiple(named), Some(name)) => named.get_mut(name),
        (DocumentOperations::Multiple(named), None) if named.len() == 1 => named.values_mut().next(),
        _ => None,
    };
    let missing = || match name {
        Some(name) => format!("the document has no operation `{name}`"),
        None => "the document has several operations; operationName must say which".to_owned(),
    };
    let operation = chosen.ok_or_else(|| Error::new(Code::ValidationFailed, missing()))?;
    Ok(&mut operation.node)
}

/// Whether nothing was run: the operation is at fault as a whole, and there is no data, not even null.
pub(super) fn is_request_error(response: &Response) -> bool {
    response.data == Value::Null
        && !response.errors.is_empty()
        && response.errors.iter().all(|error| error.path.is_empty())
}

/// Gives each error a code and the request's id. What has no code is none of ours: the input did not fit the schema.
pub(super) fn complete(errors: &mut [ServerError], request_id: &RequestId) {
    for error in errors {
        let extensions = error.extensions.get_or_insert_with(ErrorExtensionValues::default);
        if extensions.get("code").is_none() {
            extensions.set("code", Code::ValidationFailed.as_str());
        }
        extensions.set("request_id", request_id.as_str());
    }
}

/// An operation that is not for this way of asking.
pub(super) fn refusal(message: impl Into<String>) -> ServerError {
    coded(ServerError::new(message, None), Code::ValidationFailed)
}

fn coded(mut error: ServerError, code: Code) -> ServerError {
    error.extensions.get_or_insert_with(ErrorExtensionValues::default).set("code", code.as_str());
    error
}
