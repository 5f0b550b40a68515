//! What is wrong with a value, or with a schema itself, in words.

use jsonschema::{
    JsonType, ValidationError,
    error::{TypeKind, ValidationErrorKind as Kind},
};
use serde_json::Value;

use super::pointer::place;
use crate::{Error, foundation::plural::counted};

/// Maximum characters of a value that a message repeats.
const MAX_SHOWN_CHARS: usize = 100;
/// Maximum values that a message lists.
const MAX_LISTED: usize = 20;

/// The error of a value in `field` that does not fit a schema; it names the place in the value, and the rule by its
/// place in the schema.
pub(super) fn of_value(field: &str, violation: &ValidationError<'_>) -> Error {
    let message =
        format!("{} (rule {})", describe(violation.kind()), place("", violation.schema_path().as_str()));
    Error::invalid(place(field, violation.instance_path().as_str()), message)
}

/// The error of a schema in `field` that is none; it names the place in the schema.
pub(super) fn of_schema(field: &str, violation: &ValidationError<'_>) -> Error {
    let violation = innermost(violation);
    Error::invalid(place(field, violation.instance_path().as_str()), describe(violation.kind()))
}

/// The violation within the alternative that the value has the type of, such as that of an item of an array.
fn innermost<'a>(violation: &'a ValidationError<'a>) -> &'a ValidationError<'a> {
    let (Kind::AnyOf { context } | Kind::OneOfNotValid { context }) = violation.kind() else {
        return violation;
    };
    let at = violation.instance_path().as_str().len();
    let inner = context.iter().flatten().find(|inner| {
        let other = matches!(inner.kind(), Kind::Type { .. } | Kind::Enum { .. } | Kind::Constant { .. });
        !other || inner.instance_path().as_str().len() > at
    });
    inner.map_or(violation, |inner| innermost(inner))
}

fn describe(kind: &Kind) -> String {
    match kind {
        Kind::Type { kind } => format!("must be of the type {}", types(kind).join(" or ")),
        Kind::Required { property } => format!("must have the member {}", shown(property)),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            format!(
                "must not have the member {}",
                shown(&unexpected.first().map_or("", String::as_str).into())
            )
        }
        Kind::Enum { options } => format!("must be one of: {}", listed(options)),
        Kind::Constant { expected_value } => format!("must be {}", shown(expected_value)),
        Kind::Minimum { limit } => format!("must be at least {limit}"),
        Kind::Maximum { limit } => format!("must be at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("must be more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("must be less than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("must be a multiple of {multiple_of}"),
        Kind::MinLength { limit } => format!("must have at least {}", counted(*limit, "character")),
        Kind::MaxLength { limit } => format!("must have at most {}", counted(*limit, "character")),
        Kind::Pattern { pattern } => format!("must match the pattern {}", shown(&pattern.as_str().into())),
        Kind::MinItems { limit } => format!("must have at least {}", counted(*limit, "item")),
        Kind::MaxItems { limit } => format!("must have at most {}", counted(*limit, "item")),
        Kind::AdditionalItems { limit } => format!("must have at most {}", counted(*limit as u64, "item")),
        Kind::UniqueItems => "must not have the same item twice".to_owned(),
        Kind::MinProperties { limit } => format!("must have at least {}", counted(*limit, "member")),
        Kind::MaxProperties { limit } => format!("must have at most {}", counted(*limit, "member")),
        Kind::FalseSchema => "must be left out".to_owned(),
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => alternatives(context)
            .unwrap_or_else(|| format!("must fit one of the schemas of `{}`", kind.keyword())),
        Kind::OneOfMultipleValid { .. } => "must fit only one of the schemas of `oneOf`".to_owned(),
        Kind::PropertyNames { error } => {
            format!("must have only names that fit `propertyNames`: a name {}", describe(error.kind()))
        }
        Kind::Format { format } if format == "regex" => {
            "must be a regular expression of moderate size, without look-around and back-references"
                .to_owned()
        }
        other => format!("must fit `{}`", other.keyword()),
    }
}

fn types(kind: &TypeKind) -> Vec<&'static str> {
    match kind {
        TypeKind::Single(one) => vec![one.as_str()],
        TypeKind::Multiple(several) => several.iter().map(JsonType::as_str).collect(),
    }
}

/// The words for a value that fits none of several schemas, if each says of it that it has the wrong type or is none
/// of some values.
fn alternatives(context: &[Vec<ValidationError<'static>>]) -> Option<String> {
    let mut allowed = Vec::new();
    let mut values = Vec::new();
    for branch in context {
        let [only] = branch.as_slice() else { return None };
        match only.kind() {
            Kind::Type { kind } => allowed.extend(types(kind)),
            Kind::Enum { options } => values.push(format!("one of: {}", listed(options))),
            Kind::Constant { expected_value } => values.push(shown(expected_value)),
            _ => return None,
        }
    }
    if !allowed.is_empty() {
        values.insert(0, format!("of the type {}", allowed.join(" or ")));
    }
    Some(format!("must be {}", values.join(" or ")))
}

fn listed(options: &Value) -> String {
    let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
    let named: Vec<String> = options.iter().take(MAX_LISTED).map(shown).collect();
    format!("{}{}", named.join(", "), if options.len() > MAX_LISTED { ", …" } else { "" })
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
