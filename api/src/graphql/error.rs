//! How an operation fails. What a form can show beside a field is in the payload's `userErrors`; what stops the operation
//! (no rights, no service) is a GraphQL error. Both carry the REST codes.

use async_graphql::{Error as GraphqlError, ErrorExtensions, Result as GraphqlResult, SimpleObject};
use domain::{Code, Error};

/// A resolver's result.
pub(crate) type Fault<T> = GraphqlResult<T>;

/// Something about the input that can be mended by whoever sent it.
#[derive(Clone, Debug, SimpleObject)]
pub(crate) struct UserError {
    /// The field of the input at fault, such as `instructions.team`; null when it is none in particular.
    field: Option<String>,
    /// What is wrong, and what is allowed.
    message: String,
    /// The code that REST has for it, such as `VALIDATION_FAILED`.
    code: String,
}

/// A failure as a GraphQL error, with `extensions.code`. The cause goes to the log, once, and to nobody else.
pub(crate) fn fault(error: Error) -> GraphqlError {
    if let Some(cause) = &error.cause {
        tracing::error!(code = error.code.as_str(), cause, "a GraphQL operation failed");
    }
    let code = error.code.as_str();
    GraphqlError::new(error.message).extend_with(|_, extensions| extensions.set("code", code))
}

/// Parts what a mutation did: its result, or errors for its payload.
///
/// # Errors
/// What the sender of the input cannot mend.
pub(crate) fn outcome<T>(result: domain::Result<T>) -> Fault<(Option<T>, Vec<UserError>)> {
    match result {
        Ok(done) => Ok((Some(done), Vec::new())),
        Err(error) if can_be_mended(error.code) => Ok((None, user_errors(error))),
        Err(error) => Err(fault(error)),
    }
}

fn can_be_mended(code: Code) -> bool {
    matches!(
        code,
        Code::ValidationFailed
            | Code::NotFound
            | Code::Conflict
            | Code::InsufficientCredits
            | Code::PayloadTooLarge
            | Code::InvalidImage
    )
}

fn user_errors(error: Error) -> Vec<UserError> {
    let code = error.code.as_str();
    if error.details.is_empty() {
        return vec![UserError { field: None, message: error.message, code: code.to_owned() }];
    }
    let one = |detail: domain::Detail| UserError {
        message: format!("{} {}", detail.field, detail.message),
        field: Some(detail.field),
        code: code.to_owned(),
    };
    error.details.into_iter().map(one).collect()
}
