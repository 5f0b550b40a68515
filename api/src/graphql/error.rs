//! How an operation fails. What a form can show beside a field is in the payload's `userErrors`; what stops the operation
//! (no rights, no service) is a GraphQL error. Both carry the REST codes.

use async_graphql::{Error as GraphqlError, ErrorExtensions, Result as GraphqlResult, SimpleObject};
use domain::{Code, Error};

/// A resolver's result.
pub(crate) type FieldResult<T> = GraphqlResult<T>;

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
pub(crate) fn field_error(error: Error) -> GraphqlError {
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
pub(crate) fn split_user_errors<T>(result: domain::Result<T>) -> FieldResult<(Option<T>, Vec<UserError>)> {
    match result {
        Ok(done) => Ok((Some(done), Vec::new())),
        Err(error) if can_be_mended(error.code) => Ok((None, user_errors(error))),
        Err(error) => Err(field_error(error)),
    }
}

fn can_be_mended(code: Code) -> bool {
    matches!(
        code,
        Code::ValidationFailed
            // Of a wrong password: whoever must sign in first never comes this far.
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

/// A path with its first name as GraphQL writes it; what follows may be somebody's own key.
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
