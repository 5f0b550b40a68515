//! The errors of a route in the interface description. They follow from its rules, its path and its parameters; a
//! handler lists only those that need other words.

use utoipa::openapi::{
    Content, Ref, RefOr, Response,
    path::{Operation, Parameter, ParameterIn},
};

use super::rules::{BodyKind, Price, RequestBody, Rules};
use crate::error::ErrorFormat;

/// What decides which errors a route has.
pub(super) struct Causes<'a> {
    pub(super) rules: Rules,
    pub(super) path: &'a str,
    pub(super) format: ErrorFormat,
}

impl Causes<'_> {
    /// Adds the errors that `operation` does not list, and gives every error its body.
    pub(super) fn describe(&self, operation: &mut Operation) {
        for (status, description) in self.errors(operation) {
            let responses = &mut operation.responses.responses;
            responses.entry(status.to_owned()).or_insert_with(|| Response::new(description).into());
        }
        for (status, response) in &mut operation.responses.responses {
            if let RefOr::T(response) = response
                && let Some(schema) = self.format.schema_name()
                && status.starts_with(['4', '5'])
                && response.content.is_empty()
            {
                let schema = Ref::from_schema_name(schema);
                let content = Content::new(Some(schema));
                response.content.insert("application/json".to_owned(), content.into());
            }
        }
    }

    fn errors(&self, operation: &Operation) -> Vec<(&'static str, &'static str)> {
        let Rules { rights, body, price } = self.rules;
        let mut errors = Vec::new();
        if rights.is_none() {
            return errors;
        }
        errors.push(("401", "`UNAUTHORIZED`: no key, or one that is not valid."));
        errors.push(("403", "`FORBIDDEN`: the key lacks the scope."));
        errors.push(("429", "`RATE_LIMITED`: retry after `Retry-After` seconds."));
        errors.push(("503", "`OVERLOADED`: retry after `Retry-After` seconds."));
        if self.path.contains('{') {
            let text = "`NOT_FOUND`: the account has nothing with this id, or the key may not see it.";
            errors.push(("404", text));
        }
        if price != Price::Free {
            errors.push(("402", "`INSUFFICIENT_CREDITS`: the balance is lower than the cost."));
        }
        errors.push(match price {
            Price::Charged(_) => ("500", "`ENGINE_UNAVAILABLE`, `UPSTREAM_FAILED` or `INTERNAL_ERROR`."),
            Price::Free | Price::Held => ("500", "`INTERNAL_ERROR`."),
        });
        let idempotent = has_parameter(operation, |parameter| parameter.name == "Idempotency-Key");
        if idempotent {
            let text = "`CONFLICT`: the first request with this Idempotency-Key is still running.";
            errors.push(("409", text));
        }
        match body {
            Some(body) if self.format == ErrorFormat::SystemOne => {
                // A body that cannot be read is answered there like one that is not valid.
                let of_body = of_body(body, idempotent).into_iter().filter(|(status, _)| *status != "400");
                errors.extend(of_body);
            }
            Some(body) => errors.extend(of_body(body, idempotent)),
            None if has_parameter(operation, |one| one.parameter_in == ParameterIn::Query) => {
                errors.push(("422", "`VALIDATION_FAILED`, with the parameters at fault."));
            }
            None => {}
        }
        errors
    }
}

/// The errors of a body that is not as it must be.
fn of_body(body: RequestBody, idempotent: bool) -> [(&'static str, &'static str); 4] {
    let malformed = match body.kind {
        BodyKind::Json => "`MALFORMED_BODY`: the body is not JSON.",
        BodyKind::JsonOrForm => {
            "`MALFORMED_BODY`: the body is not JSON, or not the form that its content type says."
        }
        BodyKind::File => {
            "`MALFORMED_BODY`: the body did not arrive whole, or is not what its content type says."
        }
    };
    let too_large = match body.kind {
        BodyKind::Json => "`PAYLOAD_TOO_LARGE`: the body is over the path's limit.",
        BodyKind::JsonOrForm => {
            "`PAYLOAD_TOO_LARGE`: the body, or the image in it, is over the path's limit."
        }
        BodyKind::File => "`PAYLOAD_TOO_LARGE`: the file is over the path's limit.",
    };
    let invalid = match (body.kind, idempotent) {
        (BodyKind::JsonOrForm, _) => {
            "`VALIDATION_FAILED` or `INVALID_IMAGE`, with the fields at fault, or `IDEMPOTENCY_MISMATCH`."
        }
        (_, true) => "`VALIDATION_FAILED`, with the fields at fault, or `IDEMPOTENCY_MISMATCH`.",
        (_, false) => "`VALIDATION_FAILED`, with the fields at fault.",
    };
    [
        ("400", malformed),
        ("413", too_large),
        ("415", "`UNSUPPORTED_MEDIA_TYPE`: the path does not accept this content type."),
        ("422", invalid),
    ]
}

fn has_parameter(operation: &Operation, matches: impl Fn(&Parameter) -> bool) -> bool {
    operation.parameters.iter().flatten().any(|parameter| match parameter {
        RefOr::T(parameter) => matches(parameter),
        RefOr::Ref(_) => false,
    })
}
