//! Workarounds for where async-graphql 7.2.1 deviates from the GraphQL specification (October 2021). Each file enforces
//! one rule: it names the section, what async-graphql does instead and, where there is one, the issue or pull request
//! about it (#123). A file can be deleted once async-graphql follows its rule.
//!
//! Known deviations that remain:
//! - 6.3.2, below the root of mutations and subscriptions, and in queries: a field that is selected in several
//!   fragments is resolved once for each, and the results are merged. That costs time, which the limits count, and
//!   changes no answer.
//! - 6.3.2, at the root: a mutation that selects a field several times is refused if a condition (`@skip`, `@include`),
//!   a fragment of another type, or a fragment in a document of several operations is involved; so is a subscription
//!   whose field stands in such a fragment. See `root_fields`.
//! - 6.4.1, in documents of several operations: a nullable variable that was not given counts as null in arguments, not
//!   as absent. See `variables`.

mod document;
mod duplicates;
mod empty_objects;
mod escapes;
mod field_order;
mod fragments;
mod null_propagation;
mod request_errors;
mod root_fields;
mod typename_conditions;
mod variables;

pub(super) use document::{Rewritten, rewrite};
pub(super) use escapes::replace_wide_escapes;
pub(super) use field_order::FieldOrder;
pub(super) use null_propagation::NullPropagation;
pub(super) use request_errors::{is_request_error, response_body};
