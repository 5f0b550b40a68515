//! Errors of operations. Errors that a form can show beside a field are in the payload's `userErrors`; errors that stop
//! the operation (missing rights, a failed service) are GraphQL errors. Both have the codes of REST.

use async_graphql::{Enum, Error as GraphqlError, ErrorExtensions, Result as GraphqlResult, SimpleObject};
use domain::{Code, Error};

pub(crate) type FieldResult<T> = GraphqlResult<T>;

/// An error in the input that the client can correct.
#[derive(Clone, Debug, SimpleObject)]
pub(crate) struct UserError {
    /// The wrong field of the input, such as `instructions.team`; null if it is no particular field.
    field: Option<String>,
    /// What is wrong, and what is allowed.
    message: String,
    /// The error's code.
    code: ErrorCode,
}

/// The code of an error, the same as in REST.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
#[graphql(remote = "domain::Code")]
pub(crate) enum ErrorCode {
    /// The request cannot be parsed.
    MalformedBody,
    /// The credentials are missing or wrong.
    Unauthorized,
    /// There are fewer credits than it costs.
    InsufficientCredits,
    /// The viewer lacks the role or the scope.
    Forbidden,
    /// There is nothing of this name or id.
    NotFound,
    /// The method is not supported.
    MethodNotAllowed,
    /// The state does not allow it.
    Conflict,
    /// It is larger than the limit.
    PayloadTooLarge,
    /// The format is not supported.
    UnsupportedMediaType,
    /// A value is wrong.
    ValidationFailed,
    /// The picture cannot be read.
    InvalidImage,
    /// The idempotency key was used with another request.
    IdempotencyMismatch,
    /// The rate limit is exceeded.
    RateLimited,
    /// A model is unavailable.
    EngineUnavailable,
    /// Another server failed.
    UpstreamFailed,
    /// A fault of the service.
    InternalError,
    /// The server has too much work in progress.
    Overloaded,
}

/// The domain's error as a GraphQL error with `extensions.code`. Its cause is logged, but not sent.
pub(crate) fn field_error(error: impl Into<Error>) -> GraphqlError {
    let error = error.into();
    if let Some(cause) = &error.cause {
        tracing::error!(code = error.code.as_str(), cause, "a GraphQL operation failed");
    }
    let code = error.code.as_str();
    GraphqlError::new(error.message).extend_with(|_, extensions| extensions.set("code", code))
}

/// Splits the result of a mutation into its value and the `userErrors` of its payload.
///
/// # Errors
/// Errors that the client cannot correct by other input.
pub(crate) fn split_user_errors<T>(result: domain::Result<T>) -> FieldResult<(Option<T>, Vec<UserError>)> {
    match result {
        Ok(done) => Ok((Some(done), Vec::new())),
        Err(error) if is_user_error(error.code) => Ok((None, user_errors(error))),
        Err(error) => Err(field_error(error)),
    }
}

fn is_user_error(code: Code) -> bool {
    matches!(
        code,
        Code::ValidationFailed
            // A wrong password. Operations that need a sign-in fail before their mutation runs.
            | Code::Unauthorized
            | Code::RateLimited
            | Code::NotFound
            | Code::Conflict
            | Code::InsufficientCredits
            | Code::PayloadTooLarge
            | Code::InvalidImage
    )
}

fn user_errors(error: Error) -> Vec<UserError> {
    let code = ErrorCode::from(error.code);
    if error.details.is_empty() {
        return vec![UserError { field: None, message: error.message, code }];
    }
    error
        .details
        .into_iter()
        .map(|detail| {
            let field = camel(&detail.field);
            UserError { message: format!("{field} {}", detail.message), field: Some(field), code }
        })
        .collect()
}

/// A path with its first name in camel case. The rest may be a user's own key.
fn camel(path: &str) -> String {
    let end = path.find(['.', '[', ':']).unwrap_or(path.len());
    let mut name = String::with_capacity(path.len());
    for part in path[..end].split('_') {
        let mut letters = part.chars();
        match letters.next() {
            Some(first) if !name.is_empty() => name.extend(first.to_uppercase()),
            first => name.extend(first),
        }
        name.push_str(letters.as_str());
    }
    name + &path[end..]
}

#[cfg(test)]
mod tests {
    use async_graphql::resolver_utils::EnumType;
    use domain::Code;

    use super::{ErrorCode, camel};

    #[test]
    fn codes_are_named_as_in_rest() {
        for item in ErrorCode::items() {
            assert_eq!(Code::from(item.value).as_str(), item.name);
        }
    }

    #[test]
    fn the_first_name_of_a_path_is_written_as_graphql_does() {
        for (path, written) in [
            ("expires_at", "expiresAt"),
            ("instructions.is_spam", "instructions.is_spam"),
            ("user_errors[0].a_b", "userErrors[0].a_b"),
            ("line 2: ground_truth.is_spam", "line 2: ground_truth.is_spam"),
            ("name", "name"),
            ("", ""),
        ] {
            assert_eq!(camel(path), written);
        }
    }
}
