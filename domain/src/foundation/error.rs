//! Errors, each with a machine-readable code and a message. The API defines how they are sent.

use std::fmt;

use strum::IntoStaticStr;

use super::unwritable::is_unwritable;

/// Machine-readable error codes. Clients match on them, so their meaning never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    /// The request cannot be parsed.
    MalformedBody,
    /// The credentials are missing or invalid.
    Unauthorized,
    /// The balance is lower than the cost.
    InsufficientCredits,
    /// The actor lacks the scope or role.
    Forbidden,
    /// The operation or resource does not exist.
    NotFound,
    /// The operation does not support the request's method.
    MethodNotAllowed,
    /// The resource's state does not allow it.
    Conflict,
    /// The request is larger than the operation's limit.
    PayloadTooLarge,
    /// The request's format is not supported.
    UnsupportedMediaType,
    /// The request has the wrong shape or values out of range.
    ValidationFailed,
    /// The image is missing, or cannot be fetched or decoded.
    InvalidImage,
    /// The idempotency key was used with another request.
    IdempotencyMismatch,
    /// The rate limit is exceeded.
    RateLimited,
    /// A model is unavailable.
    EngineUnavailable,
    /// An upstream server failed.
    UpstreamFailed,
    /// An internal fault.
    InternalError,
    /// The server has too much work in progress, or cannot store anything.
    Overloaded,
}

impl Code {
    /// The code on the wire, such as `VALIDATION_FAILED`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// An invalid field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detail {
    /// The path from the body's root, such as `messages[3].content`.
    pub field: String,
    /// What is wrong with the value and what is allowed.
    pub message: String,
}

/// An error: a code and a message for the client, and a cause for the log.
#[derive(Debug)]
pub struct Error {
    pub code: Code,
    /// A sentence for people; never reveals the cause.
    pub message: String,
    /// The invalid fields, for `VALIDATION_FAILED` and `INVALID_IMAGE`.
    pub details: Vec<Detail>,
    /// The internal cause; logged once at the edge and never sent.
    pub cause: Option<Box<dyn std::error::Error + Send + Sync>>,
    /// Whether the same request would fail again, although its code may mean that it would not.
    pub lasting: bool,
}

/// The result type of the domain.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error without details or cause.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: Vec::new(), cause: None, lasting: false }
    }

    /// `VALIDATION_FAILED` for one field, which the message names.
    pub fn invalid(field: impl Into<String>, message: impl Into<String>) -> Self {
        let detail = Detail { field: field.into(), message: message.into() };
        Self::new(Code::ValidationFailed, format!("{} {}", detail.field, detail.message)).with_detail(detail)
    }

    /// `CONFLICT` for a field whose value something else has already.
    pub fn taken(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: Code::Conflict, ..Self::invalid(field, message) }
    }

    /// `VALIDATION_FAILED` for all invalid fields; the message names the first of them.
    pub fn all_invalid(details: Vec<Detail>) -> Self {
        let message = details.first().map(|detail| format!("{} {}", detail.field, detail.message));
        Self { details, ..Self::new(Code::ValidationFailed, message.unwrap_or_default()) }
    }

    /// `INVALID_IMAGE` for an image that cannot be fetched or decoded; the message names its field, such as
    /// `image_url`.
    pub fn image(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: Code::InvalidImage, ..Self::invalid(field, message) }
    }

    /// `NOT_FOUND`: there is no such object, or it belongs to somebody else.
    pub fn not_found(noun: &str) -> Self {
        Self::new(Code::NotFound, format!("there is no such {noun}"))
    }

    /// `INTERNAL_ERROR`, with its cause for the log.
    pub fn internal(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        let error = Self::new(Code::InternalError, "something went wrong on our side; nothing was charged");
        Self { cause: Some(cause.into()), ..error }
    }

    /// The message for the log, with the cause if there is one.
    pub fn with_cause(&self) -> String {
        self.cause.as_ref().map_or_else(|| self.message.clone(), |cause| format!("{}: {cause}", self.message))
    }

    /// The same error of what is in the member `parent`.
    pub fn within(mut self, parent: &str) -> Self {
        for Detail { field, .. } in &mut self.details {
            if field != parent {
                *field = format!("{parent}.{field}");
            }
        }
        self
    }

    /// The same error where the field `from` is `to` to the client, as `states[3]` is to what calls it `state`.
    pub(crate) fn in_field(mut self, from: &str, to: &str) -> Self {
        for Detail { field, .. } in &mut self.details {
            let rest =
                field.strip_prefix(from).filter(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
            if let Some(rest) = rest {
                let renamed = format!("{to}{rest}");
                if let Some(rest) = self.message.strip_prefix(field.as_str()) {
                    self.message = format!("{renamed}{rest}");
                }
                *field = renamed;
            }
        }
        self
    }

    /// The same error for another request, with its cause as text.
    pub(crate) fn copy(&self) -> Self {
        Self {
            code: self.code,
            message: self.message.clone(),
            details: self.details.clone(),
            cause: self.cause.as_ref().map(|cause| cause.to_string().into()),
            lasting: self.lasting,
        }
    }

    /// Adds an invalid field.
    pub fn with_detail(mut self, detail: Detail) -> Self {
        self.details.push(detail);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}

impl From<sea_orm::DbErr> for Error {
    fn from(cause: sea_orm::DbErr) -> Self {
        if !is_unwritable(&cause) {
            return Self::internal(cause);
        }
        let message = "nothing can be stored now, because the disk is full or fails; nothing was charged";
        Self { cause: Some(cause.into()), ..Self::new(Code::Overloaded, message) }
    }
}

impl From<ports::InvalidField> for Error {
    fn from(invalid: ports::InvalidField) -> Self {
        Self::invalid(invalid.field, invalid.message)
    }
}

impl From<ports::id::NotFound> for Error {
    fn from(missing: ports::id::NotFound) -> Self {
        Self::not_found(missing.0)
    }
}
