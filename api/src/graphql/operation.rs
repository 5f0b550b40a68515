//! One operation, whichever way it came: checked before it is run, and its errors completed after.

use async_graphql::{
    Data, ErrorExtensionValues, Request, Response, ServerError, Value,
    parser::types::{ExecutableDocument, OperationType},
};
use domain::{Code, Error, Result, id::RequestId};

use super::{limits, load::Loaders, visitor::Visitor};
use crate::app::App;

/// An operation that may be run.
pub(super) struct Operation {
    /// The request, its document parsed.
    pub(super) request: Request,
    /// What it does.
    pub(super) kind: OperationType,
}

/// Parses a request and holds it against the limits of documents.
///
/// # Errors
/// A request error: nothing was run.
pub(super) fn check(mut request: Request) -> std::result::Result<Operation, ServerError> {
    let refuse = |error: Error| coded(ServerError::new(error.message, None), error.code);
    limits::check_text(&request.query).map_err(refuse)?;
    let name = request.operation_name.clone();
    let document = request.parsed_query().map_err(|error| coded(error, Code::MalformedBody))?;
    limits::check_document(document).map_err(refuse)?;
    let kind = kind(document, name.as_deref()).map_err(refuse)?;
    Ok(Operation { request, kind })
}

fn kind(document: &ExecutableDocument, name: Option<&str>) -> Result<OperationType> {
    let mut operations = document.operations.iter();
    let chosen = match name {
        Some(name) => operations.find(|(known, _)| known.is_some_and(|known| known.as_str() == name)),
        None => operations.next().filter(|_| operations.next().is_none()),
    };
    let missing = || match name {
        Some(name) => format!("the document has no operation `{name}`"),
        None => "the document has several operations; operationName must say which".to_owned(),
    };
    let operation = chosen.ok_or_else(|| Error::new(Code::ValidationFailed, missing()))?;
    Ok(operation.1.node.ty)
}

/// What resolvers find in the data of an operation.
pub(super) fn data(app: &App, visitor: Visitor) -> Data {
    let mut data = Data::default();
    if let Some(actor) = &visitor.actor {
        data.insert(Loaders::new(&app.ctx, &actor.account));
    }
    data.insert(visitor);
    data
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

fn coded(mut error: ServerError, code: Code) -> ServerError {
    error.extensions.get_or_insert_with(ErrorExtensionValues::default).set("code", code.as_str());
    error
}
