//! Every way a request can fail. A code and a sentence each; how they are sent is the API's to choose.

use std::fmt;

/// Machine-readable codes; clients match on them, so they never change meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// The request cannot be parsed at all.
    MalformedBody,
    /// No key, or one that is not valid.
    Unauthorized,
    /// The balance is lower than the cost.
    InsufficientCredits,
    /// The key lacks the scope.
    Forbidden,
    /// No such operation or resource.
    NotFound,
    /// The operation exists, but not in the way it was requested.
    MethodNotAllowed,
    /// The resource's state does not allow it.
    Conflict,
    /// The request is larger than the operation's limit.
    PayloadTooLarge,
    /// The request is in a format that the operation does not read.
    UnsupportedMediaType,
    /// A request of the wrong shape or with values out of range.
    ValidationFailed,
    /// No image, or one that cannot be had or read.
    InvalidImage,
    /// An idempotency key used before with another request.
    IdempotencyMismatch,
    /// Too many requests in the window.
    RateLimited,
    /// A model could not answer.
    EngineUnavailable,
    /// A server that was asked could not answer.
    UpstreamFailed,
    /// A fault of ours.
    InternalError,
    /// Too much work at once.
    Overloaded,
}

impl Code {
    /// The code as written on the wire, such as `VALIDATION_FAILED`.
    pub fn as_str(self) -> &'static str {
        match self {
            Code::MalformedBody => "MALFORMED_BODY",
            Code::Unauthorized => "UNAUTHORIZED",
            Code::InsufficientCredits => "INSUFFICIENT_CREDITS",
            Code::Forbidden => "FORBIDDEN",
            Code::NotFound => "NOT_FOUND",
            Code::MethodNotAllowed => "METHOD_NOT_ALLOWED",
            Code::Conflict => "CONFLICT",
            Code::PayloadTooLarge => "PAYLOAD_TOO_LARGE",
            Code::UnsupportedMediaType => "UNSUPPORTED_MEDIA_TYPE",
            Code::ValidationFailed => "VALIDATION_FAILED",
            Code::InvalidImage => "INVALID_IMAGE",
            Code::IdempotencyMismatch => "IDEMPOTENCY_MISMATCH",
            Code::RateLimited => "RATE_LIMITED",
            Code::EngineUnavailable => "ENGINE_UNAVAILABLE",
            Code::UpstreamFailed => "UPSTREAM_FAILED",
            Code::InternalError => "INTERNAL_ERROR",
            Code::Overloaded => "OVERLOADED",
        }
    }
}

/// One field that is wrong, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detail {
    /// Path from the body's root, such as `messages[3].content`.
    pub field: String,
    /// What is wrong and what is allowed.
    pub message: String,
}

/// A failure: a code and a sentence for the client, a cause for the log only.
#[derive(Debug)]
pub struct Error {
    /// What kind of failure.
    pub code: Code,
    /// One sentence for a person; never a cause from inside.
    pub message: String,
    /// The fields at fault, on `VALIDATION_FAILED` and `INVALID_IMAGE`.
    pub details: Vec<Detail>,
    /// What happened inside; logged once at the edge, never sent.
    pub cause: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The result of anything in the domain.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A failure of a given kind.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: Vec::new(), cause: None }
    }

    /// One field that is wrong: the sentence names it.
    pub fn invalid(field: impl Into<String>, message: impl Into<String>) -> Self {
        let detail = Detail { field: field.into(), message: message.into() };
        Self::new(Code::ValidationFailed, format!("{} {}", detail.field, detail.message)).with_detail(detail)
    }

    /// An image that cannot be had or read: the sentence names the field it came in, such as `image_url`.
    pub fn image(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: Code::InvalidImage, ..Self::invalid(field, message) }
    }

    /// A fault of ours, with its cause for the log.
    pub fn internal(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        let error = Self::new(Code::InternalError, "something went wrong on our side; nothing was charged");
        Self { cause: Some(cause.into()), ..error }
    }

    /// Adds a field.
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
        Self::internal(cause)
    }
}

/// Why a model could not answer. The text is for the log, never for the client.
#[derive(Debug)]
pub struct EngineError(pub String);

impl std::fmt::Display for EngineError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EngineError {}
