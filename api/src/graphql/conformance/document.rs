//! Rewrites a parsed document so that async-graphql executes it as the specification says. The operation is chosen as
//! in 6.1, `GetOperation()`; async-graphql chooses it only after validation.

use async_graphql::{
    ServerError, Variables,
    parser::types::{DocumentOperations, ExecutableDocument, OperationDefinition, OperationType},
};

use super::{
    duplicates, empty_objects, field_order::FieldOrder, root_fields, typename_conditions, variables,
};

/// Facts about a rewritten document that its execution needs.
pub(in crate::graphql) struct Rewritten {
    /// The type of the chosen operation.
    pub(in crate::graphql) operation_type: OperationType,
    /// The order that the fields of its responses must have.
    pub(in crate::graphql) field_order: FieldOrder,
}

/// Rewrites a document for the operation of this name, and fills in its variables' defaults.
///
/// # Errors
/// A request error: there is no such operation, a variable is missing, or the fields at the root cannot be merged.
pub(in crate::graphql) fn rewrite(
    document: &mut ExecutableDocument,
    operation_name: Option<&str>,
    variables: &mut Variables,
) -> Result<Rewritten, ServerError> {
    let alone = document.operations.iter().len() == 1;
    let ExecutableDocument { operations, fragments } = document;
    let operation = get_operation(operations, operation_name)?;
    variables::coerce(operation, fragments, alone, variables)?;
    root_fields::merge(operation, fragments, alone)?;
    let field_order = FieldOrder::of(fragments, &operation.selection_set.node);
    duplicates::merge(operation, fragments);
    typename_conditions::wrap(operation, fragments);
    empty_objects::add_placeholders(operation, fragments);
    Ok(Rewritten { operation_type: operation.ty, field_order })
}

fn get_operation<'a>(
    operations: &'a mut DocumentOperations,
    name: Option<&str>,
) -> Result<&'a mut OperationDefinition, ServerError> {
    let found = match (operations, name) {
        (DocumentOperations::Single(operation), None) => Some(operation),
        (DocumentOperations::Multiple(named), Some(name)) => named.get_mut(name),
        (DocumentOperations::Multiple(named), None) if named.len() == 1 => named.values_mut().next(),
        _ => None,
    };
    found.map(|operation| &mut operation.node).ok_or_else(|| no_operation(name))
}

fn no_operation(name: Option<&str>) -> ServerError {
    let message = match name {
        Some(name) => format!("the document has no operation `{name}`"),
        None => "the document has several operations; operationName must say which".to_owned(),
    };
    ServerError::new(message, None)
}
