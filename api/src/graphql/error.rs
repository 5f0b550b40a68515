//! Errors of operations. Errors that a form can show beside a field are in the payload's `userErrors`; errors that stop the
//! operation (missing rights, a failed service) are GraphQL errors. Both have the codes of REST.

use async_graphql::{Error as GraphqlError, ErrorExtensions, Result as GraphqlResult, SimpleObject};
use domain::{Code, Error};

pub(crate) type FieldResult<T> = GraphqlResult<T>;

/// An error in the input that the client can correct.
#[derive(Clone, Debug, SimpleObject)]
pub(crate) struct UserError {
    /// The wrong field of the input, such as `instructions.team`; null if it is no particular field.
    field: Option<String>,
    /// What is wrong, and what is allowed.
    message: String,
    /// The error's code, the same as in REST, such as `VALIDATION_FAILED`.
    code: String,
}

/// The domain's error as a GraphQL error with `extensions.code`. Its cause is logged, and not sent.
pub(crate) fn field_error(error: Error) -> GraphqlError {
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
            // From a wrong password. Operations that need a sign-in fail before their mutation is run.
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
    let code = error.code.as_str();
    if error.details.is_empty() {
        return vec![UserError { field: None, message: error.message, code: code.to_owned() }];
    }
    let one = |detail: domain::Detail| {
        let field = camel(&detail.field);
        UserError {
            message: format!("{field} {}", detail.message),
            field: Some(field),
            code: code.to_owned(),
        }
    };
    error.details.into_iter().map(one).collect()
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
    use super::camel;

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
